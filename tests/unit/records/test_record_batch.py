"""Batches of ours against those of kafka-python and aiokafka, both ways and byte by byte."""

from collections.abc import Callable
from typing import Any

import pytest
from aiokafka.record.default_records import DefaultRecordBatch as AiokafkaBatch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kafka.record.default_records import DefaultRecordBatch as KafkaPythonBatch
from kafka.record.default_records import DefaultRecordBatchBuilder

from chronik.records.batch import (
    HEADER_BYTES,
    SEQUENCE_MAX,
    CorruptBatch,
    crc_is_right,
    read_header,
    sequence_after,
    stamp,
    walk,
)
from chronik.records.build import Record, append_fields, batch_from, build_batch, build_keyed_batch
from chronik.records.codecs import Codec
from chronik.records.iterate import CorruptRecordsError, StoredRecord, records_of
from chronik.records.varint import append_varint, read_varint, varint_bytes

unhurried = settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
nullable_bytes = st.none() | st.binary(max_size=200)
headers = st.lists(st.tuples(st.text(max_size=20), nullable_bytes), max_size=3)
times = st.integers(min_value=1, max_value=2**41)
one_record = st.builds(Record, nullable_bytes, nullable_bytes, headers, times, st.none())
records = st.lists(one_record, min_size=1, max_size=20)


def kafka_python_bytes(given_records: list[Record], **producer: int) -> bytes:
    ids = {"producer_id": -1, "producer_epoch": -1, "base_sequence": -1} | producer
    builder = DefaultRecordBatchBuilder(magic=2, compression_type=0, is_transactional=0, batch_size=1 << 30, **ids)
    for index, record in enumerate(given_records):
        builder.append(index, record.timestamp, record.key, record.value, list(record.headers))
    return bytes(builder.build())


def seen_by(reader: Callable[[bytes], Any], batch: bytes) -> list[StoredRecord]:
    judged = reader(batch)
    assert judged.validate_crc()
    return [StoredRecord(r.offset, r.timestamp, r.key, r.value, tuple(r.headers)) for r in judged]


@unhurried
@given(records, st.integers(0, 2**40), st.integers(0, 2**15 - 1), st.integers(0, SEQUENCE_MAX))
def test_a_built_batch_is_byte_for_byte_that_of_kafka_python(
    given_records: list[Record], producer_id: int, epoch: int, sequence: int
) -> None:
    ids = {"producer_id": producer_id, "producer_epoch": epoch, "base_sequence": sequence}
    assert build_batch(given_records, leader_epoch=0, **ids) == kafka_python_bytes(given_records, **ids)


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.LZ4])
@unhurried
@given(records, st.integers(0, 2**60))
def test_kafka_python_reads_what_was_built(codec: Codec, given_records: list[Record], base_offset: int) -> None:
    batch = build_batch(given_records, codec=codec, base_offset=base_offset)
    assert seen_by(KafkaPythonBatch, batch) == list(records_of(batch)) == expected(given_records, base_offset)


@pytest.mark.parametrize("codec", list(Codec))
@unhurried
@given(records, st.integers(0, 2**60))
def test_aiokafka_reads_what_was_built(codec: Codec, given_records: list[Record], base_offset: int) -> None:
    batch = build_batch(given_records, codec=codec, base_offset=base_offset)
    assert seen_by(AiokafkaBatch, batch) == list(records_of(batch)) == expected(given_records, base_offset)


def expected(given_records: list[Record], base_offset: int) -> list[StoredRecord]:
    return [
        StoredRecord(base_offset + index, r.timestamp, r.key, r.value, tuple(r.headers))
        for index, r in enumerate(given_records)
    ]


def test_null_and_empty_stay_different() -> None:
    given_records = [Record(None, b""), Record(b"", None), Record(b"k", b"v", [("", None), ("h", b"")])]
    assert [(r.key, r.value, r.headers) for r in records_of(build_batch(given_records))] == [
        (None, b"", ()),
        (b"", None, ()),
        (b"k", b"v", (("", None), ("h", b""))),
    ]


@pytest.mark.parametrize("size", [0, 1, 63, 64, 8_191, 8_192, 1_048_575, 1_048_576])
def test_lengths_on_both_sides_of_each_varint_size_are_read_back(size: int) -> None:
    record = Record(b"k" * size, b"v" * size, [("h", b"w" * size)], timestamp=7)
    batch = build_batch([record])
    assert list(records_of(batch)) == seen_by(AiokafkaBatch, batch) == expected([record], 0)


@unhurried
@given(st.integers(-(2**63), 2**63 - 1))
def test_a_number_is_read_back_and_takes_as_many_bytes_as_said(value: int) -> None:
    output = bytearray(b"x")
    append_varint(output, value)
    assert read_varint(bytes(output), 1) == (value, len(output))
    assert varint_bytes(value) == len(output) - 1


def test_an_endless_number_is_no_number() -> None:
    with pytest.raises(ValueError, match="longer than 10 bytes"):
        read_varint(b"\x80" * 20, 0)


