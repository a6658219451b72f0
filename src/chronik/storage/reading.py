"""Read whole batches from a segment, each checked because it comes from the disk.

The cost of a read does not depend on the size of the log: one index lookup, a walk over the few batches behind its
entry, one ``pread``. If anything looks wrong, the careful search takes over: it starts at an index entry whose batch
passes every check, and finds the batch with the offset or the damage in its place.
"""

from struct import Struct
from typing import Final, NamedTuple

from crc32c import crc32c

from chronik.records.batch import HEADER_BYTES, LOG_OVERHEAD_BYTES
from chronik.storage.disk import File
from chronik.storage.errors import CorruptBatchError
from chronik.storage.leader_epochs import LeaderEpochs
from chronik.storage.scan import Damage, SegmentScan, walk_headers
from chronik.storage.segment import Segment

_MAGIC: Final = 2
_CRC_START: Final = 21
_CHECKED_FIELDS: Final = Struct(">qiibIhi")
_LENGTH: Final = Struct(">i")
_NO_EPOCH_CHECK: Final = -2


class LogRead(NamedTuple):
    """Whole batches as stored; ``next_offset`` follows the last of them."""

    data: memoryview | bytes
    next_offset: int


class FoundBatch(NamedTuple):
    """The batch with an offset."""

    position: int
    base_offset: int


class ReadLimits(NamedTuple):
    """The limits of a read."""

    bytes_max: int
    end_offset: int
    whole_first_batch: bool


def locate(segment: Segment, offset: int, *, is_dense: bool) -> FoundBatch | None:
    """Find the batch with an offset, or the first one behind it; None at the end of the segment."""
    found = _locate_by_headers(segment, offset, is_dense=is_dense)
    if found is None or found.base_offset >= 0:
        return found
    return locate_carefully(segment, offset, is_dense=is_dense)


_SUSPICIOUS: Final = FoundBatch(-1, -1)


def _locate_by_headers(segment: Segment, offset: int, *, is_dense: bool) -> FoundBatch | None:
    entry = segment.offset_index.lookup(offset - segment.base_offset)
    position, expected, must_end_at = 0, segment.base_offset, -1
    if entry is not None:
        position, must_end_at = entry.position, segment.base_offset + entry.relative_offset
    end = segment.written_bytes
    for at, header in walk_headers(segment.file, position, end):
        if must_end_at >= 0:
            if header.last_offset != must_end_at:
                return _SUSPICIOUS
            must_end_at = -1
        elif header.base_offset != expected and (is_dense or header.base_offset < expected):
            return _SUSPICIOUS
        if header.last_offset >= offset:
            return FoundBatch(at, header.base_offset)
        expected = header.next_offset
        position = at + header.size_bytes
    return None if position == end else _SUSPICIOUS


def locate_carefully(segment: Segment, offset: int, *, is_dense: bool) -> FoundBatch | None:
    """Find the batch with an offset among damage; raise ``CorruptBatchError`` if it is damaged."""
    scan = SegmentScan(segment.file, segment.written_bytes, is_dense=is_dense)
    position, expected = _trusted_start(segment, scan, offset)
    damage: Damage | None = None
    for found in scan.walk(position, expected):
        if isinstance(found, Damage):
            damage = found
            continue
        if found.header.last_offset >= offset:
            if damage is not None and found.header.base_offset > offset:
                raise _corrupt(segment, damage, offset, found.header.base_offset)
            return FoundBatch(found.position, found.header.base_offset)
        damage = None
    if damage is not None:
        raise _corrupt(segment, damage, offset, -1)
    return None


def _trusted_start(segment: Segment, scan: SegmentScan, offset: int) -> tuple[int, int]:
    """Return the nearest index entry below an offset whose batch matches the entry."""
    for entry in segment.offset_index.entries_down_from(offset - segment.base_offset):
        last_offset = segment.base_offset + entry.relative_offset
        if entry.position + HEADER_BYTES > segment.written_bytes:
            continue
        header = next(walk_headers(segment.file, entry.position, segment.written_bytes), None)
        if header is None or header.header.last_offset != last_offset:
            continue
        if not isinstance(scan.check(entry.position, header.header.base_offset), str):
            return entry.position, header.header.base_offset
    return 0, segment.base_offset


