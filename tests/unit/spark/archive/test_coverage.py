"""What a batch adds to a table that covers something already."""

import random

import pytest

from chronik.spark.archive.coverage import (
    BatchPlan,
    OffsetRange,
    TopicState,
    extended,
    first_part,
    piece_size,
    pieces,
    plan_batch,
    plan_beginning,
)

R = OffsetRange


def state(starts: dict[int, int], ends: dict[int, int]) -> TopicState:
    return TopicState("orders", "id", starts, ends)


def test_a_new_table_begins_where_the_log_begins() -> None:
    plan = plan_batch({}, state({0: 7, 1: 0}, {0: 10, 1: 0}), {0: 10, 1: 0})
    assert plan == BatchPlan({0: R(7, 10)}, {})


def test_a_batch_is_cut_to_what_is_not_covered() -> None:
    plan = plan_batch({0: R(0, 6), 1: R(0, 10)}, state({0: 0, 1: 0}, {0: 10, 1: 10}), {0: 10, 1: 10})
    assert plan == BatchPlan({0: R(6, 10)}, {})


def test_a_batch_that_is_covered_already_is_empty() -> None:
    assert plan_batch({0: R(0, 9)}, state({0: 0}, {0: 20}), {0: 5}).is_empty


def test_what_a_checkpoint_has_skipped_is_in_the_next_batch() -> None:
    """A batch has no beginning of its own: the table's end is where it begins."""
    assert plan_batch({0: R(0, 3)}, state({0: 0}, {0: 100}), {0: 100}).ranges == {0: R(3, 100)}


def test_what_expired_before_it_was_read_is_told_apart() -> None:
    plan = plan_batch({0: R(0, 3)}, state({0: 8}, {0: 20}), {0: 20})
    assert plan == BatchPlan({0: R(8, 20)}, {0: R(3, 8)})
    assert extended({0: R(0, 3)}, plan) == {0: R(0, 20)}


def test_what_expired_up_to_the_end_leaves_nothing_to_read() -> None:
    assert plan_batch({0: R(0, 3)}, state({0: 8}, {0: 20}), {0: 5}) == BatchPlan({}, {0: R(3, 5)})


def test_a_batch_does_not_reach_beyond_the_topic() -> None:
    assert plan_batch({}, state({0: 0}, {0: 4}), {0: 9}).ranges == {0: R(0, 4)}


def test_a_table_that_begins_at_the_end_remembers_where_that_was() -> None:
    first = extended({}, plan_beginning(state({0: 0}, {0: 50})))
    assert first == {0: R(50, 50)}
    assert plan_batch(first, state({0: 0}, {0: 60}), {0: 60}).ranges == {0: R(50, 60)}


def test_ranges_that_do_not_follow_each_other_are_a_broken_promise() -> None:
    with pytest.raises(AssertionError, match="does not follow"):
        extended({0: R(0, 5)}, BatchPlan({0: R(6, 9)}))


@pytest.mark.parametrize("seed", range(20))
def test_parts_of_a_plan_cover_it_once_and_in_order(seed: int) -> None:
    dice = random.Random(seed)
    starts = {partition: dice.randrange(50) for partition in range(4)}
    ends = {partition: start + dice.randrange(500) for partition, start in starts.items()}
    topic = state(starts, ends)
    covered: dict[int, OffsetRange] = {}
    seen: dict[int, list[int]] = {partition: [] for partition in ends}
    while not (whole := plan_batch(covered, topic, ends)).is_empty:
        limit = dice.randint(1, 120)
        part = first_part(whole, limit)
        assert sum(taken.size for taken in part.ranges.values()) <= limit + len(part.ranges)
        for partition, taken in part.ranges.items():
            for piece in pieces(taken, dice.randint(1, 40)):
                seen[partition] += range(piece.start, piece.end)
        covered = extended(covered, part)
    assert seen == {partition: list(range(starts[partition], ends[partition])) for partition in ends}


@pytest.mark.parametrize(
    ("total", "parallelism", "size"),
    [(50, 4, 100), (1_000, 4, 250), (100_000, 4, 1_000), (0, 4, 100)],
)
def test_files_are_neither_too_small_nor_too_large(total: int, parallelism: int, size: int) -> None:
    assert piece_size(total, parallelism, 100, 1_000) == size
