"""One partition's log on one disk: the owner of its offsets.

Everything here runs on the event loop's thread, except the jobs that it returns (``jobs``). Writing is in
``log_writer``; this module opens, reads, truncates, expires and closes a log.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final, NamedTuple

from chronik.model.ids import TopicId, TopicPartition
from chronik.storage.compaction import CompactionJob, SegmentInfo, plan_compaction
from chronik.storage.compaction_swap import Manifest, finish_swap
from chronik.storage.disk import Disk, write_atomically, write_file
from chronik.storage.errors import CorruptBatchError, LogOfflineError, OffsetOutOfRangeError
from chronik.storage.jobs import DeletedSegment
from chronik.storage.leader_epochs import FILE_NAME as LEADER_EPOCHS
from chronik.storage.leader_epochs import NO_EPOCH
from chronik.storage.log_config import LogConfig
from chronik.storage.log_reader import FoundOffset, TimeLookup
from chronik.storage.log_writer import GAPS_ALLOWED, LogWriter
from chronik.storage.producer_snapshot import (
    load_producers,
    remove_snapshots,
    remove_stray_snapshots,
    snapshot_images,
    snapshot_offsets,
)
from chronik.storage.reading import LogRead, ReadLimits, locate
from chronik.storage.recovery import TRUNCATED_DAMAGE, Recovery
from chronik.storage.segment import LOG_SUFFIX, Segment, SegmentList, file_stem

_EMPTY: Final = b""


class Log(LogWriter):
    """One partition's batches, from ``log_start_offset`` to ``log_end_offset``."""

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
        """Open the log in an existing directory; recover it if it was not closed cleanly."""
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

    def forget_truncated_damage(self) -> None:
        """Remove the record of truncated damage: no other replica counts on these records any more."""
        with suppress(OSError):
            # If this fails, the next opening reports the damage once more, which only costs a place in ISR and ELR for
            # a while.
            self.disk.unlink(f"{self.directory}/{TRUNCATED_DAMAGE}")

    # -- reading -------------------------------------------------------------------------------------------------

    def read(self, offset: int, bytes_max: int, end_offset: int, *, whole_first_batch: bool = True) -> LogRead:
        """Return whole, checked batches from the one with ``offset`` on, below ``end_offset``."""
        if self.offline is not None:
            raise LogOfflineError(self.directory, self.offline)
        log_end_offset = self.log_end_offset
        if not self.log_start_offset <= offset <= log_end_offset:
            raise OffsetOutOfRangeError(offset, self.log_start_offset, log_end_offset)
        if end_offset > log_end_offset:
            end_offset = log_end_offset
        if offset >= end_offset:
            return LogRead(_EMPTY, offset)
        return self._reader.read(offset, ReadLimits(bytes_max, end_offset, whole_first_batch))

    def offset_for_time(self, timestamp_ms: int) -> FoundOffset | None:
        """Return the first record whose timestamp is not smaller."""
        return self._by_time().first_at_or_after(timestamp_ms)

    def max_timestamp(self) -> FoundOffset | None:
        """Return the first record with the largest timestamp."""
        return self._by_time().largest()

    def end_offset_for_epoch(self, leader_epoch: int) -> tuple[int, int]:
        """Return the largest epoch not above the requested one and its end offset; (-1, -1) if unknown."""
        return self.leader_epochs.end_offset_for(leader_epoch, self.log_end_offset)

    @property
    def last_epoch(self) -> int:
        """The leader epoch of the last record, or -1; a later term without records does not count."""
        epochs = self.leader_epochs
        if self.log_end_offset <= self.log_start_offset:
            return NO_EPOCH
        return epochs.epoch_of(self.log_end_offset - 1)

    def _by_time(self) -> TimeLookup:
        if self.offline is not None:
            raise LogOfflineError(self.directory, self.offline)
        start, end = self.log_start_offset, self.log_end_offset
        return TimeLookup(self._segments, self.leader_epochs, start, end, is_dense=self.is_dense)

    # -- removing ------------------------------------------------------------------------------------------------

    def advance_log_start(self, offset: int) -> None:
        """Raise the log start offset; the caller writes the checkpoint before it reports this."""
        assert offset <= self.log_end_offset, f"log start {offset} beyond log end {self.log_end_offset}"
        if offset > self.log_start_offset:
            self.log_start_offset = offset
            self.leader_epochs.truncate_from_start(offset)

    def delete_expired(self, now_ms: int, high_watermark: int) -> list[DeletedSegment]:
        """Remove expired segments and raise the log start offset.

        The files keep their names until the caller has written the log-start checkpoint and runs ``rename``. After a
        crash before that, the next opening removes them, since they are below the log start offset.
        """
        if self.offline is not None or self._flushes.is_flushing or self.next_offset != self.log_end_offset:
            return []
        bounds = LogBounds(self.log_start_offset, self.log_end_offset, high_watermark)
        expired = plan_expired(self._segments, self.config, bounds, now_ms, self._modified_ms)
        if len(expired) == len(self._segments):
            self._roll(self.next_offset, now_ms)
        deleted = [
            self._deleted(segment, self._segments.end_offset_of(slot, self.log_end_offset), now_ms, reason)
            for slot, (segment, reason) in enumerate(expired)
        ]
        self._let_go(self._segments.drop_first(len(expired)))
        if expired:
            self.advance_log_start(self._segments[0].base_offset)
        return deleted

    def truncate_to(self, offset: int, now_ms: int) -> list[DeletedSegment]:
        """Truncate the log so that nothing at or above an offset is left, and return the segments to unlink.

        The writer must be idle. A batch with the offset is removed completely. Before the next append the caller must
        make the recovery point durable, which may be lower now.
        """
        if offset >= self.log_end_offset:
            return []
        if offset < self._segments[0].base_offset:
            return self.start_at(offset, now_ms)
        with self._offline_on_error():
            return self._truncate(offset, now_ms)

    def start_at(self, offset: int, now_ms: int) -> list[DeletedSegment]:
        """Remove everything and start at an offset; return the segments to unlink."""
        assert self.next_offset == self.log_end_offset, "staged batches must be written before the log is cut"
        with self._offline_on_error():
            old = list(self._segments)
            deleted = self._delete_now(old, now_ms)
            self._segments.append(self._create_segment(offset, now_ms))
            self._segments.drop_first(len(old))
            self._flushes.is_first_durable = False
            self.log_start_offset = offset
            self.leader_epochs.clear()
            self._end_at(offset)
            return deleted

    def _truncate(self, offset: int, now_ms: int) -> list[DeletedSegment]:
        assert self.next_offset == self.log_end_offset, "staged batches must be written before the log is cut"
        position, end_offset = self._truncation_point(offset)
        deleted = self._delete_now(self._segments.drop_behind(self._segments.slot_of(offset)), now_ms)
        active = self._segments.active
        self._flushes.forget(active)
        active.truncate(position)
        self._end_at(end_offset)
        return deleted

    def damage_in_the_way_of(self, offset: int) -> int | None:
        """Return the real end of a truncation to an offset if damage hides the offset's batch; else None."""
        if not self._segments[0].base_offset <= offset < self.log_end_offset:
            return None
        with self._offline_on_error():
            try:
                self._find_truncation(offset)
            except CorruptBatchError as damage:
                return damage.first_offset
        return None

    def _truncation_point(self, offset: int) -> tuple[int, int]:
        try:
            return self._find_truncation(offset)
        except CorruptBatchError as damage:
            return damage.position, damage.first_offset

    def _find_truncation(self, offset: int) -> tuple[int, int]:
        segment = self._segments[self._segments.slot_of(offset)]
        found = locate(segment, offset, is_dense=self.is_dense)
        if found is None:
            return segment.written_bytes, offset
        return found.position, min(found.base_offset, offset)

    def _end_at(self, end_offset: int) -> None:
        """Set a lower log end everywhere."""
        self.log_end_offset = self.next_offset = end_offset
        self.log_start_offset = min(self.log_start_offset, end_offset)
        self._flushes.truncate(end_offset)
        self.leader_epochs.truncate_from_end(end_offset)
        self._written_back = self._segments.active.written_bytes
        later = [offset for offset in snapshot_offsets(self.disk, self.directory) if offset > end_offset]
        remove_snapshots(self.disk, self.directory, later)
        if not self.producers.truncate_to(end_offset):
            segments = list(self._segments)
            self.producers = load_producers(self.disk, self.directory, segments, end_offset, self.recovery.rebuilt)
        self._write_epochs()

    def _delete_now(self, segments: list[Segment], now_ms: int) -> list[DeletedSegment]:
        deleted = [self._deleted(each, each.base_offset, now_ms, "the log was cut") for each in segments]
        self._let_go(segments)
        for each in deleted:
            each.rename()
        return deleted

    def _deleted(self, segment: Segment, end_offset: int, now_ms: int, reason: str) -> DeletedSegment:
        due_ms = now_ms + self.config.file_delete_delay_ms
        size = segment.size_bytes
        return DeletedSegment(self.disk, segment.all_paths, segment.base_offset, end_offset, size, due_ms, reason)

    def _let_go(self, segments: Iterable[Segment]) -> None:
        for segment in segments:
            self._flushes.forget(segment)
            segment.close_file()
        self._reader.forget()

    def _modified_ms(self, segment: Segment) -> int:
        return self.disk.modified_ms(segment.path)

    # -- compaction ----------------------------------------------------------------------------------------------

    def plan_compaction(self, first_dirty_offset: int, high_watermark: int, now_ms: int) -> CompactionJob | None:
        """Return the next compaction job; it contains only segments that are closed and durable."""
        infos = []
        for segment in self._segments:
            infos.append(SegmentInfo(segment.base_offset, segment.size_bytes, segment.max_timestamp))
            if segment.is_unflushed:
                break
        return plan_compaction(
            self.directory,
            infos,
            self.config,
            first_dirty_offset=first_dirty_offset,
            high_watermark=high_watermark,
            now_ms=now_ms,
            producers=self.producers.entries(),
        )

    def may_swap(self, manifest: Manifest) -> bool:
        """Return whether all segments that a compaction read are still in the log."""
        bases = {segment.base_offset for segment in self._segments.closed}
        return bases.issuperset(manifest.replaces)

    def swap_compacted(self, manifest: Manifest, now_ms: int) -> list[str]:
        """Replace segments by their compacted one; return the paths to unlink."""
        obsolete = finish_swap(self.disk, self.directory, manifest)
        base_offset = manifest.base_offset
        size = self.disk.file_size(f"{self.directory}/{file_stem(base_offset)}{LOG_SUFFIX}")
        segment = Segment(self.disk, self.directory, base_offset, self.config, size_bytes=size, now_ms=now_ms)
        self._let_go(self._segments.replace(manifest.replaces, segment))
        return obsolete

    # -- settings and closing ------------------------------------------------------------------------------------

    def reconfigure(self, config: LogConfig) -> None:
        self.config = config
        self._segment_bytes = config.segment_bytes
        self._segments.active.configure(self.directory, config)
        if config.cleanup_compact:
            self._allow_gaps()

    def close(self, *, clean: bool = True) -> None:
        """Close the files; ``clean`` first makes everything durable, with indexes and snapshots."""
        try:
            if clean and self.offline is None:
                self._settle()
        finally:
            for segment in self._segments:
                segment.close_file()

    def _settle(self) -> None:
        assert self.next_offset == self.log_end_offset, "staged batches must be written before closing"
        self.flush()
        active = self._segments.active
        active.close_books()
        active.write_indexes()
        for path, image in snapshot_images(self.directory, self.log_end_offset, self.producers):
            write_file(self.disk, path, image)
        self._write_epochs()

    def _write_epochs(self) -> None:
        """Write the epochs durably, and sync all names in the directory."""
        write_atomically(self.disk, f"{self.directory}/{LEADER_EPOCHS}", self.leader_epochs.to_bytes())
        self.leader_epochs.is_dirty = False


