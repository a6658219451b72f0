"""The sparse index of a segment from timestamps to offsets, in Kafka's ``.timeindex`` format.

An entry is (largest timestamp so far, relative offset of the last record of the first batch that holds it), twelve
bytes, big-endian, timestamps strictly rising: every record with a later timestamp stands behind that offset. The last
entry of a closed segment is its largest timestamp.
"""

from array import array
from bisect import bisect_left
from itertools import chain
from struct import Struct, pack
from typing import Final, NamedTuple

from chronik.storage.disk import Disk

ENTRY_BYTES: Final = 12
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
        return len(self._offsets) if self.is_loaded else self._disk.file_size(self.path) // ENTRY_BYTES

    def append(self, timestamp: int, relative_offset: int) -> None:
        """Add an entry if it says something new; batches without timestamps (-1) never do."""
        last = self._timestamps[-1] if self._timestamps else -1
        if timestamp > last:
            self._timestamps.append(timestamp)
            self._offsets.append(relative_offset)

    def last(self) -> TimeEntry | None:
        """Give the entry with the largest timestamp."""
        if self.is_loaded:
            return TimeEntry(self._timestamps[-1], self._offsets[-1]) if self._offsets else None
        file = self._disk.open(self.path)
        try:
            slots = file.size() // ENTRY_BYTES
            return TimeEntry._make(_ENTRY.unpack(file.pread(ENTRY_BYTES, (slots - 1) * ENTRY_BYTES))) if slots else None
        finally:
            file.close()

    def offset_before(self, timestamp: int) -> int:
        """Give the largest relative offset up to which every timestamp is known to be smaller, or -1."""
        if not self.is_loaded:
            return self._offset_before_in_file(timestamp)
        slot = bisect_left(self._timestamps, timestamp) - 1
        return self._offsets[slot] if slot >= 0 else -1

    def _offset_before_in_file(self, timestamp: int) -> int:
        file = self._disk.open(self.path)
        try:
            low, high, offset = 0, file.size() // ENTRY_BYTES, -1
            while low < high:
                middle = (low + high) // 2
                entry = TimeEntry._make(_ENTRY.unpack(file.pread(ENTRY_BYTES, middle * ENTRY_BYTES)))
                if entry.timestamp < timestamp:
                    low, offset = middle + 1, entry.relative_offset
                else:
                    high = middle
        finally:
            file.close()
        return offset

    def truncate(self, relative_offset: int) -> None:
        """Forget what begins at an offset or later."""
        assert self.is_loaded
        while self._offsets and self._offsets[-1] >= relative_offset:
            self._offsets.pop()
            self._timestamps.pop()

    def clear(self) -> None:
        """Start anew in memory."""
        self.is_loaded = True
        self._timestamps, self._offsets = array("q"), array("I")

    def load(self) -> None:
        """Bring the file's entries into memory, to go on appending."""
        if not self.is_loaded:
            self._timestamps, self._offsets = self._read_file()
            self.is_loaded = True

    def release(self) -> None:
        """Let go of the memory: the file holds the same."""
        self.is_loaded = False
        self._timestamps, self._offsets = array("q"), array("I")

    def to_bytes(self) -> bytes:
        """Spell the entries as the file does."""
        assert self.is_loaded
        count = len(self._offsets)
        return pack(">" + "qI" * count, *chain.from_iterable(zip(self._timestamps, self._offsets, strict=True)))

    def why_unusable(self, offset_span: int, timestamp_seen: int) -> str | None:
        """Say why the file cannot belong to a segment of that many offsets in which a timestamp was seen."""
        try:
            size = self._disk.file_size(self.path)
            last = self.last() if size % ENTRY_BYTES == 0 else None
        except FileNotFoundError:
            return "it is missing"
        if size % ENTRY_BYTES:
            return f"its size {size} is no multiple of {ENTRY_BYTES}"
        if timestamp_seen > (last.timestamp if last else -1):
            return f"it does not reach the timestamp {timestamp_seen}"
        if last is not None and (last.relative_offset >= offset_span or last == (0, 0)):
            return "its last entry does not fit the segment"
        return None

    def _read_file(self) -> "tuple[array[int], array[int]]":
        data = self._disk.read_bytes(self.path)
        pairs = list(_ENTRY.iter_unpack(data[: len(data) // ENTRY_BYTES * ENTRY_BYTES]))
        return array("q", [pair[0] for pair in pairs]), array("I", [pair[1] for pair in pairs])
