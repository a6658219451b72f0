"""The story of a produce, told by the receipts of its batches and by the partition that they wait for."""

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
"""The fields of ProduceReceived, of which the first four say whose batch it is."""
_Batch = tuple[Asked, int, int, int]
"""What was asked, first and last offset, and the steady clock when it came."""

_RECEIVED: Final = 0
_APPENDED: Final = 1
_WAITING: Final = 2
_KEPT: Final = 3


class TracedOutcome(AppendOutcome):
    """The outcome of one batch, which tells what becomes of it."""

    __slots__ = ("_tracer", "asked", "started_ns", "told")

    def __init__(self, on_settled: Callable[[], None], tracer: Tracer, asked: Asked) -> None:
        AppendOutcome.__init__(self, on_settled)
        self.asked = asked
        self.told = _RECEIVED
        self._tracer = tracer
        self.started_ns = tracer.record(_received, asked)

    def acknowledge(self, log_start_offset: int) -> None:
        """Say that the batch is kept, and tell it, unless the partition has."""
        if self.told is not _KEPT and not self.is_settled:
            self._tracer.record(_acknowledged, (self.asked, self.base_offset, -1, self.started_ns))
        AppendOutcome.acknowledge(self, log_start_offset)

    def record_forwarded(self, leader: int) -> None:
        """The batch goes to its leader, unless it was refused on the way out."""
        if not self.is_settled:
            self._tracer.emit(ProduceForwarded, *self.asked[:4], leader)

    def record_rejected(self, leader: int = NOBODY) -> None:
        """The client is told why not, and perhaps who leads."""
        self._tracer.emit(RequestRefused, *self.asked[:4], "Produce", self.error.name, leader, self.message)


# How events are made of what receipts told, when somebody reads them.


def _received(asked: Asked, _steady_ns: int) -> Event:
    return ProduceReceived(*asked)


def _appended(told: _Batch, _steady_ns: int) -> Event:
    asked, first_offset, last_offset, _ = told
    return ProduceAppended(*asked[:4], first_offset, last_offset)


def _waits(told: tuple[Asked, int, int, Replicas], _steady_ns: int) -> Event:
    asked, last_offset, high_watermark, behind = told
    return ProduceWaiting(*asked[:4], last_offset, high_watermark, behind)


def _acknowledged(told: _Batch, steady_ns: int) -> Event:
    asked, first_offset, _, started_ns = told
    return ProduceAcknowledged(*asked[:4], first_offset, (steady_ns - started_ns) // 1_000)


def _advanced(told: tuple[TopicPartition, int, int, int], _steady_ns: int) -> Event:
    where, was, now, by = told
    return WatermarkAdvanced(*where, was, now, by)


def _held(told: WatermarkHeld, _steady_ns: int) -> Event:
    return told


def record_rejection(outcome: AppendOutcome, leader: int = NOBODY) -> None:
    """Tell a refusal, of a receipt that is traced."""
    if isinstance(outcome, TracedOutcome) and outcome.error is not ErrorCode.NONE:
        outcome.record_rejected(leader)


def record_progress(
    tracer: Tracer, where: TopicPartition, leader: PartitionLeader, was: int, by: int, local: _Waiting, commit: _Waiting
) -> None:
    """Tell what an event did: batches written, the watermark moved or held, and what is acknowledged because of it."""
    clocks = wall_ns, steady_ns = time_ns(), monotonic_ns()
    high_watermark, end_offset = leader.high_watermark, leader.log_end_offset
    told: list[TraceRecord] = []
    kept: list[TraceRecord] = []
    for last_offset, outcome in local:
        if last_offset >= end_offset:
            break
        if type(outcome) is TracedOutcome and not outcome.is_settled:
            # What waits for nothing but the write is told of once, and acknowledged in this turn of the loop.
            outcome.told = _KEPT
            batch = (outcome.asked, outcome.base_offset, last_offset, outcome.started_ns)
            told.append((wall_ns, steady_ns, _appended, batch))
            kept.append((wall_ns, steady_ns, _acknowledged, batch))
    if commit:
        told += _appended_of(commit, end_offset, clocks)
        kept += _kept_of(commit, high_watermark, clocks)
    if high_watermark > was:
        told.append((wall_ns, steady_ns, _advanced, (where, was, high_watermark, by)))
    elif end_offset > high_watermark and by >= 0:
        told.append((wall_ns, steady_ns, _held, _watermark_held(where, leader, by)))
    tracer.record_all(told + kept)


def _appended_of(commit: _Waiting, end_offset: int, clocks: _Clocks) -> Iterable[TraceRecord]:
    """Give which batches have been written; those that were told before stand in front of them."""
    found: list[TraceRecord] = []
    for last_offset, outcome in reversed(commit):
        if type(outcome) is TracedOutcome:
            if outcome.told:
                break
            if last_offset < end_offset and not outcome.is_settled:
                outcome.told = _APPENDED
                batch = (outcome.asked, outcome.base_offset, last_offset, outcome.started_ns)
                found.append((*clocks, _appended, batch))
    return reversed(found)


def _kept_of(commit: _Waiting, high_watermark: int, clocks: _Clocks) -> list[TraceRecord]:
    """Give which batches are committed by now: their clients are told in this turn of the loop."""
    found: list[TraceRecord] = []
    for last_offset, outcome in commit:
        if last_offset >= high_watermark:
            break
        if type(outcome) is TracedOutcome and not outcome.is_settled:
            outcome.told = _KEPT
            batch = (outcome.asked, outcome.base_offset, last_offset, outcome.started_ns)
            found.append((*clocks, _acknowledged, batch))
    return found


def record_waiting(tracer: Tracer, leader: PartitionLeader, waiting: _Waiting) -> None:
    """Tell once of each batch with acks=all whom it waits for."""
    fresh: list[tuple[int, TracedOutcome]] = []
    for last_offset, outcome in reversed(waiting):
        if type(outcome) is TracedOutcome:
            if outcome.told >= _WAITING:
                break
            if outcome.told is _APPENDED and not outcome.is_settled:
                outcome.told = _WAITING
                fresh.append((last_offset, outcome))
    for last_offset, outcome in reversed(fresh):
        behind = replicas_behind(leader, last_offset + 1)
        tracer.record(_waits, (outcome.asked, last_offset, leader.high_watermark, behind))


def replicas_behind(leader: PartitionLeader, end_offset: int) -> Replicas:
    """Members of the in-sync set, or who may be, that are not known to hold everything below an offset."""
    return tuple(each for each in leader.maximal_isr if _end_of(leader, each) < end_offset)


def _watermark_held(where: TopicPartition, leader: PartitionLeader, by: int) -> WatermarkHeld:
    candidate = min(_end_of(leader, each) for each in leader.maximal_isr)
    holding = replicas_behind(leader, candidate + 1) if leader.has_enough_in_sync else ()
    return WatermarkHeld(*where, candidate, leader.high_watermark, leader.log_end_offset, by, holding)


def _end_of(leader: PartitionLeader, replica: int) -> int:
    end = leader.log_end_of(BrokerId(replica))
    return 0 if end is None else end
