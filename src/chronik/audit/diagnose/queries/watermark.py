"""Queries about the watermark: moved back, above what is in sync, passed by what is delivered, or standing still."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from chronik.audit.diagnose.facts import CONSUMED_LATE_OR_NOT, Facts, Numbers
from chronik.audit.diagnose.symptoms import Symptom
from chronik.audit.diagnose.tap import Exchange, all_fetches
from chronik.audit.tables.words import brokers, clock, counted, duration, number

SETTLED_US: Final = 1_000_000
"""Who is in sync is told by metadata, which may lag behind the leader's own view: it must hold for so long."""


def moved_back(facts: Facts) -> Iterator[Symptom]:
    """A lower watermark than before, from one leader within one epoch."""
    for partition in _partitions(facts):
        falls = [*_observed_falls(facts, partition), *_tapped_falls(facts, partition)]
        if falls:
            falls.sort()
            yield Symptom(partition, falls[0][0], falls[-1][0], tuple(line for _, line in falls[:3]))


def _partitions(facts: Facts) -> list[int]:
    return sorted({*facts.observed_partitions, *(one.partition for one in all_fetches(facts) if one.partition >= 0)})


def _observed_falls(facts: Facts, partition: int) -> Iterator[tuple[int, str]]:
    rows = facts.served(partition)
    marks, epochs, leaders = rows["high_watermark"], rows["leader_epoch"], rows["leader"]
    same = (epochs[1:] == epochs[:-1]) & (leaders[1:] == leaders[:-1]) & (rows["node"][1:] == rows["node"][:-1])
    for place in np.flatnonzero(same & (marks[1:] < marks[:-1]) & ~_is_seam(epochs)):
        at_us = int(rows["at_us"][place + 1])
        yield at_us, _fell(partition, at_us, int(marks[place]), int(marks[place + 1]), f"epoch {epochs[place]}")


def _is_seam(epochs: Numbers) -> Numbers:
    """A watermark and an epoch are asked for one after the other: next to a change they may not belong together."""
    changed = epochs[1:] != epochs[:-1]
    after = np.append(changed[1:], [False])
    before = np.append([False], changed[:-1])
    seam: Numbers = after | before
    return seam


def _fell(partition: int, at_us: int, was: int, now: int, where: str) -> str:
    return (
        f"partition {partition}: the watermark fell from {number(was)} to {number(now)} at {clock(at_us)}, in {where}"
    )


def _tapped_falls(facts: Facts, partition: int) -> Iterator[tuple[int, str]]:
    """On one connection answers come in the order in which they were made."""
    last: dict[int, Exchange] = {}
    told = [
        one for one in all_fetches(facts) if one.partition == partition and one.high_watermark >= 0 and not one.error
    ]
    for one in sorted(told, key=lambda one: one.answer_us):
        before = last.get(one.connection)
        last[one.connection] = one
        if before is None or one.high_watermark >= before.high_watermark:
            continue
        epoch = facts.epoch_at(partition, before.answer_us)
        if epoch >= 0 and epoch == facts.epoch_at(partition, one.answer_us):
            where = f"epoch {epoch}, as told to {one.client_id}"
            yield one.answer_us, _fell(partition, one.answer_us, before.high_watermark, one.high_watermark, where)


def above_in_sync(facts: Facts) -> Iterator[Symptom]:
    """A served watermark above the log end of a replica that was in sync then and went on to be."""
    for partition in facts.observed_partitions:
        found = [*_above(facts, partition)]
        if found:
            harmed = facts.harmed("IN_LOG_ABOVE_HW").get(partition)
            since_us = min(one.at_us for one in found)
            # Who follows at a moment's distance is passed, too, where a watermark is made up; who lacks most tells why.
            worst = max(found, key=lambda one: one.mark - one.held)
            yield Symptom(partition, since_us, -1, (_words(partition, worst),), len(harmed) if harmed else 0)


class _Above(NamedTuple):
    """A watermark that was served, and an in-sync replica that held less."""

    at_us: int
    mark: int
    node: int
    held: int
    held_at_us: int


def _words(partition: int, one: _Above) -> str:
    return (
        f"partition {partition}: the watermark was served as {number(one.mark)} at {clock(one.at_us)}, while "
        f"broker {one.node}, in sync, held {number(one.held)} at {clock(one.held_at_us)}"
    )


def _above(facts: Facts, partition: int) -> Iterator[_Above]:
    served, ends = facts.served(partition), facts.ends(partition)
    for node in np.unique(ends["node"]):
        own = {name: column[ends["node"] == node] for name, column in ends.items()}
        yield from _above_one(served, own, int(node))


