"""The trace of a produce request, recorded by the outcomes of its batches and by the partition that appends them."""

from collections import deque
from collections.abc import Callable, Iterable
from time import monotonic_ns, time_ns
from typing import Final

from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, TopicPartition
from chronik.observability.trace import Tracer, TraceRecord
from chronik.observability.trace_events import (
    NOBODY,
    Event,
    ProduceAbandoned,
    ProduceAcknowledged,
    ProduceAppended,
    ProduceForwarded,
    ProduceReceived,
    ProduceWaiting,
    Replicas,
    RequestRefused,
    WatermarkAdvanced,
    WatermarkHeld,
)
from chronik.replication.leader import PartitionLeader
from chronik.server.produce.append_outcome import AppendOutcome

_Waiting = deque[tuple[int, AppendOutcome]]
_Clocks = tuple[int, int]
Asked = tuple[str, int, str | None, int, int, int, int]
"""The fields of ProduceReceived; the first four identify the batch."""
_Batch = tuple[Asked, int, int, int]
"""The request, first and last offset, and the steady clock at its arrival."""

_RECEIVED: Final = 0
_APPENDED: Final = 1
_WAITING: Final = 2
_ACKNOWLEDGED: Final = 3


class TracedOutcome(AppendOutcome):
    """The outcome of one batch, with the events of its way."""

    __slots__ = ("_tracer", "asked", "is_abandoned", "stage", "started_ns")

    def __init__(self, on_settled: Callable[[], None], tracer: Tracer, asked: Asked) -> None:
        AppendOutcome.__init__(self, on_settled)
        self.asked = asked
        self.stage = _RECEIVED
        self.is_abandoned = False
        self._tracer = tracer
        self.started_ns = tracer.record(_received, asked)

    def acknowledge(self, log_start_offset: int) -> None:
        """Acknowledge the batch, and record it unless ``record_progress`` has."""
        if self.stage is not _ACKNOWLEDGED and not self.is_abandoned and not self.is_settled:
            self._tracer.record(_acknowledged, (self.asked, self.base_offset, -1, self.started_ns))
        AppendOutcome.acknowledge(self, log_start_offset)

    def record_forwarded(self, leader: int) -> None:
        """Record that the batch goes to its leader, unless it is rejected already."""
        if not self.is_settled:
            self._tracer.emit(ProduceForwarded, *self.asked[:4], leader)

    def record_rejected(self, leader: int = NOBODY) -> None:
        """Record the error that the client gets, and the leader that the response names."""
        if not self.is_abandoned:
            self._tracer.emit(RequestRefused, *self.asked[:4], "Produce", self.error.name, leader, self.message)

    def record_abandoned(self) -> None:
        """Record that the connection was closed before the batch was acknowledged; no later event says how it ends."""
        if not self.is_settled and self.stage is not _ACKNOWLEDGED:
            self.is_abandoned = True
            elapsed_us = (monotonic_ns() - self.started_ns) // 1_000
            self._tracer.emit(ProduceAbandoned, *self.asked[:4], elapsed_us)


# Events are made from the recorded tuples only when the trace is read.


def _received(asked: Asked, _steady_ns: int) -> Event:
    return ProduceReceived(*asked)


def _appended(fields: _Batch, _steady_ns: int) -> Event:
    asked, first_offset, last_offset, _ = fields
    return ProduceAppended(*asked[:4], first_offset, last_offset)


def _waits(fields: tuple[Asked, int, int, Replicas], _steady_ns: int) -> Event:
    asked, last_offset, high_watermark, behind = fields
    return ProduceWaiting(*asked[:4], last_offset, high_watermark, behind)


