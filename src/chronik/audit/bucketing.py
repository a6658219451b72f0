"""Rows into buckets, without a loop over rows: which members each bucket has, how many rows, and sums over them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from chronik.audit.containers import BITMAP_BYTES, BUCKET_BITS, BUCKET_SIZE, LOW_MASK, Bits

Ints: TypeAlias = npt.NDArray[np.int64]
Hashes: TypeAlias = npt.NDArray[np.uint64]
Flags: TypeAlias = npt.NDArray[np.bool_]

BUCKETS_AT_ONCE: Final = 256
"""How many are marked at the same time: 32 KB each."""
_KEYS_MAX: Final = 1 << 32
_BLOCKS_MAX: Final = 1 << 31


@dataclass(frozen=True, slots=True)
class Bucket:
    """The rows of one bucket."""

    key: int
    block: int
    rows: int
    bits: Bits
    hash_sum: int
    attention: int


def buckets(
    keys: Ints, numbers: Ints, hashes: Hashes | None = None, attention: Flags | None = None
) -> Iterator[Bucket]:
    """Sum rows up by (key, number >> 15)."""
    if not len(keys):
        return
    blocks = numbers >> BUCKET_BITS
    rows = _Rows(_run_starts(keys, blocks), numbers & LOW_MASK, hashes, attention)
    names, which = _names(keys[rows.starts], blocks[rows.starts])
    if len(names) <= BUCKETS_AT_ONCE:
        yield from rows.summed(names, which)
        return
    order = np.argsort(which, kind="stable")
    for first in range(0, len(names), BUCKETS_AT_ONCE):
        part = order[
            np.searchsorted(which, first, sorter=order) : np.searchsorted(which, first + BUCKETS_AT_ONCE, sorter=order)
        ]
        yield from rows.only(part).summed(names[first : first + BUCKETS_AT_ONCE], which[part] - first)


def _run_starts(keys: Ints, blocks: Ints) -> Ints:
    changes = (keys[1:] != keys[:-1]) | (blocks[1:] != blocks[:-1])
    return np.append(0, np.flatnonzero(changes) + 1)


def _names(keys: Ints, blocks: Ints) -> tuple[list[tuple[int, int]], Ints]:
    """Give the buckets of runs, each once, and which of them each run belongs to."""
    if (
        0 <= int(keys.min()) <= int(keys.max()) < _KEYS_MAX
        and 0 <= int(blocks.min()) <= int(blocks.max()) < _BLOCKS_MAX
    ):
        codes, which = np.unique(keys * _BLOCKS_MAX + blocks, return_inverse=True)
        return [divmod(code, _BLOCKS_MAX) for code in codes.tolist()], which
    pairs, which = np.unique(np.stack([keys, blocks]), axis=1, return_inverse=True)
    return [(key, block) for key, block in pairs.T.tolist()], which.reshape(-1)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows in runs, each of which belongs to one bucket; several runs may belong to the same."""

    starts: Ints
    lows: Ints
    hashes: Hashes | None
    attention: Flags | None

    @property
    def lengths(self) -> Ints:
        return np.diff(np.append(self.starts, len(self.lows)))

    def only(self, runs: Ints) -> "_Rows":
        """Keep some of the runs, in a given order."""
        lengths = self.lengths[runs]
        starts = np.cumsum(lengths) - lengths
        rows = np.repeat(self.starts[runs] - starts, lengths) + np.arange(int(lengths.sum()))
        hashes = None if self.hashes is None else self.hashes[rows]
        attention = None if self.attention is None else self.attention[rows]
        return _Rows(starts, self.lows[rows], hashes, attention)

    def summed(self, names: list[tuple[int, int]], which: Ints) -> Iterator[Bucket]:
        """Sum up the runs of each bucket."""
        count = len(names)
        marks = np.zeros(count * BUCKET_SIZE, np.bool_)
        marks[np.repeat(which << BUCKET_BITS, self.lengths) + self.lows] = True
        bits = np.packbits(marks, bitorder="little").reshape(count, BITMAP_BYTES)
        rows = _totals(self.lengths, which, count).tolist()
        sums = [0] * count
        if self.hashes is not None:
            # Unsigned numbers add up modulo 2**64.
            sums = _totals(np.add.reduceat(self.hashes, self.starts), which, count).tolist()
        marked = [0] * count
        if self.attention is not None and self.attention.any():
            marked = _totals(np.add.reduceat(self.attention.astype(np.int64), self.starts), which, count).tolist()
        for number, (key, block) in enumerate(names):
            yield Bucket(key, block, rows[number], bits[number], sums[number], marked[number])


def _totals(of_runs: Any, which: Ints, count: int) -> Any:
    totals = np.zeros(count, of_runs.dtype)
    np.add.at(totals, which, of_runs)
    return totals


def position_hashes(producers: Ints, sequences: Ints, partitions: Ints, offsets: Ints) -> Hashes:
    """Give 64 bits for a message at a place; equal sums over a bucket mean that every message is at its place."""
    with np.errstate(over="ignore"):
        identity = _mixed(sequences.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + producers.view(np.uint64))
        place = _mixed(offsets.view(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F) + partitions.view(np.uint64))
        return _mixed(identity * np.uint64(0xD6E8FEB86659FD93) + place)


def _mixed(values: Hashes) -> Hashes:
    values ^= values >> np.uint64(31)
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= values >> np.uint64(29)
    return values
