"""A follower of one partition in one term: it appends what the leader sends, and truncates its log
where the leader's differs.

The follower core decides, one fetch response at a time; this driver applies the effects to the log.
"""

import logging
from collections.abc import Callable, Sequence
from typing import assert_never

from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, LeaderEpoch, Offset
from chronik.observability import trace_events
from chronik.records.batch import BatchHeader, CorruptBatch, crc_is_right, walk
from chronik.records.validation import ProduceRules
from chronik.replication.divergence import epoch_end
from chronik.replication.events import (
    AdvanceHighWatermark,
    AdvanceLogStart,
    Append,
    Appended,
    Divergence,
    FetchAgain,
    FetchAsk,
    FetchFailed,
    FetchSucceeded,
    FollowerEffect,
    FollowerEvent,
    LogTruncated,
    ReportLoss,
    StartAt,
    TruncateTo,
)
from chronik.replication.follower import PartitionFollower
from chronik.server.loop.clock import now_ms
from chronik.server.replicas.replica import DiskServices, Replica
from chronik.server.replicas.truncation import DurableTruncation
from chronik.storage.errors import LogOfflineError
from chronik.storage.jobs import DeletedSegment
from chronik.storage.log import Log

log = logging.getLogger(__name__)

_Batches = Sequence[tuple[memoryview, BatchHeader]]


class BadAnswerError(Exception):
    """A fetch response that cannot be an answer to the request."""


