"""Offsets as runs: which ones the files of a partition hold once, twice, or not at all.

Runs are two arrays, starts and exclusive ends: a hundred million offsets without a hole are one pair of numbers.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from chronik.spark.archive.coverage import OffsetRange

Offsets = npt.NDArray[np.int64]


class Runs(NamedTuple):
    """Ranges ``[starts[i], ends[i])``."""

    starts: Offsets
    ends: Offsets

    @property
    def size(self) -> int:
        """The number of offsets; one in two runs counts twice."""
        return int((self.ends - self.starts).sum())

    def ranges(self) -> list[OffsetRange]:
        return [OffsetRange(int(start), int(end)) for start, end in zip(self.starts, self.ends, strict=True)]


def runs_of(offsets: Offsets) -> Runs:
    """Return the runs of offsets in any order; a duplicate offset begins a new run, so that it stays a duplicate."""
    ordered = np.sort(offsets)
    breaks = np.flatnonzero(np.diff(ordered) != 1)
    starts = np.concatenate([ordered[:1], ordered[breaks + 1]])
    ends = np.concatenate([ordered[breaks], ordered[-1:]]) + 1
    return Runs(starts.astype(np.int64), ends.astype(np.int64))


def joined(parts: Iterable[Runs]) -> Runs:
    """Return the runs of several files in the order of their starts."""
    several = list(parts) or [Runs(np.empty(0, np.int64), np.empty(0, np.int64))]
    starts = np.concatenate([runs.starts for runs in several])
    ends = np.concatenate([runs.ends for runs in several])
    order = np.argsort(starts, kind="stable")
    return Runs(starts[order], ends[order])


def doubled(runs: Runs) -> list[OffsetRange]:
    """Return the offsets in more than one run."""
    if len(runs.starts) < 2:
        return []
    reached = np.maximum.accumulate(runs.ends)[:-1]
    overlaps = np.minimum(reached, runs.ends[1:]) - runs.starts[1:]
    at = np.flatnonzero(overlaps > 0)
    return union([OffsetRange(int(runs.starts[i + 1]), int(runs.starts[i + 1] + overlaps[i])) for i in at])


def gaps(runs: Runs, within: OffsetRange) -> list[OffsetRange]:
    """Return the offsets of a range that are in no run."""
    starts = np.concatenate([runs.starts, [within.end]]).clip(within.start, within.end)
    reached = np.maximum.accumulate(np.concatenate([[within.start], runs.ends])).clip(within.start, within.end)
    at = np.flatnonzero(starts > reached)
    return [OffsetRange(int(reached[i]), int(starts[i])) for i in at]


def union(ranges: Sequence[OffsetRange], bridged: int = 0) -> list[OffsetRange]:
    """Join ranges that touch, overlap, or have at most ``bridged`` offsets between them."""
    found: list[OffsetRange] = []
    for part in sorted(ranges):
        if found and part.start <= found[-1].end + bridged:
            found[-1] = OffsetRange(found[-1].start, max(found[-1].end, part.end))
        else:
            found.append(part)
    return found


def common(left: Sequence[OffsetRange], right: Sequence[OffsetRange]) -> list[OffsetRange]:
    """Return the offsets in both of two lists, each without overlaps and in order."""
    found = []
    i = j = 0
    while i < len(left) and j < len(right):
        start, end = max(left[i].start, right[j].start), min(left[i].end, right[j].end)
        if start < end:
            found.append(OffsetRange(start, end))
        if left[i].end < right[j].end:
            i += 1
        else:
            j += 1
    return found


def without(ranges: Sequence[OffsetRange], removed: Sequence[OffsetRange]) -> list[OffsetRange]:
    """Return the offsets of the first list that are not in the second, both without overlaps and in order."""
    kept = Runs(*(np.array([getattr(part, end) for part in removed], np.int64) for end in ("start", "end")))
    return [rest for part in ranges for rest in gaps(_near(kept, part), part)]


def _near(runs: Runs, part: OffsetRange) -> Runs:
    first = int(np.searchsorted(runs.ends, part.start, side="right"))
    last = int(np.searchsorted(runs.starts, part.end, side="left"))
    return Runs(runs.starts[first:last], runs.ends[first:last])
