"""Merged cells weighed against each other: which buckets balance, and what pass 2 has to look at row by row.

A bucket balances if every message in it was acknowledged, is stored once, where it was acknowledged, and was given to
every group once, from there, in time and undamaged. Its messages are plainly DELIVERED and need no name.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from chronik.audit.judge.balance.entries import (
    ID_KINDS,
    ORDER_WIDTH,
    POSITION_KINDS,
    EntryKey,
    EntryKind,
    Summary,
    SummaryEntry,
    Sums,
    records,
)
from chronik.audit.judge.balance.summaries import OrderSegment
from chronik.audit.judge.classify.context import AuditContext
from chronik.audit.tables.bitmaps import (
    BITMAP_BYTES,
    BUCKET_BITS,
    BUCKET_SIZE,
    EMPTY,
    SUB_BUCKETS,
    Bits,
    Members,
    buckets_between,
    count_of,
    difference,
    intersection,
    members_of,
    numbers,
    size,
    union,
    unpack,
)
from chronik.audit.tables.columns import Flags
from chronik.audit.tables.evidence import Evidence


@dataclass(slots=True)
class Unbalanced:
    """What pass 2 has to look at."""

    buckets: dict[int, set[int]] = field(default_factory=dict)
    sub_buckets: dict[tuple[int, int], frozenset[int]] = field(default_factory=dict)
    """Of (producer, block): the only sub-buckets that do not balance, where not all of them are looked at."""
    disputed: dict[int, Members] = field(default_factory=dict)
    """Offsets, by partition."""
    unordered: dict[tuple[int, int], tuple[OrderSegment, ...]] = field(default_factory=dict)
    """Of (partition, producer): all segments, where the sequences do not rise throughout."""

    @property
    def is_empty(self) -> bool:
        return not (self.buckets or self.disputed or self.unordered)


def known_beforehand(evidence: Evidence, context: AuditContext) -> Summary:
    """Return the cells that need no data: which ids were reserved, and which offsets were read."""
    summary = Summary()
    for row in evidence.reserved.to_pylist():
        for bucket, members in buckets_between(row["first_sequence"], row["end_sequence"]):
            summary.add(
                EntryKey(EntryKind.RESERVED_IDS, "", row["producer"], bucket), SummaryEntry(bits=unpack(members))
            )
    for partition, read in context.spans.items():
        for bucket, _ in buckets_between(read.first_offset, read.end_offset):
            summary.add(EntryKey(EntryKind.STORED_AT, "", partition, bucket), SummaryEntry())
    return summary


def condense(summary: Summary, context: AuditContext) -> Summary:
    """Leave of complete cells only what is still needed: buckets that balance become a number.

    Cells may be condensed in parts, if all cells of a bucket are in the same part; the results merge like any.
    """
    found = Summary()
    by_bucket: dict[tuple[bool, int, int], dict[EntryKey, SummaryEntry]] = {}
    for at, entry in summary.entries.items():
        if at.kind in ID_KINDS or at.kind in POSITION_KINDS:
            by_bucket.setdefault((at.kind in ID_KINDS, at.key, at.bucket), {})[at] = entry
        else:
            found.add(at, entry)
    for (is_of_ids, key, bucket), entries in by_bucket.items():
        if is_of_ids:
            _condense_ids(found, entries, context.group_names())
        else:
            _condense_positions(found, key, bucket, entries, context)
    return found


def _condense_ids(found: Summary, entries: Mapping[EntryKey, SummaryEntry], groups: tuple[str, ...]) -> None:
    sides = {(at.kind, at.group): entry for at, entry in entries.items()}
    if is_balanced(sides, groups):
        found.add(EntryKey(EntryKind.BALANCED, "", 0, 0), SummaryEntry(rows=sides[EntryKind.SENT_IDS, ""].rows))
        return
    sub_buckets = sub_buckets_in_question(sides, groups)
    if sub_buckets.all():
        for at, entry in entries.items():
            found.add(at, entry)
        return
    in_question = np.repeat(sub_buckets, BITMAP_BYTES // SUB_BUCKETS)
    at, sent = next((at, entry) for at, entry in entries.items() if at.kind == EntryKind.SENT_IDS)
    assert sent.bits is not None
    found.add(EntryKey(EntryKind.BALANCED, "", 0, 0), SummaryEntry(rows=count_of(sent.bits[~in_question])))
    found.add(
        EntryKey(EntryKind.IN_QUESTION, "", at.key, at.bucket),
        SummaryEntry(numbers=tuple(np.flatnonzero(sub_buckets).tolist())),
    )
    for at, entry in entries.items():
        bits = None if entry.bits is None else np.where(in_question, entry.bits, np.uint8(0))
        found.add(at, replace(entry, bits=bits))


def sub_buckets_in_question(sides: Mapping[tuple[int, str], SummaryEntry], groups: tuple[str, ...]) -> Flags:
    """Return the sub-buckets because of which a bucket does not balance; all of them, where that is not known.

    A sub-bucket balances by itself if all sides have the same ids and sums there, and no row needs attention.
    """
    everything = np.ones(SUB_BUCKETS, np.bool_)
    sent = sides.get((EntryKind.SENT_IDS, ""))
    others = [sides.get((EntryKind.STORED_IDS, "")), *(sides.get((EntryKind.DELIVERED_IDS, group)) for group in groups)]
    if sent is None or sent.bits is None or sent.rows != count_of(sent.bits):
        return everything
    found = np.zeros(SUB_BUCKETS, np.bool_)
    for side in (sent, *others):
        if side is None or side.bits is None or side.hash_sums is None or sent.hash_sums is None:
            return everything
        marks = np.zeros(SUB_BUCKETS, np.int64) if side.marks is None else side.marks
        if int(marks.sum()) != side.attention:
            return everything
        found |= (marks > 0) | (side.hash_sums != sent.hash_sums) | _have_members(side.bits ^ sent.bits)
    reserved = sides.get((EntryKind.RESERVED_IDS, ""))
    if reserved is not None and reserved.bits is not None:
        found |= _have_members(reserved.bits & ~sent.bits)
    return found if found.any() else everything


def _have_members(bits: Bits) -> Flags:
    return np.asarray(bits.reshape(SUB_BUCKETS, -1).any(axis=1))


def is_balanced(sides: Mapping[tuple[int, str], SummaryEntry], groups: tuple[str, ...]) -> bool:
    """Return whether every side of a bucket holds the same messages at the same places, each once."""
    sent = sides.get((EntryKind.SENT_IDS, ""))
    if sent is None or sent.bits is None or sent.attention or sent.rows != count_of(sent.bits):
        return False
    reserved = sides.get((EntryKind.RESERVED_IDS, ""))
    if reserved is not None and difference(reserved.members, sent.members):
        return False
    others = [sides.get((EntryKind.STORED_IDS, "")), *(sides.get((EntryKind.DELIVERED_IDS, group)) for group in groups)]
    return all(side is not None and _is_same(sent, side) for side in others)


def _is_same(sent: SummaryEntry, side: SummaryEntry) -> bool:
    is_alike = (side.rows, side.attention) == (sent.rows, 0) and _are_equal(side.bits, sent.bits)
    return is_alike and _are_equal(side.hash_sums, sent.hash_sums)


def _are_equal(one: Sums | None, other: Sums | None) -> bool:
    return one is not None and other is not None and np.array_equal(one, other)


def _condense_positions(
    found: Summary, partition: int, bucket: int, entries: Mapping[EntryKey, SummaryEntry], context: AuditContext
) -> None:
    kinds: dict[int, bytes] = {}
    for at, entry in entries.items():
        kinds[at.kind] = union(kinds.get(at.kind, EMPTY), entry.members)
    foreign = union(kinds.get(EntryKind.FOREIGN_AT, EMPTY), kinds.get(EntryKind.GIVEN_FOREIGN_AT, EMPTY))
    disputed = numbers(intersection(kinds.get(EntryKind.ACKED_AT, EMPTY), foreign), bucket).tolist()
    if disputed:
        found.add(EntryKey(EntryKind.DISPUTED, "", partition, bucket), SummaryEntry(numbers=tuple(disputed)))
    gaps = tuple(number for gap in _gaps(partition, bucket, kinds, context) for number in gap)
    if gaps:
        found.add(EntryKey(EntryKind.GAPS, "", partition, bucket), SummaryEntry(numbers=gaps))


def _gaps(
    partition: int, bucket: int, kinds: Mapping[int, bytes], context: AuditContext
) -> Iterable[tuple[int, int, int]]:
    read = context.spans.get(partition)
    if read is None:
        return
    base = bucket << BUCKET_BITS
    was_read = buckets_between(max(read.first_offset, base), min(read.end_offset, base + BUCKET_SIZE))
    missing = difference(was_read[0][1] if was_read else EMPTY, kinds.get(EntryKind.STORED_AT, EMPTY))
    control = set(members_of(unpack(kinds.get(EntryKind.CONTROL_AT, EMPTY))).tolist())
    for first, end in ranges_of(members_of(unpack(missing))):
        yield base + first, base + end, int(all(offset in control for offset in range(first, end)))


def ranges_of(members: Members) -> list[tuple[int, int]]:
    """Return rising numbers as ranges ``[first, end)``."""
    if not len(members):
        return []
    breaks = np.flatnonzero(np.diff(members) != 1)
    firsts = members[np.append(0, breaks + 1)].tolist()
    lasts = members[np.append(breaks, len(members) - 1)].tolist()
    return [(first, last + 1) for first, last in zip(firsts, lasts, strict=True)]


def weigh_order(summary: Summary) -> dict[tuple[int, int], tuple[OrderSegment, ...]]:
    """Find the (partition, producer) whose sequences do not rise throughout, seams included."""
    found: dict[tuple[int, int], tuple[OrderSegment, ...]] = {}
    for at, entry in summary.of_kind(EntryKind.ORDER).items():
        segments = tuple(OrderSegment(*record) for record in sorted(records(entry.numbers, ORDER_WIDTH)))
        if inversions(segments):
            found[at.key, at.bucket] = segments
    return found


def inversions(segments: tuple[OrderSegment, ...]) -> int:
    """Count the neighbours that are in the wrong order, of segments in the order of their offsets."""
    seams = sum(b.first_sequence < a.last_sequence for a, b in pairwise(segments))
    return seams + sum(segment.inversions for segment in segments)


def find_unbalanced(condensed: Summary) -> Unbalanced:
    """Put together what pass 2 looks at."""
    found = Unbalanced(unordered=weigh_order(condensed))
    disputed: dict[int, list[int]] = {}
    for at in sorted(condensed.entries):
        if at.kind in ID_KINDS:
            found.buckets.setdefault(at.key, set()).add(at.bucket)
        elif at.kind == EntryKind.IN_QUESTION:
            found.sub_buckets[at.key, at.bucket] = frozenset(condensed.entries[at].numbers)
        elif at.kind == EntryKind.DISPUTED:
            disputed.setdefault(at.key, []).extend(condensed.entries[at].numbers)
    found.disputed = {partition: np.array(offsets, np.int64) for partition, offsets in disputed.items()}
    return found


def messages_sent(condensed: Summary) -> tuple[int, int]:
    """Count the messages, all and those in buckets that balance: every id that has a row or was reserved."""
    balanced = condensed.entries.get(EntryKey(EntryKind.BALANCED, "", 0, 0), SummaryEntry()).rows
    ids: dict[tuple[int, int], bytes] = {}
    for at, entry in condensed.entries.items():
        if at.kind in (EntryKind.SENT_IDS, EntryKind.RESERVED_IDS):
            ids[at.key, at.bucket] = union(ids.get((at.key, at.bucket), EMPTY), entry.members)
    return balanced + sum(size(members) for members in ids.values()), balanced
