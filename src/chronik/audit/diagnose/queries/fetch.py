"""Queries about fetches: available records that were not returned, or returned late."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import numpy as np

from chronik.audit.diagnose.run_evidence import CONSUMED_LATE_OR_NOT, RunEvidence
from chronik.audit.diagnose.symptoms import NOWHERE, Symptom
from chronik.audit.diagnose.tap import TapExchange, fetches, produces, wire
from chronik.audit.diagnose.trace import request_of
from chronik.audit.tables.words import clock, counted, duration, number

PROMPT_US: Final = 100_000
"""The longest time of a response to a request that need not wait."""
_ANSWERS_MIN: Final = 5


def not_answered(facts: RunEvidence) -> Iterator[Symptom]:
    """A fetch for available records got no response for at least a stall; by the tap, or else by the trace."""
    harmed = facts.harmed(*CONSUMED_LATE_OR_NOT)
    for partition in sorted(harmed):
        held = list(_held_on_the_wire(facts, partition)) or list(_held_in_a_broker(facts, partition))
        if held:
            held.sort()
            yield Symptom(
                partition, held[0][0], held[-1][1], tuple(line for *_, line in held[:3]), len(harmed[partition])
            )


def _held_on_the_wire(facts: RunEvidence, partition: int) -> Iterator[tuple[int, int, str]]:
    seen = wire(facts)
    for one in fetches(facts):
        if one.partition not in (partition, NOWHERE) or not _is_led_by(facts, partition, one):
            continue
        end_us = seen.ended_us.get(one.connection, seen.end_us)
        lasted_us = one.lasted_us(end_us)
        if lasted_us < facts.stall_us + max(one.wait_ms_max, 0) * 1000 or not _had_data(facts, partition, one):
            continue
        if one.answer_us < 0 and not seen.is_whole(one.sent_us, end_us):
            continue
        word = "was answered" if one.answer_us >= 0 else "had no response"
        line = (
            f"partition {partition}: a fetch of {one.client_id} from {number(one.offset)} at {clock(one.sent_us)} "
            f"{word} after {duration(lasted_us)}, with records available (broker {one.node})"
        )
        yield one.sent_us, one.sent_us + lasted_us, line


def _is_led_by(facts: RunEvidence, partition: int, one: TapExchange) -> bool:
    """A request of a fetch session that names no partition is for the partitions that the broker leads."""
    if one.partition != NOWHERE:
        return True
    rows = facts.served(partition)
    before = rows["leader"][rows["at_us"] <= one.sent_us]
    return bool(len(before)) and int(before[-1]) == one.node


def _had_data(facts: RunEvidence, partition: int, one: TapExchange) -> bool:
    """Return whether the served watermark was above the fetch offset when the fetch arrived, or soon after."""
    rows = facts.served(partition)
    place = int(np.searchsorted(rows["at_us"], one.sent_us, side="right"))
    soon = rows["high_watermark"][max(place - 1, 0) : place + 1]
    return (bool(len(soon)) and int(soon.max()) > one.offset) or _all_held(facts, partition, one)


def _all_held(facts: RunEvidence, partition: int, one: TapExchange) -> bool:
    """Return whether every replica in the ISR had a higher log end, for a leader that does not answer the observer."""
    ends, served = facts.ends(partition), facts.served(partition)
    if not len(served["isr"]):
        return False
    before = max(int(np.searchsorted(served["at_us"], one.sent_us, side="right")) - 1, 0)
    soon = (ends["at_us"] >= one.sent_us) & (ends["at_us"] <= one.sent_us + facts.stall_us)
    held = {int(node): ends["log_end"][soon & (ends["node"] == node)] for node in served["isr"][before]}
    return bool(held) and all(len(own) and int(own.max()) > one.offset for own in held.values())


def _held_in_a_broker(facts: RunEvidence, partition: int) -> Iterator[tuple[int, int, str]]:
    trace = facts.trace
    ended = {request_of(row): row for name in _ENDS for row in trace.named(name, partition)}
    last_us = _last_by_node(facts)
    for row in trace.named("data_found", partition):
        end = ended.get(request_of(row))
        until_us = end["at_us"] if end else last_us[row["node"]]
        if until_us - row["at_us"] < facts.stall_us or not trace.is_whole(row["node"], row["at_us"], until_us):
            continue
        word = "it was answered" if end else "no response was sent"
        line = (
            f"partition {partition}: broker {row['node']} found {number(row['size_bytes'])} bytes for "
            f"{row['client_id']} at {clock(row['at_us'])}, and {word} for {duration(until_us - row['at_us'])}"
        )
        yield row["at_us"], until_us, line


_ENDS: Final = ("fetch_answered", "fetch_abandoned")


def _last_by_node(facts: RunEvidence) -> dict[int, int]:
    last: dict[int, int] = defaultdict(int)
    for rows in facts.trace.events.values():
        for row in rows:
            last[row["node"]] = max(last[row["node"]], row["at_us"])
    return last


def without_records(facts: RunEvidence) -> Iterator[Symptom]:
    """Repeated responses with a watermark above the fetch offset, and without records."""
    harmed = facts.harmed(*CONSUMED_LATE_OR_NOT)
    for partition in sorted(harmed):
        asked: dict[str, list[TapExchange]] = defaultdict(list)
        for one in fetches(facts):
            if one.partition == partition and one.answer_us >= 0:
                asked[one.client_id].append(one)
        # Each client by itself: one may get records that another does not get.
        for own in map(_empty_since_the_last, asked.values()):
            if len(own) >= _ANSWERS_MIN and own[-1].answer_us - own[0].sent_us >= facts.stall_us:
                yield Symptom(
                    partition, own[0].sent_us, own[-1].answer_us, (_brought_nothing(own),), len(harmed[partition])
                )


def _empty_since_the_last(told: list[TapExchange]) -> list[TapExchange]:
    """Return the empty responses below the watermark after the last one with records."""
    since_us = max((one.answer_us for one in told if one.count > 0), default=-1)
    empty = [one for one in told if one.count <= 0 and not one.error and one.high_watermark > one.offset >= 0]
    return [one for one in empty if one.answer_us > since_us]


def _brought_nothing(own: list[TapExchange]) -> str:
    return (
        f"partition {own[0].partition}: {counted(len(own), 'response')} to {own[0].client_id} from "
        f"{clock(own[0].answer_us)} on had a watermark of {number(own[-1].high_watermark)}, and no records "
        f"from {number(own[0].offset)}"
    )


def answered_late(facts: RunEvidence) -> Iterator[Symptom]:
    """Most responses that had nothing to wait for were late."""
    if not facts.harmed("UNKNOWN", "NOT_ACKED", *CONSUMED_LATE_OR_NOT):
        return
    acks = {number: one.acks for number, one in facts.run.producers.items()} or {0: facts.run.producer(0).acks}
    if -1 not in acks.values():
        yield from _late(facts, "produce", [one for one in produces(facts) if one.answer_us >= 0 and one.is_owed])
    filled = [one for one in fetches(facts) if one.count > 0 and _had_data(facts, one.partition, one)]
    yield from _late(facts, "fetch", filled)


def _late(facts: RunEvidence, what: str, done: list[TapExchange]) -> Iterator[Symptom]:
    times = np.array([one.answer_us - one.sent_us for one in done])
    if len(times) < _ANSWERS_MIN or np.median(times) < PROMPT_US:
        return
    late = [one for one in done if one.answer_us - one.sent_us >= PROMPT_US]
    line = (
        f"{counted(len(late), f'{what} request')} of {number(len(done))} answered after {duration(PROMPT_US)} or more, "
        f"though they had nothing to wait for: half of all took {duration(float(np.median(times)))} or longer"
    )
    partitions = {one.partition for one in late}
    yield Symptom(partitions.pop() if len(partitions) == 1 else NOWHERE, late[0].sent_us, late[-1].sent_us, (line,))
