"""One message's whole story in the order of time, out of everything that a run left behind.

Every step says where it comes from, so that what is missing (no tap, no trace, no replica ends) is seen as missing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from chronik.audit.diagnose.trace import Trace
from chronik.audit.judge.classify.watermarks import Series, Watched, watch
from chronik.audit.judge.results import FOLDER, AuditResults
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.ids import AuditId
from chronik.audit.tables.schemas import AS_CLIENTS_SEE_IT, SendOutcome
from chronik.audit.tables.stream_files import stream_batches

Row = dict[str, Any]
_PRODUCE: Final = "Produce"
_ANSWER: Final = "answer"


@dataclass(frozen=True, slots=True, order=True)
class Step:
    """Something that happened to the message, or that was seen of it; -1: nobody knows when."""

    at_us: int
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Story:
    """The steps of a message, where it is, and what became of it for each group."""

    message: AuditId
    steps: tuple[Step, ...]
    verdicts: tuple[Row, ...]
    is_known: bool
    """A ledger or a log has it."""
    is_reserved: bool
    """A producer had taken its sequence, so that it may have been sent whatever is known of it."""

    def document(self) -> Row:
        steps = [{"at_us": step.at_us, "source": step.source, "text": step.text} for step in self.steps]
        return {"message": str(self.message), "known": self.is_known, "steps": steps, "verdicts": list(self.verdicts)}


def explain(run_dir: Path, message: AuditId) -> Story:
    """Tell what is known of a message."""
    evidence = Evidence(run_dir)
    sends = list(_rows(evidence.send_files(), message))
    stored = [row for row in _rows(evidence.stored_files(), message, evidence.facts.run) if not row["is_control"]]
    delivered = list(_rows(evidence.delivered_files(), message, evidence.facts.run))
    places = sorted({(row["partition"], row["offset"]) for row in (*stored, *delivered)} | set(_acked(sends)))
    steps = [
        *(step for row in sends for step in _sent(row)),
        *_reserved(evidence, message, sends),
        *(step for row in sends for step in _refusals(evidence, row)),
        *(step for place in places for step in _at_place(evidence, place)),
        *_copies(stored),
        *(step for place in _acked(sends) if not stored for step in _instead(evidence, place)),
        *_given(delivered),
    ]
    is_known = bool(sends or stored or delivered)
    verdicts = tuple(_verdicts(run_dir, message, is_known=is_known))
    return Story(message, tuple(sorted(steps)), verdicts, is_known, _is_reserved(evidence, message))


def known_ids(run_dir: Path) -> dict[int, tuple[int, int]]:
    """Return the first and the last sequence of each producer, by what was reserved and what ledgers say was sent."""
    evidence, bounds = Evidence(run_dir), dict[int, tuple[int, int]]()

    def widen(producer: int, first: int, last: int) -> None:
        known = bounds.get(producer, (first, last))
        bounds[producer] = min(known[0], first), max(known[1], last)

    for row in evidence.reserved.to_pylist():
        if row["first_sequence"] < row["end_sequence"]:
            widen(row["producer"], row["first_sequence"], row["end_sequence"] - 1)
    for batch in (batch for path in evidence.send_files() for batch in stream_batches(path)):
        producers, sequences = batch.column("producer").to_numpy(), batch.column("sequence").to_numpy()
        for producer in np.unique(producers):
            own = sequences[producers == producer]
            widen(int(producer), int(own.min()), int(own.max()))
    return dict(sorted(bounds.items()))


def _rows(paths: Iterable[Path], message: AuditId, run: int | None = None) -> Iterator[Row]:
    for path in paths:
        for batch in stream_batches(path):
            chosen = (batch.column("producer").to_numpy() == message.producer) & (
                batch.column("sequence").to_numpy() == np.uint64(message.sequence)
            )
            if run is not None:
                chosen &= batch.column("run").to_numpy() == np.uint64(run)
            if chosen.any():
                yield from batch.filter(pa.array(chosen)).to_pylist()


def _acked(sends: Sequence[Row]) -> Iterator[tuple[int, int]]:
    for row in sends:
        if row["outcome"] == SendOutcome.ACKED and row["offset"] >= 0:
            yield row["partition"], row["offset"]


def _sent(row: Row) -> Iterator[Step]:
    yield Step(row["sent_us"], "send ledger", f"producer {row['producer']} gave it to its client")
    outcome = SendOutcome(row["outcome"])
    match outcome:
        case SendOutcome.ACKED:
            text = f"acknowledged at offset {row['offset']} of partition {row['partition']}"
        case SendOutcome.REFUSED:
            text = f"refused: {row['error']}"
        case SendOutcome.UNKNOWN:
            text = f"its outcome is not known: {row['error']}"
        case SendOutcome.NOT_SENT:
            text = f"never accepted by the client: {row['error']}"
    yield Step(row["done_us"], "send ledger", text)


def _reserved(evidence: Evidence, message: AuditId, sends: Sequence[Row]) -> Iterator[Step]:
    if sends:
        return
    is_reserved = _is_reserved(evidence, message)
    text = "its sequence was reserved; no ledger says what became of it" if is_reserved else "no ledger reserved it"
    yield Step(-1, "send ledger", text)


def _is_reserved(evidence: Evidence, message: AuditId) -> bool:
    return any(
        row["producer"] == message.producer and row["first_sequence"] <= message.sequence < row["end_sequence"]
        for row in evidence.reserved.to_pylist()
    )


def _refusals(evidence: Evidence, send: Row) -> Iterator[Step]:
    """Return the attempts that brokers refused while the client tried; a tap does not say whose batch it was."""
    for row in evidence.tap.to_pylist():
        is_answer = row["api"] == _PRODUCE and row["direction"] == _ANSWER and row["partition"] == send["partition"]
        if is_answer and row["error"] and send["sent_us"] <= row["at_us"] <= send["done_us"]:
            text = f"broker {row['node']} refused a batch for partition {row['partition']}: {row['error']}"
            yield Step(row["at_us"], "tap", text)


# -- the log ---------------------------------------------------------------------------------------------------------


def _at_place(evidence: Evidence, place: tuple[int, int]) -> Iterator[Step]:
    partition, offset = place
    yield from _traced(evidence, partition, offset)
    watched = watch(evidence.observed).get(partition)
    if watched is not None:
        yield from _seen(watched, partition, offset)


def _traced(evidence: Evidence, partition: int, offset: int) -> Iterator[Step]:
    trace = Trace.read(evidence.trace_files(), evidence.facts.topic)
    for row in trace.named("produce_appended", partition):
        if row["first_offset"] <= offset <= row["last_offset"]:
            text = f"broker {row['node']} appended offsets {row['first_offset']} to {row['last_offset']}"
            yield Step(row["at_us"], "trace", text)
    for row in trace.named("watermark_advanced", partition):
        if row["from_offset"] <= offset < row["to_offset"]:
            yield Step(
                row["at_us"], "trace", f"broker {row['node']} moved the watermark to {row['to_offset']}, past it"
            )
    for row in trace.named("fetch_answered", partition):
        if row["offset"] == offset and row["size_bytes"]:
            text = f"broker {row['node']} answered a fetch of {row.get('client_id') or 'a client'} that began with it"
            yield Step(row["at_us"], "trace", text)


def _seen(watched: Watched, partition: int, offset: int) -> Iterator[Step]:
    for node, series in sorted(watched.replicas.items()):
        at_us = _first_past(series.log_ends, series, offset)
        if at_us is not None:
            yield Step(at_us, "observer", f"broker {node} holds partition {partition} past offset {offset} by now")
    at_us = _first_past(watched.leader.watermarks, watched.leader, offset)
    if at_us is not None:
        yield Step(at_us, "observer", f"the watermark of partition {partition} is past offset {offset} by now")
    elif len(watched.leader):
        last = int(watched.leader.watermarks[-1])
        text = f"the watermark of partition {partition} is {last} and never passed offset {offset}"
        yield Step(int(watched.leader.times[-1]), "observer", text)


def _first_past(ends: Any, series: Series, offset: int) -> int | None:
    past = np.flatnonzero(ends > offset)
    return int(series.times[past[0]]) if len(past) else None


def _copies(stored: Sequence[Row]) -> Iterator[Step]:
    """Return where it was found when the log was read, after the run."""
    by_place: dict[tuple[int, int, int], list[int]] = {}
    for row in stored:
        by_place.setdefault((row["partition"], row["offset"], row["leader_epoch"]), []).append(row["node"])
    for (partition, offset, epoch), nodes in sorted(by_place.items()):
        holders = [f"broker {node}" for node in sorted(nodes) if node != AS_CLIENTS_SEE_IT]
        who = ", ".join(holders) or "the leader as clients see it"
        text = f"read back at offset {offset} of partition {partition}, leader epoch {epoch}, from {who}"
        yield Step(_AT_THE_END, "log", text)


def _instead(evidence: Evidence, place: tuple[int, int]) -> Iterator[Step]:
    """Return what stands where a message that is in no log was acknowledged."""
    partition, offset = place
    found: set[str] = set()
    for path in evidence.stored_files():
        for batch in stream_batches(path):
            chosen = (np.asarray(batch["partition"]) == partition) & (np.asarray(batch["offset"]) == offset)
            for row in batch.filter(pa.array(chosen)).to_pylist() if chosen.any() else ():
                name = (
                    f"message p{row['producer']}-{row['sequence']}" if row["is_ours"] else "a record of another program"
                )
                found.add(f"{name} of leader epoch {row['leader_epoch']}")
    what = " and ".join(sorted(found)) or "nothing that could be read"
    yield Step(
        _AT_THE_END, "log", f"at offset {offset} of partition {partition}, where it was acknowledged, stands {what}"
    )


_AT_THE_END: Final = np.iinfo(np.int64).max


def _given(delivered: Sequence[Row]) -> Iterator[Step]:
    for row in delivered:
        damage = "" if row["is_intact"] else ", damaged"
        text = (
            f"consumer {row['consumer']} of group {row['group']} was given offset {row['offset']} of partition "
            f"{row['partition']} by poll {row['poll']}{damage}"
        )
        yield Step(row["received_us"], "poll ledger", text)


def _verdicts(run_dir: Path, message: AuditId, *, is_known: bool) -> Iterator[Row]:
    if not (run_dir / FOLDER).exists():
        return
    results = AuditResults.load(run_dir)
    named = {
        row["group"]: row
        for row in results.messages.to_pylist()
        if (row["producer"], row["sequence"]) == (message.producer, message.sequence)
    }
    for group in results.groups():
        row = named.get(group)
        if row is not None:
            names = ("group", "verdict", "flags", "is_allowed", "why")
            yield {name: row[name] for name in names}
        elif is_known:
            yield {"group": group, "verdict": "DELIVERED", "flags": [], "is_allowed": True, "why": ""}
