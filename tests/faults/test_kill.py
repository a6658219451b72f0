"""kill -9 at any moment: what was acknowledged is there afterwards, once, where it was said to be, and work goes on."""

import time
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.create_topics import CreatableTopic, CreateTopicsRequest
from chronik.protocol.generated.delete_topics import DeleteTopicsRequest, DeleteTopicState
from chronik.protocol.generated.metadata import MetadataRequest
from tests.brokers import BrokerProcess
from tests.conftest import StartBroker
from tests.faults.load import Load
from tests.regressions.librdkafka import read_partition, values_read
from tests.regressions.processes import wait_until
from tests.regressions.wire import Wire, batch_of, produce_request, values_of

KILLS = 3
SECONDS_MAX = 60.0
PARTITIONS = 3
FLUSH_EACH = {"log.flush.interval.messages": 1}
SMALL_SEGMENTS = {"log.segment.bytes": 1024 * 1024}
KINDS: list[Mapping[str, Any]] = [
    {"enable.idempotence": True, "compression.type": "lz4"},
    {"acks": 1, "compression.type": "gzip"},
    {"acks": "all", "compression.type": "zstd"},
    {"enable.idempotence": True, "compression.type": "none"},
    {"acks": 1, "compression.type": "snappy"},
]


@pytest.mark.parametrize(
    ("seed", "settings", "value_bytes_max"),
    [
        (1, {}, 400),
        (2, {}, 4_000),
        (3, SMALL_SEGMENTS, 10_000),
        (4, {}, 400),
        (5, FLUSH_EACH, 400),
        (6, FLUSH_EACH, 4_000),
    ],
    ids=["1", "2", "3-small-segments", "4", "5-flush-each", "6-flush-each"],
)
def test_everything_acknowledged_survives_kills_under_load(
    start_broker: StartBroker, topic_name: str, seed: int, settings: Mapping[str, object], value_bytes_max: int
) -> None:
    """Rules 1, 16, 25, 26."""
    dice = Random(seed)
    broker = start_broker({"log.flush.offset.checkpoint.interval.ms": 500, **settings})
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name, PARTITIONS)
    kinds = dice.sample(KINDS, 3)
    with Load(
        broker.bootstrap, topic_name, PARTITIONS, kinds, value_bytes_max=value_bytes_max, seed=seed * 100
    ) as load:
        for _ in range(KILLS):
            load.await_progress(50)
            time.sleep(dice.uniform(0, 0.4))
            broker.restart(kill=True)
        load.await_progress(50)
        load.end()
        broker.restart(kill=True)
        with Wire(broker.bootstrap) as wire:
            records = load.check(wire)
    read = [values_read(read_partition(broker.bootstrap, topic_name, index)) for index in range(PARTITIONS)]
    assert sum(counts.total() for counts in read) == records
    sent = sum(len(producer.sent) for producer in load.producers)
    assert records >= sent > 50 * (KILLS + 1)


@pytest.mark.parametrize("settings", [{}, FLUSH_EACH], ids=["default", "flush-each"])
def test_a_retry_after_a_kill_gets_its_original_offset(
    start_broker: StartBroker, topic_name: str, settings: Mapping[str, object]
) -> None:
    """Rules 51, 52: the last five batches of a producer are known again."""
    broker = start_broker(settings)
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        producer_id = wire.new_producer_id()
        batches = list(_batches_of(producer_id, [1, 4, 2, 3, 1, 5, 2]))
        offsets = [_append_batch(wire, topic_name, batch) for batch in batches]
    for kill in (True, False):
        broker.restart(kill=kill)
        with Wire(broker.bootstrap) as wire:
            again = [_append_batch(wire, topic_name, batch) for batch in batches[-5:]]
            assert again == offsets[-5:]
            assert wire.end_offset(topic_name) == 18
    with Wire(broker.bootstrap) as wire:
        assert wire.new_producer_id() != producer_id
        assert _append_batch(wire, topic_name, batch_of(b"next", producer_id=producer_id, base_sequence=18)) == 18
        skipped = wire.produce(topic_name, batch_of(b"gap", producer_id=producer_id, base_sequence=25))
        assert skipped.error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


