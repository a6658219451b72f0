"""One copy of a partition, this broker's, in one term: writes, flushes and reads its log, whoever leads.

All of it runs on the event loop. The log outlives the term: when leader or epoch change, the term ends, and when no
thread works for it any more, the next one is built around the same log.
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
from chronik.model.ids import TopicId, TopicPartition
from chronik.model.topics import INTERNAL_TOPICS
from chronik.observability.logs import PER_REQUEST
from chronik.observability.replica_meters import ReplicaMeters
from chronik.observability.trace import NEVER, Tracer
from chronik.observability.watermark_history import Advance, WatermarkHistory
from chronik.records.codecs import CodecError
from chronik.records.iterate import CorruptRecordsError
from chronik.records.validation import ProduceRules
from chronik.server.loop.disk_threads import DiskThread, Flusher, Job
from chronik.server.replicas.read_ahead import ReadAhead
from chronik.storage.errors import CorruptBatchError, LogOfflineError
from chronik.storage.jobs import FlushJob, WriteJob
from chronik.storage.log import Log
from chronik.storage.log_config import LogConfig
from chronik.storage.producer_state import ProducerDescription
from chronik.storage.reading import LogRead
from chronik.storage.time_lookup import FoundOffset as FoundOffset

log = logging.getLogger(__name__)

_NO_TIME: Final = "%s: an offset cannot be found by its time: %s"

SLOW_WRITE_S: Final = 0.005
"""A write that took longer may have waited for the disk."""
SLOW_FOR_S: Final = 0.5
"""How long writes go through a thread after one that has waited."""
SUSPICIOUS_FOR_S: Final = 2.0


class CommitListener(Protocol):
    """Somebody who waits for committed bytes."""

    def on_committed(self, replica: "Replica") -> None:
        """More is committed, or the replica can no longer serve."""


class AppendListener(Protocol):
    """A follower's fetch that waits for written bytes."""

    def on_appended(self) -> None:
        """More is written."""


class WatermarkHistories:
    """The history of each log's watermark, through all terms, for as long as the log is open here."""

    def __init__(self) -> None:
        self._histories: WeakKeyDictionary[Log, WatermarkHistory] = WeakKeyDictionary()

    def of(self, partition_log: Log) -> WatermarkHistory:
        """Go on with what is known of a log."""
        found = self._histories.get(partition_log)
        if found is None:
            found = self._histories[partition_log] = WatermarkHistory()
        return found


