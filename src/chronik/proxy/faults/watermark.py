"""Faults of the high watermark: capped, held back, lowered, or too high; with the records above it hidden or served.

All clients of the proxy get the same watermark. A reader with the replica id of a debugging consumer (-2) gets that
watermark too, with all records and the true log end.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from chronik.protocol.constants import LATEST_TIMESTAMP
from chronik.protocol.generated.fetch import FetchRequest, FetchResponse, PartitionData
from chronik.protocol.generated.list_offsets import ListOffsetsRequest, ListOffsetsResponse
from chronik.protocol.generated.produce import PartitionProduceData
from chronik.protocol.wire import Message
from chronik.proxy.exchange import EVERYWHERE, FOR_EVER_S, At, Fault, FaultTarget, ProxiedExchange, SeenTopics
from chronik.proxy.faults.produce import KeptFromBroker, RefuseAsNotLeader, Reply
from chronik.records.batch import CorruptBatch, walk

_READ_COMMITTED: Final = 1
Clock = Callable[[], float]


class WatermarkFault(Fault):
    """Serves another watermark than the broker's own."""

    hides: bool = True
    """Whether records above the served watermark are kept from clients."""

    def served(self, at: At, true: int, seen: SeenTopics) -> int:
        """Return the watermark that is served instead of the true one."""
        raise NotImplementedError

    def on_answer(self, exchange: ProxiedExchange, answer: Message) -> None:
        """Change the response to a fetch, or to a request for the last offset."""
        if isinstance(answer, FetchResponse):
            self._change_fetch(exchange, answer)
        elif isinstance(answer, ListOffsetsResponse) and exchange.is_from_client:
            self._change_last_offsets(exchange, answer)

    def _change_fetch(self, exchange: ProxiedExchange, answer: FetchResponse) -> None:
        has_hidden = has_records = False
        for topic in answer.responses:
            name = exchange.seen.name_of(topic.topic, topic.topic_id)
            for one in topic.partitions:
                has_hidden |= self._change_partition(exchange, (name, one.partition_index), one)
                has_records |= bool(one.records)
        if has_hidden and not has_records and isinstance(exchange.request, FetchRequest):
            # A broker with that watermark would have waited as long as the request allows.
            exchange.wait_s = max(exchange.wait_s, exchange.request.max_wait_ms / 1000)

    def _change_partition(self, exchange: ProxiedExchange, at: At, one: PartitionData) -> bool:
        if one.error_code or one.high_watermark < 0:
            return False
        exchange.seen.note_fetched(at, iter(_ends(one.records)))
        watermark = self.served(at, one.high_watermark, exchange.seen)
        one.high_watermark = watermark
        one.last_stable_offset = min(one.last_stable_offset, watermark)
        if not self.hides or not one.records or not exchange.is_from_client:
            return False
        whole = len(one.records)
        one.records = memoryview(one.records)[: _below(one.records, watermark)]
        return len(one.records) < whole

    def _change_last_offsets(self, exchange: ProxiedExchange, answer: ListOffsetsResponse) -> None:
        asked = exchange.request
        if not isinstance(asked, ListOffsetsRequest):
            return
        latest = {
            (topic.name, one.partition_index)
            for topic in asked.topics
            for one in topic.partitions
            if one.timestamp == LATEST_TIMESTAMP
        }
        for topic in answer.topics:
            for one in topic.partitions:
                at = (topic.name, one.partition_index)
                if at in latest and not one.error_code and one.offset >= 0:
                    one.offset = self.served(at, one.offset, exchange.seen)


def _ends(records: memoryview | bytes | None) -> list[int]:
    try:
        return [header.next_offset for _, header in walk(records or b"")]
    except CorruptBatch:
        return []


def _below(records: memoryview | bytes, watermark: int) -> int:
    """Return the size of the batches that lie below a watermark entirely."""
    size = 0
    for position, header in walk(records):
        if header.next_offset > watermark:
            break
        size = position + header.size_bytes
    return size


@dataclass(slots=True)
class CapWatermark(WatermarkFault):
    """The watermark never passes ``offset``, or the end of a batch below it."""

    offset: int
    target: FaultTarget = EVERYWHERE
    hides: bool = True

    def served(self, at: At, true: int, seen: SeenTopics) -> int:
        if not self.target.hits(at) or true <= self.offset:
            return true
        return seen.batch_end_at_most(at, self.offset)


@dataclass(slots=True)
class HoldWatermark(WatermarkFault):
    """The watermark stops when it reaches ``offset`` and is released ``for_s`` later, or by :meth:`release`."""

    offset: int
    for_s: float
    target: FaultTarget = EVERYWHERE
    hides: bool = True
    clock: Clock = time.monotonic
    is_released: bool = False
    _until: dict[At, float] = field(default_factory=dict)

    def release(self) -> None:
        """Hold nothing back from now on."""
        self.is_released = True

    def served(self, at: At, true: int, seen: SeenTopics) -> int:
        if self.is_released or not self.target.hits(at) or true <= self.offset:
            return true
        until = self._until.setdefault(at, self.clock() + self.for_s)
        return true if self.clock() >= until else seen.batch_end_at_most(at, self.offset)


@dataclass(slots=True)
class LogEndAsWatermark(WatermarkFault):
    """The end of the log is served as watermark, replicated or not; the records are the broker's."""

    target: FaultTarget = EVERYWHERE
    hides: bool = False

    def served(self, at: At, true: int, seen: SeenTopics) -> int:
        return max(true, seen.end_of(at)) if self.target.hits(at) else true


@dataclass(slots=True)
class FallOnRepeat(WatermarkFault, KeptFromBroker):
    """A batch is refused once, so that the client sends it again; thereupon the watermark falls to half of what it was.

    It stays there for ``for_s`` and then is the true one again.
    """

    after: int
    for_s: float = FOR_EVER_S
    target: FaultTarget = EVERYWHERE
    hides: bool = True
    clock: Clock = time.monotonic
    _refuse: RefuseAsNotLeader = field(init=False)
    _struck: set[At] = field(default_factory=set)
    _fallen: dict[At, tuple[int, float]] = field(default_factory=dict)
    _highest: dict[At, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._refuse = RefuseAsNotLeader(seed=0)

    def reply_to(self, exchange: ProxiedExchange, at: At, data: PartitionProduceData) -> Reply | None:
        if not self.target.hits(at) or self._highest.get(at, 0) < self.after:
            return None
        if at not in self._struck:
            self._struck.add(at)
            return self._refuse.reply_to(exchange, at, data)
        if at not in self._fallen:
            lower = exchange.seen.batch_end_at_most(at, self._highest[at] // 2)
            self._fallen[at] = lower, self.clock() + self.for_s
        return None

    def served(self, at: At, true: int, seen: SeenTopics) -> int:
        fallen = self._fallen.get(at)
        if fallen is None:
            self._highest[at] = max(true, self._highest.get(at, 0))
            return true
        lower, until = fallen
        return true if self.clock() >= until else lower