def _corrupt(segment: Segment, damage: Damage, offset: int, next_good_offset: int) -> CorruptBatchError:
    first = damage.expected_offset
    return CorruptBatchError(offset, segment.path, damage.position, damage.reason, next_good_offset, first)


def collect(
    segment: Segment, found: FoundBatch, limits: ReadLimits, epochs: LeaderEpochs, *, is_dense: bool
) -> LogRead:
    """Read from a batch on; raise ``CorruptBatchError`` if the first one is damaged, return less if a later one is."""
    file, position = segment.file, found.position
    available = segment.written_bytes - position
    size = limits.bytes_max
    if size >= available:
        size = available
    else:
        first = first_batch_bytes(file, position)
        if first > size:
            if not limits.whole_first_batch:
                return LogRead(b"", found.base_offset)
            size = min(first, available)
    data = file.pread(size, position)
    checked, next_offset, wrong = check_batches(data, found.base_offset, limits.end_offset, epochs, is_dense=is_dense)
    if checked == len(data):
        return LogRead(data, next_offset)
    if checked == 0 and (wrong or _is_cut_short(data, limits)):
        reason, offset = wrong or "the file ends within the batch", found.base_offset
        raise CorruptBatchError(offset, segment.path, position, reason, -1, offset)
    return LogRead(memoryview(data)[:checked], next_offset)


def _is_cut_short(data: bytes, limits: ReadLimits) -> bool:
    """Return whether the read is empty although the first batch should be in it: not for lack of room, nor beyond the
    end.
    """
    if len(data) < HEADER_BYTES:
        return limits.whole_first_batch
    base_offset, length, *_ = _CHECKED_FIELDS.unpack_from(data)
    has_room: bool = limits.whole_first_batch or LOG_OVERHEAD_BYTES + length <= limits.bytes_max
    return bool(has_room and base_offset < limits.end_offset)


def first_batch_bytes(file: File, position: int) -> int:
    """Return the size in the header of the batch at a position."""
    length: int = _LENGTH.unpack(file.pread(4, position + 8))[0]
    return LOG_OVERHEAD_BYTES + length


def check_batches(
    data: bytes, expected: int, end_offset: int, epochs: LeaderEpochs, *, is_dense: bool
) -> tuple[int, int, str]:
    """Check batch after batch; return the number of good bytes, the offset behind them, and the problem of the next.

    Stops without a problem at a batch that is incomplete or begins at ``end_offset`` or later.
    """
    unpack, crc32c_of, view, size = _CHECKED_FIELDS.unpack_from, crc32c, memoryview(data), len(data)
    epoch_now, epoch_end = _epoch_at(epochs, expected)
    position = 0
    while position + HEADER_BYTES <= size:
        base_offset, length, epoch, magic, crc, _, delta = unpack(data, position)
        if base_offset != expected and (is_dense or base_offset < expected):
            return position, expected, f"it has offset {base_offset} where {expected} is expected"
        if base_offset >= end_offset:
            break
        behind = position + LOG_OVERHEAD_BYTES + length
        if behind > size:
            break
        if length < HEADER_BYTES - LOG_OVERHEAD_BYTES or magic != _MAGIC or delta < 0:
            return position, expected, f"length {length}, magic {magic}, last offset delta {delta}"
        if crc32c_of(view[position + _CRC_START : behind]) != crc:
            return position, expected, "the CRC does not match"
        if epoch != epoch_now or base_offset >= epoch_end:
            epoch_now, epoch_end = _epoch_at(epochs, base_offset)
            if epoch != epoch_now and epoch_now != _NO_EPOCH_CHECK:
                return position, expected, f"it has leader epoch {epoch} where {epoch_now} is expected"
        position, expected = behind, base_offset + delta + 1
    return position, expected, ""


def _epoch_at(epochs: LeaderEpochs, offset: int) -> tuple[int, int]:
    found = epochs.range_at(offset)
    if found is None:
        return _NO_EPOCH_CHECK, offset
    return found.leader_epoch, 2**63 if found.end_offset is None else found.end_offset
