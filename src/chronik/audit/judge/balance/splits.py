"""The three sides of a run as splits: read in chunks by pass 1, and again by pass 2 where something is unbalanced."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import pyarrow as pa

from chronik.audit.judge.balance.summaries import NARROW_DELIVERED, NARROW_SENDS, NARROW_STORED, ROWS_AT_ONCE
from chronik.audit.tables import schemas
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.spans import ReadSpan
from chronik.audit.tables.stream_files import Bounds, batch_sizes, batches_at

SPLIT_BYTES: Final = 64 * 1024 * 1024
"""How much of a file is one split: a task may read several."""


class Side(IntEnum):
    """Whose account a split is."""

    SENT = 0
    STORED = 1
    DELIVERED = 2


SCHEMAS: Final = {Side.SENT: schemas.SENDS, Side.STORED: schemas.STORED, Side.DELIVERED: schemas.DELIVERED}
NARROW: Final = {Side.SENT: NARROW_SENDS, Side.STORED: NARROW_STORED, Side.DELIVERED: NARROW_DELIVERED}


class SplitChunk(NamedTuple):
    """Rows that are summed up at once, and which of the split they are: ``[first, end)`` by its own numbers."""

    first: int
    end: int
    rows: pa.Table


class Split(Protocol):
    """A share of one side."""

    @property
    def side(self) -> Side:
        """Whose account it is."""

    def chunks(self) -> Iterator[SplitChunk]:
        """Read it from its begin; what pass 1 needs is there, and may be more."""

    def again(self, chosen: Sequence[Bounds]) -> Iterator[pa.Table]:
        """Read some of its chunks again, with all columns, in their order."""


class LogSplits(Protocol):
    """The log of a run's topic, where it is not read from the run's directory."""

    @property
    def spans(self) -> tuple[ReadSpan, ...]:
        """What is read of it."""

    @property
    def splits(self) -> Sequence[Split]:
        """What gives STORED."""


@dataclass(frozen=True, slots=True)
class FileSplit:
    """Some batches of a stream file, by their numbers."""

    side: Side
    path: str
    first_batch: int
    end_batch: int

    def chunks(self) -> Iterator[SplitChunk]:
        """Read what pass 1 needs. A batch is never divided, and one that is large enough is not copied."""
        schema = NARROW[self.side]
        kept: list[pa.RecordBatch] = []
        rows, first, number = 0, self.first_batch, self.first_batch - 1
        for number, batch in batches_at(Path(self.path), schema, [(self.first_batch, self.end_batch)]):
            kept.append(batch)
            rows += batch.num_rows
            if rows >= ROWS_AT_ONCE:
                yield SplitChunk(first, number + 1, joined(kept, schema))
                kept, rows, first = [], 0, number + 1
        if kept:
            yield SplitChunk(first, number + 1, joined(kept, schema))

    def again(self, chosen: Sequence[Bounds]) -> Iterator[pa.Table]:
        schema, ends = SCHEMAS[self.side], {end - 1 for _, end in chosen}
        kept: list[pa.RecordBatch] = []
        for number, batch in batches_at(Path(self.path), schema, chosen):
            kept.append(batch)
            if number in ends:
                yield joined(kept, schema)
                kept = []


def joined(batches: list[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Make one table of batches, with the columns in the order of a schema."""
    if not batches:
        return schema.empty_table()
    table = pa.Table.from_batches(batches)
    table = table if len(batches) == 1 else table.unify_dictionaries()
    return table if table.schema.equals(schema) else table.select(schema.names).cast(schema)


def splits_of(evidence: Evidence, log: LogSplits | None) -> list[Split]:
    """Return all splits of a run; ``log`` replaces the log in the run's directory."""
    found: list[Split] = list(file_splits(evidence))
    if log is None:
        return found
    return [*(split for split in found if split.side is not Side.STORED), *log.splits]


def file_splits(evidence: Evidence) -> list[FileSplit]:
    """Cut the files of a run into splits."""
    sides = {
        Side.SENT: evidence.send_files(),
        Side.STORED: evidence.stored_files(),
        Side.DELIVERED: evidence.delivered_files(),
    }
    return [split for side, paths in sides.items() for path in paths for split in _cut(side, path)]


def _cut(side: Side, path: Path) -> Iterable[FileSplit]:
    first, number, size = 0, 0, 0
    for batch_bytes in batch_sizes(path):
        number += 1
        size += batch_bytes
        if size >= SPLIT_BYTES:
            yield FileSplit(side, str(path), first, number)
            first, size = number, 0
    if number > first:
        yield FileSplit(side, str(path), first, number)
