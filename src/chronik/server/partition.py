"""One partition that this broker leads: the driver that joins its log, its leader core and those who wait for it.

All of it runs on the event loop. The log decides offsets, the leader core decides what is committed, and this driver
carries bytes and answers between them.
"""

import logging
import resource
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol

from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, LeaderEpoch, Offset, PartitionEpoch, TopicId, TopicPartition
from chronik.model.topics import INTERNAL_TOPICS
from chronik.records.batch import BatchHeader, read_header
from chronik.records.codecs import CodecError
from chronik.records.iterate import CorruptRecordsError
from chronik.records.validation import ProduceRules, Refusal, check_produced, records_without_key, restamp_append_time
from chronik.replication.events import AdvanceHighWatermark, Effect, IsrCommitted, LocalAppended
from chronik.replication.leader import PartitionLeader
from chronik.server.disk_threads import DiskThread, Flusher, Job
from chronik.server.read_ahead import ReadAhead
from chronik.server.receipts import Receipt
from chronik.storage.errors import CorruptBatchError, LogOfflineError
from chronik.storage.jobs import FlushJob, WriteJob
from chronik.storage.log import Log
from chronik.storage.log_config import LogConfig
from chronik.storage.producer_state import Duplicate, ProducerDescription, Refused
from chronik.storage.reading import LogRead
from chronik.storage.time_lookup import FoundOffset as FoundOffset

log = logging.getLogger(__name__)

SLOW_WRITE_S: Final = 0.005
"""A write that took longer may have waited for the disk."""
SLOW_FOR_S: Final = 0.5
"""How long writes go through a thread after one that has waited."""
SUSPICIOUS_FOR_S: Final = 2.0
NO_KEY: Final = "a compacted topic takes no record without a key"


class CommitListener(Protocol):
    """Somebody who waits for committed bytes."""

    def on_committed(self, partition: "Partition") -> None:
        """More is committed, or the partition can no longer serve."""


@dataclass(frozen=True, slots=True)
class DiskServices:
    """The threads and marks that partitions share."""

    writer: DiskThread
    flusher: Flusher
    write_back: DiskThread
    key_checker: DiskThread
    read_ahead: ReadAhead
    mark_dirty: Callable[["Partition"], None]


