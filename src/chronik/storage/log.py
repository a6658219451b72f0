"""One partition's log on one disk: the owner of its offsets.

Everything here runs on one thread, the loop's, but for the jobs that it hands out (``jobs``). A batch is *staged*
first: it has its offset and place, and the books know it. Then it is *written*, and only then part of the log:
``log_end_offset`` counts written bytes. ``flushed_end_offset`` is the recovery point: what is below it survives a
power cut. An error while writing or flushing takes the log offline until it is opened again: after a failed sync the
kernel may have dropped the pages, so nothing that follows could be promised.
"""

from bisect import bisect_right
from struct import Struct
from typing import Final

from chronik.model.ids import TopicId, TopicPartition
from chronik.records.batch import BatchHeader, Buffer
from chronik.storage.disk import Disk, write_atomically, write_file
from chronik.storage.errors import CorruptBatchError, LogOfflineError, OffsetOutOfRangeError
from chronik.storage.jobs import FlushJob, WritebackJob, WriteJob, WriteRun
from chronik.storage.leader_epochs import FILE_NAME as LEADER_EPOCHS
from chronik.storage.leader_epochs import LeaderEpochs
from chronik.storage.log_config import LogConfig
from chronik.storage.producer_files import load_producers, remove_stray_snapshots, snapshot_images
from chronik.storage.producer_state import ProducerState
from chronik.storage.reading import Found, LogRead, ReadLimits, collect, locate, locate_carefully
from chronik.storage.recovery import Recovery, RecoveryReport
from chronik.storage.segment import Segment

GAPS_ALLOWED: Final = "gaps-allowed"
"""A file of this name says that compaction may have left gaps between the batches of this log."""
HINTS_MAX: Final = 64
OPEN_CLOSED_SEGMENTS_MAX: Final = 4
WRITEBACK_BYTES: Final = 8 * 1024 * 1024

_ASSIGNED: Final = Struct(">qii")
_EMPTY: Final = b""