class FollowerReplica:
    """Follows a leader with the replica of this broker."""

    __slots__ = (
        "_batches",
        "_expected_end",
        "_truncation",
        "follower",
        "leader_epoch",
        "leader_id",
        "log",
        "on_ready",
        "replica",
        "topic_id",
        "topic_partition",
        "tracer",
    )

    def __init__(
        self,
        partition_log: Log,
        follower: PartitionFollower,
        rules: ProduceRules,
        disk: DiskServices,
        truncation: DurableTruncation,
    ) -> None:
        self.replica = Replica(partition_log, follower, rules, disk, self)
        self.follower = follower
        self.leader_id: BrokerId = follower.term.leader
        self.leader_epoch = follower.term.leader_epoch
        self.log = partition_log
        self.topic_partition = partition_log.topic_partition
        self.topic_id = partition_log.topic_id
        self.tracer = disk.tracer
        self.on_ready: Callable[[FollowerReplica], None] = _ignore
        """Called when the core has the next fetch for its leader."""
        self._truncation = truncation
        self._batches: _Batches = ()
        self._expected_end = 0
        self.replica.watermarks.begin(follower.high_watermark, now_ms())

    @property
    def is_closed(self) -> bool:
        return self.replica.is_closed

    @property
    def is_offline(self) -> bool:
        return self.log.offline is not None

    # --- fetch responses

    def take_answer(
        self,
        ask: FetchAsk,
        records: memoryview,
        *,
        high_watermark: int,
        log_start_offset: int,
        diverging: tuple[int, int] | None,
    ) -> None:
        """Take the leader's response to a fetch; raise BadAnswerError where it cannot be one."""
        batches = self._checked(ask, records)
        divergence, own_end = None, None
        if diverging is not None:
            divergence = Divergence(LeaderEpoch(diverging[0]), Offset(diverging[1]))
            own_end = epoch_end(self.log.leader_epochs, self.log.log_end_offset, diverging[0]).end_offset
        self._batches = batches
        self._handle(
            FetchSucceeded(
                ask,
                Offset(high_watermark),
                Offset(log_start_offset),
                Offset(batches[-1][1].next_offset) if batches else None,
                divergence,
                own_end,
            )
        )
        self._batches = ()

    def fetch_failed(self, ask: FetchAsk) -> None:
        """Let the core ask again: the fetch brought no response, or an error."""
        if not self.is_closed:
            self._handle(FetchFailed(ask))

    def _checked(self, ask: FetchAsk, records: memoryview) -> _Batches:
        """Split a response into whole batches, each checked, in order from the fetch offset on."""
        batches: list[tuple[memoryview, BatchHeader]] = []
        expected, epoch = ask.fetch_offset, int(ask.last_fetched_epoch)
        try:
            for position, header in walk(records):
                if not crc_is_right(records, position, header.size_bytes):
                    raise BadAnswerError(f"the batch at offset {header.base_offset} has a wrong checksum")
                if header.base_offset < expected:
                    raise BadAnswerError(f"a batch begins at offset {header.base_offset} where {expected} was due")
                if not epoch <= header.partition_leader_epoch <= ask.leader_epoch:
                    claimed = f"leader epoch {header.partition_leader_epoch} for offset {header.base_offset}"
                    raise BadAnswerError(f"{claimed}, behind epoch {epoch} and under a leader of {ask.leader_epoch}")
                epoch = header.partition_leader_epoch
                batches.append((records[position : position + header.size_bytes], header))
                expected = Offset(header.next_offset)
        except CorruptBatch as damage:
            raise BadAnswerError(str(damage)) from damage
        return batches

    # --- effects of the core

    def _handle(self, event: FollowerEvent) -> None:
        for effect in self.follower.handle(event):
            self._carry_out(effect)

    def _carry_out(self, effect: FollowerEffect) -> None:
        match effect:
            case Append():
                self._append()
            case TruncateTo():
                self._truncate_when_idle(effect.offset)
            case StartAt():
                self._start_when_idle(effect.offset)
            case AdvanceHighWatermark():
                self._record_watermark(self.follower.high_watermark)
                self.replica.notify_listeners()
            case AdvanceLogStart():
                self.log.advance_log_start(min(effect.offset, self.log.log_end_offset))
            case ReportLoss():
                log.error(
                    "%s: offsets %d to %d were committed, and leader %d of epoch %d has other records there: "
                    "this replica loses them. Find out what happened to the other replicas.",
                    self.topic_partition,
                    effect.first_offset,
                    effect.end_offset - 1,
                    self.leader_id,
                    self.leader_epoch,
                )
            case FetchAgain():
                self.on_ready(self)
            case _:
                assert_never(effect)

    def _record_watermark(self, high_watermark: int) -> None:
        where, was = self.topic_partition, self.replica.watermarks.last
        if high_watermark == was:
            # The append of this same response has moved it already.
            return
        self.replica.watermarks.note(high_watermark, now_ms(), self.leader_id)
        if self.tracer.on and self.tracer.follows(where.topic):
            self.tracer.emit(trace_events.WatermarkAdvanced, *where, was, high_watermark, self.leader_id)

    def _append(self) -> None:
        now = now_ms()
        try:
            for batch, header in self._batches:
                self.log.stage_replicated(batch, header, now)
                self.replica.traffic.replication_bytes_in += len(batch)
        except LogOfflineError as error:
            self.replica.go_offline(error)
            return
        self._expected_end = self.log.next_offset
        self.replica.write()

    def on_local_end(self, end_offset: int) -> None:
        """Report the append to the core when all batches of the response are written."""
        if not self.is_closed and 0 < self._expected_end <= end_offset:
            self._expected_end = 0
            self._handle(Appended(Offset(end_offset), LeaderEpoch(self.log.last_epoch)))

    def reject_waiting(self, error: ErrorCode, message: str | None) -> None:
        """Fetch no more once the term is over; nothing else waits for a follower."""
        if self.is_closed:
            self.on_ready = _ignore

    # --- truncation

    def _truncate_when_idle(self, offset: int) -> None:
        log.warning(
            "%s: truncating from offset %d to %d: leader %d of epoch %d has other records from there on",
            self.topic_partition,
            self.log.log_end_offset,
            offset,
            self.leader_id,
            self.leader_epoch,
        )
        self.replica.when_idle(lambda: self._truncate_to(offset))

    def _truncate_to(self, offset: int) -> None:
        if not self._is_left_to_repair(offset):
            self._truncate(lambda: self.log.truncate_to(offset, now_ms()))

    def _is_left_to_repair(self, offset: int) -> bool:
        """Whether the log is damaged where it must be truncated, and would lose more than the leader asked for.

        It must not lose that while it is in the ISR or ELR: the table ends this term when it has left both.
        """
        if self.is_closed or self.is_offline:
            return False
        try:
            damaged_from = self.log.damage_in_the_way_of(offset)
        except LogOfflineError as error:
            self.replica.go_offline(error)
            return True
        return damaged_from is not None and self.replica.on_damage(self.replica, damaged_from)

    def _start_when_idle(self, offset: int) -> None:
        log.warning(
            "%s: its log end %d is below the log start %d of leader %d: starting again from there",
            self.topic_partition,
            self.log.log_end_offset,
            offset,
            self.leader_id,
        )
        self.replica.when_idle(lambda: self._truncate(lambda: self.log.start_at(offset, now_ms())))

    def _truncate(self, truncate: Callable[[], list[DeletedSegment]]) -> None:
        if self.is_closed or self.is_offline:
            return
        self.replica.disk.read_ahead.forget(self.replica)
        where, was = self.topic_partition, self.log.log_end_offset
        try:
            deleted = truncate()
        except LogOfflineError as error:
            self.replica.go_offline(error)
            return
        if self.tracer.on and self.tracer.follows(where.topic):
            term = (self.leader_id, self.leader_epoch)
            self.tracer.emit(trace_events.Truncated, *where, was, self.log.log_end_offset, *term)
        self._truncation.persist(self.replica, deleted, self._on_truncated)

    def _on_truncated(self) -> None:
        if not self.is_closed and not self.is_offline:
            end, epoch = Offset(self.log.log_end_offset), LeaderEpoch(self.log.last_epoch)
            self._handle(LogTruncated(end, epoch))


def _ignore(followed: FollowerReplica) -> None:
    """Ask nothing: no fetcher follows this partition, or its term is over."""
