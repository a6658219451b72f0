"""Transactional topics of an Apache Kafka, since our broker refuses transactions: committed records, and only these."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from confluent_kafka import Producer

from chronik.model.ids import TopicPartition
from chronik.spark.options.parsers import View
from chronik.spark.planning.cluster_lookup import ClusterLookup
from chronik.spark.planning.segment_lookup import SegmentLookup
from chronik.spark.planning.slices import Slice
from tests.groups_beside_kafka.kafka_process import running_kafka
from tests.spark_wire.rows import consumed, sliced, table_of

SETTINGS = {
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "transaction.state.log.num.partitions": 1,
    "offsets.topic.num.partitions": 1,
    "log.segment.bytes": 1024 * 1024,
    "num.partitions": 1,
}
TOPIC = "transfers"
AT = TopicPartition(TOPIC, 0)
SECONDS_MAX = 60.0

pytestmark = pytest.mark.xdist_group("kafka of transactions")


def _transactional(bootstrap: str, name: str) -> Producer:
    producer = Producer(
        {"bootstrap.servers": bootstrap, "transactional.id": name, "linger.ms": 0, "batch.size": 20_000}
    )
    producer.init_transactions(SECONDS_MAX)
    return producer


def _send(producer: Producer, name: str, count: int) -> None:
    for number in range(count):
        producer.produce(TOPIC, f"{name}-{number}".encode() + bytes(400), b"k", partition=0)
    assert producer.flush(SECONDS_MAX) == 0


@pytest.fixture(scope="module")
def kafka(
    run_kafka_tool: Callable[..., object],  # Java and the jars are there
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[str, Path]]:
    """A Kafka whose topic holds committed, aborted, interleaved and, at its end, undecided transactions."""
    directory = tmp_path_factory.mktemp("transactions") / "kafka"
    with running_kafka(directory, SETTINGS) as bootstrap:
        first, second = _transactional(bootstrap, "first"), _transactional(bootstrap, "second")
        for round_number in range(3):
            first.begin_transaction()
            second.begin_transaction()
            for part in range(3):
                _send(first, f"first-{round_number}-{part}", 300)
                _send(second, f"second-{round_number}-{part}", 200)
            first.abort_transaction(SECONDS_MAX)
            _send_plain(bootstrap, f"plain-{round_number}", 100)
            second.commit_transaction(SECONDS_MAX)
        first.begin_transaction()
        _send(first, "undecided", 50)
        _send_plain(bootstrap, "behind", 10)
        yield bootstrap, directory / "broker-1" / "data"


def _send_plain(bootstrap: str, name: str, count: int) -> None:
    _send(Producer({"bootstrap.servers": bootstrap}), name, count)


def test_committed_records_are_read_over_the_wire_and_from_files(kafka: tuple[str, Path]) -> None:
    bootstrap, data = kafka
    with ClusterLookup(bootstrap) as lookup, ClusterLookup(bootstrap, read_committed=True) as committed_lookup:
        end, stable_end = lookup.latest([AT])[AT], committed_lookup.latest([AT])[AT]
    files = SegmentLookup(str(data), read_committed=True)
    assert (files.latest([AT])[AT], SegmentLookup(str(data)).latest([AT])[AT]) == (stable_end, end)
    assert end - stable_end == 60
    expected = consumed(bootstrap, TOPIC, 0, stable_end, "read_committed")
    names = {(row.value or b"").split(b"-")[0] for row in expected}
    assert names == {b"second", b"plain"}
    assert len(expected) == 3 * (600 + 100)
    small = {"max.partition.fetch.bytes": "100000"}
    over_the_wire = Slice(TOPIC, "", 0, 0, stable_end)
    assert sliced(over_the_wire, bootstrap, read_committed=True) == expected
    assert sliced(over_the_wire, bootstrap, read_committed=True, client_options=small) == expected
    from_files = Slice(TOPIC, "", 0, 0, stable_end, files.directory_of(AT))
    assert sliced(from_files, read_committed=True) == expected


def test_slices_of_a_transactional_topic_put_together_are_the_whole(kafka: tuple[str, Path]) -> None:
    bootstrap, data = kafka
    path = SegmentLookup(str(data)).directory_of(AT)
    with ClusterLookup(bootstrap, read_committed=True) as lookup:
        end = lookup.latest([AT])[AT]
    edges = [0, 250, 251, 1_000, 2_222, 4_000, end]
    for where, bootstrap_or_none in ((None, bootstrap), (path, "")):
        whole = sliced(Slice(TOPIC, "", 0, 0, end, where), bootstrap_or_none, read_committed=True)
        parts = [
            row
            for low, high in pairwise(edges)
            for row in sliced(Slice(TOPIC, "", 0, low, high, where), bootstrap_or_none, read_committed=True)
        ]
        assert parts == whole


def test_markers_are_no_records_and_everything_else_is_read_where_it_is_not_asked_for(kafka: tuple[str, Path]) -> None:
    bootstrap, _ = kafka
    with ClusterLookup(bootstrap) as lookup:
        end = lookup.latest([AT])[AT]
    expected = consumed(bootstrap, TOPIC, 0, end)
    assert sliced(Slice(TOPIC, "", 0, 0, end), bootstrap) == expected
    assert len(expected) == end - 6, "two transactions in each of three rounds have ended"


def test_ranges_count_what_is_committed(kafka: tuple[str, Path]) -> None:
    bootstrap, data = kafka
    with ClusterLookup(bootstrap, read_committed=True) as lookup:
        end = lookup.latest([AT])[AT]
    path = SegmentLookup(str(data)).directory_of(AT)
    for piece, server in ((Slice(TOPIC, "", 0, 0, end), bootstrap), (Slice(TOPIC, "", 0, 0, end, path), "")):
        (row,) = table_of(piece, server, View.RANGES, read_committed=True).to_pylist()
        assert (row["recordCount"], row["abortedCount"], row["controlCount"]) == (2_100, 2_700, 6)
        (row,) = table_of(piece, server, View.RANGES).to_pylist()
        assert (row["recordCount"], row["abortedCount"], row["controlCount"]) == (4_800, 0, 6)