class Partition:
    """Appends, reads, and answers when what was appended is safe."""

    __slots__ = (
        "_awaiting_commit",
        "_awaiting_local",
        "_disk",
        "_flush",
        "_is_dirty",
        "_on_released",
        "_slow_until",
        "_suspicious_until",
        "_writes",
        "is_closed",
        "is_internal",
        "leader",
        "listeners",
        "log",
        "rules",
    )

    def __init__(self, partition_log: Log, leader: PartitionLeader, rules: ProduceRules, disk: DiskServices) -> None:
        self.log = partition_log
        self.leader = leader
        self.rules = rules
        self.listeners: dict[CommitListener, None] = {}
        self.is_closed = False
        self.is_internal = partition_log.topic_partition.topic in INTERNAL_TOPICS
        self._disk = disk
        self._awaiting_local: deque[tuple[int, Receipt]] = deque()
        self._awaiting_commit: deque[tuple[int, Receipt]] = deque()
        self._is_dirty = False
        self._slow_until = 0.0
        self._suspicious_until = 0.0
        self._writes: deque[WriteJob] = deque()
        self._flush: FlushJob | None = None
        self._on_released: Callable[[], None] | None = None
        self._apply(leader.begin())

    @property
    def topic_partition(self) -> TopicPartition:
        return self.log.topic_partition

    @property
    def topic_id(self) -> TopicId:
        return self.log.topic_id

    @property
    def leader_epoch(self) -> LeaderEpoch:
        return self.leader.term.leader_epoch

    @property
    def high_watermark(self) -> Offset:
        return self.leader.high_watermark

    @property
    def flushes_every_append(self) -> bool:
        """Whether only flushed bytes count as appended."""
        return self.log.config.flush_messages == 1

    @property
    def is_offline(self) -> bool:
        return self.log.offline is not None

    def why_not_epoch(self, claimed_epoch: int) -> ErrorCode | None:
        """Compare the leader epoch that a client believes in with this term's."""
        if claimed_epoch in (-1, self.leader_epoch):
            return None
        return ErrorCode.FENCED_LEADER_EPOCH if claimed_epoch < self.leader_epoch else ErrorCode.UNKNOWN_LEADER_EPOCH

    # --- appending

    def append(self, records: memoryview, acks: int, receipt: Receipt, now_ms: int, *, zstd_allowed: bool) -> None:
        """Take one batch; the receipt is settled when the batch is as safe as ``acks`` asks, or refused."""
        rules = self.rules if zstd_allowed else replace(self.rules, zstd_allowed=False)
        if self.log.config.cleanup_compact:
            self._append_after_key_check(bytearray(records), acks, receipt, rules, now_ms)
        else:
            self._append(records, acks, receipt, rules, now_ms)

    def _append_after_key_check(
        self, records: bytearray, acks: int, receipt: Receipt, rules: ProduceRules, now_ms: int
    ) -> None:
        """Look for records without a key off the loop: a compacted topic cannot keep them.

        The thread takes one batch after the other, so that the batches of a partition keep their order.
        """
        view = memoryview(records)
        lacking: list[list[int]] = []

        def checked(error: BaseException | None) -> None:
            if self.is_closed:
                receipt.refuse(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            elif error is not None:
                receipt.refuse(ErrorCode.CORRUPT_MESSAGE, f"the records cannot be read: {error}")
            elif lacking[0]:
                receipt.refuse(ErrorCode.INVALID_RECORD, NO_KEY, faulty_records=lacking[0])
            else:
                self._append(view, acks, receipt, rules, now_ms)
                self.write()

        self._disk.key_checker.submit(lambda: lacking.append(records_without_key(view)), checked)

    def _append(self, records: memoryview, acks: int, receipt: Receipt, rules: ProduceRules, now_ms: int) -> None:
        if self.log.offline is not None:
            receipt.refuse(ErrorCode.KAFKA_STORAGE_ERROR, str(self.log.offline))
            return
        if acks == -1 and (error := self.leader.why_not_acks_all()) is not None:
            receipt.refuse(error, self._too_few_in_sync())
            return
        header = check_produced(records, rules, now_ms)
        if isinstance(header, Refusal):
            receipt.refuse(header.error, header.message)
            return
        if header.producer_id >= 0 and self._is_answered_by_producer_state(header, acks, receipt):
            return
        if rules.log_append_time:
            header = restamp_append_time(records, now_ms)
            receipt.append_time_ms = now_ms
        self._stage(records, header, acks, receipt, now_ms)

    def _stage(self, records: memoryview, header: BatchHeader, acks: int, receipt: Receipt, now_ms: int) -> None:
        try:
            receipt.base_offset = self.log.stage(records, header, self.leader_epoch, now_ms)
        except LogOfflineError as error:
            self._go_offline(error)
            receipt.refuse(ErrorCode.KAFKA_STORAGE_ERROR, str(error))
            return
        self._await(receipt.base_offset + header.last_offset_delta, acks, receipt)
        self._mark_dirty()

    def append_own(self, batch: bytearray, now_ms: int) -> int | ErrorCode:
        """Stage a batch that this broker made for itself; gives the offset that must be committed before it counts.

        It is written with what the read event has staged, and the listeners hear when it is committed or lost.
        """
        if self.is_closed:
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        if self.is_offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if (error := self.leader.why_not_acks_all()) is not None:
            return error
        header = read_header(batch)
        try:
            base_offset = self.log.stage(memoryview(batch), header, self.leader_epoch, now_ms)
        except LogOfflineError as offline:
            self._go_offline(offline)
            return ErrorCode.KAFKA_STORAGE_ERROR
        self._mark_dirty()
        return base_offset + header.last_offset_delta + 1

    def _mark_dirty(self) -> None:
        if not self._is_dirty:
            self._is_dirty = True
            self._disk.mark_dirty(self)

    def _is_answered_by_producer_state(self, header: BatchHeader, acks: int, receipt: Receipt) -> bool:
        outcome = self.log.producers.check(header)
        if isinstance(outcome, Duplicate):
            # A duplicate is answered when the original is as safe as the acks of the duplicate ask.
            receipt.base_offset = outcome.base_offset
            self._await(outcome.last_offset, acks, receipt)
            self._settle()
            return True
        if isinstance(outcome, Refused):
            receipt.refuse(outcome.error, outcome.message)
            return True
        return False

    def _await(self, last_offset: int, acks: int, receipt: Receipt) -> None:
        if acks == -1:
            self._awaiting_commit.append((last_offset, receipt))
        else:
            self._awaiting_local.append((last_offset, receipt))

    def _too_few_in_sync(self) -> str:
        return (
            f"{len(self.leader.isr)} replicas are in sync where min.insync.replicas asks for {self.leader.in_sync_min}"
        )

    # --- writing

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
        self._release_if_idle()

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
        self._release_if_idle()

    def flush_if_due(self, now_ms: int) -> None:
        """Flush by time, where the settings ask for it."""
        if not self.is_closed and self.log.flush_due(now_ms):
            self._disk.flusher.request(self)

    # --- what follows from it

    def _on_local_end(self, end_offset: int) -> None:
        if end_offset > self.leader.log_end_offset:
            self._apply(self.leader.handle(LocalAppended(Offset(end_offset))))
        self._settle()

    def _apply(self, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            match effect:
                case AdvanceHighWatermark():
                    self._tell_listeners()

    def _settle(self) -> None:
        """Acknowledge what is safe; its cost depends on what is acknowledged, not on how many wait."""
        _acknowledge_below(self._awaiting_local, self.leader.log_end_offset, self.log.log_start_offset)
        _acknowledge_below(self._awaiting_commit, self.leader.high_watermark, self.log.log_start_offset)

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
            log.error("%s: an offset cannot be found by its time: %s", self.topic_partition, damage)
            return ErrorCode.CORRUPT_MESSAGE
        except (LogOfflineError, OSError) as error:
            log.error("%s: an offset cannot be found by its time: %s", self.topic_partition, error)
            return ErrorCode.KAFKA_STORAGE_ERROR
        return found if found is not None and found.offset < self.high_watermark else None

    def end_offset_for_epoch(self, leader_epoch: int) -> tuple[int, int]:
        """The largest epoch not above the one asked for, and where its records end."""
        if leader_epoch == self.leader_epoch:
            return leader_epoch, self.log.log_end_offset
        return self.log.end_offset_for_epoch(leader_epoch)

    def describe_producers(self) -> list[ProducerDescription]:
        return list(self.log.producers.describe())

    # --- changes

    def reconfigure(self, config: LogConfig, rules: ProduceRules) -> None:
        """Go on under other settings."""
        self.log.reconfigure(config)
        self.rules = rules

    def on_isr_committed(self, isr: tuple[BrokerId, ...], in_sync_min: int, partition_epoch: PartitionEpoch) -> None:
        """Go on with another in-sync set or minimum."""
        self._apply(self.leader.handle(IsrCommitted(isr, in_sync_min, partition_epoch)))
        self._settle()

    # --- the end

    def _go_offline(self, error: OSError | LogOfflineError) -> None:
        """Answer everybody who waits: this partition can take and promise nothing more."""
        log.error("%s is offline: %s. Mend the disk, then restart the broker.", self.topic_partition, error)
        self._disk.read_ahead.forget(self)
        self._refuse_waiting(ErrorCode.KAFKA_STORAGE_ERROR, str(error))
        self._tell_listeners()

    def end_term(self, error: ErrorCode) -> None:
        """Answer everybody who waits for this term: it is over."""
        self.is_closed = True
        self._disk.read_ahead.forget(self)
        self._refuse_waiting(error, None)
        self._tell_listeners()

    def release(self, on_released: Callable[[], None]) -> None:
        """Call back when no thread works on the log's files any more."""
        assert self.is_closed, "a partition is released after its term has ended"
        self._on_released = on_released
        self._release_if_idle()

    def _release_if_idle(self) -> None:
        if self._on_released is not None and not self._writes and self._flush is None:
            on_released, self._on_released = self._on_released, None
            on_released()

    def _refuse_waiting(self, error: ErrorCode, message: str | None) -> None:
        for waiting in (self._awaiting_local, self._awaiting_commit):
            while waiting:
                waiting.popleft()[1].refuse(error, message)


def _acknowledge_below(waiting: deque[tuple[int, Receipt]], end_offset: int, log_start_offset: int) -> None:
    while waiting and waiting[0][0] < end_offset:
        waiting.popleft()[1].acknowledge(log_start_offset)


def _voluntary_switches() -> int:
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


def _ignore(error: BaseException | None) -> None:
    """Write-back is advice: a disk that fails shows it at the next write or flush."""
