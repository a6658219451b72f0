"""What the last run of a broker left on disk: log starts, recovery points, high watermarks, and the store's revision.

A store with fewer revisions than the broker has seen is an older copy or another store: serving with it could give one
leader epoch to two leaders.
"""

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Final

from chronik.model.ids import TopicPartition
from chronik.storage.directory import DataDirectory
from chronik.storage.disk import write_atomically

REVISION_FILE: Final = "chronik-metadata-revision"


@dataclass(frozen=True, slots=True)
class StartupCheckpoints:
    """The checkpoints of the last run, by partition."""

    was_clean: bool
    log_starts: dict[TopicPartition, int] = field(default_factory=dict)
    recovery_points: dict[TopicPartition, int] = field(default_factory=dict)
    high_watermarks: dict[TopicPartition, int] = field(default_factory=dict)

    def forget(self, topic_partition: TopicPartition) -> None:
        for offsets in (self.log_starts, self.recovery_points, self.high_watermarks):
            offsets.pop(topic_partition, None)

    def known(self) -> set[TopicPartition]:
        """Return the partitions in any checkpoint."""
        return {*self.log_starts, *self.recovery_points, *self.high_watermarks}

    def only(self, kept: Container[TopicPartition]) -> "StartupCheckpoints":
        """Return the checkpoints of some partitions."""
        starts, points, watermarks = (
            {topic_partition: offset for topic_partition, offset in offsets.items() if topic_partition in kept}
            for offsets in (self.log_starts, self.recovery_points, self.high_watermarks)
        )
        return StartupCheckpoints(self.was_clean, starts, points, watermarks)


def read_revision(directory: DataDirectory) -> int:
    """Read the highest revision of the metadata store that this broker has applied; 0 where there is none."""
    try:
        return int(directory.disk.read_bytes(f"{directory.path}/{REVISION_FILE}"))
    except (FileNotFoundError, ValueError):
        return 0


def write_revision(directory: DataDirectory, revision: int) -> None:
    """Write the revision durably."""
    write_atomically(directory.disk, f"{directory.path}/{REVISION_FILE}", f"{revision}\n".encode())
