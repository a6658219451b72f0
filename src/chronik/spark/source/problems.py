"""Offsets that cannot be read: rows of the view ``problems``, or the error that ends a task."""

from dataclasses import dataclass
from enum import StrEnum

from chronik.spark.planning.slices import Slice


class ProblemKind(StrEnum):
    """Why offsets cannot be read."""

    LOST = "lost"
    """Expired, deleted, or never written."""
    DAMAGED = "damaged"
    """The bytes are not a batch, or its CRC does not match."""
    UNREADABLE = "unreadable"
    """The CRC of the batch matches, but its records cannot be decoded."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Offsets ``[start_offset, end_offset)`` that cannot be read; in segment files with the place."""

    kind: ProblemKind
    start_offset: int
    end_offset: int
    message: str
    file: str | None = None
    position: int | None = None
    size_bytes: int | None = None

    @property
    def offsets(self) -> str:
        return f"offsets {self.start_offset} to {self.end_offset - 1}"


class ReadError(Exception):
    """Reading a slice failed; the message names topic, partition, offset and remedy."""


class DataLostError(ReadError):
    """Offsets are lost or damaged, and the query does not accept that."""


class TopicMissingError(ReadError):
    """A topic or partition does not exist."""


class ClusterUnreachableError(ReadError):
    """No broker answered in time."""


def loss(piece: Slice, problem: Problem) -> DataLostError:
    """Return the error for a problem."""
    where = f"{piece.topic}-{piece.partition} offset {problem.start_offset}"
    beyond = f" to {problem.end_offset - 1}" if problem.end_offset > problem.start_offset + 1 else ""
    place = f" ({problem.file} at byte {problem.position})" if problem.file else ""
    return DataLostError(
        f"{where}{beyond}: {problem.kind}: {problem.message}{place}. "
        "The view 'problems' lists all such offsets; the option failOnDataLoss=false skips them"
    )
