"""The tasks of a continuous audit: new parts of ledgers and of the log summed up, and parts of a window read again.

Each travels to where it runs, reads there, and gives sums, or the few rows that have to be named.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias, TypeVar

import pyarrow as pa

from chronik.audit.judge.balance.reconcile import ranges_of
from chronik.audit.judge.balance.selection import STORED_IN_PASS_2
from chronik.audit.judge.balance.summaries import in_chunks
from chronik.audit.judge.classify.context import AuditContext
from chronik.audit.judge.classify.retention import latest_keys, merge_latest
from chronik.audit.ledger.tails import LedgerPlace, TailSplit
from chronik.audit.tables import schemas
from chronik.audit.tables.columns import Ints, booleans, integers
from chronik.audit.topic.examination import Examination
from chronik.audit.watch.finalise import Chosen, joined
from chronik.audit.watch.sums import DELIVERED, SENT, SplitSum, sum_delivered, sum_sends, sum_stored
from chronik.audit.watch.windows import Allotment, AuditWindow
from chronik.records.batch import BatchHeader

T = TypeVar("T")
RunTasks: TypeAlias = Callable[[Sequence[Callable[[], T]]], list[T]]
"""Runs tasks, here or on Spark, and returns their results in order."""
_SCHEMAS: Final = {SENT: schemas.SENDS, DELIVERED: schemas.DELIVERED}
_MARKED: Final = 0


class LogShare(Protocol):
    """A part of one partition that a task reads, the same each time."""

    @property
    def partition(self) -> int: ...

    @property
    def end_offset(self) -> int: ...

    def parts(self) -> Iterator[tuple[Sequence[BatchHeader], pa.Table]]:
        """Return rows of STORED in the order of offsets, each time with the headers of the batches that begin there."""


class LogSource(Protocol):
    """The log of the watched topic."""

    def share(self, partition: int, start_offset: int, end_offset: int) -> LogShare:
        """Return what is to be read of a partition."""


@dataclass(frozen=True, slots=True)
class SumLedger:
    """Sums up a split of a ledger."""

    side: str
    split: TailSplit
    place: LedgerPlace
    allotment: Allotment
    context: AuditContext

    def __call__(self) -> SplitSum:
        found = SplitSum()
        for rows in _rows(self.split, self.place, _SCHEMAS[self.side]):
            if self.side == SENT:
                sum_sends(found, rows, self.allotment)
            else:
                sum_delivered(found, rows, self.allotment, self.context)
        return found


@dataclass(frozen=True, slots=True)
class SumLog:
    """Sums up the next records of one partition, and examines their batches."""

    share: LogShare
    allotment: Allotment
    context: AuditContext
    examination: Examination
    lanes: dict[int, int] = field(default_factory=dict)

    def __call__(self) -> SplitSum:
        found = SplitSum(partition=self.share.partition, end_offset=self.share.end_offset, lanes=dict(self.lanes))
        found.examination = self.examination
        for headers, rows in self.share.parts():
            for header in headers:
                self.examination.take(header, is_whole=True, marker=_MARKED if header.is_control else None)
            for first, end in ranges_of(_unreadable(rows)):
                self.examination.take_damaged(first, end)
            sum_stored(found, rows, self.allotment, self.context)
        return found


def _unreadable(rows: pa.Table) -> Ints:
    """Return the offsets of records that are there and of which nothing can be read."""
    is_unreadable = ~booleans(rows, "is_intact") & ~booleans(rows, "is_ours") & ~booleans(rows, "is_control")
    return integers(rows, "offset")[is_unreadable]


@dataclass(frozen=True, slots=True)
class SelectFromLedger:
    """Reads a split of a ledger again, as far as it is wanted."""

    side: str
    split: TailSplit
    place: LedgerPlace
    chosen: Chosen

    def __call__(self) -> pa.Table:
        select = self.chosen.sends if self.side == SENT else self.chosen.delivered
        schema = _SCHEMAS[self.side]
        return joined([select(rows) for rows in _rows(self.split, self.place, schema)], schema)


@dataclass(frozen=True, slots=True)
class SelectFromLog:
    """Reads a part of the log again, as far as it is wanted."""

    share: LogShare
    chosen: Chosen

    def __call__(self) -> pa.Table:
        return joined([self.chosen.stored(rows) for _, rows in self.share.parts()], STORED_IN_PASS_2)


@dataclass(frozen=True, slots=True)
class KeysOfLog:
    """Finds the last offset of each key in a part of the log."""

    share: LogShare

    def __call__(self) -> dict[tuple[int, int], int]:
        found: dict[tuple[int, int], int] = {}
        for _, rows in self.share.parts():
            found = merge_latest(found, latest_keys(rows))
        return found


def _rows(split: TailSplit, place: LedgerPlace, schema: pa.Schema) -> Iterator[pa.Table]:
    for chunk in in_chunks(split.batches(place)):
        yield chunk.cast(schema)


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """Reads a window a second time, by tasks."""

    log: LogSource
    place: LedgerPlace
    run: RunTasks[pa.Table]
    run_keys: RunTasks[dict[tuple[int, int], int]]
    offsets: dict[int, int]
    """How far each partition was read."""
    all_delivered: dict[str, TailSplit]
    """What open windows were given: where ids are unreadable, their window is not known beforehand."""

    def __call__(self, window: AuditWindow, chosen: Chosen) -> tuple[pa.Table, pa.Table, pa.Table]:
        """Return SENDS, STORED as in pass 2, and DELIVERED, as far as they are chosen."""
        delivered = self.all_delivered if chosen.unbalanced.disputed else window.delivered
        sends = [SelectFromLedger(SENT, split, self.place, chosen) for split in window.sends.values()]
        given = [SelectFromLedger(DELIVERED, split, self.place, chosen) for split in delivered.values()]
        stored = [SelectFromLog(share, chosen) for share in self._shares(window, chosen)]
        tables = self.run([*sends, *stored, *given])
        first, second = len(sends), len(sends) + len(stored)
        return (
            joined(tables[:first], schemas.SENDS),
            joined(tables[first:second], STORED_IN_PASS_2),
            joined(tables[second:], schemas.DELIVERED),
        )

    def latest_keys(self, window: AuditWindow) -> dict[tuple[int, int], int]:
        """Find the last offset of each key, from the window's records on."""
        shares = [
            self.log.share(partition, first, self.offsets.get(partition, first))
            for partition, (first, _) in sorted(window.places.items())
        ]
        found: dict[tuple[int, int], int] = {}
        for keys in self.run_keys([KeysOfLog(share) for share in shares]):
            found = merge_latest(found, keys)
        return found

    def _shares(self, window: AuditWindow, chosen: Chosen) -> list[LogShare]:
        places = dict(window.places)
        for partition, offsets in chosen.unbalanced.disputed.items():
            # One range to a partition: a record may not be read twice.
            first, end = places.get(partition, (int(offsets.min()), 0))
            places[partition] = (min(first, int(offsets.min())), max(end, int(offsets.max()) + 1))
        return [self.log.share(partition, first, end) for partition, (first, end) in sorted(places.items())]
