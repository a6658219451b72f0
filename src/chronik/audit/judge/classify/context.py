"""What the messages of a run are judged against: who read what from where to where, and what each partition promised.

It is made once, of the small tables of a run, and travels to every task.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from chronik.audit.judge.balance.entries import EntryKind, Summary
from chronik.audit.judge.classify.watermarks import NO_BOUND, Watched, watch
from chronik.audit.tables.columns import Flags, Ints
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.run_facts import RunFacts
from chronik.audit.tables.schemas import AS_CLIENTS_SEE_IT, EventKind
from chronik.audit.tables.spans import ReadSpan, read_spans

NO_GROUP: Final = ""
"""Stands for the group of a run without consumers."""
_REDELIVERY_CAUSES: Final = frozenset({EventKind.START, EventKind.ASSIGNED, EventKind.REVOKED, EventKind.SEEK})
_BEGINNINGS: Final = frozenset({EventKind.ASSIGNED, EventKind.SEEK})
_EVERYWHERE: Final = -1
_DELETE_RECORDS: Final = "DeleteRecords"


@dataclass(frozen=True, slots=True)
class GroupScope:
    """One consumer group: what it set out to read, and how far it came."""

    name: str
    reads_committed: bool = False
    resets_to_earliest: bool = True
    only_partitions: frozenset[int] | None = None
    begin_us: int = -1
    end_us: int = -1
    starts: Mapping[int, int] = field(default_factory=dict)
    positions: Mapping[int, int] = field(default_factory=dict)
    causes: Mapping[int, Ints] = field(default_factory=dict)

    @property
    def judged_at_us(self) -> int:
        """When its final polls were over; where no event says so, after everything that was seen."""
        return self.end_us if self.end_us >= 0 else NO_BOUND

    def reads(self, partition: int) -> bool:
        """Return whether the group was to read a partition."""
        return self.name != NO_GROUP and (self.only_partitions is None or partition in self.only_partitions)

    def has_cause_between(self, partition: int, first_us: int, last_us: int) -> bool:
        """Return whether a rebalance, a seek or a restart lies between two deliveries."""
        return any(_is_between(self.causes.get(at), first_us, last_us) for at in (partition, _EVERYWHERE))

    def with_delivered(self, lowest: Mapping[int, int], highest: Mapping[int, int]) -> "GroupScope":
        """Return how far it came by what it was given too: a ledger may have lost the last positions."""
        positions = dict(self.positions)
        for partition, offset in highest.items():
            positions[partition] = max(positions.get(partition, 0), offset + 1)
        starts = {at: min(start, lowest.get(at, start)) for at, start in self.starts.items()}
        return replace(self, positions=positions, starts=starts)


def _is_between(times: Ints | None, first_us: int, last_us: int) -> bool:
    if times is None:
        return False
    return bool(np.searchsorted(times, first_us) < np.searchsorted(times, last_us, side="right"))


@dataclass(frozen=True, slots=True)
class AuditContext:
    """Everything that messages are judged against."""

    facts: RunFacts
    groups: tuple[GroupScope, ...]
    watched: Mapping[int, Watched]
    spans: Mapping[int, ReadSpan]
    """The offsets that were read of each partition, from the replica that is judged as the log."""
    epochs: Mapping[int, tuple[tuple[int, int], ...]]
    """Of each partition: leader epochs with the offsets where they began, as the log has them at the end."""
    deleted_before: Mapping[int, int]
    has_stored: bool

    def node_of(self, partition: int) -> int:
        """Return the replica that is judged as the log of a partition."""
        span = self.spans.get(partition)
        return AS_CLIENTS_SEE_IT if span is None else span.node

    def log_start(self, partition: int) -> int:
        watched, span = self.watched.get(partition), self.spans.get(partition)
        return max(-1 if watched is None else watched.log_start(), -1 if span is None else span.log_start)

    def are_lost_by_new_leader(self, partition: int, sent_us: Ints, offsets: Ints) -> Flags:
        """Return which offsets a later leader may have truncated: its epoch begins at or below them."""
        watched, history = self.watched.get(partition), self.epochs.get(partition, ())
        has_new = np.zeros(len(offsets), np.bool_) if watched is None else watched.is_new_epoch_after(sent_us)
        if not history:
            return has_new
        before = history[0][0] if watched is None else watched.epochs_at(sent_us, history[0][0])
        begins_below = np.zeros(len(offsets), np.bool_)
        for epoch, start in history:
            begins_below |= (epoch > before) & (start <= offsets)
        return begins_below

    def group_names(self) -> tuple[str, ...]:
        return tuple(group.name for group in self.groups)

    def with_delivered(self, summary: Summary) -> "AuditContext":
        """Add how far each group came by what it was given."""
        lowest: dict[str, dict[int, int]] = {}
        highest: dict[str, dict[int, int]] = {}
        for at, entry in summary.of_kind(EntryKind.DELIVERED_COUNT).items():
            lowest.setdefault(at.group, {})[at.key], highest.setdefault(at.group, {})[at.key] = entry.numbers
        groups = [one.with_delivered(lowest.get(one.name, {}), highest.get(one.name, {})) for one in self.groups]
        return replace(self, groups=tuple(groups))

    def clock_error_us(self) -> int:
        """Return how far clocks of different hosts may be apart."""
        return max((abs(offset) for offset in self.facts.clock_offsets_us.values()), default=0)


def survey(evidence: Evidence, spans: Sequence[ReadSpan] | None = None) -> AuditContext:
    """Read the small tables of a run; ``spans`` say what is read of the log, where it is not in the run's directory."""
    watched = watch(evidence.observed)
    spans = read_spans(evidence) if spans is None else spans
    leaders = {partition: seen.last_leader() for partition, seen in watched.items()}
    return AuditContext(
        facts=evidence.facts,
        groups=_groups(evidence, watched),
        watched=watched,
        spans=_chosen_spans(spans, leaders),
        epochs=_epochs(evidence),
        deleted_before=_deletions(evidence),
        has_stored=bool(spans),
    )


