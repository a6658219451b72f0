"""Fetch: what was stored comes back, all of it, from everywhere, without waiting and without cost that grows."""

import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from kafka import KafkaConsumer, TopicPartition  # type: ignore[import-untyped]

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.fetch import FetchPartition, FetchRequest, FetchTopic
from chronik.records.batch import HEADER_BYTES, crc_is_right, read_header, stamp, walk
from chronik.records.build import Record, build_batch
from chronik.records.codecs import Codec
from tests.brokers import BrokerProcess
from tests.regressions.librdkafka import numbered, read_partition, send_all, values_read
from tests.regressions.processes import bytes_read, page_faults
from tests.regressions.wire import Wire, batch_of, fetch_request, stored_records, values_of

DATA_SECONDS_MAX = 0.05
TRIES = 20
AT_ONCE_SECONDS_MAX = 15
# kafka-python needs libraries of their own for the others.
KAFKA_PYTHON_CODECS = (Codec.NONE, Codec.GZIP, Codec.LZ4)
MEBIBYTE = 1024 * 1024
NOW_MS = time.time_ns() // 1_000_000


def read_with_kafka_python(bootstrap: str, topic: str, end: int) -> list[tuple[int, bytes]]:
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, check_crcs=True, consumer_timeout_ms=60_000)
    try:
        place = TopicPartition(topic, 0)
        consumer.assign([place])
        consumer.seek(place, 0)
        found: list[tuple[int, bytes]] = []
        while len(found) < end:
            message = next(consumer)
            found.append((message.offset, message.value))
        return found
    finally:
        consumer.close()


