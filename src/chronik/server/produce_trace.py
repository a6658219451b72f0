"""The story of a produce, told by the receipts of its batches and by the partition that they wait for."""

from collections import deque
from collections.abc import Callable

from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, TopicPartition
from chronik.observability.trace import Tracer
from chronik.observability.trace_events import (
    NOBODY,
    Event,
    ProduceAcknowledged,
    ProduceAppended,
    ProduceForwarded,
    ProduceReceived,
    ProduceWaiting,
    RequestRefused,
    WatermarkAdvanced,
    WatermarkHeld,
)
from chronik.replication.leader import PartitionLeader
from chronik.server.receipts import Receipt

_Waiting = deque[tuple[int, Receipt]]
Asked = tuple[str, int, str | None, int, int, int, int]
"""The fields of ProduceReceived, of which the first four say whose batch it is."""


class TracedReceipt(Receipt):
    """The outcome of one batch, which tells what becomes of it."""

    __slots__ = ("_started_ns", "_tracer", "asked", "is_appended", "is_waiting")

    def __init__(self, on_settled: Callable[[], None], tracer: Tracer, asked: Asked) -> None:
        Receipt.__init__(self, on_settled)
        self.asked = asked
        self.is_appended = False
        self.is_waiting = False
        self._tracer = tracer
        self._started_ns = tracer.tell(_received, asked)

    def acknowledge(self, log_start_offset: int) -> None:
        """Say that the batch is kept, and tell it."""
        if not self.is_settled:
            self._tracer.tell(_acknowledged, (self.asked, self.base_offset, self._started_ns))
        Receipt.acknowledge(self, log_start_offset)

    def tell_forwarded(self, leader: int) -> None:
        """The batch goes to its leader, unless it was refused on the way out."""
        if not self.is_settled:
            self._tracer.emit(ProduceForwarded, *self.asked[:4], leader)

    def tell_refused(self, leader: int = NOBODY) -> None:
        """The client is told why not, and perhaps who leads."""
        self._tracer.emit(RequestRefused, *self.asked[:4], "Produce", self.error.name, leader, self.message)


# How events are made of what receipts told, when somebody reads them.


def _received(asked: Asked, _steady_ns: int) -> Event:
    return ProduceReceived(*asked)


def _appended(told: tuple[Asked, int, int], _steady_ns: int) -> Event:
    asked, first_offset, last_offset = told
    return ProduceAppended(*asked[:4], first_offset, last_offset)


def _acknowledged(told: tuple[Asked, int, int], steady_ns: int) -> Event:
    asked, first_offset, started_ns = told
    return ProduceAcknowledged(*asked[:4], first_offset, (steady_ns - started_ns) // 1_000)


def tell_outcome(receipt: Receipt, leader: int = NOBODY) -> None:
    """Tell a refusal, of a receipt that is traced."""
    if isinstance(receipt, TracedReceipt) and receipt.error is not ErrorCode.NONE:
        receipt.tell_refused(leader)


def tell_appended(tracer: Tracer, waiting: _Waiting, end_offset: int) -> None:
    """Tell which batches have been written; those that were told before stand in front of them."""
    fresh: list[tuple[Asked, int, int]] = []
    for last_offset, receipt in reversed(waiting):
        if isinstance(receipt, TracedReceipt):
            if receipt.is_appended:
                break
            if last_offset < end_offset and not receipt.is_settled:
                receipt.is_appended = True
                fresh.append((receipt.asked, receipt.base_offset, last_offset))
    fresh.reverse()
    tracer.tell_each(_appended, fresh)


def tell_waiting(tracer: Tracer, leader: PartitionLeader, waiting: _Waiting) -> None:
    """Tell once of each batch with acks=all whom it waits for."""
    fresh: list[tuple[int, TracedReceipt]] = []
    for last_offset, receipt in reversed(waiting):
        if isinstance(receipt, TracedReceipt):
            if receipt.is_waiting:
                break
            if last_offset < leader.log_end_offset and not receipt.is_settled:
                receipt.is_waiting = True
                fresh.append((last_offset, receipt))
    for last_offset, receipt in reversed(fresh):
        behind = replicas_behind(leader, last_offset + 1)
        tracer.emit(ProduceWaiting, *receipt.asked[:4], last_offset, leader.high_watermark, behind)


def tell_watermark(tracer: Tracer, where: TopicPartition, leader: PartitionLeader, was: int, by: int) -> None:
    """Tell what an event did to the watermark: moved it, or left it where it is though records wait."""
    now = leader.high_watermark
    if now > was:
        tracer.emit(WatermarkAdvanced, *where, was, now, by)
    elif leader.log_end_offset > now and by >= 0:
        candidate = _candidate(leader)
        holding = replicas_behind(leader, candidate + 1) if leader.has_enough_in_sync else ()
        tracer.emit(WatermarkHeld, *where, candidate, now, leader.log_end_offset, by, holding)


def replicas_behind(leader: PartitionLeader, end_offset: int) -> tuple[int, ...]:
    """Members of the in-sync set, or who may be, that are not known to hold everything below an offset."""
    return tuple(each for each in leader.maximal_isr if _end_of(leader, each) < end_offset)


def _candidate(leader: PartitionLeader) -> int:
    return min(_end_of(leader, each) for each in leader.maximal_isr)


def _end_of(leader: PartitionLeader, replica: int) -> int:
    end = leader.log_end_of(BrokerId(replica))
    return 0 if end is None else end
