"""When compaction is due, and what it may touch."""

from collections import deque
from dataclasses import replace

import pytest

from chronik.storage.compaction import CleanedGroup, CompactionJob, CompactionResult, SegmentInfo, plan_compaction
from chronik.storage.log_config import LogConfig
from chronik.storage.producer_state import ProducedBatch, ProducerEntry

NOW = 1_000_000
CONFIG = LogConfig(cleanup_compact=True, segment_bytes=1000, min_cleanable_dirty_ratio=0.5)
SEGMENTS = [SegmentInfo(base, 400, 500_000, 400_000) for base in (0, 100, 200, 300)]


def plan(
    segments: list[SegmentInfo] = SEGMENTS,
    config: LogConfig = CONFIG,
    *,
    first_dirty_offset: int = 0,
    high_watermark: int = 10_000,
    producers: tuple[ProducerEntry, ...] = (),
) -> CompactionJob | None:
    return plan_compaction(
        "d",
        segments,
        config,
        first_dirty_offset=first_dirty_offset,
        high_watermark=high_watermark,
        now_ms=NOW,
        producers=producers,
    )


def covered(job: CompactionJob | None) -> list[int]:
    return [] if job is None else [base for group in job.groups for base in group]


def test_every_closed_segment_is_covered_and_the_active_one_is_not() -> None:
    job = plan()
    assert job is not None
    assert covered(job) == [0, 100, 200]
    assert (job.first_dirty_offset, job.end_offset) == (0, 300)


def test_neighbours_are_joined_as_long_as_they_fit_in_a_segment() -> None:
    job = plan()
    assert job is not None
    assert job.groups == ((0, 100), (200,))


def test_offsets_too_far_apart_are_not_joined() -> None:
    far = [SegmentInfo(base, 10, 1) for base in (0, 2**31, 2**31 + 5)]
    job = plan(far, high_watermark=2**32)
    assert job is not None
    assert job.groups == ((0,), (2**31,))


def test_a_log_that_is_not_compacted_is_left_alone() -> None:
    assert plan(config=replace(CONFIG, cleanup_compact=False)) is None


def test_nothing_at_or_above_the_high_watermark_is_touched() -> None:
    assert covered(plan(high_watermark=300)) == [0, 100, 200]
    assert covered(plan(high_watermark=299)) == [0, 100]
    assert plan(high_watermark=99) is None


@pytest.mark.parametrize(("first_dirty", "due"), [(0, True), (100, True), (150, True), (200, False), (300, False)])
def test_the_dirty_part_must_exceed_its_ratio(first_dirty: int, due: bool) -> None:
    assert (plan(first_dirty_offset=first_dirty) is not None) == due


def test_a_dirty_part_of_exactly_the_ratio_is_not_due() -> None:
    five = [*SEGMENTS, replace(SEGMENTS[0], base_offset=400)]
    assert plan(five, first_dirty_offset=199) is not None
    assert plan(five, first_dirty_offset=200) is None


def test_with_ratio_zero_any_dirt_is_enough_but_none_is_not() -> None:
    eager = replace(CONFIG, min_cleanable_dirty_ratio=0.0)
    assert covered(plan(config=eager, first_dirty_offset=200)) == [0, 100, 200]
    assert plan(config=eager, first_dirty_offset=300) is None


def test_segments_younger_than_the_least_lag_wait() -> None:
    segments = [*SEGMENTS[:1], replace(SEGMENTS[1], max_timestamp=NOW - 10), *SEGMENTS[2:]]
    assert covered(plan(segments, replace(CONFIG, min_compaction_lag_ms=11))) == [0]
    assert covered(plan(segments, replace(CONFIG, min_compaction_lag_ms=10))) == [0, 100, 200]


def test_dirt_older_than_the_largest_lag_is_due_whatever_its_ratio() -> None:
    age = NOW - SEGMENTS[2].first_timestamp
    assert plan(config=replace(CONFIG, max_compaction_lag_ms=age), first_dirty_offset=200) is None
    assert plan(config=replace(CONFIG, max_compaction_lag_ms=age - 1), first_dirty_offset=200) is not None


def test_a_log_of_one_segment_has_nothing_to_compact() -> None:
    assert plan(SEGMENTS[:1]) is None


def test_the_job_names_the_batches_by_which_producers_are_known() -> None:
    batches = deque([ProducedBatch(0, 0, offset, offset, 1) for offset in (290, 5, 305)])
    job = plan(producers=(ProducerEntry(1, 0, batches, 1, 0),))
    assert job is not None
    assert job.remembered_batches == (5, 290)


def test_jobs_and_results_survive_the_trip_as_json() -> None:
    job = plan()
    assert job is not None
    assert CompactionJob.from_json(job.to_json()) == job
    result = CompactionResult("d", (CleanedGroup(0, (0, 100), 5, 6),), 300, keys=2, error="no")
    assert CompactionResult.from_json(result.to_json()) == result
