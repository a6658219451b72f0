"""The writing half of a log: batches are staged, written and flushed; segments roll.

A batch is *staged* first: it has an offset and a position, and indexes and producer state include it. Then it is
*written*, and only then part of the log: ``log_end_offset`` counts written bytes. ``flushed_end_offset`` is the
recovery point: everything below it survives a power failure. An error while writing or flushing takes the log offline
until it is opened again: after a failed sync the kernel may have dropped the pages, so no later flush could be trusted.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from struct import Struct
from typing import Final

from chronik.model.ids import TopicId, TopicPartition
from chronik.records.batch import BatchHeader, Buffer
from chronik.storage.disk import Disk, write_atomically
from chronik.storage.errors import LogOfflineError
from chronik.storage.flush_state import FlushState
from chronik.storage.jobs import FlushJob, WritebackJob, WriteJob, WriteRun
from chronik.storage.leader_epochs import LeaderEpochs
from chronik.storage.log_config import LogConfig
from chronik.storage.log_reader import LogReader
from chronik.storage.producer_snapshot import snapshot_images
from chronik.storage.producer_state import ProducerState
from chronik.storage.recovery import FLUSH_FAILED, RecoveryReport
from chronik.storage.segment import Segment, SegmentList

GAPS_ALLOWED: Final = "gaps-allowed"
"""A file of this name says that compaction may have left gaps between the batches of this log."""
WRITEBACK_BYTES: Final = 8 * 1024 * 1024

_ASSIGNED: Final = Struct(">qii")


class LogWriter:
    """The state of a log, and everything that adds to it."""

    def __init__(
        self,
        disk: Disk,
        directory: str,
        topic_partition: TopicPartition,
        topic_id: TopicId,
        config: LogConfig,
        segments: list[Segment],
        *,
        log_start_offset: int,
        log_end_offset: int,
        flushed_end_offset: int,
        leader_epochs: LeaderEpochs,
        producers: ProducerState,
        recovery: RecoveryReport,
        is_dense: bool,
    ) -> None:
        self.disk = disk
        self.directory = directory
        self.topic_partition = topic_partition
        self.topic_id = topic_id
        self.config = config
        self.log_start_offset = log_start_offset
        self.log_end_offset = log_end_offset
        self.next_offset = log_end_offset
        self.leader_epochs = leader_epochs
        self.producers = producers
        self.recovery = recovery
        self.offline: OSError | None = None
        self.appended_bytes = 0
        self._segments = SegmentList(segments)
        self._reader = LogReader(self._segments, leader_epochs, is_dense=is_dense)
        unflushed = [each for each, later in pairwise(segments) if later.base_offset > flushed_end_offset]
        is_settled = recovery.was_clean and not recovery.is_new
        self._flushes = FlushState(disk, directory, flushed_end_offset, unflushed, is_directory_dirty=not is_settled)
        self._segment_bytes = config.segment_bytes
        self._staged: list[Buffer] = []
        self._staged_bytes = 0
        self._staged_runs: list[WriteRun] = []
        self._written_back = segments[-1].written_bytes

    @property
    def flushed_end_offset(self) -> int:
        """The recovery point: everything below it survives a power failure."""
        return self._flushes.flushed_end_offset

    @property
    def size_bytes(self) -> int:
        return self._segments.size_bytes

    @property
    def segments(self) -> SegmentList:
        """The segments, read-only."""
        return self._segments

    @property
    def is_dense(self) -> bool:
        """Whether offsets have no gaps: compaction has never touched this log."""
        return self._reader.is_dense

    # -- appending -----------------------------------------------------------------------------------------------

    def stage(self, batch: memoryview, header: BatchHeader, leader_epoch: int, now_ms: int) -> int:
        """Assign offset and position to a produced batch; its bytes must live until they are taken."""
        base_offset = self.next_offset
        # Base offset, the old length, and leader epoch are contiguous.
        _ASSIGNED.pack_into(batch, 0, base_offset, header[1], leader_epoch)
        self._stage(batch, header, base_offset, leader_epoch, now_ms)
        return base_offset

    def stage_replicated(self, batch: Buffer, header: BatchHeader, now_ms: int) -> None:
        """Stage a batch of the leader, with its offset and epoch."""
        base_offset = header.base_offset
        assert base_offset >= self.next_offset, f"offset {base_offset} after {self.next_offset}"
        if base_offset > self.next_offset:
            self._allow_gaps()
        if header.partition_leader_epoch < self.leader_epochs.latest:
            # A later term began here without a record: it does not describe the records at this offset now.
            self.leader_epochs.truncate_from_end(self.next_offset)
        self._stage(batch, header, base_offset, header.partition_leader_epoch, now_ms)

    def _stage(self, batch: Buffer, header: BatchHeader, base_offset: int, leader_epoch: int, now_ms: int) -> None:
        if self.offline is not None:
            raise LogOfflineError(self.directory, self.offline)
        size, max_timestamp = len(batch), header[8]
        last_offset = base_offset + header[6]
        active = self._segments.active
        if active.must_roll(size, last_offset, max_timestamp, now_ms, self._segment_bytes):
            active = self._roll(base_offset, now_ms)
        if leader_epoch != self.leader_epochs.latest:
            self.leader_epochs.assign(leader_epoch, base_offset)
        if header[9] >= 0:
            self.producers.replay(header, base_offset, now_ms)
        active.stage(size, last_offset, max_timestamp)
        self._staged.append(batch)
        self._staged_bytes += size
        self.next_offset = last_offset + 1
        flushes = self._flushes
        if flushes.unflushed_since_ms < 0:
            flushes.unflushed_since_ms = now_ms

    def take_staged(self, *, owned: bool) -> WriteJob | None:
        """Return the staged batches as a job. ``owned`` copies the bytes, for a thread that writes them later."""
        if self.offline is not None:
            raise LogOfflineError(self.directory, self.offline)
        if not self._staged and not self._staged_runs:
            return None
        self._finish_run()
        runs, self._staged_runs = self._staged_runs, []
        size = runs[0].size_bytes if len(runs) == 1 else sum(run.size_bytes for run in runs)
        if owned:
            for run in runs:
                run.own()
        return WriteJob(runs, self.next_offset, size, self._is_offline)

    def complete_write(self, job: WriteJob) -> None:
        """Make the written batches part of the log."""
        assert job.end_offset > self.log_end_offset, "writes complete in the order in which they were taken"
        for run in job.runs:
            run.segment.written_bytes = run.position + run.size_bytes
        self.log_end_offset = job.end_offset
        self.appended_bytes += job.size_bytes

    def fail_write(self, job: WriteJob, error: OSError) -> None:
        """Take the log offline after a failed write, and truncate the files to the part that is known to be whole."""
        self._go_offline(error)
        for run in job.runs:
            try:
                run.file.truncate(run.segment.written_bytes)
            except OSError:
                # The next opening finds and truncates a torn tail.
                continue

    def write_staged(self) -> None:
        """Write the staged batches now; raise ``LogOfflineError`` if the disk fails."""
        job = self.take_staged(owned=False)
        if job is None:
            return
        try:
            job.write()
        except OSError as error:
            self.fail_write(job, error)
            raise LogOfflineError(self.directory, error) from error
        self.complete_write(job)

    def assign_epoch(self, leader_epoch: int) -> None:
        """Note the start of a leader's term, before its first batch."""
        self.leader_epochs.assign(leader_epoch, self.next_offset)

    def go_offline(self, error: OSError) -> None:
        """Take the log offline for a failure outside its own files."""
        self._go_offline(error)

    def _finish_run(self) -> None:
        if self._staged:
            active = self._segments.active
            position = active.size_bytes - self._staged_bytes
            self._staged_runs.append(WriteRun(active, position, self._staged, self._staged_bytes))
            self._staged, self._staged_bytes = [], 0

    def _is_offline(self) -> bool:
        return self.offline is not None

    def _go_offline(self, error: OSError) -> None:
        if self.offline is None:
            self.offline = error
        self._staged, self._staged_bytes, self._staged_runs = [], 0, []
        self.next_offset = self.log_end_offset

    @contextmanager
    def _offline_on_error(self) -> Iterator[None]:
        """Take the log offline if files were changed only in part."""
        try:
            yield
        except OSError as error:
            self._go_offline(error)
            raise LogOfflineError(self.directory, error) from error

    # -- rolling -------------------------------------------------------------------------------------------------

    def roll(self, now_ms: int) -> None:
        """Close the active segment and begin another, unless it is empty."""
        if self._segments.active.size_bytes:
            self._roll(self.next_offset, now_ms)

    def _roll(self, base_offset: int, now_ms: int) -> Segment:
        self._finish_run()
        closed = self._segments.active
        self._settle_first_name()
        segment = self._create_segment(base_offset, now_ms)
        closed.close_books()
        self._flushes.note_closed(closed, snapshot_images(self.directory, base_offset, self.producers))
        self._segments.append(segment)
        return segment

    def _settle_first_name(self) -> None:
        """Make the first segment's name durable before a second is created: its loss would look like retention."""
        if len(self._segments) > 1 or self._flushes.is_first_durable:
            return
        with self._offline_on_error():
            self.disk.sync_directory(self.directory)
        self._flushes.is_first_durable = True

    def _create_segment(self, base_offset: int, now_ms: int) -> Segment:
        with self._offline_on_error():
            segment = Segment.create(self.disk, self.directory, base_offset, self.config, now_ms)
        self._flushes.note_created()
        self._written_back = 0
        return segment

    # -- flushing ------------------------------------------------------------------------------------------------

    @property
    def unflushed_messages(self) -> int:
        return self.log_end_offset - self._flushes.flushed_end_offset

    @property
    def has_flush_work(self) -> bool:
        """Whether a closed segment waits for its flush, regardless of the flush settings."""
        return self._flushes.has_closed and not self._flushes.is_flushing

    def flush_due(self, now_ms: int) -> bool:
        """Return whether the settings, or a closed segment, require a flush."""
        return self.offline is None and self._flushes.is_due(now_ms, self.log_end_offset, self.config)

    def begin_flush(self) -> FlushJob | None:
        """Return a flush of everything written so far; None if there is nothing to flush or a flush is running."""
        if self.offline is not None:
            raise LogOfflineError(self.directory, self.offline)
        return self._flushes.begin(self._segments.active, self.log_end_offset, self.leader_epochs)

    def complete_flush(self, job: FlushJob) -> None:
        """Raise the recovery point."""
        self._flushes.complete(job)
        for segment in job.closed:
            if not self._reader.holds_open(segment):
                segment.close_file()

    def fail_flush(self, job: FlushJob, error: OSError) -> None:
        """Take the log offline after a failed sync: a retry would promise pages that the kernel may have dropped."""
        self._flushes.is_flushing = False
        self._go_offline(error)
        try:
            self.disk.open(f"{self.directory}/{FLUSH_FAILED}", create=True).close()
        except OSError:
            # The mark is for the next opening on a repaired disk; this log object is offline in any case.
            return

    def flush(self) -> None:
        """Flush now; raise ``LogOfflineError`` if the disk fails."""
        job = self.begin_flush()
        if job is None:
            return
        try:
            job.run()
        except OSError as error:
            self.fail_flush(job, error)
            raise LogOfflineError(self.directory, error) from error
        self.complete_flush(job)

    def take_writeback(self) -> WritebackJob | None:
        """Return a range to write back early, when enough has gathered."""
        active = self._segments.active
        start, end = self._written_back, active.written_bytes
        if end - start < WRITEBACK_BYTES:
            return None
        self._written_back = end
        return WritebackJob(active.file, start, end - start)

    # -- gaps ----------------------------------------------------------------------------------------------------

    def _allow_gaps(self) -> None:
        """Note durably that this log may have gaps, before the first one reaches the disk."""
        self._reader.is_dense = False
        if not self.disk.exists(f"{self.directory}/{GAPS_ALLOWED}"):
            write_atomically(self.disk, f"{self.directory}/{GAPS_ALLOWED}", b"")