@dataclass(frozen=True, slots=True)
class DiskServices:
    """The threads, marks and books that replicas share."""

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
    """A log at work. What its end means is for the role that it plays to say: ``_on_local_end``.

    It is no ABC: whether something is a replica is asked several times per request, and ABCs answer that slowly.
    """

    __slots__ = (
        "_disk",
        "_flush",
        "_is_dirty",
        "_on_idle",
        "_slow_until",
        "_suspicious_until",
        "_watermarks",
        "_writes",
        "followers",
        "is_closed",
        "is_internal",
        "listeners",
        "log",
        "meters",
        "on_damage",
        "rules",
        "tracer",
        "traffic",
    )

    def __init__(self, partition_log: Log, rules: ProduceRules, disk: DiskServices) -> None:
        self.log = partition_log
        self.rules = rules
        self.listeners: dict[CommitListener, None] = {}
        self.followers: dict[AppendListener, None] = {}
        self.on_damage: Callable[[Replica, int], bool] = _nobody
        """Hears of an offset that cannot be read any more; says whether somebody else will serve it."""
        self.is_closed = False
        self.is_internal = partition_log.topic_partition.topic in INTERNAL_TOPICS
        self._disk = disk
        self.tracer = disk.tracer
        self.meters = disk.meters
        self.traffic = disk.meters.traffic.of(partition_log.topic_partition.topic)
        self._watermarks = disk.watermarks.of(partition_log)
        self._is_dirty = False
        self._slow_until = 0.0
        self._suspicious_until = 0.0
        self._writes: deque[WriteJob] = deque()
        self._flush: FlushJob | None = None
        self._on_idle: Callable[[], None] | None = None

    @property
    def topic_partition(self) -> TopicPartition:
        return self.log.topic_partition

    @property
    def topic_id(self) -> TopicId:
        return self.log.topic_id

    @property
    def leader_epoch(self) -> int:
        """The epoch of the term."""
        raise NotImplementedError

    @property
    def high_watermark(self) -> int:
        """Where what is known to be committed ends."""
        raise NotImplementedError

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

    def _mark_dirty(self) -> None:
        if not self._is_dirty:
            self._is_dirty = True
            self._disk.mark_dirty(self)

    def write(self) -> None:
        """Write what is staged: inline, or in a thread while the disk is slow."""
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
            self._go_offline(error)
            return
        ended = time.perf_counter()
        if ended - started > SLOW_WRITE_S:
            self._suspect(ended, switches)
        self._on_written()

    def _suspect(self, now: float, switches_before: int | None) -> None:
        """Look closer after a long write: most were only preempted; one that slept has waited for the disk."""
        self._suspicious_until = now + SUSPICIOUS_FOR_S
        if switches_before is not None and _voluntary_switches() > switches_before:
            self._slow_until = now + SLOW_FOR_S

    def _write_in_thread(self) -> None:
        job = self.log.take_staged(owned=True)
        if job is not None:
            self._writes.append(job)
            self._disk.writer.submit(job.write, self._end_write)

    def _end_write(self, error: BaseException | None) -> None:
        job = self._writes.popleft()
        if isinstance(error, OSError):
            self.log.fail_write(job, error)
            self._go_offline(error)
        elif error is not None:
            raise error
        elif not self.is_offline:
            self.log.complete_write(job)
            self._on_written()
        self._tell_if_idle()

    def _on_written(self) -> None:
        log = self.log
        written_back = log.take_writeback()
        if written_back is not None:
            self._disk.write_back.submit(written_back.run, _ignore)
        if log.config.flush_messages == 1:
            self._disk.flusher.request(self)
            return
        self._on_local_end(log.log_end_offset)
        if log.has_flush_work or log.unflushed_messages >= log.config.flush_messages:
            self._disk.flusher.request(self)

    # --- flushing

    def begin_flush(self) -> Job | None:
        """Say what the flusher's thread must run."""
        if self.is_offline or self.is_closed:
            return None
        self._flush = self.log.begin_flush()
        return self._flush.run if self._flush is not None else None

    def end_flush(self, error: BaseException | None) -> None:
        """Take note of what is flushed; after a failed flush nothing pretends to be safe."""
        job, self._flush = self._flush, None
        assert job is not None
        if isinstance(error, OSError):
            self.log.fail_flush(job, error)
            self._go_offline(error)
        elif error is not None:
            raise error
        elif not self.is_offline:
            self.log.complete_flush(job)
            if self.flushes_every_append:
                self._on_local_end(self.log.flushed_end_offset)
        self._tell_if_idle()

    def flush_if_due(self, now_ms: int) -> None:
        """Flush by time, where the settings ask for it."""
        if not self.is_closed and self.log.flush_due(now_ms):
            self._disk.flusher.request(self)

    # --- what follows from it

    def _on_local_end(self, end_offset: int) -> None:
        """The log ends here now, as far as it counts."""
        raise NotImplementedError

    def _refuse_waiting(self, error: ErrorCode, message: str | None) -> None:
        """Answer everybody who waits for this term."""

    def _tell_listeners(self) -> None:
        if self.listeners:
            for listener in tuple(self.listeners):
                listener.on_committed(self)

    # --- reading

    def read(self, offset: int, bytes_max: int, end_offset: int, *, whole_first_batch: bool) -> LogRead:
        """Give whole batches from ``offset`` up to ``end_offset``, read ahead or read now."""
        ahead = self._disk.read_ahead
        found = ahead.take(self, offset, bytes_max, end_offset)
        if found is None:
            found = self.read_log(offset, bytes_max, end_offset, whole_first_batch=whole_first_batch)
        ahead.after(self, found, bytes_max)
        return found

    def read_log(self, offset: int, bytes_max: int, end_offset: int, *, whole_first_batch: bool) -> LogRead:
        """Read whole batches from the disk, each of them checked."""
        return self.log.read(offset, bytes_max, end_offset, whole_first_batch=whole_first_batch)

    @property
    def log_start_offset(self) -> int:
        return self.log.log_start_offset

    @property
    def log_end_offset(self) -> int:
        return self.log.log_end_offset

    def bytes_between(self, offset: int, end_offset: int) -> int:
        """About how many bytes lie between two offsets: the mean of the newest segment tells, without a look at it."""
        segments = self.log.segments
        newest = segments.active if segments.active.written_bytes or len(segments) == 1 else segments[-2]
        offsets = segments.active.base_offset if newest is not segments.active else self.log.log_end_offset
        return (end_offset - offset) * newest.written_bytes // max(offsets - newest.base_offset, 1)

    @property
    def may_only_compact(self) -> bool:
        """Whether records leave only by compaction."""
        return self.log.config.cleanup_compact and not self.log.config.cleanup_delete

    def earliest(self) -> FoundOffset:
        """The log start, with the epoch that wrote it."""
        start = self.log.log_start_offset
        return FoundOffset(-1, start, self.log.leader_epochs.epoch_of(start))

    def offset_for_time(self, timestamp_ms: int) -> FoundOffset | ErrorCode | None:
        """The first committed record at or after a time."""
        return self._look_up(lambda: self.log.offset_for_time(timestamp_ms))

    def max_timestamp(self) -> FoundOffset | ErrorCode | None:
        """The committed record with the largest timestamp."""
        return self._look_up(self.log.max_timestamp)

    def _look_up(self, search: Callable[[], FoundOffset | None]) -> FoundOffset | ErrorCode | None:
        try:
            found = search()
        except (CorruptBatchError, CorruptRecordsError, CodecError) as damage:
            log.error(_NO_TIME, self.topic_partition, damage, extra=PER_REQUEST)
            return ErrorCode.CORRUPT_MESSAGE
        except (LogOfflineError, OSError) as error:
            log.error(_NO_TIME, self.topic_partition, error, extra=PER_REQUEST)
            return ErrorCode.KAFKA_STORAGE_ERROR
        return found if found is not None and found.offset < self.high_watermark else None

    def end_offset_for_epoch(self, leader_epoch: int) -> tuple[int, int]:
        """The largest epoch not above the one asked for, and where its records end; (-1, -1) where none is known."""
        return self.log.end_offset_for_epoch(leader_epoch)

    def watermark_history(self) -> list[Advance]:
        """The last advances of the high watermark that this broker saw, as leader and as follower, oldest first."""
        return self._watermarks.advances()

    def describe_producers(self) -> list[ProducerDescription]:
        return list(self.log.producers.describe())

    # --- changes

    def reconfigure(self, config: LogConfig, rules: ProduceRules) -> None:
        """Go on under other settings."""
        self.log.reconfigure(config)
        self.rules = rules

    # --- the end

    def _go_offline(self, error: OSError | LogOfflineError) -> None:
        """Answer everybody who waits: this replica can take and promise nothing more."""
        log.error("%s is offline: %s. Mend the disk, then restart the broker.", self.topic_partition, error)
        self._disk.read_ahead.forget(self)
        self._refuse_waiting(ErrorCode.KAFKA_STORAGE_ERROR, str(error))
        self._tell_listeners()

    def fail(self, error: OSError) -> None:
        """Take the replica offline: what must be durable is not."""
        self.log.go_offline(error)
        self._go_offline(error)

    def end_term(self, error: ErrorCode) -> None:
        """Answer everybody who waits for this term: it is over."""
        self.is_closed = True
        if self._is_dirty:
            # What is staged has its offset: the log cannot go on to another term without it.
            self.write()
        self._disk.read_ahead.forget(self)
        self._refuse_waiting(error, None)
        self._tell_listeners()

    def release(self, on_released: Callable[[], None]) -> None:
        """Call back when no thread works on the log's files any more."""
        assert self.is_closed, "a replica is released after its term has ended"
        self._when_idle(on_released)

    def _when_idle(self, then: Callable[[], None]) -> None:
        assert self._on_idle is None, "one waits for the disk at a time"
        self._on_idle = then
        self._tell_if_idle()

    def _tell_if_idle(self) -> None:
        if self._on_idle is not None and not self._writes and self._flush is None:
            on_idle, self._on_idle = self._on_idle, None
            on_idle()


def _nobody(replica: Replica, offset: int) -> bool:
    """Hear of damage that nobody can mend."""
    return False


def _voluntary_switches() -> int:
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


def _ignore(error: BaseException | None) -> None:
    """Write-back is advice: a disk that fails shows it at the next write or flush."""
