"""How a log is read: from the right segment, at a place that is mostly known already.

Readers go through a log in order, so the place where a read ended is kept for a while: the next one starts there
without a look in the index. A hint is checked like everything else that is read.
"""

from typing import Final

from chronik.storage.errors import CorruptBatchError
from chronik.storage.leader_epochs import LeaderEpochs
from chronik.storage.reading import Found, LogRead, ReadLimits, collect, locate, locate_carefully
from chronik.storage.segment import Segment
from chronik.storage.segment_list import SegmentList

HINTS_MAX: Final = 64
OPEN_CLOSED_SEGMENTS_MAX: Final = 4
_EMPTY: Final = b""


class LogReader:
    """Reads the segments of one log and keeps few files of closed ones open."""

    __slots__ = ("_epochs", "_hints", "_opened", "_segments", "is_dense")

    def __init__(self, segments: SegmentList, epochs: LeaderEpochs, *, is_dense: bool) -> None:
        self._segments = segments
        self._epochs = epochs
        self._hints: dict[int, tuple[Segment, int]] = {}
        self._opened: list[Segment] = []
        self.is_dense = is_dense

    def read(self, offset: int, limits: ReadLimits) -> LogRead:
        """Give batches from the one that holds an offset on, which must lie in the log and below the limit."""
        slot = self._segments.slot_of(offset)
        hint = self._hints.get(offset)
        if hint is not None and hint[0] is self._segments[slot]:
            try:
                return self._collect(hint[0], Found(hint[1], offset), limits)
            except CorruptBatchError:
                del self._hints[offset]
        return self._read_from(slot, offset, limits)

    def holds_open(self, segment: Segment) -> bool:
        return segment in self._opened

    def forget(self) -> None:
        """Forget places and files, because segments were cut or replaced."""
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
        """Go on in the next segment: compaction removed the batch, or (in a log without gaps) it is missing."""
        later = self._segments[slot + 1] if slot + 1 < len(self._segments) else None
        if self.is_dense:
            segment, next_good = self._segments[slot], later.base_offset if later else -1
            position = segment.written_bytes
            raise CorruptBatchError(offset, segment.path, position, "the batch is missing", next_good, offset)
        if later is None or later.base_offset >= limits.end_offset:
            return LogRead(_EMPTY, limits.end_offset)
        return self._read_from(slot + 1, later.base_offset, limits)

    def _collect(self, segment: Segment, found: Found, limits: ReadLimits) -> LogRead:
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
