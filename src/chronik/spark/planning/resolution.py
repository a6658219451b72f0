"""From options to partitions and offsets; wrong options are refused here, before a task starts.

What the cluster answers comes through a port, so that this is tested without one.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Protocol, TypeAlias, assert_never

from chronik.model.ids import TopicPartition
from chronik.spark.options.bounds import (
    EARLIEST_MARK,
    LATEST_MARK,
    AtOffsets,
    AtTime,
    AtTimes,
    Bound,
    Earliest,
    Latest,
    Offsets,
)
from chronik.spark.options.options import OptionsRefusedError
from chronik.spark.options.parsers import Assigned, Everything, Matching, Subscribed, TopicChoice

Partitions: TypeAlias = Mapping[TopicPartition, str]
"""Partitions, each with the id of its topic, which is empty where the cluster has no topic ids."""


class TopicLookup(Protocol):
    """Topics, partitions and offsets of a cluster or of a directory of segment files."""

    def topics(self) -> Iterable[str]:
        """Return all topics except internal ones."""

    def partitions(self, topics: Iterable[str]) -> Partitions:
        """Return the partitions of these topics; raise for a missing topic."""

    def earliest(self, partitions: Iterable[TopicPartition]) -> Offsets:
        """Return the log start offset of each partition."""

    def latest(self, partitions: Iterable[TopicPartition]) -> Offsets:
        """Return the end of each partition, as far as readers may read."""

    def at_times(self, times_ms: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int | None]:
        """Return the first offset whose record is not older than the time; None where there is none."""


def chosen_partitions(choice: TopicChoice, lookup: TopicLookup) -> Partitions:
    """Return the partitions that the options choose."""
    match choice:
        case Assigned():
            return _assigned(choice, lookup)
        case Subscribed():
            return lookup.partitions(choice.topics)
        case Matching():
            return lookup.partitions(name for name in sorted(lookup.topics()) if re.fullmatch(choice.pattern, name))
        case Everything():
            return lookup.partitions(sorted(lookup.topics()))
        case _:
            assert_never(choice)


def _assigned(choice: Assigned, lookup: TopicLookup) -> Partitions:
    known = lookup.partitions(sorted({at.topic for at in choice.partitions}))
    missing = choice.partitions - known.keys()
    if missing:
        raise OptionsRefusedError(f"assign names partitions that do not exist: {_names(missing)}")
    return {at: known[at] for at in choice.partitions}


def starting_offsets(
    bound: Bound, partitions: Partitions, lookup: TopicLookup, *, unmatched_is_latest: bool
) -> Offsets:
    """Return where each partition begins. The latest offset stays a mark until the first batch ends."""
    match bound:
        case Earliest():
            return lookup.earliest(partitions)
        case Latest():
            return dict.fromkeys(partitions, LATEST_MARK)
        case AtOffsets():
            _check_named("startingOffsets", bound.offsets, partitions)
            return _with_earliest(bound.offsets, lookup)
        case AtTimes():
            _check_named("startingOffsetsByTimestamp", bound.times_ms, partitions)
            return _starting_at(bound.times_ms, lookup, unmatched_is_latest=unmatched_is_latest)
        case AtTime():
            return _starting_at(
                dict.fromkeys(partitions, bound.time_ms), lookup, unmatched_is_latest=unmatched_is_latest
            )
        case _:
            assert_never(bound)


def ending_offsets(bound: Bound, partitions: Partitions, lookup: TopicLookup) -> Offsets:
    """Return where each partition ends; where no record is as late as a time, the latest offset."""
    latest = lookup.latest(partitions)
    match bound:
        case Latest():
            return latest
        case AtOffsets():
            _check_named("endingOffsets", bound.offsets, partitions)
            return {at: latest[at] if offset == LATEST_MARK else offset for at, offset in bound.offsets.items()}
        case AtTimes():
            _check_named("endingOffsetsByTimestamp", bound.times_ms, partitions)
            return _ending_at(bound.times_ms, latest, lookup)
        case AtTime():
            return _ending_at(dict.fromkeys(partitions, bound.time_ms), latest, lookup)
        case Earliest():
            raise OptionsRefusedError("endingOffsets: a query cannot end at the earliest offset")
        case _:
            assert_never(bound)


def _check_named(option: str, named: Mapping[TopicPartition, int], partitions: Partitions) -> None:
    """Raise unless the offsets name exactly the partitions that are read: a forgotten one would be a surprise."""
    missing, others = partitions.keys() - named.keys(), named.keys() - partitions.keys()
    if missing or others:
        faults = [f"missing {_names(missing)}"] * bool(missing) + [f"not read {_names(others)}"] * bool(others)
        raise OptionsRefusedError(
            f"{option} must name every partition that is read, and no other: {', '.join(faults)} "
            "(as offsets, -2 is the earliest and -1 the latest)"
        )


def _with_earliest(offsets: Mapping[TopicPartition, int], lookup: TopicLookup) -> Offsets:
    marked = [at for at, offset in offsets.items() if offset == EARLIEST_MARK]
    return {**offsets, **(lookup.earliest(marked) if marked else {})}


def _starting_at(times_ms: Mapping[TopicPartition, int], lookup: TopicLookup, *, unmatched_is_latest: bool) -> Offsets:
    found = lookup.at_times(times_ms)
    late = sorted(at for at in times_ms if found[at] is None)
    if late and not unmatched_is_latest:
        raise OptionsRefusedError(
            f"no record of {_names(late)} is as late as timestamp {times_ms[late[0]]}: "
            "use an earlier one, or startingOffsetsByTimestampStrategy=latest"
        )
    return {at: LATEST_MARK if offset is None else offset for at, offset in found.items()}


def _ending_at(times_ms: Mapping[TopicPartition, int], latest: Offsets, lookup: TopicLookup) -> Offsets:
    found = lookup.at_times(times_ms)
    return {at: latest[at] if (offset := found[at]) is None else offset for at in times_ms}


def _names(partitions: Iterable[TopicPartition]) -> str:
    names = sorted(partitions)
    shown = ", ".join(str(at) for at in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
