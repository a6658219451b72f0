"""One copy of a partition on this broker, in one term: it writes, flushes and reads its log.

Everything here runs on the event loop. The log outlives the term: when the leader or its epoch changes, the term ends,
and when no thread works for it any more, the next replica is built around the same log.
"""

import logging
import resource
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol
from weakref import WeakKeyDictionary

from chronik.model.errors import ErrorCode
from chronik.model.ids import LeaderEpoch, Offset
from chronik.model.topics import INTERNAL_TOPICS
from chronik.observability.logs import PER_REQUEST
from chronik.observability.replica_meters import ReplicaMeters
from chronik.observability.trace import NEVER, Tracer
from chronik.observability.watermark_history import Advance, WatermarkHistory
from chronik.records.codecs import CodecError
from chronik.records.iterate import CorruptRecordsError
from chronik.records.validation import ProduceRules
from chronik.replication.follower import PartitionFollower
from chronik.replication.leader import PartitionLeader
from chronik.server.loop.disk_threads import DiskThread, Flusher, Job
from chronik.server.replicas.read_ahead import ReadAhead
from chronik.storage.errors import CorruptBatchError, LogOfflineError
from chronik.storage.jobs import FlushJob, WriteJob
from chronik.storage.log import Log
from chronik.storage.log_config import LogConfig
from chronik.storage.log_reader import FoundOffset as FoundOffset
from chronik.storage.producer_state import ProducerDescription
from chronik.storage.reading import LogRead

log = logging.getLogger(__name__)

_NO_OFFSET_FOR_TIME: Final = "%s: the offset for a timestamp cannot be found: %s"

SLOW_WRITE_S: Final = 0.005
"""A longer write may have waited for the disk."""
SLOW_FOR_S: Final = 0.5
"""How long writes go through a thread after a write that waited for the disk."""
SUSPICIOUS_FOR_S: Final = 2.0
"""How long writes are watched more closely after a long one."""


class CommitListener(Protocol):
    """Waits for committed records."""

    def on_committed(self, replica: "Replica") -> None:
        """The high watermark has moved, or the replica can no longer serve."""


class AppendListener(Protocol):
    """A follower's fetch that waits for written records."""

    def on_appended(self) -> None:
        """The log end has moved."""


class ReplicaRole(Protocol):
    """The leader or follower that a replica serves in its term."""

    def on_local_end(self, end_offset: int) -> None:
        """The log is written up to here (flushed, where every append is flushed)."""

    def reject_waiting(self, error: ErrorCode, message: str | None) -> None:
        """Reject the batches that wait: the replica is offline, or its term is over."""


class WatermarkHistories:
    """The history of each log's high watermark, through all terms, for as long as the log is open."""

    def __init__(self) -> None:
        self._histories: WeakKeyDictionary[Log, WatermarkHistory] = WeakKeyDictionary()

    def of(self, partition_log: Log) -> WatermarkHistory:
        """Return the history of a log; it begins with the first call."""
        found = self._histories.get(partition_log)
        if found is None:
            found = self._histories[partition_log] = WatermarkHistory()
        return found


@dataclass(frozen=True, slots=True)
class DiskServices:
    """The threads, queues and meters that all replicas share."""

    writer: DiskThread
    flusher: Flusher
    write_back: DiskThread
    key_checker: DiskThread
    read_ahead: ReadAhead
    mark_dirty: Callable[["Replica"], None]
    tracer: Tracer = NEVER
    watermarks: WatermarkHistories = field(default_factory=WatermarkHistories)
    meters: ReplicaMeters = field(default_factory=ReplicaMeters)


