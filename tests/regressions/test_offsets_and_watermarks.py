"""Offsets and watermarks: every acknowledged record has one place, and readers see what is committed."""

import sqlite3
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from kafka import KafkaConsumer, TopicPartition  # type: ignore[import-untyped]

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.metadata import MetadataRequest, MetadataRequestTopic
from chronik.records.batch import walk
from chronik.records.build import Record, build_batch
from tests.brokers import BrokerProcess
from tests.regressions.librdkafka import numbered, read_partition, send_all, values_read
from tests.regressions.wire import Wire, batch_of, values_of

READABLE_SECONDS_MAX = 1.0
TRIES = 5
NOW_MS = time.time_ns() // 1_000_000


def metadata_revision(broker: BrokerProcess) -> int:
    with sqlite3.connect(f"file:{broker.data / 'metadata.db'}?mode=ro", uri=True) as database:
        revision: int = database.execute("SELECT revision FROM counters").fetchone()[0]
    return revision


def base_offsets_on_disk(partition_directory: Path) -> list[tuple[int, int]]:
    """First and next offset of every batch in the order of the files."""
    found = []
    for segment in sorted(partition_directory.glob("*.log")):
        found += [(header.base_offset, header.next_offset) for _, header in walk(segment.read_bytes())]
    return found


