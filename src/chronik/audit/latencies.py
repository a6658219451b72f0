"""Quantiles of latencies that can be merged: counts in buckets that are as wide as 1/64 of what they hold.

A sketch such as KLL bounds the error of the rank, draws lots, and depends on the order of merging, so that two engines
would give two tables. Here the value is right to within 0.8 % (half a bucket), merging adds counts, and the result
depends on nothing but the latencies. A partition's counts take at most 4,000 numbers, in practice some hundred.
"""

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Latencies: TypeAlias = npt.NDArray[np.int64]
Counts: TypeAlias = dict[int, int]
"""How many latencies are in each bucket."""

_STEP_BITS: Final = 6
_STEPS: Final = 1 << _STEP_BITS


def buckets_of(latencies_us: Latencies) -> Latencies:
    """Say in which bucket each latency lies; clocks that disagree make negative ones, which count as none."""
    values = np.maximum(latencies_us, 0)
    shifts = np.maximum(_bit_lengths(values) - _STEP_BITS - 1, 0)
    return (shifts << _STEP_BITS) + (values >> shifts)


def _bit_lengths(values: Latencies) -> Latencies:
    """Count the bits of each number; frexp is exact up to 2**53 µs, 285 years."""
    return np.frexp(values.astype(np.float64))[1].astype(np.int64)


def count_latencies(latencies_us: Latencies) -> Counts:
    """Count latencies by their bucket."""
    found, counts = np.unique(buckets_of(latencies_us), return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def merge_counts(one: Counts, other: Counts) -> Counts:
    """Add two counts."""
    merged = dict(one)
    for bucket, count in other.items():
        merged[bucket] = merged.get(bucket, 0) + count
    return merged


def quantile(counts: Counts, share: float) -> int:
    """Give the latency that this share does not exceed, as the middle of its bucket; -1 where there is none."""
    total = sum(counts.values())
    if not total:
        return -1
    wanted = max(1, -(-total * round(share * 1000) // 1000))
    for bucket in sorted(counts):
        wanted -= counts[bucket]
        if wanted <= 0:
            return _middle(bucket)
    raise AssertionError("the counts add up to the total")


def _middle(bucket: int) -> int:
    if bucket < 2 * _STEPS:
        return bucket
    shift = (bucket >> _STEP_BITS) - 1
    low = (bucket - (shift << _STEP_BITS)) << shift
    return low + (1 << shift) // 2
