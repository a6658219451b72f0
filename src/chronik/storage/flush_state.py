"""The unflushed part of a log, and its flush jobs."""

from chronik.storage.disk import Disk
from chronik.storage.jobs import FlushJob
from chronik.storage.leader_epochs import FILE_NAME as LEADER_EPOCHS
from chronik.storage.leader_epochs import LeaderEpochs
from chronik.storage.log_config import LogConfig
from chronik.storage.segment import Segment


class FlushState:
    """One flush at a time; ``flushed_end_offset`` rises when it has succeeded."""

    __slots__ = (
        "_closed",
        "_directory",
        "_disk",
        "_is_directory_dirty",
        "_snapshots",
        "flushed_end_offset",
        "is_first_durable",
        "is_flushing",
        "unflushed_since_ms",
    )

    def __init__(
        self, disk: Disk, directory: str, flushed_end_offset: int, closed: list[Segment], *, is_directory_dirty: bool
    ) -> None:
        self._disk = disk
        self._directory = directory
        self._closed: list[Segment] = []
        self._snapshots: list[tuple[str, bytes]] = []
        self._is_directory_dirty = is_directory_dirty
        self.is_first_durable = not is_directory_dirty
        """Whether the name of the first segment is durable."""
        # Set when the first batch after a flush is staged: the clock of ``flush.ms``.
        self.unflushed_since_ms = -1
        self.flushed_end_offset = flushed_end_offset
        self.is_flushing = False
        for segment in closed:
            self._take_up(segment)

    @property
    def has_closed(self) -> bool:
        """Whether segments were closed since the last flush."""
        return bool(self._closed)

    def note_created(self) -> None:
        """Note a created file: its name must become durable with its content."""
        self._is_directory_dirty = True

    def note_closed(self, segment: Segment, snapshots: list[tuple[str, bytes]]) -> None:
        """Note a closed segment: its indexes and the producer snapshots must be written."""
        self._take_up(segment)
        self._snapshots += snapshots

    def is_due(self, now_ms: int, log_end_offset: int, config: LogConfig) -> bool:
        """Return whether the settings, or a closed segment, require a flush."""
        if self.is_flushing:
            return False
        if self._closed:
            return True
        unflushed = log_end_offset - self.flushed_end_offset
        if unflushed <= 0:
            return False
        return unflushed >= config.flush_messages or now_ms - self.unflushed_since_ms >= config.flush_ms

    def begin(self, active: Segment, log_end_offset: int, epochs: LeaderEpochs) -> FlushJob | None:
        """Return a flush of everything written so far; None if there is nothing to flush or a flush is running."""
        is_needed = log_end_offset > self.flushed_end_offset or self._closed or epochs.is_dirty
        if self.is_flushing or not is_needed:
            return None
        job = FlushJob(
            self._disk,
            [segment.file for segment in (*self._closed, active)],
            [segment for segment in self._closed if segment.written_bytes == segment.size_bytes],
            log_end_offset,
            snapshots=self._snapshots,
            epochs=self._epochs_image(epochs),
            directory=self._directory if self._is_directory_dirty else None,
        )
        self._snapshots = []
        self._is_directory_dirty = False
        self.unflushed_since_ms = -1
        self.is_flushing = True
        return job

    def complete(self, job: FlushJob) -> None:
        """Raise the recovery point, and release memory that the files hold now."""
        self.is_flushing = False
        self.flushed_end_offset = max(self.flushed_end_offset, job.end_offset)
        self.is_first_durable = self.is_first_durable or job.syncs_names
        for segment in job.closed:
            segment.release_indexes()
            self.forget(segment)

    def forget(self, segment: Segment) -> None:
        """Forget a segment that was flushed or leaves the log."""
        segment.is_unflushed = False
        if segment in self._closed:
            self._closed.remove(segment)

    def truncate(self, end_offset: int) -> None:
        """Lower the recovery point to the end of a truncated log."""
        assert not self.is_flushing, "a log is cut only when its writer is idle"
        self.flushed_end_offset = min(self.flushed_end_offset, end_offset)
        self._is_directory_dirty = True
        self._snapshots = []

    def _take_up(self, segment: Segment) -> None:
        segment.is_unflushed = True
        self._closed.append(segment)

    def _epochs_image(self, epochs: LeaderEpochs) -> tuple[str, bytes] | None:
        if not epochs.is_dirty:
            return None
        epochs.is_dirty = False
        return f"{self._directory}/{LEADER_EPOCHS}", epochs.to_bytes()