def test_stamping_changes_only_offset_and_epoch_and_leaves_the_crc_right() -> None:
    batch = bytearray(b"pre" + build_batch([Record(b"k", b"v", (), 5)]))
    before = read_header(batch, 3)
    stamp(batch, 3, 123456789012, 7)
    after = read_header(batch, 3)
    assert after == before._replace(base_offset=123456789012, partition_leader_epoch=7)
    assert crc_is_right(batch, 3, after.size_bytes)


@unhurried
@given(st.integers(17, 100), st.integers(0, 7))
def test_any_flipped_bit_behind_the_magic_is_found(position: int, bit: int) -> None:
    batch = bytearray(build_batch([Record(b"key", b"value" * 6, (), 5)]))
    assert len(batch) > 100
    batch[position] ^= 1 << bit
    assert not crc_is_right(batch, 0, len(batch))


def test_a_batch_that_is_not_whole_has_no_right_crc() -> None:
    batch = build_batch([Record(b"k", b"v")])
    assert not crc_is_right(batch[:-1], 0, len(batch))
    assert not crc_is_right(batch, 0, HEADER_BYTES - 1)
    assert not crc_is_right(batch[:10], 0, len(batch))


@unhurried
@given(st.integers(0, 200))
def test_walking_gives_whole_batches_and_stops_before_a_torn_tail(cut: int) -> None:
    batches = [build_batch([Record(b"k", b"v" * n)], base_offset=n) for n in range(4)]
    whole = b"".join(batches)
    torn = whole[: len(whole) - cut]
    ends = [sum(map(len, batches[: n + 1])) for n in range(4)]
    assert [position + header.size_bytes for position, header in walk(torn)] == [e for e in ends if e <= len(torn)]
    assert [header.base_offset for _, header in walk(whole)] == [0, 1, 2, 3]


@pytest.mark.parametrize("length", [-1, 0, 48, -(2**31)])
def test_walking_refuses_a_length_that_no_batch_has(length: int) -> None:
    good = build_batch([Record(b"k", b"v")])
    bad = bytearray(good + good)
    bad[len(good) + 8 : len(good) + 12] = length.to_bytes(4, "big", signed=True)
    with pytest.raises(CorruptBatch) as caught:
        list(walk(bytes(bad)))
    assert caught.value.position == len(good)


def test_sequences_wrap_after_the_largest() -> None:
    assert sequence_after(SEQUENCE_MAX, 1) == 0
    assert sequence_after(SEQUENCE_MAX - 1, 3) == 1
    assert sequence_after(-1, 5) == -1
    batch = build_batch([Record(b"k", b"v")] * 3, producer_id=1, producer_epoch=0, base_sequence=SEQUENCE_MAX)
    assert read_header(batch).last_sequence == 1 == KafkaPythonBatch(batch).last_sequence


def test_append_time_takes_the_place_of_the_records_own() -> None:
    batch = build_batch([Record(b"k", b"v", (), 5), Record(b"k", b"v", (), 6)], append_time_ms=99)
    assert [r.timestamp for r in records_of(batch)] == [99, 99] == [r.timestamp for r in AiokafkaBatch(batch)]


@unhurried
@given(st.integers(HEADER_BYTES, 140), st.integers(0, 255))
def test_records_that_do_not_add_up_raise_one_kind_of_error(position: int, byte: int) -> None:
    batch = bytearray(build_batch([Record(b"key", b"value", [("h", b"x")], 5)] * 5))
    batch[min(position, len(batch) - 1)] = byte
    try:
        list(records_of(bytes(batch)))
    except CorruptRecordsError:
        pass


@pytest.mark.parametrize("count", [1, 3, 2**31 - 1])
def test_a_count_other_than_the_records_there_is_an_error(count: int) -> None:
    batch = bytearray(build_batch([Record(b"key", b"value")] * 2))
    batch[57:61] = count.to_bytes(4, "big")
    with pytest.raises(CorruptRecordsError):
        list(records_of(bytes(batch)))


@pytest.mark.parametrize(
    "fields", [b"\x01\x01\x02\x02h\x01\x00", b"\x01\x01\x00\x00", b"\x01\x01\x02\x01\x01", b"\x01\x01\x04\x02h\x01"]
)
def test_headers_must_fill_the_rest_of_their_record(fields: bytes) -> None:
    body = bytearray()
    append_fields(body, fields, 0, 0)
    header = read_header(build_batch([Record(b"k", b"v")]))
    with pytest.raises(CorruptRecordsError, match="headers"):
        list(records_of(batch_from(header, body)))


@pytest.mark.parametrize("size", [0, 1, 63, 64, 8_191, 8_192, 20_000])
def test_keyed_batch_is_the_batch_that_its_records_make(size: int) -> None:
    pairs = [(b"k" * size, b"v" * (size + 1)), (b"", None), (b"key", b"")] + [(b"more", b"of them")] * 70
    records = [Record(key, value, (), 1_700_000_000_000) for key, value in pairs]
    assert bytes(build_keyed_batch(pairs, 1_700_000_000_000)) == build_batch(records)
