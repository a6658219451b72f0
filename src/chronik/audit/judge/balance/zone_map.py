"""What pass 1 notes of every portion, so that pass 2 reads only those that hold something it asks for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from chronik.audit.judge.balance.bucketing import numbered
from chronik.audit.judge.balance.cells import TOUCH_WIDTH, Cell, CellKey, Kind, Summary, records
from chronik.audit.judge.balance.reconcile import Wanted
from chronik.audit.judge.balance.runs import Stretches
from chronik.audit.judge.balance.splits import Piece, Portion, Side
from chronik.audit.judge.balance.summaries import OrderSegment, add_delivered, add_sends, add_stored
from chronik.audit.judge.classify.context import Surroundings
from chronik.audit.tables.bitmaps import LEAF_BITS, LEAVES
from chronik.audit.tables.columns import Ints
from chronik.audit.tables.stream_files import Bounds

PRODUCERS_MAX: Final = 64
"""Portions with more producers than these are noted with one range of leaves for all."""
ANY_PRODUCER: Final = -1
_IDS: Final = 0
_OFFSETS: Final = 1


def add_piece(summary: Summary, number: int, piece: Piece, around: Surroundings) -> None:
    """Pass 1 over one piece: sum up its rows, and note where they are."""
    for portion in piece.portions():
        match piece.side:
            case Side.SENT:
                stretches = add_sends(summary, portion.rows)
            case Side.STORED:
                stretches = add_stored(summary, portion.rows, around)
            case Side.DELIVERED:
                stretches = add_delivered(summary, portion.rows, around)
        note(summary, number, piece.side, portion, stretches)


def note(summary: Summary, number: int, side: Side, portion: Portion, stretches: Stretches) -> None:
    """Note which leaves of ids and which offsets the rows of a portion of a piece are in."""
    found = _by_producer(stretches.producers, stretches.sequences >> LEAF_BITS, _last_leaves(stretches))
    ranges = [(_IDS, *one) for one in found]
    if side is not Side.SENT:
        lasts = stretches.offsets + stretches.lengths - 1
        ranges += [(_OFFSETS, *one) for one in _ranges(stretches.partitions, stretches.offsets, lasts)]
    numbers = tuple(one for found in ranges for one in (portion.first, portion.end, *found))
    summary.add(CellKey(Kind.TOUCHED, "", number, 0), Cell(numbers=numbers))


def _last_leaves(stretches: Stretches) -> Ints:
    return (stretches.sequences + stretches.lengths - 1) >> LEAF_BITS


def _by_producer(producers: Ints, firsts: Ints, lasts: Ints) -> list[tuple[int, int, int]]:
    found = _ranges(producers, firsts, lasts)
    if len(found) <= PRODUCERS_MAX:
        return found
    return [(ANY_PRODUCER, int(firsts.min()), int(lasts.max()))]


def _ranges(keys: Ints, firsts: Ints, lasts: Ints) -> list[tuple[int, int, int]]:
    """Give the lowest first and the highest last number of each key."""
    names, which = numbered(keys)
    lows, highs = np.full(len(names), np.iinfo(np.int64).max), np.full(len(names), np.iinfo(np.int64).min)
    np.minimum.at(lows, which, firsts)
    np.maximum.at(highs, which, lasts)
    return list(zip(names, lows.tolist(), highs.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Rereading:
    """Portions of a piece that are read a second time."""

    piece: Piece
    chosen: tuple[Bounds, ...]

    @property
    def side(self) -> Side:
        return self.piece.side

    def tables(self) -> Iterator[pa.Table]:
        """Read them, with all columns."""
        yield from self.piece.again(self.chosen)


def touched(pieces: Sequence[Piece], summary: Summary, wanted: Wanted | None = None) -> list[Rereading]:
    """Give the portions that hold rows which pass 2 asks for, and a few others; all of them, where nothing is asked."""
    asked = None if wanted is None else _Asked(wanted)
    found = []
    for at, cell in summary.of_kind(Kind.TOUCHED).items():
        side, by_portion = pieces[at.key].side, _by_portion(cell)
        chosen = [bounds for bounds, what in sorted(by_portion.items()) if asked is None or asked.is_in(side, what)]
        if chosen:
            found.append(Rereading(pieces[at.key], tuple(chosen)))
    return found


def _by_portion(cell: Cell) -> dict[Bounds, list[tuple[int, ...]]]:
    found: dict[Bounds, list[tuple[int, ...]]] = {}
    for first, end, *what in records(cell.numbers, TOUCH_WIDTH):
        found.setdefault((first, end), []).append(tuple(what))
    return found


class _Asked:
    """What pass 2 asks for, by what can be looked up quickly."""

    def __init__(self, wanted: Wanted) -> None:
        leaves = {producer: _leaves(producer, wanted) for producer in wanted.buckets}
        everything = np.unique(np.concatenate([np.empty(0, np.int64), *leaves.values()]))
        self._leaves: Mapping[int, Ints] = {**leaves, ANY_PRODUCER: everything}
        self._disputed = wanted.disputed
        self._out_of_order = _out_of_order(wanted)

    def is_in(self, side: Side, ranges: Iterable[tuple[int, ...]]) -> bool:
        return any(self._is_hit(side, *one) for one in ranges)

    def _is_hit(self, side: Side, kind: int, key: int, first: int, last: int) -> bool:
        if kind == _IDS:
            return _has(self._leaves.get(key), first, last)
        is_reordered = side is Side.STORED and _has(self._out_of_order.get(key), first, last)
        return is_reordered or _has(self._disputed.get(key), first, last)


def _leaves(producer: int, wanted: Wanted) -> Ints:
    return np.array(
        [
            block * LEAVES + leaf
            for block in sorted(wanted.buckets[producer])
            for leaf in sorted(wanted.leaves.get((producer, block), range(LEAVES)))
        ],
        np.int64,
    )


def _has(numbers: Ints | None, first: int, last: int) -> bool:
    return numbers is not None and bool(np.searchsorted(numbers, first) < np.searchsorted(numbers, last, side="right"))


def _out_of_order(wanted: Wanted) -> dict[int, Ints]:
    """Give by partition where the segments begin in which a record stands behind a later one."""
    found: dict[int, list[int]] = {}
    for (partition, _), segments in wanted.unordered.items():
        found.setdefault(partition, []).extend(_late_segments(segments))
    return {partition: np.array(sorted(firsts), np.int64) for partition, firsts in found.items()}


def _late_segments(segments: Iterable[OrderSegment]) -> Iterator[int]:
    highest = -1
    for segment in segments:
        if segment.inversions or segment.first_sequence < highest:
            yield segment.first_offset
        highest = max(highest, segment.highest_sequence)
