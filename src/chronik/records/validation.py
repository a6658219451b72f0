"""The checks of produced batches, by header and CRC.

Records are decoded only for compacted topics, which cannot have records without a key.
"""

from dataclasses import dataclass
from struct import Struct
from typing import Final

from crc32c import crc32c

from chronik.model.errors import ErrorCode
from chronik.records.batch import (
    BATCH_LENGTH_MIN,
    CODEC_MASK,
    CONTROL_BIT,
    CRC,
    CRC_POSITION,
    CRC_START,
    CURRENT_MAGIC,
    DELETE_HORIZON_BIT,
    HEADER,
    HEADER_BYTES,
    LOG_APPEND_TIME_BIT,
    LOG_OVERHEAD_BYTES,
    MAGIC_POSITION,
    TRANSACTIONAL_BIT,
    BatchHeader,
    Buffer,
    crc_of,
    read_header,
)
from chronik.records.codecs import Codec
from chronik.records.iterate import DECOMPRESSED_BYTES_MAX, body_of, spans_of

RECORD_BYTES_MIN: Final = 7
"""The smallest record: one byte each for its length, five fields and its count of headers."""

_NEVER_FROM_CLIENTS: Final = LOG_APPEND_TIME_BIT | TRANSACTIONAL_BIT | CONTROL_BIT | DELETE_HORIZON_BIT
_NO_TIMESTAMP: Final = -1
_UNBOUNDED_MS: Final = 2**63 - 1
_HOUR_MS: Final = 3_600_000

_ATTRIBUTES: Final = Struct(">h")
_ATTRIBUTES_POSITION: Final = 21
_MAX_TIMESTAMP: Final = Struct(">q")
_MAX_TIMESTAMP_POSITION: Final = 35


@dataclass(frozen=True, slots=True)
class ProduceRules:
    """What a topic and the version of a request allow."""

    max_message_bytes: int = 1_048_588
    log_append_time: bool = False
    timestamp_before_max_ms: int = _UNBOUNDED_MS
    timestamp_after_max_ms: int = _HOUR_MS
    zstd_allowed: bool = True
    """False below version 7 of Produce, whose clients do not know zstd."""


@dataclass(frozen=True, slots=True)
class BatchRejection:
    """Why a batch was rejected."""

    error: ErrorCode
    message: str


def check_produced(records: memoryview, rules: ProduceRules, now_ms: int) -> BatchHeader | BatchRejection:
    """Check that the view is exactly one sound batch; return its header, or the rejection."""
    size = len(records)
    if size < HEADER_BYTES or records[MAGIC_POSITION] != CURRENT_MAGIC:
        return _not_a_batch(records)
    header = BatchHeader._make(HEADER.unpack_from(records))
    (_, length, _, _, crc, attributes, last_delta, base_time, max_time, producer_id, _, sequence, count) = header
    if length + LOG_OVERHEAD_BYTES != size:
        return _wrong_length(header, size)
    if size > rules.max_message_bytes:
        return _too_large(size, rules)
    if crc32c(records[CRC_START:]) != crc:
        return BatchRejection(ErrorCode.CORRUPT_MESSAGE, "the CRC of the batch does not match its bytes")
    if count <= 0 or last_delta + 1 != count or (producer_id >= 0 and sequence < 0):
        return _badly_counted(header)
    if attributes & _NEVER_FROM_CLIENTS:
        return _forbidden(attributes)
    codec = attributes & CODEC_MASK
    if codec == Codec.NONE:
        if count * RECORD_BYTES_MIN > size - HEADER_BYTES:
            return _badly_counted(header)
    elif codec > Codec.ZSTD or (codec == Codec.ZSTD and not rules.zstd_allowed):
        return _unsupported_codec(codec)
    if not rules.log_append_time and (
        max_time - now_ms > rules.timestamp_after_max_ms
        or (now_ms - base_time > rules.timestamp_before_max_ms and base_time != _NO_TIMESTAMP)
    ):
        return _outside_time(header, rules, now_ms)
    return header


def _not_a_batch(records: memoryview) -> BatchRejection:
    if len(records) > MAGIC_POSITION and records[MAGIC_POSITION] < CURRENT_MAGIC:
        return BatchRejection(
            ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
            f"messages of format {records[MAGIC_POSITION]} are not supported; send record batches (format 2)",
        )
    if len(records) == 0:
        return BatchRejection(ErrorCode.INVALID_RECORD, "the request holds no record batch for this partition")
    if len(records) < HEADER_BYTES:
        return BatchRejection(
            ErrorCode.CORRUPT_MESSAGE, f"{len(records)} bytes are too few for a batch's {HEADER_BYTES}"
        )
    return BatchRejection(ErrorCode.CORRUPT_MESSAGE, f"there is no batch format {records[MAGIC_POSITION]}")


