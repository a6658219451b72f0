"""Queries about consumers: repeated rebalances, consumers that ended, slow ones, limits, and stalls."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from chronik.audit.capture.observer import CLIENT_ID as OBSERVER
from chronik.audit.diagnose.run_evidence import CONSUMED_LATE_OR_NOT, Polls, RunEvidence, Selection
from chronik.audit.diagnose.symptoms import NOWHERE, Symptom
from chronik.audit.diagnose.tap import fetches
from chronik.audit.diagnose.trace import request_of
from chronik.audit.tables.schemas import EventKind
from chronik.audit.tables.words import clock, counted, duration, listed, number, plural

_REBALANCES_MIN: Final = 3
_ONE_REBALANCE_US: Final = 1_000_000
"""All members learn of one rebalance within this time."""
_FULL_SHARE: Final = 0.8
_EMPTY_SHARE: Final = 0.1
_POLLS_MIN: Final = 5

BEHIND: Final = ("NOT_REACHED", "+LATE")


def events(facts: RunEvidence, *kinds: EventKind) -> list[dict[str, Any]]:
    """Return the events of the consumers, by time."""
    if "events" not in facts.kept:
        rows = facts.evidence.events.to_pylist()
        facts.kept["events"] = sorted(rows, key=lambda row: int(row["at_us"]))
    return [row for row in facts.kept["events"] if not kinds or row["kind"] in kinds]


def rebalance_storm(facts: RunEvidence) -> Iterator[Symptom]:
    """Partitions were revoked repeatedly, and messages were late, not reached, or delivered twice."""
    harmed = facts.chosen(*BEHIND, "+REDELIVERED")
    ends = {row["consumer"]: row["at_us"] for row in events(facts, EventKind.END)}
    times: dict[str, list[int]] = defaultdict(list)
    for row in events(facts, EventKind.REVOKED) if len(harmed) else ():
        is_closing = ends.get(row["consumer"], row["at_us"] * 2) - row["at_us"] < _ONE_REBALANCE_US
        own = times[row["group"]]
        if not is_closing and (not own or row["at_us"] - own[-1] > _ONE_REBALANCE_US):
            own.append(row["at_us"])
    for group, own in sorted(times.items()):
        if len(own) >= _REBALANCES_MIN:
            line = f"group {group or '-'} rebalanced {number(len(own))} times from {clock(own[0])} to {clock(own[-1])}"
            yield Symptom(NOWHERE, own[0], own[-1], (line,), len(harmed), is_allowed=harmed.are_allowed)


def ended_early(facts: RunEvidence) -> Iterator[Symptom]:
    """A consumer whose ledger has no end, without a member of its group that continued."""
    harmed = facts.harmed("NOT_REACHED")
    starts = {row["consumer"]: row for row in events(facts, EventKind.START)} if harmed else {}
    for consumer, start in sorted(starts.items()):
        own = [row for row in events(facts) if row["consumer"] == consumer]
        others = [row for row in events(facts) if row["group"] == start["group"] and row["consumer"] != consumer]
        last_us = own[-1]["at_us"]
        if any(row["kind"] == EventKind.END for row in own) or any(row["at_us"] > last_us for row in others):
            continue
        fault = next((row["text"] for row in reversed(own) if row["kind"] == EventKind.ERROR), "")
        line = (
            f"consumer {consumer} was last active at {clock(last_us)}, without a close{f': {fault}' if fault else ''}"
        )
        for partition in sorted({row["partition"] for row in own} & set(harmed)) or [NOWHERE]:
            yield Symptom(partition, last_us, -1, (line,), len(harmed.get(partition, ())))


def poll_limit(facts: RunEvidence) -> Iterator[Symptom]:
    """Nearly every poll returned the maximum number of records, and the end was not reached in time."""
    limit = int(facts.run.settings.get("max_poll_records", 0) or 0)
    for consumer, polls, harmed in _steady(facts):
        share = float(np.mean(polls.count >= limit)) if limit else 0.0
        if share >= _FULL_SHARE:
            line = (
                f"consumer {consumer}: {share:.0%} of {counted(len(polls.count), 'poll')} returned the full "
                f"{number(limit)} records, one every {duration(_pace_us(polls))}"
            )
            yield _behind(polls, harmed, line)


def slow_consumer(facts: RunEvidence) -> Iterator[Symptom]:
    """Every poll found records waiting: the consumer polled too seldom."""
    limit = int(facts.run.settings.get("max_poll_records", 0) or 0)
    for consumer, polls, harmed in _steady(facts):
        empty = sum(row["count"] for row in events(facts, EventKind.EMPTY) if row["consumer"] == consumer)
        is_full = bool(limit) and float(np.mean(polls.count >= limit)) >= _FULL_SHARE
        if not is_full and empty <= _EMPTY_SHARE * len(polls.count):
            line = (
                f"consumer {consumer}: {number(empty)} of {counted(empty + len(polls.count), 'poll')} were empty, "
                f"with {duration(_pace_us(polls))} from one to the next"
            )
            base = _behind(polls, harmed, line)
            # A poll that waits for a late response returns records too: only the tap shows the cause.
            is_tapped = bool(fetches(facts))
            yield base if is_tapped else replace(base, remaining=("slow-consumer", "answers-late"), record=("a tap",))


def timeout_too_short(facts: RunEvidence) -> Iterator[Symptom]:
    """Records were still delivered without a stall when the time was over."""
    for consumer, polls, harmed in _steady(facts):
        rate = polls.count.sum() / max((polls.at_us[-1] - polls.at_us[0]) / 1e6, 1e-6)
        line = (
            f"consumer {consumer}: {number(float(rate))} records/s without a stall until "
            f"{clock(int(polls.at_us[-1]))}, with a time-out of {duration(facts.run.timeout_us)}"
        )
        yield _behind(polls, harmed, line)


def _behind(polls: Polls, harmed: Selection, line: str) -> Symptom:
    partitions = harmed.partitions
    where = partitions[0] if len(partitions) == 1 else NOWHERE
    return Symptom(where, int(polls.at_us[0]), int(polls.at_us[-1]), (line,), len(harmed), harmed.are_allowed)


def _pace_us(polls: Polls) -> float:
    return float(np.median(np.diff(polls.at_us)))


def _steady(facts: RunEvidence) -> Iterator[tuple[int, Polls, Selection]]:
    """Return the consumers of groups that are behind without a stall."""
    harmed = facts.chosen(*BEHIND)
    stalled = {group for group, *_ in _stalls(facts)}
    for consumer, polls in sorted(facts.polls.items()) if len(harmed) else ():
        is_flowing = polls.group not in stalled and np.diff(polls.at_us).max(initial=0) < facts.stall_us
        if len(polls.count) >= _POLLS_MIN and is_flowing and _flows_to_the_end(facts, consumer, polls):
            yield consumer, polls, harmed


def _flows_to_the_end(facts: RunEvidence, consumer: int, polls: Polls) -> bool:
    """Return whether records still arrived when the consumer ended, or after the time-out."""
    ends = [row["at_us"] for row in events(facts, EventKind.END) if row["consumer"] == consumer]
    is_late = bool(len(facts.chosen("+LATE")))
    return is_late or bool(ends and ends[-1] - int(polls.at_us[-1]) < facts.stall_us)


def _stalls(facts: RunEvidence) -> list[tuple[str, int, int, int, str]]:
    """Return group, partition, begin, end and text of the stalls of partitions with waiting records."""
    harmed = facts.harmed(*CONSUMED_LATE_OR_NOT)
    return [
        (row["group"], row["partition"], stall["begin_us"], stall["end_us"], stall["text"])
        for row in facts.partition_rows
        for stall in row["stalls"]
        if row["partition"] in harmed
    ]


def all_stall(facts: RunEvidence) -> Iterator[Symptom]:
    """No partition delivered for a while, although records were available."""
    for group, stalls in _by_group(facts).items():
        busy = {row["partition"] for row in facts.partition_rows if row["group"] == group and row["stored"]}
        begin_us, end_us = max(stall[2] for stall in stalls), min(stall[3] for stall in stalls)
        if {stall[1] for stall in stalls} >= busy and begin_us < end_us:
            yield _stalled(facts, NOWHERE if len(busy) > 1 else stalls[0][1], begin_us, end_us, stalls)


def one_stalls(facts: RunEvidence) -> Iterator[Symptom]:
    """One partition did not deliver, while others did."""
    for group, stalls in _by_group(facts).items():
        busy = {row["partition"] for row in facts.partition_rows if row["group"] == group and row["stored"]}
        begin_us, end_us = max(stall[2] for stall in stalls), min(stall[3] for stall in stalls)
        if {stall[1] for stall in stalls} >= busy and begin_us < end_us:
            continue
        for partition in sorted({stall[1] for stall in stalls}):
            own = [stall for stall in stalls if stall[1] == partition]
            yield _stalled(facts, partition, own[0][2], own[-1][3], own)


def _by_group(facts: RunEvidence) -> dict[str, list[tuple[str, int, int, int, str]]]:
    groups: dict[str, list[tuple[str, int, int, int, str]]] = defaultdict(list)
    for stall in _stalls(facts):
        groups[stall[0]].append(stall)
    return groups


def _stalled(facts: RunEvidence, partition: int, begin_us: int, end_us: int, stalls: list[Any]) -> Symptom:
    harmed = facts.chosen(*CONSUMED_LATE_OR_NOT)
    own = harmed if partition == NOWHERE else harmed.of(partition)
    stood = sorted({stall[1] for stall in stalls})
    names = f"{plural('partition', len(stood))} {listed([str(index) for index in stood])}"
    line = f"{names}: no record was delivered from {clock(begin_us)} for {duration(end_us - begin_us)}"
    stalled = "it stalled" if len(stood) == 1 else "they stalled"
    texts = sorted({f"{stalled} {stall[4]}" for stall in stalls if stall[4]})
    asked, remaining, record = _what_remains(facts, {stall[1] for stall in stalls}, begin_us, end_us)
    lines = (line, *texts[:2], *asked)
    return Symptom(partition, begin_us, end_us, lines, len(own), own.are_allowed, remaining=remaining, record=record)


def _what_remains(
    facts: RunEvidence, partitions: set[int], begin_us: int, end_us: int
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return whether the consumer fetched, by tap or trace; else the open causes, and what to record."""
    within = [one for one in fetches(facts) if begin_us <= one.sent_us <= end_us]
    what = "it" if len(partitions) == 1 else "them"
    if within:
        own = [one for one in within if one.partition in partitions]
        if own:
            return (f"the tap saw {counted(len(own), 'fetch request')} for {what} at that time",), (), ()
        return (f"the tap saw no fetch for {what} at that time: the consumer did not fetch",), (), ()
    if traced := _traced_meanwhile(facts, partitions, begin_us, end_us):
        return (traced,), (), ()
    remaining, record = ["fetch-not-answered", "the consumer did not fetch it"], ["a tap, or the brokers' trace"]
    if not facts.observed_partitions:
        remaining.insert(0, "watermark-stands-still")
        record.append("the observer")
    return (), tuple(remaining), tuple(record)


def _traced_meanwhile(facts: RunEvidence, partitions: set[int], begin_us: int, end_us: int) -> str:
    """Return the fetches in the trace at that time; empty without a trace, or where the trace has gaps."""
    trace = facts.trace
    if not trace.is_there or not trace.has_no_hole(begin_us, end_us):
        return ""
    own = [row for row in trace.between("fetch_started", partitions, begin_us, end_us) if _is_of_a_consumer(row)]
    if not own:
        return "the brokers' trace has no fetch of a consumer for it at that time: the consumer did not fetch"
    asked = {request_of(row) for row in own}
    found, parked = (
        [row for row in trace.between(event, partitions, begin_us, end_us) if request_of(row) in asked]
        for event in ("data_found", "fetch_parked")
    )
    waits = (
        f", {number(len(parked))} waited, last at watermark {number(parked[-1]['high_watermark'])}" if parked else ""
    )
    return (
        f"the brokers' trace has {counted(len(own), 'fetch request')} of consumers for it at that time: "
        f"{number(len(found))} found data{waits}"
    )


def _is_of_a_consumer(row: dict[str, Any]) -> bool:
    return int(row["replica"]) < 0 and row["client_id"] != OBSERVER
