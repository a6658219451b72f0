"""Request times by API and stage, as the broker sees them.

The stages follow each other: ``queue`` from the arrival of the bytes to the handler, ``local`` through the handler and
the write of its read event, ``remote`` from then until the outcome is known (followers, flushes, other brokers, or more
data to come), ``response`` until the socket has taken the response. ``total`` is their sum.
"""

from collections.abc import Sequence
from operator import sub
from typing import Final

from chronik.observability.histograms import BUCKETS, Quantiles, quantiles

STAGES: Final = ("queue", "local", "remote", "response", "total")
ALIKE: Final = 8
_LOCAL: Final = BUCKETS
_REMOTE: Final = 2 * BUCKETS
_RESPONSE: Final = 3 * BUCKETS
_TOTAL: Final = 4 * BUCKETS


class RequestTimes:
    """The times of one kind of request: the counts of all stages in one list, which is faster to reach."""

    __slots__ = ("_newer", "_older", "counts", "max_ns", "name", "requests", "sums_ns")

    def __init__(self, name: str) -> None:
        self.name = name
        self.requests = 0
        self.counts = [0] * (5 * BUCKETS)
        self.sums_ns = [0, 0, 0, 0]
        self.max_ns = 0
        self._older = self._newer = tuple(self.counts)

    def stage_counts(self, stage: str) -> list[int]:
        """All durations of a stage since the start."""
        return _of_stage(self.counts, stage)

    def stage_sum_ns(self, stage: str) -> int:
        return sum(self.sums_ns) if stage == "total" else self.sums_ns[STAGES.index(stage)]

    def rotate(self) -> None:
        """Start a new window: recent values cover the last one to two windows."""
        self._older, self._newer = self._newer, tuple(self.counts)

    def recent(self, stage: str) -> Quantiles:
        """Return the quantiles of recent durations."""
        return quantiles(self.recent_counts(stage))

    def recent_counts(self, stage: str) -> list[int]:
        return list(map(sub, self.stage_counts(stage), _of_stage(self._older, stage)))


class Timing:
    """One request: when each of its stages ended."""

    __slots__ = ("delivered_ns", "local_end_ns", "received_ns", "started_ns", "times")

    def __init__(self, times: RequestTimes, received_ns: int, started_ns: int) -> None:
        self.times = times
        self.received_ns = received_ns
        self.started_ns = started_ns
        self.local_end_ns = 0
        self.delivered_ns = 0


def note_sent(timings: Sequence[Timing], sent_ns: int) -> None:
    """Count requests of one connection whose responses were sent together.

    Of many, one stands for up to ``ALIKE`` of its kind that follow it: they arrived, were handled and left together,
    and looking at each would cost a pipelined producer what it gains by pipelining. All are counted.
    """
    first, weight = timings[0], 0
    alike = 1 if len(timings) < ALIKE else ALIKE
    for timing in timings:
        if weight == alike or timing.times is not first.times:
            _note(first, sent_ns, weight)
            first, weight = timing, 0
        weight += 1
    _note(first, sent_ns, weight)


def _note(timing: Timing, sent_ns: int, weight: int) -> None:
    times = timing.times
    received, delivered = timing.received_ns, timing.delivered_ns
    # An outcome within its own read event has waited for nothing.
    local_end = timing.local_end_ns or delivered
    queue, local = timing.started_ns - received, local_end - timing.started_ns
    remote, response, total = delivered - local_end, sent_ns - delivered, sent_ns - received
    counts = times.counts
    counts[queue.bit_length()] += weight
    counts[_LOCAL + local.bit_length()] += weight
    counts[_REMOTE + remote.bit_length()] += weight
    counts[_RESPONSE + response.bit_length()] += weight
    counts[_TOTAL + total.bit_length()] += weight
    sums = times.sums_ns
    sums[0] += queue * weight
    sums[1] += local * weight
    sums[2] += remote * weight
    sums[3] += response * weight
    times.requests += weight
    if total > times.max_ns:
        times.max_ns = total


def _of_stage(counts: Sequence[int], stage: str) -> list[int]:
    start = STAGES.index(stage) * BUCKETS
    return list(counts[start : start + BUCKETS])
