"""Finding records by time: through the time index to a batch, then inside it."""

from collections.abc import Iterator
from typing import NamedTuple

from chronik.records.batch import BatchHeader, crc_is_right
from chronik.records.iterate import StoredRecord, records_of
from chronik.storage.errors import CorruptBatchError
from chronik.storage.leader_epochs import LeaderEpochs
from chronik.storage.reading import locate
from chronik.storage.scan import walk_headers
from chronik.storage.segment import Segment
from chronik.storage.segment_list import SegmentList


class FoundOffset(NamedTuple):
    """A record that was asked for by time."""

    timestamp: int
    offset: int
    leader_epoch: int


class TimeLookup:
    """Looks in the written part of one log."""

    def __init__(
        self, segments: SegmentList, epochs: LeaderEpochs, log_start_offset: int, log_end_offset: int, *, is_dense: bool
    ) -> None:
        self._segments = segments
        self._epochs = epochs
        self._start = log_start_offset
        self._end = log_end_offset
        self._is_dense = is_dense

    def first_at_or_after(self, timestamp: int) -> FoundOffset | None:
        """Find the first record whose timestamp is not smaller."""
        for segment in self._segments:
            if segment.max_timestamp < timestamp:
                continue
            behind = segment.time_index.offset_before(timestamp)
            for record in self._records_from(segment, segment.base_offset + behind + 1, timestamp):
                if record.timestamp >= timestamp and self._start <= record.offset < self._end:
                    return self._found(record)
        return None

    def largest(self) -> FoundOffset | None:
        """Find the first record with the largest timestamp."""
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
        """Give records among which the segment's largest readable timestamp is."""
        behind = segment.time_index.offset_before(timestamp)
        found = [r for r in self._records_from(segment, segment.base_offset + behind + 1, timestamp) if self._holds(r)]
        # Where the largest one was deleted or is not written yet, the next largest may be anywhere in the segment.
        return iter(found) if found else filter(self._holds, self._records_from(segment, segment.base_offset, 0))

    def _holds(self, record: StoredRecord) -> bool:
        return self._start <= record.offset < self._end

    def _records_from(self, segment: Segment, offset: int, timestamp: int) -> Iterator[StoredRecord]:
        """Give the records of batches from an offset on whose largest timestamp is not smaller."""
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