def test_acknowledged_ranges_of_a_partition_never_overlap_and_tile_the_log(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 1: ranges acknowledged to eight writers with many requests in flight tile [log start, log end)."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)

    def send(writer: int) -> dict[bytes, int]:
        values = numbered(1_000, f"writer-{writer}")
        return send_all(shared_broker.bootstrap, topic_name, values, linger_ms=0, batch_num_messages=7)

    with ThreadPoolExecutor(8) as writers:
        acknowledged = [pair for offsets in writers.map(send, range(8)) for pair in offsets.items()]
    assert sorted(offset for _, offset in acknowledged) == list(range(8_000))
    read = {message.offset(): message.value() for message in read_partition(shared_broker.bootstrap, topic_name)}
    assert read == {offset: value for value, offset in acknowledged}


def test_one_hundred_concurrent_first_writers_create_exactly_one_partition_state(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 2: one hundred writers who all ask for a topic that is not there write into one log."""
    together = threading.Barrier(100)

    def write_first(writer: int) -> int:
        with Wire(shared_broker.bootstrap) as wire:
            together.wait(60)
            request = MetadataRequest([MetadataRequestTopic(name=topic_name)], allow_auto_topic_creation=True)
            topic = wire.call(ApiKey.METADATA, 9, request).topics[0]
            assert topic.error_code == ErrorCode.NONE
            return wire.append(topic_name, f"first of {writer}".encode())

    with ThreadPoolExecutor(100) as writers:
        offsets = list(writers.map(write_first, range(100)))
    assert sorted(offsets) == list(range(100))
    with Wire(shared_broker.bootstrap) as wire:
        assert Counter(values_of(wire.read_all(topic_name))) == Counter(f"first of {i}".encode() for i in range(100))


def test_a_fetch_never_returns_a_record_at_or_above_the_high_watermark(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rules 3 and 4: log start <= high watermark <= log end, data stays below it, and no reader sees it fall."""
    with Wire(shared_broker.bootstrap) as setup:
        setup.create_topic(topic_name)
    written = threading.Event()

    def write() -> None:
        values = numbered(20_000, pad_bytes=100)
        send_all(shared_broker.bootstrap, topic_name, values, acks="1", linger_ms=0, batch_num_messages=50)
        written.set()

    def watch(_: int) -> int:
        seen, offset, is_last_round = 0, 0, False
        with Wire(shared_broker.bootstrap) as wire:
            while not is_last_round:
                is_last_round = written.is_set()
                data = wire.fetch(topic_name, offset, max_wait_ms=20)
                assert data.error_code == ErrorCode.NONE
                assert data.log_start_offset <= seen <= data.high_watermark
                assert data.last_stable_offset == data.high_watermark
                for _, header in walk(memoryview(data.records or b"")):
                    assert header.next_offset <= data.high_watermark
                    offset = header.next_offset
                seen = data.high_watermark
        return seen

    with ThreadPoolExecutor(4) as pool:
        watchers = [pool.submit(watch, number) for number in range(3)]
        pool.submit(write).result(100)
        assert [watcher.result(30) for watcher in watchers] == [20_000] * 3


def test_the_high_watermark_is_the_end_of_the_contiguous_committed_prefix(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 5: whatever the watermark covers can be read without a hole, refusals between writes included."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        damaged = bytearray(batch_of(b"damaged"))
        damaged[-1] ^= 1
        for index in range(20):
            wire.append(topic_name, b"one", b"two", b"three", acks=index % 2 or -1)
            assert wire.produce(topic_name, bytes(damaged)).error_code == ErrorCode.CORRUPT_MESSAGE
            high_watermark = wire.fetch(topic_name, 0).high_watermark
            assert high_watermark == 3 * (index + 1)
            assert [record.offset for record in wire.read_all(topic_name)] == list(range(high_watermark))


def test_base_offsets_on_disk_rise_without_gap_or_overlap(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 6: the order of the disk is the order of the offsets, over segments and concurrent writers."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, segment_bytes=1_048_576)

    def send(writer: int) -> None:
        send_all(shared_broker.bootstrap, topic_name, numbered(1_500, f"{writer}", 1_000), batch_num_messages=20)

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(send, range(4)))
    directory = shared_broker.data / f"{topic_name}-0"
    ranges = base_offsets_on_disk(directory)
    assert len(list(directory.glob("*.log"))) > 3
    assert [first for first, _ in ranges] == [0, *(end for _, end in ranges[:-1])]
    assert ranges[-1][1] == 6_000


@pytest.mark.parametrize("acks", [0, 1, -1])
def test_an_acknowledged_record_is_fetchable_within_a_second_for_every_acks(
    shared_broker: BrokerProcess, topic_name: str, acks: int
) -> None:
    """Rule 7: what is acknowledged (or sent, with acks=0) is readable at once, and others need not write first."""
    with Wire(shared_broker.bootstrap) as wire, Wire(shared_broker.bootstrap) as reader:
        wire.create_topic(topic_name, TRIES)

        def seconds_until_readable(partition: int) -> float:
            send_all(shared_broker.bootstrap, topic_name, [b"seen"], partition=partition, acks=acks, linger_ms=0)
            started = time.monotonic()
            data = reader.fetch(topic_name, 0, partition=partition, max_wait_ms=30_000)
            elapsed = time.monotonic() - started
            assert data.high_watermark == 1
            assert values_of(reader.read_all(topic_name, partition=partition)) == [b"seen"]
            return elapsed

        # One of several is enough: a delay of the broker's own would be in all of them, one of the machine's is not.
        assert any(seconds_until_readable(partition) < READABLE_SECONDS_MAX for partition in range(TRIES))


def test_list_offsets_latest_equals_the_high_watermark_that_fetch_reports(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 8: the end that ListOffsets tells and the watermark that Fetch tells have one source."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        assert wire.end_offset(topic_name) == wire.fetch(topic_name, 0).high_watermark == 0
        for round_number in range(1, 30):
            wire.append(topic_name, *[b"value"] * round_number)
            end = wire.end_offset(topic_name)
            assert end == wire.fetch(topic_name, end).high_watermark == sum(range(round_number + 1))


def test_metadata_writes_grow_with_partitions_and_not_with_produces(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 10: one hundred thousand messages write nothing to the metadata store; a topic does."""
    before_topic = metadata_revision(shared_broker)
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        before_messages = metadata_revision(shared_broker)
        assert before_messages > before_topic
        send_all(shared_broker.bootstrap, topic_name, numbered(100_000), batch_num_messages=1_000)
        assert wire.end_offset(topic_name) == 100_000
    assert metadata_revision(shared_broker) == before_messages


def test_log_start_is_monotonic_across_produces_deletions_and_restarts(broker: BrokerProcess, topic_name: str) -> None:
    """Rule 11: once raised, the log start never falls, whether the broker stops or is killed."""
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        wire.append(topic_name, *numbered(100))
        assert wire.delete_records(topic_name, 40).low_watermark == 40
        assert wire.delete_records(topic_name, 10).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
        wire.append(topic_name, b"later")
        assert wire.start_offset(topic_name) == 40
    # The kill comes first: a clean stop would write down what the deletion should have.
    for kill in (True, False):
        broker.restart(kill=kill)
        with Wire(broker.bootstrap) as wire:
            wire.append(topic_name, b"after a restart")
            assert wire.start_offset(topic_name) == wire.fetch(topic_name, 50).log_start_offset == 40
            assert wire.fetch(topic_name, 39).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
            assert wire.read_all(topic_name, offset=40)[0].offset == 40


def test_a_refused_produce_leaves_the_log_end_unchanged(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 12: no kind of refusal leaves a hole, also between good batches of one request's connection."""
    good = batch_of(b"good")
    flipped = bytearray(good)
    flipped[-1] ^= 0xFF
    old_format = bytearray(good)
    old_format[16] = 1
    refused = {
        bytes(flipped): ErrorCode.CORRUPT_MESSAGE,
        bytes(old_format): ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        batch_of(b"x" * 2_000): ErrorCode.MESSAGE_TOO_LARGE,
        build_batch([Record(None, b"c", timestamp=NOW_MS)], is_control=True): ErrorCode.INVALID_RECORD,
        build_batch([Record(None, b"t", timestamp=NOW_MS)], is_transactional=True): ErrorCode.INVALID_RECORD,
        batch_of(b"late", producer_id=77, base_sequence=9): ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
    }
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, max_message_bytes=1_000)
        wire.produce(topic_name, batch_of(b"known", producer_id=77, base_sequence=0))
        for number, (batch, error) in enumerate(refused.items(), 1):
            answer = wire.produce(topic_name, batch)
            assert (answer.error_code, answer.base_offset) == (error, -1)
            assert wire.end_offset(topic_name) == number
            assert wire.append(topic_name, b"good") == number
        assert [record.offset for record in wire.read_all(topic_name)] == list(range(len(refused) + 1))


def test_offsets_for_times_gives_the_first_offset_at_or_after_a_time_or_none(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 13: the first offset with timestamp >= t, inside a batch too, or -1; judged through kafka-python as well."""
    times = [1_000 + 10 * index for index in range(300)]
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, retention_ms=-1, segment_bytes=1_048_576, index_interval_bytes=512)
        for first in range(0, 300, 30):
            records = [Record(None, b"v" * 10_000, timestamp=at) for at in times[first : first + 30]]
            assert wire.produce(topic_name, build_batch(records)).base_offset == first
        for asked in [0, 999, *range(1_000, 3_991, 7), 3_990]:
            expected = next(index for index, at in enumerate(times) if at >= asked)
            found = wire.list_offset(topic_name, asked)
            assert (found.offset, found.timestamp) == (expected, times[expected]), asked
        assert wire.list_offset(topic_name, 3_991).offset == -1
    consumer = KafkaConsumer(bootstrap_servers=shared_broker.bootstrap)
    try:
        place = TopicPartition(topic_name, 0)
        assert consumer.offsets_for_times({place: 2_345})[place].offset == 135
        assert consumer.offsets_for_times({place: 99_999})[place] is None
    finally:
        consumer.close()


def test_every_value_sent_is_read_once(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 26: what is read is compared as a multiset of ids, so that one twice and one missing is not 'equal'."""
    values = numbered(5_000)
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
    send_all(shared_broker.bootstrap, topic_name, values, linger_ms=1, batch_num_messages=100)
    assert values_read(read_partition(shared_broker.bootstrap, topic_name)) == Counter(values)