def _wrong_length(header: BatchHeader, size: int) -> BatchRejection:
    if BATCH_LENGTH_MIN <= header.batch_length < size - LOG_OVERHEAD_BYTES:
        return BatchRejection(
            ErrorCode.INVALID_RECORD,
            f"exactly one record batch is allowed for a partition; {size - header.size_bytes} bytes follow the first",
        )
    return BatchRejection(
        ErrorCode.CORRUPT_MESSAGE, f"the batch claims {header.size_bytes} bytes, but {size} were sent"
    )


def _too_large(size: int, rules: ProduceRules) -> BatchRejection:
    return BatchRejection(
        ErrorCode.MESSAGE_TOO_LARGE,
        f"the batch has {size} bytes; max.message.bytes allows {rules.max_message_bytes}",
    )


def _badly_counted(header: BatchHeader) -> BatchRejection:
    if header.producer_id >= 0 and header.base_sequence < 0:
        message = f"producer {header.producer_id} sent a batch without a sequence number ({header.base_sequence})"
    else:
        message = (
            f"the batch claims {header.record_count} records, a last offset delta of {header.last_offset_delta} "
            f"and {header.size_bytes} bytes, which cannot all be true"
        )
    return BatchRejection(ErrorCode.INVALID_RECORD, message)


def _forbidden(attributes: int) -> BatchRejection:
    if attributes & CONTROL_BIT:
        return BatchRejection(ErrorCode.INVALID_RECORD, "clients may not write control batches")
    if attributes & TRANSACTIONAL_BIT:
        return BatchRejection(ErrorCode.INVALID_RECORD, "transactions are not supported")
    if attributes & LOG_APPEND_TIME_BIT:
        return BatchRejection(ErrorCode.INVALID_TIMESTAMP, "producers may not set the timestamp type to LogAppendTime")
    return BatchRejection(ErrorCode.INVALID_RECORD, "clients may not set a delete horizon")


def _unsupported_codec(codec: int) -> BatchRejection:
    if codec == Codec.ZSTD:
        message = "zstd needs Produce version 7 or later"
    else:
        message = f"there is no compression codec {codec}"
    return BatchRejection(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, message)


def _outside_time(header: BatchHeader, rules: ProduceRules, now_ms: int) -> BatchRejection:
    if header.max_timestamp - now_ms > rules.timestamp_after_max_ms:
        message = (
            f"timestamp {header.max_timestamp} is {header.max_timestamp - now_ms} ms ahead of the broker's clock; "
            f"message.timestamp.after.max.ms allows {rules.timestamp_after_max_ms}"
        )
    else:
        message = (
            f"timestamp {header.base_timestamp} is {now_ms - header.base_timestamp} ms behind the broker's clock; "
            f"message.timestamp.before.max.ms allows {rules.timestamp_before_max_ms}"
        )
    return BatchRejection(ErrorCode.INVALID_TIMESTAMP, message)


def restamp_append_time(buffer: memoryview, now_ms: int, position: int = 0) -> BatchHeader:
    """Set the broker's time in a batch: attributes, max timestamp and CRC change; return the new header."""
    header = read_header(buffer, position)
    _ATTRIBUTES.pack_into(buffer, position + _ATTRIBUTES_POSITION, header.attributes | LOG_APPEND_TIME_BIT)
    _MAX_TIMESTAMP.pack_into(buffer, position + _MAX_TIMESTAMP_POSITION, now_ms)
    CRC.pack_into(buffer, position + CRC_POSITION, crc_of(buffer, position, header.size_bytes))
    return read_header(buffer, position)


def records_without_key(records: Buffer, limit_bytes: int = DECOMPRESSED_BYTES_MAX) -> list[int]:
    """Return the indexes of records without a key; raise ``ValueError`` if the records cannot be decoded."""
    header = read_header(records)
    body = body_of(records, header, limit_bytes)
    # Every record is decoded to its end, so that compaction finds only sound batches.
    return [place for place, span in enumerate(spans_of(body, header.record_count)) if span.key_length < 0]


def null_key_in(records: Buffer, limit_bytes: int = DECOMPRESSED_BYTES_MAX) -> bool:
    """Return whether any record has no key; raise ``ValueError`` if the records cannot be decoded."""
    return bool(records_without_key(records, limit_bytes))


def check_keyed(records: Buffer, limit_bytes: int = DECOMPRESSED_BYTES_MAX) -> BatchRejection | None:
    """Reject what a compacted topic cannot hold. Decodes every record, so it must not run on the event loop."""
    try:
        if null_key_in(records, limit_bytes):
            return BatchRejection(ErrorCode.INVALID_RECORD, "a compacted topic cannot hold a record without a key")
    except ValueError as error:
        return BatchRejection(ErrorCode.CORRUPT_MESSAGE, f"the records of the batch cannot be read: {error}")
    return None
