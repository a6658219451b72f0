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
_MANTISSA_BITS: Final = 52
_FIRST_CODE: Final = (1023 + _STEP_BITS) << _STEP_BITS
"""The upper bits of 64.0. Smaller whole numbers have no digits below those that are kept, so that each is its own."""


def count_latencies(latencies_us: Latencies) -> Counts:
    """Count latencies by their bucket; clocks that disagree make negative ones, which count as none."""
    if not len(latencies_us):
        return {}
    # The upper bits of a float are its exponent and the digits behind the first: the bucket, but for a constant. Floats
    # are exact up to 2**53 µs, 285 years.
    codes = np.maximum(latencies_us, 0).astype(np.float64).view(np.int64) >> (_MANTISSA_BITS - _STEP_BITS)
    lowest = int(codes.min())
    counts = np.bincount(codes - lowest)
    found = np.flatnonzero(counts)
    return dict(zip(map(_bucket_of, (found + lowest).tolist()), counts[found].tolist(), strict=True))


def _bucket_of(code: int) -> int:
    if code < _FIRST_CODE:
        return int(np.array(code << (_MANTISSA_BITS - _STEP_BITS)).view(np.float64))
    return code - _FIRST_CODE + _STEPS


def merge_counts(one: Counts, other: Counts) -> Counts:
    """Add two counts."""
    merged = dict(one)
    for bucket, count in other.items():
        merged[bucket] = merged.get(bucket, 0) + count
    return merged


def quantile(counts: Counts, share: float) -> int:
    """Return the latency that this share does not exceed, as the middle of its bucket; -1 where there is none."""
    total = sum(counts.values())
    if not total:
        return -1
    unbalanced = max(1, -(-total * round(share * 1000) // 1000))
    for bucket in sorted(counts):
        unbalanced -= counts[bucket]
        if unbalanced <= 0:
            return _middle(bucket)
    raise AssertionError("the counts add up to the total")


def _middle(bucket: int) -> int:
    if bucket < 2 * _STEPS:
        return bucket
    shift = (bucket >> _STEP_BITS) - 1
    low = (bucket - (shift << _STEP_BITS)) << shift
    return low + (1 << shift) // 2
