"""Queries about messages that did not reach the log: unknown brokers, absent leaders, refusals."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from chronik.audit.diagnose.run_evidence import RunEvidence, Selection
from chronik.audit.diagnose.symptoms import NOWHERE, Symptom
from chronik.audit.diagnose.tap import BrokerList, TapExchange, fetches, produces, wire
from chronik.audit.tables.schemas import SendOutcome
from chronik.audit.tables.words import brokers, clock, counted, duration, number

HARM: Final = ("NOT_SENT", "NOT_ACKED", "UNKNOWN", "NOT_REACHED", "+LATE")
"""The verdicts and flags of messages whose client did not reach the leader."""

_NOT_LEADER: Final = re.compile(r"not_?leader", re.IGNORECASE)
_REFUSALS_MIN: Final = 3

_REMEDIES: Final = (
    ("too_?large|size", "Raise max.message.bytes of the topic, or send smaller messages."),
    ("not_?enough_?replicas", "Fewer replicas than min.insync.replicas are in sync: bring the others back."),
    ("authori[sz]", "The client is not authorized to write to the topic: grant it the permission."),
    ("unknown_?topic", "The topic does not exist, or was created again: create it before producers start."),
    (
        "_?not_?leader",
        "The client kept sending to a broker that is not the leader: check its metadata and its connections.",
    ),
    ("queue_?full|buffer", "The producer's buffer is full: raise it, or send more slowly."),
)


def too_few_brokers(facts: RunEvidence) -> Iterator[Symptom]:
    """Metadata named leaders that were not in its list of brokers, so that clients could not reach them."""
    harmed = facts.harmed(*HARM)
    lists = [one for one in wire(facts).brokers if _unreachable(one)]
    if not lists or not harmed:
        return
    missing: dict[int, list[BrokerList]] = defaultdict(list)
    for one in lists:
        for partition in _unreachable(one):
            missing[partition].append(one)
    for partition, own in sorted(missing.items()):
        known = own[0].brokers
        line = (
            f"partition {partition}: {counted(len(own), 'metadata response')} from {clock(own[0].at_us)} on listed "
            f"only {brokers(known)}, and named broker {own[0].leaders[partition]} as leader"
        )
        more = _refusals(facts, partition)
        yield _count(harmed, Symptom(partition, own[0].at_us, own[-1].at_us, (line, *more)))


def _unreachable(one: BrokerList) -> list[int]:
    return [partition for partition, leader in one.leaders.items() if leader >= 0 and leader not in one.brokers]


def _count(harmed: dict[int, Selection], symptom: Symptom) -> Symptom:
    """Count the messages of the partition, and separately the messages of unknown partition."""
    own, unplaced = (len(harmed.get(one) or ()) for one in (symptom.partition, NOWHERE))
    return replace(symptom, count=own, unplaced=unplaced if symptom.partition != NOWHERE else 0)


def _refusals(facts: RunEvidence, partition: int) -> tuple[str, ...]:
    refused = [one for one in _not_leader_answers(facts) if one.partition == partition]
    return (f"{counted(len(refused), 'request')} for it refused as not leader",) if refused else ()


def no_leader(facts: RunEvidence) -> Iterator[Symptom]:
    """The cluster named no leader for at least a stall."""
    harmed = facts.harmed(*HARM)
    for partition in facts.observed_partitions if harmed else ():
        rows = facts.observed(partition)
        for first, last in _spans(rows["leader"] < 0):
            since_us, until_us = int(rows["at_us"][first]), int(rows["at_us"][last])
            if until_us - since_us >= facts.stall_us:
                line = f"partition {partition}: no leader for {duration(until_us - since_us)} from {clock(since_us)}"
                yield _count(harmed, Symptom(partition, since_us, until_us, (line,)))


def _spans(mask: Any) -> list[tuple[int, int]]:
    """Return first and last place of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], mask.astype(np.int8), [0]))))
    return [(int(low), int(high) - 1) for low, high in zip(edges[::2], edges[1::2], strict=True)]


def _not_leader_answers(facts: RunEvidence) -> list[TapExchange]:
    return [one for one in (*produces(facts), *fetches(facts)) if _NOT_LEADER.search(one.error)]


def not_leader_loop(facts: RunEvidence) -> Iterator[Symptom]:
    """Requests were refused as not leader repeatedly, while the leader did not change."""
    harmed = facts.harmed(*HARM)
    if not harmed:
        return
    for partition, times in sorted(_refusal_times(facts).items()):
        since_us, until_us = min(times), max(times)
        if len(times) < _REFUSALS_MIN or _changes(facts, partition, since_us, until_us):
            continue
        line = (
            f"partition {partition}: refused as not leader {number(len(times))} times from {clock(since_us)} to "
            f"{clock(until_us)}, while its leader stayed the same"
        )
        base = _count(harmed, Symptom(partition, since_us, until_us, (line,)))
        is_known = bool(wire(facts).brokers)
        yield base if is_known else replace(base, remaining=("not-leader-loop", "too-few-brokers"), record=("a tap",))


