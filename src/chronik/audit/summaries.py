"""Pass 1: rows of the three sides (sent, stored, delivered) summed up into cells, in the task that reads them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from chronik.audit.bucketing import Flags, Hashes, Ints, buckets, position_hashes
from chronik.audit.cells import Cell, CellKey, Kind, Summary, flat_pairs
from chronik.audit.columns import booleans, integers
from chronik.audit.latencies import count_latencies
from chronik.audit.schemas import DELIVERED, SENDS, STORED, Outcome, narrow
from chronik.audit.surroundings import Surroundings

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

ROWS_AT_ONCE: Final = 1 << 18
"""How many rows are summed up at the same time: enough that numpy's own cost does not count."""


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


def add_sends(summary: Summary, rows: pa.Table) -> None:
    """Sum up a part of a producer's ledger."""
    producers, sequences = integers(rows, "producer"), integers(rows, "sequence")
    partitions, offsets = integers(rows, "partition"), integers(rows, "offset")
    is_acked = integers(rows, "outcome") == Outcome.ACKED
    is_placed = is_acked & (offsets >= 0)
    hashes = position_hashes(producers, sequences, partitions, offsets)
    _add_buckets(summary, Kind.SENT_IDS, "", producers, sequences, hashes, ~is_placed)
    _add_buckets(summary, Kind.ACKED_AT, "", partitions[is_placed], offsets[is_placed])
    for partition, chosen in _by_key(partitions):
        at = CellKey(Kind.SENT_COUNT, "", partition, 0)
        summary.add(at, Cell(rows=int(chosen.sum()), attention=int((chosen & is_acked).sum())))


# -- stored ----------------------------------------------------------------------------------------------------------


def add_stored(summary: Summary, rows: pa.Table, around: Surroundings) -> None:
    """Sum up records of a replica that stands for the log; they are in the order of offsets in each partition."""
    rows = only_of_log(rows, around)
    is_control = booleans(rows, "is_control")
    is_ours = of_run(rows, around.facts.run) & ~is_control
    partitions, offsets = integers(rows, "partition"), integers(rows, "offset")
    ours = rows if is_ours.all() else rows.filter(pa.array(is_ours))
    _add_buckets(
        summary, Kind.STORED_IDS, "", *_identity(ours), ~booleans(ours, "is_intact") | booleans(ours, "is_aborted")
    )
    for kind, chosen in (
        (Kind.STORED_AT, ~is_control),
        (Kind.CONTROL_AT, is_control),
        (Kind.FOREIGN_AT, ~is_control & ~is_ours),
    ):
        _add_buckets(summary, kind, "", partitions[chosen], offsets[chosen])
    for partition, chosen in _by_key(partitions):
        foreign = int((chosen & ~is_ours & ~is_control).sum())
        summary.add(
            CellKey(Kind.STORED_COUNT, "", partition, 0), Cell(rows=int((chosen & is_ours).sum()), attention=foreign)
        )
    for partition, producer, segment in order_segments(ours):
        summary.add(CellKey(Kind.ORDER, "", partition, producer), Cell(rows=segment.rows, numbers=_numbers(segment)))


def only_of_log(rows: pa.Table, around: Surroundings) -> pa.Table:
    """Leave out what other replicas hold."""
    partitions, nodes = integers(rows, "partition"), integers(rows, "node")
    is_chosen = np.zeros(rows.num_rows, np.bool_)
    for partition, own in _by_key(partitions):
        is_chosen |= own & (nodes == around.node_of(partition))
    return rows if is_chosen.all() else rows.filter(pa.array(is_chosen))


def of_run(rows: pa.Table, run: int) -> Flags:
    """Say which records carry a readable id of this run."""
    found: Flags = booleans(rows, "is_ours") & (rows.column("run").to_numpy() == np.uint64(run))
    return found


def order_segments(ours: pa.Table) -> Iterator[tuple[int, int, OrderSegment]]:
    """Give what each producer wrote to each partition, in the order of offsets."""
    partitions, producers = integers(ours, "partition"), integers(ours, "producer")
    offsets, sequences = integers(ours, "offset"), integers(ours, "sequence")
    for partition, in_partition in _by_key(partitions):
        for producer, chosen in _by_key(producers[in_partition]):
            own_offsets, own = offsets[in_partition][chosen], sequences[in_partition][chosen]
            yield (
                partition,
                producer,
                OrderSegment(
                    first_offset=int(own_offsets[0]),
                    last_offset=int(own_offsets[-1]),
                    rows=len(own),
                    first_sequence=int(own[0]),
                    last_sequence=int(own[-1]),
                    highest_sequence=int(own.max()),
                    inversions=int((own[1:] < own[:-1]).sum()),
                ),
            )


