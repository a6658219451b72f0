"""New rows of a continuous audit, summed up by window as in pass 1, and the records that are out of order."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa

from chronik.audit.judge.balance.bucketing import bucketed
from chronik.audit.judge.balance.entries import EntryKey, EntryKind, Summary, SummaryEntry
from chronik.audit.judge.balance.summaries import add_delivered, add_sends, add_stored, of_run, only_of_log
from chronik.audit.judge.classify.context import AuditContext
from chronik.audit.tables.bitmaps import BUCKET_BITS
from chronik.audit.tables.columns import Flags, Ints, booleans, integers
from chronik.audit.topic.examination import Examination
from chronik.audit.watch.windows import CLOSED, Allotment, Range, raise_all

SENT: Final = "sent"
STORED: Final = "stored"
DELIVERED: Final = "delivered"


@dataclass(slots=True)
class SplitSum:
    """What one split says: sums only."""

    entries: dict[int, Summary] = field(default_factory=dict)
    """By window; of closed ones only what is counted over all of them is used."""
    rows: Counter[str] = field(default_factory=Counter)
    after_closing: Counter[str] = field(default_factory=Counter)
    """Rows of messages whose verdict is final, by side."""
    highest: dict[int, int] = field(default_factory=dict)
    places: dict[int, dict[int, Range]] = field(default_factory=dict)
    since_us: dict[int, int] = field(default_factory=dict)
    """By window: when its first message was sent."""
    partition: int = -1
    end_offset: int = -1
    lanes: dict[int, int] = field(default_factory=dict)
    """Of the partition, by producer: the highest sequence so far."""
    examination: Examination | None = None

    def summary(self, window: int) -> Summary:
        return self.entries.setdefault(window, Summary())


def sum_sends(found: SplitSum, rows: pa.Table, allotment: Allotment) -> None:
    """Sum up rows of a producer's ledger."""
    producers, sequences = integers(rows, "producer"), integers(rows, "sequence")
    windows = allotment.windows_of(producers, sequences)
    raise_all(found.highest, allotment.highest(producers, sequences))
    for window, own in _by_window(rows, windows):
        add_sends(found.summary(window), own)
        _note_begin(found, window, own)
    _count(found, SENT, windows)


def sum_delivered(found: SplitSum, rows: pa.Table, allotment: Allotment, context: AuditContext) -> None:
    """Sum up rows of a consumer's ledger, in the order of reception."""
    is_ours = of_run(rows, context.facts.run)
    windows = _windows(found, rows, is_ours, allotment)
    for window, own in _by_window(rows, windows):
        add_delivered(found.summary(window), own, context)
    _count(found, DELIVERED, windows)


def sum_stored(found: SplitSum, rows: pa.Table, allotment: Allotment, context: AuditContext) -> None:
    """Sum up records of one partition, in the order of offsets."""
    rows = only_of_log(rows, context)
    is_ours = of_run(rows, context.facts.run) & ~booleans(rows, "is_control")
    windows = _windows(found, rows, is_ours, allotment)
    for window, own in _by_window(rows, windows):
        add_stored(found.summary(window), own, context)
    for window, own in _by_window(rows.filter(pa.array(is_ours)), windows[is_ours]):
        _add_places(found, window, own)
        _note_begin(found, window, own)
    _add_reordered(found, rows.filter(pa.array(is_ours)), windows[is_ours])
    _count(found, STORED, windows)


def _windows(found: SplitSum, rows: pa.Table, is_ours: Flags, allotment: Allotment) -> Ints:
    """Return the window of each row; records that are no message of this run are only counted."""
    producers, sequences = integers(rows, "producer")[is_ours], integers(rows, "sequence")[is_ours]
    raise_all(found.highest, allotment.highest(producers, sequences))
    windows = np.full(rows.num_rows, allotment.numbers[-1])
    windows[is_ours] = allotment.windows_of(producers, sequences)
    return windows


def _by_window(rows: pa.Table, windows: Ints) -> Iterator[tuple[int, pa.Table]]:
    names = np.unique(windows).tolist()
    for window in names:
        yield window, rows if len(names) == 1 else rows.filter(pa.array(windows == window))


def _note_begin(found: SplitSum, window: int, rows: pa.Table) -> None:
    times = integers(rows, "sent_us")
    times = times[times >= 0]
    if len(times):
        first = int(times.min())
        found.since_us[window] = min(found.since_us.get(window, first), first)


def _count(found: SplitSum, side: str, windows: Ints) -> None:
    found.rows[side] += len(windows)
    late = int((windows == CLOSED).sum())
    if late:
        found.after_closing[side] += late


def _add_places(found: SplitSum, window: int, rows: pa.Table) -> None:
    partitions, offsets = integers(rows, "partition"), integers(rows, "offset")
    places = found.places.setdefault(window, {})
    for partition in np.unique(partitions).tolist():
        own = offsets[partitions == partition]
        first, end = places.get(partition, (int(own.min()), 0))
        places[partition] = (min(first, int(own.min())), max(end, int(own.max()) + 1))


def _add_reordered(found: SplitSum, ours: pa.Table, windows: Ints) -> None:
    """Mark the records that stand behind one which the same producer sent later."""
    is_reordered = behind_later(found.lanes, integers(ours, "producer"), integers(ours, "sequence"))
    if not is_reordered.any():
        return
    rows, windows = ours.filter(pa.array(is_reordered)), windows[is_reordered]
    partitions, offsets = integers(rows, "partition"), integers(rows, "offset")
    producers, buckets = integers(rows, "producer"), integers(rows, "sequence") >> BUCKET_BITS
    for marked in bucketed(partitions, offsets):
        at = EntryKey(EntryKind.REORDERED_AT, "", marked.key, marked.bucket)
        found.summary(int(windows[0])).add(at, SummaryEntry(bits=marked.bits))
    for window, producer, bucket in zip(windows.tolist(), producers.tolist(), buckets.tolist(), strict=True):
        # A bucket with such a record does not balance, so that it is looked at row by row.
        found.summary(window).add(EntryKey(EntryKind.STORED_IDS, "", producer, bucket), SummaryEntry(attention=1))


def behind_later(lanes: dict[int, int], producers: Ints, sequences: Ints) -> Flags:
    """Return which records stand behind a later one of their producer, and note the highest sequence of each."""
    found = np.zeros(len(producers), np.bool_)
    for producer in np.unique(producers).tolist():
        chosen = producers == producer
        highest = np.maximum.accumulate(np.append(lanes.get(producer, -1), sequences[chosen]))
        found[chosen] = sequences[chosen] < highest[:-1]
        lanes[producer] = int(highest[-1])
    return found
