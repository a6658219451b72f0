"""One segment: a file of batches with its offset and time index; and the list of a log's segments.

``size_bytes`` counts staged bytes, ``written_bytes`` the bytes that the file is known to have. Readers use written
bytes only.
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from chronik.storage.disk import Disk, File, write_file
from chronik.storage.indexes import OFFSET_ENTRY_BYTES, TIME_ENTRY_BYTES, OffsetIndex, TimeIndex
from chronik.storage.log_config import LogConfig
from chronik.storage.scan import walk_headers

LOG_SUFFIX: Final = ".log"
INDEX_SUFFIX: Final = ".index"
TIME_INDEX_SUFFIX: Final = ".timeindex"
SNAPSHOT_SUFFIX: Final = ".snapshot"
PRODUCERS_SUFFIX: Final = ".producers"
DELETED_SUFFIX: Final = ".deleted"
SUFFIXES: Final = (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX)
RELATIVE_OFFSET_MAX: Final = 2**31 - 1
NO_TIMESTAMP: Final = -1


def file_stem(base_offset: int) -> str:
    """Return an offset as the name of a segment's files."""
    return f"{base_offset:020d}"


class Segment:
    """The batches from ``base_offset`` on, up to the next segment's base offset."""

    __slots__ = (
        "_bytes_since_entry",
        "_disk",
        "_file",
        "_index_entries_max",
        "_index_interval_bytes",
        "_max_timestamp",
        "_max_timestamp_offset",
        "base_offset",
        "created_ms",
        "first_timestamp",
        "is_index_full",
        "is_unflushed",
        "offset_index",
        "roll_after_ms",
        "size_bytes",
        "stem",
        "time_index",
        "written_bytes",
    )

    def __init__(
        self, disk: Disk, directory: str, base_offset: int, config: LogConfig, *, size_bytes: int, now_ms: int
    ) -> None:
        is_new = size_bytes == 0
        self._disk = disk
        self.base_offset = base_offset
        self.stem = f"{directory}/{file_stem(base_offset)}"
        self.size_bytes = size_bytes
        self.written_bytes = size_bytes
        self.offset_index = OffsetIndex(disk, self.stem + INDEX_SUFFIX, is_loaded=is_new)
        self.time_index = TimeIndex(disk, self.stem + TIME_INDEX_SUFFIX, is_loaded=is_new)
        self.created_ms = now_ms
        self.first_timestamp = NO_TIMESTAMP
        self.is_index_full = False
        self.is_unflushed = False
        self._file: File | None = None
        self._bytes_since_entry = 0
        self._max_timestamp: int | None = NO_TIMESTAMP if is_new else None
        self._max_timestamp_offset = base_offset
        self.configure(directory, config)

    @classmethod
    def create(cls, disk: Disk, directory: str, base_offset: int, config: LogConfig, now_ms: int) -> "Segment":
        """Create the file of a new, empty segment; its index files are created when they are written."""
        segment = cls(disk, directory, base_offset, config, size_bytes=0, now_ms=now_ms)
        segment._file = disk.open(segment.path, create=True)
        segment._file.truncate(0)
        return segment

    def configure(self, directory: str, config: LogConfig) -> None:
        self._index_interval_bytes = config.index_interval_bytes
        entries_max = config.segment_index_bytes // OFFSET_ENTRY_BYTES
        self._index_entries_max = min(entries_max, config.segment_index_bytes // TIME_ENTRY_BYTES)
        self.roll_after_ms = config.roll_after_ms(directory, self.base_offset)

    @property
    def path(self) -> str:
        return self.stem + LOG_SUFFIX

    @property
    def all_paths(self) -> list[str]:
        """All files of the segment, with the producer snapshots at its beginning."""
        return [self.stem + suffix for suffix in (*SUFFIXES, SNAPSHOT_SUFFIX, PRODUCERS_SUFFIX)]

    @property
    def file(self) -> File:
        """The open file; a closed segment opens it at the first use."""
        if self._file is None:
            self._file = self._disk.open(self.path)
        return self._file

    @property
    def is_open(self) -> bool:
        return self._file is not None

    def close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    @property
    def max_timestamp(self) -> int:
        """The largest timestamp in the segment, or -1."""
        if self._max_timestamp is None:
            self._load_max_timestamp()
        assert self._max_timestamp is not None
        return self._max_timestamp

    @property
    def max_timestamp_offset(self) -> int:
        """The last offset of the first batch that holds the largest timestamp."""
        return self._max_timestamp_offset if self.max_timestamp >= 0 else self.base_offset

    def stage(self, size: int, last_offset: int, max_timestamp: int) -> None:
        """Add a batch to sizes, indexes and largest timestamp."""
        if max_timestamp > self._max_timestamp:  # type: ignore[operator]  # the active segment always knows it
            self._max_timestamp = max_timestamp
            self._max_timestamp_offset = last_offset
        if self._bytes_since_entry > self._index_interval_bytes:
            self._add_entry(last_offset)
        if self.first_timestamp < 0:
            self.first_timestamp = max_timestamp
        self._bytes_since_entry += size
        self.size_bytes += size

    def must_roll(self, size: int, last_offset: int, max_timestamp: int, now_ms: int, segment_bytes: int) -> bool:
        """Return whether a batch needs a new segment."""
        if self.size_bytes == 0:
            return False
        if self.size_bytes + size > segment_bytes or self.is_index_full:
            return True
        if last_offset - self.base_offset > RELATIVE_OFFSET_MAX:
            return True
        # The age is the span of the batches' timestamps, or by the clock if they have none.
        if self.first_timestamp >= 0 and max_timestamp >= 0:
            return max_timestamp - self.first_timestamp > self.roll_after_ms
        return now_ms - self.created_ms > self.roll_after_ms

    def restage(self, position: int, last_offset: int, max_timestamp: int, size: int) -> None:
        """Add a batch that the file already has."""
        self.size_bytes = position
        self.stage(size, last_offset, max_timestamp)

    def forget_indexes(self) -> None:
        """Clear the indexes, before every batch is restaged."""
        self.offset_index.clear()
        self.time_index.clear()
        self.first_timestamp = NO_TIMESTAMP
        self.is_index_full = False
        self._bytes_since_entry = 0
        self._max_timestamp = NO_TIMESTAMP
        self._max_timestamp_offset = self.base_offset

    def close_books(self) -> None:
        """Add the closing time entry, which has the segment's largest timestamp."""
        if self._max_timestamp is not None and self._max_timestamp >= 0:
            self.time_index.append(self._max_timestamp, self._max_timestamp_offset - self.base_offset)

    def index_images(self) -> list[tuple[str, bytes]]:
        """Encode the index files whose entries are in memory."""
        images = []
        if self.offset_index.is_loaded:
            images.append((self.offset_index.path, self.offset_index.to_bytes()))
        if self.time_index.is_loaded:
            images.append((self.time_index.path, self.time_index.to_bytes()))
        return images

    def write_indexes(self) -> None:
        """Write the index files and release their memory."""
        for path, image in self.index_images():
            write_file(self._disk, path, image)
        self.release_indexes()

    def release_indexes(self) -> None:
        self.offset_index.release()
        self.time_index.release()

    def load_books(self) -> None:
        """Prepare a closed segment for appending."""
        self.offset_index.load()
        self.time_index.load()
        if self._max_timestamp is None:
            self._load_max_timestamp()
            last_entry = self.offset_index.lookup(2**32 - 1)
            self._bytes_since_entry = self.written_bytes - (last_entry.position if last_entry else 0)
        self.is_index_full = len(self.offset_index) >= self._index_entries_max
        first = next(walk_headers(self.file, 0, self.written_bytes), None)
        self.first_timestamp = first.header.max_timestamp if first else NO_TIMESTAMP

    def truncate(self, position: int) -> None:
        """Truncate file and indexes durably at a batch's position."""
        self.file.truncate(position)
        self.file.sync()
        self.size_bytes = self.written_bytes = position
        self.offset_index.load()
        self.time_index.load()
        self.offset_index.truncate(position)
        self._recount_timestamps()
        self.load_books()

    def _recount_timestamps(self) -> None:
        """Find the largest timestamp that is left: the index has it up to its last entry."""
        last_entry = self.offset_index.lookup(2**32 - 1)
        position, limit = (last_entry.position, last_entry.relative_offset + 1) if last_entry else (0, 0)
        self.time_index.truncate(limit)
        self._load_max_timestamp()
        for _, header in walk_headers(self.file, position, self.written_bytes):
            if header.max_timestamp > self.max_timestamp:
                self._max_timestamp, self._max_timestamp_offset = header.max_timestamp, header.last_offset
        self._bytes_since_entry = self.written_bytes - position

    def _load_max_timestamp(self) -> None:
        last = self.time_index.last()
        self._max_timestamp = last.timestamp if last else NO_TIMESTAMP
        self._max_timestamp_offset = self.base_offset + (last.relative_offset if last else 0)

    def _add_entry(self, last_offset: int) -> None:
        self.offset_index.append(last_offset - self.base_offset, self.size_bytes)
        if self._max_timestamp is not None and self._max_timestamp >= 0:
            self.time_index.append(self._max_timestamp, self._max_timestamp_offset - self.base_offset)
        self._bytes_since_entry = 0
        self.is_index_full = len(self.offset_index) >= self._index_entries_max


class SegmentList:
    """The segments of a log in offset order, the last one active. Never empty."""

    __slots__ = ("_bases", "_segments", "active")

    def __init__(self, segments: list[Segment]) -> None:
        self._segments = segments
        self._bases = [segment.base_offset for segment in segments]
        self.active = segments[-1]

    def __len__(self) -> int:
        return len(self._segments)

    def __iter__(self) -> Iterator[Segment]:
        return iter(self._segments)

    def __getitem__(self, slot: int) -> Segment:
        return self._segments[slot]

    @property
    def closed(self) -> list[Segment]:
        return self._segments[:-1]

    @property
    def size_bytes(self) -> int:
        return sum(segment.size_bytes for segment in self._segments)

    def slot_of(self, offset: int) -> int:
        """Return the slot of the segment with an offset; -1 below the first."""
        return bisect_right(self._bases, offset) - 1

    def end_offset_of(self, slot: int, log_end_offset: int) -> int:
        return self._bases[slot + 1] if slot + 1 < len(self._bases) else log_end_offset

    def append(self, segment: Segment) -> None:
        """Append a new active segment."""
        self._segments.append(segment)
        self._bases.append(segment.base_offset)
        self.active = segment

    def drop_first(self, count: int) -> list[Segment]:
        """Remove the oldest segments; the active one stays."""
        assert count < len(self._segments)
        dropped, self._segments[:count] = self._segments[:count], []
        del self._bases[:count]
        return dropped

    def drop_behind(self, slot: int) -> list[Segment]:
        """Remove every segment behind a slot, whose segment becomes active again."""
        dropped, self._segments[slot + 1 :] = self._segments[slot + 1 :], []
        del self._bases[slot + 1 :]
        self.active = self._segments[-1]
        return dropped

    def replace(self, bases: tuple[int, ...], segment: Segment) -> list[Segment]:
        """Replace closed neighbours by one segment."""
        first = self._bases.index(bases[0])
        behind = first + len(bases)
        assert tuple(self._bases[first:behind]) == bases, f"{bases} are not neighbours"
        assert behind < len(self._bases), "the active segment cannot be replaced"
        dropped, self._segments[first:behind] = self._segments[first:behind], [segment]
        self._bases[first:behind] = [segment.base_offset]
        return dropped
