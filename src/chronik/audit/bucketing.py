"""Rows into buckets, without a loop over rows: which members each bucket has, how many rows, and sums over them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from chronik.audit.containers import BITMAP_BYTES, BUCKET_BITS, BUCKET_SIZE, LOW_MASK, Bits

Ints: TypeAlias = npt.NDArray[np.int64]
Hashes: TypeAlias = npt.NDArray[np.uint64]
Flags: TypeAlias = npt.NDArray[np.bool_]

BUCKETS_AT_ONCE: Final = 256
"""How many are marked at the same time: 32 KB each."""
_LOW_HALF: Final = np.uint64(0xFFFFFFFF)
_HALF_BITS: Final = np.uint64(32)


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
    starts = _run_starts(keys, blocks)
    if len(starts) > 1:
        order = np.lexsort((blocks, keys)) if len(starts) > BUCKETS_AT_ONCE else None
        if order is not None:
            keys, numbers, blocks = keys[order], numbers[order], blocks[order]
            hashes = None if hashes is None else hashes[order]
            attention = None if attention is None else attention[order]
            starts = _run_starts(keys, blocks)
    ends = np.append(starts[1:], len(keys))
    for first in range(0, len(starts), BUCKETS_AT_ONCE):
        part = slice(first, first + BUCKETS_AT_ONCE)
        rows = slice(int(starts[first]), int(ends[part][-1]))
        yield from _summed(
            keys[starts[part]],
            blocks[starts[part]],
            (ends - starts)[part],
            numbers[rows] & LOW_MASK,
            None if hashes is None else hashes[rows],
            None if attention is None else attention[rows],
        )


def _run_starts(keys: Ints, blocks: Ints) -> Ints:
    changes = (keys[1:] != keys[:-1]) | (blocks[1:] != blocks[:-1])
    return np.append(0, np.flatnonzero(changes) + 1)


def _summed(
    keys: Ints, blocks: Ints, lengths: Ints, lows: Ints, hashes: Hashes | None, attention: Flags | None
) -> Iterator[Bucket]:
    """Sum up runs of rows, each of which belongs to one bucket; several runs may belong to the same."""
    names, which = np.unique(np.stack([keys, blocks]), axis=1, return_inverse=True)
    index = np.repeat(which.reshape(-1), lengths)
    count = names.shape[1]
    marks = np.zeros(count * BUCKET_SIZE, np.bool_)
    marks[(index << BUCKET_BITS) + lows] = True
    bits = np.packbits(marks, bitorder="little").reshape(count, BITMAP_BYTES)
    rows = np.bincount(index, minlength=count).tolist()
    sums = [0] * count if hashes is None else hash_sums(index, hashes, count)
    marked = [0] * count if attention is None else np.bincount(index[attention], minlength=count).tolist()
    for number, (key, block) in enumerate(names.T.tolist()):
        yield Bucket(key, block, rows[number], bits[number], sums[number], marked[number])


def hash_sums(index: Ints, hashes: Hashes, count: int) -> list[int]:
    """Add hashes up by index, modulo 2**64; halves of 32 bits stay exact in the floats that ``bincount`` adds."""
    assert len(hashes) <= 1 << 21, "more rows at once would not add up exactly"
    low = np.bincount(index, (hashes & _LOW_HALF).astype(np.float64), count)
    high = np.bincount(index, (hashes >> _HALF_BITS).astype(np.float64), count)
    return [(int(a) + (int(b) << 32)) % (1 << 64) for a, b in zip(low.tolist(), high.tolist(), strict=True)]


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
