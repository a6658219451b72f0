"""One partition that this broker leads, for one term: its log, its leader core and those who wait for it.

The log decides offsets, the leader core decides what is committed, and this driver carries bytes and answers between
them.
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
from chronik.records.validation import ProduceRules, Refusal, check_produced, records_without_key, restamp_append_time
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
from chronik.server.produce.trace import record_progress, record_waiting
from chronik.server.replicas.replica import DiskServices, Replica
from chronik.storage.errors import LogOfflineError
from chronik.storage.log import Log
from chronik.storage.producer_state import Duplicate, Refused

NO_KEY: Final = "a compacted topic takes no record without a key"
YOUNG_MS: Final = 5_000
"""How long after a change of leader a producer may have sent what is missing to the leader before."""


class LeaderReplica(Replica):
    """Appends, and answers when what was appended is safe."""

    __slots__ = (
        "_awaiting_commit",
        "_awaiting_local",
        "_began_ms",
        "_in_key_check",
        "_propose",
        "_uncommitted_since_ns",
        "advanced_ns",
        "leader",
    )

    def __init__(
        self,
        partition_log: Log,
        leader: PartitionLeader,
        rules: ProduceRules,
        disk: DiskServices,
        propose: Callable[["LeaderReplica", ProposeIsr | RewriteUnchanged], None],
    ) -> None:
        super().__init__(partition_log, rules, disk)
        self.leader = leader
        self._propose = propose
        self._began_ms = steady_ms()
        self._uncommitted_since_ns = 0
        self.advanced_ns = 0
        """When the watermark last moved because of a follower."""
        self._in_key_check: deque[memoryview] = deque()
        self._awaiting_local: deque[tuple[int, AppendOutcome]] = deque()
        self._awaiting_commit: deque[tuple[int, AppendOutcome]] = deque()
        self._watermarks.begin(leader.high_watermark, wall_ms())
        self._apply(leader.begin(), leader.broker)

    @property
    def leader_epoch(self) -> LeaderEpoch:
        return self.leader.term.leader_epoch

    @property
    def high_watermark(self) -> Offset:
        return self.leader.high_watermark

    # --- appending

    def append(
        self, records: memoryview, acks: int, outcome: AppendOutcome, now_ms: int, *, zstd_allowed: bool
    ) -> None:
        """Take one batch; the receipt is settled when the batch is as safe as ``acks`` asks, or refused."""
        rules = self.rules if zstd_allowed else replace(self.rules, zstd_allowed=False)
        if self.log.config.cleanup_compact:
            self._append_after_key_check(bytearray(records), acks, outcome, rules, now_ms)
        else:
            self._append(records, acks, outcome, rules, now_ms)

    def _append_after_key_check(
        self, records: bytearray, acks: int, outcome: AppendOutcome, rules: ProduceRules, now_ms: int
    ) -> None:
        """Look for records without a key off the loop: a compacted topic cannot keep them.

        The thread takes one batch after the other, so that the batches of a partition keep their order.
        """
        view = memoryview(records)
        lacking: list[list[int]] = []

        def checked(error: BaseException | None) -> None:
            self._in_key_check.popleft()
            if self.is_closed:
                outcome.refuse(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            elif error is not None:
                outcome.refuse(ErrorCode.CORRUPT_MESSAGE, f"the records cannot be read: {error}")
            elif lacking[0]:
                outcome.refuse(ErrorCode.INVALID_RECORD, NO_KEY, faulty_records=lacking[0])
            else:
                self._append(view, acks, outcome, rules, now_ms)
                self.write()

        self._in_key_check.append(view)
        self._disk.key_checker.submit(lambda: lacking.append(records_without_key(view)), checked)

    def _append(self, records: memoryview, acks: int, outcome: AppendOutcome, rules: ProduceRules, now_ms: int) -> None:
        if self.log.offline is not None:
            outcome.refuse(ErrorCode.KAFKA_STORAGE_ERROR, str(self.log.offline))
            return
        if acks == -1 and (error := self.leader.rejection_of_acks_all()) is not None:
            outcome.refuse(error, self._too_few_in_sync())
            return
        header = check_produced(records, rules, now_ms)
        if isinstance(header, Refusal):
            outcome.refuse(header.error, header.message)
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
            self._go_offline(error)
            outcome.refuse(ErrorCode.KAFKA_STORAGE_ERROR, str(error))
            return
        self._await(outcome.base_offset + header.last_offset_delta, acks, outcome)
        self._count_in(header)
        self._mark_dirty()

    def append_own(self, batch: bytearray, now_ms: int) -> int | ErrorCode:
        """Stage a batch that this broker made for itself; gives the offset that must be committed before it counts.

        It is written with what the read event has staged, and the listeners hear when it is committed or lost.
        """
        if self.is_closed:
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        if self.is_offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if (error := self.leader.rejection_of_acks_all()) is not None:
            return error
        header = read_header(batch)
        try:
            base_offset = self.log.stage(memoryview(batch), header, self.leader_epoch, now_ms)
        except LogOfflineError as offline:
            self._go_offline(offline)
            return ErrorCode.KAFKA_STORAGE_ERROR
        self._count_in(header)
        self._mark_dirty()
        return base_offset + header.last_offset_delta + 1

    def _count_in(self, header: BatchHeader) -> None:
        traffic = self.traffic
        traffic.batches_in += 1
        traffic.messages_in += header.record_count
        traffic.bytes_in += header.size_bytes

    def _is_answered_by_producer_state(self, header: BatchHeader, acks: int, outcome: AppendOutcome) -> bool:
        known = self.log.producers.check(header)
        if isinstance(known, Duplicate):
            # A duplicate is answered when the original is as safe as the acks of the duplicate ask.
            outcome.base_offset = known.base_offset
            self._await(known.last_offset, acks, outcome)
            self._settle()
            return True
        if isinstance(known, Refused):
            is_gap = known.error is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
            error = ErrorCode.NOT_LEADER_OR_FOLLOWER if is_gap and self._may_lack_what_was_sent else known.error
            outcome.refuse(error, known.message)
            return True
        return False

    @property
    def _may_lack_what_was_sent(self) -> bool:
        """Whether a gap may be filled by what is on its way back from another leader: the producer shall wait for it.

        Told of a gap, librdkafka numbers anew what it has under way, and what of it is in the log is stored twice.
        """
        has_predecessor = self.leader_epoch > 0 and len(self.leader.replicas) > 1
        return has_predecessor and steady_ms() - self._began_ms < YOUNG_MS

    def waiting_producers(self) -> Iterator[Sequences]:
        """Give what each idempotent producer waits for an answer to, in the order in which it was sent.

        What the log holds beyond that may be what a producer that sends again has not sent again yet.
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

    # --- what follows from it

    def _on_local_end(self, end_offset: int) -> None:
        if self.is_closed:
            return
        leader = self.leader
        if end_offset > leader.log_end_offset:
            self._apply(leader.handle(LocalAppended(Offset(end_offset))), leader.broker)
            if leader.high_watermark < end_offset and not self._uncommitted_since_ns:
                self._uncommitted_since_ns = monotonic_ns()
            for follower in tuple(self.followers):
                follower.on_appended()
        self._settle()
        if self.tracer.on and self._awaiting_commit:
            record_waiting(self.tracer, leader, self._awaiting_commit)

    def handle(self, event: LeaderEvent) -> None:
        """Tell the core what happened, and do what it says."""
        if not self.is_closed:
            self._apply(self.leader.handle(event), IN_SYNC_SET)

    def _apply(self, effects: tuple[LeaderEffect, ...], by: int) -> None:
        """Do what the core says because of what a broker holds now, or of the in-sync set."""
        if self.tracer.on and self.tracer.follows((where := self.topic_partition).topic):
            waiting = self._awaiting_local, self._awaiting_commit
            record_progress(self.tracer, where, self.leader, self._watermarks.last, by, *waiting)
        for effect in effects:
            match effect:
                case AdvanceHighWatermark():
                    self._watermarks.note(effect.high_watermark, wall_ms(), by)
                    if self._uncommitted_since_ns:
                        self._note_commit()
                    self._settle()
                    self._tell_listeners()
                case ProposeIsr() | RewriteUnchanged():
                    self._propose(self, effect)
                case _:
                    assert_never(effect)

    def _note_commit(self) -> None:
        """Take the time that records have waited for followers; what came later is taken to wait from now on."""
        self.advanced_ns = now_ns = monotonic_ns()
        self.meters.commits.observe(now_ns - self._uncommitted_since_ns)
        self._uncommitted_since_ns = now_ns if self.leader.high_watermark < self.leader.log_end_offset else 0

    def _settle(self) -> None:
        """Acknowledge what is safe; its cost depends on what is acknowledged, not on how many wait."""
        _acknowledge_below(self._awaiting_local, self.leader.log_end_offset, self.log.log_start_offset)
        _acknowledge_below(self._awaiting_commit, self.leader.high_watermark, self.log.log_start_offset)

    def end_offset_for_epoch(self, leader_epoch: int) -> tuple[int, int]:
        """The largest epoch not above the one asked for, and where its records end."""
        if leader_epoch == self.leader_epoch:
            return leader_epoch, self.log.log_end_offset
        held = epoch_end(self.log.leader_epochs, self.log.log_end_offset, leader_epoch)
        return (-1, -1) if leader_epoch > self.leader_epoch else (held.epoch, held.end_offset)

    # --- followers

    def rejection_of_follower(self, replica: int, broker_epoch: int, leader_epoch: int) -> ErrorCode | None:
        """Say why a follower's fetch must be refused, or None where it may be served."""
        return self.leader.rejection_of_fetch(BrokerId(replica), BrokerEpoch(broker_epoch), LeaderEpoch(leader_epoch))

    def on_follower_fetched(
        self, follower: BrokerId, broker_epoch: BrokerEpoch, leader_epoch: int, fetch_offset: int, now_ms: int
    ) -> None:
        """Take note that a follower of this term holds everything below an offset."""
        if self.leader.rejection_of_fetch(follower, broker_epoch, LeaderEpoch(leader_epoch)) is None:
            fetched = FollowerFetched(follower, broker_epoch, Offset(fetch_offset), now_ms)
            self._apply(self.leader.handle(fetched), follower)

    def on_isr_committed(self, event: IsrCommitted) -> None:
        """Go on with another in-sync set or minimum."""
        before = len(self.leader.isr)
        self._apply(self.leader.handle(event), IN_SYNC_SET)
        self.meters.in_sync_shrinks += len(self.leader.isr) < before
        self.meters.in_sync_expands += len(self.leader.isr) > before

    def _refuse_waiting(self, error: ErrorCode, message: str | None) -> None:
        for waiting in (self._awaiting_local, self._awaiting_commit):
            while waiting:
                waiting.popleft()[1].refuse(error, message)


def _acknowledge_below(waiting: deque[tuple[int, AppendOutcome]], end_offset: int, log_start_offset: int) -> None:
    while waiting and waiting[0][0] < end_offset:
        waiting.popleft()[1].acknowledge(log_start_offset)
