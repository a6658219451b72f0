"""Faults of writing: success without a write, one offset for two batches, two writes, refusals, cut connections.

Chance comes from a seed. What a fault keeps from the broker is answered here, at the moment at which its answer is due:
by then everything that was sent before it on that connection has been answered.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
)
from chronik.protocol.wire import Message
from chronik.proxy.exchange import EVERYWHERE, At, Fault, FaultTarget, ProxiedExchange, Taken, record_count

Reply = Callable[[], PartitionProduceResponse]


def produced(exchange: ProxiedExchange) -> Iterator[tuple[At, PartitionProduceData]]:
    """Yield the partitions of a produce request; none for any other request."""
    if isinstance(exchange.request, ProduceRequest):
        for topic in exchange.request.topic_data:
            name = exchange.seen.name_of(topic.name, topic.topic_id)
            for one in topic.partition_data:
                yield (name, one.index), one


class KeptFromBroker(Fault):
    """A fault that takes single partitions out of produce requests."""

    def on_request(self, exchange: ProxiedExchange) -> None:
        """Take out what :meth:`reply_to` has an answer for."""
        request = exchange.request
        if not isinstance(request, ProduceRequest) or exchange.is_local:
            return
        for topic in request.topic_data:
            name = exchange.seen.name_of(topic.name, topic.topic_id)
            kept = []
            for one in topic.partition_data:
                reply = self.reply_to(exchange, (name, one.index), one)
                if reply is None:
                    kept.append(one)
                else:
                    exchange.taken.append(Taken(topic.name, topic.topic_id, reply))
            topic.partition_data = kept
        if exchange.taken:
            request.topic_data = [topic for topic in request.topic_data if topic.partition_data]
            exchange.is_changed = True
            exchange.is_local = not request.topic_data

    def reply_to(self, exchange: ProxiedExchange, at: At, data: PartitionProduceData) -> Reply | None:
        """Return how this partition is answered, if it must not reach the broker."""
        raise NotImplementedError


@dataclass(slots=True)
class AckWithoutWrite(KeptFromBroker):
    """From the ``after``-th message of a partition on, everything is acknowledged and nothing written."""

    after: int
    target: FaultTarget = EVERYWHERE
    _ends: dict[At, int] = field(default_factory=dict)

    def reply_to(self, exchange: ProxiedExchange, at: At, data: PartitionProduceData) -> Reply | None:
        if not self.target.hits(at) or exchange.seen.acked_of(at) < self.after:
            return None
        count = record_count(data.records)

        def reply() -> PartitionProduceResponse:
            base = self._ends.get(at, exchange.seen.end_of(at))
            self._ends[at] = base + count
            return PartitionProduceResponse(index=data.index, base_offset=base, log_start_offset=0)

        return reply


@dataclass(slots=True)
class OffsetTwice(KeptFromBroker):
    """A share of the batches is dropped and acknowledged with the offset of the batch before it."""

    seed: int
    share: float = 0.3
    target: FaultTarget = EVERYWHERE
    times_max: int = 1_000_000
    times: int = 0
    _dice: random.Random = field(init=False)
    _passed: set[At] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)

    def reply_to(self, exchange: ProxiedExchange, at: At, data: PartitionProduceData) -> Reply | None:
        if not self.target.hits(at):
            return None
        # The first batch is the one whose offset others get, so it is always written.
        if at not in self._passed or self.times >= self.times_max or self._dice.random() >= self.share:
            self._passed.add(at)
            return None
        self.times += 1

        def reply() -> PartitionProduceResponse:
            base = exchange.seen.last_base_of(at)
            if base < 0:
                return refusal(data.index, ErrorCode.NOT_LEADER_OR_FOLLOWER)
            return PartitionProduceResponse(index=data.index, base_offset=base, log_start_offset=0)

        return reply


@dataclass(slots=True)
class RefuseAsNotLeader(KeptFromBroker):
    """A share of the batches is refused as by a broker that does not lead; none of them is written."""

    seed: int
    share: float = 1.0
    target: FaultTarget = EVERYWHERE
    error: ErrorCode = ErrorCode.NOT_LEADER_OR_FOLLOWER
    times_max: int = 1_000_000
    times: int = 0
    _dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)

    def reply_to(self, exchange: ProxiedExchange, at: At, data: PartitionProduceData) -> Reply | None:
        if not self.target.hits(at) or self.times >= self.times_max or self._dice.random() >= self.share:
            return None
        self.times += 1
        return lambda: refusal(data.index, self.error)


def refusal(partition: int, error: ErrorCode) -> PartitionProduceResponse:
    """Answer that nothing was written."""
    return PartitionProduceResponse(index=partition, error_code=error, base_offset=-1)


@dataclass(slots=True)
class _Chance(Fault):
    """A fault that strikes a share of the produce requests for its target, a limited number of times."""

    seed: int
    share: float = 0.3
    target: FaultTarget = EVERYWHERE
    times_max: int = 1_000_000
    times: int = 0
    _dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)

    def _strikes(self, exchange: ProxiedExchange) -> bool:
        if self.times >= self.times_max or not any(self.target.hits(at) for at, _ in produced(exchange)):
            return False
        if self._dice.random() >= self.share:
            return False
        self.times += 1
        return True


@dataclass(slots=True)
class WriteTwice(_Chance):
    """A share of the produce requests is written twice; the client gets the first response."""

    def on_request(self, exchange: ProxiedExchange) -> None:
        if exchange.is_answered and not exchange.is_local and self._strikes(exchange):
            exchange.copies = 2


@dataclass(slots=True)
class CutBeforeAnswer(_Chance):
    """Connections are cut after the broker has written and before the client gets the response."""

    def on_answer(self, exchange: ProxiedExchange, answer: Message) -> None:
        if isinstance(answer, ProduceResponse) and self._strikes(exchange):
            exchange.is_disconnected = True