class LogBounds(NamedTuple):
    """The bounds of a log for retention."""

    log_start_offset: int
    log_end_offset: int
    high_watermark: int


def plan_expired(
    segments: SegmentList, config: LogConfig, bounds: LogBounds, now_ms: int, modified_ms: Callable[[Segment], int]
) -> list[tuple[Segment, str]]:
    """Return the segments to delete, the oldest first, each with the reason.

    Only whole segments below the high watermark are deleted, without a gap between them; an empty active segment stays.
    """
    expired: list[tuple[Segment, str]] = []
    excess_bytes = segments.size_bytes - config.retention_bytes
    for slot, segment in enumerate(segments):
        end_offset = segments.end_offset_of(slot, bounds.log_end_offset)
        is_empty_active = segment is segments.active and segment.size_bytes == 0
        if end_offset > bounds.high_watermark or is_empty_active:
            break
        reason = _below_start(end_offset, bounds.log_start_offset)
        if reason is None and config.cleanup_delete:
            reason = _too_old(segment, config, now_ms, modified_ms) or _too_large(segment, config, excess_bytes)
        if reason is None:
            break
        excess_bytes -= segment.size_bytes
        expired.append((segment, reason))
    return expired


def _below_start(end_offset: int, log_start_offset: int) -> str | None:
    return f"it is below the log start {log_start_offset}" if end_offset <= log_start_offset else None


def _too_old(segment: Segment, config: LogConfig, now_ms: int, modified_ms: Callable[[Segment], int]) -> str | None:
    if config.retention_ms < 0:
        return None
    newest = segment.max_timestamp if segment.max_timestamp >= 0 else modified_ms(segment)
    if now_ms - newest <= config.retention_ms:
        return None
    return f"its newest record is {now_ms - newest} ms old, more than retention.ms={config.retention_ms}"


def _too_large(segment: Segment, config: LogConfig, excess_bytes: int) -> str | None:
    if config.retention_bytes < 0 or excess_bytes < segment.size_bytes:
        return None
    return f"the log is {excess_bytes} bytes larger than retention.bytes={config.retention_bytes}"
