"""Queries about records that stand twice, elsewhere, in another order, damaged, or no longer."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from chronik.audit.diagnose.facts import Facts, Numbers, Selection
from chronik.audit.diagnose.symptoms import NOWHERE, Query, Symptom
from chronik.audit.diagnose.tap import Exchange, fetches, produces, wire
from chronik.audit.tables.words import clock, counted, number, ranges

_DAMAGE: Final = ("crc", "corrupt", "checksum")


def flagged(wanted: str, what: str) -> Query:
    """Make a query for a verdict or flag that is a finding by itself."""

    def query(facts: Facts) -> Iterator[Symptom]:
        for partition, found in facts.harmed(wanted).items():
            yield _by_flag(facts, wanted, _symptom(facts, partition, found, what))

    return query


def _by_flag(facts: Facts, wanted: str, symptom: Symptom) -> Symptom:
    """Allow a flag by itself: a message that has it may have a verdict that is not allowed, for another reason."""
    return replace(symptom, is_allowed=facts.allows(wanted)) if wanted.startswith("+") else symptom


def _symptom(facts: Facts, partition: int, found: Selection, what: str, *more: str) -> Symptom:
    since_us = facts.first_sent_us(found)
    where = "" if partition == NOWHERE else f"partition {partition}: "
    at = _offsets(found)
    line = f"{where}{counted(len(found), 'message')} {what}{f', at {ranges(at)}' if len(at) else ''}"
    return Symptom(partition, since_us, -1, (line, *more), len(found), found.are_allowed)


def _offsets(found: Selection) -> list[int]:
    at: Numbers = np.where(found.offset >= 0, found.offset, found.acked_offset)
    return [int(offset) for offset in at[at >= 0]]


def written_twice(facts: Facts) -> Iterator[Symptom]:
    """A message at two offsets: sent again by the client, or written twice by the broker. The tap tells."""
    for partition, found in facts.harmed("+DUPLICATED").items():
        base = _by_flag(facts, "+DUPLICATED", _symptom(facts, partition, found, "at two offsets each"))
        sent = [one for one in produces(facts) if one.partition == partition]
        repeated = _repeated(sent)
        # A client may put what it sends again into other batches: then only the number of records tells.
        asked = sum(one.count for one in sent if not one.error)
        if not sent or not wire(facts).is_whole(sent[0].sent_us, sent[-1].sent_us):
            yield replace(base, remaining=_EITHER, record=("a tap without holes",))
        elif repeated:
            line = f"the tap saw {number(len(repeated))} requests sent again, first at {clock(repeated[0].sent_us)}"
            yield replace(base, evidence=(*base.evidence, line), since_us=repeated[0].sent_us, remedy=_IDEMPOTENCE)
        elif asked >= _stored(facts, partition):
            line = f"the tap saw {number(asked)} records sent, so that the client had sent them again"
            yield replace(base, evidence=(*base.evidence, line), remedy=_IDEMPOTENCE)
        else:
            line = (
                f"the tap saw {counted(len(sent), 'produce request')}, none of them twice: the broker wrote them twice"
            )
            yield replace(base, evidence=(*base.evidence, line), is_allowed=False, remedy=_BROKER_REPEATS)


def _stored(facts: Facts, partition: int) -> int:
    return max((row["stored"] for row in facts.partition_rows if row["partition"] == partition), default=0)


_EITHER: Final = ("the client sent it again after an answer that it did not get", "the broker wrote it twice")
_IDEMPOTENCE: Final = "Set enable.idempotence=true, so that a batch that is sent again is not written again."
_BROKER_REPEATS: Final = "No client asked for it: the broker, or whatever stands before it, repeats writes. Look there."


def _repeated(sent: list[Exchange]) -> list[Exchange]:
    """Return the requests whose batch had been sent before, known by its checksum."""
    seen: set[int] = set()
    again = []
    for one in sent:
        if one.crc >= 0 and one.crc in seen:
            again.append(one)
        seen.add(one.crc)
    return again


def damaged(facts: Facts) -> Iterator[Symptom]:
    """Content that does not fit its checksum: in the log, or on the way."""
    for partition, found in facts.harmed("+CORRUPTED").items():
        stored = facts.stored_at(partition, np.array(_offsets(found)))
        is_in_log = any(not row["is_intact"] for row in stored)
        told = "the log holds them damaged" if is_in_log else "the log holds them intact: damaged on the way"
        yield _symptom(facts, partition, found, "do not fit their checksum", *((told,) if stored else ()))
    yield from _refused_as_damaged(facts)


def _refused_as_damaged(facts: Facts) -> Iterator[Symptom]:
    """A client that checks batches hands out nothing of a damaged one; it tells an error."""
    rows = [row for row in consumer_errors(facts) if any(word in row["text"].lower() for word in _DAMAGE)]
    for partition in sorted({row["partition"] for row in rows}):
        own = [row for row in rows if row["partition"] == partition]
        first = own[0]
        line = f"consumer {first['consumer']} was told {counted(len(own), 'time')}: {first['text']}"
        yield Symptom(partition, first["at_us"], own[-1]["at_us"], (line,), 0)


def consumer_errors(facts: Facts) -> list[dict[str, Any]]:
    """Return what consumers were told, by time."""
    rows = facts.evidence.events.to_pylist()
    return sorted((row for row in rows if row["kind"] == "error"), key=lambda row: row["at_us"])


def skipped(facts: Facts) -> Iterator[Symptom]:
    """A position that passed records: lost in an answer, dropped by the client, or committed before it was read."""
    for partition, found in facts.harmed("SKIPPED").items():
        base = _symptom(facts, partition, found, "passed by the group's position")
        base = replace(base, since_us=_onset(facts, partition, found, base))
        told = next(filter(None, (judge(facts, partition, found) for judge in _SKIP_JUDGES)), None)
        if told is not None:
            yield replace(base, evidence=(*base.evidence, told[0]), remedy=told[1])
        else:
            yield replace(base, remaining=_LOST_WHERE, record=("a tap",))


_LOST_WHERE: Final = ("records were missing in a fetch's answer", "the client dropped them")


def _onset(facts: Facts, partition: int, found: Selection, base: Symptom) -> int:
    """The first record behind the first gap was handed out when the gap was passed."""
    behind = np.array(sorted({offset + 1 for offset in _offsets(found)} - set(_offsets(found))))
    times = [row["received_us"] for row in facts.delivered_at(partition, behind)]
    return min(times, default=base.since_us)


def _by_seek(facts: Facts, partition: int, found: Selection) -> tuple[str, str] | None:
    seeks = [
        row for row in facts.evidence.events.to_pylist() if row["kind"] == "seek" and row["partition"] == partition
    ]
    highest = max(_offsets(found), default=-1)
    for row in seeks:
        if row["offset"] > highest:
            line = f"consumer {row['consumer']} sought {number(row['offset'])} at {clock(row['at_us'])}"
            return line, "The application moved its position past them: look at its seeks."
    return None


def _by_hand_over(facts: Facts, partition: int, found: Selection) -> tuple[str, str] | None:
    """Before the gap one consumer read, behind it another: the position had been committed too early."""
    offsets = set(_offsets(found))
    edges = np.array(sorted({one - 1 for one in offsets} - offsets | {one + 1 for one in offsets} - offsets))
    readers = {row["offset"]: row["consumer"] for row in facts.delivered_at(partition, edges)}
    for low in sorted(one - 1 for one in offsets if one - 1 not in offsets):
        high = next((one for one in sorted(readers) if one > low), None)
        if low in readers and high is not None and readers[low] != readers[high]:
            line = (
                f"consumer {readers[low]} read up to {number(low)}, consumer {readers[high]} went on at {number(high)}"
            )
            return line, "Commit positions after the records are processed, not before (enable.auto.commit=false)."
    return None


def _by_tap(facts: Facts, partition: int, found: Selection) -> tuple[str, str] | None:
    answers = [one for one in fetches(facts) if one.partition == partition and one.count > 0 and one.first_offset >= 0]
    if not answers:
        return None
    offsets = np.array(_offsets(found))
    came = np.zeros(len(offsets), bool)
    for one in answers:
        came |= (offsets >= one.first_offset) & (offsets < one.first_offset + one.count)
    if came.all():
        return "the tap saw all of them in answers: the client dropped them", "Report it to the client's makers."
    line = f"the tap saw {number(int((~came).sum()))} of them in no answer: they were lost before the client"
    return line, "The broker, or whatever stands before it, left them out of an answer: look there."


_SKIP_JUDGES: Final[tuple[Callable[[Facts, int, Selection], tuple[str, str] | None], ...]] = (
    _by_seek,
    _by_hand_over,
    _by_tap,
)


def phantoms(facts: Facts) -> Iterator[Symptom]:
    """Ids of this run that no ledger reserved."""
    if count := facts.counted("*PHANTOM"):
        yield Symptom(
            NOWHERE, -1, -1, (f"{counted(count, 'record')} with an id of this run that no ledger reserved",), count,
            remaining=("a ledger is missing from the directory", "somebody sent this run's messages once more"),
            record=("the ledgers of all producers of the run",),
        )  # fmt: skip


def removed(facts: Facts) -> Iterator[Symptom]:
    """Never delivered, and removed as it was asked for."""
    for verdict, what in (("EXPIRED", "expired before they were read"), ("DELETED", "deleted before they were read")):
        yield from flagged(verdict, what)(facts)