class Log:
    """One partition's batches, from ``log_start_offset`` to ``log_end_offset``."""

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
        self.flushed_end_offset = flushed_end_offset
        self.leader_epochs = leader_epochs
        self.producers = producers
        self.recovery = recovery
        self.is_dense = is_dense
        self.offline: OSError | None = None
        self.appended_bytes = 0
        self._segments = segments
        self._bases = [segment.base_offset for segment in segments]
        self._active = segments[-1]
        self._segment_bytes = config.segment_bytes
        self._staged: list[Buffer] = []
        self._staged_bytes = 0
        self._staged_runs: list[WriteRun] = []
        self._hints: dict[int, tuple[Segment, int]] = {}
        self._opened: list[Segment] = []
        self._unflushed_closed = [s for s in segments[:-1] if s.base_offset >= flushed_end_offset]
        self._snapshots: list[tuple[str, bytes]] = []
        self._is_directory_dirty = not recovery.was_clean
        self._is_flushing = False
        self._unflushed_since_ms = -1
        self._written_back = self._active.written_bytes

    @classmethod
    def open(
        cls,
        disk: Disk,
        directory: str,
        topic_partition: TopicPartition,
        topic_id: TopicId,
        config: LogConfig,
        *,
        log_start_offset: int = 0,
        recovery_point: int = 0,
        clean_shutdown: bool = False,
        now_ms: int,
    ) -> "Log":
        """Open the log in a directory that exists, recovering it if it was not closed cleanly."""
        is_dense = not (config.cleanup_compact or disk.exists(f"{directory}/{GAPS_ALLOWED}"))
        recovery = Recovery(
            disk,
            directory,
            config,
            log_start_offset=log_start_offset,
            recovery_point=recovery_point,
            clean_shutdown=clean_shutdown,
            is_dense=is_dense,
            now_ms=now_ms,
        )
        loaded = recovery.run()
        segments, end = loaded.segments, loaded.log_end_offset
        producers = load_producers(disk, directory, segments, end, recovery.report.rebuilt)
        remove_stray_snapshots(disk, directory, segments, end)
        for segment in segments[:-1]:
            segment.close_file()
        log = cls(
            disk,
            directory,
            topic_partition,
            topic_id,
            config,
            segments,
            log_start_offset=max(log_start_offset, segments[0].base_offset),
            log_end_offset=end,
            flushed_end_offset=end if clean_shutdown else min(recovery_point, end),
            leader_epochs=loaded.leader_epochs,
            producers=producers,
            recovery=recovery.report,
            is_dense=is_dense,
        )
        if config.cleanup_compact:
            log._allow_gaps()
        return log

    # -- appending -----------------------------------------------------------------------------------------------

    def stage(self, batch: memoryview, header: BatchHeader, leader_epoch: int, now_ms: int) -> int:
        """Give a produced batch its offset and place; its bytes must live until they are taken."""
        base_offset = self.next_offset
        # Base offset, the length as it was, and leader epoch lie behind one another.
        _ASSIGNED.pack_into(batch, 0, base_offset, header[1], leader_epoch)
        self._stage(batch, header, base_offset, leader_epoch, now_ms)
        return base_offset

    def stage_replicated(self, batch: Buffer, header: BatchHeader, now_ms: int) -> None:
        """Take over a batch that a leader wrote, with the offset and epoch that it has."""
        base_offset = header.base_offset
        assert base_offset >= self.next_offset, f"offset {base_offset} after {self.next_offset}"
        if base_offset > self.next_offset:
            self._allow_gaps()
        self._stage(batch, header, base_offset, header.partition_leader_epoch, now_ms)

    def _stage(self, batch: Buffer, header: BatchHeader, base_offset: int, leader_epoch: int, now_ms: int) -> None:
        if self.offline is not None:
            raise LogOfflineError(self.directory, self.offline)
        size, max_timestamp = len(batch), header[8]
        last_offset = base_offset + header[6]
        active = self._active
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
        if self._unflushed_since_ms < 0:
            self._unflushed_since_ms = now_ms

    def take_staged(self, *, owned: bool) -> WriteJob | None:
        """Hand out what was staged. ``owned`` copies the bytes, for a thread that writes them later."""
        if self.offline is not None:
            raise LogOfflineError(self.directory, self.offline)
        if not self._staged and not self._staged_runs:
            return None
        size = self._staged_bytes + sum(run.size_bytes for run in self._staged_runs)
        self._finish_run()
        runs, self._staged_runs = self._staged_runs, []
        if owned:
            for run in runs:
                run.own()
        return WriteJob(runs, self.next_offset, size, self._is_offline)

    def complete_write(self, job: WriteJob) -> None:
        """Make what was written part of the log."""
        assert job.end_offset > self.log_end_offset, "writes complete in the order in which they were taken"
        for run in job.runs:
            run.segment.written_bytes = run.position + run.size_bytes
        self.log_end_offset = job.end_offset
        self.appended_bytes += job.size_bytes

    def fail_write(self, job: WriteJob, error: OSError) -> None:
        """Take the log offline after a failed write, and cut the files back to what is known to be whole."""
        self._go_offline(error)
        for run in job.runs:
            try:
                run.file.truncate(run.segment.written_bytes)
            except OSError:
                # The next opening finds and cuts a torn tail itself.
                continue

    def write_staged(self) -> None:
        """Write what was staged here and now; ``LogOfflineError`` if the disk refuses."""
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
        """Note that a leader's term begins here, before its first batch."""
        self.leader_epochs.assign(leader_epoch, self.next_offset)

    def _finish_run(self) -> None:
        if self._staged:
            position = self._active.size_bytes - self._staged_bytes
            self._staged_runs.append(WriteRun(self._active, position, self._staged, self._staged_bytes))
            self._staged, self._staged_bytes = [], 0

    def _is_offline(self) -> bool:
        return self.offline is not None

    def _go_offline(self, error: OSError) -> None:
        if self.offline is None:
            self.offline = error
        self._staged, self._staged_bytes, self._staged_runs = [], 0, []
        self.next_offset = self.log_end_offset

    # -- rolling -------------------------------------------------------------------------------------------------

    def roll(self, now_ms: int) -> None:
        """Close the active segment and begin another, unless it is empty."""
        if self._active.size_bytes:
            self._roll(self.next_offset, now_ms)

    def _roll(self, base_offset: int, now_ms: int) -> Segment:
        self._finish_run()
        try:
            segment = Segment.create(self.disk, self.directory, base_offset, self.config, now_ms)
        except OSError as error:
            self._go_offline(error)
            raise LogOfflineError(self.directory, error) from error
        self._active.close_books()
        self._unflushed_closed.append(self._active)
        self._snapshots += snapshot_images(self.directory, base_offset, self.producers)
        self._segments.append(segment)
        self._bases.append(base_offset)
        self._active = segment
        self._is_directory_dirty = True
        self._written_back = 0
        return segment

    # -- reading -------------------------------------------------------------------------------------------------

    def read(self, offset: int, bytes_max: int, end_offset: int, *, whole_first_batch: bool = True) -> LogRead:
        """Give whole, checked batches from the one that holds ``offset`` on, below ``end_offset``."""
        if self.offline is not None:
            raise LogOfflineError(self.directory, self.offline)
        log_end_offset = self.log_end_offset
        if not self.log_start_offset <= offset <= log_end_offset:
            raise OffsetOutOfRangeError(offset, self.log_start_offset, log_end_offset)
        if end_offset > log_end_offset:
            end_offset = log_end_offset
        if offset >= end_offset:
            return LogRead(_EMPTY, offset)
        limits = ReadLimits(bytes_max, end_offset, whole_first_batch)
        slot = bisect_right(self._bases, offset) - 1
        hint = self._hints.get(offset)
        if hint is not None and hint[0] is self._segments[slot]:
            try:
                return self._collect(hint[0], Found(hint[1], offset), limits)
            except CorruptBatchError:
                del self._hints[offset]
        return self._read_from(slot, offset, limits)

    def _read_from(self, slot: int, offset: int, limits: ReadLimits) -> LogRead:
        segment = self._segments[slot]
        found = locate(segment, offset, is_dense=self.is_dense)
        if found is None:
            return self._read_behind(slot, offset, limits)
        try:
            return self._collect(segment, found, limits)
        except CorruptBatchError:
            found = locate_carefully(segment, offset, is_dense=self.is_dense)
            if found is None:
                raise
            return self._collect(segment, found, limits)

    def _read_behind(self, slot: int, offset: int, limits: ReadLimits) -> LogRead:
        """Go on in the next segment: compaction removed the batch, or (in a log without gaps) it is missing."""
        later = self._segments[slot + 1] if slot + 1 < len(self._segments) else None
        if later is None or self.is_dense:
            next_good = later.base_offset if later else -1
            segment = self._segments[slot]
            raise CorruptBatchError(offset, segment.path, segment.written_bytes, "the batch is missing", next_good)
        if later.base_offset >= limits.end_offset:
            return LogRead(_EMPTY, limits.end_offset)
        return self._read_from(slot + 1, later.base_offset, limits)

    def _collect(self, segment: Segment, found: Found, limits: ReadLimits) -> LogRead:
        if segment is not self._active and segment not in self._opened:
            self._note_opened(segment)
        read = collect(segment, found, limits, self.leader_epochs, is_dense=self.is_dense)
        hints = self._hints
        hints[read.next_offset] = (segment, found.position + len(read.data))
        if len(hints) > HINTS_MAX:
            del hints[next(iter(hints))]
        return read

    def _note_opened(self, segment: Segment) -> None:
        """Keep few files of closed segments open; those not yet flushed stay so anyway."""
        self._opened.append(segment)
        if len(self._opened) > OPEN_CLOSED_SEGMENTS_MAX:
            oldest = self._opened.pop(0)
            if oldest not in self._unflushed_closed:
                oldest.close_file()

    # -- flushing ------------------------------------------------------------------------------------------------

    @property
    def unflushed_messages(self) -> int:
        return self.log_end_offset - self.flushed_end_offset

    def flush_due(self, now_ms: int) -> bool:
        """Say whether the settings, or a segment that was closed, ask for a flush."""
        if self._is_flushing or self.offline is not None:
            return False
        if self._unflushed_closed:
            return True
        unflushed = self.log_end_offset - self.flushed_end_offset
        if unflushed <= 0:
            return False
        return unflushed >= self.config.flush_messages or now_ms - self._unflushed_since_ms >= self.config.flush_ms

    def begin_flush(self) -> FlushJob | None:
        """Hand out a flush of everything written so far; None if nothing waits or one is under way."""
        if self.offline is not None:
            raise LogOfflineError(self.directory, self.offline)
        if self._is_flushing or not (self.unflushed_messages or self._unflushed_closed or self.leader_epochs.is_dirty):
            return None
        closed = [segment for segment in self._unflushed_closed if segment.written_bytes == segment.size_bytes]
        job = FlushJob(
            self.disk,
            [segment.file for segment in (*self._unflushed_closed, self._active)],
            closed,
            self.log_end_offset,
            snapshots=self._snapshots,
            epochs=self._epochs_image(),
            directory=self.directory if self._is_directory_dirty else None,
        )
        self._snapshots = []
        self._is_directory_dirty = False
        self._is_flushing = True
        self._unflushed_since_ms = -1
        return job

    def complete_flush(self, job: FlushJob) -> None:
        """Move the recovery point up."""
        self._is_flushing = False
        if job.closed:
            self._forget_flushed(job.closed)
        self.flushed_end_offset = max(self.flushed_end_offset, job.end_offset)

    def fail_flush(self, job: FlushJob, error: OSError) -> None:
        """Take the log offline after a failed sync: trying again would promise what the kernel may have dropped."""
        self._is_flushing = False
        self._go_offline(error)

    def flush(self) -> None:
        """Flush here and now; ``LogOfflineError`` if the disk refuses."""
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
        """Hand out a range whose pages should start on their way to the disk, when enough has gathered."""
        start, end = self._written_back, self._active.written_bytes
        if end - start < WRITEBACK_BYTES:
            return None
        self._written_back = end
        return WritebackJob(self._active.file, start, end - start)

    def _forget_flushed(self, closed: list[Segment]) -> None:
        for segment in closed:
            segment.release_indexes()
            if segment not in self._opened:
                segment.close_file()
        self._unflushed_closed = [segment for segment in self._unflushed_closed if segment not in closed]

    def _epochs_image(self) -> tuple[str, bytes] | None:
        if not self.leader_epochs.is_dirty:
            return None
        self.leader_epochs.is_dirty = False
        return f"{self.directory}/{LEADER_EPOCHS}", self.leader_epochs.to_bytes()

    # -- closing -------------------------------------------------------------------------------------------------

    @property
    def size_bytes(self) -> int:
        return sum(segment.size_bytes for segment in self._segments)

    def close(self, *, clean: bool = True) -> None:
        """Give the files back; ``clean`` first makes everything durable, indexes and snapshots included."""
        try:
            if clean and self.offline is None:
                self._settle()
        finally:
            for segment in self._segments:
                segment.close_file()

    def _settle(self) -> None:
        assert self.next_offset == self.log_end_offset, "staged batches must be written before closing"
        self.flush()
        self._active.close_books()
        self._active.write_indexes()
        for path, image in snapshot_images(self.directory, self.log_end_offset, self.producers):
            write_file(self.disk, path, image)
        write_atomically(self.disk, f"{self.directory}/{LEADER_EPOCHS}", self.leader_epochs.to_bytes())

    def _allow_gaps(self) -> None:
        """Note durably that this log may have gaps, before the first one reaches the disk."""
        if self.is_dense or not self.disk.exists(f"{self.directory}/{GAPS_ALLOWED}"):
            write_atomically(self.disk, f"{self.directory}/{GAPS_ALLOWED}", _EMPTY)
            self.is_dense = False