def _above_one(served: dict[str, Any], own: dict[str, Any], node: int) -> Iterator[_Above]:
    """Compare each watermark with the replica's next look, which can only be higher: an end grows within an epoch."""
    places = np.searchsorted(own["mono_us"], served["mono_us"], side="left")
    for row, place in enumerate(places):
        if place >= len(own["mono_us"]) or served["leader"][row] == node:
            continue
        mark, end = int(served["high_watermark"][row]), int(own["log_end"][place])
        if end < mark and own["leader_epoch"][place] == served["leader_epoch"][row] and _stays_in(served, row, node):
            yield _Above(int(served["at_us"][row]), mark, node, end, int(own["at_us"][place]))


def _stays_in(served: dict[str, Any], row: int, node: int) -> bool:
    """Whether a replica was in the in-sync set then, and in all looks until the set must have settled."""
    until = served["mono_us"][row] + SETTLED_US
    if served["mono_us"][-1] < until:
        return False
    last = int(np.searchsorted(served["mono_us"], until, side="right"))
    epoch = served["leader_epoch"][row]
    return all(node in served["isr"][one] and served["leader_epoch"][one] == epoch for one in range(row, last))


def stands_still(facts: Facts) -> Iterator[Symptom]:
    """The watermark did not move for as long as a stall, the log end was above it, and somebody waited."""
    harmed = facts.harmed(*CONSUMED_LATE_OR_NOT)
    for partition in facts.observed_partitions:
        if partition not in harmed:
            continue
        for since_us, until_us, mark in _plateaus(facts, partition):
            line = (
                f"partition {partition}: the watermark stood at {number(mark)} from {clock(since_us)} for "
                f"{duration(until_us - since_us)}, while the log end was above it"
            )
            holder, remedy = _holder(facts, partition, since_us, until_us, mark)
            lines = (line, holder, *_traced_holders(facts, partition, since_us, until_us))
            yield Symptom(partition, since_us, until_us, lines, len(harmed[partition]), remedy=remedy)


def _traced_holders(facts: Facts, partition: int, since_us: int, until_us: int) -> Iterator[str]:
    """Say whom the leader itself waited for, where it was traced."""
    waited: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for row in facts.trace.between("watermark_held", {partition}, since_us, until_us):
        waited[row["node"], tuple(sorted(row["replicas"]))] += 1
    for (node, holders), count in waited.most_common(2):
        whom = f"waited for {brokers(holders)}" if holders else "waited for more replicas to be in sync"
        yield f"the trace of broker {node} says {counted(count, 'time')} meanwhile that it {whom}"


def _plateaus(facts: Facts, partition: int) -> Iterator[tuple[int, int, int]]:
    rows = facts.served(partition)
    marks, at = rows["high_watermark"], rows["at_us"]
    is_behind = _leader_ends(facts, partition, rows) > marks
    first = 0
    for place in range(1, len(marks) + 1):
        if place < len(marks) and is_behind[place] and is_behind[first] and marks[place] == marks[first]:
            continue
        last = place - 1
        if is_behind[first] and at[last] - at[first] >= facts.stall_us:
            yield int(at[first]), int(at[last]), int(marks[first])
        first = place


def _leader_ends(facts: Facts, partition: int, rows: dict[str, Any]) -> Numbers:
    """Return the leader's log end at each look: what that look told, or else the last one that did."""
    ends = facts.ends(partition)
    own = ends["node"] == ends["leader"]
    mono, log_end = ends["mono_us"][own], ends["log_end"][own]
    if not len(mono):
        own_ends: Numbers = rows["log_end"]
        return own_ends
    places = np.searchsorted(mono, rows["mono_us"], side="right") - 1
    known: Numbers = np.where(places >= 0, log_end[np.maximum(places, 0)], -1)
    latest: Numbers = np.maximum(known, rows["log_end"])
    return latest


def _holder(facts: Facts, partition: int, since_us: int, until_us: int, mark: int) -> tuple[str, str]:
    """Say who holds the watermark: a replica in sync that has no more, or nobody."""
    ends, served = facts.ends(partition), facts.served(partition)
    within = (served["at_us"] >= since_us) & (served["at_us"] <= until_us)
    in_sync = set(served["isr"][within][-1]) if within.any() else set()
    last = {
        int(node): int(ends["log_end"][(ends["node"] == node) & (ends["at_us"] <= until_us)].max(initial=-1))
        for node in np.unique(ends["node"])
        if node in in_sync
    }
    behind = sorted(node for node, end in last.items() if 0 <= end <= mark)
    if behind:
        names = brokers(behind)
        return (
            f"{names}, in sync, held no more than {number(max(last[node] for node in behind))}",
            f"Look at {names}: in sync, and not following. Bring back who is named, or take it out of the set.",
        )
    if len(last) > 1 and set(last) == in_sync:
        return (
            f"every replica in sync held more ({number(min(last.values()))} and up): the watermark did not follow them",
            "The leader, or whatever stands before it, does not move the watermark that it should: look there.",
        )
    return "what the replicas in sync held is not known", ""
