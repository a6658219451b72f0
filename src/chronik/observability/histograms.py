"""Histograms of durations in powers of two of a nanosecond: plain integers in a list, cheap enough for every request.

An observer adds one to ``counts[duration.bit_length()]``. A bucket is as wide as all below it together, so a quantile
is right within a factor of two at worst.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

BUCKETS: Final = 65
"""One for every length of a 64-bit duration."""
NS_PER_S: Final = 1_000_000_000


class Quantiles(NamedTuple):
    """Median, 99th percentile, and maximum."""

    p50_ns: float
    p99_ns: float
    max_ns: float


class Histogram:
    """Durations in nanoseconds."""

    __slots__ = ("counts", "sum_ns")

    def __init__(self) -> None:
        self.counts = [0] * BUCKETS
        self.sum_ns = 0

    def observe(self, duration_ns: int) -> None:
        """Count one duration."""
        self.counts[duration_ns.bit_length()] += 1
        self.sum_ns += duration_ns

    @property
    def count(self) -> int:
        return sum(self.counts)


def cumulative(counts: Sequence[int], exponents: Iterable[int]) -> list[tuple[int, int]]:
    """Return each exponent with the number of durations below two to its power."""
    below = list(accumulate(counts))
    return [(exponent, below[exponent]) for exponent in exponents]


def quantiles_ns(counts: Sequence[int], shares: Iterable[float]) -> list[float]:
    """Estimate quantiles; within a bucket durations are taken to be spread evenly."""
    below = list(accumulate(counts))
    total = below[-1]
    return [_quantile_ns(counts, below, share * total) if total else 0.0 for share in shares]


def _quantile_ns(counts: Sequence[int], below: list[int], rank: float) -> float:
    # The first bucket that reaches the rank is not empty, unless the histogram is.
    exponent = bisect_left(below, max(rank, 1e-9))
    low, high = _bounds(exponent)
    return low + (high - low) * (rank - below[exponent] + counts[exponent]) / counts[exponent]


def quantiles(counts: Sequence[int]) -> Quantiles:
    """Return the quantiles; the maximum is the upper bound of its bucket."""
    highest = max((exponent for exponent, count in enumerate(counts) if count), default=0)
    p50_ns, p99_ns = quantiles_ns(counts, (0.5, 0.99))
    return Quantiles(p50_ns, p99_ns, float(_bounds(highest)[1]))


def _bounds(exponent: int) -> tuple[int, int]:
    return (0, 0) if exponent == 0 else (1 << (exponent - 1), 1 << exponent)
