"""Pass 1: rows of the three sides (sent, stored, delivered) summed up into cells, in the task that reads them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from chronik.audit.judge.balance.bucketing import BucketRuns, numbered, summed_up, totals
from chronik.audit.judge.balance.entries import EntryKey, EntryKind, Summary, SummaryEntry, flat_pairs
from chronik.audit.judge.balance.latencies import count_latencies
from chronik.audit.judge.balance.runs import RowRuns, cut, place_hashes, runs_of
from chronik.audit.judge.classify.context import AuditContext
from chronik.audit.tables.bitmaps import SUB_BUCKET_BITS
from chronik.audit.tables.columns import Flags, Ints, booleans, integers, is_everywhere, is_nowhere, numbers
from chronik.audit.tables.schemas import DELIVERED, SENDS, STORED, SendOutcome, narrow

NARROW_SENDS: Final = narrow(SENDS, "producer", "sequence", "partition", "outcome", "offset")
NARROW_STORED: Final = narrow(
    STORED,
    *("node", "partition", "offset", "is_ours", "run", "producer", "sequence", "is_intact", "is_control", "is_aborted"),
)
NARROW_DELIVERED: Final = narrow(
    DELIVERED,
    *("group", "received_us", "partition", "offset", "is_ours", "run", "producer", "sequence", "sent_us", "is_intact"),
)
"""The columns that pass 1 needs."""

ROWS_AT_ONCE: Final = 1 << 15
"""How many rows are summed up at the same time: enough that numpy's own cost does not count, and all fits the cache."""


@dataclass(frozen=True, slots=True)
class OrderSegment:
    """What one producer wrote within a range of offsets of one partition, in the order of offsets."""

    first_offset: int
    last_offset: int
    rows: int
    first_sequence: int
    last_sequence: int
    highest_sequence: int
    inversions: int


@dataclass(frozen=True, slots=True)
class FlowSegment:
    """What a group was given of one partition between two times; silences inside it are segments without rows."""

    first_us: int
    last_us: int
    first_sent_us: int
    rows: int
    is_silence: int