@pytest.mark.parametrize("seed", [11, 12])
def test_batches_in_flight_at_the_kill_are_taken_once_when_sent_again(
    broker: BrokerProcess, topic_name: str, seed: int
) -> None:
    """Rule 51: five in flight, the connection dies, all of them are sent again."""
    dice = Random(seed)
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        producer_id = wire.new_producer_id()
    values = [f"v{index}".encode() for index in range(60)]
    acknowledged: dict[int, int] = {}
    for _ in range(2):
        with Wire(broker.bootstrap) as wire:
            _pipeline(wire, topic_name, producer_id, values, acknowledged, stop_after=dice.randrange(3, 12))
            broker.restart(kill=True)
    with Wire(broker.bootstrap) as wire:
        _pipeline(wire, topic_name, producer_id, values, acknowledged, stop_after=len(values))
        assert values_of(wire.read_all(topic_name)) == values
        assert acknowledged == {index: index for index in range(len(values))}


def _batches_of(producer_id: int, sizes: list[int]) -> Iterator[bytes]:
    sequence = 0
    for size in sizes:
        values = [f"{sequence + index}".encode() for index in range(size)]
        yield batch_of(*values, producer_id=producer_id, base_sequence=sequence)
        sequence += size


def _append_batch(wire: Wire, topic: str, batch: bytes) -> int:
    answer = wire.produce(topic, batch)
    assert answer.error_code == ErrorCode.NONE, answer
    return answer.base_offset


def _pipeline(
    wire: Wire, topic: str, producer_id: int, values: list[bytes], acknowledged: dict[int, int], *, stop_after: int
) -> None:
    """Send with five in flight from the first value without an answer on, leaving the last answers unread."""
    first = next_to_send = len(acknowledged)
    for _ in range(stop_after):
        while next_to_send < min(len(acknowledged) + 5, len(values)):
            batch = batch_of(values[next_to_send], producer_id=producer_id, base_sequence=next_to_send)
            wire.send(ApiKey.PRODUCE, 9, produce_request(topic, batch))
            next_to_send += 1
        if len(acknowledged) == len(values):
            return
        answer = wire.receive()[1].responses[0].partition_responses[0]
        assert answer.error_code == ErrorCode.NONE, answer
        acknowledged[len(acknowledged)] = answer.base_offset
    assert len(acknowledged) > first


def test_the_log_start_does_not_fall_back_after_a_kill(broker: BrokerProcess, topic_name: str) -> None:
    """Rule 11."""
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name, 2)
        for partition in range(2):
            wire.append(topic_name, *[b"%d" % index for index in range(30)], partition=partition)
        assert wire.delete_records(topic_name, 17).error_code == ErrorCode.NONE
    for _ in range(2):
        broker.restart(kill=True)
        with Wire(broker.bootstrap) as wire:
            assert wire.start_offset(topic_name) == 17
            assert wire.start_offset(topic_name, partition=1) == 0
            assert values_of(wire.read_all(topic_name, offset=17)) == [b"%d" % index for index in range(17, 30)]
            assert wire.fetch(topic_name, 16).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    broker.restart()
    with Wire(broker.bootstrap) as wire:
        assert wire.start_offset(topic_name) == 17


def test_a_topic_made_again_keeps_its_own_records_through_a_kill(broker: BrokerProcess, topic_name: str) -> None:
    """What the checkpoints say of a deleted topic is not said of another one of its name."""
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        wire.append(topic_name, *[b"old"] * 30)
        assert wire.delete_records(topic_name, 20).error_code == ErrorCode.NONE
        _delete_topic(wire, topic_name)
        wire.create_topic(topic_name)
        assert wire.append(topic_name, b"a", b"b", b"c") == 0
    for _ in range(2):
        broker.restart(kill=True)
        with Wire(broker.bootstrap) as wire:
            assert wire.start_offset(topic_name) == 0
            assert values_of(wire.read_all(topic_name)) == [b"a", b"b", b"c"]


