"""What a slice should hold and does not give: rows of the view ``problems``, or the error that ends a task."""

from dataclasses import dataclass
from enum import StrEnum

from chronik.spark.planning.slices import Slice


class ProblemKind(StrEnum):
    """What is wrong with a stretch of offsets."""

    LOST = "lost"
    """It was asked for and is no longer there: expired, deleted, or never written."""
    DAMAGED = "damaged"
    """Its bytes are no batch, or not those that the batch's CRC was computed from."""
    UNREADABLE = "unreadable"
    """The batch is as it was written, and its records cannot be read."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Offsets ``[start_offset, end_offset)`` that cannot be given; with file and position if it is about files."""

    kind: ProblemKind
    start_offset: int
    end_offset: int
    message: str
    file: str | None = None
    position: int | None = None
    size_bytes: int | None = None

    @property
    def offsets(self) -> str:
        """The offsets in words."""
        return f"offsets {self.start_offset} to {self.end_offset - 1}"


class ReadError(Exception):
    """Reading a slice has failed; the message names topic, partition and offset, and what can be done."""


class DataLostError(ReadError):
    """Offsets that were asked for cannot be had, and the query does not accept that."""


class TopicMissingError(ReadError):
    """A topic or partition does not exist."""


class ClusterUnreachableError(ReadError):
    """No broker answered in time."""


def loss(piece: Slice, problem: Problem) -> DataLostError:
    """Say what was lost as an error."""
    where = f"{piece.topic}-{piece.partition} offset {problem.start_offset}"
    beyond = f" to {problem.end_offset - 1}" if problem.end_offset > problem.start_offset + 1 else ""
    place = f" ({problem.file} at byte {problem.position})" if problem.file else ""
    return DataLostError(
        f"{where}{beyond}: {problem.kind}: {problem.message}{place}. "
        "The view 'problems' lists everything of this kind; option failOnDataLoss=false reads on behind it"
    )
