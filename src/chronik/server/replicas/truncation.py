"""What must be durable after a follower's log is truncated, before anything is appended to it again."""

import logging
from collections.abc import Callable
from functools import partial

from chronik.model.ids import TopicPartition
from chronik.server.loop.disk_threads import DiskThread
from chronik.server.replicas.replica import Replica
from chronik.storage.checkpoints import RECOVERY_POINT
from chronik.storage.directory import DataDirectory
from chronik.storage.jobs import DeletedSegment

log = logging.getLogger(__name__)


class DurableTruncation:
    """Removes the files of truncated segments, and writes the recovery point, which may have moved back.

    A recovery point above the end of a truncated log would cover records that are appended later, and not flushed.
    """

    def __init__(
        self, directory: DataDirectory, thread: DiskThread, recovery_points: Callable[[], dict[TopicPartition, int]]
    ) -> None:
        self._directory = directory
        self._thread = thread
        self._recovery_points = recovery_points

    def persist(self, replica: Replica, deleted: list[DeletedSegment], then: Callable[[], None]) -> None:
        """Do both in the thread of the checkpoints, and call back when they are durable."""
        points = self._recovery_points()

        def settle() -> None:
            self._directory.write_checkpoint(RECOVERY_POINT, points)
            for segment in deleted:
                segment.unlink()

        self._thread.submit(settle, partial(self._settled, replica, then))

    def _settled(self, replica: Replica, then: Callable[[], None], error: BaseException | None) -> None:
        if isinstance(error, OSError):
            replica.fail(error)
        elif error is not None:
            raise error
        else:
            then()
