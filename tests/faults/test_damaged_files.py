"""Files that were cut, zeroed, flipped or lost while the broker was down: what is sound is served, the rest is said."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, TopicPartition

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.delete_topics import DeleteTopicsRequest, DeleteTopicState
from chronik.records.batch import HEADER_BYTES, walk
from tests.brokers import BrokerError, BrokerProcess
from tests.conftest import StartBroker
from tests.regressions.librdkafka import consumer_of, read_partition, send_all
from tests.regressions.processes import wait_until
from tests.regressions.wire import Wire, batch_of, values_of

BATCHES = 8
SMALL_SEGMENTS = {"log.segment.bytes": 1024 * 1024, "log.flush.offset.checkpoint.interval.ms": 60_000}
METADATA_STORE = "metadata.db"
Harm = Callable[[Path], None]


@pytest.fixture
def topic() -> str:
    return "orders"


@pytest.fixture
def filled(start_broker: StartBroker, topic: str) -> BrokerProcess:
    """A broker with eight batches of one record in segments of two or three."""
    broker = start_broker(SMALL_SEGMENTS)
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic)
        for index in range(BATCHES):
            assert wire.append(topic, value(index)) == index
    assert len(segments(broker)) == 4
    return broker


def value(index: int) -> bytes:
    return b"%d" % index * 400_000


def segments(broker: BrokerProcess) -> list[Path]:
    return sorted((broker.data / "orders-0").glob("*.log"))


def positions(segment: Path) -> list[int]:
    return [position for position, _ in walk(memoryview(segment.read_bytes()))]


def flip(path: Path, position: int) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 0x10
    path.write_bytes(data)


def tree(directory: Path) -> dict[str, bytes]:
    """Every file of the partitions, and what it holds."""
    files = [path for path in directory.glob("*-[0-9]*/*") if path.is_file()]
    return {str(path): path.read_bytes() for path in files}


def assert_readable(broker: BrokerProcess, offsets: range) -> None:
    with Wire(broker.bootstrap) as wire:
        assert values_of(wire.read_all("orders")) == [value(index) for index in offsets]
        assert wire.end_offset("orders") == len(offsets)


# --- above the recovery point


def test_a_torn_tail_is_cut_exactly_and_said(filled: BrokerProcess, topic: str) -> None:
    filled.kill()
    active = segments(filled)[-1]
    size = active.stat().st_size
    with active.open("ab") as file:
        file.write(batch_of(b"half of it is missing" * 100)[:777])
    filled.start()
    cut = f"truncated 777 bytes of {active} from position {size} on (offset {BATCHES} and later)"
    assert cut in filled.log_text
    assert filled.log_text.count("truncated ") == 1
    assert_readable(filled, range(BATCHES))
    with Wire(filled.bootstrap) as wire:
        assert wire.append(topic, b"next") == BATCHES
    assert send_all(filled.bootstrap, topic, [b"one more"]) == {b"one more": BATCHES + 1}


def test_a_tail_cut_short_costs_only_the_batch_it_hit(filled: BrokerProcess, topic: str) -> None:
    filled.kill()
    active = segments(filled)[-1]
    start = positions(active)[-1]
    with active.open("r+b") as file:
        file.truncate(start + 1000)
    filled.start()
    cut = f"truncated 1000 bytes of {active} from position {start} on (offset {BATCHES - 1} and later)"
    assert cut in filled.log_text
    assert_readable(filled, range(BATCHES - 1))
    with Wire(filled.bootstrap) as wire:
        assert wire.append(topic, b"next") == BATCHES - 1


def test_a_flipped_bit_above_the_recovery_point_is_cut_and_said(filled: BrokerProcess) -> None:
    filled.kill()
    active = segments(filled)[-1]
    start = positions(active)[-1]
    size = active.stat().st_size
    flip(active, start + HEADER_BYTES + 5000)
    filled.start()
    cut = f"truncated {size - start} bytes of {active} from position {start} on (offset {BATCHES - 1} and later)"
    assert cut in filled.log_text
    assert_readable(filled, range(BATCHES - 1))


# --- below it


@pytest.mark.parametrize("slot", [1, 3], ids=["old-segment", "active-segment"])
@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_a_flipped_bit_below_the_recovery_point_hides_its_batch_alone(
    start_broker: StartBroker, topic: str, slot: int, ending: str
) -> None:
    """Replication rule 15: CORRUPT_MESSAGE for that batch, the others stay readable, nothing is cut."""
    broker = start_broker({**SMALL_SEGMENTS, "log.flush.interval.messages": 1})
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic)
        for index in range(BATCHES):
            wire.append(topic, value(index))
    # Stopping moves the recovery point to the end of the log; the kill is of the next life.
    broker.stop()
    if ending == "kill":
        broker.start()
        broker.kill()
    damaged = slot * 2
    sizes = [path.stat().st_size for path in segments(broker)]
    flip(segments(broker)[slot], positions(segments(broker)[slot])[0] + HEADER_BYTES + 100_000)
    broker.start()
    assert [path.stat().st_size for path in segments(broker)] == sizes
    with Wire(broker.bootstrap) as wire:
        for index in range(BATCHES):
            data = wire.fetch(topic, index, partition_max_bytes=500_000)
            expected = ErrorCode.CORRUPT_MESSAGE if index == damaged else ErrorCode.NONE
            assert data.error_code == expected, index
            assert data.high_watermark == BATCHES
            assert not data.records if index == damaged else data.records
        assert values_of(wire.read_all(topic, offset=damaged + 1)) == [
            value(index) for index in range(damaged + 1, BATCHES)
        ]
        assert wire.append(topic, b"next") == BATCHES
    _assert_librdkafka_sees(broker.bootstrap, topic, damaged)
    if ending == "kill" and slot == 3:
        assert "below the recovery point" in broker.log_text
    assert "truncated " not in broker.log_text


def _assert_librdkafka_sees(bootstrap: str, topic: str, damaged: int) -> None:
    consumer = consumer_of(bootstrap, fetch_message_max_bytes=450_000)
    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        read: list[int | None] = []
        deadline = time.monotonic() + 60
        while (message := consumer.poll(1.0)) is None or message.error() is None:
            assert time.monotonic() < deadline, f"no error after offsets {read}"
            if message is not None:
                read.append(message.offset())
        error = message.error()
        assert error is not None
        assert error.code() == KafkaError.INVALID_MSG, error
        assert read == list(range(damaged))
    finally:
        consumer.close()
    later = read_partition(bootstrap, topic, offset=damaged + 1)
    assert [message.offset() for message in later] == list(range(damaged + 1, BATCHES + 1))


# --- files that can be made again


def _halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: max(path.stat().st_size // 2 - 1, 0)])


def _zero(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


HARMS: dict[str, Harm] = {"cut": _halve, "zeroed": _zero, "missing": Path.unlink}


@pytest.mark.parametrize("harm", HARMS)
def test_indexes_are_rebuilt_whatever_happened_to_them(filled: BrokerProcess, topic: str, harm: str) -> None:
    for kill in (True, False):
        filled.kill() if kill else filled.stop()
        for segment in segments(filled):
            for index in (segment.with_suffix(".index"), segment.with_suffix(".timeindex")):
                if index.exists():
                    HARMS[harm](index)
        filled.start()
        assert_readable(filled, range(BATCHES))
        with Wire(filled.bootstrap) as wire:
            records = wire.read_all(topic)
            for record in records:
                found = wire.list_offset(topic, record.timestamp)
                assert records[found.offset].timestamp == record.timestamp
                assert found.offset <= record.offset
    assert "rebuilt" in filled.log_text


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("kill", [True, False], ids=["kill", "stop"])
def test_producers_and_leader_epochs_are_known_without_their_files(
    start_broker: StartBroker, topic: str, harm: str, kill: bool
) -> None:
    broker = start_broker(SMALL_SEGMENTS)
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic)
        producer_id = wire.new_producer_id()
        batches = [batch_of(value(index), producer_id=producer_id, base_sequence=index) for index in range(BATCHES)]
        assert [wire.produce(topic, batch).base_offset for batch in batches] == list(range(BATCHES))
    broker.kill() if kill else broker.stop()
    companions = [
        path
        for path in (broker.data / "orders-0").iterdir()
        if path.suffix in (".snapshot", ".producers") or path.name == "leader-epoch-checkpoint"
    ]
    assert kill or len(companions) >= 3
    for path in companions:
        HARMS[harm](path)
    broker.start()
    with Wire(broker.bootstrap) as wire:
        again = [wire.produce(topic, batch) for batch in batches[-5:]]
        assert [(answer.error_code, answer.base_offset) for answer in again] == [
            (ErrorCode.NONE, offset) for offset in range(BATCHES - 5, BATCHES)
        ]
        following = batch_of(b"next", producer_id=producer_id, base_sequence=BATCHES)
        assert wire.produce(topic, following).base_offset == BATCHES
    if not kill:
        assert "rebuilt leader-epoch-checkpoint" in broker.log_text


@pytest.mark.parametrize("kill", [True, False], ids=["kill", "stop"])
def test_damaged_checkpoints_are_named_and_cost_no_record(filled: BrokerProcess, topic: str, kill: bool) -> None:
    filled.stop()
    filled.start()
    filled.kill() if kill else filled.stop()
    names = ["recovery-point-offset-checkpoint", "replication-offset-checkpoint", "log-start-offset-checkpoint"]
    for name in names:
        (filled.data / name).write_bytes(b"0\n7\norders \xff\n")
    filled.start()
    for name in names:
        assert f"{filled.data / name} is damaged and not used" in filled.log_text
    assert_readable(filled, range(BATCHES))
    with Wire(filled.bootstrap) as wire:
        assert wire.append(topic, b"next") == BATCHES


def test_a_partition_that_cannot_be_opened_is_offline_alone_and_forgets_nothing(
    start_broker: StartBroker, topic: str
) -> None:
    """Its log start and recovery point stay in the checkpoints until it can be opened again."""
    broker = start_broker({"log.flush.offset.checkpoint.interval.ms": 100})
    with Wire(broker.bootstrap) as wire:
        for name in (topic, "beside"):
            wire.create_topic(name)
            wire.append(name, *[b"%d" % index for index in range(10)])
        assert wire.delete_records(topic, 6).error_code == ErrorCode.NONE
    broker.stop()
    log_file, aside = segments(broker)[0], broker.directory / "aside"
    log_file.rename(aside)
    log_file.mkdir()
    broker.start()
    assert "orders-0 cannot be opened and is offline" in broker.log_text
    with Wire(broker.bootstrap) as wire:
        assert wire.produce(topic, batch_of(b"no")).error_code == ErrorCode.KAFKA_STORAGE_ERROR
        assert wire.fetch(topic, 6).error_code == ErrorCode.KAFKA_STORAGE_ERROR
        assert wire.append("beside", b"10") == 10
        # Writes the checkpoint anew.
        assert wire.delete_records("beside", 3).error_code == ErrorCode.NONE
    broker.stop()
    assert not (broker.data / ".kafka_cleanshutdown").exists()
    log_file.rmdir()
    aside.rename(log_file)
    broker.start()
    with Wire(broker.bootstrap) as wire:
        assert wire.start_offset(topic) == 6
        assert values_of(wire.read_all(topic, offset=6)) == [b"6", b"7", b"8", b"9"]
        assert wire.start_offset("beside") == 3


def test_a_deleted_topic_leaves_nothing_though_it_could_not_be_opened(start_broker: StartBroker, topic: str) -> None:
    """Rule 58."""
    broker = start_broker()
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic)
        wire.append(topic, b"old")
    broker.stop()
    segments(broker)[0].unlink()
    (broker.data / "orders-0" / f"{0:020d}.log").mkdir()
    broker.start()
    with Wire(broker.bootstrap) as wire:
        answer = wire.call(ApiKey.DELETE_TOPICS, 6, DeleteTopicsRequest([DeleteTopicState(topic)], timeout_ms=10_000))
        assert answer.responses[0].error_code == ErrorCode.NONE
        wait_until(lambda: not list(broker.data.glob("orders-0*")), 60, "its directory is gone")
        wire.create_topic(topic)
        assert wire.append(topic, b"new") == 0


def test_a_damaged_mark_of_a_clean_stop_is_no_mark(filled: BrokerProcess) -> None:
    filled.stop()
    (filled.data / ".kafka_cleanshutdown").write_bytes(b"\0\0{")
    filled.start()
    assert_readable(filled, range(BATCHES))


# --- whose data it is


@pytest.mark.parametrize("content", [b"", b"\0" * 90, b"version=1\nnode.id=one\n", b"version=7\n"])
def test_damaged_meta_properties_are_a_reason_not_to_start(filled: BrokerProcess, content: bytes) -> None:
    filled.stop()
    meta = filled.data / "meta.properties"
    sound, before = meta.read_bytes(), tree(filled.data)
    meta.write_bytes(content)
    with pytest.raises(BrokerError):
        filled.start()
    assert filled.exit_code not in (0, -9)
    assert f"{meta} is damaged" in filled.log_text
    assert "Traceback" not in filled.log_text
    assert tree(filled.data) == before
    meta.write_bytes(sound)
    filled.start()
    assert_readable(filled, range(BATCHES))


def _store_files(broker: BrokerProcess) -> dict[str, bytes]:
    found = {path.name: path.read_bytes() for path in broker.data.glob(f"{METADATA_STORE}*") if path.is_file()}
    assert METADATA_STORE in found, sorted(path.name for path in broker.data.iterdir())
    return found


def _put_store(broker: BrokerProcess, files: dict[str, bytes]) -> None:
    for path in broker.data.glob(f"{METADATA_STORE}*"):
        if path.is_file():
            path.unlink()
    for name, content in files.items():
        (broker.data / name).write_bytes(content)


@pytest.mark.parametrize("kind", ["another", "older", "no"])
def test_with_another_store_it_refuses_and_deletes_nothing(
    start_broker: StartBroker, filled: BrokerProcess, topic: str, kind: str
) -> None:
    """Replication rule 10."""
    filled.stop()
    stores: dict[str, dict[str, bytes]] = {"older": _store_files(filled), "no": {}}
    filled.start()
    with Wire(filled.bootstrap) as wire:
        wire.create_topic("later")
        wire.append("later", b"kept")
    filled.stop()
    if kind == "another":
        other = start_broker()
        other.stop()
        stores["another"] = _store_files(other)
    right, before = _store_files(filled), tree(filled.data)
    for ending in ("clean", "killed"):
        _put_store(filled, stores[kind])
        with pytest.raises(BrokerError):
            filled.start()
        assert filled.exit_code not in (0, -9)
        assert "Nothing was changed" in filled.log_text, ending
        assert "Traceback" not in filled.log_text
        assert tree(filled.data) == before
        _put_store(filled, right)
        filled.start()
        with Wire(filled.bootstrap) as wire:
            assert values_of(wire.read_all("later")) == [b"kept"]
        if ending == "clean":
            filled.kill()
            right, before = _store_files(filled), tree(filled.data)
    assert_readable(filled, range(BATCHES))
