"""A seek is a plan: what it would do in every kind of partition, without a broker."""

import random

import pytest

from chronik.client.groups.seek_plan import (
    SeekPartition,
    SeekStep,
    ShiftBy,
    Target,
    ToCurrent,
    ToEach,
    ToEarliest,
    ToLatest,
    ToOffset,
    ToTime,
    moves_of,
    plan_seek,
)
from chronik.model.ids import TopicPartition

AT = TopicPartition("orders", 0)


def planned(target: Target, place: SeekPartition) -> tuple[int | None, str]:
    [step] = plan_seek(target, {AT: place})
    assert (step.topic_partition, step.old) == (AT, place.committed)
    return step.new, step.note


@pytest.mark.parametrize(
    ("target", "new"),
    [
        (ToOffset(25), 25),
        (ToEarliest(), 10),
        (ToLatest(), 50),
        (ToTime(1000), 33),
        (ShiftBy(5), 35),
        (ShiftBy(-5), 25),
        (ToCurrent(), 30),
        (ToEach({AT: 12}), 12),
    ],
)
def test_position_within_the_log_moves_to_where_it_was_asked_to(target: Target, new: int) -> None:
    assert planned(target, SeekPartition(10, 50, committed=30, found_by_time=33)) == (new, "")


@pytest.mark.parametrize("target", [ToOffset(51), ShiftBy(21), ToEach({AT: 51})])
def test_offset_beyond_the_end_is_clamped_and_said(target: Target) -> None:
    assert planned(target, SeekPartition(10, 50, committed=30)) == (50, "51 is beyond the high watermark")


@pytest.mark.parametrize("target", [ToOffset(9), ShiftBy(-21), ToEach({AT: 9})])
def test_offset_below_the_log_start_is_clamped_and_said(target: Target) -> None:
    assert planned(target, SeekPartition(10, 50, committed=30)) == (10, "9 is below the log start")


def test_current_position_that_has_expired_moves_to_the_log_start() -> None:
    assert planned(ToCurrent(), SeekPartition(10, 50, committed=3)) == (10, "3 is below the log start")


def test_time_later_than_every_record_is_the_high_watermark_and_said() -> None:
    assert planned(ToTime(9), SeekPartition(10, 50)) == (50, "no record is that late")


def test_what_cannot_be_shifted_is_left_alone_and_not_among_the_moves() -> None:
    other = TopicPartition("orders", 1)
    plan = plan_seek(ShiftBy(1), {other: SeekPartition(0, 9, committed=4), AT: SeekPartition(0, 9)})
    assert plan == (
        SeekStep(AT, None, None, "left alone: no committed offset to shift"),
        SeekStep(other, 4, 5),
    )
    assert moves_of(plan) == {other: 5}


def test_no_plan_leaves_what_can_be_read() -> None:
    dice = random.Random(7)
    for _ in range(2000):
        start = dice.randrange(100)
        end = start + dice.randrange(100)
        place = SeekPartition(
            start, end, dice.choice([None, dice.randrange(300)]), dice.choice([None, dice.randrange(300)])
        )
        shift, offset = ShiftBy(dice.randrange(-300, 300)), ToOffset(dice.randrange(300))
        targets: list[Target] = [offset, shift, ToEarliest(), ToLatest(), ToTime(1), ToCurrent()]
        target = dice.choice(targets)
        new, note = planned(target, place)
        assert new is None or start <= new <= end, (target, place, note)