def in_chunks(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Cut rows into chunks of one size, whatever the size of the batches."""
    kept: list[pa.RecordBatch] = []
    room = ROWS_AT_ONCE
    for batch in batches:
        while batch.num_rows >= room:
            yield pa.Table.from_batches([*kept, batch.slice(0, room)]).unify_dictionaries()
            batch, kept, room = batch.slice(room), [], ROWS_AT_ONCE
        if batch.num_rows:
            kept.append(batch)
            room -= batch.num_rows
    if kept:
        yield pa.Table.from_batches(kept).unify_dictionaries()


# -- sent ------------------------------------------------------------------------------------------------------------


def add_sends(summary: Summary, rows: pa.Table) -> RowRuns:
    """Sum up a part of a producer's ledger; what the rows are is given back."""
    runs = _runs(rows)
    outcomes, offsets = numbers(rows, "outcome"), numbers(rows, "offset")
    is_acked = None if (outcomes == SendOutcome.ACKED).all() else outcomes == SendOutcome.ACKED
    if is_acked is None and not (offsets < 0).any():
        _add_ids(summary, EntryKind.SENT_IDS, "", runs)
        _add_positions(summary, EntryKind.ACKED_AT, "", runs)
    else:
        is_placed = (outcomes == SendOutcome.ACKED) & (offsets >= 0)
        _add_ids(summary, EntryKind.SENT_IDS, "", runs, ~is_placed)
        _add_positions(summary, EntryKind.ACKED_AT, "", _runs(rows.filter(pa.array(is_placed))))
    _add_counts(summary, EntryKind.SENT_COUNT, runs, runs.lengths, runs.count(is_acked))
    return runs


# -- stored ----------------------------------------------------------------------------------------------------------


def add_stored(summary: Summary, rows: pa.Table, context: AuditContext) -> RowRuns:
    """Sum up records of the replica that is judged as the log, in the order of offsets in each partition."""
    rows = only_of_log(rows, context)
    runs = ours = _runs(rows)
    if are_all_of_run(rows, context.facts.run) and is_nowhere(rows, "is_control"):
        _add_positions(summary, EntryKind.STORED_AT, "", runs)
        _add_counts(summary, EntryKind.STORED_COUNT, runs, runs.lengths)
        own = rows
    else:
        is_control = booleans(rows, "is_control")
        is_ours = of_run(rows, context.facts.run) & ~is_control
        is_foreign = ~is_control & ~is_ours
        kinds = (
            (EntryKind.STORED_AT, ~is_control),
            (EntryKind.CONTROL_AT, is_control),
            (EntryKind.FOREIGN_AT, is_foreign),
        )
        for kind, chosen in kinds:
            _add_positions(summary, kind, "", _runs(rows.filter(pa.array(chosen))))
        _add_counts(summary, EntryKind.STORED_COUNT, runs, runs.count(is_ours), runs.count(is_foreign))
        own = rows.filter(pa.array(is_ours))
        ours = _runs(own)
    is_plain = is_everywhere(own, "is_intact") and is_nowhere(own, "is_aborted")
    attention = None if is_plain else ~booleans(own, "is_intact") | booleans(own, "is_aborted")
    _add_ids(summary, EntryKind.STORED_IDS, "", ours, attention)
    for partition, producer, segment in order_segments(ours):
        summary.add(
            EntryKey(EntryKind.ORDER, "", partition, producer),
            SummaryEntry(rows=segment.rows, numbers=_numbers(segment)),
        )
    return runs


def only_of_log(rows: pa.Table, context: AuditContext) -> pa.Table:
    """Leave out what other replicas hold."""
    partitions, nodes = numbers(rows, "partition"), numbers(rows, "node")
    is_chosen = np.zeros(rows.num_rows, np.bool_)
    for partition, own in _by_key(partitions):
        is_chosen[own] = nodes[own] == context.node_of(partition)
    return rows if is_chosen.all() else rows.filter(pa.array(is_chosen))


def of_run(rows: pa.Table, run: int) -> Flags:
    """Return which records carry a readable id of this run."""
    found: Flags = booleans(rows, "is_ours") & (numbers(rows, "run").view(np.uint64) == np.uint64(run))
    return found


def are_all_of_run(rows: pa.Table, run: int) -> bool:
    """Return whether all records carry a readable id of this run."""
    return is_everywhere(rows, "is_ours") and bool((numbers(rows, "run").view(np.uint64) == np.uint64(run)).all())


def order_segments(ours: RowRuns) -> Iterator[tuple[int, int, OrderSegment]]:
    """Return what each producer wrote to each partition, in the order of offsets."""
    # Producers are numbers of 32 bits.
    for lane, own in _by_key((ours.partitions << 32) + ours.producers):
        yield lane >> 32, lane & 0xFFFFFFFF, _order_segment(ours, own)


def _order_segment(ours: RowRuns, own: "Ints | slice") -> OrderSegment:
    """Return the order of one producer: sequences rise within a run, so only its first can be an inversion."""
    firsts, lengths = ours.sequences[own], ours.lengths[own]
    lasts = firsts + lengths - 1
    return OrderSegment(
        first_offset=int(ours.offsets[own][0]),
        last_offset=int(ours.offsets[own][-1] + lengths[-1] - 1),
        rows=int(lengths.sum()),
        first_sequence=int(firsts[0]),
        last_sequence=int(lasts[-1]),
        highest_sequence=int(lasts.max()),
        inversions=int((firsts[1:] < lasts[:-1]).sum()),
    )


# -- delivered -------------------------------------------------------------------------------------------------------


def add_delivered(summary: Summary, rows: pa.Table, context: AuditContext) -> RowRuns:
    """Sum up a part of a consumer's ledger, which is in the order of reception."""
    groups = sorted(rows.column("group").unique().to_pylist())
    if len(groups) == 1:
        return _add_group(summary, groups[0], rows, context)
    for group in groups:
        _add_group(summary, group, rows.filter(pa.compute.equal(rows.column("group"), group)), context)
    return _runs(rows)


def _add_group(summary: Summary, group: str, rows: pa.Table, context: AuditContext) -> RowRuns:
    runs = ours = _runs(rows)
    own, foreign_counts = rows, np.zeros(len(runs), np.int64)
    if not are_all_of_run(rows, context.facts.run):
        is_ours = of_run(rows, context.facts.run)
        foreign_counts = runs.count(~is_ours)
        _add_positions(summary, EntryKind.GIVEN_FOREIGN_AT, group, _runs(rows.filter(pa.array(~is_ours))))
        own = rows.filter(pa.array(is_ours))
        ours = _runs(own)
    attention = needs_naming(own, context)
    _add_ids(summary, EntryKind.DELIVERED_IDS, group, ours, attention if attention.any() else None)
    for partition, entry in _delivered_counts(runs, foreign_counts):
        summary.add(EntryKey(EntryKind.DELIVERED_COUNT, group, partition, 0), entry)
    received, sent = integers(own, "received_us"), integers(own, "sent_us")
    for partition, chosen in _by_key(numbers(own, "partition")):
        _add_flow(summary, group, partition, received[chosen], sent[chosen], context.facts.stall_us)
    return runs


def _delivered_counts(runs: RowRuns, foreign_counts: Ints) -> Iterator[tuple[int, SummaryEntry]]:
    lasts = runs.offsets + runs.lengths - 1
    for partition, chosen in _by_key(runs.partitions):
        foreign = int(foreign_counts[chosen].sum())
        bounds = int(runs.offsets[chosen].min()), int(lasts[chosen].max())
        yield partition, SummaryEntry(int(runs.lengths[chosen].sum()) - foreign, attention=foreign, numbers=bounds)


def needs_naming(ours: pa.Table, context: AuditContext) -> Flags:
    """Return which deliveries are more than plain ones, by themselves: damaged, late, or above the watermark."""
    found = are_late(ours, context) | are_above_watermark(ours, context)
    return found if is_everywhere(ours, "is_intact") else found | ~booleans(ours, "is_intact")


def are_late(ours: pa.Table, context: AuditContext) -> Flags:
    """Return which deliveries came after the time-out: of the run, where it had an end, else of the message."""
    return after_timeout(integers(ours, "received_us"), integers(ours, "sent_us"), context)


def after_timeout(received_us: Ints, sent_us: Ints, context: AuditContext) -> Flags:
    """Return which times lie behind the time-out."""
    deadline_us = context.facts.deadline_us
    late: Flags = received_us > (sent_us + context.facts.timeout_us if deadline_us < 0 else deadline_us)
    return late


def are_above_watermark(ours: pa.Table, context: AuditContext) -> Flags:
    """Return which records were delivered before the watermark had passed them."""
    found = np.zeros(ours.num_rows, np.bool_)
    if not context.watched:
        return found
    offsets = integers(ours, "offset")
    received = integers(ours, "received_us") + context.clock_error_us()
    for partition, chosen in _by_key(numbers(ours, "partition")):
        if partition in context.watched:
            found[chosen] = context.watched[partition].are_above(offsets[chosen], received[chosen])
    return found


def _add_flow(summary: Summary, group: str, partition: int, received: Ints, sent: Ints, stall_us: int) -> None:
    latencies = received - sent
    entry = SummaryEntry(
        rows=len(latencies), attention=int(latencies.max()), numbers=flat_pairs(count_latencies(latencies))
    )
    summary.add(EntryKey(EntryKind.LATENCY, group, partition, 0), entry)
    numbers = tuple(number for segment in flow_segments(received, sent, stall_us) for number in _numbers(segment))
    summary.add(EntryKey(EntryKind.FLOW, group, partition, 0), SummaryEntry(rows=len(latencies), numbers=numbers))


def flow_segments(received: Ints, sent: Ints, stall_us: int) -> list[FlowSegment]:
    """Return the deliveries as one segment, and each wait inside it that was long though something was sent."""
    # A wait is no longer than the silence before it, and silences that long are few.
    silent = np.flatnonzero(np.diff(received) >= stall_us)
    begins = np.maximum(received[silent], sent[silent + 1])
    is_wait = received[silent + 1] - begins >= stall_us
    first, last = int(received.min()), int(received.max())
    silences = [
        FlowSegment(begin, int(received[at + 1]), int(sent[at + 1]), 0, 1)
        for begin, at in zip(begins[is_wait].tolist(), silent[is_wait].tolist(), strict=True)
    ]
    return [FlowSegment(first, last, int(sent[0]), len(received), 0), *silences]


# -- both ------------------------------------------------------------------------------------------------------------


def _runs(rows: pa.Table) -> RowRuns:
    return runs_of(*(numbers(rows, name) for name in ("producer", "sequence", "partition", "offset")))


def _add_ids(summary: Summary, kind: EntryKind, group: str, runs: RowRuns, attention: Flags | None = None) -> None:
    parts = cut(runs.sequences, runs.lengths, SUB_BUCKET_BITS)
    marked = None
    if attention is not None and len(runs):
        marked = np.add.reduceat(attention, runs.starts[parts.of] + parts.begins, dtype=np.int64)
    hashes = place_hashes(runs, parts)
    ranges = BucketRuns(runs.producers[parts.of], parts.buckets, parts.lows, parts.lengths, hashes, marked)
    _add_buckets(summary, kind, group, ranges)


def _add_positions(summary: Summary, kind: EntryKind, group: str, runs: RowRuns) -> None:
    parts = cut(runs.offsets, runs.lengths)
    ranges = BucketRuns(runs.partitions[parts.of], parts.buckets, parts.lows, parts.lengths)
    _add_buckets(summary, kind, group, ranges)


def _add_buckets(summary: Summary, kind: EntryKind, group: str, ranges: BucketRuns) -> None:
    for found in summed_up(ranges):
        entry = SummaryEntry(found.rows, found.bits, found.hash_sums, found.attention, marks=found.marks)
        summary.add(EntryKey(kind, group, found.key, found.bucket), entry)


def _add_counts(summary: Summary, kind: EntryKind, runs: RowRuns, rows: Ints, attention: Ints | None = None) -> None:
    """Add cells with the number of rows, and of rows of another kind, of each partition."""
    names, which = numbered(runs.partitions)
    counts = totals(rows, which, len(names)).tolist()
    marked = [0] * len(names) if attention is None else totals(attention, which, len(names)).tolist()
    for partition, count, more in zip(names, counts, marked, strict=True):
        summary.add(EntryKey(kind, "", partition, 0), SummaryEntry(rows=count, attention=more))


def _by_key(keys: Ints) -> Iterator[tuple[int, "Ints | slice"]]:
    """Return each key with its rows."""
    names = _distinct(keys)
    if len(names) == 1:
        yield names[0], slice(None)
        return
    _, which = numbered(keys)
    # Numbers of 16 bits are sorted by counting them.
    order = np.argsort(which.astype(np.uint16) if len(names) < 1 << 16 else which, kind="stable")
    bounds = np.append(0, np.cumsum(np.bincount(which, minlength=len(names)))).tolist()
    for number, name in enumerate(names):
        yield name, order[bounds[number] : bounds[number + 1]]


def _distinct(keys: Ints) -> list[int]:
    """Return the keys, each once, in their order; rows of one key stand together, so that changes are few."""
    if not len(keys):
        return []
    found: list[int] = np.unique(keys[np.append(0, np.flatnonzero(keys[1:] != keys[:-1]) + 1)]).tolist()
    return found


def _numbers(segment: OrderSegment | FlowSegment) -> tuple[int, ...]:
    return tuple(getattr(segment, name) for name in segment.__slots__)
