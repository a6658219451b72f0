"""Open a log: check its files, truncate or rebuild what is damaged, and report it exactly.

After a clean stop nothing is scanned. Otherwise every segment at or above the recovery point is read completely. Damage
at or above that point was never promised and is truncated. Below it nothing is ever truncated, because a damaged batch
must be reported as damaged, and the batches behind it are still good.

Truncated batches that were once whole may have been reported to other replicas. So the truncation is recorded before it
happens and reported at every start, until the log's owner says that the broker has left ISR and ELR.
"""

from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final, NamedTuple

from chronik.records.batch import BatchHeader
from chronik.storage.compaction_swap import recover_leftovers
from chronik.storage.disk import Disk, write_all, write_atomically
from chronik.storage.leader_epochs import FILE_NAME as LEADER_EPOCHS
from chronik.storage.leader_epochs import LeaderEpochs, parse_leader_epochs
from chronik.storage.log_config import LogConfig
from chronik.storage.scan import Damage, SegmentScan, walk_headers
from chronik.storage.segment import DELETED_SUFFIX, LOG_SUFFIX, PRODUCERS_SUFFIX, SNAPSHOT_SUFFIX, SUFFIXES, Segment

TEMPORARY_SUFFIX: Final = ".tmp"
FLUSH_FAILED: Final = "flush-failed"
"""A file of this name says that a sync failed, after which the kernel may hold pages that it will never write."""
TRUNCATED_DAMAGE: Final = "damage-cut"
"""A file of this name has the first offset of truncated damage that other replicas may not know of yet."""
_REWRITE_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class TruncatedBytes:
    """Bytes that recovery removed: nothing at or above ``first_offset`` is left of this file."""

    file: str
    position: int
    size_bytes: int
    first_offset: int
    reason: str
    is_torn_write: bool = False

    def __str__(self) -> str:
        return (
            f"truncated {self.size_bytes} bytes of {self.file} from position {self.position} on"
            f" (offset {self.first_offset} and later): {self.reason}"
        )


@dataclass(frozen=True, slots=True)
class Kept:
    """Damage below the recovery point: it stays, and reads of its offsets fail as corrupt."""

    file: str
    position: int
    size_bytes: int
    first_offset: int
    reason: str

    def __str__(self) -> str:
        return (
            f"kept {self.size_bytes} damaged bytes of {self.file} at position {self.position}"
            f" (from offset {self.first_offset} on) below the recovery point: {self.reason}"
        )


@dataclass(slots=True)
class RecoveryReport:
    """The findings and actions of opening a log."""

    was_clean: bool
    truncation: list[TruncatedBytes] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    rebuilt: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    missing_from: list[int] = field(default_factory=list)
    scanned_bytes: int = 0
    is_new: bool = False
    """There was no segment: the name of the first one becomes durable with its first flush."""

    @property
    def damaged_from(self) -> int | None:
        """The first offset that was whole once and cannot be read now; a torn write of a crash does not count."""
        damaged = [one.first_offset for one in self.truncation if not one.is_torn_write]
        return min([*damaged, *(kept.first_offset for kept in self.kept), *self.missing_from], default=None)

    @property
    def lines(self) -> list[str]:
        """The report as text, empty when there was nothing to do."""
        return [*map(str, self.truncation), *map(str, self.kept), *self.missing, *self.rebuilt, *self.removed]


@dataclass(slots=True)
class Loaded:
    """The segments of a log and its end."""

    segments: list[Segment]
    log_end_offset: int
    leader_epochs: LeaderEpochs


