"""What each group saw of each partition: counts, gaps, stalls, the watermark's course, and latency."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from chronik.audit.judge.balance.entries import (
    FLOW_WIDTH,
    GAP_WIDTH,
    EntryKey,
    EntryKind,
    Summary,
    SummaryEntry,
    pairs,
    records,
)
from chronik.audit.judge.balance.latencies import quantile
from chronik.audit.judge.balance.summaries import FlowSegment
from chronik.audit.judge.classify.context import AuditContext, GroupScope
from chronik.audit.judge.classify.retention import is_compacted_topic
from chronik.audit.judge.classify.verdicts import MessageFlag
from chronik.audit.judge.classify.watermarks import Watched
from chronik.audit.tables import schemas

GAPS_MAX: Final = 100
"""How many gaps of a partition are listed; the last entry sums up the others."""
_MICROS: Final = 1_000_000

Span = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Course:
    """How a partition's watermark moved."""

    plateaus: tuple[Span, ...] = ()
    advances: int = 0
    advanced_by: int = 0


def partition_rows(summary: Summary, messages: pa.Table, context: AuditContext) -> pa.Table:
    """Return one row per group and partition."""
    gaps = gaps_by_partition(summary, context)
    flagged = _flag_counts(messages)
    numbers = sorted(
        {at.key for at in summary.entries if at.kind in _PARTITION_KINDS and at.key >= 0} | set(context.spans)
    )
    rows = []
    for group in context.groups:
        own = [_row(group, number, numbers, summary, gaps, flagged, context) for number in numbers]
        mean = sum(row["delivered"] for row in own) / len(own) if own else 0.0
        for row in own:
            row["deviation"] = row["delivered"] / mean - 1 if mean else 0.0
        rows += with_company(own)
    return pa.Table.from_pylist(rows, schemas.PARTITIONS)


_PARTITION_KINDS: Final = frozenset({EntryKind.SENT_COUNT, EntryKind.STORED_COUNT, EntryKind.DELIVERED_COUNT})


def _row(
    group: GroupScope,
    number: int,
    numbers: list[int],
    summary: Summary,
    gaps: Mapping[int, list[Span]],
    flagged: Mapping[tuple[str, int, str], int],
    context: AuditContext,
) -> dict[str, Any]:
    def entry(kind: EntryKind, name: str = "") -> SummaryEntry:
        return summary.entries.get(EntryKey(kind, name, number, 0), SummaryEntry())

    sent, given, latency = (
        entry(EntryKind.SENT_COUNT),
        entry(EntryKind.DELIVERED_COUNT, group.name),
        entry(EntryKind.LATENCY, group.name),
    )
    segments = [FlowSegment(*record) for record in records(entry(EntryKind.FLOW, group.name).numbers, FLOW_WIDTH)]
    parts = [segment for segment in segments if not segment.is_silence]
    first = min((part.first_us for part in parts), default=-1)
    last = max((part.last_us for part in parts), default=-1)
    counts = pairs(latency.numbers)
    course = course_of(context.watched.get(number), context.facts.stall_us)
    read = context.spans.get(number)
    return {
        "group": group.name,
        "partition": number,
        "sent": sent.rows,
        "acked": sent.attention,
        "stored": entry(EntryKind.STORED_COUNT).rows,
        "delivered": given.rows,
        "deviation": 0.0,
        "first_offset": -1 if read is None else read.first_offset,
        "end_offset": -1 if read is None else read.end_offset,
        "gaps": gaps.get(number, []),
        "duplicates": flagged.get((group.name, number, MessageFlag.DUPLICATED), 0),
        "reordered": flagged.get((group.name, number, MessageFlag.REORDERED), 0),
        "stalls": [*stalls(segments, context.facts.stall_us), *_stall_at_end(group, number, last, context)],
        "first_us": first,
        "last_us": last,
        "rate": given.rows * _MICROS / (last - first) if last > first else 0.0,
        "plateaus": list(course.plateaus),
        "advances": course.advances,
        "messages_per_advance": course.advanced_by / course.advances if course.advances else 0.0,
        "latency_p50_us": min(quantile(counts, 0.5), latency.attention),
        "latency_p95_us": min(quantile(counts, 0.95), latency.attention),
        "latency_p99_us": min(quantile(counts, 0.99), latency.attention),
        "latency_max_us": latency.attention if counts else -1,
    }


def _flag_counts(messages: pa.Table) -> dict[tuple[str, int, str], int]:
    found: dict[tuple[str, int, str], int] = {}
    columns = (messages.column(name).to_pylist() for name in ("group", "partition", "flags"))
    for group, partition, flags in zip(*columns, strict=True):
        for flag in flags:
            found[group, partition, flag] = found.get((group, partition, flag), 0) + 1
    return found


