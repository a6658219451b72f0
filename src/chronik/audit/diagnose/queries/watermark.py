"""Queries about the watermark: moved back, above the log end of an in-sync replica, or not advancing."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from chronik.audit.diagnose.run_evidence import CONSUMED_LATE_OR_NOT, Numbers, RunEvidence
from chronik.audit.diagnose.symptoms import Symptom
from chronik.audit.diagnose.tap import TapExchange, all_fetches
from chronik.audit.tables.words import brokers, clock, counted, duration, number

SETTLED_US: Final = 1_000_000
"""Metadata may show an older ISR than the leader has; an ISR counts when it has held for this long."""


def moved_back(facts: RunEvidence) -> Iterator[Symptom]:
    """The watermark of one leader fell within one epoch."""
    for partition in _partitions(facts):
        falls = [*_observed_falls(facts, partition), *_tapped_falls(facts, partition)]
        if falls:
            falls.sort()
            yield Symptom(partition, falls[0][0], falls[-1][0], tuple(line for _, line in falls[:3]))


def _partitions(facts: RunEvidence) -> list[int]:
    return sorted({*facts.observed_partitions, *(one.partition for one in all_fetches(facts) if one.partition >= 0)})


def _observed_falls(facts: RunEvidence, partition: int) -> Iterator[tuple[int, str]]:
    rows = facts.served(partition)
    marks, epochs, leaders = rows["high_watermark"], rows["leader_epoch"], rows["leader"]
    same = (epochs[1:] == epochs[:-1]) & (leaders[1:] == leaders[:-1]) & (rows["node"][1:] == rows["node"][:-1])
    for place in np.flatnonzero(same & (marks[1:] < marks[:-1]) & ~_is_seam(epochs)):
        at_us = int(rows["at_us"][place + 1])
        yield at_us, _fell(partition, at_us, int(marks[place]), int(marks[place + 1]), f"epoch {epochs[place]}")


def _is_seam(epochs: Numbers) -> Numbers:
    """Watermark and epoch are read in two requests: next to a change of leader they may not belong together."""
    changed = epochs[1:] != epochs[:-1]
    after = np.append(changed[1:], [False])
    before = np.append([False], changed[:-1])
    seam: Numbers = after | before
    return seam


def _fell(partition: int, at_us: int, was: int, now: int, where: str) -> str:
    return (
        f"partition {partition}: the watermark fell from {number(was)} to {number(now)} at {clock(at_us)}, in {where}"
    )


def _tapped_falls(facts: RunEvidence, partition: int) -> Iterator[tuple[int, str]]:
    """Find falls on one connection, on which responses arrive in the order in which the broker made them."""
    last: dict[int, TapExchange] = {}
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
            where = f"epoch {epoch}, in responses to {one.client_id}"
            yield one.answer_us, _fell(partition, one.answer_us, before.high_watermark, one.high_watermark, where)


def above_in_sync(facts: RunEvidence) -> Iterator[Symptom]:
    """A served watermark was above the log end of a replica that was and stayed in the ISR."""
    for partition in facts.observed_partitions:
        found = [*_above(facts, partition)]
        if found:
            harmed = facts.harmed("IN_LOG_ABOVE_HW").get(partition)
            since_us = min(one.at_us for one in found)
            # Who follows at a moment's distance is passed, too, where a watermark is made up; who lacks most tells why.
            worst = max(found, key=lambda one: one.mark - one.held)
            yield Symptom(partition, since_us, -1, (_words(partition, worst),), len(harmed) if harmed else 0)


class _Above(NamedTuple):
    """A served watermark, and an in-sync replica with a lower log end."""

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


def _above(facts: RunEvidence, partition: int) -> Iterator[_Above]:
    served, ends = facts.served(partition), facts.ends(partition)
    for node in np.unique(ends["node"]):
        own = {name: column[ends["node"] == node] for name, column in ends.items()}
        yield from _above_one(served, own, int(node))


def _above_one(served: dict[str, Any], own: dict[str, Any], node: int) -> Iterator[_Above]:
    """Compare each watermark with the replica's next sample, which can only be higher within an epoch."""
    places = np.searchsorted(own["mono_us"], served["mono_us"], side="left")
    for row, place in enumerate(places):
        if place >= len(own["mono_us"]) or served["leader"][row] == node:
            continue
        mark, end = int(served["high_watermark"][row]), int(own["log_end"][place])
        if end < mark and own["leader_epoch"][place] == served["leader_epoch"][row] and _stays_in(served, row, node):
            yield _Above(int(served["at_us"][row]), mark, node, end, int(own["at_us"][place]))


def _stays_in(served: dict[str, Any], row: int, node: int) -> bool:
    """Return whether a replica was in the ISR, and stayed in it in all samples until the ISR must have settled."""
    until = served["mono_us"][row] + SETTLED_US
    if served["mono_us"][-1] < until:
        return False
    last = int(np.searchsorted(served["mono_us"], until, side="right"))
    epoch = served["leader_epoch"][row]
    return all(node in served["isr"][one] and served["leader_epoch"][one] == epoch for one in range(row, last))


def stands_still(facts: RunEvidence) -> Iterator[Symptom]:
    """The watermark did not advance for at least a stall while the log end was above it and messages waited."""
    harmed = facts.harmed(*CONSUMED_LATE_OR_NOT)
    for partition in facts.observed_partitions:
        if partition not in harmed:
            continue
        for since_us, until_us, mark in _plateaus(facts, partition):
            line = (
                f"partition {partition}: the watermark stayed at {number(mark)} from {clock(since_us)} for "
                f"{duration(until_us - since_us)}, while the log end was above it"
            )
            holder, remedy = _holder(facts, partition, since_us, until_us, mark)
            lines = (line, holder, *_traced_holders(facts, partition, since_us, until_us))
            yield Symptom(partition, since_us, until_us, lines, len(harmed[partition]), remedy=remedy)


def _traced_holders(facts: RunEvidence, partition: int, since_us: int, until_us: int) -> Iterator[str]:
    """Return the replicas that the leader waited for, by its trace."""
    waited: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for row in facts.trace.between("watermark_held", {partition}, since_us, until_us):
        waited[row["node"], tuple(sorted(row["replicas"]))] += 1
    for (node, holders), count in waited.most_common(2):
        whom = f"waited for {brokers(holders)}" if holders else "waited for more replicas to be in sync"
        yield f"the trace of broker {node} shows {counted(count, 'time')} that it {whom}"


def _plateaus(facts: RunEvidence, partition: int) -> Iterator[tuple[int, int, int]]:
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


def _leader_ends(facts: RunEvidence, partition: int, rows: dict[str, Any]) -> Numbers:
    """Return the leader's log end at each sample, or else of the last sample that has one."""
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


def _holder(facts: RunEvidence, partition: int, since_us: int, until_us: int, mark: int) -> tuple[str, str]:
    """Return the in-sync replicas whose log ends hold the watermark back, if any, and the remedy."""
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
            f"Look at {names}: in the ISR, but not fetching. Restart it, or remove it from the ISR.",
        )
    if len(last) > 1 and set(last) == in_sync:
        return (
            f"every replica in sync held more ({number(min(last.values()))} or above): the watermark did not follow",
            "The leader, or a proxy in front of it, does not advance the watermark as it should: look there.",
        )
    return "the log ends of the replicas in sync are unknown", ""
