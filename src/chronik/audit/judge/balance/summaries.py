"""Pass 1: rows of the three sides (sent, stored, delivered) summed up into cells, in the task that reads them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from chronik.audit.judge.balance.bucketing import Ranges, numbered, summed_up, totals
from chronik.audit.judge.balance.cells import Cell, CellKey, Kind, Summary, flat_pairs
from chronik.audit.judge.balance.latencies import count_latencies
from chronik.audit.judge.balance.runs import Stretches, cut, place_hashes, stretches_of
from chronik.audit.judge.classify.context import Surroundings
from chronik.audit.tables.bitmaps import LEAF_BITS
from chronik.audit.tables.columns import Flags, Ints, booleans, integers, is_everywhere, is_nowhere, numbers
from chronik.audit.tables.schemas import DELIVERED, SENDS, STORED, Outcome, narrow

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


def in_portions(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Cut rows into portions of one size, which is worth its cost, however the batches come."""
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


def add_sends(summary: Summary, rows: pa.Table) -> Stretches:
    """Sum up a part of a producer's ledger; what the rows are is given back."""
    stretches = _stretches(rows)
    outcomes, offsets = numbers(rows, "outcome"), numbers(rows, "offset")
    is_acked = None if (outcomes == Outcome.ACKED).all() else outcomes == Outcome.ACKED
    if is_acked is None and not (offsets < 0).any():
        _add_ids(summary, Kind.SENT_IDS, "", stretches)
        _add_positions(summary, Kind.ACKED_AT, "", stretches)
    else:
        is_placed = (outcomes == Outcome.ACKED) & (offsets >= 0)
        _add_ids(summary, Kind.SENT_IDS, "", stretches, ~is_placed)
        _add_positions(summary, Kind.ACKED_AT, "", _stretches(rows.filter(pa.array(is_placed))))
    _add_counts(summary, Kind.SENT_COUNT, stretches, stretches.lengths, stretches.count(is_acked))
    return stretches


# -- stored ----------------------------------------------------------------------------------------------------------


def add_stored(summary: Summary, rows: pa.Table, around: Surroundings) -> Stretches:
    """Sum up records of a replica that stands for the log; they are in the order of offsets in each partition."""
    rows = only_of_log(rows, around)
    stretches = ours = _stretches(rows)
    if are_all_of_run(rows, around.facts.run) and is_nowhere(rows, "is_control"):
        _add_positions(summary, Kind.STORED_AT, "", stretches)
        _add_counts(summary, Kind.STORED_COUNT, stretches, stretches.lengths)
        own = rows
    else:
        is_control = booleans(rows, "is_control")
        is_ours = of_run(rows, around.facts.run) & ~is_control
        is_foreign = ~is_control & ~is_ours
        kinds = ((Kind.STORED_AT, ~is_control), (Kind.CONTROL_AT, is_control), (Kind.FOREIGN_AT, is_foreign))
        for kind, chosen in kinds:
            _add_positions(summary, kind, "", _stretches(rows.filter(pa.array(chosen))))
        _add_counts(summary, Kind.STORED_COUNT, stretches, stretches.count(is_ours), stretches.count(is_foreign))
        own = rows.filter(pa.array(is_ours))
        ours = _stretches(own)
    is_plain = is_everywhere(own, "is_intact") and is_nowhere(own, "is_aborted")
    attention = None if is_plain else ~booleans(own, "is_intact") | booleans(own, "is_aborted")
    _add_ids(summary, Kind.STORED_IDS, "", ours, attention)
    for partition, producer, segment in order_segments(ours):
        summary.add(CellKey(Kind.ORDER, "", partition, producer), Cell(rows=segment.rows, numbers=_numbers(segment)))
    return stretches


def only_of_log(rows: pa.Table, around: Surroundings) -> pa.Table:
    """Leave out what other replicas hold."""
    partitions, nodes = numbers(rows, "partition"), numbers(rows, "node")
    is_chosen = np.zeros(rows.num_rows, np.bool_)
    for partition, own in _by_key(partitions):
        is_chosen[own] = nodes[own] == around.node_of(partition)
    return rows if is_chosen.all() else rows.filter(pa.array(is_chosen))


