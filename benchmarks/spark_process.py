"""The session of Spark as a process: started with the right Spark, asked for jobs, ended with all that it started."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.load import InvalidMeasurementError
from benchmarks.prerequisites import ROOT, MissingPrerequisiteError
from benchmarks.spark_session import MARK

CLIENTS: Final = ROOT / ".cache" / "clients"
JARS: Final = CLIENTS / "spark-jars"
JOB_SECONDS_MAX: Final = 600
END_SECONDS_MAX: Final = 20


@dataclass(frozen=True, slots=True)
class Done:
    """What a job took and what it found."""

    seconds: float
    cpu_s: float
    answer: Mapping[str, Any]


def environment() -> dict[str, str]:
    """Put the Spark that the connector's jars are for before the one of this environment."""
    packages = next(iter((CLIENTS / "spark" / "lib").glob("python3*/site-packages")), CLIENTS)
    if not (packages / "pyspark").is_dir() or not list(JARS.glob("spark-sql-kafka*.jar")):
        raise MissingPrerequisiteError(
            "Spark's Kafka source is not there: sh tools/prerequisites.sh java maven spark spark-jars"
        )
    path = os.pathsep.join([str(packages), str(ROOT / "src"), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "CHRONIK_SPARK_JARS": str(JARS)}


class SparkProcess:
    """One session; a job that takes too long ends it."""

    def __init__(self, log: Path) -> None:
        self._log = log
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.spark_session"],
                cwd=ROOT,
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        self.version = str(self._answer()["spark"])

    def do(self, job: Mapping[str, Any]) -> Done:
        """Have a job done and wait for it."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise InvalidMeasurementError(f"the session has ended: {error}") from error
        return Done(**self._answer())

    def close(self) -> None:
        """End the session, its JVM and its workers."""
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS_MAX)
        self._kill()
        self._process.wait()

    def _answer(self) -> dict[str, Any]:
        bell = threading.Timer(JOB_SECONDS_MAX, self._kill)
        bell.start()
        try:
            answer = self._next_line()
        finally:
            bell.cancel()
        if "error" in answer:
            raise InvalidMeasurementError(answer["error"])
        return answer

    def _next_line(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(MARK):
                found: dict[str, Any] = json.loads(line.removeprefix(MARK))
                return found
        last_words = self._log.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise InvalidMeasurementError(f"the session of Spark ended: {last_words}")

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)


@contextmanager
def spark_process(directory: Path) -> Iterator[SparkProcess]:
    """A session that runs inside the block."""
    process = SparkProcess(directory / "spark.log")
    try:
        yield process
    finally:
        process.close()
