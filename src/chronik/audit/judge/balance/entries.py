"""An entry holds sums over one bucket or partition for some part of the data; entries merge into a summary.

Merging is associative and commutative, so that parts may be summed up anywhere and put together in any order.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from chronik.audit.tables.bitmaps import Bits, pack, unpack

Sums: TypeAlias = npt.NDArray[Any]
"""One number for each sub-bucket of a bucket."""


class EntryKind(IntEnum):
    """What a cell is about; in brackets what its key and block are."""

    SENT_IDS = 0  # (producer, sequence >> 15)
    STORED_IDS = 1
    DELIVERED_IDS = 2
    ACKED_AT = 3  # (partition, offset >> 15)
    STORED_AT = 4
    CONTROL_AT = 5
    FOREIGN_AT = 6
    GIVEN_FOREIGN_AT = 7
    SENT_COUNT = 8  # (partition, 0): rows are the sends, ``attention`` is how many of them were acknowledged
    STORED_COUNT = 9  # rows are ours, ``attention`` is how many are not
    DELIVERED_COUNT = 10  # the same; ``numbers`` are the lowest and the highest offset
    ORDER = 11  # (partition, producer)
    FLOW = 12  # (partition, 0)
    LATENCY = 13  # (partition, 0): ``attention`` is the longest
    RESERVED_IDS = 14  # as SENT_IDS, without rows
    BALANCED = 15  # (0, 0): rows are the messages of all buckets that balance
    GAPS = 16  # (partition, offset >> 15): first, end, and 1 where control records fill it
    DISPUTED = 17  # (partition, offset >> 15): acknowledged offsets that hold a record of unknown origin
    REORDERED_AT = 18  # (partition, offset >> 15): records behind a later one of their producer; continuous audits only
    ZONES = 19  # (split, 0): of each of its chunks, where its ids and its offsets are
    IN_QUESTION = 20  # (producer, sequence >> 15): the sub-buckets that do not balance


ID_KINDS: Final = frozenset({EntryKind.SENT_IDS, EntryKind.RESERVED_IDS, EntryKind.STORED_IDS, EntryKind.DELIVERED_IDS})
POSITION_KINDS: Final = frozenset(
    {EntryKind.ACKED_AT, EntryKind.STORED_AT, EntryKind.CONTROL_AT, EntryKind.FOREIGN_AT, EntryKind.GIVEN_FOREIGN_AT}
)
GAP_WIDTH: Final = 3
ORDER_WIDTH: Final = 7
FLOW_WIDTH: Final = 5
ZONE_WIDTH: Final = 6
_WIDTHS: Final = {
    EntryKind.ORDER: ORDER_WIDTH,
    EntryKind.FLOW: FLOW_WIDTH,
    EntryKind.GAPS: GAP_WIDTH,
    EntryKind.ZONES: ZONE_WIDTH,
}
"""Of the kinds whose numbers are records that are only gathered."""


class EntryKey(NamedTuple):
    """Which cell; the group is empty but for what was delivered."""

    kind: int
    group: str
    key: int
    bucket: int


@dataclass(slots=True)
class SummaryEntry:
    """Sums over some rows. ``numbers`` holds records of a fixed width, in any order, for the kinds that need more."""

    rows: int = 0
    bits: Bits | None = None
    hash_sums: Sums | None = None
    """Of each sub-bucket, modulo 2**64."""
    attention: int = 0
    numbers: tuple[int, ...] = ()
    marks: Sums | None = None
    """How many rows of each sub-bucket need attention, where that is known of all of them."""

    @property
    def members(self) -> bytes:
        return b"" if self.bits is None else pack(self.bits)


def merge_entry(kind: int, one: SummaryEntry, other: SummaryEntry) -> SummaryEntry:
    """Put together what two parts of the data say."""
    return SummaryEntry(
        one.rows + other.rows,
        _united(one.bits, other.bits),
        _added(one.hash_sums, other.hash_sums),
        max(one.attention, other.attention) if kind == EntryKind.LATENCY else one.attention + other.attention,
        _merged_numbers(kind, one.numbers, other.numbers),
        _added(one.marks, other.marks),
    )


def _united(one: Bits | None, other: Bits | None) -> Bits | None:
    if one is None or other is None:
        return other if one is None else one
    return one | other


def _added(one: Sums | None, other: Sums | None) -> Sums | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other


def _merged_numbers(kind: int, one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    match kind:
        case EntryKind.ORDER | EntryKind.FLOW | EntryKind.GAPS | EntryKind.ZONES:
            # Sorted when they are written or read: sorting at each merge would cost the square of their number.
            return one + other
        case EntryKind.DELIVERED_COUNT:
            return _wider(one, other)
        case EntryKind.LATENCY:
            return _added_pairs(one, other)
        case EntryKind.DISPUTED:
            return tuple(sorted({*one, *other}))
        case _:
            return ()


def _in_order(kind: int, numbers: tuple[int, ...]) -> tuple[int, ...]:
    width = _WIDTHS.get(EntryKind(kind), 0)
    if len(numbers) <= width or not width:
        return numbers
    return tuple(number for record in sorted(records(numbers, width)) for number in record)


def _wider(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    if not one or not other:
        return one or other
    return min(one[0], other[0]), max(one[1], other[1])


def _added_pairs(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    counts = pairs(one)
    for bucket, count in pairs(other).items():
        counts[bucket] = counts.get(bucket, 0) + count
    return flat_pairs(counts)


def records(numbers: tuple[int, ...], width: int) -> list[tuple[int, ...]]:
    """Cut numbers into records."""
    return [numbers[at : at + width] for at in range(0, len(numbers), width)]


def pairs(numbers: tuple[int, ...]) -> dict[int, int]:
    """Read numbers as keys and values that take turns."""
    return dict(zip(numbers[::2], numbers[1::2], strict=True))


def flat_pairs(counts: dict[int, int]) -> tuple[int, ...]:
    """Write keys and values in turns, in the order of keys."""
    return tuple(number for pair in sorted(counts.items()) for number in pair)


class Summary:
    """All cells of some part of the data."""

    def __init__(self) -> None:
        self.entries: dict[EntryKey, SummaryEntry] = {}

    def add(self, at: EntryKey, entry: SummaryEntry) -> None:
        """Merge one cell in."""
        there = self.entries.get(at)
        self.entries[at] = entry if there is None else merge_entry(at.kind, there, entry)

    def merge(self, other: "Summary") -> "Summary":
        """Merge another part of the data in."""
        for at, entry in other.entries.items():
            self.add(at, entry)
        return self

    def of_kind(self, kind: EntryKind) -> dict[EntryKey, SummaryEntry]:
        """Return the cells of one kind, in the order of their keys."""
        return {at: self.entries[at] for at in sorted(self.entries) if at.kind == kind}


SUMMARY_ROWS: Final = pa.schema(
    [
        ("kind", pa.int8()),
        ("group", pa.string()),
        ("key", pa.int64()),
        ("block", pa.int64()),
        ("rows", pa.int64()),
        ("members", pa.binary()),
        ("hash_sums", pa.binary()),
        ("attention", pa.int64()),
        ("numbers", pa.list_(pa.int64())),
        ("marks", pa.binary()),
    ]
)
"""A summary as rows, for a shuffle."""


def to_rows(summary: Summary) -> pa.RecordBatch:
    """Write a summary as rows."""
    found = sorted(summary.entries.items())
    columns = [
        [at.kind for at, _ in found],
        [at.group for at, _ in found],
        [at.key for at, _ in found],
        [at.bucket for at, _ in found],
        [entry.rows for _, entry in found],
        [entry.members for _, entry in found],
        [b"" if entry.hash_sums is None else entry.hash_sums.tobytes() for _, entry in found],
        [entry.attention for _, entry in found],
        [_in_order(at.kind, entry.numbers) for at, entry in found],
        [b"" if entry.marks is None else entry.marks.tobytes() for _, entry in found],
    ]
    arrays = [pa.array(values, field.type) for values, field in zip(columns, SUMMARY_ROWS, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SUMMARY_ROWS)


def from_rows(batches: Iterable[pa.RecordBatch]) -> Summary:
    """Read rows of any number of summaries into one."""
    summary = Summary()
    for batch in batches:
        for row in batch.to_pylist():
            summary.add(EntryKey(row["kind"], row["group"], row["key"], row["block"]), _entry(row))
    return summary


def _entry(row: dict[str, "int | bytes | list[int]"]) -> SummaryEntry:
    members, numbers, sums, marks = row["members"], row["numbers"], row["hash_sums"], row["marks"]
    assert isinstance(members, bytes)
    assert isinstance(numbers, list)
    assert isinstance(sums, bytes)
    assert isinstance(marks, bytes)
    return SummaryEntry(
        int(row["rows"]),  # type: ignore[arg-type]
        unpack(members) if members else None,
        np.frombuffer(sums, np.uint64) if sums else None,
        int(row["attention"]),  # type: ignore[arg-type]
        tuple(numbers),
        np.frombuffer(marks, np.int64) if marks else None,
    )
