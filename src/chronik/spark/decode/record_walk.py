"""Find where the records of many batches begin and end: the n-th records of all ranges in one step."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from chronik.spark.decode.varints import Bytes, Ints, read_varints
from chronik.spark.decode.walk_ranges import RECORD_LENGTH_MIN, WalkRanges, split_ranges

# A place is the position of a record, and in the lowest bits the size of its length field: one number to sort.
_SHIFT: Final = 4
_MASK: Final = (1 << _SHIFT) - 1
_NOWHERE: Final = -1


class Walked(NamedTuple):
    """The records of the sound bodies, in the order of the data."""

    fields: Ints
    """The position of each record's attributes, after its length."""
    ends: Ints
    is_broken: npt.NDArray[np.bool_]
    """Bodies with inconsistent records, which are left out."""


def walk_records(data: Bytes, starts: Ints, ends: Ints, counts: Ints) -> Walked:
    """Find the records of bodies in the order of ``data``; each body must hold exactly its count."""
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
    """Walk all ranges; return the places in confirmed ranges, and the broken bodies."""
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
    """Advances all ranges by one record at each step, until each lands on the start of another, or on its body's end.

    A walk that steps over the start of the next range continues until it lands: one of the two is a wrong guess.
    """

    def __init__(self, data: Bytes, ranges: WalkRanges) -> None:
        self._data = data
        self._ranges = ranges
        self._found: list[Ints] = []
        self._owners: list[npt.NDArray[np.intp]] = []
        self.landed: Ints = np.full(len(ranges.starts), _NOWHERE)

    def run(self) -> None:
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
        """Move the limit of a walk that stepped over it to the next range's start, or to its body's end."""
        is_over = behind > limits
        if not is_over.any():
            return limits
        following = np.searchsorted(self._ranges.starts, behind)
        starts = np.append(self._ranges.starts, np.iinfo(np.int64).max)[following]
        return np.where(is_over, np.minimum(starts, ends), limits)

    def places(self, is_certain: npt.NDArray[np.bool_] | None = None) -> Ints:
        """Return the places of all ranges, or of some."""
        if not self._found:
            return np.empty(0, np.int64)
        everything = np.concatenate(self._found)
        return everything if is_certain is None else everything[is_certain[np.concatenate(self._owners)]]
