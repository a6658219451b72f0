"""Walk the batches of a segment file: by header only, or with every check and past damage.

Base offset, length, leader epoch and magic are outside a batch's CRC, so a batch counts as good only if it is also
where the batch before it says. After damage the walk continues at the next position that passes every check.
"""

from collections.abc import Iterator
from struct import Struct
from typing import Final, NamedTuple

from crc32c import crc32c

from chronik.records.batch import CURRENT_MAGIC, HEADER, HEADER_BYTES, LOG_OVERHEAD_BYTES, BatchHeader
from chronik.storage.disk import File

_HEADER_WINDOW: Final = 8 * 1024
_SCAN_WINDOW: Final = 1024 * 1024
_RELATIVE_OFFSET_MAX: Final = 2**31 - 1
_PREFIX: Final = Struct(">qi")
_MAGIC_BYTE: Final = bytes([CURRENT_MAGIC])
_MAGIC_POSITION: Final = 16
_CRC_START: Final = 21
_TORN: Final = "the file ends"


class GoodBatch(NamedTuple):
    """A batch that passed every check, and its position."""

    position: int
    header: BatchHeader


class Damage(NamedTuple):
    """Bytes that are not a good batch: their bounds, and the offset that was expected there."""

    position: int
    end_position: int
    expected_offset: int
    reason: str

    @property
    def is_torn_write(self) -> bool:
        """Whether it looks like a torn write of a crash: such bytes were never reported to anyone."""
        return self.reason.startswith(_TORN)


class FileWindow:
    """A sliding view of a file with read-ahead, so that neighbours cost no further call."""

    __slots__ = ("_bytes", "_end", "_file", "_start", "_window")

    def __init__(self, file: File, end_position: int, window: int) -> None:
        self._file = file
        self._end = end_position
        self._window = window
        self._start = 0
        self._bytes = b""

    def hold(self, position: int, size: int) -> tuple[bytes, int]:
        """Return bytes with ``size`` bytes from a position on (fewer at the end), and the position's place in them."""
        begin = position - self._start
        if begin < 0 or begin + size > len(self._bytes):
            wanted = min(max(size, self._window), self._end - position)
            self._bytes = self._file.pread(wanted, position) if wanted > 0 else b""
            self._start, begin = position, 0
        return self._bytes, begin


def walk_headers(file: File, position: int, end_position: int) -> Iterator[GoodBatch]:
    """Return the headers from a batch's position on, unchecked; stop where no batch can be."""
    window = FileWindow(file, end_position, _HEADER_WINDOW)
    while position + HEADER_BYTES <= end_position:
        data, at = window.hold(position, HEADER_BYTES)
        if len(data) - at < HEADER_BYTES:
            return
        header = BatchHeader._make(HEADER.unpack_from(data, at))
        size = LOG_OVERHEAD_BYTES + header.batch_length
        if size < HEADER_BYTES or position + size > end_position or header.magic != CURRENT_MAGIC:
            return
        yield GoodBatch(position, header)
        position += size


