"""What producers may send, and what each thing that they may not send is answered with."""

from struct import pack_into

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kafka.record.legacy_records import LegacyRecordBatchBuilder

from chronik.model.errors import ErrorCode
from chronik.records.batch import CRC, CRC_POSITION, BatchHeader, crc_is_right, crc_of, read_header
from chronik.records.build import Record, build_batch
from chronik.records.codecs import Codec
from chronik.records.iterate import records_of
from chronik.records.validation import (
    BatchRejection,
    ProduceRules,
    check_keyed,
    check_produced,
    null_key_in,
    restamp_append_time,
)

unhurried = settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
NOW = 1_700_000_000_000
RULES = ProduceRules()
RECORDS = [Record(b"k", b"v", (), NOW), Record(b"l", b"w", (), NOW + 1)]


def verdict(batch: bytes, rules: ProduceRules = RULES, now_ms: int = NOW) -> BatchHeader | ErrorCode:
    outcome = check_produced(memoryview(batch), rules, now_ms)
    if isinstance(outcome, BatchRejection):
        assert outcome.message
        return outcome.error
    return outcome


def changed(batch: bytes, layout: str, position: int, value: int) -> bytes:
    """A batch with one field changed and its CRC right again."""
    altered = bytearray(batch)
    pack_into(layout, altered, position, value)
    CRC.pack_into(altered, CRC_POSITION, crc_of(altered, 0, len(altered)))
    return bytes(altered)


@pytest.mark.parametrize("codec", list(Codec))
def test_a_sound_batch_is_taken_with_every_codec(codec: Codec) -> None:
    batch = build_batch(RECORDS, codec=codec, base_offset=77, producer_id=5, producer_epoch=1, base_sequence=0)
    assert verdict(batch) == read_header(batch)


@pytest.mark.parametrize("magic", [0, 1])
def test_message_formats_0_and_1_are_refused_by_name(magic: int) -> None:
    builder = LegacyRecordBatchBuilder(magic=magic, compression_type=0, batch_size=9999)
    builder.append(0, timestamp=NOW, key=b"k", value=b"v" * 100)
    outcome = check_produced(memoryview(bytes(builder.build())), RULES, NOW)
    assert outcome == BatchRejection(
        ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        f"messages of format {magic} are not supported; send record batches (format 2)",
    )


def test_a_short_old_message_is_refused_by_name_too() -> None:
    builder = LegacyRecordBatchBuilder(magic=0, compression_type=0, batch_size=9999)
    builder.append(0, timestamp=None, key=None, value=b"")
    assert verdict(bytes(builder.build())) == ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT


def test_a_wrong_crc_is_corrupt() -> None:
    batch = bytearray(build_batch(RECORDS))
    batch[-1] ^= 1
    assert verdict(bytes(batch)) == ErrorCode.CORRUPT_MESSAGE


def test_nothing_at_all_and_two_batches_are_invalid() -> None:
    assert verdict(b"") == ErrorCode.INVALID_RECORD
    assert verdict(build_batch(RECORDS) * 2) == ErrorCode.INVALID_RECORD


def test_a_cut_batch_is_corrupt_wherever_it_is_cut() -> None:
    batch = build_batch(RECORDS)
    assert {verdict(batch[:size]) for size in range(17, len(batch))} == {ErrorCode.CORRUPT_MESSAGE}


def test_unknown_magic_is_corrupt() -> None:
    assert verdict(changed(build_batch(RECORDS), ">b", 16, 3)) == ErrorCode.CORRUPT_MESSAGE


def test_the_size_limit_is_inclusive() -> None:
    batch = build_batch(RECORDS)
    assert verdict(batch, ProduceRules(max_message_bytes=len(batch))) == read_header(batch)
    assert verdict(batch, ProduceRules(max_message_bytes=len(batch) - 1)) == ErrorCode.MESSAGE_TOO_LARGE


@pytest.mark.parametrize(
    ("layout", "position", "value"),
    [(">i", 57, 0), (">i", 57, -1), (">i", 57, 1), (">i", 57, 3), (">i", 23, 0), (">i", 23, -1), (">i", 23, 2**31 - 1)],
)
def test_count_and_last_offset_delta_must_agree(layout: str, position: int, value: int) -> None:
    assert verdict(changed(build_batch(RECORDS), layout, position, value)) == ErrorCode.INVALID_RECORD