def _chosen_spans(spans: Iterable[ReadSpan], leaders: Mapping[int, int]) -> dict[int, ReadSpan]:
    """Let the leader's own replica stand for the log where it was read, and what clients see where it was not."""

    def rank(span: ReadSpan) -> tuple[int, int]:
        is_last_leader = span.node == leaders.get(span.partition)
        return (0 if span.is_leader else 1 if is_last_leader else 2 if span.node == AS_CLIENTS_SEE_IT else 3, span.node)

    return {span.partition: span for span in sorted(spans, key=rank, reverse=True)}


def _epochs(evidence: Evidence) -> dict[int, tuple[tuple[int, int], ...]]:
    found: dict[int, list[tuple[int, int]]] = {}
    for row in evidence.epochs.sort_by([("partition", "ascending"), ("leader_epoch", "ascending")]).to_pylist():
        found.setdefault(row["partition"], []).append((row["leader_epoch"], row["start_offset"]))
    return {partition: tuple(history) for partition, history in found.items()}


def _deletions(evidence: Evidence) -> dict[int, int]:
    """Find up to where records were deleted on request, by the tap or by the run's own notes."""
    found = {int(at): int(offset) for at, offset in evidence.facts.raw.get("deleted_before", {}).items()}
    for row in evidence.tap.to_pylist() if evidence.facts.seen.has_tap else ():
        if row["api"] == _DELETE_RECORDS and row["offset"] > found.get(row["partition"], -1):
            found[row["partition"]] = row["offset"]
    return found


def _groups(evidence: Evidence, watched: Mapping[int, Watched]) -> tuple[GroupScope, ...]:
    by_group: dict[str, list[dict[str, Any]]] = {}
    for row in evidence.events.sort_by([("at_us", "ascending")]).to_pylist():
        by_group.setdefault(row["group"], []).append(row)
    names = sorted({*by_group, *_delivered_groups(evidence)})
    return tuple(_group(name, by_group.get(name, []), watched) for name in names) or (GroupScope(NO_GROUP),)


def _delivered_groups(evidence: Evidence) -> list[str]:
    """Name the groups whose ledgers hold records; an event is written before the first of them."""
    given = evidence.facts.raw.get("groups")
    return list(given) if given else []


def _group(name: str, events: list[dict[str, Any]], watched: Mapping[int, Watched]) -> GroupScope:
    begun = [_settings(event["text"]) for event in events if event["kind"] == EventKind.START]
    begin_us = events[0]["at_us"] if events else -1
    is_latest = any(str(settings.get("reset", "earliest")) == "latest" for settings in begun)
    return GroupScope(
        name=name,
        reads_committed=any(settings.get("isolation") == "read_committed" for settings in begun),
        resets_to_earliest=not is_latest,
        only_partitions=_only_partitions(begun),
        begin_us=begin_us,
        end_us=events[-1]["at_us"] if events else -1,
        starts={**(_ends_at(begin_us, watched) if is_latest else {}), **_starts(events)},
        positions=_positions(events),
        causes=_causes(events),
    )


def _settings(text: str) -> dict[str, Any]:
    return dict(json.loads(text)) if text else {}


def _only_partitions(begun: list[dict[str, Any]]) -> frozenset[int] | None:
    if not begun or any(settings.get("mode") != "assign" or "partitions" not in settings for settings in begun):
        return None
    return frozenset(int(partition) for settings in begun for partition in settings["partitions"])


def _ends_at(at_us: int, watched: Mapping[int, Watched]) -> dict[int, int]:
    return {partition: seen.bound_at(at_us) for partition, seen in watched.items() if len(seen.leader)}


def _starts(events: list[dict[str, Any]]) -> dict[int, int]:
    """Find where each partition was begun; a later seek to the front widens what the group set out to read."""
    found: dict[int, int] = {}
    for event in events:
        if event["kind"] in _BEGINNINGS and event["offset"] >= 0:
            found[event["partition"]] = min(found.get(event["partition"], event["offset"]), event["offset"])
    return found


def _positions(events: list[dict[str, Any]]) -> dict[int, int]:
    found: dict[int, int] = {}
    for event in events:
        if event["kind"] == EventKind.POSITION and event["offset"] >= 0:
            found[event["partition"]] = max(found.get(event["partition"], 0), event["offset"])
    return found


def _causes(events: list[dict[str, Any]]) -> dict[int, Ints]:
    found: dict[int, list[int]] = {}
    for event in events:
        if event["kind"] in _REDELIVERY_CAUSES:
            found.setdefault(event["partition"], []).append(event["at_us"])
    return {partition: np.array(times, np.int64) for partition, times in found.items()}