class Recovery:
    """One opening of one log."""

    def __init__(
        self,
        disk: Disk,
        directory: str,
        config: LogConfig,
        *,
        log_start_offset: int,
        recovery_point: int,
        clean_shutdown: bool,
        is_dense: bool,
        now_ms: int,
    ) -> None:
        self._disk = disk
        self._directory = directory
        self._config = config
        self._log_start = log_start_offset
        self._recovery_point = recovery_point
        self._is_dense = is_dense
        self._now_ms = now_ms
        self._has_changed = False
        self._scanned_epochs = EpochRuns()
        self._has_failed_flush = disk.exists(f"{directory}/{FLUSH_FAILED}")
        self._truncated_damage_path = f"{directory}/{TRUNCATED_DAMAGE}"
        self.report = RecoveryReport(was_clean=clean_shutdown and not self._has_failed_flush)

    def run(self) -> Loaded:
        """Bring the directory into a state that can be served and appended to."""
        self._remove_leftovers()
        self._recall_truncated_damage()
        segments = self._find_segments()
        epochs = self._load_epochs(segments)
        unproved = self._doubt_epochs(epochs)
        log_end_offset = self._check_segments(segments)
        if log_end_offset < self._log_start:
            segments, log_end_offset = self._start_anew(segments, log_end_offset), self._log_start
        self._settle_epochs(epochs, unproved, segments, log_end_offset)
        if self._has_failed_flush:
            self._write_again(segments)
        if self._has_changed:
            self._disk.sync_directory(self._directory)
        return Loaded(segments, log_end_offset, epochs)

    # -- files ---------------------------------------------------------------------------------------------------

    def _remove_leftovers(self) -> None:
        self.report.removed += recover_leftovers(self._disk, self._directory)
        names = self._disk.list_directory(self._directory)
        logs = {name.removesuffix(LOG_SUFFIX) for name in names if name.endswith(LOG_SUFFIX)}
        for name in names:
            stem, _, suffix = name.partition(".")
            is_orphan = "." + suffix in SUFFIXES and stem not in logs
            if name.endswith((DELETED_SUFFIX, TEMPORARY_SUFFIX)) or is_orphan:
                self._remove(name, "left over from an earlier run")

    def _find_segments(self) -> list[Segment]:
        names = self._disk.list_directory(self._directory)
        bases = sorted(int(name[:20]) for name in names if name.endswith(LOG_SUFFIX) and name[:20].isdigit())
        while len(bases) > 1 and bases[1] <= self._log_start:
            self._remove_segment_files(bases.pop(0), "it lies below the log start")
        if not bases:
            self.report.is_new = True
            return [self._create_segment(self._log_start)]
        return [self._open_segment(base) for base in bases]

    def _open_segment(self, base_offset: int) -> Segment:
        path = f"{self._directory}/{base_offset:020d}{LOG_SUFFIX}"
        size = self._disk.file_size(path)
        return Segment(self._disk, self._directory, base_offset, self._config, size_bytes=size, now_ms=self._now_ms)

    def _create_segment(self, base_offset: int) -> Segment:
        return Segment.create(self._disk, self._directory, base_offset, self._config, self._now_ms)

    def _remove(self, name: str, reason: str) -> None:
        self._disk.unlink(f"{self._directory}/{name}")
        self._has_changed = True
        self.report.removed.append(f"removed {name}: {reason}")

    def _remove_segment_files(self, base_offset: int, reason: str) -> None:
        for suffix in (*SUFFIXES, SNAPSHOT_SUFFIX, PRODUCERS_SUFFIX):
            if self._disk.exists(f"{self._directory}/{base_offset:020d}{suffix}"):
                self._remove(f"{base_offset:020d}{suffix}", reason)

    # -- batches -------------------------------------------------------------------------------------------------

    def _check_segments(self, segments: list[Segment]) -> int:
        """Scan and truncate as needed, and return the log end."""
        end = segments[0].base_offset
        for slot, segment in enumerate(segments):
            if slot and self._breaks_off(segments, slot, end):
                break
            is_last = slot + 1 == len(segments)
            behind = None if is_last else segments[slot + 1].base_offset
            end = self._check_segment(segment, behind)
        segments[-1].load_books()
        return end

    def _check_segment(self, segment: Segment, behind: int | None) -> int:
        must_scan = not self.report.was_clean and (behind is None or behind > self._recovery_point)
        if not must_scan:
            end = self._trust(segment, behind)
            if end is not None:
                return end
        end = self._scan(segment)
        if behind is not None:
            segment.close_books()
            segment.write_indexes()
            self._has_changed = True
        return end

    def _trust(self, segment: Segment, behind: int | None) -> int | None:
        """Accept a segment without a scan if its indexes fit and, for the last one, its end can be found."""
        span = (2**31 if behind is None else behind - segment.base_offset) or 1
        may_be_empty = _needs_no_entry(segment, self._config.index_interval_bytes)
        wrong = segment.offset_index.why_unusable(segment.size_bytes, may_be_empty=may_be_empty)
        tail = _tail_of(segment) if wrong is None else None
        wrong_time = segment.time_index.why_unusable(span, tail.max_timestamp if tail else -1)
        for path, reason in ((segment.offset_index.path, wrong), (segment.time_index.path, wrong_time)):
            if reason:
                self.report.rebuilt.append(f"rebuilt {path}: {reason}")
        if tail is None or wrong_time:
            return None
        return behind if behind is not None else tail.end_offset

    def _scan(self, segment: Segment) -> int:
        """Check every batch of a segment, rebuild its indexes, and return the offset behind its last good batch."""
        segment.forget_indexes()
        size, end = segment.written_bytes, segment.base_offset
        self.report.scanned_bytes += size
        for found in SegmentScan(segment.file, size, is_dense=self._is_dense).walk(0, segment.base_offset):
            if isinstance(found, Damage):
                if found.expected_offset >= self._recovery_point:
                    self._truncate(segment, found)
                    return end
                self._keep(segment, found)
                continue
            header = found.header
            segment.restage(found.position, header.last_offset, header.max_timestamp, header.size_bytes)
            if header.base_offset >= self._recovery_point:
                self._scanned_epochs.note(header)
            end = header.next_offset
        if segment.size_bytes < size:
            # The file ends in damage that may not be truncated: offsets continue behind the promised ones.
            segment.size_bytes = size
            end = max(end, self._recovery_point)
        return end

    def _breaks_off(self, segments: list[Segment], slot: int, end: int) -> bool:
        """Drop the segments from a slot on if they do not follow the ones before, unless they were promised."""
        base = segments[slot].base_offset
        if base == end or (base > end and not self._is_dense):
            return False
        if base > end and end < self._recovery_point:
            self.report.missing.append(f"offsets {end} to {base - 1} are missing below the recovery point")
            self.report.missing_from.append(end)
            return False
        self._note_truncated_damage(base)
        for segment in segments[slot:]:
            self.report.truncation.append(
                TruncatedBytes(
                    segment.path, 0, segment.written_bytes, segment.base_offset, f"it does not follow offset {end}"
                )
            )
            segment.close_file()
            self._remove_segment_files(segment.base_offset, "cut")
        del segments[slot:]
        return True

    def _truncate(self, segment: Segment, damage: Damage) -> None:
        position = damage.position
        truncated_bytes = segment.written_bytes - position
        # The good batches behind the damage are removed with it.
        is_torn_write = damage.is_torn_write and damage.end_position == segment.written_bytes
        self.report.truncation.append(
            TruncatedBytes(
                segment.path, position, truncated_bytes, damage.expected_offset, damage.reason, is_torn_write
            )
        )
        if not is_torn_write:
            self._note_truncated_damage(damage.expected_offset)
        segment.file.truncate(position)
        segment.file.sync()
        segment.size_bytes = segment.written_bytes = position

    def _recall_truncated_damage(self) -> None:
        """Report again the damage that an earlier start truncated: the log itself looks complete now."""
        if self._disk.exists(self._truncated_damage_path):
            try:
                offset = int(self._disk.read_bytes(self._truncated_damage_path))
            except ValueError:
                offset = self._log_start
            self.report.missing.append(f"offset {offset} and later were truncated as damaged by an earlier start")
            self.report.missing_from.append(offset)

    def _note_truncated_damage(self, offset: int) -> None:
        """Record a truncation before it happens, so that it is known after a crash in between."""
        truncated = (one.first_offset for one in self.report.truncation if not one.is_torn_write)
        first = min([offset, *truncated, *self.report.missing_from])
        write_atomically(self._disk, self._truncated_damage_path, b"%d\n" % first)

    def _keep(self, segment: Segment, damage: Damage) -> None:
        size = damage.end_position - damage.position
        self.report.kept.append(Kept(segment.path, damage.position, size, damage.expected_offset, damage.reason))

    def _write_again(self, segments: list[Segment]) -> None:
        """Rewrite bytes that may be in memory only, so that the next sync writes them."""
        for segment, later in zip_longest(segments, segments[1:]):
            if later is None or later.base_offset > self._recovery_point:
                for position in range(0, segment.written_bytes, _REWRITE_BYTES):
                    size = min(_REWRITE_BYTES, segment.written_bytes - position)
                    write_all(segment.file, segment.file.pread(size, position), position)
                segment.file.sync()
        self._remove(FLUSH_FAILED, "everything that a failed flush may have lost was written again")

    def _start_anew(self, segments: list[Segment], log_end_offset: int) -> list[Segment]:
        self.report.missing.append(
            f"the log ends at {log_end_offset}, below its start {self._log_start}: it starts there again"
        )
        self._note_truncated_damage(self._log_start)
        self.report.missing_from.append(self._log_start)
        for segment in segments:
            segment.close_file()
            self._remove_segment_files(segment.base_offset, "it lies below the log start")
        self._has_changed = True
        return [self._create_segment(self._log_start)]

    # -- leader epochs -------------------------------------------------------------------------------------------

    def _load_epochs(self, segments: list[Segment]) -> LeaderEpochs:
        path = f"{self._directory}/{LEADER_EPOCHS}"
        try:
            epochs = parse_leader_epochs(self._disk.read_bytes(path))
        except FileNotFoundError:
            return self._rebuild_epochs(segments, "it is missing")
        except ValueError as error:
            return self._rebuild_epochs(segments, str(error))
        for segment in segments:
            first = next(walk_headers(segment.file, 0, segment.written_bytes), None)
            known = epochs.range_at(first.header.base_offset) if first else None
            if first and known and known.leader_epoch != first.header.partition_leader_epoch:
                return self._rebuild_epochs(segments, f"it does not fit the batch at {first.header.base_offset}")
        return epochs

    def _rebuild_epochs(self, segments: list[Segment], reason: str) -> LeaderEpochs:
        epochs = LeaderEpochs(_epochs_in(segments))
        epochs.is_dirty = True
        if any(segment.size_bytes for segment in segments):
            self.report.rebuilt.append(f"rebuilt {LEADER_EPOCHS}: {reason}")
        return epochs

    def _doubt_epochs(self, epochs: LeaderEpochs) -> list[tuple[int, int]]:
        """Drop the checkpoint's entries for scanned offsets: the batches themselves have the epochs."""
        if self.report.was_clean:
            return []
        unproved = [entry for entry in epochs.entries if entry[1] >= self._recovery_point]
        epochs.truncate_from_end(self._recovery_point)
        return unproved

    def _settle_epochs(
        self, epochs: LeaderEpochs, unproved: list[tuple[int, int]], segments: list[Segment], log_end_offset: int
    ) -> None:
        for epoch, start in self._scanned_epochs.runs:
            epochs.assign(epoch, start)
        for epoch, start in unproved:
            if start >= log_end_offset:
                # A term without a batch; it did begin, and its epoch must be kept.
                epochs.assign(epoch, log_end_offset)
        epochs.truncate_from_end(log_end_offset + 1)
        epochs.truncate_from_start(max(self._log_start, segments[0].base_offset))