def test_more_records_than_the_bytes_can_hold_are_invalid() -> None:
    batch = changed(changed(build_batch(RECORDS), ">i", 57, 1000), ">i", 23, 999)
    assert verdict(batch) == ErrorCode.INVALID_RECORD


def test_a_producer_without_a_sequence_is_invalid() -> None:
    assert verdict(build_batch(RECORDS, producer_id=5, producer_epoch=0)) == ErrorCode.INVALID_RECORD


@pytest.mark.parametrize(
    ("bit", "error"),
    [
        (0x08, ErrorCode.INVALID_TIMESTAMP),
        (0x10, ErrorCode.INVALID_RECORD),
        (0x20, ErrorCode.INVALID_RECORD),
        (0x40, ErrorCode.INVALID_RECORD),
    ],
)
def test_what_only_brokers_may_write_is_refused(bit: int, error: ErrorCode) -> None:
    assert verdict(changed(build_batch(RECORDS), ">h", 21, bit)) == error


@pytest.mark.parametrize("codec", [5, 6, 7])
def test_unknown_codecs_are_refused(codec: int) -> None:
    assert verdict(changed(build_batch(RECORDS), ">h", 21, codec)) == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE


def test_zstd_from_an_old_request_is_refused() -> None:
    batch = build_batch(RECORDS, codec=Codec.ZSTD)
    assert verdict(batch, ProduceRules(zstd_allowed=False)) == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE


def test_timestamps_are_bounded_on_both_sides_inclusively() -> None:
    batch = build_batch(RECORDS)
    rules = ProduceRules(timestamp_before_max_ms=1000, timestamp_after_max_ms=500)
    assert verdict(batch, rules, NOW + 1000) == read_header(batch)
    assert verdict(batch, rules, NOW + 1001) == ErrorCode.INVALID_TIMESTAMP
    assert verdict(batch, rules, NOW + 1 - 500) == read_header(batch)
    assert verdict(batch, rules, NOW - 500) == ErrorCode.INVALID_TIMESTAMP


def test_records_without_a_time_are_not_old() -> None:
    batch = build_batch([Record(b"k", b"v")])
    assert verdict(batch, ProduceRules(timestamp_before_max_ms=1)) == read_header(batch)


def test_with_append_time_the_clients_time_does_not_matter() -> None:
    batch = build_batch(RECORDS)
    assert verdict(batch, ProduceRules(log_append_time=True), NOW - 10**9) == read_header(batch)


@unhurried
@given(st.binary(max_size=200))
def test_any_bytes_get_a_verdict(junk: bytes) -> None:
    assert isinstance(verdict(junk), ErrorCode)
    batch = bytearray(build_batch(RECORDS))
    batch[: len(junk)] = junk[: len(batch)]
    assert verdict(bytes(batch)) is not None


def test_restamping_gives_every_record_the_brokers_time_and_a_right_crc() -> None:
    batch = bytearray(build_batch(RECORDS))
    header = restamp_append_time(memoryview(batch), 42)
    assert header == read_header(batch)
    assert (header.is_log_append_time, header.max_timestamp, header.base_timestamp) == (True, 42, NOW)
    assert crc_is_right(batch, 0, len(batch))
    assert [(r.timestamp, r.key) for r in records_of(bytes(batch))] == [(42, b"k"), (42, b"l")]


@pytest.mark.parametrize("codec", list(Codec))
def test_a_missing_key_is_found_anywhere_and_an_empty_one_is_a_key(codec: Codec) -> None:
    keyed = [Record(b"", b"v"), Record(b"k", None)]
    assert not null_key_in(build_batch(keyed, codec=codec))
    assert null_key_in(build_batch([*keyed, Record(None, b"v")], codec=codec))
    assert check_keyed(build_batch(keyed, codec=codec)) is None
    refusal = check_keyed(build_batch([Record(None, b"v"), *keyed], codec=codec))
    assert refusal is not None
    assert refusal.error == ErrorCode.INVALID_RECORD


def test_records_that_cannot_be_read_are_corrupt_for_a_compacted_topic() -> None:
    batch = changed(build_batch(RECORDS), ">B", 61, 0xFE)
    refusal = check_keyed(batch)
    assert refusal is not None
    assert refusal.error == ErrorCode.CORRUPT_MESSAGE
