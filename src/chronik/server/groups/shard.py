"""Connects a shard to its partition: records are appended, responses wait until these records are committed.

A shard changes its state before its records are written. So every response, also one of a read-only command, waits
until all records appended before it are committed. If an append fails, the shard is closed with its state, and the
waiting clients get an error that makes them look up the coordinator again.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final, cast

from chronik.coordinator.commands import (
    Command,
    CommitOffsets,
    DeleteGroup,
    DeleteOffsets,
    JoinGroup,
    LeaveGroup,
    SyncGroup,
)
from chronik.coordinator.responses import CoordinatorResult, ErrorResponse, GroupMove, GroupResponse, StateRecord
from chronik.coordinator.shard import GroupShard
from chronik.model.errors import ErrorCode
from chronik.model.ids import Millis
from chronik.observability.trace_events import GroupChanged
from chronik.records.build import build_keyed_batch
from chronik.server.groups.requests import GroupRequestHandle
from chronik.server.loop.clock import SteadyClock, now_ms
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.replica import Replica

_WRITING: Final = frozenset({JoinGroup, SyncGroup, LeaveGroup, CommitOffsets, DeleteOffsets, DeleteGroup})
BATCH_BYTES_MAX: Final = 1_000_000
"""A commit of very many partitions is split, so that no batch is larger than consumers and followers accept."""
_RECORD_OVERHEAD_BYTES: Final = 32

_Responses = Sequence[tuple[GroupRequestHandle, GroupResponse]]


class ShardRuntime:
    """Runs one group shard on the partition that holds its records, for one leader term."""

    __slots__ = ("_clock", "_held", "_may_lead", "_on_abandoned", "partition", "refusal", "shard")

    def __init__(
        self,
        partition: LeaderReplica,
        shard: GroupShard,
        clock: SteadyClock,
        on_abandoned: Callable[[], None],
        may_lead: Callable[[], bool] = lambda: True,
    ) -> None:
        self.partition = partition
        self.shard = shard
        self._clock = clock
        self.refusal: ErrorCode | None = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        """The error with which commands are rejected; None while the shard serves."""
        self._on_abandoned = on_abandoned
        self._may_lead = may_lead
        self._held: deque[tuple[int, list[tuple[GroupRequestHandle, GroupResponse]]]] = deque()
        """Responses, with the offset that must be committed before they are sent."""
        partition.replica.listeners[self] = None

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
        """Whether an append would succeed now."""
        return self.partition.leader.rejection_of_acks_all() is None and self._may_lead()

    # --- commands

    def handle(self, command: Command, request: GroupRequestHandle, now: Millis) -> None:
        """Carry out a command; the request gets its response now or later."""
        if self.refusal is not None:
            request.complete(ErrorResponse(self.refusal))
        elif type(command) in _WRITING and not self.may_write:
            request.complete(ErrorResponse(ErrorCode.COORDINATOR_NOT_AVAILABLE))
        else:
            request.holder = self
            self.carry_out(self.shard.handle(command, request, now))

    def abandon(self, request: GroupRequestHandle) -> None:
        """Drop a request whose connection is closed."""
        if self.is_serving:
            self.carry_out(self.shard.abandon(request, self._clock.now_ms()))
            self._on_abandoned()

    # --- carrying out

    def begin(self, result: CoordinatorResult) -> None:
        """Start to serve: all records have been replayed. Responses wait until these records are committed."""
        self.refusal = None
        end_offset = self.partition.log.log_end_offset
        if self.partition.high_watermark < end_offset:
            self._held.append((end_offset, []))
        self.carry_out(result)

    def carry_out(self, result: CoordinatorResult) -> None:
        """Append the records of a result, and send its responses when all records appended so far are committed."""
        responses = _responses_of(result)
        if result.moves and self.partition.tracer.on:
            self._trace(result.moves)
        if result.records and not self._append(result.records):
            _refuse(responses, ErrorCode.COORDINATOR_NOT_AVAILABLE)
            self.end(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        elif self._held:
            self._held[-1][1].extend(responses)
        else:
            _deliver(responses)

    def _trace(self, moves: Sequence[GroupMove]) -> None:
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
        """Send the responses whose records are committed now."""
        if replica.is_closed:
            self.end(ErrorCode.NOT_COORDINATOR)
        elif replica.is_offline:
            self.end(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        else:
            while self._held and self._held[0][0] <= replica.high_watermark:
                _deliver(self._held.popleft()[1])

    # --- the end

    def end(self, refusal: ErrorCode) -> None:
        """Close the shard: reject all waiting requests with ``refusal``."""
        was_serving, self.refusal = self.is_serving, refusal
        self.partition.replica.listeners.pop(self, None)
        held, self._held = self._held, deque()
        for _, responses in held:
            _refuse(responses, refusal)
        if was_serving:
            _deliver(_responses_of(self.shard.end_term()))


def _responses_of(result: CoordinatorResult) -> _Responses:
    """Return the responses with the type of their requests, which the core does not know."""
    return cast(_Responses, result.responses)


def _deliver(responses: _Responses) -> None:
    for request, response in responses:
        request.complete(response)


def _refuse(responses: _Responses, error: ErrorCode) -> None:
    for request, _ in responses:
        request.complete(ErrorResponse(error))


def _batches(records: Sequence[StateRecord]) -> Iterator[bytearray]:
    """Build the batches of a result's records, usually one."""
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