# -- delivered -------------------------------------------------------------------------------------------------------


def add_delivered(summary: Summary, rows: pa.Table, around: Surroundings) -> None:
    """Sum up a part of a consumer's ledger, which is in the order of reception."""
    groups = sorted(rows.column("group").unique().to_pylist())
    for group in groups:
        own = rows if len(groups) == 1 else rows.filter(pa.compute.equal(rows.column("group"), group))
        _add_group(summary, group, own, around)


def _add_group(summary: Summary, group: str, rows: pa.Table, around: Surroundings) -> None:
    is_ours = of_run(rows, around.facts.run)
    partitions, offsets = integers(rows, "partition"), integers(rows, "offset")
    ours = rows if is_ours.all() else rows.filter(pa.array(is_ours))
    _add_buckets(summary, Kind.DELIVERED_IDS, group, *_identity(ours), needs_naming(ours, around))
    _add_buckets(summary, Kind.GIVEN_FOREIGN_AT, group, partitions[~is_ours], offsets[~is_ours])
    for partition, chosen in _by_key(partitions):
        given = offsets[chosen]
        cell = Cell(
            rows=int((chosen & is_ours).sum()),
            attention=int((chosen & ~is_ours).sum()),
            numbers=(int(given.min()), int(given.max())),
        )
        summary.add(CellKey(Kind.DELIVERED_COUNT, group, partition, 0), cell)
    for partition, chosen in _by_key(integers(ours, "partition")):
        received, sent = integers(ours, "received_us")[chosen], integers(ours, "sent_us")[chosen]
        _add_flow(summary, group, partition, received, sent, around.facts.stall_us)


def needs_naming(ours: pa.Table, around: Surroundings) -> Flags:
    """Say which deliveries are more than plain ones, by themselves: damaged, late, or above the watermark."""
    found = ~booleans(ours, "is_intact") | are_late(ours, around)
    return found | are_above_watermark(ours, around)


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
    partitions, offsets = integers(ours, "partition"), integers(ours, "offset")
    received = integers(ours, "received_us") + around.clock_error_us()
    found = np.zeros(len(partitions), np.bool_)
    for partition, chosen in _by_key(partitions):
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
    begins = np.maximum(received[:-1], sent[1:])
    waited = np.flatnonzero(received[1:] - begins >= stall_us).tolist()
    first, last = int(received.min()), int(received.max())
    silences = [FlowSegment(int(begins[at]), int(received[at + 1]), int(sent[at + 1]), 0, 1) for at in waited]
    return [FlowSegment(first, last, int(sent[0]), len(received), 0), *silences]


# -- both ------------------------------------------------------------------------------------------------------------


def _identity(ours: pa.Table) -> tuple[Ints, Ints, Hashes]:
    producers, sequences = integers(ours, "producer"), integers(ours, "sequence")
    return (
        producers,
        sequences,
        position_hashes(producers, sequences, integers(ours, "partition"), integers(ours, "offset")),
    )


def _add_buckets(
    summary: Summary,
    kind: Kind,
    group: str,
    keys: Ints,
    numbers: Ints,
    hashes: Hashes | None = None,
    attention: Flags | None = None,
) -> None:
    for found in buckets(keys, numbers, hashes, attention):
        cell = Cell(found.rows, found.bits, found.hash_sum, found.attention)
        summary.add(CellKey(kind, group, found.key, found.block), cell)


def _by_key(keys: Ints) -> Iterator[tuple[int, Flags]]:
    """Give each key with its rows; there are few keys in a portion, and rows of one key stand together."""
    if not len(keys):
        return
    starts = np.append(0, np.flatnonzero(keys[1:] != keys[:-1]) + 1)
    for key in np.unique(keys[starts]).tolist():
        yield key, keys == key


def _numbers(segment: OrderSegment | FlowSegment) -> tuple[int, ...]:
    return tuple(getattr(segment, name) for name in segment.__slots__)