# -- gaps ------------------------------------------------------------------------------------------------------------


def gaps_by_partition(summary: Summary, context: AuditContext) -> dict[int, list[Span]]:
    """Put the gaps of neighbouring buckets together, and explain each."""
    found: dict[int, list[tuple[int, int, bool]]] = {}
    for at, entry in summary.of_kind(EntryKind.GAPS).items():
        joined = found.setdefault(at.key, [])
        for first, end, is_control in records(entry.numbers, GAP_WIDTH):
            if joined and joined[-1][1] == first:
                joined[-1] = (joined[-1][0], end, joined[-1][2] and bool(is_control))
            else:
                joined.append((first, end, bool(is_control)))
    return {partition: _explained(gaps, context) for partition, gaps in found.items() if gaps}


def _explained(gaps: list[tuple[int, int, bool]], context: AuditContext) -> list[Span]:
    is_compacted = is_compacted_topic(context)
    listed = [
        {"first_offset": first, "end_offset": end, "text": _gap_text(is_control, is_compacted=is_compacted)}
        for first, end, is_control in gaps[:GAPS_MAX]
    ]
    rest = gaps[GAPS_MAX:]
    if rest:
        missing = sum(end - first for first, end, _ in rest)
        text = f"{len(rest)} more gaps of {missing} offsets in all"
        listed.append({"first_offset": rest[0][0], "end_offset": rest[-1][1], "text": text})
    return listed


def _gap_text(is_control: bool, *, is_compacted: bool) -> str:
    if is_control:
        return "control records"
    return "compaction" if is_compacted else "unexplained"


# -- stalls and plateaus ---------------------------------------------------------------------------------------------


def stalls(segments: list[FlowSegment], stall_us: int) -> list[Span]:
    """Return the waits for a record that was sent already, within segments and at their seams, in the order of time."""
    found = [(silence.first_us, silence.last_us) for silence in segments if silence.is_silence]
    parts = sorted((part.first_us, part.last_us, part.first_sent_us) for part in segments if not part.is_silence)
    until = parts[0][1] if parts else 0
    for first, last, sent in parts[1:]:
        begin = max(until, sent)
        if first - begin >= stall_us:
            found.append((begin, first))
        until = max(until, last)
    return [_span(begin, end, "") for begin, end in sorted(found)]


def _stall_at_end(group: GroupScope, partition: int, last_us: int, context: AuditContext) -> list[Span]:
    """Return the wait that did not end: something readable was left when the group stopped."""
    read = context.spans.get(partition)
    is_left = read is not None and group.reads(partition) and group.positions.get(partition, 0) < read.end_offset
    begin = last_us if last_us >= 0 else group.begin_us
    if not is_left or begin < 0 or group.end_us - begin < context.facts.stall_us:
        return []
    return [_span(begin, group.end_us, "until the end")]


def with_company(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add to each stall whether the partition stalled alone or with others."""
    active = [row for row in rows if row["delivered"] or row["stalls"]]
    for row in rows:
        for stall in row["stalls"]:
            others = [other for other in active if other is not row]
            standing = sum(any(_overlap(stall, one) for one in other["stalls"]) for other in others)
            company = "alone" if standing == 0 else "with all others" if standing == len(others) else "with some others"
            stall["text"] = ", ".join(filter(None, (stall["text"], company if others else "")))
    return rows


def _overlap(one: Span, other: Span) -> bool:
    return bool(one["begin_us"] < other["end_us"] and other["begin_us"] < one["end_us"])


def course_of(watched: Watched | None, stall_us: int) -> Course:
    """Read a watermark's course from the leader's samples."""
    if watched is None or len(watched.leader) < 2:
        return Course()
    series = watched.leader
    rises = np.diff(series.watermarks)
    is_rise = rises > 0
    starts = np.append(0, np.flatnonzero(rises != 0) + 1).tolist()
    ends = [*starts[1:], len(series) - 1]
    plateaus = []
    for start, end in zip(starts, ends, strict=True):
        is_behind = series.log_ends[start : end + 1] > series.watermarks[start]
        if not is_behind.any():
            continue
        begin_us = int(series.times[start + int(is_behind.argmax())])
        if int(series.times[end]) - begin_us >= stall_us:
            text = f"at {int(series.watermarks[start])}, log end {int(series.log_ends[end])}"
            plateaus.append(_span(begin_us, int(series.times[end]), text))
    return Course(tuple(plateaus), int(is_rise.sum()), int(rises[is_rise].sum()))


def _span(begin: int, end: int, text: str) -> Span:
    return {"begin_us": begin, "end_us": end, "text": text}
