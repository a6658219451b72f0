"""Merged cells weighed against each other: which buckets balance, and what pass 2 has to look at row by row.

A bucket balances if every message in it was acknowledged, is stored once, where it was acknowledged, and was given to
every group once, from there, in time and undamaged. Its messages are plainly DELIVERED and need no name.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from chronik.audit.cells import ID_KINDS, ORDER_WIDTH, POSITION_KINDS, Cell, CellKey, Kind, Summary, records
from chronik.audit.containers import (
    BUCKET_BITS,
    BUCKET_SIZE,
    EMPTY,
    Members,
    difference,
    intersection,
    members_of,
    numbers,
    size,
    span,
    union,
    unpack,
)
from chronik.audit.evidence import Evidence
from chronik.audit.summaries import OrderSegment
from chronik.audit.surroundings import Surroundings


@dataclass(slots=True)
class IdBalance:
    """One bucket of ids."""

    producer: int
    block: int
    sent: int
    is_balanced: bool


@dataclass(slots=True)
class PositionBalance:
    """One bucket of offsets: where records of unknown origin stand at acknowledged offsets, and the gaps."""

    partition: int
    block: int
    disputed: tuple[int, ...]
    gaps: tuple[tuple[int, int, bool], ...]
    """As first, end, and whether control records fill it."""


@dataclass(slots=True)
class Wanted:
    """What pass 2 has to look at."""

    buckets: dict[int, set[int]] = field(default_factory=dict)
    disputed: dict[int, Members] = field(default_factory=dict)
    """Offsets, by partition."""
    unordered: dict[tuple[int, int], tuple[OrderSegment, ...]] = field(default_factory=dict)
    """Of (partition, producer): all segments, where the sequences do not rise throughout."""


def reserved_cells(evidence: Evidence) -> Summary:
    """Sum up which ids were reserved."""
    summary = Summary()
    for row in evidence.reserved.to_pylist():
        for block, members in span(row["first_sequence"], row["end_sequence"]):
            summary.add(CellKey(Kind.RESERVED_IDS, "", row["producer"], block), Cell(bits=unpack(members)))
    return summary


def weigh_ids(summary: Summary, groups: Iterable[str]) -> list[IdBalance]:
    """Weigh every bucket of ids."""
    by_bucket: dict[tuple[int, int], dict[tuple[int, str], Cell]] = {}
    for at in sorted(summary.cells):
        if at.kind in ID_KINDS:
            by_bucket.setdefault((at.key, at.block), {})[at.kind, at.group] = summary.cells[at]
    names = tuple(groups)
    return [_weigh(producer, block, cells, names) for (producer, block), cells in by_bucket.items()]


def _weigh(producer: int, block: int, cells: Mapping[tuple[int, str], Cell], groups: tuple[str, ...]) -> IdBalance:
    sent = cells.get((Kind.SENT_IDS, ""), Cell())
    reserved = cells.get((Kind.RESERVED_IDS, ""), Cell()).members
    sides = [cells.get((Kind.STORED_IDS, "")), *(cells.get((Kind.DELIVERED_IDS, group)) for group in groups)]
    is_balanced = (
        sent.attention == 0
        and sent.rows == size(sent.members)
        and not difference(reserved, sent.members)
        and all(side is not None and _is_same(sent, side) for side in sides)
    )
    return IdBalance(producer, block, size(union(sent.members, reserved)), is_balanced)


def _is_same(sent: Cell, side: Cell) -> bool:
    sums = (side.rows, side.attention, side.hash_sum) == (sent.rows, 0, sent.hash_sum)
    return sums and side.members == sent.members


def weigh_positions(summary: Summary, around: Surroundings) -> list[PositionBalance]:
    """Weigh every bucket of offsets."""
    by_bucket: dict[tuple[int, int], dict[int, bytes]] = {}
    for at in sorted(summary.cells):
        if at.kind in POSITION_KINDS:
            kinds = by_bucket.setdefault((at.key, at.block), {})
            kinds[at.kind] = union(kinds.get(at.kind, EMPTY), summary.cells[at].members)
    for partition, read in around.spans.items():
        for block, _ in span(read.first_offset, read.end_offset):
            by_bucket.setdefault((partition, block), {})
    return [_weigh_position(at, block, kinds, around) for (at, block), kinds in sorted(by_bucket.items())]


def _weigh_position(partition: int, block: int, kinds: Mapping[int, bytes], around: Surroundings) -> PositionBalance:
    foreign = union(kinds.get(Kind.FOREIGN_AT, EMPTY), kinds.get(Kind.GIVEN_FOREIGN_AT, EMPTY))
    disputed = numbers(intersection(kinds.get(Kind.ACKED_AT, EMPTY), foreign), block).tolist()
    return PositionBalance(partition, block, tuple(disputed), tuple(_gaps(partition, block, kinds, around)))


def _gaps(
    partition: int, block: int, kinds: Mapping[int, bytes], around: Surroundings
) -> Iterable[tuple[int, int, bool]]:
    read = around.spans.get(partition)
    if read is None:
        return
    base = block << BUCKET_BITS
    was_read = span(max(read.first_offset, base), min(read.end_offset, base + BUCKET_SIZE))
    missing = difference(was_read[0][1] if was_read else EMPTY, kinds.get(Kind.STORED_AT, EMPTY))
    control = set(members_of(unpack(kinds.get(Kind.CONTROL_AT, EMPTY))).tolist())
    for first, end in runs(members_of(unpack(missing))):
        yield base + first, base + end, all(offset in control for offset in range(first, end))


def runs(members: Members) -> list[tuple[int, int]]:
    """Give rising numbers as ranges ``[first, end)``."""
    if not len(members):
        return []
    breaks = np.flatnonzero(np.diff(members) != 1)
    firsts = members[np.append(0, breaks + 1)].tolist()
    lasts = members[np.append(breaks, len(members) - 1)].tolist()
    return [(first, last + 1) for first, last in zip(firsts, lasts, strict=True)]


def weigh_order(summary: Summary) -> dict[tuple[int, int], tuple[OrderSegment, ...]]:
    """Find the (partition, producer) whose sequences do not rise throughout, seams included."""
    found: dict[tuple[int, int], tuple[OrderSegment, ...]] = {}
    for at, cell in summary.of_kind(Kind.ORDER).items():
        segments = tuple(OrderSegment(*record) for record in records(cell.numbers, ORDER_WIDTH))
        if inversions(segments):
            found[at.key, at.block] = segments
    return found


def inversions(segments: tuple[OrderSegment, ...]) -> int:
    """Count the neighbours that are in the wrong order, of segments in the order of their offsets."""
    seams = sum(b.first_sequence < a.last_sequence for a, b in pairwise(segments))
    return seams + sum(segment.inversions for segment in segments)


def wanted(ids: Iterable[IdBalance], positions: Iterable[PositionBalance], summary: Summary) -> Wanted:
    """Put together what pass 2 looks at."""
    found = Wanted(unordered=weigh_order(summary))
    for balance in ids:
        if not balance.is_balanced:
            found.buckets.setdefault(balance.producer, set()).add(balance.block)
    disputed: dict[int, list[int]] = {}
    for place in positions:
        if place.disputed:
            disputed.setdefault(place.partition, []).extend(place.disputed)
    found.disputed = {partition: np.array(sorted(offsets), np.int64) for partition, offsets in disputed.items()}
    return found
