"""The segments of a log in the order of their offsets; the last one is active."""

from bisect import bisect_right
from collections.abc import Iterator

from chronik.storage.segment import Segment


class SegmentList:
    """Never empty: a log without records has an empty active segment."""

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
        """Find the segment that holds an offset; -1 below the first."""
        return bisect_right(self._bases, offset) - 1

    def end_offset_of(self, slot: int, log_end_offset: int) -> int:
        """Give the offset at which a segment ends."""
        return self._bases[slot + 1] if slot + 1 < len(self._bases) else log_end_offset

    def append(self, segment: Segment) -> None:
        """Make a new segment the active one."""
        self._segments.append(segment)
        self._bases.append(segment.base_offset)
        self.active = segment

    def drop_first(self, count: int) -> list[Segment]:
        """Take the oldest segments out; the active one stays."""
        assert count < len(self._segments)
        dropped, self._segments[:count] = self._segments[:count], []
        del self._bases[:count]
        return dropped

    def drop_behind(self, slot: int) -> list[Segment]:
        """Take out every segment behind a slot, whose segment becomes active again."""
        dropped, self._segments[slot + 1 :] = self._segments[slot + 1 :], []
        del self._bases[slot + 1 :]
        self.active = self._segments[-1]
        return dropped

    def replace(self, bases: tuple[int, ...], segment: Segment) -> list[Segment]:
        """Put one segment in the place of neighbours that are all closed."""
        first = self._bases.index(bases[0])
        behind = first + len(bases)
        assert tuple(self._bases[first:behind]) == bases, f"{bases} are not neighbours"
        assert behind < len(self._bases), "the active segment cannot be replaced"
        dropped, self._segments[first:behind] = self._segments[first:behind], [segment]
        self._bases[first:behind] = [segment.base_offset]
        return dropped
