"""Queries about records that are duplicated, misplaced, reordered, damaged, skipped or removed."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from chronik.audit.diagnose.run_evidence import Numbers, RunEvidence, Selection
from chronik.audit.diagnose.symptoms import NOWHERE, Query, Symptom
from chronik.audit.diagnose.tap import TapExchange, fetches, produces, wire
from chronik.audit.tables.words import clock, counted, number, ranges

_DAMAGE: Final = ("crc", "corrupt", "checksum")


def flagged(wanted: str, what: str) -> Query:
    """Return the query for a verdict or flag that is a finding by itself."""

    def query(facts: RunEvidence) -> Iterator[Symptom]:
        for partition, found in facts.harmed(wanted).items():
            yield _by_flag(facts, wanted, _symptom(facts, partition, found, what))

    return query


def _by_flag(facts: RunEvidence, wanted: str, symptom: Symptom) -> Symptom:
    """Allow a flag by itself: a message with it may have a verdict that is not allowed for another reason."""
    return replace(symptom, is_allowed=facts.allows(wanted)) if wanted.startswith("+") else symptom


def _symptom(facts: RunEvidence, partition: int, found: Selection, what: str, *more: str) -> Symptom:
    since_us = facts.first_sent_us(found)
    where = "" if partition == NOWHERE else f"partition {partition}: "
    at = _offsets(found)
    line = f"{where}{counted(len(found), 'message')} {what}{f', at {ranges(at)}' if len(at) else ''}"
    return Symptom(partition, since_us, -1, (line, *more), len(found), found.are_allowed)


def _offsets(found: Selection) -> list[int]:
    at: Numbers = np.where(found.offset >= 0, found.offset, found.acked_offset)
    return [int(offset) for offset in at[at >= 0]]


def written_twice(facts: RunEvidence) -> Iterator[Symptom]:
    """A message is at two offsets: sent again by the client, or written twice by the broker. The tap decides."""
    for partition, found in facts.harmed("+DUPLICATED").items():
        base = _by_flag(facts, "+DUPLICATED", _symptom(facts, partition, found, "at two offsets each"))
        sent = [one for one in produces(facts) if one.partition == partition]
        repeated = _repeated(sent)
        # A client may send records again in other batches: then only the number of records shows it.
        asked = sum(one.count for one in sent if not one.error)
        if not sent or not wire(facts).is_whole(sent[0].sent_us, sent[-1].sent_us):
            yield replace(base, remaining=_EITHER, record=("a tap without gaps",))
        elif repeated:
            line = f"the tap saw {number(len(repeated))} requests sent again, first at {clock(repeated[0].sent_us)}"
            yield replace(base, evidence=(*base.evidence, line), since_us=repeated[0].sent_us, remedy=_IDEMPOTENCE)
        elif asked >= _stored(facts, partition):
            line = f"the tap saw {number(asked)} records sent: the client sent some of them again"
            yield replace(base, evidence=(*base.evidence, line), remedy=_IDEMPOTENCE)
        else:
            line = (
                f"the tap saw {counted(len(sent), 'produce request')}, none of them twice: the broker wrote them twice"
            )
            yield replace(base, evidence=(*base.evidence, line), is_allowed=False, remedy=_BROKER_REPEATS)


def _stored(facts: RunEvidence, partition: int) -> int:
    return max((row["stored"] for row in facts.partition_rows if row["partition"] == partition), default=0)


_EITHER: Final = ("the client sent it again, because it got no response", "the broker wrote it twice")
_IDEMPOTENCE: Final = "Set enable.idempotence=true, so that a batch that is sent again is not written again."
_BROKER_REPEATS: Final = "No client sent it again: the broker, or a proxy in front of it, repeats writes. Look there."


def _repeated(sent: list[TapExchange]) -> list[TapExchange]:
    """Return the requests whose batch had been sent before, known by its checksum."""
    seen: set[int] = set()
    again = []
    for one in sent:
        if one.crc >= 0 and one.crc in seen:
            again.append(one)
        seen.add(one.crc)
    return again


def damaged(facts: RunEvidence) -> Iterator[Symptom]:
    """Content does not match its checksum: in the log, or only as delivered."""
    for partition, found in facts.harmed("+CORRUPTED").items():
        stored = facts.stored_at(partition, np.array(_offsets(found)))
        is_in_log = any(not row["is_intact"] for row in stored)
        place = "the log holds them damaged" if is_in_log else "the log holds them intact: damaged in transit"
        yield _symptom(facts, partition, found, "do not match their checksum", *((place,) if stored else ()))
    yield from _refused_as_damaged(facts)


def _refused_as_damaged(facts: RunEvidence) -> Iterator[Symptom]:
    """A client that checks batches returns no record of a damaged one, but an error."""
    rows = [row for row in consumer_errors(facts) if any(word in row["text"].lower() for word in _DAMAGE)]
    for partition in sorted({row["partition"] for row in rows}):
        own = [row for row in rows if row["partition"] == partition]
        first = own[0]
        line = f"consumer {first['consumer']} got an error {counted(len(own), 'time')}: {first['text']}"
        yield Symptom(partition, first["at_us"], own[-1]["at_us"], (line,), 0)


def consumer_errors(facts: RunEvidence) -> list[dict[str, Any]]:
    """Return the errors of consumers, by time."""
    rows = facts.evidence.events.to_pylist()
    return sorted((row for row in rows if row["kind"] == "error"), key=lambda row: row["at_us"])


def skipped(facts: RunEvidence) -> Iterator[Symptom]:
    """The committed offset passed records: lost in a response, dropped by the client, or committed too early."""
    for partition, found in facts.harmed("SKIPPED").items():
        base = _symptom(facts, partition, found, "passed by the group's committed offset")
        base = replace(base, since_us=_onset(facts, partition, found, base))
        told = next(filter(None, (judge(facts, partition, found) for judge in _SKIP_JUDGES)), None)
        if told is not None:
            yield replace(base, evidence=(*base.evidence, told[0]), remedy=told[1])
        else:
            yield replace(base, remaining=_LOST_WHERE, record=("a tap",))


_LOST_WHERE: Final = ("records were missing in a fetch response", "the client dropped them")


def _onset(facts: RunEvidence, partition: int, found: Selection, base: Symptom) -> int:
    """Return when the first record after the first gap was delivered."""
    behind = np.array(sorted({offset + 1 for offset in _offsets(found)} - set(_offsets(found))))
    times = [row["received_us"] for row in facts.delivered_at(partition, behind)]
    return min(times, default=base.since_us)


def _by_seek(facts: RunEvidence, partition: int, found: Selection) -> tuple[str, str] | None:
    seeks = [
        row for row in facts.evidence.events.to_pylist() if row["kind"] == "seek" and row["partition"] == partition
    ]
    highest = max(_offsets(found), default=-1)
    for row in seeks:
        if row["offset"] > highest:
            line = f"consumer {row['consumer']} moved to {number(row['offset'])} at {clock(row['at_us'])}"
            return line, "The application moved its position past them: look at its seeks."
    return None


def _by_hand_over(facts: RunEvidence, partition: int, found: Selection) -> tuple[str, str] | None:
    """One consumer read before the gap, another after it: the offset was committed too early."""
    offsets = set(_offsets(found))
    edges = np.array(sorted({one - 1 for one in offsets} - offsets | {one + 1 for one in offsets} - offsets))
    readers = {row["offset"]: row["consumer"] for row in facts.delivered_at(partition, edges)}
    for low in sorted(one - 1 for one in offsets if one - 1 not in offsets):
        high = next((one for one in sorted(readers) if one > low), None)
        if low in readers and high is not None and readers[low] != readers[high]:
            line = f"consumer {readers[low]} read to {number(low)}, consumer {readers[high]} went on at {number(high)}"
            return line, "Commit offsets after the records are processed, not before (enable.auto.commit=false)."
    return None


def _by_tap(facts: RunEvidence, partition: int, found: Selection) -> tuple[str, str] | None:
    answers = [one for one in fetches(facts) if one.partition == partition and one.count > 0 and one.first_offset >= 0]
    if not answers:
        return None
    offsets = np.array(_offsets(found))
    came = np.zeros(len(offsets), bool)
    for one in answers:
        came |= (offsets >= one.first_offset) & (offsets < one.first_offset + one.count)
    if came.all():
        return (
            "the tap saw all of them in responses: the client dropped them",
            "Report it as a bug of the client.",
        )
    line = f"the tap saw {number(int((~came).sum()))} of them in no response: they were lost before the client"
    return line, "The broker, or a proxy in front of it, left them out of a response: look there."


_SKIP_JUDGES: Final[tuple[Callable[[RunEvidence, int, Selection], tuple[str, str] | None], ...]] = (
    _by_seek,
    _by_hand_over,
    _by_tap,
)


def phantoms(facts: RunEvidence) -> Iterator[Symptom]:
    """Ids of this run that no ledger reserved."""
    if count := facts.counted("*PHANTOM"):
        yield Symptom(
            NOWHERE, -1, -1, (f"{counted(count, 'record')} with an id of this run that no ledger reserved",), count,
            remaining=("a ledger is missing from the directory", "another program sent messages of this run again"),
            record=("the ledgers of all producers of the run",),
        )  # fmt: skip


def removed(facts: RunEvidence) -> Iterator[Symptom]:
    """Messages that were never delivered, and removed by retention or DeleteRecords."""
    for verdict, what in (("EXPIRED", "expired before they were read"), ("DELETED", "deleted before they were read")):
        yield from flagged(verdict, what)(facts)
