"""The leader of one partition in one term: it appends batches and acknowledges them when they are safe.

The log assigns offsets, the leader core decides what is committed, and this driver carries batches and outcomes between
the two.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from time import monotonic_ns
from typing import Final, assert_never

from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, Offset
from chronik.observability.watermark_history import IN_SYNC_SET
from chronik.records.batch import BatchHeader, Sequences, read_header, sequences_of
from chronik.records.validation import (
    BatchRejection,
    ProduceRules,
    check_produced,
    records_without_key,
    restamp_append_time,
)
from chronik.replication.divergence import epoch_end
from chronik.replication.events import (
    AdvanceHighWatermark,
    FollowerFetched,
    IsrCommitted,
    LeaderEffect,
    LeaderEvent,
    LocalAppended,
    ProposeIsr,
    RewriteUnchanged,
)
from chronik.replication.leader import PartitionLeader
from chronik.server.loop.clock import now_ms as wall_ms
from chronik.server.loop.clock import steady_ms
from chronik.server.produce.append_outcome import AppendOutcome
from chronik.server.produce.in_flight_guard import error_of_gap
from chronik.server.produce.trace import record_progress, record_waiting
from chronik.server.replicas.replica import DiskServices, Replica
from chronik.storage.errors import LogOfflineError
from chronik.storage.log import Log
from chronik.storage.producer_state import Duplicate, Refused

NO_KEY: Final = "a compacted topic takes no record without a key"


class LeaderReplica:
    """Leads a partition with the replica of this broker."""

    __slots__ = (
        "_awaiting_commit",
        "_awaiting_local",
        "_began_ms",
        "_in_key_check",
        "_propose",
        "_uncommitted_since_ns",
        "advanced_ns",
        "is_internal",
        "leader",
        "leader_epoch",
        "log",
        "meters",
        "replica",
        "topic_id",
        "topic_partition",
        "tracer",
    )

    def __init__(
        self,
        partition_log: Log,
        leader: PartitionLeader,
        rules: ProduceRules,
        disk: DiskServices,
        propose: Callable[["LeaderReplica", ProposeIsr | RewriteUnchanged], None],
    ) -> None:
        self.replica = Replica(partition_log, leader, rules, disk, self)
        self.leader = leader
        self.leader_epoch = leader.term.leader_epoch
        self.log = partition_log
        self.topic_partition = partition_log.topic_partition
        self.topic_id = partition_log.topic_id
        self.is_internal = self.replica.is_internal
        self.tracer = disk.tracer
        self.meters = disk.meters
        self._propose = propose
        self._began_ms = steady_ms()
        self._uncommitted_since_ns = 0
        self.advanced_ns = 0
        """When a follower's fetch last moved the high watermark."""
        self._in_key_check: deque[memoryview] = deque()
        self._awaiting_local: deque[tuple[int, AppendOutcome]] = deque()
        self._awaiting_commit: deque[tuple[int, AppendOutcome]] = deque()
        self.replica.watermarks.begin(leader.high_watermark, wall_ms())
        self._apply(leader.begin(), leader.broker)

    @property
    def high_watermark(self) -> Offset:
        return self.leader.high_watermark

    @property
    def is_closed(self) -> bool:
        return self.replica.is_closed

    @property
    def is_offline(self) -> bool:
        return self.log.offline is not None

    # --- appending

    def append(
        self, records: memoryview, acks: int, outcome: AppendOutcome, now_ms: int, *, zstd_allowed: bool
    ) -> None:
        """Append one batch; its outcome is settled when the batch is as safe as ``acks`` asks, or rejected."""
        rules = self.replica.rules
        if not zstd_allowed:
            rules = replace(rules, zstd_allowed=False)
        if self.log.config.cleanup_compact:
            self._append_after_key_check(bytearray(records), acks, outcome, rules, now_ms)
        else:
            self._append(records, acks, outcome, rules, now_ms)

    def _append_after_key_check(
        self, records: bytearray, acks: int, outcome: AppendOutcome, rules: ProduceRules, now_ms: int
    ) -> None:
        """Look for records without a key in a thread: a compacted topic cannot keep them.

        The thread checks one batch after the other, so that the batches of a partition keep their order.
        """
        view = memoryview(records)
        lacking: list[list[int]] = []

        def checked(error: BaseException | None) -> None:
            self._in_key_check.popleft()
            if self.replica.is_closed:
                outcome.reject(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            elif error is not None:
                outcome.reject(ErrorCode.CORRUPT_MESSAGE, f"the records cannot be read: {error}")
            elif lacking[0]:
                outcome.reject(ErrorCode.INVALID_RECORD, NO_KEY, faulty_records=lacking[0])
            else:
                self._append(view, acks, outcome, rules, now_ms)
                self.replica.write()

        self._in_key_check.append(view)
        self.replica.disk.key_checker.submit(lambda: lacking.append(records_without_key(view)), checked)

    def _append(self, records: memoryview, acks: int, outcome: AppendOutcome, rules: ProduceRules, now_ms: int) -> None:
        if self.log.offline is not None:
            outcome.reject(ErrorCode.KAFKA_STORAGE_ERROR, str(self.log.offline))
            return
        if acks == -1 and (error := self.leader.rejection_of_acks_all()) is not None:
            outcome.reject(error, self._too_few_in_sync())
            return
        header = check_produced(records, rules, now_ms)
        if isinstance(header, BatchRejection):
            outcome.reject(header.error, header.message)
            return
        if header.producer_id >= 0 and self._is_answered_by_producer_state(header, acks, outcome):
            return
        if rules.log_append_time:
            header = restamp_append_time(records, now_ms)
            outcome.append_time_ms = now_ms
        self._stage(records, header, acks, outcome, now_ms)

    def _stage(self, records: memoryview, header: BatchHeader, acks: int, outcome: AppendOutcome, now_ms: int) -> None:
        try:
            outcome.base_offset = self.log.stage(records, header, self.leader_epoch, now_ms)
        except LogOfflineError as error:
            self.replica.go_offline(error)
            outcome.reject(ErrorCode.KAFKA_STORAGE_ERROR, str(error))
            return
        self._await(outcome.base_offset + header.last_offset_delta, acks, outcome)
        self._count_in(header)
        self.replica.mark_dirty()

    def append_own(self, batch: bytearray, now_ms: int) -> int | ErrorCode:
        """Stage a batch of this broker's own; return the offset that must be committed before the batch counts.

        It is written at the end of the read event, and the listeners are called when it is committed or lost.
        """
        if self.replica.is_closed:
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        if self.is_offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if (error := self.leader.rejection_of_acks_all()) is not None:
            return error
        header = read_header(batch)
        try:
            base_offset = self.log.stage(memoryview(batch), header, self.leader_epoch, now_ms)
        except LogOfflineError as offline:
            self.replica.go_offline(offline)
            return ErrorCode.KAFKA_STORAGE_ERROR
        self._count_in(header)
        self.replica.mark_dirty()
        return base_offset + header.last_offset_delta + 1

    def _count_in(self, header: BatchHeader) -> None:
        traffic = self.replica.traffic
        traffic.batches_in += 1
        traffic.messages_in += header.record_count
        traffic.bytes_in += header.size_bytes

    def _is_answered_by_producer_state(self, header: BatchHeader, acks: int, outcome: AppendOutcome) -> bool:
        known = self.log.producers.check(header)
        if isinstance(known, Duplicate):
            # A duplicate is acknowledged when the original is as safe as the acks of the duplicate ask.
            outcome.base_offset = known.base_offset
            self._await(known.last_offset, acks, outcome)
            self._settle()
            return True
        if isinstance(known, Refused):
            has_predecessor = self.leader_epoch > 0 and len(self.leader.replicas) > 1
            term_age_ms = steady_ms() - self._began_ms
            outcome.reject(error_of_gap(known.error, term_age_ms, has_predecessor=has_predecessor), known.message)
            return True
        return False

    def waiting_producers(self) -> Iterator[Sequences]:
        """Yield the sequences that each idempotent producer waits for, in the order in which they were sent.

        The log may hold later batches of a producer that is sending them again and has not come to them yet.
        """
        waiting = chain(self._awaiting_local, self._awaiting_commit)
        yield from self.log.producers.sequences_at([offset for offset, outcome in waiting if not outcome.is_settled])
        yield from filter(None, map(sequences_of, self._in_key_check))

    def _await(self, last_offset: int, acks: int, outcome: AppendOutcome) -> None:
        if acks == -1:
            self._awaiting_commit.append((last_offset, outcome))
        else:
            self._awaiting_local.append((last_offset, outcome))

    def _too_few_in_sync(self) -> str:
        return (
            f"{len(self.leader.isr)} replicas are in sync where min.insync.replicas asks for {self.leader.in_sync_min}"
        )

    # --- what follows from a write

    def on_local_end(self, end_offset: int) -> None:
        """Pass the new log end to the core, acknowledge what is safe, and wake the fetches of followers."""
        if self.replica.is_closed:
            return
        leader = self.leader
        if end_offset > leader.log_end_offset:
            self._apply(leader.handle(LocalAppended(Offset(end_offset))), leader.broker)
            if leader.high_watermark < end_offset and not self._uncommitted_since_ns:
                self._uncommitted_since_ns = monotonic_ns()
            for follower in tuple(self.replica.followers):
                follower.on_appended()
        self._settle()
        if self.tracer.on and self._awaiting_commit:
            record_waiting(self.tracer, leader, self._awaiting_commit)

    def handle(self, event: LeaderEvent) -> None:
        """Pass an event to the core, and apply the effects."""
        if not self.replica.is_closed:
            self._apply(self.leader.handle(event), IN_SYNC_SET)

    def _apply(self, effects: tuple[LeaderEffect, ...], by: int) -> None:
        """Apply the core's effects; ``by`` is the broker whose log end caused them, or IN_SYNC_SET."""
        if self.tracer.on and self.tracer.follows((where := self.topic_partition).topic):
            waiting = self._awaiting_local, self._awaiting_commit
            record_progress(self.tracer, where, self.leader, self.replica.watermarks.last, by, *waiting)
        for effect in effects:
            match effect:
                case AdvanceHighWatermark():
                    self.replica.watermarks.note(effect.high_watermark, wall_ms(), by)
                    if self._uncommitted_since_ns:
                        self._observe_commit()
                    self._settle()
                    self.replica.notify_listeners()
                case ProposeIsr() | RewriteUnchanged():
                    self._propose(self, effect)
                case _:
                    assert_never(effect)

    def _observe_commit(self) -> None:
        """Measure how long records waited for followers; records that came later count as waiting from now on."""
        self.advanced_ns = now_ns = monotonic_ns()
        self.meters.commits.observe(now_ns - self._uncommitted_since_ns)
        self._uncommitted_since_ns = now_ns if self.leader.high_watermark < self.leader.log_end_offset else 0

    def _settle(self) -> None:
        """Acknowledge what is safe; the cost grows with the batches acknowledged, not with the batches that wait."""
        _acknowledge_below(self._awaiting_local, self.leader.log_end_offset, self.log.log_start_offset)
        _acknowledge_below(self._awaiting_commit, self.leader.high_watermark, self.log.log_start_offset)

    def reject_waiting(self, error: ErrorCode, message: str | None) -> None:
        """Reject every batch that is not safe yet."""
        for waiting in (self._awaiting_local, self._awaiting_commit):
            while waiting:
                waiting.popleft()[1].reject(error, message)

    # --- followers

    def rejection_of_follower(self, replica: int, broker_epoch: int, leader_epoch: int) -> ErrorCode | None:
        """Return why a follower's fetch is rejected, or None where it may be served."""
        return self.leader.rejection_of_fetch(BrokerId(replica), BrokerEpoch(broker_epoch), LeaderEpoch(leader_epoch))

    def on_follower_fetched(
        self, follower: BrokerId, broker_epoch: BrokerEpoch, leader_epoch: int, fetch_offset: int, now_ms: int
    ) -> None:
        """Count that a follower of this term holds everything below an offset."""
        if self.leader.rejection_of_fetch(follower, broker_epoch, LeaderEpoch(leader_epoch)) is None:
            fetched = FollowerFetched(follower, broker_epoch, Offset(fetch_offset), now_ms)
            self._apply(self.leader.handle(fetched), follower)

    def on_isr_committed(self, event: IsrCommitted) -> None:
        """Go on with another in-sync set or minimum."""
        before = len(self.leader.isr)
        self._apply(self.leader.handle(event), IN_SYNC_SET)
        self.meters.in_sync_shrinks += len(self.leader.isr) < before
        self.meters.in_sync_expands += len(self.leader.isr) > before

    def end_offset_for_epoch(self, leader_epoch: int) -> tuple[int, int]:
        """Return the largest epoch not above the one asked for, and where its records end; (-1, -1) if none."""
        if leader_epoch == self.leader_epoch:
            return leader_epoch, self.log.log_end_offset
        held = epoch_end(self.log.leader_epochs, self.log.log_end_offset, leader_epoch)
        return (-1, -1) if leader_epoch > self.leader_epoch else (held.epoch, held.end_offset)


def _acknowledge_below(waiting: deque[tuple[int, AppendOutcome]], end_offset: int, log_start_offset: int) -> None:
    while waiting and waiting[0][0] < end_offset:
        waiting.popleft()[1].acknowledge(log_start_offset)