class EpochRuns:
    """Leader epochs from the batches, skipping a batch that its neighbours prove wrong."""

    def __init__(self) -> None:
        self.runs: list[tuple[int, int]] = []

    def note(self, header: BatchHeader) -> None:
        runs, epoch = self.runs, header.partition_leader_epoch
        if len(runs) > 1 and epoch == runs[-2][0]:
            runs.pop()
        elif not runs or epoch != runs[-1][0]:
            runs.append((epoch, header.base_offset))


def _epochs_in(segments: list[Segment]) -> list[tuple[int, int]]:
    noted, epochs = EpochRuns(), LeaderEpochs()
    for segment in segments:
        for _, header in walk_headers(segment.file, 0, segment.written_bytes):
            noted.note(header)
    for epoch, start in noted.runs:
        epochs.assign(epoch, start)
    return epochs.entries


def _needs_no_entry(segment: Segment, index_interval_bytes: int) -> bool:
    """Return whether all batches begin within the first interval, so that an empty index is right."""
    headers = walk_headers(segment.file, 0, segment.written_bytes)
    return not any(position > index_interval_bytes for position, _ in headers)


class SegmentTail(NamedTuple):
    """The batches behind a segment's last index entry; no end if they do not reach the file's end."""

    end_offset: int | None
    max_timestamp: int


def _tail_of(segment: Segment) -> SegmentTail:
    last = segment.offset_index.lookup(2**32 - 1)
    position, end, max_timestamp = (last.position if last else 0), segment.base_offset, -1
    for at, header in walk_headers(segment.file, position, segment.written_bytes):
        position, end = at + header.size_bytes, header.next_offset
        max_timestamp = max(max_timestamp, header.max_timestamp)
    return SegmentTail(end if position == segment.written_bytes else None, max_timestamp)
