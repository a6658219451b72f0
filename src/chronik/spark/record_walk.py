"""Where the records of many batches begin and end: the n-th records of all batches are found in one step."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from chronik.spark.record_lanes import RECORD_LENGTH_MIN, Lanes, split_lanes
from chronik.spark.varints import Bytes, Ints, read_varints

# A place is where a record begins and, in the lowest bits, how many bytes its length takes: one number to sort.
_SHIFT: Final = 4
_MASK: Final = (1 << _SHIFT) - 1


class Walked(NamedTuple):
    """The records of the sound bodies, in the order of the data."""

    fields: Ints
    """Where each record's attributes stand, behind its length."""
    ends: Ints
    is_broken: npt.NDArray[np.bool_]
    """Which bodies have records that do not add up; nothing of them is in the walk."""


def walk_records(data: Bytes, starts: Ints, ends: Ints, counts: Ints) -> Walked:
    """Find the records of bodies that lie in ``data`` in this order; each must hold its count and nothing else."""
    places, failed = _step(data, split_lanes(data, starts, ends, counts))
    if len(failed):
        # A guess was wrong, or the body is: without guesses it is seen which.
        places = places[~np.isin(np.searchsorted(starts, places >> _SHIFT, side="right") - 1, failed)]
        again, failed = _step(data, Lanes(starts[failed], ends[failed], failed))
        places = np.concatenate([places, again])
    places.sort()
    found = np.diff(np.searchsorted(places, starts << _SHIFT), append=len(places))
    is_broken = found != counts
    is_broken[failed] = True
    if is_broken.any():
        places = places[~np.repeat(is_broken, found)]
    begins = places >> _SHIFT
    record_ends = np.append(begins[1:], 0)[: len(begins)]
    record_ends[np.cumsum(counts[~is_broken]) - 1] = ends[~is_broken]
    return Walked(begins + (places & _MASK), record_ends, is_broken)


def _step(data: Bytes, lanes: Lanes) -> tuple[Ints, Ints]:
    """Walk all lanes record by record; give the places found, and the bodies of lanes that did not end where due."""
    positions, limits, bodies = lanes
    found: list[Ints] = []
    failed: list[Ints] = []
    while len(positions):
        lengths, fields = read_varints(data, positions)
        room = limits - fields
        found.append((positions << _SHIFT) + (fields - positions))
        goes_on = (lengths < room) & (lengths >= RECORD_LENGTH_MIN)
        if not goes_on.all():
            is_wrong = ~goes_on & ((lengths != room) | (lengths < RECORD_LENGTH_MIN))
            failed.append(bodies[is_wrong])
            fields, lengths, limits, bodies = (a[goes_on] for a in (fields, lengths, limits, bodies))
        positions = fields + lengths
    everything = np.concatenate(found) if found else np.empty(0, np.int64)
    return everything, np.unique(np.concatenate(failed)) if failed else np.empty(0, np.int64)
