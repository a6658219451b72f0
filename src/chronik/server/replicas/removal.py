"""Removes partitions from the disk: renamed at once, deleted in a thread, and dropped from the checkpoints."""

import logging
from collections.abc import Callable
from functools import partial
from uuid import UUID

from chronik.model.ids import TopicPartition
from chronik.server.loop.disk_threads import DiskThread
from chronik.server.replicas.startup_checkpoints import StartupCheckpoints
from chronik.storage.checkpoints import HIGH_WATERMARK, LOG_START, RECOVERY_POINT
from chronik.storage.directory import DataDirectory

log = logging.getLogger(__name__)

Key = tuple[str, int]


class PartitionRemoval:
    """Frees the names of removed partitions; until then no partition may be opened under them."""

    def __init__(
        self,
        directory: DataDirectory,
        thread: DiskThread,
        left: StartupCheckpoints,
        call_soon: Callable[[Callable[[], None]], object],
        new_id: Callable[[], UUID],
    ) -> None:
        self._directory = directory
        self._thread = thread
        self._left = left
        self._call_soon = call_soon
        self._new_id = new_id
        self.on_freed: Callable[[], None] = lambda: None
        """Called when names have been freed."""
        self._closing: set[Key] = set()
        self._to_forget: set[TopicPartition] = set()

    def is_under_way(self, key: Key) -> bool:
        """Whether a name is still being freed."""
        return key in self._closing

    def announce(self, topic_partition: TopicPartition) -> None:
        """Keep the name taken until ``remove_and_forget`` has finished."""
        self._closing.add((topic_partition.topic, topic_partition.partition))

    def remove_and_forget(self, topic_partition: TopicPartition) -> None:
        """Remove a partition, and drop it from the checkpoints together with others that are removed now."""
        self.announce(topic_partition)
        self.remove(topic_partition)
        if not self._to_forget:
            self._call_soon(self._forget_deleted)
        self._to_forget.add(topic_partition)

    def _forget_deleted(self) -> None:
        deleted, self._to_forget = self._to_forget, set()

        def forgotten(error: BaseException | None) -> None:
            if error is not None:
                log.error(
                    "deleted partitions could not be dropped from the checkpoints in %s: %s",
                    self._directory.path,
                    error,
                )
            for topic_partition in deleted:
                self._closing.discard((topic_partition.topic, topic_partition.partition))
            self.on_freed()

        self._thread.submit(partial(self.forget_offsets, deleted), forgotten)

    def forget_offsets(self, gone: set[TopicPartition]) -> None:
        """Rewrite the checkpoints without some partitions, or they would apply to new partitions of the same names.

        Must run in the thread that writes checkpoints, or while it has nothing to write.
        """
        for name in (LOG_START, RECOVERY_POINT, HIGH_WATERMARK):
            offsets = self._directory.read_checkpoint(name).offsets
            kept = {
                topic_partition: offset for topic_partition, offset in offsets.items() if topic_partition not in gone
            }
            if len(kept) < len(offsets):
                self._directory.write_checkpoint(name, kept)

    def remove(self, topic_partition: TopicPartition) -> None:
        """Remove a partition's directory; a topic that is created again under the name starts empty."""
        self._left.forget(topic_partition)
        try:
            retired = self._directory.retire_partition(topic_partition, self._new_id())
        except OSError as error:
            _on_removed(error)
            return
        self._thread.submit(lambda: self._directory.remove_retired(retired), _on_removed)

    def remove_retired(self) -> None:
        """Finish the removals that an earlier run had begun."""
        for path in self._directory.retired():
            self._thread.submit(partial(self._directory.remove_retired, path), _on_removed)


def _on_removed(error: BaseException | None) -> None:
    if error is not None:
        log.error("a deleted partition could not be removed from the disk, and keeps its space: %s", error)
