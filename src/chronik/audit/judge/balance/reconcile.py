"""Merged cells weighed against each other: which buckets balance, and what pass 2 has to look at row by row.

A bucket balances if every message in it was acknowledged, is stored once, where it was acknowledged, and was given to
every group once, from there, in time and undamaged. Its messages are plainly DELIVERED and need no name.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from chronik.audit.judge.balance.cells import (
    ID_KINDS,
    ORDER_WIDTH,
    POSITION_KINDS,
    Cell,
    CellKey,
    Kind,
    Summary,
    Sums,
    records,
)
from chronik.audit.judge.balance.summaries import OrderSegment
from chronik.audit.judge.classify.context import Surroundings
from chronik.audit.tables.bitmaps import (
    BITMAP_BYTES,
    BUCKET_BITS,
    BUCKET_SIZE,
    EMPTY,
    LEAVES,
    Bits,
    Members,
    count_of,
    difference,
    intersection,
    members_of,
    numbers,
    size,
    span,
    union,
    unpack,
)
from chronik.audit.tables.columns import Flags
from chronik.audit.tables.evidence import Evidence


@dataclass(slots=True)
class Wanted:
    """What pass 2 has to look at."""

    buckets: dict[int, set[int]] = field(default_factory=dict)
    leaves: dict[tuple[int, int], frozenset[int]] = field(default_factory=dict)
    """Of (producer, block): the only leaves that do not balance, where not all of them are looked at."""
    disputed: dict[int, Members] = field(default_factory=dict)
    """Offsets, by partition."""
    unordered: dict[tuple[int, int], tuple[OrderSegment, ...]] = field(default_factory=dict)
    """Of (partition, producer): all segments, where the sequences do not rise throughout."""

    @property
    def is_empty(self) -> bool:
        return not (self.buckets or self.disputed or self.unordered)


def known_beforehand(evidence: Evidence, around: Surroundings) -> Summary:
    """Give the cells that need no data: which ids were reserved, and which offsets were read."""
    summary = Summary()
    for row in evidence.reserved.to_pylist():
        for block, members in span(row["first_sequence"], row["end_sequence"]):
            summary.add(CellKey(Kind.RESERVED_IDS, "", row["producer"], block), Cell(bits=unpack(members)))
    for partition, read in around.spans.items():
        for block, _ in span(read.first_offset, read.end_offset):
            summary.add(CellKey(Kind.STORED_AT, "", partition, block), Cell())
    return summary


def condense(summary: Summary, around: Surroundings) -> Summary:
    """Leave of complete cells only what is still needed: buckets that balance become a number.

    Cells may be condensed in parts, if all cells of a bucket are in the same part; the results merge like any.
    """
    found = Summary()
    by_bucket: dict[tuple[bool, int, int], dict[CellKey, Cell]] = {}
    for at, cell in summary.cells.items():
        if at.kind in ID_KINDS or at.kind in POSITION_KINDS:
            by_bucket.setdefault((at.kind in ID_KINDS, at.key, at.block), {})[at] = cell
        else:
            found.add(at, cell)
    for (is_of_ids, key, block), cells in by_bucket.items():
        if is_of_ids:
            _condense_ids(found, cells, around.group_names())
        else:
            _condense_positions(found, key, block, cells, around)
    return found


def _condense_ids(found: Summary, cells: Mapping[CellKey, Cell], groups: tuple[str, ...]) -> None:
    sides = {(at.kind, at.group): cell for at, cell in cells.items()}
    if is_balanced(sides, groups):
        found.add(CellKey(Kind.BALANCED, "", 0, 0), Cell(rows=sides[Kind.SENT_IDS, ""].rows))
        return
    leaves = leaves_in_question(sides, groups)
    if leaves.all():
        for at, cell in cells.items():
            found.add(at, cell)
        return
    in_question = np.repeat(leaves, BITMAP_BYTES // LEAVES)
    at, sent = next((at, cell) for at, cell in cells.items() if at.kind == Kind.SENT_IDS)
    assert sent.bits is not None
    found.add(CellKey(Kind.BALANCED, "", 0, 0), Cell(rows=count_of(sent.bits[~in_question])))
    found.add(CellKey(Kind.IN_QUESTION, "", at.key, at.block), Cell(numbers=tuple(np.flatnonzero(leaves).tolist())))
    for at, cell in cells.items():
        bits = None if cell.bits is None else np.where(in_question, cell.bits, np.uint8(0))
        found.add(at, replace(cell, bits=bits))


def leaves_in_question(sides: Mapping[tuple[int, str], Cell], groups: tuple[str, ...]) -> Flags:
    """Say which leaves of a bucket that does not balance are the reason; all of them, where that cannot be told.

    A leaf of which all sides have the same ids and the same sums, with no row that needs attention, would balance as a
    bucket of its own.
    """
    everything = np.ones(LEAVES, np.bool_)
    sent = sides.get((Kind.SENT_IDS, ""))
    others = [sides.get((Kind.STORED_IDS, "")), *(sides.get((Kind.DELIVERED_IDS, group)) for group in groups)]
    if sent is None or sent.bits is None or sent.rows != count_of(sent.bits):
        return everything
    found = np.zeros(LEAVES, np.bool_)
    for side in (sent, *others):
        if side is None or side.bits is None or side.hash_sums is None or sent.hash_sums is None:
            return everything
        marks = np.zeros(LEAVES, np.int64) if side.marks is None else side.marks
        if int(marks.sum()) != side.attention:
            return everything
        found |= (marks > 0) | (side.hash_sums != sent.hash_sums) | _have_members(side.bits ^ sent.bits)
    reserved = sides.get((Kind.RESERVED_IDS, ""))
    if reserved is not None and reserved.bits is not None:
        found |= _have_members(reserved.bits & ~sent.bits)
    return found if found.any() else everything


def _have_members(bits: Bits) -> Flags:
    return np.asarray(bits.reshape(LEAVES, -1).any(axis=1))


def is_balanced(sides: Mapping[tuple[int, str], Cell], groups: tuple[str, ...]) -> bool:
    """Say whether every side of a bucket holds the same messages at the same places, each once."""
    sent = sides.get((Kind.SENT_IDS, ""))
    if sent is None or sent.bits is None or sent.attention or sent.rows != count_of(sent.bits):
        return False
    reserved = sides.get((Kind.RESERVED_IDS, ""))
    if reserved is not None and difference(reserved.members, sent.members):
        return False
    others = [sides.get((Kind.STORED_IDS, "")), *(sides.get((Kind.DELIVERED_IDS, group)) for group in groups)]
    return all(side is not None and _is_same(sent, side) for side in others)


def _is_same(sent: Cell, side: Cell) -> bool:
    is_alike = (side.rows, side.attention) == (sent.rows, 0) and _are_equal(side.bits, sent.bits)
    return is_alike and _are_equal(side.hash_sums, sent.hash_sums)


def _are_equal(one: Sums | None, other: Sums | None) -> bool:
    return one is not None and other is not None and np.array_equal(one, other)


def _condense_positions(
    found: Summary, partition: int, block: int, cells: Mapping[CellKey, Cell], around: Surroundings
) -> None:
    kinds: dict[int, bytes] = {}
    for at, cell in cells.items():
        kinds[at.kind] = union(kinds.get(at.kind, EMPTY), cell.members)
    foreign = union(kinds.get(Kind.FOREIGN_AT, EMPTY), kinds.get(Kind.GIVEN_FOREIGN_AT, EMPTY))
    disputed = numbers(intersection(kinds.get(Kind.ACKED_AT, EMPTY), foreign), block).tolist()
    if disputed:
        found.add(CellKey(Kind.DISPUTED, "", partition, block), Cell(numbers=tuple(disputed)))
    gaps = tuple(number for gap in _gaps(partition, block, kinds, around) for number in gap)
    if gaps:
        found.add(CellKey(Kind.GAPS, "", partition, block), Cell(numbers=gaps))


def _gaps(
    partition: int, block: int, kinds: Mapping[int, bytes], around: Surroundings
) -> Iterable[tuple[int, int, int]]:
    read = around.spans.get(partition)
    if read is None:
        return
    base = block << BUCKET_BITS
    was_read = span(max(read.first_offset, base), min(read.end_offset, base + BUCKET_SIZE))
    missing = difference(was_read[0][1] if was_read else EMPTY, kinds.get(Kind.STORED_AT, EMPTY))
    control = set(members_of(unpack(kinds.get(Kind.CONTROL_AT, EMPTY))).tolist())
    for first, end in runs(members_of(unpack(missing))):
        yield base + first, base + end, int(all(offset in control for offset in range(first, end)))


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
        segments = tuple(OrderSegment(*record) for record in sorted(records(cell.numbers, ORDER_WIDTH)))
        if inversions(segments):
            found[at.key, at.block] = segments
    return found


def inversions(segments: tuple[OrderSegment, ...]) -> int:
    """Count the neighbours that are in the wrong order, of segments in the order of their offsets."""
    seams = sum(b.first_sequence < a.last_sequence for a, b in pairwise(segments))
    return seams + sum(segment.inversions for segment in segments)


def wanted(condensed: Summary) -> Wanted:
    """Put together what pass 2 looks at."""
    found = Wanted(unordered=weigh_order(condensed))
    disputed: dict[int, list[int]] = {}
    for at in sorted(condensed.cells):
        if at.kind in ID_KINDS:
            found.buckets.setdefault(at.key, set()).add(at.block)
        elif at.kind == Kind.IN_QUESTION:
            found.leaves[at.key, at.block] = frozenset(condensed.cells[at].numbers)
        elif at.kind == Kind.DISPUTED:
            disputed.setdefault(at.key, []).extend(condensed.cells[at].numbers)
    found.disputed = {partition: np.array(offsets, np.int64) for partition, offsets in disputed.items()}
    return found


def messages_sent(condensed: Summary) -> tuple[int, int]:
    """Count the messages, all and those in buckets that balance: every id that has a row or was reserved."""
    balanced = condensed.cells.get(CellKey(Kind.BALANCED, "", 0, 0), Cell()).rows
    ids: dict[tuple[int, int], bytes] = {}
    for at, cell in condensed.cells.items():
        if at.kind in (Kind.SENT_IDS, Kind.RESERVED_IDS):
            ids[at.key, at.block] = union(ids.get((at.key, at.block), EMPTY), cell.members)
    return balanced + sum(size(members) for members in ids.values()), balanced
