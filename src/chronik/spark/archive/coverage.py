"""Which offsets of a topic a table covers, and which ones a batch must write.

The coverage of a partition is one range without holes, so that a batch begins at its end. It counts offsets, not
records: control records, compacted and expired records are covered although they have no row.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise


@dataclass(frozen=True, slots=True, order=True)
class OffsetRange:
    """The offsets ``[start, end)`` of one partition."""

    start: int
    end: int

    def __post_init__(self) -> None:
        assert 0 <= self.start <= self.end, f"no range: [{self.start}, {self.end})"

    @property
    def size(self) -> int:
        return self.end - self.start


Ranges = Mapping[int, OffsetRange]
"""A range for each of some partitions."""


@dataclass(frozen=True, slots=True)
class TopicState:
    """The present offsets of a topic; ends are high watermarks, or last stable offsets for ``read_committed``."""

    topic: str
    topic_id: str
    starts: Mapping[int, int]
    ends: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """What a batch adds to a table: ranges to read, and ranges that expired before they were read."""

    ranges: Ranges = field(default_factory=dict)
    expired: Ranges = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not self.ranges and not self.expired


def plan_batch(covered: Ranges, state: TopicState, ends: Mapping[int, int]) -> BatchPlan:
    """Return the ranges from the end of the coverage to ``ends``, wherever Spark's batch begins."""
    ranges, expired = {}, {}
    for partition in sorted(ends):
        end = min(ends[partition], state.ends.get(partition, 0))
        log_start = state.starts.get(partition, 0)
        known = covered.get(partition)
        start = known.end if known else log_start
        if start < min(log_start, end):
            expired[partition] = OffsetRange(start, min(log_start, end))
            start = min(log_start, end)
        if start < end:
            ranges[partition] = OffsetRange(start, end)
    return BatchPlan(ranges, expired)


def plan_beginning(state: TopicState) -> BatchPlan:
    """Return empty ranges at the topic's present ends."""
    return BatchPlan({partition: OffsetRange(end, end) for partition, end in sorted(state.ends.items())})


def extended(covered: Ranges, plan: BatchPlan) -> dict[int, OffsetRange]:
    """Return the coverage after the plan."""
    after = dict(covered)
    for part in (plan.expired, plan.ranges):
        for partition, added in part.items():
            known = after.get(partition, OffsetRange(added.start, added.start))
            assert known.end == added.start, f"partition {partition}: {added} does not follow {known}"
            after[partition] = OffsetRange(known.start, added.end)
    return after


def first_part(plan: BatchPlan, records_max: int) -> BatchPlan:
    """Return about ``records_max`` offsets of a plan: the same share of every partition, and at least one."""
    total = sum(part.size for part in plan.ranges.values())
    if total <= records_max:
        return plan
    kept = {
        partition: OffsetRange(part.start, part.start + max(1, part.size * records_max // total))
        for partition, part in plan.ranges.items()
    }
    return BatchPlan(kept, plan.expired)


def pieces(part: OffsetRange, size_max: int) -> list[OffsetRange]:
    """Split a range into the fewest pieces of nearly equal size that ``size_max`` allows."""
    count = -(-part.size // size_max)
    cuts = [part.start + part.size * number // count for number in range(count + 1)] if count else []
    return [OffsetRange(start, end) for start, end in pairwise(cuts)]


def piece_size(total: int, parallelism: int, size_min: int, size_max: int) -> int:
    """Return the size at which every core has work, no file is too large, and few are small."""
    return max(1, min(size_max, max(size_min, -(-total // max(1, parallelism)))))
