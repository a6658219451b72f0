"""Build record batches, from records or from their bytes."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from chronik.records.batch import (
    CONTROL_BIT,
    CRC,
    CRC_POSITION,
    CURRENT_MAGIC,
    HEADER,
    HEADER_BYTES,
    LOG_APPEND_TIME_BIT,
    LOG_OVERHEAD_BYTES,
    TRANSACTIONAL_BIT,
    BatchHeader,
    Buffer,
    crc_of,
)
from chronik.records.codecs import Codec, compress
from chronik.records.varint import append_varint, varint_bytes

_NONE: Final = -1
_NULL_VALUE: Final = b"\x01"
_NO_HEADERS: Final = b"\0"
_NO_ATTRIBUTES_SAME_TIME: Final = b"\0\0"


class Record(NamedTuple):
    """A record for a batch; without an offset delta it gets the next one."""

    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes | None]] = ()
    timestamp: int = _NONE
    offset_delta: int | None = None


def build_batch(
    records: Sequence[Record],
    *,
    codec: Codec = Codec.NONE,
    base_offset: int = 0,
    leader_epoch: int = _NONE,
    producer_id: int = _NONE,
    producer_epoch: int = _NONE,
    base_sequence: int = _NONE,
    append_time_ms: int | None = None,
    is_transactional: bool = False,
    is_control: bool = False,
) -> bytes:
    """Build a batch; with ``append_time_ms`` it carries the broker's time instead of the records' own."""
    if not records:
        raise ValueError("a batch holds at least one record")
    base_timestamp = records[0].timestamp
    deltas = [index if record.offset_delta is None else record.offset_delta for index, record in enumerate(records)]
    body = bytearray()
    for record, delta in zip(records, deltas, strict=True):
        append_record(body, record, record.timestamp - base_timestamp, delta)
    header = BatchHeader(
        base_offset=base_offset,
        batch_length=0,
        partition_leader_epoch=leader_epoch,
        magic=CURRENT_MAGIC,
        crc=0,
        attributes=_attributes(codec, append_time_ms is not None, is_transactional, is_control),
        last_offset_delta=deltas[-1],
        base_timestamp=base_timestamp,
        max_timestamp=max(record.timestamp for record in records) if append_time_ms is None else append_time_ms,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        record_count=len(records),
    )
    return batch_from(header, body)


def _attributes(codec: Codec, append_time: bool, is_transactional: bool, is_control: bool) -> int:
    bits = LOG_APPEND_TIME_BIT * append_time | TRANSACTIONAL_BIT * is_transactional | CONTROL_BIT * is_control
    return codec | bits


def batch_from(header: BatchHeader, body: Buffer) -> bytes:
    """Build a batch from a header and (uncompressed) records; length and CRC are computed."""
    packed = compress(header.codec, body)
    length = HEADER_BYTES - LOG_OVERHEAD_BYTES + len(packed)
    batch = bytearray(HEADER.pack(*header._replace(batch_length=length, crc=0)))
    batch += packed
    CRC.pack_into(batch, CRC_POSITION, crc_of(batch, 0, len(batch)))
    return bytes(batch)


def build_keyed_batch(records: Sequence[tuple[bytes, bytes | None]], timestamp: int) -> bytearray:
    """Build a batch of keys and values with one timestamp, for a broker's own small and frequent writes.

    The result equals that of ``build_batch``, at a quarter of the cost.
    """
    batch = bytearray(HEADER_BYTES)
    for delta, (key, value) in enumerate(records):
        length = _NULL_VALUE if value is None else _length(len(value))
        fields = b"".join((_length(delta), _length(len(key)), key, length, value or b"", _NO_HEADERS))
        batch += _length(len(fields) + len(_NO_ATTRIBUTES_SAME_TIME)) + _NO_ATTRIBUTES_SAME_TIME + fields
    last, size = len(records) - 1, len(batch)
    own = (0, size - LOG_OVERHEAD_BYTES, _NONE, CURRENT_MAGIC, 0, 0, last, timestamp, timestamp)
    HEADER.pack_into(batch, 0, *own, _NONE, _NONE, _NONE, last + 1)
    CRC.pack_into(batch, CRC_POSITION, crc_of(batch, 0, size))
    return batch


def _length(value: int) -> bytes:
    """Encode a varint that is not negative; most lengths take one or two bytes."""
    if value < 1 << 6:
        return bytes((value << 1,))
    if value < 1 << 13:
        return bytes((value << 1 & 0x7F | 0x80, value >> 6))
    output = bytearray()
    append_varint(output, value)
    return bytes(output)


def append_record(body: bytearray, record: Record, timestamp_delta: int, offset_delta: int) -> None:
    """Append one record to a batch's body."""
    fields = bytearray()
    _append_bytes(fields, record.key)
    _append_bytes(fields, record.value)
    append_varint(fields, len(record.headers))
    for name, value in record.headers:
        _append_bytes(fields, name.encode())
        _append_bytes(fields, value)
    append_fields(body, fields, timestamp_delta, offset_delta)


def append_fields(body: bytearray, fields: Buffer, timestamp_delta: int, offset_delta: int) -> None:
    """Append a record whose key, value and headers are already encoded."""
    append_varint(body, 1 + varint_bytes(timestamp_delta) + varint_bytes(offset_delta) + len(fields))
    body.append(0)
    append_varint(body, timestamp_delta)
    append_varint(body, offset_delta)
    body += fields


def _append_bytes(output: bytearray, value: bytes | None) -> None:
    if value is None:
        append_varint(output, _NONE)
        return
    append_varint(output, len(value))
    output += value