class Replica:
    """Writes, flushes and reads a log for one role, and closes with the term.

    The role owns the core that decides the high watermark; the replica only reads the high watermark from it.
    """

    __slots__ = (
        "_core",
        "_flush",
        "_is_dirty",
        "_on_idle",
        "_slow_until",
        "_suspicious_until",
        "_writes",
        "disk",
        "followers",
        "is_closed",
        "is_internal",
        "leader_epoch",
        "listeners",
        "log",
        "on_damage",
        "role",
        "rules",
        "topic_id",
        "topic_partition",
        "traffic",
        "watermarks",
    )

    def __init__(
        self,
        partition_log: Log,
        core: PartitionLeader | PartitionFollower,
        rules: ProduceRules,
        disk: DiskServices,
        role: ReplicaRole,
    ) -> None:
        self.log = partition_log
        self.topic_partition = partition_log.topic_partition
        self.topic_id = partition_log.topic_id
        self.is_internal = partition_log.topic_partition.topic in INTERNAL_TOPICS
        self.leader_epoch: LeaderEpoch = core.term.leader_epoch
        self.role = role
        self.rules = rules
        self.disk = disk
        self.listeners: dict[CommitListener, None] = {}
        self.followers: dict[AppendListener, None] = {}
        self.on_damage: Callable[[Replica, int], bool] = _no_other_replica
        """Takes an offset that cannot be read any more; returns whether another replica will serve it."""
        self.is_closed = False
        self.traffic = disk.meters.traffic.of(partition_log.topic_partition.topic)
        self.watermarks = disk.watermarks.of(partition_log)
        self._core = core
        self._is_dirty = False
        self._slow_until = 0.0
        self._suspicious_until = 0.0
        self._writes: deque[WriteJob] = deque()
        self._flush: FlushJob | None = None
        self._on_idle: Callable[[], None] | None = None

    @property
    def high_watermark(self) -> Offset:
        return self._core.high_watermark

    @property
    def flushes_every_append(self) -> bool:
        """Whether only flushed bytes count as appended."""
        return self.log.config.flush_messages == 1

    @property
    def is_offline(self) -> bool:
        return self.log.offline is not None

    def rejection_of_epoch(self, claimed_epoch: int) -> ErrorCode | None:
        """Compare the leader epoch that a client believes in with this term's."""
        if claimed_epoch in (-1, self.leader_epoch):
            return None
        return ErrorCode.FENCED_LEADER_EPOCH if claimed_epoch < self.leader_epoch else ErrorCode.UNKNOWN_LEADER_EPOCH

    # --- writing

    def mark_dirty(self) -> None:
        """Write the staged batches at the end of this read event."""
        if not self._is_dirty:
            self._is_dirty = True
            self.disk.mark_dirty(self)

    def write(self) -> None:
        """Write the staged batches: inline, or in a thread while the disk is slow."""
        self._is_dirty = False
        if self.log.offline is not None:
            return
        started = time.perf_counter()
        switches = _voluntary_switches() if started < self._suspicious_until else None
        try:
            if self._writes or started < self._slow_until:
                self._write_in_thread()
                return
            self.log.write_staged()
        except LogOfflineError as error:
            self.go_offline(error)
            return
        ended = time.perf_counter()
        if ended - started > SLOW_WRITE_S:
            self._suspect(ended, switches)
        self._on_written()

    def _suspect(self, now: float, switches_before: int | None) -> None:
        """Watch the writes after a long one: most were only preempted; one that slept has waited for the disk."""
        self._suspicious_until = now + SUSPICIOUS_FOR_S
        if switches_before is not None and _voluntary_switches() > switches_before:
            self._slow_until = now + SLOW_FOR_S

    def _write_in_thread(self) -> None:
        job = self.log.take_staged(owned=True)
        if job is not None:
            self._writes.append(job)
            self.disk.writer.submit(job.write, self._end_write)

    def _end_write(self, error: BaseException | None) -> None:
        job = self._writes.popleft()
        if isinstance(error, OSError):
            self.log.fail_write(job, error)
            self.go_offline(error)
        elif error is not None:
            raise error
        elif not self.is_offline:
            self.log.complete_write(job)
            self._on_written()
        self._run_if_idle()

    def _on_written(self) -> None:
        log = self.log
        written_back = log.take_writeback()
        if written_back is not None:
            self.disk.write_back.submit(written_back.run, _ignore)
        if log.config.flush_messages == 1:
            self.disk.flusher.request(self)
            return
        self.role.on_local_end(log.log_end_offset)
        if log.has_flush_work or log.unflushed_messages >= log.config.flush_messages:
            self.disk.flusher.request(self)

    # --- flushing

    def begin_flush(self) -> Job | None:
        """Return what the flusher's thread must run."""
        if self.is_offline or self.is_closed:
            return None
        self._flush = self.log.begin_flush()
        return self._flush.run if self._flush is not None else None

    def end_flush(self, error: BaseException | None) -> None:
        """Count what is flushed; after a failed flush the log is offline, since nothing in it is known to be safe."""
        job, self._flush = self._flush, None
        assert job is not None
        if isinstance(error, OSError):
            self.log.fail_flush(job, error)
            self.go_offline(error)
        elif error is not None:
            raise error
        elif not self.is_offline:
            self.log.complete_flush(job)
            if self.flushes_every_append:
                self.role.on_local_end(self.log.flushed_end_offset)
        self._run_if_idle()

    def flush_if_due(self, now_ms: int) -> None:
        """Flush if ``flush.ms`` has passed."""
        if not self.is_closed and self.log.flush_due(now_ms):
            self.disk.flusher.request(self)

    # --- reading

    def read(self, offset: int, bytes_max: int, end_offset: int, *, whole_first_batch: bool) -> LogRead:
        """Return whole batches from ``offset`` up to ``end_offset``, read ahead or read now."""
        ahead = self.disk.read_ahead
        found = ahead.take(self, offset, bytes_max, end_offset)
        if found is None:
            found = self.read_log(offset, bytes_max, end_offset, whole_first_batch=whole_first_batch)
        ahead.after(self, found, bytes_max)
        return found

    def read_log(self, offset: int, bytes_max: int, end_offset: int, *, whole_first_batch: bool) -> LogRead:
        """Read whole batches from the disk and check each of them."""
        return self.log.read(offset, bytes_max, end_offset, whole_first_batch=whole_first_batch)

    @property
    def log_start_offset(self) -> int:
        return self.log.log_start_offset

    @property
    def log_end_offset(self) -> int:
        return self.log.log_end_offset

    def bytes_between(self, offset: int, end_offset: int) -> int:
        """Estimate the bytes between two offsets from the mean size of a record in the newest segment."""
        segments = self.log.segments
        newest = segments.active if segments.active.written_bytes or len(segments) == 1 else segments[-2]
        offsets = segments.active.base_offset if newest is not segments.active else self.log.log_end_offset
        return (end_offset - offset) * newest.written_bytes // max(offsets - newest.base_offset, 1)

    @property
    def may_only_compact(self) -> bool:
        """Whether records leave only by compaction."""
        return self.log.config.cleanup_compact and not self.log.config.cleanup_delete

    def earliest(self) -> FoundOffset:
        """Return the log start, with the epoch that wrote it."""
        start = self.log.log_start_offset
        return FoundOffset(-1, start, self.log.leader_epochs.epoch_of(start))

    def offset_for_time(self, timestamp_ms: int) -> FoundOffset | ErrorCode | None:
        """Find the first committed record at or after a time."""
        return self._look_up(lambda: self.log.offset_for_time(timestamp_ms))

    def max_timestamp(self) -> FoundOffset | ErrorCode | None:
        """Find the committed record with the largest timestamp."""
        return self._look_up(self.log.max_timestamp)

    def _look_up(self, search: Callable[[], FoundOffset | None]) -> FoundOffset | ErrorCode | None:
        try:
            found = search()
        except (CorruptBatchError, CorruptRecordsError, CodecError) as damage:
            log.error(_NO_OFFSET_FOR_TIME, self.topic_partition, damage, extra=PER_REQUEST)
            return ErrorCode.CORRUPT_MESSAGE
        except (LogOfflineError, OSError) as error:
            log.error(_NO_OFFSET_FOR_TIME, self.topic_partition, error, extra=PER_REQUEST)
            return ErrorCode.KAFKA_STORAGE_ERROR
        return found if found is not None and found.offset < self.high_watermark else None

    def watermark_history(self) -> list[Advance]:
        """Return the last advances of the high watermark on this broker, in all terms, oldest first."""
        return self.watermarks.advances()

    def describe_producers(self) -> list[ProducerDescription]:
        return list(self.log.producers.describe())

    # --- changes

    def reconfigure(self, config: LogConfig, rules: ProduceRules) -> None:
        """Apply changed topic settings."""
        self.log.reconfigure(config)
        self.rules = rules

    def notify_listeners(self) -> None:
        """Wake the fetches and shards that wait for the high watermark."""
        if self.listeners:
            for listener in tuple(self.listeners):
                listener.on_committed(self)

    # --- the end

    def go_offline(self, error: OSError | LogOfflineError) -> None:
        """Reject everything that waits: an offline log can append and acknowledge nothing more."""
        log.error("%s is offline: %s. Repair the disk, then restart the broker.", self.topic_partition, error)
        self.disk.read_ahead.forget(self)
        self.role.reject_waiting(ErrorCode.KAFKA_STORAGE_ERROR, str(error))
        self.notify_listeners()

    def fail(self, error: OSError) -> None:
        """Take the replica offline because a write that must be durable failed."""
        self.log.go_offline(error)
        self.go_offline(error)

    def end_term(self, error: ErrorCode) -> None:
        """Close the replica, and reject everything that waits for this term."""
        self.is_closed = True
        # A truncation that still waits for the disk is for the next term to decide.
        self._on_idle = None
        if self._is_dirty:
            # A staged batch has its offset: the log cannot go on to another term without it.
            self.write()
        self.disk.read_ahead.forget(self)
        self.role.reject_waiting(error, None)
        self.notify_listeners()

    def release(self, on_released: Callable[[], None]) -> None:
        """Call back when no thread works on the log's files any more."""
        assert self.is_closed, "a replica is released after its term has ended"
        self.when_idle(on_released)

    def when_idle(self, then: Callable[[], None]) -> None:
        """Call back when no write and no flush is under way; a term that ends before drops the call."""
        assert self._on_idle is None, "one waits for the disk at a time"
        self._on_idle = then
        self._run_if_idle()

    def _run_if_idle(self) -> None:
        if self._on_idle is not None and not self._writes and self._flush is None:
            on_idle, self._on_idle = self._on_idle, None
            on_idle()


def _no_other_replica(replica: Replica, offset: int) -> bool:
    return False


def _voluntary_switches() -> int:
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


def _ignore(error: BaseException | None) -> None:
    """Ignore the result of a write-back, which is advice: a failing disk shows at the next write or flush."""