def test_any_mix_of_batches_round_trips_n_of_n(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 23: batches of every size and codec, read by two clients, each value once and in its place."""
    dice = random.Random(23)
    expected: dict[int, bytes] = {}
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        for batch_number in range(120):
            values = [dice.randbytes(dice.choice([0, 1, 10, 3_000])) for _ in range(dice.choice([1, 2, 50]))]
            records = [Record(None, value, timestamp=NOW_MS) for value in values]
            answer = wire.produce(topic_name, build_batch(records, codec=Codec(batch_number % 5)))
            assert answer.error_code == ErrorCode.NONE
            expected |= {answer.base_offset + delta: value for delta, value in enumerate(values)}
    assert sorted(expected) == list(range(len(expected)))
    by_librdkafka = read_partition(shared_broker.bootstrap, topic_name)
    assert [(message.offset(), message.value()) for message in by_librdkafka] == sorted(expected.items())


def test_any_mix_of_batches_that_kafka_python_can_read_round_trips(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 23: the same through kafka-python, whose fetches look different."""
    expected: dict[int, bytes] = {}
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        for batch_number in range(60):
            values = numbered(batch_number % 7 + 1, f"batch-{batch_number}")
            records = [Record(None, value, timestamp=NOW_MS) for value in values]
            codec = KAFKA_PYTHON_CODECS[batch_number % len(KAFKA_PYTHON_CODECS)]
            base_offset = wire.produce(topic_name, build_batch(records, codec=codec)).base_offset
            expected |= {base_offset + delta: value for delta, value in enumerate(values)}
    assert read_with_kafka_python(shared_broker.bootstrap, topic_name, len(expected)) == sorted(expected.items())


def test_the_broker_assigns_offsets_whatever_the_client_wrote(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 24: base offset and leader epoch of the client's batch are not trusted."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        for expected, claimed in enumerate([12_345, -1, 0, 2**62]):
            batch = build_batch([Record(None, b"v", timestamp=NOW_MS)], base_offset=claimed, leader_epoch=99)
            assert wire.produce(topic_name, batch).base_offset == expected
        data = memoryview(wire.fetch(topic_name, 0).records or b"")
        headers = [header for _, header in walk(data)]
        assert [header.base_offset for header in headers] == [0, 1, 2, 3]
        assert {header.partition_leader_epoch for header in headers} == {0}


def test_after_kill_9_every_partition_holds_n_of_n_without_duplicates(broker: BrokerProcess, topic_name: str) -> None:
    """Rule 25: all that was acknowledged before the kill is there once, in its partition, at its offset."""
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name, 4)
    acknowledged = [
        send_all(broker.bootstrap, topic_name, numbered(2_500, f"p{index}"), partition=index) for index in range(4)
    ]
    broker.restart(kill=True)
    for index, offsets in enumerate(acknowledged):
        messages = read_partition(broker.bootstrap, topic_name, index)
        assert values_read(messages) == Counter(offsets.keys())
        assert {message.value(): message.offset() for message in messages} == offsets


@pytest.mark.parametrize("time_type", ["CreateTime", "LogAppendTime"])
@pytest.mark.parametrize("codec", list(Codec))
def test_stored_bytes_are_sent_bytes_and_pass_an_independent_crc_check(
    shared_broker: BrokerProcess, topic_name: str, codec: Codec, time_type: str
) -> None:
    """Rules 27 and 28: only base offset and epoch change; with LogAppendTime also attributes, time and CRC."""
    sent = build_batch([Record(b"k", b"v" * 100, [("h", b"x")], NOW_MS - 5_000)] * 10, codec=codec)
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, message_timestamp_type=time_type)
        wire.append(topic_name, b"first")
        assert wire.produce(topic_name, sent).base_offset == 1
        fetched = bytes(wire.fetch(topic_name, 1).records or b"")
    on_disk = (shared_broker.data / f"{topic_name}-0" / f"{0:020}.log").read_bytes()
    assert on_disk.endswith(fetched)
    assert crc_is_right(fetched, 0, len(fetched))
    if time_type == "CreateTime":
        expected = bytearray(sent)
        stamp(expected, 0, 1, 0)
        assert fetched == bytes(expected)
    else:
        header = read_header(fetched)
        assert header.is_log_append_time
        assert abs(header.max_timestamp - time.time_ns() // 1_000_000) < 600_000
        assert fetched[HEADER_BYTES:] == sent[HEADER_BYTES:]
        changed = {"base_offset", "partition_leader_epoch", "attributes", "max_timestamp", "crc"}
        kept = [name for name in header._fields if name not in changed]
        assert [getattr(header, name) for name in kept] == [getattr(read_header(sent), name) for name in kept]
    by_librdkafka = read_partition(shared_broker.bootstrap, topic_name)
    assert [message.value() for message in by_librdkafka] == [b"first", *[b"v" * 100] * 10]
    if codec in KAFKA_PYTHON_CODECS:
        by_kafka_python = read_with_kafka_python(shared_broker.bootstrap, topic_name, 11)
        assert [value for _, value in by_kafka_python] == [b"first", *[b"v" * 100] * 10]


def test_an_empty_fetch_can_be_decoded(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 29: librdkafka and kafka-python read an empty partition to its end and go on from there."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        assert read_partition(shared_broker.bootstrap, topic_name) == []
        consumer = KafkaConsumer(bootstrap_servers=shared_broker.bootstrap, fetch_max_wait_ms=50)
        consumer.assign([TopicPartition(topic_name, 0)])
        consumer.seek(TopicPartition(topic_name, 0), 0)
        assert consumer.poll(timeout_ms=300) == {}
        wire.append(topic_name, b"the first")
        deadline = time.monotonic() + 60
        while not (found := consumer.poll(timeout_ms=500)):
            assert time.monotonic() < deadline
        assert [record.value for records in found.values() for record in records] == [b"the first"]
        consumer.close()


def test_an_idle_partition_does_not_delay_a_full_one(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 30: data within 50 ms when any requested partition has data, there already or just written."""
    with Wire(shared_broker.bootstrap) as wire, Wire(shared_broker.bootstrap) as writer:
        wire.create_topic(topic_name, 30)
        parts = [FetchPartition(index, -1, 0, partition_max_bytes=MEBIBYTE) for index in range(30)]
        request = FetchRequest(
            max_wait_ms=10_000, min_bytes=1, session_epoch=-1, topics=[FetchTopic(topic_name, partitions=parts)]
        )

        def newly_written() -> float:
            asked = wire.send(ApiKey.FETCH, 12, request)
            offset = writer.append(topic_name, b"new", partition=29)
            started = time.monotonic()
            answered, response = wire.receive()
            elapsed = time.monotonic() - started
            assert answered == asked
            assert response.responses[0].partitions[29].records
            parts[29].fetch_offset = offset + 1
            return elapsed

        def already_there() -> float:
            parts[29].fetch_offset = 0
            started = time.monotonic()
            response = wire.call(ApiKey.FETCH, 12, request)
            assert response.responses[0].partitions[29].records
            return time.monotonic() - started

        # One of several is enough: a delay of the broker's own would be in all of them, one of the machine's is not.
        assert any(newly_written() < DATA_SECONDS_MAX for _ in range(TRIES))
        assert any(already_there() < DATA_SECONDS_MAX for _ in range(TRIES))


def test_below_the_high_watermark_a_fetch_gives_bytes_or_an_error(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 31: a batch that went bad on the disk is CORRUPT_MESSAGE, never an empty success; others stay readable."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        for index in range(10):
            wire.append(topic_name, b"%d" % index * 100)
        size = len(batch_of(b"0" * 100))
        with (shared_broker.data / f"{topic_name}-0" / f"{0:020}.log").open("r+b") as log:
            log.seek(4 * size + 80)
            log.write(b"\xff")
        for offset in range(10):
            data = wire.fetch(topic_name, offset, partition_max_bytes=size)
            assert data.high_watermark == 10
            if offset == 4:
                assert data.error_code == ErrorCode.CORRUPT_MESSAGE
                assert not data.records
            else:
                assert data.error_code == ErrorCode.NONE
                assert values_of(stored_records(data.records)) == [b"%d" % offset * 100]
        assert [record.offset for record in stored_records(wire.fetch(topic_name, 0).records)] == [0, 1, 2, 3]


def test_a_fetch_outside_the_log_is_out_of_range_at_once(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 32: OFFSET_OUT_OF_RANGE below the start and beyond the end, without waiting; the end itself waits."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        wire.append(topic_name, *numbered(20))
        wire.delete_records(topic_name, 5)
        for offset in (-5, 0, 4, 21, 10**12):
            started = time.monotonic()
            data = wire.fetch(topic_name, offset, max_wait_ms=2 * AT_ONCE_SECONDS_MAX * 1000)
            assert data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE
            assert time.monotonic() - started < AT_ONCE_SECONDS_MAX
        for offset in (5, 19, 20):
            assert wire.fetch(topic_name, offset).error_code == ErrorCode.NONE


def test_the_cost_of_a_fetch_does_not_depend_on_the_size_of_the_log(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 33: old, middle and new offsets of a 48 MB log each cost a few kilobytes read, as in a log of one batch."""
    rounds = 20

    def cost(wire: Wire, topic: str, offset: int) -> float:
        """Bytes per fetch by read calls and by touching pages of mapped files, where the broker did nothing besides."""
        return min(cost_once(wire, topic, offset) for _ in range(3))

    def cost_once(wire: Wire, topic: str, offset: int) -> float:
        wire.fetch(topic, offset, partition_max_bytes=1)
        before, faults = bytes_read(shared_broker.pid), page_faults(shared_broker.pid)
        for _ in range(rounds):
            data = wire.fetch(topic, offset, partition_max_bytes=1)
            assert stored_records(data.records)[-1].offset >= offset
        read, touched = bytes_read(shared_broker.pid) - before, page_faults(shared_broker.pid) - faults
        return (read + touched * 4096) / rounds

    with Wire(shared_broker.bootstrap) as wire:
        small, big = f"{topic_name}-small", f"{topic_name}-big"
        wire.create_topic(small)
        wire.create_topic(big, segment_bytes=16 * MEBIBYTE)
        wire.append(small, b"x" * 1_000)
        send_all(shared_broker.bootstrap, big, numbered(48_000, pad_bytes=1_000), batch_num_messages=10)
        end = wire.end_offset(big)
        assert end == 48_000
        base = cost(wire, small, 0)
        for offset in (0, 1, end // 3, end // 2, end - 20, end - 1):
            # One batch, one index interval of headers, and room for what the kernel counts beside it.
            assert cost(wire, big, offset) < base + 64 * 1024


def test_responses_stay_within_max_bytes_except_that_the_first_batch_comes_whole(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 34: neither the bound of a partition nor that of the whole answer is passed, and progress is made."""
    batch_bytes = len(batch_of(b"x" * 1_000))
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, 3)
        for index in range(3):
            for _ in range(30):
                wire.append(topic_name, b"x" * 1_000, partition=index)
        for most in (0, 1, batch_bytes - 1, batch_bytes, 2 * batch_bytes - 1, 5 * batch_bytes + 7, 10**6):
            data = wire.fetch(topic_name, 0, partition_max_bytes=most)
            assert len(data.records or b"") == batch_bytes * min(30, max(1, most // batch_bytes))
        parts = [FetchPartition(index, -1, 0, partition_max_bytes=8 * batch_bytes) for index in range(3)]
        for most in (1, batch_bytes, 10 * batch_bytes, 100 * batch_bytes):
            request = FetchRequest(
                max_bytes=most, min_bytes=1, session_epoch=-1, topics=[FetchTopic(topic_name, partitions=parts)]
            )
            answered = wire.call(ApiKey.FETCH, 12, request).responses[0].partitions
            sizes = [len(part.records or b"") // batch_bytes for part in answered]
            assert sizes == {1: [1, 0, 0], 1 * batch_bytes: [1, 0, 0], 10 * batch_bytes: [8, 2, 0]}.get(most, [8, 8, 8])


def test_every_offset_is_reachable_from_every_starting_point(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 35: a fetch from inside a batch gives that batch whole and everything behind it, compressed or not."""
    dice = random.Random(35)
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        end = 0
        while end < 60:
            count = dice.choice([1, 2, 7, 15])
            records = [Record(None, b"%d" % (end + delta), timestamp=NOW_MS) for delta in range(count)]
            wire.produce(topic_name, build_batch(records, codec=dice.choice(list(Codec))))
            end += count
        for start in range(end):
            found = wire.read_all(topic_name, offset=start)
            assert [(record.offset, record.value) for record in found] == [(at, b"%d" % at) for at in range(start, end)]
    middle = read_partition(shared_broker.bootstrap, topic_name, offset=31)
    assert [message.offset() for message in middle] == list(range(31, end))


def test_min_bytes_waits_for_enough_and_max_wait_ends_the_wait(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 30: a fetch that asks for more than there is comes back with what there is when its time is over."""
    with Wire(shared_broker.bootstrap) as wire, Wire(shared_broker.bootstrap) as writer:
        wire.create_topic(topic_name)
        size = len(batch_of(b"12345"))
        writer.append(topic_name, b"12345")
        started = time.monotonic()
        data = wire.fetch(topic_name, 0, max_wait_ms=300, min_bytes=10 * size)
        assert time.monotonic() - started >= 0.29
        assert values_of(stored_records(data.records)) == [b"12345"]
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(
                wire.call, ApiKey.FETCH, 12, fetch_request(topic_name, 0, max_wait_ms=45_000, min_bytes=3 * size)
            )
            writer.append(topic_name, b"12345")
            writer.append(topic_name, b"12345")
            enough = waiting.result(30).responses[0].partitions[0]
        assert len(stored_records(enough.records)) == 3