def of_run(rows: pa.Table, run: int) -> Flags:
    """Say which records carry a readable id of this run."""
    found: Flags = booleans(rows, "is_ours") & (numbers(rows, "run").view(np.uint64) == np.uint64(run))
    return found


def are_all_of_run(rows: pa.Table, run: int) -> bool:
    """Say whether all records carry a readable id of this run."""
    return is_everywhere(rows, "is_ours") and bool((numbers(rows, "run").view(np.uint64) == np.uint64(run)).all())


def order_segments(ours: Stretches) -> Iterator[tuple[int, int, OrderSegment]]:
    """Give what each producer wrote to each partition, in the order of offsets."""
    # Producers are numbers of 32 bits.
    for lane, own in _by_key((ours.partitions << 32) + ours.producers):
        yield lane >> 32, lane & 0xFFFFFFFF, _order_segment(ours, own)


def _order_segment(ours: Stretches, own: "Ints | slice") -> OrderSegment:
    """Within a stretch sequences rise, so that only its begin can lie below what stands before."""
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


def add_delivered(summary: Summary, rows: pa.Table, around: Surroundings) -> Stretches:
    """Sum up a part of a consumer's ledger, which is in the order of reception."""
    groups = sorted(rows.column("group").unique().to_pylist())
    if len(groups) == 1:
        return _add_group(summary, groups[0], rows, around)
    for group in groups:
        _add_group(summary, group, rows.filter(pa.compute.equal(rows.column("group"), group)), around)
    return _stretches(rows)


def _add_group(summary: Summary, group: str, rows: pa.Table, around: Surroundings) -> Stretches:
    stretches = ours = _stretches(rows)
    own, foreign_counts = rows, np.zeros(len(stretches), np.int64)
    if not are_all_of_run(rows, around.facts.run):
        is_ours = of_run(rows, around.facts.run)
        foreign_counts = stretches.count(~is_ours)
        _add_positions(summary, Kind.GIVEN_FOREIGN_AT, group, _stretches(rows.filter(pa.array(~is_ours))))
        own = rows.filter(pa.array(is_ours))
        ours = _stretches(own)
    attention = needs_naming(own, around)
    _add_ids(summary, Kind.DELIVERED_IDS, group, ours, attention if attention.any() else None)
    for partition, cell in _delivered_counts(stretches, foreign_counts):
        summary.add(CellKey(Kind.DELIVERED_COUNT, group, partition, 0), cell)
    received, sent = integers(own, "received_us"), integers(own, "sent_us")
    for partition, chosen in _by_key(numbers(own, "partition")):
        _add_flow(summary, group, partition, received[chosen], sent[chosen], around.facts.stall_us)
    return stretches


def _delivered_counts(stretches: Stretches, foreign_counts: Ints) -> Iterator[tuple[int, Cell]]:
    lasts = stretches.offsets + stretches.lengths - 1
    for partition, chosen in _by_key(stretches.partitions):
        foreign = int(foreign_counts[chosen].sum())
        bounds = int(stretches.offsets[chosen].min()), int(lasts[chosen].max())
        yield partition, Cell(int(stretches.lengths[chosen].sum()) - foreign, attention=foreign, numbers=bounds)


def needs_naming(ours: pa.Table, around: Surroundings) -> Flags:
    """Say which deliveries are more than plain ones, by themselves: damaged, late, or above the watermark."""
    found = are_late(ours, around) | are_above_watermark(ours, around)
    return found if is_everywhere(ours, "is_intact") else found | ~booleans(ours, "is_intact")


def are_late(ours: pa.Table, around: Surroundings) -> Flags:
    """Say which deliveries came after the time-out: of the run, where it had an end, else of the message."""
    return after_timeout(integers(ours, "received_us"), integers(ours, "sent_us"), around)


