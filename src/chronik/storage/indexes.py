"""The sparse indexes of a segment in Kafka's formats: ``.index`` by offset, ``.timeindex`` by time.

An offset entry is (relative offset of a batch's last record, position of the batch), eight bytes, big-endian. A time
entry is (largest timestamp so far, relative offset of the last record of the first batch that holds it), twelve bytes;
timestamps strictly rise, so every record with a later timestamp lies behind that offset. The last time entry of a
closed segment is its largest timestamp.

The active segment keeps its entries in memory and writes them when it closes. A closed segment keeps none: a lookup
reads a few blocks of the file. An entry is a hint: readers check the batch at its position.
"""

import sys
from array import array
from bisect import bisect_left, bisect_right
from itertools import chain
from struct import Struct, pack
from typing import Final, NamedTuple

from chronik.storage.disk import Disk, File

OFFSET_ENTRY_BYTES: Final = 8
_BLOCK_ENTRIES: Final = 512
_SWAP: Final = sys.byteorder == "little"


class IndexEntry(NamedTuple):
    """The position of the batch whose last record has this relative offset."""

    relative_offset: int
    position: int


class OffsetIndex:
    """The entries of one segment, in memory while ``is_loaded`` and in the file otherwise."""

    __slots__ = ("_disk", "_offsets", "_positions", "is_loaded", "path")

    def __init__(self, disk: Disk, path: str, *, is_loaded: bool) -> None:
        self._disk = disk
        self.path = path
        self.is_loaded = is_loaded
        self._offsets = array("I")
        self._positions = array("I")

    def __len__(self) -> int:
        return len(self._offsets) if self.is_loaded else self._disk.file_size(self.path) // OFFSET_ENTRY_BYTES

    def append(self, relative_offset: int, position: int) -> None:
        self._offsets.append(relative_offset)
        self._positions.append(position)

    def lookup(self, relative_offset: int) -> IndexEntry | None:
        """Return the last entry at or before an offset."""
        if not self.is_loaded:
            return self._lookup_in_file(relative_offset)
        return self._entry(bisect_right(self._offsets, relative_offset) - 1)

    def entries_down_from(self, relative_offset: int) -> list[IndexEntry]:
        """Return every entry at or before an offset, the nearest first."""
        offsets, positions = (self._offsets, self._positions) if self.is_loaded else self._read_file()
        entries = map(IndexEntry, offsets, positions)
        return [entry for entry in entries if entry.relative_offset <= relative_offset][::-1]

    def truncate(self, position: int) -> None:
        """Remove the entries of batches from a position on."""
        assert self.is_loaded
        while self._positions and self._positions[-1] >= position:
            self._positions.pop()
            self._offsets.pop()

    def clear(self) -> None:
        """Start again, empty, in memory."""
        self.is_loaded = True
        self._offsets, self._positions = array("I"), array("I")

    def load(self) -> None:
        """Load the file's entries into memory, to append more."""
        if not self.is_loaded:
            self._offsets, self._positions = self._read_file()
            self.is_loaded = True

    def release(self) -> None:
        """Release the memory: the file has the same entries."""
        self.is_loaded = False
        self._offsets, self._positions = array("I"), array("I")

    def to_bytes(self) -> bytes:
        """Encode the entries as in the file."""
        assert self.is_loaded
        both = array("I", bytes(OFFSET_ENTRY_BYTES * len(self._offsets)))
        both[0::2] = self._offsets
        both[1::2] = self._positions
        if _SWAP:
            both.byteswap()
        return both.tobytes()

    def why_unusable(self, log_bytes: int, *, may_be_empty: bool) -> str | None:
        """Return why the file cannot be this segment's index, by its size and its ends; None if it can."""
        try:
            size = self._disk.file_size(self.path)
            return self._why_wrong(size, log_bytes, may_be_empty)
        except FileNotFoundError:
            return "it is missing"

    def _why_wrong(self, size: int, log_bytes: int, may_be_empty: bool) -> str | None:
        if size % OFFSET_ENTRY_BYTES:
            return f"its size {size} is no multiple of {OFFSET_ENTRY_BYTES}"
        if size == 0:
            return None if may_be_empty else "it is empty"
        file = self._disk.open(self.path)
        try:
            first, last = _block(file, 0, 1), _block(file, size // OFFSET_ENTRY_BYTES - 1, 1)
        finally:
            file.close()
        if not 0 < first[1] <= last[1] < log_bytes or not first[0] <= last[0]:
            return "its entries do not fit the segment"
        return None

    def _entry(self, slot: int) -> IndexEntry | None:
        return IndexEntry(self._offsets[slot], self._positions[slot]) if slot >= 0 else None

    def _read_file(self) -> "tuple[array[int], array[int]]":
        data = self._disk.read_bytes(self.path)
        both = _from_file(data[: len(data) // OFFSET_ENTRY_BYTES * OFFSET_ENTRY_BYTES])
        return both[0::2], both[1::2]

    def _lookup_in_file(self, relative_offset: int) -> IndexEntry | None:
        file = self._disk.open(self.path)
        try:
            low, high = 0, file.size() // OFFSET_ENTRY_BYTES
            while high - low > _BLOCK_ENTRIES:
                middle = (low + high) // 2
                if _block(file, middle, 1)[0] <= relative_offset:
                    low = middle
                else:
                    high = middle
            both = _block(file, low, high - low)
        finally:
            file.close()
        slot = bisect_right(both[0::2], relative_offset) - 1
        return IndexEntry(both[2 * slot], both[2 * slot + 1]) if slot >= 0 else None


def _block(file: File, slot: int, count: int) -> "array[int]":
    return _from_file(file.pread(count * OFFSET_ENTRY_BYTES, slot * OFFSET_ENTRY_BYTES))


def _from_file(data: bytes) -> "array[int]":
    values = array("I", data)
    if _SWAP:
        values.byteswap()
    return values


TIME_ENTRY_BYTES: Final = 12
_ENTRY: Final = Struct(">qI")


class TimeEntry(NamedTuple):
    """The largest timestamp up to a relative offset."""

    timestamp: int
    relative_offset: int


class TimeIndex:
    """The entries of one segment, in memory while ``is_loaded`` and in the file otherwise."""

    __slots__ = ("_disk", "_offsets", "_timestamps", "is_loaded", "path")

    def __init__(self, disk: Disk, path: str, *, is_loaded: bool) -> None:
        self._disk = disk
        self.path = path
        self.is_loaded = is_loaded
        self._timestamps = array("q")
        self._offsets = array("I")

    def __len__(self) -> int:
        return len(self._offsets) if self.is_loaded else self._disk.file_size(self.path) // TIME_ENTRY_BYTES

    def append(self, timestamp: int, relative_offset: int) -> None:
        """Add an entry if its timestamp is larger; batches without timestamps (-1) add none."""
        last = self._timestamps[-1] if self._timestamps else -1
        if timestamp > last:
            self._timestamps.append(timestamp)
            self._offsets.append(relative_offset)

    def last(self) -> TimeEntry | None:
        """Return the entry with the largest timestamp."""
        if self.is_loaded:
            return TimeEntry(self._timestamps[-1], self._offsets[-1]) if self._offsets else None
        file = self._disk.open(self.path)
        try:
            slots = file.size() // TIME_ENTRY_BYTES
            return (
                TimeEntry._make(_ENTRY.unpack(file.pread(TIME_ENTRY_BYTES, (slots - 1) * TIME_ENTRY_BYTES)))
                if slots
                else None
            )
        finally:
            file.close()

    def offset_before(self, timestamp: int) -> int:
        """Return the largest relative offset up to which every timestamp is known to be smaller, or -1."""
        if not self.is_loaded:
            return self._offset_before_in_file(timestamp)
        slot = bisect_left(self._timestamps, timestamp) - 1
        return self._offsets[slot] if slot >= 0 else -1

    def _offset_before_in_file(self, timestamp: int) -> int:
        file = self._disk.open(self.path)
        try:
            low, high, offset = 0, file.size() // TIME_ENTRY_BYTES, -1
            while low < high:
                middle = (low + high) // 2
                entry = TimeEntry._make(_ENTRY.unpack(file.pread(TIME_ENTRY_BYTES, middle * TIME_ENTRY_BYTES)))
                if entry.timestamp < timestamp:
                    low, offset = middle + 1, entry.relative_offset
                else:
                    high = middle
        finally:
            file.close()
        return offset

    def truncate(self, relative_offset: int) -> None:
        """Remove the entries from an offset on."""
        assert self.is_loaded
        while self._offsets and self._offsets[-1] >= relative_offset:
            self._offsets.pop()
            self._timestamps.pop()

    def clear(self) -> None:
        """Start again, empty, in memory."""
        self.is_loaded = True
        self._timestamps, self._offsets = array("q"), array("I")

    def load(self) -> None:
        """Load the file's entries into memory, to append more."""
        if not self.is_loaded:
            self._timestamps, self._offsets = self._read_file()
            self.is_loaded = True

    def release(self) -> None:
        """Release the memory: the file has the same entries."""
        self.is_loaded = False
        self._timestamps, self._offsets = array("q"), array("I")

    def to_bytes(self) -> bytes:
        """Encode the entries as in the file."""
        assert self.is_loaded
        count = len(self._offsets)
        return pack(">" + "qI" * count, *chain.from_iterable(zip(self._timestamps, self._offsets, strict=True)))

    def why_unusable(self, offset_span: int, timestamp_seen: int) -> str | None:
        """Return why the file cannot belong to a segment with this many offsets and this timestamp; None if it can."""
        try:
            size = self._disk.file_size(self.path)
            last = self.last() if size % TIME_ENTRY_BYTES == 0 else None
        except FileNotFoundError:
            return "it is missing"
        if size % TIME_ENTRY_BYTES:
            return f"its size {size} is no multiple of {TIME_ENTRY_BYTES}"
        if timestamp_seen > (last.timestamp if last else -1):
            return f"it does not reach the timestamp {timestamp_seen}"
        if last is not None and (last.relative_offset >= offset_span or last == (0, 0)):
            return "its last entry does not fit the segment"
        return None

    def _read_file(self) -> "tuple[array[int], array[int]]":
        data = self._disk.read_bytes(self.path)
        pairs = list(_ENTRY.iter_unpack(data[: len(data) // TIME_ENTRY_BYTES * TIME_ENTRY_BYTES]))
        return array("q", [pair[0] for pair in pairs]), array("I", [pair[1] for pair in pairs])
