"""The archive as a query of Spark: equal to the topic, whatever happened to its checkpoint or to its process."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from chronik.spark.archive.delta_table import DeltaArchive
from chronik.spark.archive.running import start_archive
from chronik.spark.archive.table import ArchiveError, Commit
from chronik.spark.archive.topic_state import ask_topic
from chronik.spark.planning.slices import ReadRules
from tests.brokers import CHRONIK
from tests.clients.commands import here
from tests.spark.archives import archive_once, covered_ends, rows_of, rules, sent, verdict
from tests.spark.topics import Topics, record

WAIT_SECONDS_MAX = 90
MANY = 3_000
"""So many that an archive in small commits is killed long before the last of them."""


def until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def add(topics: Topics, topic: str, partition: int, start: int, end: int) -> None:
    topics.add(topic, (record(1000 * partition + number) for number in range(start, end)), partition)


def test_with_the_old_a_lost_a_foreign_and_a_wrong_checkpoint_the_table_equals_the_topic(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    other = f"{topic_name}-other"
    topics.make(topic_name, 60, 20)
    topics.make(other, 500, 500)
    table, place = DeltaArchive(str(tmp_path / "lake")), tmp_path / "lake"
    old, foreign = tmp_path / "old", tmp_path / "foreign"
    archive_once(spark, table, topics.bootstrap, topic_name, old)
    assert rows_of(place) == sent(60, 20)
    archive_once(spark, DeltaArchive(str(tmp_path / "other")), topics.bootstrap, other, foreign)

    add(topics, topic_name, 0, 60, 70)
    archive_once(spark, table, topics.bootstrap, topic_name, old)
    assert rows_of(place) == sent(70, 20)

    add(topics, topic_name, 1, 20, 30)
    archive_once(spark, table, topics.bootstrap, topic_name, tmp_path / "lost")
    assert rows_of(place) == sent(70, 30)

    add(topics, topic_name, 0, 70, 75)
    archive_once(spark, table, topics.bootstrap, topic_name, foreign)
    assert rows_of(place) == sent(75, 30)

    # A checkpoint that has seen all of the topic, and a table that has nothing of it.
    shutil.rmtree(place)
    archive_once(spark, DeltaArchive(str(place)), topics.bootstrap, topic_name, tmp_path / "lost")
    assert rows_of(place) == sent(75, 30)
    assert verdict(table, topics.bootstrap, topic_name).is_sound


def test_an_archive_that_follows_takes_what_comes(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    topics.make(topic_name, 10, 0)
    place = tmp_path / "lake"
    topic_id = ask_topic(topic_name, ReadRules(topics.bootstrap)).topic_id
    running = start_archive(
        spark, DeltaArchive(str(place)), topic_name, rules(topics.bootstrap), str(tmp_path / "state"),
        follow=True, interval_s=0.2,
    )  # fmt: skip

    def archived(partition: int) -> int | None:
        running.wait(1)
        return covered_ends(place, topic_id).get(partition)

    try:
        until(lambda: archived(0) == 10, "the first records were not archived")
        add(topics, topic_name, 1, 0, 5)
        until(lambda: archived(1) == 5, "new records were not archived")
    finally:
        running.stop()
    assert rows_of(place) == sent(10, 5)


@pytest.mark.timeout(360)
def test_an_archive_killed_while_it_writes_goes_on_with_the_old_and_with_a_lost_checkpoint(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    """Every commit is one of 40 records, so that the kill comes in the middle of a batch."""
    topics.make(topic_name, MANY, MANY)
    place, state, log = tmp_path / "lake", tmp_path / "state", tmp_path / "archive.log"
    words = ["archive", "--topic", topic_name, "--to", str(place), "--checkpoint", str(state), "--commit-records", "40"]
    command = [str(CHRONIK), *words, "--follow", "--json", "-b", topics.bootstrap, "--isolation", "read_uncommitted"]
    with log.open("wb") as errors:
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True)
    try:
        assert child.stdout is not None
        commits = [child.stdout.readline() for _ in range(3)]
        assert all(commits), log.read_text(errors="replace")[-4000:]
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate(timeout=20)
    assert json.loads(commits[2])["records"] == 40
    left = rows_of(place)
    assert left < sent(MANY, MANY)
    shutil.copytree(place, tmp_path / "copy")

    add(topics, topic_name, 0, MANY, MANY + 10)
    archive_once(spark, DeltaArchive(str(place)), topics.bootstrap, topic_name, state)
    assert rows_of(place) == sent(MANY + 10, MANY)
    archive_once(spark, DeltaArchive(str(tmp_path / "copy")), topics.bootstrap, topic_name, tmp_path / "new")
    assert rows_of(tmp_path / "copy") == sent(MANY + 10, MANY)
    assert verdict(DeltaArchive(str(place)), topics.bootstrap, topic_name).is_sound


def test_the_commands_archive_verify_join_and_clean(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    topics.create(topic_name)
    values = [b'{"id": %d}' % number for number in range(20)]
    topics.add(topic_name, (record(number, value=value) for number, value in enumerate(values)))
    to = ["--topic", topic_name, "--to", str(tmp_path / "lake")]
    first = here(["archive", *to, "--json", "--json-columns", "number=id:long"], topics.bootstrap)
    assert first.returncode == 0, first.stderr.decode()
    told = json.loads(first.stdout)
    assert (told["records"], told["ranges"]) == (20, {"0": [0, 20]})
    topics.add(topic_name, [record(20, value=b"no JSON")])
    behind = here(["archive", "verify", *to], topics.bootstrap)
    assert (behind.returncode, b"not archived yet: partition 0 [20, 21)" in behind.stdout) == (1, True)
    assert here(["archive", "verify", *to, "--allow-lag"], topics.bootstrap).returncode == 0
    second = here(["archive", *to, "--json-columns", "number=id:long"], topics.bootstrap)
    assert b"1 records added" in second.stderr
    joined = json.loads(_care(["archive", "compact", "--to", str(tmp_path / "lake"), "--json"]))
    assert (joined["files"], joined["files_fewer"]) == (1, 1)
    orphans = ["archive", "orphans", "--to", str(tmp_path / "lake"), "--older-than", "0", "--json"]
    assert len(json.loads(_care([*orphans, "--remove"]))["orphans"]) == 2
    verified = here(["archive", "verify", *to, "--json"], topics.bootstrap)
    assert json.loads(verified.stdout)["is_sound"]
    table = DeltaArchive(str(tmp_path / "lake"))
    table.snapshot()
    rows = table.table.to_pyarrow_table(columns=["offset", "number", "json_error"]).sort_by("offset").to_pylist()
    assert [row["number"] for row in rows] == [*range(20), None]
    assert [row["offset"] for row in rows if row["json_error"]] == [20]


def _care(words: list[str]) -> bytes:
    from contextlib import redirect_stdout
    from io import StringIO

    from chronik.cli.main import run

    with redirect_stdout(StringIO()) as output:
        assert run(words) == 0
    return output.getvalue().encode()


def test_a_topic_that_was_deleted_and_made_again_is_refused_unless_asked_for(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    topics.make(topic_name, 10)
    to = ["archive", "--topic", topic_name, "--to", str(tmp_path / "lake")]
    assert here(to, topics.bootstrap).returncode == 0
    deleted = here(["topic", "delete", topic_name, "--yes"], topics.bootstrap)
    assert deleted.returncode == 0, deleted.stderr.decode()
    topics.make(topic_name, 4)
    refused = here(to, topics.bootstrap)
    assert refused.returncode == 1
    assert b"deleted and created again" in refused.stderr
    assert b"--accept-new-topic" in refused.stderr
    assert here([*to, "--accept-new-topic"], topics.bootstrap).returncode == 0
    assert rows_of(tmp_path / "lake") == sent(10) + sent(4)


def test_wrong_use_is_told_before_anything_starts(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    topics.make(topic_name, 1)
    to = ["--to", str(tmp_path / "lake")]
    cases = [
        (["archive", *to], topics.bootstrap, 3, b"--topic and --to"),
        (["archive", "--topic", "none-such", *to], topics.bootstrap, 1, b"does not exist"),
        (["archive", "--topic", topic_name, *to, "--timeout", "1"], "127.0.0.1:1", 2, b"127.0.0.1:1"),
        (["archive", "--topic", topic_name, *to, "--json-columns", "x"], topics.bootstrap, 3, b"COLUMN:TYPE"),
        (["archive", "--topic", topic_name, "--to", "s3://x/y", "--format", "parquet"], topics.bootstrap, 1, b"delta"),
        (["archive", "verify", "--topic", topic_name, *to], topics.bootstrap, 1, b"holds no archive"),
        (["archive", "--topic", topic_name, "verify"], topics.bootstrap, 3, b"must follow its name"),
    ]
    for words, bootstrap, code, message in cases:
        done = here(words, bootstrap)
        assert (done.returncode, message in done.stderr) == (code, True), (words, done)
    assert not (tmp_path / "lake").exists()


def test_what_ends_a_batch_is_raised_as_it_was(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    topics.make(topic_name, 10)
    table = DeltaArchive(str(tmp_path / "lake"))

    def refuse(commit: Commit) -> None:
        raise ArchiveError("there is no room")

    table.commit = refuse  # type: ignore[method-assign]
    with pytest.raises(ArchiveError, match="there is no room"):
        archive_once(spark, table, topics.bootstrap, topic_name, tmp_path / "state")
    archive_once(spark, DeltaArchive(str(tmp_path / "lake")), topics.bootstrap, topic_name, tmp_path / "state")
    assert rows_of(tmp_path / "lake") == sent(10)
