"""How a simulated broker frees the names of partitions that are gone: as the real one does, in simulated time."""

from collections.abc import Callable
from functools import partial
from random import Random
from uuid import UUID

from chronik.model.ids import TopicId, TopicPartition
from chronik.server.loop.disk_threads import DiskThread
from chronik.server.replicas.removal import PartitionRemoval
from chronik.server.replicas.startup_checkpoints import StartupCheckpoints
from chronik.simulation.process import Process
from chronik.storage.directory import DataDirectory

Belongs = Callable[[TopicPartition, TopicId], bool]


class SimulatedRemoval(PartitionRemoval):
    """The broker's removal of partitions, without an event loop, and with names that a seed repeats."""

    def __init__(
        self,
        directory: DataDirectory,
        thread: DiskThread,
        left: StartupCheckpoints,
        on_freed: Callable[[], None],
        process: Process,
        dice: Random,
    ) -> None:
        super().__init__(directory, thread, left, on_freed)
        self._process = process
        self._dice = dice

    def remove_and_forget(self, topic_partition: TopicPartition) -> None:
        self.announce(topic_partition)
        self.remove(topic_partition)
        if not self._to_forget:
            self._process.later(0, self._forget_deleted)
        self._to_forget.add(topic_partition)

    def remove(self, topic_partition: TopicPartition) -> None:
        self._left.forget(topic_partition)
        try:
            retired = self._directory.retire_partition(topic_partition, UUID(int=self._dice.getrandbits(128)))
        except OSError:
            return
        self._thread.submit(lambda: self._directory.remove_retired(retired), _ignore)

    def remove_strays(self, belongs_here: Belongs) -> None:
        """Remove directories of partitions that are not placed here, when the broker has just started."""
        gone = self._left.known()
        for where, stored in self._directory.partitions().items():
            if stored.topic_id is not None and not belongs_here(where, stored.topic_id):
                self.remove(where)
            else:
                gone.discard(where)
        for where in gone:
            self._left.forget(where)
        self.forget_offsets(gone)
        for path in self._directory.retired():
            self._thread.submit(partial(self._directory.remove_retired, path), _ignore)


def _ignore(error: BaseException | None) -> None:
    """What is left is removed by the next start."""
