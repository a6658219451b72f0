"""What is read of a partition at a time, from a broker or a file: complete batches, or a problem."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from chronik.spark.decode.batch_table import BatchTable, Flags
from chronik.spark.decode.transactions import Visibility
from chronik.spark.planning.slices import Slice
from chronik.spark.source.problems import Problem


@dataclass(frozen=True, slots=True)
class Chunk:
    """Complete batches in the order of offsets, each returned once, with a valid CRC where CRCs are checked."""

    table: BatchTable
    visibility: Visibility
    start_offset: int = 0
    """Records of the first batch below this offset are deleted."""
    open_batch: Callable[[int], BatchTable] | None = None
    """Reads the batch at a position, where the table holds only headers."""

    def only(self, chosen: Flags) -> "Chunk":
        """Keep some of the batches."""
        return replace(self, table=self.table.only(chosen), visibility=self.visibility.only(chosen))

    def share_of(self, piece: Slice) -> Slice:
        """Return the part of a slice that this chunk may hold."""
        return piece if self.start_offset <= piece.start_offset else replace(piece, start_offset=self.start_offset)

    def opened(self, number: int) -> BatchTable:
        """Return one of the batches with its bytes."""
        if self.open_batch is None:
            return self.table.only(slice(number, number + 1))
        return self.open_batch(int(self.table.positions[number]))


Found: TypeAlias = Chunk | Problem
