"""An archive's table as the driver sees it: who it belongs to, what it covers, and the one way to add to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

from chronik.spark.archive.coverage import OffsetRange, Ranges


class ArchiveError(Exception):
    """Something that the archive refuses to do, or found; ``advice`` says what helps."""

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(f"{what}. {advice}" if advice else what)
        self.what = what
        self.advice = advice


class CommitConflictError(ArchiveError):
    """Somebody else added to the table since it was looked at: what was written must be planned anew."""


@dataclass(frozen=True, slots=True)
class ArchiveIdentity:
    """Whose records a table holds; with each topic that took over the name, its id is added at the end."""

    topic: str
    topic_ids: tuple[str, ...]
    is_read_committed: bool

    def as_json(self) -> dict[str, Any]:
        return {
            "topic": self.topic,
            "topicIds": list(self.topic_ids),
            "isolation": "read_committed" if self.is_read_committed else "read_uncommitted",
        }

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> "ArchiveIdentity":
        return ArchiveIdentity(
            document["topic"], tuple(document["topicIds"]), document["isolation"] == "read_committed"
        )


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A finished file, as the task that wrote it describes it; ``path`` is relative to where it was written."""

    path: str
    partition: int
    date: str
    start_offset: int
    end_offset: int
    records: int
    size_bytes: int
    timestamp_min_ms: int
    timestamp_max_ms: int


@dataclass(frozen=True, slots=True)
class Commit:
    """What is added in one step: files, and the ranges that they stand for."""

    topic: str
    topic_id: str
    ranges: Ranges
    expired: Ranges
    files: Sequence[WrittenFile]

    def as_json(self) -> dict[str, Any]:
        return {
            "topic": self.topic,
            "topicId": self.topic_id,
            "ranges": ranges_json(self.ranges),
            "expired": ranges_json(self.expired),
            "records": sum(file.records for file in self.files),
        }


@dataclass(frozen=True, slots=True)
class Destination:
    """Where tasks write: a directory or URL, and how it is reached. Travels pickled."""

    url: str
    storage_options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that the table counts among its own, and where it lies below the table's root."""

    path: str
    size_bytes: int | None
    records: int | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A table at one moment: everything that a batch is planned by."""

    identity: ArchiveIdentity
    covered: Mapping[str, Ranges]
    version: int

    def covers(self, topic_id: str) -> Ranges:
        return self.covered.get(topic_id, {})


class ArchiveTable(Protocol):
    """One table. A commit is checked against the snapshot that was taken last."""

    @property
    def url(self) -> str: ...

    @property
    def storage_options(self) -> Mapping[str, str]: ...

    def snapshot(self) -> Snapshot | None:
        """Look at the table now; ``None`` where there is none."""

    def schema(self) -> pa.Schema:
        """Give the table's columns as they are now."""

    def create(self, identity: ArchiveIdentity, schema: pa.Schema) -> None:
        """Make an empty table; one that is there already is left as it is."""

    def evolve(self, schema: pa.Schema) -> None:
        """Add the columns that the table does not have yet; refuse those that it has as another type."""

    def accept_topic(self, topic_id: str) -> None:
        """Let a topic that took over the name continue the table."""

    def destination(self) -> Destination:
        """Say where the tasks of the next commit write."""

    def commit(self, commit: Commit) -> None:
        """Add all of it or nothing; `CommitConflictError` where the snapshot is no longer the table's last."""

    def discard(self, files: Sequence[WrittenFile]) -> None:
        """Remove what was written for a commit that did not happen."""

    def files(self) -> list[StoredFile]:
        """List what the table counts among its files."""

    def found_files(self) -> list[str]:
        """List the Parquet files that lie where readers of the table look, counted or not."""

    def orphans(self, older_than_hours: float, *, remove: bool) -> list[str]:
        """List, and remove if asked, files that no commit speaks of and that nobody can still be writing."""


def ranges_json(ranges: Ranges) -> dict[str, list[int]]:
    """Write ranges down as ``{"partition": [from, to]}``."""
    return {str(partition): [part.start, part.end] for partition, part in sorted(ranges.items())}


def ranges_of(document: Mapping[str, Sequence[int]]) -> dict[int, OffsetRange]:
    """Read ranges back."""
    return {int(partition): OffsetRange(*bounds) for partition, bounds in document.items()}
