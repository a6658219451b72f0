"""What a task of the audit reads of a run's directory: a share of a ledger, or of a file of stored records."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice
from pathlib import Path
from typing import Final

import pyarrow as pa

from chronik.audit import schemas
from chronik.audit.evidence import Evidence, stream_batches
from chronik.audit.summaries import NARROW_DELIVERED, NARROW_SENDS, NARROW_STORED, in_portions

PIECE_BYTES: Final = 64 * 1024 * 1024
"""How much of a file a task reads: a task costs some 50 ms to start, in which it could read as much."""


class Side(IntEnum):
    """Whose account a piece is."""

    SENT = 0
    STORED = 1
    DELIVERED = 2


SCHEMAS: Final = {Side.SENT: schemas.SENDS, Side.STORED: schemas.STORED, Side.DELIVERED: schemas.DELIVERED}
NARROW: Final = {Side.SENT: NARROW_SENDS, Side.STORED: NARROW_STORED, Side.DELIVERED: NARROW_DELIVERED}


@dataclass(frozen=True, slots=True)
class FilePiece:
    """Some batches of a stream file."""

    side: Side
    path: str
    first_batch: int
    end_batch: int

    def portions(self, *, is_narrow: bool = False) -> Iterator[pa.Table]:
        """Read the piece, in portions that are the same each time; narrow ones have what pass 1 needs."""
        schema = (NARROW if is_narrow else SCHEMAS)[self.side]
        chosen = islice(stream_batches(Path(self.path), schema), self.first_batch, self.end_batch)
        for portion in in_portions(chosen):
            yield portion.cast(schema)


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
    for batch in stream_batches(path):
        number += 1
        size += batch.nbytes
        if size >= PIECE_BYTES:
            yield FilePiece(side, str(path), first, number)
            first, size = number, 0
    if number > first:
        yield FilePiece(side, str(path), first, number)
