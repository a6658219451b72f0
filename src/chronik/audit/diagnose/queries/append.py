"""Queries about acknowledged messages that are absent, or whose offset holds another message.

An acknowledged message that is absent has an offset that was assigned twice, or was lost when the leader changed, or
was never written. Another id at its offset, with a higher epoch of its batch, means the change; with the same
epoch, that the offset was assigned twice. An empty offset needs the epoch history; without it, both causes remain.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import numpy as np

from chronik.audit.diagnose.run_evidence import RunEvidence, Selection
from chronik.audit.diagnose.symptoms import Symptom
from chronik.audit.tables.words import clock, counted, number, ranges

_SHOWN_MAX: Final = 3


class Fate(Enum):
    """The cause why an acknowledged message is absent."""

    GIVEN_TWICE = "given twice"
    LOST_IN_CHANGE = "lost in a change of leader"
    NEVER_WRITTEN = "never written"
    NOT_KNOWN = "not known"


@dataclass(frozen=True, slots=True)
class Absent:
    """An acknowledged message that is absent, and the evidence."""

    partition: int
    offset: int
    done_us: int
    fate: Fate
    line: str


def offset_given_twice(facts: RunEvidence) -> Iterator[Symptom]:
    return _symptoms(facts, Fate.GIVEN_TWICE)


def lost_in_change(facts: RunEvidence) -> Iterator[Symptom]:
    return _symptoms(facts, Fate.LOST_IN_CHANGE)


def never_written(facts: RunEvidence) -> Iterator[Symptom]:
    return _symptoms(facts, Fate.NEVER_WRITTEN)


def acked_and_absent(facts: RunEvidence) -> Iterator[Symptom]:
    """Return the symptoms whose cause neither the log nor the epoch history decides."""
    for symptom in _symptoms(facts, Fate.NOT_KNOWN):
        yield Symptom(
            symptom.partition,
            symptom.since_us,
            symptom.until_us,
            symptom.evidence,
            symptom.count,
            symptom.is_allowed,
            remaining=("offset-given-twice", "acked-lost-in-change-of-leader", "acked-never-written"),
            record=(
                "the epoch history and leader epochs (the observer)",
                "the records of all replicas",
            ),
        )


def _symptoms(facts: RunEvidence, fate: Fate) -> Iterator[Symptom]:
    for partition, lost in facts.harmed("ACKED_NOT_IN_LOG").items():
        fates = [absent for absent in _fates_once(facts, partition, lost) if absent.fate is fate]
        if not fates:
            continue
        offsets = [absent.offset for absent in fates]
        times = [absent.done_us for absent in fates if absent.done_us >= 0]
        concerned = lost.where(np.isin(lost.acked_offset, offsets))
        lines = [absent.line for absent in sorted(fates, key=lambda absent: absent.done_us)[:_SHOWN_MAX]]
        head = f"partition {partition}: {counted(len(fates), 'message')} acknowledged at {ranges(offsets)} and absent"
        yield Symptom(
            partition,
            min(times, default=-1),
            max(times, default=-1),
            (head, *lines),
            len(fates),
            concerned.are_allowed,
        )


def _fates_once(facts: RunEvidence, partition: int, lost: Selection) -> list[Absent]:
    key = f"fates of {partition}"
    if key not in facts.kept:
        facts.kept[key] = _fates(facts, partition, lost)
    found: list[Absent] = facts.kept[key]
    return found


def _fates(facts: RunEvidence, partition: int, lost: Selection) -> list[Absent]:
    offsets = np.unique(lost.acked_offset)
    acks: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in facts.sends_at(partition, offsets):
        acks[row["offset"]].append(row)
    stored = {row["offset"]: row for row in facts.stored_at(partition, offsets)}
    ids = zip(lost.producer.tolist(), lost.sequence.tolist(), lost.acked_offset.tolist(), strict=True)
    return [_fate(facts, partition, one, acks[one[2]], stored.get(one[2])) for one in ids]


def _fate(
    facts: RunEvidence,
    partition: int,
    message: tuple[int, int, int],
    acks: list[dict[str, Any]],
    found: dict[str, Any] | None,
) -> Absent:
    producer, sequence, offset = message
    own = next((row for row in acks if (row["producer"], row["sequence"]) == (producer, sequence)), None)
    done_us = own["done_us"] if own else -1
    others = [row for row in acks if row is not own]
    epoch = facts.epoch_at(partition, done_us)
    for judge in _JUDGES:
        fate, why = judge(facts, partition, offset, epoch, others, found)
        if fate is not None:
            break
    line = f"p{producer}-{sequence} was acknowledged at {number(offset)} ({clock(done_us)}, epoch {epoch}): {why}"
    return Absent(partition, offset, done_us, fate or Fate.NOT_KNOWN, line)


Judgement = tuple[Fate | None, str]
Judge = Callable[[RunEvidence, int, int, int, list[dict[str, Any]], dict[str, Any] | None], Judgement]


def _by_another_ack(
    facts: RunEvidence,
    partition: int,
    offset: int,
    epoch: int,
    others: list[dict[str, Any]],
    found: dict[str, Any] | None,
) -> Judgement:
    """Two acknowledgements of one offset in one epoch."""
    for other in others:
        if epoch >= 0 and facts.epoch_at(partition, other["done_us"]) == epoch:
            name = f"p{other['producer']}-{other['sequence']}"
            return (
                Fate.GIVEN_TWICE,
                f"{name} was acknowledged there too ({clock(other['done_us'])}), in the same epoch",
            )
    return None, ""


def _by_stored_record(
    facts: RunEvidence,
    partition: int,
    offset: int,
    epoch: int,
    others: list[dict[str, Any]],
    found: dict[str, Any] | None,
) -> Judgement:
    """Another id with a higher epoch, or with the same one."""
    if found is None and facts.evidence.stored_files():
        return None, ""
    if found is None:
        return Fate.NOT_KNOWN, "the record at that offset was not kept"
    there = f"p{found['producer']}-{found['sequence']}" if found["is_ours"] else "another record"
    batch_epoch = found["leader_epoch"]
    if epoch < 0 or batch_epoch < 0:
        return Fate.NOT_KNOWN, f"that offset holds {there}, and the epochs of the two are not both known"
    if batch_epoch > epoch:
        return Fate.LOST_IN_CHANGE, f"that offset holds {there}, written in the later epoch {batch_epoch}"
    return Fate.GIVEN_TWICE, f"that offset holds {there}, written in the same epoch"


def _by_history(
    facts: RunEvidence,
    partition: int,
    offset: int,
    epoch: int,
    others: list[dict[str, Any]],
    found: dict[str, Any] | None,
) -> Judgement:
    """No record at the offset: a later epoch that begins at or below it has truncated it; else it was never written."""
    history = facts.epochs(partition)
    if epoch < 0 or not history:
        return Fate.NOT_KNOWN, "that offset is empty, and the epoch history is unknown"
    later = [row for row in history if row["leader_epoch"] > epoch]
    for row in later:
        if row["start_offset"] <= offset:
            begin = number(row["start_offset"])
            return Fate.LOST_IN_CHANGE, f"that offset is empty, and epoch {row['leader_epoch']} began at {begin}"
    if later:
        return Fate.NOT_KNOWN, "that offset is empty, and the later epochs began above it"
    return Fate.NEVER_WRITTEN, "that offset is empty, and the leader has not changed since"


_JUDGES: Final[tuple[Judge, ...]] = (_by_another_ack, _by_stored_record, _by_history)
