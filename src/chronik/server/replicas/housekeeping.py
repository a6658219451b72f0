"""Background tasks for the logs: flush by time, retention, checkpoints, expiry of producers."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any

from chronik.metadata.catalog import Catalog
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.server.loop.clock import now_ms
from chronik.server.loop.disk_threads import DiskThread
from chronik.server.replicas.compaction import Compactor
from chronik.server.replicas.replica import Replica
from chronik.server.replicas.startup_checkpoints import write_revision
from chronik.server.replicas.table import PartitionTable
from chronik.storage.checkpoints import LOG_START
from chronik.storage.directory import DataDirectory
from chronik.storage.errors import StorageError
from chronik.storage.jobs import DeletedSegment

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Intervals:
    """The interval of each task."""

    flush_check_s: float
    checkpoint_s: float
    retention_check_s: float
    producer_check_s: float


class Housekeeping:
    """The tasks, each supervised."""

    def __init__(
        self,
        catalog: Catalog,
        table: PartitionTable,
        directory: DataDirectory,
        thread: DiskThread,
        compactor: Compactor,
        intervals: Intervals,
    ) -> None:
        self._catalog = catalog
        self._table = table
        self._directory = directory
        self._thread = thread
        self._compactor = compactor
        self._intervals = intervals
        self._written: dict[str, dict[TopicPartition, int]] = {}

    def duties(self) -> dict[str, Callable[[], Coroutine[Any, Any, None]]]:
        """Return the tasks by name."""
        return {
            "flush by time": self.flush_by_time,
            "checkpoints": self.checkpoint,
            "retention": self.retain,
            "producer expiry": self.forget_producers,
        }

    async def flush_by_time(self) -> None:
        """Flush logs whose ``flush.ms`` has passed."""
        while True:
            await asyncio.sleep(self._intervals.flush_check_s)
            now = now_ms()
            for partition in self._table.all():
                partition.flush_if_due(now)

    async def checkpoint(self) -> None:
        """Write recovery points, high watermarks and log starts, where they have changed."""
        while True:
            await asyncio.sleep(self._intervals.checkpoint_s)
            try:
                for name in self._due():
                    await self.write_checkpoint(name)
                await self._thread.run(partial(write_revision, self._directory, self._catalog.image.revision))
            except OSError as error:
                # The next round retries; until then a restart only has more to recover.
                log.error(
                    "the checkpoints in %s could not be written: %s. Until they are, a restart reads more of the logs. "
                    "Check that the disk has free space.",
                    self._directory.path,
                    error,
                )

    def _due(self) -> list[str]:
        return [name for name, offsets in self._table.checkpoints().items() if offsets != self._written.get(name)]

    async def write_checkpoint(self, name: str) -> None:
        """Write one checkpoint; return when it is durable."""
        offsets = self._table.checkpoints()[name]
        await self._thread.run(partial(self._directory.write_checkpoint, name, offsets))
        self._written[name] = offsets

    def write_all(self) -> None:
        """Write every checkpoint on the calling thread: the broker is stopping."""
        for name, offsets in self._table.checkpoints().items():
            self._directory.write_checkpoint(name, offsets)
        write_revision(self._directory, self._catalog.image.revision)

    async def retain(self) -> None:
        """Delete segments that have expired by time or size."""
        while True:
            await asyncio.sleep(self._intervals.retention_check_s)
            for partition in self._table.all():
                await self.expire(partition)
                await asyncio.sleep(0)

    async def expire(self, partition: Replica) -> None:
        """Apply the retention of one partition."""
        # Segments that a compaction is about to replace stay until it has ended.
        if partition.is_offline or partition.is_closed or self._compactor.is_at_work_on(partition):
            return
        try:
            deleted = partition.log.delete_expired(now_ms(), partition.high_watermark)
            if deleted:
                await self._retire(deleted)
        except (OSError, StorageError) as error:
            log.error("%s: retention failed and is tried again: %s", partition.topic_partition, error)
            return
        self._remove_later(partition, deleted)

    async def _retire(self, deleted: list[DeletedSegment]) -> None:
        """Make the new log start durable, then rename the files.

        Both are one job: the topic may be deleted meanwhile, and a later job of the same thread creates the files of a
        new topic with its name.
        """
        offsets = self._table.checkpoints()[LOG_START]

        def retire() -> None:
            self._directory.write_checkpoint(LOG_START, offsets)
            for segment in deleted:
                segment.rename()

        await self._thread.run(retire)

    async def forget_producers(self) -> None:
        """Forget idempotent producers that have sent nothing for too long."""
        while True:
            await asyncio.sleep(self._intervals.producer_check_s)
            now = now_ms()
            for partition in self._table.all():
                partition.log.producers.expire(now)
                await asyncio.sleep(0)

    async def delete_records(self, partition: Replica, offset: int) -> ErrorCode | None:
        """Advance the log start to ``offset``, durably; records below it are deleted."""
        if not partition.log_start_offset <= offset <= partition.high_watermark:
            return ErrorCode.OFFSET_OUT_OF_RANGE
        try:
            partition.log.advance_log_start(offset)
            await self.write_checkpoint(LOG_START)
        except (OSError, StorageError) as error:
            log.error("%s: deleting records failed: %s", partition.topic_partition, error)
            return ErrorCode.KAFKA_STORAGE_ERROR
        await self.expire(partition)
        return None

    def _remove_later(self, partition: Replica, deleted: list[DeletedSegment]) -> None:
        loop = asyncio.get_running_loop()
        for segment in deleted:
            log.info("%s: deleted segment %d: %s", partition.topic_partition, segment.base_offset, segment.reason)
            delay_s = partition.log.config.file_delete_delay_ms / 1000
            loop.call_later(delay_s, self._thread.submit, segment.unlink, _on_unlinked)


def _on_unlinked(error: BaseException | None) -> None:
    if error is not None:
        log.error(
            "the files of a deleted segment could not be removed: %s. Their space is free after a restart.", error
        )
