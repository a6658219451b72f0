"""Compaction in the background, one log at a time: planned here, done by a child process, swapped in here.

A child process rewrites the segments, because a thread would hold the interpreter lock and delay every response.
"""

import asyncio
import logging
from functools import partial
from typing import Final

from chronik.model.ids import TopicPartition
from chronik.server.loop.clock import now_ms
from chronik.server.loop.disk_threads import DiskThread
from chronik.server.replicas.replica import Replica
from chronik.server.replicas.table import PartitionTable
from chronik.storage.checkpoints import CLEANER
from chronik.storage.compaction import CompactionJob, CompactionResult
from chronik.storage.compaction_process import COMMAND, parse_line
from chronik.storage.compaction_swap import CLEANED_SUFFIX, Manifest, commit_swap, discard, seal_swap
from chronik.storage.directory import DataDirectory
from chronik.storage.disk import Disk
from chronik.storage.errors import StorageError

log = logging.getLogger(__name__)

LINE_BYTES_MAX: Final = 4 * 1024 * 1024


class CompactionError(Exception):
    """A compaction failed; the log is unchanged."""


class Compactor:
    """Compacts the logs that are due, for as long as the broker runs."""

    def __init__(
        self, table: PartitionTable, directory: DataDirectory, thread: DiskThread, *, interval_s: float
    ) -> None:
        self._table = table
        self._directory = directory
        self._thread = thread
        self._interval_s = interval_s
        self._first_dirty = dict(directory.read_checkpoint(CLEANER).offsets)
        self._at_work_on: Replica | None = None

    def is_at_work_on(self, partition: Replica) -> bool:
        """Whether the partition's segments are being replaced."""
        return self._at_work_on is partition

    async def run(self) -> None:
        """Check each compacted log in turn."""
        while True:
            await asyncio.sleep(self._interval_s)
            for partition in self._table.all():
                await self._compact_if_due(partition)

    async def _compact_if_due(self, partition: Replica) -> None:
        if partition.is_closed or partition.is_offline or not partition.log.config.cleanup_compact:
            return
        dirty_from = self._first_dirty.get(partition.topic_partition, 0)
        job = partition.log.plan_compaction(dirty_from, partition.high_watermark, now_ms())
        if job is None:
            return
        self._at_work_on = partition
        try:
            await self._compact(partition, job)
        except (OSError, StorageError, CompactionError) as error:
            log.error(
                "%s: compaction failed and is retried; the log is unchanged: %s. Check that the disk has free space.",
                partition.topic_partition,
                error,
            )
        finally:
            self._at_work_on = None

    async def _compact(self, partition: Replica, job: CompactionJob) -> None:
        name = partition.topic_partition
        log.info("%s: compacting offsets %d to %d", name, job.first_dirty_offset, job.end_offset)
        result = await _run_child(job)
        for group in result.groups:
            manifest = Manifest(group.base_offset, group.replaces)
            if partition.is_closed or partition.is_offline or not partition.log.may_swap(manifest):
                await self._thread.run(partial(discard, self._directory.disk, job.directory, CLEANED_SUFFIX))
                return
            await self._swap(partition, job.directory, group.base_offset)
        await self._write_clean_offset(name, result.cleaned_end_offset)
        before, after = result.records_before, result.records_after
        log.info(
            "%s: compacted %d records to %d, %d bytes to %d",
            name,
            before,
            after,
            result.bytes_before,
            result.bytes_after,
        )

    async def _swap(self, partition: Replica, directory: str, base_offset: int) -> None:
        disk = self._directory.disk
        manifest = await self._thread.run(partial(commit_swap, disk, directory, base_offset))
        obsolete = partition.log.swap_compacted(manifest, now_ms())
        await self._thread.run(partial(seal_swap, disk, directory, manifest))
        delay_s = partition.log.config.file_delete_delay_ms / 1000
        asyncio.get_running_loop().call_later(
            delay_s, self._thread.submit, partial(_unlink_all, disk, obsolete), _on_unlinked
        )

    async def _write_clean_offset(self, name: TopicPartition, cleaned_end_offset: int) -> None:
        """Write the clean offset; after a crash before this, the same records are compacted once more."""
        self._first_dirty[name] = cleaned_end_offset
        offsets = dict(self._first_dirty)
        await self._thread.run(partial(self._directory.write_checkpoint, CLEANER, offsets))


async def _run_child(job: CompactionJob) -> CompactionResult:
    child = await asyncio.create_subprocess_exec(
        *COMMAND,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=LINE_BYTES_MAX,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    result: CompactionResult | None = None
    try:
        child.stdin.write(job.to_json().encode())
        child.stdin.close()
        async for line in child.stdout:
            result = parse_line(line.decode()) or result
        await child.wait()
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if result is None:
        raise CompactionError(f"the compaction process ended with code {child.returncode} and no result")
    if result.error is not None:
        raise CompactionError(result.error)
    return result


def _unlink_all(disk: Disk, paths: list[str]) -> None:
    for path in paths:
        disk.unlink(path)


def _on_unlinked(error: BaseException | None) -> None:
    if error is not None:
        log.error("files that a compaction replaced could not be removed: %s. A restart removes what is left.", error)
