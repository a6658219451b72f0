"""The header of a record batch (format 2): the same 61 bytes on the wire and on disk.

Everything here reads a batch in its buffer; nothing is copied and no record is decoded. The CRC covers the bytes from
the attributes on, so the two fields that a broker assigns, base offset and leader epoch, are written in place without
computing it again.
"""

from collections.abc import Iterator
from struct import Struct
from typing import Final, NamedTuple, TypeAlias

from crc32c import crc32c

from chronik.records.codecs import Codec

Buffer: TypeAlias = bytes | bytearray | memoryview

HEADER_BYTES: Final = 61
LOG_OVERHEAD_BYTES: Final = 12
BATCH_LENGTH_MIN: Final = HEADER_BYTES - LOG_OVERHEAD_BYTES
MAGIC_POSITION: Final = 16
CRC_POSITION: Final = 17
CRC_START: Final = 21
"""The first byte that the CRC covers, up to the end of the batch."""
CURRENT_MAGIC: Final = 2
SEQUENCE_MAX: Final = 2**31 - 1

CODEC_MASK: Final = 0x07
LOG_APPEND_TIME_BIT: Final = 0x08
TRANSACTIONAL_BIT: Final = 0x10
CONTROL_BIT: Final = 0x20
DELETE_HORIZON_BIT: Final = 0x40

HEADER: Final = Struct(">qiibIhiqqqhii")
CRC: Final = Struct(">I")
_BASE_OFFSET: Final = Struct(">q")
_LEADER_EPOCH: Final = Struct(">i")
_OFFSET_AND_LENGTH: Final = Struct(">qi")
_LEADER_EPOCH_POSITION: Final = 12


class CorruptBatch(ValueError):  # noqa: N818 - it names what was found
    """Bytes that should be a batch and cannot be one."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"no batch at position {position}: {reason}")
        self.position = position
        self.reason = reason


class BatchHeader(NamedTuple):
    """The fields of a batch's header, in the order of the wire."""

    base_offset: int
    batch_length: int
    partition_leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int

    @property
    def size_bytes(self) -> int:
        return LOG_OVERHEAD_BYTES + self.batch_length

    @property
    def last_offset(self) -> int:
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        return self.base_offset + self.last_offset_delta + 1

    @property
    def codec(self) -> Codec:
        return Codec(self.attributes & CODEC_MASK)

    @property
    def is_log_append_time(self) -> bool:
        return bool(self.attributes & LOG_APPEND_TIME_BIT)

    @property
    def is_transactional(self) -> bool:
        return bool(self.attributes & TRANSACTIONAL_BIT)

    @property
    def is_control(self) -> bool:
        return bool(self.attributes & CONTROL_BIT)

    @property
    def delete_horizon_ms(self) -> int | None:
        """When compaction may drop the batch's tombstones; it replaces the base timestamp."""
        return self.base_timestamp if self.attributes & DELETE_HORIZON_BIT else None

    @property
    def last_sequence(self) -> int:
        return sequence_after(self.base_sequence, self.last_offset_delta)


def sequence_after(sequence: int, steps: int) -> int:
    """Add to a sequence number; 0 follows 2^31 - 1, and without a sequence (-1) there is no next."""
    if sequence < 0:
        return sequence
    return (sequence + steps) & SEQUENCE_MAX


class Sequences(NamedTuple):
    """The sequences of an idempotent producer in one batch, or in several adjacent ones."""

    producer_id: int
    epoch: int
    first: int
    next: int


def sequences_of(records: Buffer) -> Sequences | None:
    """Return the sequences of a batch; None if its producer is not idempotent, or if it is no batch."""
    if len(records) < HEADER_BYTES:
        return None
    header = read_header(records)
    if header.magic != CURRENT_MAGIC or header.producer_id < 0:
        return None
    following = sequence_after(header.last_sequence, 1)
    return Sequences(header.producer_id, header.producer_epoch, header.base_sequence, following)


def read_header(buffer: Buffer, position: int = 0) -> BatchHeader:
    """Decode the header at a position; raise ``struct.error`` if the buffer ends within it."""
    return BatchHeader._make(HEADER.unpack_from(buffer, position))


def codec_of(buffer: Buffer) -> Codec | None:
    """Return the codec of the first batch in a buffer; None without a whole header."""
    return read_header(buffer).codec if len(buffer) >= HEADER_BYTES else None


def crc_of(buffer: Buffer, position: int, size_bytes: int) -> int:
    """Compute the CRC-32C of the batch with ``size_bytes`` at a position."""
    return crc32c(memoryview(buffer)[position + CRC_START : position + size_bytes])


def crc_is_right(buffer: Buffer, position: int, size_bytes: int) -> bool:
    """Return whether the batch is complete and its CRC is right."""
    if size_bytes < HEADER_BYTES or position + size_bytes > len(buffer):
        return False
    expected: int = CRC.unpack_from(buffer, position + CRC_POSITION)[0]
    return crc_of(buffer, position, size_bytes) == expected


def stamp(buffer: bytearray | memoryview, position: int, base_offset: int, leader_epoch: int) -> None:
    """Assign offset and leader epoch, the two fields outside the CRC."""
    _BASE_OFFSET.pack_into(buffer, position, base_offset)
    _LEADER_EPOCH.pack_into(buffer, position + _LEADER_EPOCH_POSITION, leader_epoch)


def walk(buffer: Buffer) -> Iterator[tuple[int, BatchHeader]]:
    """Yield position and header of each whole batch, and stop before an incomplete one.

    Impossible lengths raise ``CorruptBatch``; CRCs are not checked.
    """
    position, end = 0, len(buffer)
    while position + LOG_OVERHEAD_BYTES <= end:
        length = _OFFSET_AND_LENGTH.unpack_from(buffer, position)[1]
        if length < BATCH_LENGTH_MIN:
            raise CorruptBatch(position, f"its length field is {length}, the minimum is {BATCH_LENGTH_MIN}")
        if position + LOG_OVERHEAD_BYTES + length > end:
            return
        yield position, read_header(buffer, position)
        position += LOG_OVERHEAD_BYTES + length