def test_deleted_records_free_their_space_and_stay_deleted(start_broker: StartBroker, topic_name: str) -> None:
    """Rules 11, 58: segments below the log start leave the disk, and a kill brings none of them back."""
    soon = {"log.segment.delete.delay.ms": 0, "log.retention.check.interval.ms": 200}
    broker = start_broker({**SMALL_SEGMENTS, **soon})
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        for _ in range(6):
            wire.append(topic_name, bytes(400_000))
        segments = sorted((broker.data / f"{topic_name}-0").glob("*.log"))
        assert len(segments) == 3
        assert wire.delete_records(topic_name, 5).error_code == ErrorCode.NONE
        directory = broker.data / f"{topic_name}-0"

        def left() -> set[str]:
            """The segments of which a log or an index is there, also under the name that it has until it goes."""
            return {path.name.split(".")[0] for path in directory.glob("0*") if "snapshot" not in path.name}

        wait_until(lambda: left() == {segments[2].stem}, SECONDS_MAX, "all files of two segments are gone")
        assert segments[2].exists()
        broker.restart(kill=True)
    with Wire(broker.bootstrap) as wire:
        assert (wire.start_offset(topic_name), wire.end_offset(topic_name)) == (5, 6)


@pytest.mark.parametrize("seed", [21, 22])
def test_after_a_kill_among_creations_and_deletions_metadata_and_disk_agree(broker: BrokerProcess, seed: int) -> None:
    """Rules 41, 58: what was acknowledged holds, and a deleted topic does not come back."""
    dice = Random(seed)
    must: dict[str, int] = {}
    may: dict[str, int] = {}
    for life in range(3):
        with Wire(broker.bootstrap) as wire:
            _churn(wire, dice, f"s{seed}-l{life}", must, changes=dice.randrange(4, 16))
            # Asked for and killed before the answer: either outcome is right, half of one is not.
            doubtful = f"s{seed}-doubt-{life}"
            wire.send(ApiKey.CREATE_TOPICS, 7, CreateTopicsRequest([CreatableTopic(doubtful, 2, 1)], 10_000))
            may[doubtful] = 2
            if must:
                victim = dice.choice(sorted(must))
                wire.send(ApiKey.DELETE_TOPICS, 6, DeleteTopicsRequest([DeleteTopicState(victim)], timeout_ms=30_000))
                may[victim] = must.pop(victim)
            time.sleep(dice.uniform(0, 0.01))
            broker.restart(kill=True)
        with Wire(broker.bootstrap) as wire:
            found = _topics(wire)
            assert must.items() <= found.items()
            assert found.items() <= {**may, **must}.items()
            _assert_disk_agrees(broker, found)
            for name in sorted(found):
                assert wire.append(name, b"alive", acks=1) >= 0
            must, may = found, {}


def _churn(wire: Wire, dice: Random, prefix: str, must: dict[str, int], *, changes: int) -> None:
    for index in range(changes):
        if must and dice.random() < 0.45:
            name = dice.choice(sorted(must))
            _delete_topic(wire, name)
            del must[name]
        else:
            name = f"{prefix}-{index}"
            wire.create_topic(name, partitions := dice.randrange(1, 4))
            must[name] = partitions
            wire.append(name, b"first")


def _delete_topic(wire: Wire, name: str) -> None:
    answer = wire.call(ApiKey.DELETE_TOPICS, 6, DeleteTopicsRequest([DeleteTopicState(name)], timeout_ms=30_000))
    assert answer.responses[0].error_code == ErrorCode.NONE


def _topics(wire: Wire) -> dict[str, int]:
    """Names and numbers of partitions, each with a leader."""
    answer = wire.call(ApiKey.METADATA, 9, MetadataRequest(None, allow_auto_topic_creation=False))
    for topic in answer.topics:
        assert topic.error_code == ErrorCode.NONE
        assert all(partition.leader_id >= 0 for partition in topic.partitions)
    return {topic.name: len(topic.partitions) for topic in answer.topics}


def _assert_disk_agrees(broker: BrokerProcess, topics: Mapping[str, int]) -> None:
    expected = {f"{name}-{index}" for name, partitions in topics.items() for index in range(partitions)}

    def agrees() -> bool:
        return {path.name for path in broker.data.glob("*-[0-9]*") if path.is_dir()} == expected

    wait_until(agrees, SECONDS_MAX, f"exactly the directories {sorted(expected)} in {broker.data}")
