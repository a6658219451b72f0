"""Filters that Spark pushes down to a batch read: the partitions and offsets that pass them.

An accepted filter is exact, and Spark does not apply it again. Timestamps are not in order, so they only move the
start: Spark applies every filter on them as well.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from pyspark.sql.datasource import (
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
)

from chronik.model.ids import TopicPartition
from chronik.spark.options.parsers import View
from chronik.spark.planning.tasks import Span

_UNBOUNDED: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What passes the filters: topics and partitions (None for all), offsets ``[low, high)``, and the first time."""

    topics: frozenset[str] | None = None
    partitions: frozenset[int] | None = None
    partition_low: int = 0
    partition_high: int = _UNBOUNDED
    offset_low: int = 0
    offset_high: int = _UNBOUNDED
    time_from_ms: int | None = None

    def keeps(self, at: TopicPartition) -> bool:
        """Return whether a partition passes."""
        return (
            (self.topics is None or at.topic in self.topics)
            and (self.partitions is None or at.partition in self.partitions)
            and self.partition_low <= at.partition < self.partition_high
        )

    def narrow(self, span: Span) -> Span:
        """Return the offsets of a span that pass."""
        return Span(span.at, max(span.start, self.offset_low), min(span.end, self.offset_high))


def _and(first: frozenset[Any] | None, second: Iterable[Any]) -> frozenset[Any]:
    return frozenset(second) if first is None else first & frozenset(second)


def _on_topic(known: Narrowing, asked: Filter) -> Narrowing | None:
    match asked:
        case EqualTo(value=str() as name):
            return replace(known, topics=_and(known.topics, {name}))
        case In(value=names) if all(isinstance(name, str) for name in names):
            return replace(known, topics=_and(known.topics, names))
    return None


def _on_partition(known: Narrowing, asked: Filter) -> Narrowing | None:
    match asked:
        case EqualTo(value=int() as number):
            return replace(known, partitions=_and(known.partitions, {number}))
        case In(value=numbers) if all(isinstance(number, int) for number in numbers):
            return replace(known, partitions=_and(known.partitions, numbers))
    low, high = _interval(asked) or (None, None)
    if low is None or high is None:
        return None
    return replace(known, partition_low=max(known.partition_low, low), partition_high=min(known.partition_high, high))


def _on_offset(known: Narrowing, asked: Filter) -> Narrowing | None:
    low, high = _interval(asked) or (None, None)
    if low is None or high is None:
        return None
    return replace(known, offset_low=max(known.offset_low, low), offset_high=min(known.offset_high, high))


def _interval(asked: Filter) -> tuple[int, int] | None:
    match asked:
        case EqualTo(value=int() as number):
            return number, number + 1
        case GreaterThan(value=int() as number):
            return number + 1, _UNBOUNDED
        case GreaterThanOrEqual(value=int() as number):
            return number, _UNBOUNDED
        case LessThan(value=int() as number):
            return 0, number
        case LessThanOrEqual(value=int() as number):
            return 0, number + 1
    return None


def _on_timestamp(known: Narrowing, asked: Filter) -> Narrowing:
    match asked:
        case (
            EqualTo(value=datetime() as moment)
            | GreaterThan(value=datetime() as moment)
            | GreaterThanOrEqual(value=datetime() as moment)
        ) if moment.tzinfo is not None:
            since = int(moment.astimezone(UTC).timestamp() * 1000)
            return replace(known, time_from_ms=max(since, known.time_from_ms or 0))
    return known


_NEVER_NULL: Final = {("topic",), ("partition",), ("offset",), ("timestamp",)}
_COLUMNS: Final[dict[str, Callable[[Narrowing, Filter], Narrowing | None]]] = {
    "topic": _on_topic,
    "partition": _on_partition,
    "offset": _on_offset,
}


def take_filters(filters: Iterable[Filter], view: View) -> tuple[Narrowing, list[Filter]]:
    """Return what the filters pass, and the filters that Spark must apply."""
    known, left = Narrowing(), []
    for asked in filters:
        column = getattr(asked, "attribute", ("",))
        if isinstance(asked, IsNotNull) and column in _NEVER_NULL:
            continue
        if column == ("timestamp",) and view is View.RECORDS:
            known = _on_timestamp(known, asked)
        take = _COLUMNS.get(column[0]) if len(column) == 1 else None
        narrower = take(known, asked) if take else None
        if narrower is None:
            left.append(asked)
        else:
            known = narrower
    return known, left
