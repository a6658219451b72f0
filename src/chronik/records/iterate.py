"""The records of a batch: decompressed within a limit, then decoded one by one.

``spans_of`` returns the position of each record and its fields, which is all that compaction needs; ``records_of``
decodes them. Malformed records raise ``CorruptRecordsError``.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from chronik.records.batch import CODEC_MASK, HEADER_BYTES, BatchHeader, Buffer, read_header
from chronik.records.codecs import Codec, CodecError, decompress
from chronik.records.varint import read_varint

DECOMPRESSED_BYTES_MAX: Final = 128 * 1024 * 1024

Header = tuple[str, bytes | None]


class CorruptRecordsError(ValueError):
    """The batch's header is sound, but its records are not."""


class StoredRecord(NamedTuple):
    """A record with its offset in the partition."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[Header, ...]


class RecordSpan(NamedTuple):
    """The position of one record in the decompressed body; a key or value of length -1 is null."""

    start: int
    end: int
    timestamp_delta: int
    offset_delta: int
    fields_start: int
    """The position of the key's length; from here on a copied record does not change."""
    key_start: int
    key_length: int
    value_start: int
    value_length: int

    def key_in(self, body: bytes) -> bytes | None:
        return None if self.key_length < 0 else body[self.key_start : self.key_start + self.key_length]

    def value_in(self, body: bytes) -> bytes | None:
        return None if self.value_length < 0 else body[self.value_start : self.value_start + self.value_length]


def body_of(batch: Buffer, header: BatchHeader, limit_bytes: int = DECOMPRESSED_BYTES_MAX) -> bytes:
    """Return the decompressed records of the batch at the start of the buffer."""
    if header.record_count == 0:
        # Compaction leaves batches without records, whatever codec they had.
        return b""
    try:
        codec = Codec(header.attributes & CODEC_MASK)
        return bytes(decompress(codec, memoryview(batch)[HEADER_BYTES : header.size_bytes], limit_bytes))
    except CodecError:
        raise
    except ValueError as error:
        raise CorruptRecordsError(str(error)) from error


def spans_of(body: bytes, count: int) -> Iterator[RecordSpan]:
    """Yield the spans of ``count`` records, which must fill the body exactly."""
    position = 0
    for _ in range(count):
        try:
            span = _span_at(body, position)
        except (IndexError, ValueError) as error:
            raise CorruptRecordsError(f"no record at byte {position} of the batch's body: {error}") from error
        yield span
        position = span.end
    if position != len(body):
        raise CorruptRecordsError(f"{len(body) - position} bytes follow the last of {count} records")


def _span_at(body: bytes, start: int) -> RecordSpan:
    length, position = read_varint(body, start)
    end = position + length
    # The attributes of a record are one unused byte.
    timestamp_delta, position = read_varint(body, position + 1)
    offset_delta, fields_start = read_varint(body, position)
    key_length, key_start = read_varint(body, fields_start)
    value_length, value_start = read_varint(body, key_start + key_length if key_length > 0 else key_start)
    value_end = value_start + value_length if value_length > 0 else value_start
    # A value must leave room for the count of headers.
    if not value_end < end <= len(body):
        raise ValueError(f"its {length} bytes do not hold its fields")
    return RecordSpan(
        start, end, timestamp_delta, offset_delta, fields_start, key_start, key_length, value_start, value_length
    )


def records_of(batch: Buffer, limit_bytes: int = DECOMPRESSED_BYTES_MAX) -> Iterator[StoredRecord]:
    """Return the records of the batch at the start of the buffer, with absolute offsets and timestamps."""
    header = read_header(batch)
    body = body_of(batch, header, limit_bytes)
    append_time = header.max_timestamp if header.is_log_append_time else None
    for span in spans_of(body, header.record_count):
        timestamp = header.base_timestamp + span.timestamp_delta if append_time is None else append_time
        yield StoredRecord(
            header.base_offset + span.offset_delta,
            timestamp,
            span.key_in(body),
            span.value_in(body),
            headers_in(body, span),
        )


def headers_in(body: bytes, span: RecordSpan) -> tuple[Header, ...]:
    """Decode a record's headers, which must end where the record ends."""
    position = span.value_start + max(span.value_length, 0)
    if body[position] == 0 and position + 1 == span.end:
        return ()
    try:
        return _read_headers(body, position, span.end)
    except (IndexError, ValueError) as error:
        raise CorruptRecordsError(f"unreadable headers at byte {position} of the batch's body: {error}") from error


def _read_headers(body: bytes, position: int, end: int) -> tuple[Header, ...]:
    count, position = read_varint(body, position)
    if not 0 <= count <= end - position:
        raise ValueError(f"{count} headers in {end - position} bytes")
    headers = []
    for _ in range(count):
        length, position = read_varint(body, position)
        if length < 0:
            raise ValueError("a header without a name")
        name, position = body[position : position + length], position + length
        length, position = read_varint(body, position)
        value = None if length < 0 else body[position : position + length]
        position += max(length, 0)
        if position > end:
            raise ValueError("a header goes beyond its record")
        headers.append((name.decode(), value))
    if position != end:
        raise ValueError(f"{end - position} bytes follow the headers")
    return tuple(headers)
