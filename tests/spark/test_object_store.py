"""An archive in an object store, whose server knows conditional puts: written by tasks, verified, and asked in SQL."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from botocore.exceptions import BotoCoreError, ClientError
from pyspark.sql import SparkSession

from chronik.spark.archive.coverage import OffsetRange
from chronik.spark.archive.delta_table import DeltaArchive
from chronik.spark.archive.table import Commit, CommitConflictError
from chronik.spark.archive.topic_state import ask_topic
from chronik.spark.planning.slices import ReadRules
from chronik.spark.sql.query import SqlSources, query
from tests.spark.archives import archive_once, verdict
from tests.spark.topics import Topics

START_SECONDS_MAX = 60
BUCKET = "lake"
KEYS = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing", "region_name": "us-east-1"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The options by which an S3-compatible server of this module's own is reached."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("s3") / "server.log"
    with log.open("wb") as output:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        server = subprocess.Popen(command, stdout=output, stderr=output)
    try:
        url = f"http://127.0.0.1:{port}"
        _make_bucket(url, log)
        yield {
            "AWS_ENDPOINT_URL": url,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }
    finally:
        server.kill()
        server.wait(20)


def _make_bucket(url: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS_MAX
    while True:
        try:
            boto3.client("s3", endpoint_url=url, **KEYS).create_bucket(Bucket=BUCKET)  # type: ignore[call-overload]
            return
        except (BotoCoreError, ClientError):
            assert time.monotonic() < deadline, log.read_text(errors="replace")
            time.sleep(0.2)


def test_a_store_refuses_to_write_an_object_twice(store: dict[str, str]) -> None:
    """What commits of two writers depend on: a server without it would make the tests below prove nothing."""
    client = boto3.client("s3", endpoint_url=store["AWS_ENDPOINT_URL"], **KEYS)  # type: ignore[call-overload]
    client.put_object(Bucket=BUCKET, Key="once", Body=b"1", IfNoneMatch="*")
    with pytest.raises(ClientError, match="PreconditionFailed"):
        client.put_object(Bucket=BUCKET, Key="once", Body=b"2", IfNoneMatch="*")


def test_a_topic_is_archived_verified_and_asked_in_an_object_store(
    spark: SparkSession, topics: Topics, topic_name: str, store: dict[str, str], tmp_path: Path
) -> None:
    topics.make(topic_name, 40, 15)
    table = DeltaArchive(f"s3://{BUCKET}/{topic_name}", store)
    archive_once(spark, table, topics.bootstrap, topic_name, tmp_path / "state", commit_records_max=30)
    assert verdict(table, topics.bootstrap, topic_name).is_sound
    sources = SqlSources(topics.bootstrap, archives={"orders": table})
    rows = query(spark, "select partition, offset, value, date from archive.orders order by 1, 2", sources).collect()
    assert [(row.partition, row.offset, row.value) for row in rows] == [
        (partition, offset, f"v{1000 * partition + offset}")
        for partition, count in enumerate((40, 15))
        for offset in range(count)
    ]
    assert {str(row.date) for row in rows} == {"2023-11-14"}


def test_of_two_writers_in_an_object_store_one_is_refused(
    spark: SparkSession, topics: Topics, topic_name: str, store: dict[str, str], tmp_path: Path
) -> None:
    topics.make(topic_name, 5)
    url = f"s3://{BUCKET}/{topic_name}"
    archive_once(spark, DeltaArchive(url, store), topics.bootstrap, topic_name, tmp_path / "state")
    topic_id = ask_topic(topic_name, ReadRules(topics.bootstrap)).topic_id
    writers = [DeltaArchive(url, store), DeltaArchive(url, store)]
    for writer in writers:
        writer.snapshot()
    more = Commit(topic_name, topic_id, {0: OffsetRange(5, 6)}, {}, ())
    writers[0].commit(more)
    with pytest.raises(CommitConflictError):
        writers[1].commit(more)
