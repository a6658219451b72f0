"""The archive of a topic with transactions, on an Apache Kafka: what was aborted is left out and accounted for."""

from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from chronik.spark.archive.delta_table import DeltaArchive
from chronik.spark.archive.driver import Archiver, ArchiveRules
from chronik.spark.archive.parquet_files import write_slice
from chronik.spark.archive.topic_state import ask_topic
from chronik.spark.archive.verify import PartitionCounts, verify
from chronik.spark.planning.slices import ReadRules
from tests.spark.archives import rows_of

SECONDS_MAX = 60


@pytest.fixture
def transactional(kafka: str) -> str:
    """A topic with two committed records, three aborted ones, and one outside of any transaction."""
    topic = f"transactions-{uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": kafka})
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(SECONDS_MAX)
    producer = Producer({"bootstrap.servers": kafka, "transactional.id": topic})
    producer.init_transactions(SECONDS_MAX)
    for values, end in (("ab", producer.commit_transaction), ("xyz", producer.abort_transaction)):
        producer.begin_transaction()
        for value in values:
            producer.produce(topic, value.encode(), partition=0)
        producer.flush(SECONDS_MAX)
        end(SECONDS_MAX)
    plain = Producer({"bootstrap.servers": kafka})
    plain.produce(topic, b"c", partition=0)
    assert plain.flush(SECONDS_MAX) == 0
    return topic


def archived(kafka: str, topic: str, place: Path, *, committed: bool) -> PartitionCounts:
    """Archive without Spark, verify, and give the account of the one partition."""
    reading = ReadRules(kafka, include_headers=True, read_committed=committed)
    table = DeltaArchive(str(place))
    archiver = Archiver(
        table,
        lambda: ask_topic(topic, reading),
        lambda tasks: [file for task in tasks for file in write_slice(task)],
        ArchiveRules(reading),
    )
    state = archiver.prepare()
    archiver.archive_until(state.topic_id, state.ends)
    verdict = verify(table, state, reading)
    assert verdict.findings == []
    (account,) = verdict.accounts
    return account


def test_committed_records_are_archived_and_the_rest_is_explained(
    kafka: str, transactional: str, tmp_path: Path
) -> None:
    account = archived(kafka, transactional, tmp_path, committed=True)
    assert (account.archived, account.aborted, account.control, account.compacted) == (3, 3, 2, 0)
    assert sorted(value for _, _, value in rows_of(tmp_path)) == [b"a", b"b", b"c"]


def test_all_records_are_archived_if_asked_for(kafka: str, transactional: str, tmp_path: Path) -> None:
    account = archived(kafka, transactional, tmp_path, committed=False)
    assert (account.archived, account.aborted, account.control) == (6, 0, 2)
    assert sorted(value for _, _, value in rows_of(tmp_path)) == [b"a", b"b", b"c", b"x", b"y", b"z"]