def _refusal_times(facts: RunEvidence) -> dict[int, list[int]]:
    """Return the times of refusals, from the tap, else from the trace, else from the ledgers."""
    times: dict[int, list[int]] = defaultdict(list)
    for one in _not_leader_answers(facts):
        times[one.partition].append(one.answer_us)
    if not times:
        for row in facts.trace.named("request_refused"):
            if _NOT_LEADER.search(row["error"]):
                times[row["partition"]].append(row["at_us"])
    if not times:
        for row in facts.not_acked:
            if _NOT_LEADER.search(row["error"]):
                times[row["partition"]].append(row["done_us"])
    return times


def _changes(facts: RunEvidence, partition: int, since_us: int, until_us: int) -> bool:
    rows = facts.observed(partition)
    within = (rows["at_us"] >= since_us) & (rows["at_us"] <= until_us)
    return len(set(rows["leader"][within].tolist())) > 1


def connections_cut(facts: RunEvidence) -> Iterator[Symptom]:
    """The connection was closed before the response to a produce request: the outcome is unknown."""
    seen = wire(facts)
    harmed = facts.harmed("UNKNOWN", "+DUPLICATED", "+LATE")
    cut: dict[int, list[TapExchange]] = defaultdict(list)
    for one in produces(facts) if harmed else ():
        end_us = seen.ended_us.get(one.connection, -1)
        if one.is_owed and one.answer_us < 0 and end_us >= 0 and seen.is_whole(one.sent_us, end_us):
            cut[one.partition].append(one)
    for partition, own in sorted(cut.items()):
        concerned = harmed.get(partition) or harmed.get(NOWHERE)
        if concerned is None:
            continue
        line = (
            f"partition {partition}: {counted(len(own), 'produce request')} unanswered when the connection was closed, "
            f"first at {clock(own[0].sent_us)} (broker {own[0].node})"
        )
        base = Symptom(partition, own[0].sent_us, own[-1].sent_us, (line,), is_allowed=concerned.are_allowed)
        yield _count(harmed, base)


def refused(facts: RunEvidence) -> Iterator[Symptom]:
    """Messages that were refused and not appended, by error."""
    rows = [row for row in facts.not_acked if row["outcome"] == SendOutcome.REFUSED]
    yield from _by_error(facts, "NOT_ACKED", rows, "refused")


def unanswered(facts: RunEvidence) -> Iterator[Symptom]:
    """Messages whose send ended without a response, and that are not in the log."""
    rows = [row for row in facts.not_acked if row["outcome"] == SendOutcome.UNKNOWN]
    for symptom in _by_error(facts, "UNKNOWN", rows, "ended without a response"):
        yield replace(
            symptom,
            remaining=("too-few-brokers", "no-leader", "connections-cut", "the brokers could not be reached"),
            record=() if facts.run.seen.has_tap else ("a tap",),
        )


def _by_error(facts: RunEvidence, verdict: str, rows: list[dict[str, Any]], what: str) -> Iterator[Symptom]:
    found = facts.chosen(verdict)
    if not len(found):
        return
    absent = set(zip(found.producer.tolist(), found.sequence.tolist(), strict=True))
    own = [row for row in rows if (row["producer"], row["sequence"]) in absent]
    errors = Counter(row["error"] or "no error recorded" for row in own)
    lines = [f"{counted(count, 'message')} {what}: {error}" for error, count in errors.most_common(5)]
    lines += _growth(facts, own)
    yield Symptom(
        _where(own),
        min((row["sent_us"] for row in own), default=-1),
        max((row["done_us"] for row in own), default=-1),
        tuple(lines) or (f"{counted(len(found), 'message')} {what}",),
        len(found),
        found.are_allowed,
        remedy=_remedy(errors),
    )


def _where(rows: list[dict[str, Any]]) -> int:
    partitions = {row["partition"] for row in rows}
    return int(partitions.pop()) if len(partitions) == 1 else NOWHERE


def _growth(facts: RunEvidence, rows: list[dict[str, Any]]) -> Iterator[str]:
    """Return whether the log end grew: if it did, the messages were refused before the log."""
    if not rows:
        return
    since_us, until_us = min(row["sent_us"] for row in rows), max(row["done_us"] for row in rows)
    for partition in sorted({row["partition"] for row in rows} & set(facts.observed_partitions)):
        ends = facts.ends(partition)
        within = ends["log_end"][(ends["at_us"] >= since_us) & (ends["at_us"] <= until_us)]
        if len(within):
            low, high = int(within.min()), int(within.max())
            word = f"stayed at {number(low)}" if low == high else f"grew from {number(low)} to {number(high)}"
            yield f"partition {partition}: the log end {word} at that time"


def _remedy(errors: Counter[str]) -> str:
    for error, _count in errors.most_common():
        for pattern, remedy in _REMEDIES:
            if re.search(pattern, error, re.IGNORECASE):
                return remedy
    return ""
