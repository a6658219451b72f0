"""One shard of groups at work: its records go to its partition, its answers wait until what they rest on is committed.

A shard changes its state before its records are written. So every answer, also one that changed nothing, waits until
all that was appended before it is committed; and where an append fails, the shard is given up with its state, and
everybody who waits is told to look for the coordinator anew.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final, cast

from chronik.coordinator.answers import Answer, ErrorAnswer, GroupMove, StateRecord, Step
from chronik.coordinator.commands import (
    Command,
    CommitOffsets,
    DeleteGroup,
    DeleteOffsets,
    JoinGroup,
    LeaveGroup,
    SyncGroup,
)
from chronik.coordinator.shard import GroupShard
from chronik.model.errors import ErrorCode
from chronik.model.ids import Millis
from chronik.observability.trace_events import GroupChanged
from chronik.records.build import build_keyed_batch
from chronik.server.groups.requests import GroupTicket
from chronik.server.loop.clock import SteadyClock, now_ms
from chronik.server.replicas.leader import Partition
from chronik.server.replicas.replica import Replica

_WRITING: Final = frozenset({JoinGroup, SyncGroup, LeaveGroup, CommitOffsets, DeleteOffsets, DeleteGroup})
BATCH_BYTES_MAX: Final = 1_000_000
"""A commit of very many partitions is split, so that every batch stays below what readers and replicas take."""
_RECORD_OVERHEAD_BYTES: Final = 32

_Answers = Sequence[tuple[GroupTicket, Answer]]


class LedShard:
    """Joins one shard to the partition that holds its records, for one term."""

    __slots__ = ("_clock", "_held", "_may_lead", "_on_abandoned", "partition", "refusal", "shard")

    def __init__(
        self,
        partition: Partition,
        shard: GroupShard,
        clock: SteadyClock,
        on_abandoned: Callable[[], None],
        may_lead: Callable[[], bool] = lambda: True,
    ) -> None:
        self.partition = partition
        self.shard = shard
        self._clock = clock
        self.refusal: ErrorCode | None = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        """Why nothing can be asked of it now."""
        self._on_abandoned = on_abandoned
        self._may_lead = may_lead
        self._held: deque[tuple[int, list[tuple[GroupTicket, Answer]]]] = deque()
        """Answers by the offset that must be committed before they leave."""
        partition.listeners[self] = None

    @property
    def index(self) -> int:
        return self.partition.topic_partition.partition

    @property
    def is_serving(self) -> bool:
        return self.refusal is None

    @property
    def is_loading(self) -> bool:
        return self.refusal is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS

    @property
    def may_write(self) -> bool:
        """Whether an append would be taken now."""
        return self.partition.leader.why_not_acks_all() is None and self._may_lead()

    # --- asking

    def handle(self, command: Command, ticket: GroupTicket, now: Millis) -> None:
        """Carry out a command; the ticket is given the answer now or later."""
        if self.refusal is not None:
            ticket.give(ErrorAnswer(self.refusal))
        elif type(command) in _WRITING and not self.may_write:
            ticket.give(ErrorAnswer(ErrorCode.COORDINATOR_NOT_AVAILABLE))
        else:
            ticket.parking = self
            self.carry_out(self.shard.handle(command, ticket, now))

    def abandon(self, ticket: GroupTicket) -> None:
        """Take a request out whose connection is gone."""
        if self.is_serving:
            self.carry_out(self.shard.abandon(ticket, self._clock.now_ms()))
            self._on_abandoned()

    # --- carrying out

    def begin(self, step: Step) -> None:
        """Serve: all records have been replayed. What was loaded may not be committed yet."""
        self.refusal = None
        end_offset = self.partition.log_end_offset
        if self.partition.high_watermark < end_offset:
            self._held.append((end_offset, []))
        self.carry_out(step)

    def carry_out(self, step: Step) -> None:
        """Append the records of a step, and let its answers leave when all appended so far is committed."""
        answers = _tickets_of(step)
        if step.moves and self.partition.tracer.on:
            self._tell(step.moves)
        if step.records and not self._append(step.records):
            _refuse(answers, ErrorCode.COORDINATOR_NOT_AVAILABLE)
            self.end(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        elif self._held:
            self._held[-1][1].extend(answers)
        else:
            _deliver(answers)

    def _tell(self, moves: Sequence[GroupMove]) -> None:
        where, tracer = self.partition.topic_partition, self.partition.tracer
        if tracer.follows(where.topic):
            for move in moves:
                states = (move.state_before, move.state)
                tracer.emit(GroupChanged, *where, move.group_id, *states, move.generation, move.members)

    def _append(self, records: Sequence[StateRecord]) -> bool:
        for batch in _batches(records):
            end_offset = self.partition.append_own(batch, now_ms())
            if isinstance(end_offset, ErrorCode):
                return False
            self._held.append((end_offset, []))
        return True

    def on_committed(self, replica: Replica) -> None:
        """Let the answers leave that rest on what is committed now."""
        if replica.is_closed:
            self.end(ErrorCode.NOT_COORDINATOR)
        elif replica.is_offline:
            self.end(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        else:
            while self._held and self._held[0][0] <= replica.high_watermark:
                _deliver(self._held.popleft()[1])

    # --- the end

    def end(self, refusal: ErrorCode) -> None:
        """Give the shard up: whoever waits is told, and its state is not asked again."""
        was_serving, self.refusal = self.is_serving, refusal
        self.partition.listeners.pop(self, None)
        held, self._held = self._held, deque()
        for _, answers in held:
            _refuse(answers, refusal)
        if was_serving:
            _deliver(_tickets_of(self.shard.end_term()))


def _tickets_of(step: Step) -> _Answers:
    """Take back what the shard was given: it knows tickets only as things to tell apart."""
    return cast(_Answers, step.answers)


def _deliver(answers: _Answers) -> None:
    for ticket, answer in answers:
        ticket.give(answer)


def _refuse(answers: _Answers, error: ErrorCode) -> None:
    for ticket, _ in answers:
        ticket.give(ErrorAnswer(error))


def _batches(records: Sequence[StateRecord]) -> Iterator[bytearray]:
    """Make batches of a step's records, as a rule one."""
    time_ms = now_ms()
    batch: list[StateRecord] = []
    size = 0
    for record in records:
        key, value = record
        record_bytes = len(key) + len(value or b"") + _RECORD_OVERHEAD_BYTES
        if batch and size + record_bytes > BATCH_BYTES_MAX:
            yield build_keyed_batch(batch, time_ms)
            batch, size = [], 0
        batch.append(record)
        size += record_bytes
    if batch:
        yield build_keyed_batch(batch, time_ms)
