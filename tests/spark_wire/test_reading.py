"""Slices of real topics: what another client reads, over the wire and from the files beneath it."""

import time
from random import Random
from uuid import uuid4

import pytest

from chronik.client.settings import ClientSettings
from chronik.model.ids import TopicPartition
from chronik.spark.options.parsers import View
from chronik.spark.planning.cluster_lookup import ClusterLookup
from chronik.spark.planning.segment_lookup import SegmentLookup
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.source.problems import ClusterUnreachableError, DataLostError, TopicMissingError
from chronik.spark.source.reading import read_slice
from chronik.spark.wire.blocking_connection import BlockingConnection
from tests.brokers import BrokerProcess
from tests.regressions.wire import Wire
from tests.spark_wire.rows import consumed, produce, sliced, table_of

CLOSED_PORT = "127.0.0.1:1"


def _values(count: int, seed: int) -> list[bytes | None]:
    chance = Random(seed)
    return [None if n % 11 == 0 else chance.randbytes(chance.choice([0, 1, 90, 5_000])) for n in range(count)]


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_a_slice_holds_what_another_client_reads(shared_broker: BrokerProcess, topic_name: str, codec: str) -> None:
    values = _values(2_000, seed=1)
    produce(shared_broker.bootstrap, topic_name, values, **{"compression.type": codec, "batch.size": 40_000})
    expected = consumed(shared_broker.bootstrap, topic_name, 3, 1_900)
    assert [row.value for row in expected] == values[3:1_900]
    assert sliced(Slice(topic_name, "", 0, 3, 1_900), shared_broker.bootstrap) == expected
    small = {"max.partition.fetch.bytes": "30000"}
    piece = Slice(topic_name, "", 0, 3, 1_900)
    assert sliced(piece, shared_broker.bootstrap, client_options=small) == expected
    path = SegmentLookup(str(shared_broker.data)).directory_of(TopicPartition(topic_name, 0))
    assert sliced(Slice(topic_name, "", 0, 3, 1_900, path)) == expected


def test_the_files_hold_the_same_after_the_broker_has_stopped(broker: BrokerProcess, topic_name: str) -> None:
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name, segment_bytes=1_048_576)
    produce(broker.bootstrap, topic_name, _values(1_500, seed=2), **{"batch.size": 200_000})
    expected = consumed(broker.bootstrap, topic_name, 0, 1_500)
    lookup = SegmentLookup(str(broker.data))
    at = TopicPartition(topic_name, 0)
    assert broker.stop() == 0
    assert (lookup.earliest([at]), lookup.latest([at])) == ({at: 0}, {at: 1_500})
    path = lookup.directory_of(at)
    assert sliced(Slice(topic_name, "", 0, 0, 1_500, path)) == expected
    assert sum(table_of(Slice(topic_name, "", 0, 0, 1_500, path), view=View.RANGES)["recordCount"].to_pylist()) == 1_500
    assert table_of(Slice(topic_name, "", 0, 0, 1_500, path), view=View.PROBLEMS).num_rows == 0


def test_the_brokers_time_is_told_apart_from_the_producers(shared_broker: BrokerProcess, topic_name: str) -> None:
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, message_timestamp_type="LogAppendTime")
        before_ms = time.time_ns() // 1_000_000
        wire.append(topic_name, b"a", b"b")
    table = table_of(Slice(topic_name, "", 0, 0, 2), shared_broker.bootstrap)
    assert table["timestampType"].to_pylist() == [1, 1]
    assert min(moment.timestamp() * 1000 for moment in table["timestamp"].to_pylist()) >= before_ms


def test_reading_goes_on_after_the_broker_was_killed_and_came_back(broker: BrokerProcess, topic_name: str) -> None:
    values = [b"%d" % number for number in range(3_000)]
    produce(broker.bootstrap, topic_name, values, **{"batch.size": 1_000})
    rules = ReadRules(broker.bootstrap, columns=("value",), client_options={"max.partition.fetch.bytes": "1000"})
    batches = read_slice(Slice(topic_name, "", 0, 0, 3_000), rules, View.RECORDS)
    found = next(batches)["value"].to_pylist()
    broker.restart(kill=True)
    for batch in batches:
        found += batch["value"].to_pylist()
    assert found == values