def after_timeout(received_us: Ints, sent_us: Ints, around: Surroundings) -> Flags:
    """Say which times lie behind the time-out."""
    deadline_us = around.facts.deadline_us
    late: Flags = received_us > (sent_us + around.facts.timeout_us if deadline_us < 0 else deadline_us)
    return late


def are_above_watermark(ours: pa.Table, around: Surroundings) -> Flags:
    """Say which records were delivered before the watermark had passed them."""
    found = np.zeros(ours.num_rows, np.bool_)
    if not around.watched:
        return found
    offsets = integers(ours, "offset")
    received = integers(ours, "received_us") + around.clock_error_us()
    for partition, chosen in _by_key(numbers(ours, "partition")):
        if partition in around.watched:
            found[chosen] = around.watched[partition].are_above(offsets[chosen], received[chosen])
    return found


def _add_flow(summary: Summary, group: str, partition: int, received: Ints, sent: Ints, stall_us: int) -> None:
    latencies = received - sent
    cell = Cell(rows=len(latencies), attention=int(latencies.max()), numbers=flat_pairs(count_latencies(latencies)))
    summary.add(CellKey(Kind.LATENCY, group, partition, 0), cell)
    numbers = tuple(number for segment in flow_segments(received, sent, stall_us) for number in _numbers(segment))
    summary.add(CellKey(Kind.FLOW, group, partition, 0), Cell(rows=len(latencies), numbers=numbers))


def flow_segments(received: Ints, sent: Ints, stall_us: int) -> list[FlowSegment]:
    """Give the deliveries as one segment, and each wait inside it that was long though something was sent."""
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


def _stretches(rows: pa.Table) -> Stretches:
    return stretches_of(*(numbers(rows, name) for name in ("producer", "sequence", "partition", "offset")))


def _add_ids(summary: Summary, kind: Kind, group: str, stretches: Stretches, attention: Flags | None = None) -> None:
    parts = cut(stretches.sequences, stretches.lengths, LEAF_BITS)
    marked = None
    if attention is not None and len(stretches):
        marked = np.add.reduceat(attention, stretches.starts[parts.of] + parts.begins, dtype=np.int64)
    hashes = place_hashes(stretches, parts)
    ranges = Ranges(stretches.producers[parts.of], parts.blocks, parts.lows, parts.lengths, hashes, marked)
    _add_buckets(summary, kind, group, ranges)


def _add_positions(summary: Summary, kind: Kind, group: str, stretches: Stretches) -> None:
    parts = cut(stretches.offsets, stretches.lengths)
    ranges = Ranges(stretches.partitions[parts.of], parts.blocks, parts.lows, parts.lengths)
    _add_buckets(summary, kind, group, ranges)


def _add_buckets(summary: Summary, kind: Kind, group: str, ranges: Ranges) -> None:
    for found in summed_up(ranges):
        cell = Cell(found.rows, found.bits, found.hash_sums, found.attention, marks=found.marks)
        summary.add(CellKey(kind, group, found.key, found.block), cell)


def _add_counts(summary: Summary, kind: Kind, stretches: Stretches, rows: Ints, attention: Ints | None = None) -> None:
    """Add cells with the number of rows, and of rows of another kind, of each partition."""
    names, which = numbered(stretches.partitions)
    counts = totals(rows, which, len(names)).tolist()
    marked = [0] * len(names) if attention is None else totals(attention, which, len(names)).tolist()
    for partition, count, more in zip(names, counts, marked, strict=True):
        summary.add(CellKey(kind, "", partition, 0), Cell(rows=count, attention=more))


def _by_key(keys: Ints) -> Iterator[tuple[int, "Ints | slice"]]:
    """Give each key with its rows."""
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
    """Give the keys, each once, in their order; rows of one key stand together, so that changes are few."""
    if not len(keys):
        return []
    found: list[int] = np.unique(keys[np.append(0, np.flatnonzero(keys[1:] != keys[:-1]) + 1)]).tolist()
    return found


def _numbers(segment: OrderSegment | FlowSegment) -> tuple[int, ...]:
    return tuple(getattr(segment, name) for name in segment.__slots__)
