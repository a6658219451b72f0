"""Split large batches into byte ranges whose records are found in parallel.

A record's start is known from the length of the one before it. A guessed start inside a batch is confirmed when
the walk of the range before it ends exactly there. A wrong guess costs time, never a record.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from chronik.spark.decode.varints import Bytes, Ints, read_varints

RECORD_LENGTH_MIN: Final = 6
"""One byte each for attributes, two deltas, two lengths and the number of headers."""

_RANGES_WANTED: Final = 512
_RECORDS_PER_RANGE_MIN: Final = 32
_WINDOW_BYTES_MIN: Final = 64
_WINDOW_BYTES_MAX: Final = 4096
_LENGTH_BYTES_LOOKED_AT: Final = 3
_HOPS: Final = 6


class WalkRanges(NamedTuple):
    """Byte ranges in the order of the data, each up to the start of the next."""

    starts: Ints
    ends: Ints
    bodies: Ints
    """The body of each range."""
    body_ends: Ints


def whole_bodies(starts: Ints, ends: Ints) -> WalkRanges:
    """Return one range for each body: certain, and slow where a few bodies hold many records."""
    return WalkRanges(starts, ends, np.arange(len(starts)), ends)


def split_ranges(data: Bytes, starts: Ints, ends: Ints, counts: Ints) -> WalkRanges:
    """WalkRanges for bodies of ``counts`` records: several for a body that holds much more than its share."""
    counts = np.clip(counts, 1, (ends - starts) // RECORD_LENGTH_MIN + 1)
    pieces = np.maximum(counts // max(_RECORDS_PER_RANGE_MIN, int(counts.sum()) // _RANGES_WANTED), 1)
    bodies = np.repeat(np.arange(len(starts)), pieces - 1)
    if not len(bodies):
        return whole_bodies(starts, ends)
    numbers = np.arange(len(bodies)) - np.repeat(np.cumsum(pieces - 1) - (pieces - 1), pieces - 1) + 1
    begins = starts[bodies] + (ends - starts)[bodies] * numbers // pieces[bodies]
    mean = int(((ends - starts) // counts).max())
    width = min(max(mean + mean // 2, _WINDOW_BYTES_MIN), _WINDOW_BYTES_MAX)
    guesses, of_guess = _guess(data, begins, ends[bodies], width)
    return _ranges(starts, ends, guesses, bodies[of_guess])


def _ranges(starts: Ints, ends: Ints, guesses: Ints, bodies: Ints) -> WalkRanges:
    all_starts = np.concatenate([starts, guesses])
    all_bodies = np.concatenate([np.arange(len(starts)), bodies])
    order = np.argsort(all_starts, kind="stable")
    all_starts, all_bodies = all_starts[order], all_bodies[order]
    is_new = np.append(True, all_starts[1:] != all_starts[:-1])
    all_starts, all_bodies = all_starts[is_new], all_bodies[is_new]
    is_last = np.append(all_bodies[1:] != all_bodies[:-1], True)
    range_ends = np.where(is_last, ends[all_bodies], np.append(all_starts[1:], 0))
    return WalkRanges(all_starts, range_ends, all_bodies, ends[all_bodies])


def _guess(data: Bytes, begins: Ints, ends: Ints, width: int) -> tuple[Ints, npt.NDArray[np.intp]]:
    """Return the first plausible start of a record in each window that has one, and these windows."""
    steps = np.arange(width + _LENGTH_BYTES_LOOKED_AT)
    windows = data.take(begins[:, None] + steps, mode="clip")
    rows, columns = np.nonzero(_may_begin(windows))
    places = begins[rows] + columns
    is_plausible = _leads_on(data, places, ends[rows])
    rows, places = rows[is_plausible], places[is_plausible]
    of_window, first = np.unique(rows, return_index=True)
    return places[first], of_window


def _may_begin(windows: Bytes) -> npt.NDArray[np.bool_]:
    """Return where a length of one to three bytes is followed by attributes, which are always zero."""
    first, second, third, fourth = (windows[:, skip : windows.shape[1] - 3 + skip] for skip in range(4))
    two, three = first >= 0x80, second >= 0x80
    one_byte = ~two & (second == 0) & (first >= 2 * RECORD_LENGTH_MIN)
    two_bytes = two & ~three & (third == 0)
    three_bytes = two & three & (third < 0x80) & (fourth == 0)
    found: npt.NDArray[np.bool_] = one_byte | two_bytes | three_bytes
    return found


def _leads_on(data: Bytes, places: Ints, ends: Ints) -> npt.NDArray[np.bool_]:
    """Return whether each place is followed by several more records, or by the body's end."""
    is_plausible = np.ones(len(places), np.bool_)
    for _ in range(_HOPS):
        lengths, bodies = read_varints(data, places)
        behind = bodies + lengths
        has_room = (lengths >= RECORD_LENGTH_MIN) & (behind <= ends)
        is_zero = data.take(bodies, mode="clip") == 0
        is_plausible &= (has_room & is_zero) | (places == ends)
        places = np.where(is_plausible, behind, ends)
        places = np.minimum(places, ends)
    return is_plausible
