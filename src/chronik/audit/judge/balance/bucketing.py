"""Sums runs up by bucket, without a loop over rows: the members of each bucket, its rows, and sums over them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from chronik.audit.tables.bitmaps import (
    BITMAP_BYTES,
    BUCKET_BITS,
    BUCKET_SIZE,
    LOW_MASK,
    SUB_BUCKET_BITS,
    SUB_BUCKETS,
    Bits,
)
from chronik.audit.tables.columns import Hashes, Ints

BUCKETS_AT_ONCE: Final = 256
"""How many are marked at the same time: 32 KB each."""
ROWS_WORTH_A_STEP: Final = 32
"""Runs that are longer on average are marked one by one: a step of a loop costs as much as some rows."""
_SPAN_MAX: Final = 1 << 31
_TABLE_MIN: Final = 1 << 12


@dataclass(frozen=True, slots=True)
class BucketSums:
    """The rows of one bucket."""

    key: int
    bucket: int
    rows: int
    bits: Bits
    hash_sums: Hashes | None
    """Of its sub-buckets."""
    attention: int
    marks: Ints | None
    """How many rows of each sub-bucket need attention."""


@dataclass(frozen=True, slots=True)
class BucketRuns:
    """Runs of numbers, each within one bucket. With hashes or attention, each lies within one sub-bucket."""

    keys: Ints
    buckets: Ints
    lows: Ints
    lengths: Ints
    hashes: Hashes | None = None
    attention: Ints | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def only(self, chosen: Ints) -> "BucketRuns":
        """Keep some, in a given order."""
        return BucketRuns(
            self.keys[chosen],
            self.buckets[chosen],
            self.lows[chosen],
            self.lengths[chosen],
            None if self.hashes is None else self.hashes[chosen],
            None if self.attention is None else self.attention[chosen],
        )


def bucketed(keys: Ints, numbers: Ints) -> Iterator[BucketSums]:
    """Put single numbers into buckets by (key, number >> 15)."""
    return summed_up(BucketRuns(keys, numbers >> BUCKET_BITS, numbers & LOW_MASK, np.ones(len(keys), np.int64)))


def summed_up(ranges: BucketRuns) -> Iterator[BucketSums]:
    """Sum ranges up by (key, block)."""
    if not len(ranges):
        return
    names, which = distinct_buckets(ranges.keys, ranges.buckets)
    if len(names) <= BUCKETS_AT_ONCE:
        yield from _summed(ranges, names, which)
        return
    order = np.argsort(which, kind="stable")
    bounds = np.searchsorted(which, np.arange(0, len(names) + BUCKETS_AT_ONCE, BUCKETS_AT_ONCE), sorter=order)
    for number, first in enumerate(range(0, len(names), BUCKETS_AT_ONCE)):
        part = order[bounds[number] : bounds[number + 1]]
        yield from _summed(ranges.only(part), names[first : first + BUCKETS_AT_ONCE], which[part] - first)


def distinct_buckets(keys: Ints, buckets: Ints) -> tuple[list[tuple[int, int]], Ints]:
    """Return the buckets of runs, each once, and the bucket of each run."""
    starts = np.append(0, np.flatnonzero((keys[1:] != keys[:-1]) | (buckets[1:] != buckets[:-1])) + 1)
    names, which = _distinct(keys[starts], buckets[starts])
    return names, np.repeat(which, np.diff(np.append(starts, len(keys))))


def _distinct(keys: Ints, buckets: Ints) -> tuple[list[tuple[int, int]], Ints]:
    lowest, width = int(buckets.min()), int(buckets.max()) - int(buckets.min()) + 1
    if width <= _SPAN_MAX and int(keys.max()) - int(keys.min()) <= _SPAN_MAX:
        codes, which = numbered((keys - keys.min()) * width + (buckets - lowest))
        least = int(keys.min())
        return [(code // width + least, code % width + lowest) for code in codes], which
    pairs, which = np.unique(np.stack([keys, buckets]), axis=1, return_inverse=True)
    return [(key, bucket) for key, bucket in pairs.T.tolist()], which.reshape(-1)


def numbered(keys: Any) -> tuple[list[int], Ints]:
    """Return the keys, each once, in their order, and for each row the place of its key among them."""
    if not len(keys):
        return [], np.empty(0, np.int64)
    lowest, highest = int(keys.min()), int(keys.max())
    if highest - lowest >= max(_TABLE_MIN, len(keys)):
        names, which = np.unique(keys, return_inverse=True)
        return names.tolist(), which
    # Within a short range a table of what is there costs less than sorting.
    near = keys - lowest
    is_there = np.zeros(highest - lowest + 1, np.bool_)
    is_there[near] = True
    places = np.cumsum(is_there) - 1
    return (np.flatnonzero(is_there) + lowest).tolist(), places[near]


def _summed(ranges: BucketRuns, names: list[tuple[int, int]], which: Ints) -> Iterator[BucketSums]:
    count = len(names)
    bits = _bitmaps((which << BUCKET_BITS) + ranges.lows, ranges.lengths, count)
    rows = totals(ranges.lengths, which, count).tolist()
    sums, marks = (
        _by_sub_bucket(ranges.hashes, ranges, which, count),
        _by_sub_bucket(ranges.attention, ranges, which, count),
    )
    for number, (key, bucket) in enumerate(names):
        attention = 0 if marks is None else int(marks[number].sum())
        yield BucketSums(
            key,
            bucket,
            rows[number],
            bits[number],
            None if sums is None else sums[number],
            attention,
            marks[number] if marks is not None and attention else None,
        )


def _by_sub_bucket(values: Any, ranges: BucketRuns, which: Ints, count: int) -> Any:
    """Add up by sub-bucket, as rows of ``LEAVES`` numbers; unsigned ones add up modulo 2**64."""
    if values is None:
        return None
    return totals(values, which * SUB_BUCKETS + (ranges.lows >> SUB_BUCKET_BITS), count * SUB_BUCKETS).reshape(
        count, SUB_BUCKETS
    )


def _bitmaps(firsts: Ints, lengths: Ints, count: int) -> npt.NDArray[np.uint8]:
    """Make the bitmaps of buckets that lie one behind the other."""
    marks = np.zeros(count * BUCKET_SIZE, np.bool_)
    total = int(lengths.sum())
    if total >= ROWS_WORTH_A_STEP * len(firsts):
        for first, end in zip(firsts.tolist(), (firsts + lengths).tolist(), strict=True):
            marks[first:end] = True
    elif total == len(firsts):
        marks[firsts] = True
    else:
        marks[np.repeat(firsts - (np.cumsum(lengths) - lengths), lengths) + np.arange(total)] = True
    return np.packbits(marks, bitorder="little").reshape(count, BITMAP_BYTES)


def totals(values: Any, which: Ints, count: int) -> Any:
    """Add up the values of each of ``count`` names."""
    found = np.zeros(count, values.dtype)
    np.add.at(found, which, values)
    return found


def mixed(values: Hashes) -> Hashes:
    """Spread every bit of a number over all bits of another."""
    values = values ^ (values >> np.uint64(30))
    values = values * np.uint64(0xBF58476D1CE4E5B9)
    values = values ^ (values >> np.uint64(27))
    values = values * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