class SegmentScan:
    """A checked walk over one segment file, from a batch's position to the end of the written bytes."""

    def __init__(self, file: File, end_position: int, *, is_dense: bool) -> None:
        self._file = file
        self._end = end_position
        self._is_dense = is_dense
        self._window = FileWindow(file, end_position, _SCAN_WINDOW)

    def walk(self, position: int, expected_offset: int) -> Iterator[GoodBatch | Damage]:
        """Return each good batch, and each damaged range once."""
        while position < self._end:
            found = self.check(position, expected_offset)
            if isinstance(found, str):
                resumed = self._resume(position, expected_offset)
                end = resumed.position if resumed else self._end
                yield Damage(position, end, expected_offset, found)
                if resumed is None:
                    return
                found = resumed
            yield found
            position = found.position + found.header.size_bytes
            expected_offset = found.header.next_offset

    def check(self, position: int, expected_offset: int) -> GoodBatch | str:
        """Return the batch at a position, or why there is none."""
        data, at = self._window.hold(position, HEADER_BYTES)
        if len(data) - at < HEADER_BYTES:
            return f"{_TORN} after {len(data) - at} bytes of a batch's header"
        header = BatchHeader._make(HEADER.unpack_from(data, at))
        wrong = self._why_wrong_header(header, position, expected_offset)
        if wrong:
            return wrong
        size = header.size_bytes
        data, at = self._window.hold(position, size)
        if len(data) - at < size or crc32c(memoryview(data)[at + _CRC_START : at + size]) != header.crc:
            return "the CRC does not match"
        return GoodBatch(position, header)

    def _why_wrong_header(self, header: BatchHeader, position: int, expected_offset: int) -> str | None:
        if header.magic != CURRENT_MAGIC:
            return f"magic {header.magic} is not {CURRENT_MAGIC}"
        if header.size_bytes < HEADER_BYTES:
            return f"a batch cannot be {header.size_bytes} bytes long"
        if position + header.size_bytes > self._end:
            return f"{_TORN} {position + header.size_bytes - self._end} bytes before the batch does"
        gap = header.base_offset - expected_offset
        if gap != 0 and (self._is_dense or not 0 < gap <= _RELATIVE_OFFSET_MAX):
            return f"it has offset {header.base_offset} where {expected_offset} is expected"
        if not 0 <= header.last_offset_delta < _RELATIVE_OFFSET_MAX:
            return f"its last record cannot be {header.last_offset_delta} behind its first"
        return None

    def _resume(self, position: int, expected_offset: int) -> GoodBatch | None:
        """Find the next good batch after damage: where the damaged one ends by its header, or by search."""
        data, at = self._window.hold(position, HEADER_BYTES)
        if len(data) - at >= HEADER_BYTES:
            damaged = BatchHeader._make(HEADER.unpack_from(data, at))
            if damaged.base_offset == expected_offset and damaged.size_bytes >= HEADER_BYTES:
                behind = position + damaged.size_bytes
                if behind < self._end:
                    found = self.check(behind, damaged.next_offset)
                    if isinstance(found, GoodBatch):
                        return found
        return self._search(position + 1, expected_offset)

    def _search(self, position: int, expected_offset: int) -> GoodBatch | None:
        while position + HEADER_BYTES <= self._end:
            data = self._file.pread(min(_SCAN_WINDOW, self._end - position), position)
            for at, base_offset in _candidates(data, expected_offset):
                found = self.check(position + at, base_offset)
                if isinstance(found, GoodBatch) and self._is_followed(found):
                    return found
            position += max(len(data) - HEADER_BYTES + 1, 1)
        return None

    def _is_followed(self, found: GoodBatch) -> bool:
        """Return whether the next batch is where this one says.

        The CRC does not cover the base offset, and after damage no batch before this one confirms it.
        """
        position = found.position + found.header.size_bytes
        if position == self._end:
            return True
        data, at = self._window.hold(position, HEADER_BYTES)
        if len(data) - at < HEADER_BYTES:
            return False
        header = BatchHeader._make(HEADER.unpack_from(data, at))
        return self._why_wrong_header(header, position, found.header.next_offset) is None


def _candidates(data: bytes, expected_offset: int) -> Iterator[tuple[int, int]]:
    """Return the positions in a buffer that look like the beginning of a later batch, with its base offset."""
    magic_at = data.find(_MAGIC_BYTE, _MAGIC_POSITION)
    while magic_at >= 0:
        at = magic_at - _MAGIC_POSITION
        if at + HEADER_BYTES > len(data):
            return
        base_offset, length = _PREFIX.unpack_from(data, at)
        if 0 < base_offset - expected_offset <= _RELATIVE_OFFSET_MAX and length >= HEADER_BYTES - LOG_OVERHEAD_BYTES:
            yield at, base_offset
        magic_at = data.find(_MAGIC_BYTE, magic_at + 1)
