"""Which offsets of a topic a table covers, and what of a batch is left to be written.

Coverage of a partition is one range without holes, so that its end is all that a batch has to be cut by. It speaks of
offsets, not of records: control records, compacted and expired ones are covered although no row shows them.
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
    """A topic as the cluster describes it now; ends are high watermarks, or last stable offsets if asked for."""

    topic: str
    topic_id: str
    starts: Mapping[int, int]
    ends: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """What a batch adds to a table: ranges to be read, and ranges that expired before anybody read them."""

    ranges: Ranges = field(default_factory=dict)
    expired: Ranges = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not self.ranges and not self.expired


def plan_batch(covered: Ranges, state: TopicState, ends: Mapping[int, int]) -> BatchPlan:
    """Cut a batch that ends at ``ends`` to what is not covered.

    Where a batch begins does not matter: whatever lies between the table's end and the batch's end is missing.
    """
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
    """Begin at the topic's present ends, with nothing covered but the place."""
    return BatchPlan({partition: OffsetRange(end, end) for partition, end in sorted(state.ends.items())})


def extended(covered: Ranges, plan: BatchPlan) -> dict[int, OffsetRange]:
    """Give what is covered once the plan is carried out."""
    after = dict(covered)
    for part in (plan.expired, plan.ranges):
        for partition, added in part.items():
            known = after.get(partition, OffsetRange(added.start, added.start))
            assert known.end == added.start, f"partition {partition}: {added} does not follow {known}"
            after[partition] = OffsetRange(known.start, added.end)
    return after


def first_part(plan: BatchPlan, records_max: int) -> BatchPlan:
    """Take about ``records_max`` offsets of a plan: the same share of every partition, and at least one."""
    total = sum(part.size for part in plan.ranges.values())
    if total <= records_max:
        return plan
    kept = {
        partition: OffsetRange(part.start, part.start + max(1, part.size * records_max // total))
        for partition, part in plan.ranges.items()
    }
    return BatchPlan(kept, plan.expired)


def pieces(part: OffsetRange, size_max: int) -> list[OffsetRange]:
    """Cut a range into as few pieces of nearly equal size as ``size_max`` allows."""
    count = -(-part.size // size_max)
    cuts = [part.start + part.size * number // count for number in range(count + 1)] if count else []
    return [OffsetRange(start, end) for start, end in pairwise(cuts)]


def piece_size(total: int, parallelism: int, size_min: int, size_max: int) -> int:
    """Give the size at which every core has something to do, no file is too large, and few are small."""
    return max(1, min(size_max, max(size_min, -(-total // max(1, parallelism)))))
