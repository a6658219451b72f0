"""Pass 1 notes the ids and offsets of every chunk; pass 2 reads only the chunks that hold unbalanced ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from chronik.audit.judge.balance.bucketing import numbered
from chronik.audit.judge.balance.entries import ZONE_WIDTH, EntryKey, EntryKind, Summary, SummaryEntry, records
from chronik.audit.judge.balance.reconcile import Unbalanced
from chronik.audit.judge.balance.runs import RowRuns
from chronik.audit.judge.balance.splits import Side, Split, SplitChunk
from chronik.audit.judge.balance.summaries import OrderSegment, add_delivered, add_sends, add_stored
from chronik.audit.judge.classify.context import AuditContext
from chronik.audit.tables.bitmaps import SUB_BUCKET_BITS, SUB_BUCKETS
from chronik.audit.tables.columns import Ints
from chronik.audit.tables.stream_files import Bounds

PRODUCERS_MAX: Final = 64
"""Chunks with more producers than these are noted with one range of sub-buckets for all."""
ANY_PRODUCER: Final = -1
_IDS: Final = 0
_OFFSETS: Final = 1


def add_split(summary: Summary, number: int, split: Split, context: AuditContext) -> None:
    """Pass 1 over one split: sum up its rows, and note their ids and offsets."""
    for chunk in split.chunks():
        match split.side:
            case Side.SENT:
                runs = add_sends(summary, chunk.rows)
            case Side.STORED:
                runs = add_stored(summary, chunk.rows, context)
            case Side.DELIVERED:
                runs = add_delivered(summary, chunk.rows, context)
        note(summary, number, split.side, chunk, runs)


def note(summary: Summary, number: int, side: Side, chunk: SplitChunk, runs: RowRuns) -> None:
    """Note the sub-buckets of ids and the offsets of the rows of a chunk."""
    found = _by_producer(runs.producers, runs.sequences >> SUB_BUCKET_BITS, _last_sub_buckets(runs))
    ranges = [(_IDS, *one) for one in found]
    if side is not Side.SENT:
        lasts = runs.offsets + runs.lengths - 1
        ranges += [(_OFFSETS, *one) for one in _ranges(runs.partitions, runs.offsets, lasts)]
    numbers = tuple(one for found in ranges for one in (chunk.first, chunk.end, *found))
    summary.add(EntryKey(EntryKind.ZONES, "", number, 0), SummaryEntry(numbers=numbers))


def _last_sub_buckets(runs: RowRuns) -> Ints:
    return (runs.sequences + runs.lengths - 1) >> SUB_BUCKET_BITS


def _by_producer(producers: Ints, firsts: Ints, lasts: Ints) -> list[tuple[int, int, int]]:
    found = _ranges(producers, firsts, lasts)
    if len(found) <= PRODUCERS_MAX:
        return found
    return [(ANY_PRODUCER, int(firsts.min()), int(lasts.max()))]


def _ranges(keys: Ints, firsts: Ints, lasts: Ints) -> list[tuple[int, int, int]]:
    """Return the lowest first and the highest last number of each key."""
    names, which = numbered(keys)
    lows, highs = np.full(len(names), np.iinfo(np.int64).max), np.full(len(names), np.iinfo(np.int64).min)
    np.minimum.at(lows, which, firsts)
    np.maximum.at(highs, which, lasts)
    return list(zip(names, lows.tolist(), highs.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Rereading:
    """Chunks of a split that are read a second time."""

    split: Split
    chosen: tuple[Bounds, ...]

    @property
    def side(self) -> Side:
        return self.split.side

    def tables(self) -> Iterator[pa.Table]:
        """Read them, with all columns."""
        yield from self.split.again(self.chosen)


def splits_to_reread(
    splits: Sequence[Split], summary: Summary, unbalanced: Unbalanced | None = None
) -> list[Rereading]:
    """Return the chunks that may hold unbalanced rows; all chunks, if nothing is given."""
    asked = None if unbalanced is None else _Asked(unbalanced)
    found = []
    for at, entry in summary.of_kind(EntryKind.ZONES).items():
        side, by_chunk = splits[at.key].side, _by_chunk(entry)
        chosen = [bounds for bounds, what in sorted(by_chunk.items()) if asked is None or asked.is_in(side, what)]
        if chosen:
            found.append(Rereading(splits[at.key], tuple(chosen)))
    return found


def _by_chunk(entry: SummaryEntry) -> dict[Bounds, list[tuple[int, ...]]]:
    found: dict[Bounds, list[tuple[int, ...]]] = {}
    for first, end, *what in records(entry.numbers, ZONE_WIDTH):
        found.setdefault((first, end), []).append(tuple(what))
    return found


class _Asked:
    """What pass 2 asks for, by what can be looked up quickly."""

    def __init__(self, unbalanced: Unbalanced) -> None:
        sub_buckets = {producer: _sub_buckets(producer, unbalanced) for producer in unbalanced.buckets}
        everything = np.unique(np.concatenate([np.empty(0, np.int64), *sub_buckets.values()]))
        self._sub_buckets: Mapping[int, Ints] = {**sub_buckets, ANY_PRODUCER: everything}
        self._disputed = unbalanced.disputed
        self._out_of_order = _out_of_order(unbalanced)

    def is_in(self, side: Side, ranges: Iterable[tuple[int, ...]]) -> bool:
        return any(self._is_hit(side, *one) for one in ranges)

    def _is_hit(self, side: Side, kind: int, key: int, first: int, last: int) -> bool:
        if kind == _IDS:
            return _has(self._sub_buckets.get(key), first, last)
        is_reordered = side is Side.STORED and _has(self._out_of_order.get(key), first, last)
        return is_reordered or _has(self._disputed.get(key), first, last)


def _sub_buckets(producer: int, unbalanced: Unbalanced) -> Ints:
    return np.array(
        [
            bucket * SUB_BUCKETS + sub_bucket
            for bucket in sorted(unbalanced.buckets[producer])
            for sub_bucket in sorted(unbalanced.sub_buckets.get((producer, bucket), range(SUB_BUCKETS)))
        ],
        np.int64,
    )


def _has(numbers: Ints | None, first: int, last: int) -> bool:
    return numbers is not None and bool(np.searchsorted(numbers, first) < np.searchsorted(numbers, last, side="right"))


def _out_of_order(unbalanced: Unbalanced) -> dict[int, Ints]:
    """Return by partition where the segments begin that hold a record behind a later one."""
    found: dict[int, list[int]] = {}
    for (partition, _), segments in unbalanced.unordered.items():
        found.setdefault(partition, []).extend(_late_segments(segments))
    return {partition: np.array(sorted(firsts), np.int64) for partition, firsts in found.items()}


def _late_segments(segments: Iterable[OrderSegment]) -> Iterator[int]:
    highest = -1
    for segment in segments:
        if segment.inversions or segment.first_sequence < highest:
            yield segment.first_offset
        highest = max(highest, segment.highest_sequence)
