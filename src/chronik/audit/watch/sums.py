"""What a task of a continuous audit makes of new rows: sums by period, as in pass 1, and what only order shows."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa

from chronik.audit.judge.balance.bucketing import buckets
from chronik.audit.judge.balance.cells import Cell, CellKey, Kind, Summary
from chronik.audit.judge.balance.summaries import add_delivered, add_sends, add_stored, of_run, only_of_log
from chronik.audit.judge.classify.context import Surroundings
from chronik.audit.tables.bitmaps import BUCKET_BITS
from chronik.audit.tables.columns import Flags, Ints, booleans, integers
from chronik.audit.topic.examination import Examination
from chronik.audit.watch.windows import CLOSED, Allotment, Range, raise_all

SENT: Final = "sent"
STORED: Final = "stored"
DELIVERED: Final = "delivered"


@dataclass(slots=True)
class PieceSum:
    """What one piece says: sums only."""

    cells: dict[int, Summary] = field(default_factory=dict)
    """By period; of closed ones only what is counted over all of them is used."""
    rows: Counter[str] = field(default_factory=Counter)
    after_closing: Counter[str] = field(default_factory=Counter)
    """Rows of messages whose verdict is final, by side."""
    highest: dict[int, int] = field(default_factory=dict)
    places: dict[int, dict[int, Range]] = field(default_factory=dict)
    since_us: dict[int, int] = field(default_factory=dict)
    """By period: when its first message was sent."""
    partition: int = -1
    end_offset: int = -1
    lanes: dict[int, int] = field(default_factory=dict)
    """Of the partition, by producer: the highest sequence so far."""
    examination: Examination | None = None

    def summary(self, period: int) -> Summary:
        return self.cells.setdefault(period, Summary())


def sum_sends(found: PieceSum, rows: pa.Table, allotment: Allotment) -> None:
    """Sum up rows of a producer's ledger."""
    producers, sequences = integers(rows, "producer"), integers(rows, "sequence")
    periods = allotment.periods_of(producers, sequences)
    raise_all(found.highest, allotment.highest(producers, sequences))
    for period, own in _by_period(rows, periods):
        add_sends(found.summary(period), own)
        _note_begin(found, period, own)
    _count(found, SENT, periods)


def sum_delivered(found: PieceSum, rows: pa.Table, allotment: Allotment, around: Surroundings) -> None:
    """Sum up rows of a consumer's ledger, in the order of reception."""
    is_ours = of_run(rows, around.facts.run)
    periods = _periods(found, rows, is_ours, allotment)
    for period, own in _by_period(rows, periods):
        add_delivered(found.summary(period), own, around)
    _count(found, DELIVERED, periods)


def sum_stored(found: PieceSum, rows: pa.Table, allotment: Allotment, around: Surroundings) -> None:
    """Sum up records of one partition, in the order of offsets."""
    rows = only_of_log(rows, around)
    is_ours = of_run(rows, around.facts.run) & ~booleans(rows, "is_control")
    periods = _periods(found, rows, is_ours, allotment)
    for period, own in _by_period(rows, periods):
        add_stored(found.summary(period), own, around)
    for period, own in _by_period(rows.filter(pa.array(is_ours)), periods[is_ours]):
        _add_places(found, period, own)
        _note_begin(found, period, own)
    _add_reordered(found, rows.filter(pa.array(is_ours)), periods[is_ours])
    _count(found, STORED, periods)


def _periods(found: PieceSum, rows: pa.Table, is_ours: Flags, allotment: Allotment) -> Ints:
    """Give the period of each row; what is nobody's message is counted only, wherever it stands."""
    producers, sequences = integers(rows, "producer")[is_ours], integers(rows, "sequence")[is_ours]
    raise_all(found.highest, allotment.highest(producers, sequences))
    periods = np.full(rows.num_rows, allotment.numbers[-1])
    periods[is_ours] = allotment.periods_of(producers, sequences)
    return periods


def _by_period(rows: pa.Table, periods: Ints) -> Iterator[tuple[int, pa.Table]]:
    names = np.unique(periods).tolist()
    for period in names:
        yield period, rows if len(names) == 1 else rows.filter(pa.array(periods == period))


def _note_begin(found: PieceSum, period: int, rows: pa.Table) -> None:
    times = integers(rows, "sent_us")
    times = times[times >= 0]
    if len(times):
        first = int(times.min())
        found.since_us[period] = min(found.since_us.get(period, first), first)


def _count(found: PieceSum, side: str, periods: Ints) -> None:
    found.rows[side] += len(periods)
    late = int((periods == CLOSED).sum())
    if late:
        found.after_closing[side] += late


def _add_places(found: PieceSum, period: int, rows: pa.Table) -> None:
    partitions, offsets = integers(rows, "partition"), integers(rows, "offset")
    places = found.places.setdefault(period, {})
    for partition in np.unique(partitions).tolist():
        own = offsets[partitions == partition]
        first, end = places.get(partition, (int(own.min()), 0))
        places[partition] = (min(first, int(own.min())), max(end, int(own.max()) + 1))


def _add_reordered(found: PieceSum, ours: pa.Table, periods: Ints) -> None:
    """Mark the records that stand behind one which the same producer sent later."""
    is_reordered = behind_later(found.lanes, integers(ours, "producer"), integers(ours, "sequence"))
    if not is_reordered.any():
        return
    rows, periods = ours.filter(pa.array(is_reordered)), periods[is_reordered]
    partitions, offsets = integers(rows, "partition"), integers(rows, "offset")
    producers, blocks = integers(rows, "producer"), integers(rows, "sequence") >> BUCKET_BITS
    for bucket in buckets(partitions, offsets):
        at = CellKey(Kind.REORDERED_AT, "", bucket.key, bucket.block)
        found.summary(int(periods[0])).add(at, Cell(bits=bucket.bits))
    for period, producer, block in zip(periods.tolist(), producers.tolist(), blocks.tolist(), strict=True):
        # A bucket with such a record does not balance, so that it is looked at row by row.
        found.summary(period).add(CellKey(Kind.STORED_IDS, "", producer, block), Cell(attention=1))


def behind_later(lanes: dict[int, int], producers: Ints, sequences: Ints) -> Flags:
    """Say which records stand behind a later one of their producer, and note the highest sequence of each."""
    found = np.zeros(len(producers), np.bool_)
    for producer in np.unique(producers).tolist():
        chosen = producers == producer
        highest = np.maximum.accumulate(np.append(lanes.get(producer, -1), sequences[chosen]))
        found[chosen] = sequences[chosen] < highest[:-1]
        lanes[producer] = int(highest[-1])
    return found
