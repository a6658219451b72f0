"""The port of an archive's table: its identity, its coverage, and its commits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

from chronik.spark.archive.coverage import OffsetRange, Ranges


class ArchiveError(Exception):
    """An error of an archive; ``advice`` is the remedy."""

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(f"{what}. {advice}" if advice else what)
        self.what = what
        self.advice = advice


class CommitConflictError(ArchiveError):
    """Another writer has committed since the snapshot: plan the batch again."""


@dataclass(frozen=True, slots=True)
class ArchiveIdentity:
    """The topic of a table; the id of each later topic of the same name is appended."""

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
    """A finished file, described by its task; ``path`` is relative to the destination."""

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
    """Files, and the ranges that they cover, committed in one step."""

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
    """Where tasks write: a directory or URL, and its storage options."""

    url: str
    storage_options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the table, with its path below the root."""

    path: str
    size_bytes: int | None
    records: int | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of a table at one moment, from which a batch is planned."""

    identity: ArchiveIdentity
    covered: Mapping[str, Ranges]
    version: int

    def covers(self, topic_id: str) -> Ranges:
        return self.covered.get(topic_id, {})


class ArchiveTable(Protocol):
    """One table. A commit is checked against the last snapshot."""

    @property
    def url(self) -> str: ...

    @property
    def storage_options(self) -> Mapping[str, str]: ...

    def snapshot(self) -> Snapshot | None:
        """Read the table's present state; ``None`` where there is no table."""

    def schema(self) -> pa.Schema:
        """Return the table's columns."""

    def create(self, identity: ArchiveIdentity, schema: pa.Schema) -> None:
        """Create an empty table; an existing one stays as it is."""

    def evolve(self, schema: pa.Schema) -> None:
        """Add missing columns; refuse a column that exists with another type."""

    def accept_topic(self, topic_id: str) -> None:
        """Let another topic of the same name continue the table."""

    def destination(self) -> Destination:
        """Return where the tasks of the next commit write."""

    def commit(self, commit: Commit) -> None:
        """Commit atomically; `CommitConflictError` where the snapshot is no longer the last one."""

    def discard(self, files: Sequence[WrittenFile]) -> None:
        """Remove the files of a commit that failed."""

    def files(self) -> list[StoredFile]:
        """Return the files of the table."""

    def found_files(self) -> list[str]:
        """Return the Parquet files that readers see, committed or not."""

    def orphans(self, older_than_hours: float, *, remove: bool) -> list[str]:
        """Return, and remove if asked, files of no commit that are too old to be still written."""


def ranges_json(ranges: Ranges) -> dict[str, list[int]]:
    """Write ranges as ``{"partition": [from, to]}``."""
    return {str(partition): [part.start, part.end] for partition, part in sorted(ranges.items())}


def ranges_of(document: Mapping[str, Sequence[int]]) -> dict[int, OffsetRange]:
    """Read ranges back."""
    return {int(partition): OffsetRange(*bounds) for partition, bounds in document.items()}
