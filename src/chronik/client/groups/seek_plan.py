"""A plan of new committed offsets, which can be printed and tested, and changes nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from chronik.model.ids import TopicPartition


@dataclass(frozen=True, slots=True)
class ToOffset:
    """To one offset in every partition."""

    offset: int


@dataclass(frozen=True, slots=True)
class ToEarliest:
    """To the log start."""


@dataclass(frozen=True, slots=True)
class ToLatest:
    """To the high watermark."""


@dataclass(frozen=True, slots=True)
class ToTime:
    """To the first record with this time (in ms) or a later one."""

    timestamp_ms: int


@dataclass(frozen=True, slots=True)
class ShiftBy:
    """By this many offsets forward, or back if negative."""

    offsets: int


@dataclass(frozen=True, slots=True)
class ToCurrent:
    """To the current committed offsets, which are written again."""


@dataclass(frozen=True, slots=True)
class ToEach:
    """To an own offset in each partition."""

    offsets: Mapping[TopicPartition, int]


Target: TypeAlias = ToOffset | ToEarliest | ToLatest | ToTime | ShiftBy | ToCurrent | ToEach


@dataclass(frozen=True, slots=True)
class SeekPartition:
    """One partition before the move; ``found_by_time`` is the leader's result for a time (None: none that late)."""

    log_start: int
    high_watermark: int
    committed: int | None = None
    found_by_time: int | None = None


@dataclass(frozen=True, slots=True)
class SeekStep:
    """One partition's move; ``new`` is None if the offset stays, and ``note`` says why."""

    topic_partition: TopicPartition
    old: int | None
    new: int | None
    note: str = ""


def plan_seek(target: Target, places: Mapping[TopicPartition, SeekPartition]) -> tuple[SeekStep, ...]:
    """Return the new offset of each partition, always within the readable range."""
    return tuple(_step(target, at, places[at]) for at in sorted(places))


def moves_of(plan: Iterable[SeekStep]) -> dict[TopicPartition, int]:
    """Return the offsets that the plan would commit."""
    return {step.topic_partition: step.new for step in plan if step.new is not None}


def _step(target: Target, at: TopicPartition, place: SeekPartition) -> SeekStep:
    wanted, note = _wanted(target, at, place)
    if wanted is None:
        return SeekStep(at, place.committed, None, note)
    new = min(max(wanted, place.log_start), place.high_watermark)
    if new < wanted:
        note = f"{wanted} is beyond the high watermark"
    elif new > wanted:
        note = f"{wanted} is below the log start"
    return SeekStep(at, place.committed, new, note)


def _wanted(target: Target, at: TopicPartition, place: SeekPartition) -> tuple[int | None, str]:
    match target:
        case ToOffset(offset):
            return offset, ""
        case ToEarliest():
            return place.log_start, ""
        case ToLatest():
            return place.high_watermark, ""
        case ToTime():
            if place.found_by_time is None:
                return place.high_watermark, "no record is that late"
            return place.found_by_time, ""
        case ShiftBy(offsets):
            if place.committed is None:
                return None, "left alone: no committed offset to shift"
            return place.committed + offsets, ""
        case ToCurrent():
            if place.committed is None:
                return place.high_watermark, "no committed offset: the high watermark"
            return place.committed, ""
        case ToEach(each):
            return (each[at], "") if at in each else (None, "left alone: not named")
        case _:
            assert_never(target)