def test_a_worker_keeps_its_connection_from_slice_to_slice(
    broker: BrokerProcess, topic_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    really_open = BlockingConnection.open.__func__  # type: ignore[attr-defined]

    def counted(cls: type[BlockingConnection], host: str, port: int, settings: ClientSettings) -> BlockingConnection:
        opened.append(f"{host}:{port}")
        connection: BlockingConnection = really_open(cls, host, port, settings)
        return connection

    monkeypatch.setattr(BlockingConnection, "open", classmethod(counted))
    produce(broker.bootstrap, topic_name, [b"%d" % number for number in range(100)])
    pieces = [Slice(topic_name, "", 0, start, start + 10) for start in range(0, 100, 10)]
    found = [row.value for piece in pieces for row in sliced(piece, broker.bootstrap)]
    assert len(opened) == 1
    broker.restart(kill=True)
    found += [row.value for row in sliced(pieces[0], broker.bootstrap)]
    assert found == [b"%d" % number for number in [*range(100), *range(10)]]
    assert len(opened) == 2


def test_offsets_that_have_expired_are_an_error_or_left_out(shared_broker: BrokerProcess, topic_name: str) -> None:
    produce(shared_broker.bootstrap, topic_name, _values(100, seed=3))
    with Wire(shared_broker.bootstrap) as wire:
        assert wire.delete_records(topic_name, 40).error_code == 0
    piece = Slice(topic_name, "", 0, 10, 100)
    with pytest.raises(
        DataLostError, match=rf"{topic_name}-0 offset 10 to 39: lost: .*begins at offset 40.*failOnDataLoss"
    ):
        sliced(piece, shared_broker.bootstrap)
    rows = sliced(piece, shared_broker.bootstrap, fail_on_data_loss=False)
    assert [row.offset for row in rows] == list(range(40, 100))
    ranges = table_of(piece, shared_broker.bootstrap, View.RANGES, fail_on_data_loss=False).to_pylist()
    assert [(row["startOffset"], row["endOffset"], row["recordCount"]) for row in ranges] == [(40, 100, 60)]
    problems = table_of(piece, shared_broker.bootstrap, View.PROBLEMS).to_pylist()
    assert [(row["kind"], row["startOffset"], row["endOffset"]) for row in problems] == [("lost", 10, 40)]


def test_a_topic_that_does_not_exist_is_told_before_and_while_reading(shared_broker: BrokerProcess) -> None:
    missing = f"missing-{uuid4().hex[:8]}"
    with (
        ClusterLookup(shared_broker.bootstrap) as lookup,
        pytest.raises(TopicMissingError, match=f"{missing}.*subscribe"),
    ):
        lookup.partitions([missing])
    with pytest.raises(DataLostError, match=f"{missing}-0 offset 0 .*UNKNOWN_TOPIC_OR_PARTITION"):
        sliced(Slice(missing, "", 0, 0, 10), shared_broker.bootstrap, poll_timeout_ms=200)


def test_a_topic_that_was_deleted_and_made_again_is_not_read_as_the_old_one(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    produce(shared_broker.bootstrap, topic_name, _values(10, seed=4))
    with pytest.raises(DataLostError, match="another topic has its name now"):
        sliced(Slice(topic_name, str(uuid4()), 0, 0, 10), shared_broker.bootstrap, poll_timeout_ms=200)


def test_a_cluster_that_cannot_be_reached_is_named() -> None:
    with pytest.raises(ClusterUnreachableError, match=f"kafka.bootstrap.servers={CLOSED_PORT}"):
        ClusterLookup(CLOSED_PORT).__enter__()
    with pytest.raises(ClusterUnreachableError, match=f"orders-0 offset 5: .*{CLOSED_PORT}"):
        sliced(Slice("orders", "", 0, 5, 10), CLOSED_PORT, poll_timeout_ms=100)


def test_a_second_bootstrap_server_is_tried(shared_broker: BrokerProcess, topic_name: str) -> None:
    produce(shared_broker.bootstrap, topic_name, [b"a", b"b"])
    both = f"{CLOSED_PORT},{shared_broker.bootstrap}"
    assert [row.value for row in sliced(Slice(topic_name, "", 0, 0, 2), both)] == [b"a", b"b"]


def test_a_clusters_lookup_returns_topics_ids_offsets_and_times(shared_broker: BrokerProcess, topic_name: str) -> None:
    with Wire(shared_broker.bootstrap) as wire:
        topic_id = wire.create_topic(topic_name, 2)
        wire.append(topic_name, b"a", b"b")
        time_ms = time.time_ns() // 1_000_000
        wire.append(topic_name, b"c", partition=1)
    first, second = TopicPartition(topic_name, 0), TopicPartition(topic_name, 1)
    with ClusterLookup(shared_broker.bootstrap) as lookup:
        assert topic_name in lookup.topics()
        assert lookup.partitions([topic_name]) == {first: str(topic_id), second: str(topic_id)}
        assert lookup.earliest([first, second]) == {first: 0, second: 0}
        assert lookup.latest([first, second]) == {first: 2, second: 1}
        assert lookup.at_times({first: 0, second: time_ms + 60_000}) == {first: 0, second: None}