def _acknowledged(fields: _Batch, steady_ns: int) -> Event:
    asked, first_offset, _, started_ns = fields
    return ProduceAcknowledged(*asked[:4], first_offset, (steady_ns - started_ns) // 1_000)


def _advanced(fields: tuple[TopicPartition, int, int, int], _steady_ns: int) -> Event:
    where, was, now, by = fields
    return WatermarkAdvanced(*where, was, now, by)


def _held(fields: WatermarkHeld, _steady_ns: int) -> Event:
    return fields


def record_rejection(outcome: AppendOutcome, leader: int = NOBODY) -> None:
    """Record the rejection of a traced batch."""
    if isinstance(outcome, TracedOutcome) and outcome.error is not ErrorCode.NONE:
        outcome.record_rejected(leader)


def record_progress(
    tracer: Tracer, where: TopicPartition, leader: PartitionLeader, was: int, by: int, local: _Waiting, commit: _Waiting
) -> None:
    """Record the results of an event: batches written, high watermark moved or held, batches acknowledged."""
    clocks = wall_ns, steady_ns = time_ns(), monotonic_ns()
    high_watermark, end_offset = leader.high_watermark, leader.log_end_offset
    records: list[TraceRecord] = []
    acknowledged: list[TraceRecord] = []
    for last_offset, outcome in local:
        if last_offset >= end_offset:
            break
        if type(outcome) is TracedOutcome and not outcome.is_settled and not outcome.is_abandoned:
            # A batch that waits only for the write is recorded once: it is acknowledged in this turn of the loop.
            outcome.stage = _ACKNOWLEDGED
            batch = (outcome.asked, outcome.base_offset, last_offset, outcome.started_ns)
            records.append((wall_ns, steady_ns, _appended, batch))
            acknowledged.append((wall_ns, steady_ns, _acknowledged, batch))
    if commit:
        records += _appended_of(commit, end_offset, clocks)
        acknowledged += _acknowledged_of(commit, high_watermark, clocks)
    if high_watermark > was:
        records.append((wall_ns, steady_ns, _advanced, (where, was, high_watermark, by)))
    elif end_offset > high_watermark and by >= 0:
        records.append((wall_ns, steady_ns, _held, _watermark_held(where, leader, by)))
    tracer.record_all(records + acknowledged)


def _appended_of(commit: _Waiting, end_offset: int, clocks: _Clocks) -> Iterable[TraceRecord]:
    """Return the records of written batches; those that were recorded before come first in the queue."""
    found: list[TraceRecord] = []
    for last_offset, outcome in reversed(commit):
        if type(outcome) is TracedOutcome:
            if outcome.stage:
                break
            if last_offset < end_offset and not outcome.is_settled:
                outcome.stage = _APPENDED
                batch = (outcome.asked, outcome.base_offset, last_offset, outcome.started_ns)
                found.append((*clocks, _appended, batch))
    return reversed(found)


def _acknowledged_of(commit: _Waiting, high_watermark: int, clocks: _Clocks) -> list[TraceRecord]:
    """Return the records of committed batches: they are acknowledged in this turn of the loop."""
    found: list[TraceRecord] = []
    for last_offset, outcome in commit:
        if last_offset >= high_watermark:
            break
        if type(outcome) is TracedOutcome and not outcome.is_settled and not outcome.is_abandoned:
            outcome.stage = _ACKNOWLEDGED
            batch = (outcome.asked, outcome.base_offset, last_offset, outcome.started_ns)
            found.append((*clocks, _acknowledged, batch))
    return found


def record_waiting(tracer: Tracer, leader: PartitionLeader, waiting: _Waiting) -> None:
    """Record once for each batch with acks=all which replicas it waits for."""
    fresh: list[tuple[int, TracedOutcome]] = []
    for last_offset, outcome in reversed(waiting):
        if type(outcome) is TracedOutcome:
            if outcome.stage >= _WAITING:
                break
            if outcome.stage is _APPENDED and not outcome.is_settled:
                outcome.stage = _WAITING
                fresh.append((last_offset, outcome))
    for last_offset, outcome in reversed(fresh):
        behind = replicas_behind(leader, last_offset + 1)
        tracer.record(_waits, (outcome.asked, last_offset, leader.high_watermark, behind))


def replicas_behind(leader: PartitionLeader, end_offset: int) -> Replicas:
    """Return the members of the maximal ISR that are not known to hold everything below an offset."""
    return tuple(each for each in leader.maximal_isr if _end_of(leader, each) < end_offset)


def _watermark_held(where: TopicPartition, leader: PartitionLeader, by: int) -> WatermarkHeld:
    candidate = min(_end_of(leader, each) for each in leader.maximal_isr)
    holding = replicas_behind(leader, candidate + 1) if leader.has_enough_in_sync else ()
    return WatermarkHeld(*where, candidate, leader.high_watermark, leader.log_end_offset, by, holding)


def _end_of(leader: PartitionLeader, replica: int) -> int:
    end = leader.log_end_of(BrokerId(replica))
    return 0 if end is None else end
