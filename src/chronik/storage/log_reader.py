"""Read a log by offset or by time.

Readers go through a log in order, so the position where a read ended is kept for a while: the next read starts there
without an index lookup. Such a hint is checked like everything else. A search by time uses the time index to find a
batch, and then reads its records.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from chronik.records.batch import BatchHeader, crc_is_right
from chronik.records.iterate import StoredRecord, records_of
from chronik.storage.errors import CorruptBatchError
from chronik.storage.leader_epochs import LeaderEpochs
from chronik.storage.reading import FoundBatch, LogRead, ReadLimits, collect, locate, locate_carefully
from chronik.storage.scan import walk_headers
from chronik.storage.segment import Segment, SegmentList

HINTS_MAX: Final = 64
OPEN_CLOSED_SEGMENTS_MAX: Final = 4
_EMPTY: Final = b""


class LogReader:
    """Reads the segments of one log and keeps a few files of closed ones open."""

    __slots__ = ("_epochs", "_hints", "_opened", "_segments", "is_dense")

    def __init__(self, segments: SegmentList, epochs: LeaderEpochs, *, is_dense: bool) -> None:
        self._segments = segments
        self._epochs = epochs
        self._hints: dict[int, tuple[Segment, int]] = {}
        self._opened: list[Segment] = []
        self.is_dense = is_dense

    def read(self, offset: int, limits: ReadLimits) -> LogRead:
        """Return batches from the one with an offset on; the offset must be in the log and below the limit."""
        slot = self._segments.slot_of(offset)
        hint = self._hints.get(offset)
        if hint is not None and hint[0] is self._segments[slot]:
            try:
                return self._collect(hint[0], FoundBatch(hint[1], offset), limits)
            except CorruptBatchError:
                del self._hints[offset]
        return self._read_from(slot, offset, limits)

    def holds_open(self, segment: Segment) -> bool:
        return segment in self._opened

    def forget(self) -> None:
        """Forget positions and files, because segments were truncated or replaced."""
        self._hints.clear()
        self._opened.clear()

    def _read_from(self, slot: int, offset: int, limits: ReadLimits) -> LogRead:
        segment = self._segments[slot]
        found = locate(segment, offset, is_dense=self.is_dense)
        if found is None:
            return self._read_behind(slot, offset, limits)
        try:
            return self._collect(segment, found, limits)
        except CorruptBatchError:
            found = locate_carefully(segment, offset, is_dense=self.is_dense)
            if found is None:
                raise
            return self._collect(segment, found, limits)

    def _read_behind(self, slot: int, offset: int, limits: ReadLimits) -> LogRead:
        """Continue in the next segment: compaction removed the batch, or (in a log without gaps) it is missing."""
        later = self._segments[slot + 1] if slot + 1 < len(self._segments) else None
        if self.is_dense:
            segment, next_good = self._segments[slot], later.base_offset if later else -1
            position = segment.written_bytes
            raise CorruptBatchError(offset, segment.path, position, "the batch is missing", next_good, offset)
        if later is None or later.base_offset >= limits.end_offset:
            return LogRead(_EMPTY, limits.end_offset)
        return self._read_from(slot + 1, later.base_offset, limits)

    def _collect(self, segment: Segment, found: FoundBatch, limits: ReadLimits) -> LogRead:
        if segment is not self._segments.active and segment not in self._opened:
            self._note_opened(segment)
        read = collect(segment, found, limits, self._epochs, is_dense=self.is_dense)
        hints = self._hints
        hints[read.next_offset] = (segment, found.position + len(read.data))
        if len(hints) > HINTS_MAX:
            del hints[next(iter(hints))]
        return read

    def _note_opened(self, segment: Segment) -> None:
        self._opened.append(segment)
        if len(self._opened) > OPEN_CLOSED_SEGMENTS_MAX:
            oldest = self._opened.pop(0)
            if not oldest.is_unflushed:
                oldest.close_file()


class FoundOffset(NamedTuple):
    """A record that was found by time."""

    timestamp: int
    offset: int
    leader_epoch: int


class TimeLookup:
    """Searches the written part of one log by time."""

    def __init__(
        self, segments: SegmentList, epochs: LeaderEpochs, log_start_offset: int, log_end_offset: int, *, is_dense: bool
    ) -> None:
        self._segments = segments
        self._epochs = epochs
        self._start = log_start_offset
        self._end = log_end_offset
        self._is_dense = is_dense

    def first_at_or_after(self, timestamp: int) -> FoundOffset | None:
        """Return the first record whose timestamp is not smaller."""
        for segment in self._segments:
            if segment.max_timestamp < timestamp:
                continue
            behind = segment.time_index.offset_before(timestamp)
            for record in self._records_from(segment, segment.base_offset + behind + 1, timestamp):
                if record.timestamp >= timestamp and self._start <= record.offset < self._end:
                    return self._found(record)
        return None

    def largest(self) -> FoundOffset | None:
        """Return the first record with the largest timestamp."""
        best: StoredRecord | None = None
        for segment in sorted(self._segments, key=lambda each: each.max_timestamp, reverse=True):
            timestamp = segment.max_timestamp
            if timestamp < 0 or (best is not None and best.timestamp >= timestamp):
                break
            best = max(
                (record for record in self._readable(segment, timestamp)),
                key=lambda record: (record.timestamp, -record.offset),
                default=best,
            )
        return self._found(best) if best is not None else None

    def _readable(self, segment: Segment, timestamp: int) -> Iterator[StoredRecord]:
        """Return records that include the segment's largest readable timestamp."""
        behind = segment.time_index.offset_before(timestamp)
        found = [r for r in self._records_from(segment, segment.base_offset + behind + 1, timestamp) if self._holds(r)]
        # If the largest one was deleted or is not written yet, the next largest may be anywhere in the segment.
        return iter(found) if found else filter(self._holds, self._records_from(segment, segment.base_offset, 0))

    def _holds(self, record: StoredRecord) -> bool:
        return self._start <= record.offset < self._end

    def _records_from(self, segment: Segment, offset: int, timestamp: int) -> Iterator[StoredRecord]:
        """Return the records of batches from an offset on whose largest timestamp is not smaller."""
        offset = max(offset, self._start)
        if offset >= self._end:
            return
        found = locate(segment, offset, is_dense=self._is_dense)
        if found is None:
            return
        for position, header in walk_headers(segment.file, found.position, segment.written_bytes):
            if header.base_offset >= self._end:
                return
            if header.max_timestamp >= timestamp:
                yield from records_of(_checked_batch(segment, position, header))

    def _found(self, record: StoredRecord) -> FoundOffset:
        return FoundOffset(record.timestamp, record.offset, self._epochs.epoch_of(record.offset))


def _checked_batch(segment: Segment, position: int, header: BatchHeader) -> bytes:
    batch = segment.file.pread(header.size_bytes, position)
    if not crc_is_right(batch, 0, header.size_bytes):
        offset = header.base_offset
        raise CorruptBatchError(offset, segment.path, position, "the CRC does not match", -1, offset)
    return batch
