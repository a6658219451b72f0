"""What is read of a run at a time: pieces of its three sides, in portions, and again only the portions that matter."""

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

PIECE_BYTES: Final = 64 * 1024 * 1024
"""How much of a file is one piece: a task may read several."""


class Side(IntEnum):
    """Whose account a piece is."""

    SENT = 0
    STORED = 1
    DELIVERED = 2


SCHEMAS: Final = {Side.SENT: schemas.SENDS, Side.STORED: schemas.STORED, Side.DELIVERED: schemas.DELIVERED}
NARROW: Final = {Side.SENT: NARROW_SENDS, Side.STORED: NARROW_STORED, Side.DELIVERED: NARROW_DELIVERED}


class Portion(NamedTuple):
    """Rows that are summed up at once, and which of the piece they are: ``[first, end)`` by its own numbers."""

    first: int
    end: int
    rows: pa.Table


class Piece(Protocol):
    """A share of one side."""

    @property
    def side(self) -> Side:
        """Whose account it is."""

    def portions(self) -> Iterator[Portion]:
        """Read it from its begin; what pass 1 needs is there, and may be more."""

    def again(self, chosen: Sequence[Bounds]) -> Iterator[pa.Table]:
        """Read some of its portions again, with all columns, in their order."""


class Log(Protocol):
    """The log of a run's topic, where it is not read from the run's directory."""

    @property
    def spans(self) -> tuple[ReadSpan, ...]:
        """What is read of it."""

    @property
    def pieces(self) -> Sequence[Piece]:
        """What gives STORED."""


@dataclass(frozen=True, slots=True)
class FilePiece:
    """Some batches of a stream file, by their numbers."""

    side: Side
    path: str
    first_batch: int
    end_batch: int

    def portions(self) -> Iterator[Portion]:
        """Read what pass 1 needs. A batch is never divided, and one that is large enough is not copied."""
        schema = NARROW[self.side]
        kept: list[pa.RecordBatch] = []
        rows, first, number = 0, self.first_batch, self.first_batch - 1
        for number, batch in batches_at(Path(self.path), schema, [(self.first_batch, self.end_batch)]):
            kept.append(batch)
            rows += batch.num_rows
            if rows >= ROWS_AT_ONCE:
                yield Portion(first, number + 1, joined(kept, schema))
                kept, rows, first = [], 0, number + 1
        if kept:
            yield Portion(first, number + 1, joined(kept, schema))

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


def pieces_of(evidence: Evidence, log: Log | None) -> list[Piece]:
    """Give everything that is read of a run; ``log`` stands in the place of what lies in the run's directory."""
    found: list[Piece] = list(file_pieces(evidence))
    if log is None:
        return found
    return [*(piece for piece in found if piece.side is not Side.STORED), *log.pieces]


def file_pieces(evidence: Evidence) -> list[FilePiece]:
    """Cut the files of a run into pieces."""
    sides = {
        Side.SENT: evidence.send_files(),
        Side.STORED: evidence.stored_files(),
        Side.DELIVERED: evidence.delivered_files(),
    }
    return [piece for side, paths in sides.items() for path in paths for piece in _cut(side, path)]


def _cut(side: Side, path: Path) -> Iterable[FilePiece]:
    first, number, size = 0, 0, 0
    for batch_bytes in batch_sizes(path):
        number += 1
        size += batch_bytes
        if size >= PIECE_BYTES:
            yield FilePiece(side, str(path), first, number)
            first, size = number, 0
    if number > first:
        yield FilePiece(side, str(path), first, number)
