"""Where the records of many batches begin and end: the n-th records of all batches are found in one step."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from chronik.spark.decode.varints import Bytes, Ints, read_varints
from chronik.spark.decode.walk_ranges import RECORD_LENGTH_MIN, WalkRanges, split_ranges

# A place is where a record begins and, in the lowest bits, how many bytes its length takes: one number to sort.
_SHIFT: Final = 4
_MASK: Final = (1 << _SHIFT) - 1
_NOWHERE: Final = -1


class Walked(NamedTuple):
    """The records of the sound bodies, in the order of the data."""

    fields: Ints
    """Where each record's attributes stand, behind its length."""
    ends: Ints
    is_broken: npt.NDArray[np.bool_]
    """Which bodies have records that do not add up; nothing of them is in the walk."""


def walk_records(data: Bytes, starts: Ints, ends: Ints, counts: Ints) -> Walked:
    """Find the records of bodies that lie in ``data`` in this order; each must hold its count and nothing else."""
    places, is_broken = _places(data, split_ranges(data, starts, ends, counts), len(starts))
    places.sort()
    found = np.diff(np.searchsorted(places, starts << _SHIFT), append=len(places))
    is_broken |= found != counts
    if is_broken.any():
        places = places[~np.repeat(is_broken, found)]
    begins = places >> _SHIFT
    record_ends = np.append(begins[1:], 0)[: len(begins)]
    record_ends[np.cumsum(counts[~is_broken]) - 1] = ends[~is_broken]
    return Walked(begins + (places & _MASK), record_ends, is_broken)


def _places(data: Bytes, ranges: WalkRanges, body_count: int) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Walk all ranges; give the places of the ranges that were arrived at, and the bodies that come to no end."""
    walk = _ParallelWalk(data, ranges)
    walk.run()
    is_broken = np.zeros(body_count, np.bool_)
    if np.array_equal(walk.landed, ranges.ends):
        return walk.places(), is_broken
    is_certain = np.zeros(len(ranges.starts), np.bool_)
    number_at = {start: number for number, start in enumerate(ranges.starts.tolist())}
    landed, body_ends = walk.landed.tolist(), ranges.body_ends.tolist()
    for body, number in enumerate(np.searchsorted(ranges.bodies, np.arange(body_count)).tolist()):
        is_certain[number] = True
        while landed[number] in number_at and landed[number] != body_ends[number]:
            number = number_at[landed[number]]
            is_certain[number] = True
        is_broken[body] = landed[number] != body_ends[number]
    return walk.places(is_certain), is_broken


class _ParallelWalk:
    """All ranges, one record further at each step, until each has landed where another begins or its body ends.

    A range that steps over the beginning of the next has shown that one to be a wrong guess, or is one itself: it goes
    on until it lands.
    """

    def __init__(self, data: Bytes, ranges: WalkRanges) -> None:
        self._data = data
        self._ranges = ranges
        self._found: list[Ints] = []
        self._owners: list[npt.NDArray[np.intp]] = []
        self.landed: Ints = np.full(len(ranges.starts), _NOWHERE)

    def run(self) -> None:
        """Walk to the end."""
        numbers: npt.NDArray[np.intp] = np.arange(len(self._ranges.starts))
        positions, limits, ends = self._ranges.starts, self._ranges.ends, self._ranges.body_ends
        while len(positions):
            lengths, fields = read_varints(self._data, positions)
            self._found.append((positions << _SHIFT) + (fields - positions))
            self._owners.append(numbers)
            goes_on = (lengths < limits - fields) & (lengths >= RECORD_LENGTH_MIN)
            if not goes_on.all():
                is_sound = (lengths <= ends - fields) & (lengths >= RECORD_LENGTH_MIN)
                fields, lengths, limits, ends, numbers = (a[is_sound] for a in (fields, lengths, limits, ends, numbers))
                behind = fields + lengths
                limits = self._limits_ahead(behind, limits, ends)
                has_landed = behind == limits
                self.landed[numbers[has_landed]] = limits[has_landed]
                goes_on = ~has_landed
                fields, lengths, limits, ends, numbers = (a[goes_on] for a in (fields, lengths, limits, ends, numbers))
            positions = fields + lengths

    def _limits_ahead(self, behind: Ints, limits: Ints, ends: Ints) -> Ints:
        """Give those that have stepped over their limit the next range's beginning, or their body's end."""
        is_over = behind > limits
        if not is_over.any():
            return limits
        following = np.searchsorted(self._ranges.starts, behind)
        starts = np.append(self._ranges.starts, np.iinfo(np.int64).max)[following]
        return np.where(is_over, np.minimum(starts, ends), limits)

    def places(self, is_certain: npt.NDArray[np.bool_] | None = None) -> Ints:
        """Give what was found on all ranges, or on some of them."""
        if not self._found:
            return np.empty(0, np.int64)
        everything = np.concatenate(self._found)
        return everything if is_certain is None else everything[is_certain[np.concatenate(self._owners)]]
