"""One request on its way through the proxy, what the proxy knows of the topics, and the interface of faults.

A fault gets each request before the broker does, and each response before the client does. It edits the messages, or
sets the exchange's fields; it never touches a socket.
"""

import time
from bisect import bisect_right, insort
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from chronik.protocol.apis import Api
from chronik.protocol.constants import CONSUMER_REPLICA_ID
from chronik.protocol.frames import RequestHeader
from chronik.protocol.generated.fetch import FetchRequest
from chronik.protocol.generated.list_offsets import ListOffsetsRequest
from chronik.protocol.generated.metadata import MetadataResponse
from chronik.protocol.generated.produce import PartitionProduceResponse, ProduceRequest, ProduceResponse
from chronik.protocol.wire import Message
from chronik.records.batch import CorruptBatch, walk

At = tuple[str, int]
"""A topic's name and a partition's number."""
FOR_EVER_S: Final = float("inf")


@dataclass(slots=True)
class _Partition:
    """What has gone through the proxy of one partition."""

    end: int = 0
    last_base: int = -1
    acked: int = 0
    batch_ends: list[int] = field(default_factory=list)


class SeenTopics:
    """What the proxy knows of the topics behind it, from the answers that it has carried."""

    def __init__(self) -> None:
        self._names: dict[UUID, str] = {}
        self._partitions: dict[At, _Partition] = {}
        self.on_written: Callable[[], None] = lambda: None
        """Called after each batch that was acknowledged, before the client gets the response."""

    def name_of(self, name: str, topic_id: UUID) -> str:
        """Return a topic's name, also for a request that has its id instead; empty for an unknown id."""
        return name or self._names.get(topic_id, "")

    def learn_name(self, topic_id: UUID, name: str) -> None:
        self._names[topic_id] = name

    def learn_names(self, answer: MetadataResponse) -> None:
        for topic in answer.topics:
            if topic.name:
                self.learn_name(topic.topic_id, topic.name)

    def note_written(self, at: At, base_offset: int, count: int) -> None:
        """Note a batch that the broker has acknowledged."""
        one = self._partition(at)
        one.last_base = base_offset
        one.acked += count
        self._note_end(one, base_offset + count)
        self.on_written()

    def note_fetched(self, at: At, ends: Iterator[int]) -> None:
        """Note where batches end that were fetched."""
        one = self._partition(at)
        for end in ends:
            self._note_end(one, end)

    def end_of(self, at: At) -> int:
        """Return the log end as far as it was seen here."""
        return self._partition(at).end

    def last_base_of(self, at: At) -> int:
        """Return the offset of the batch that was acknowledged last; -1 if none was."""
        return self._partition(at).last_base

    def acked_of(self, at: At) -> int:
        return self._partition(at).acked

    def acked_in(self, topic: str) -> int:
        """Count the messages that brokers have acknowledged in a topic."""
        return sum(one.acked for (name, _), one in list(self._partitions.items()) if name == topic)

    def batch_end_at_most(self, at: At, offset: int) -> int:
        """Return the last end of a batch that is not above an offset: a watermark lies between batches."""
        ends = self._partition(at).batch_ends
        index = bisect_right(ends, offset)
        return ends[index - 1] if index else 0

    def _partition(self, at: At) -> _Partition:
        return self._partitions.setdefault(at, _Partition())

    @staticmethod
    def _note_end(one: _Partition, end: int) -> None:
        one.end = max(one.end, end)
        index = bisect_right(one.batch_ends, end)
        if not index or one.batch_ends[index - 1] != end:
            insort(one.batch_ends, end)


@dataclass(slots=True)
class Taken:
    """A partition of a produce request that does not reach the broker, and the function that makes its response."""

    name: str
    topic_id: UUID
    answer: Callable[[], PartitionProduceResponse]


@dataclass(slots=True)
class ProxiedExchange:
    """A request and its response; faults set the last fields."""

    connection: int
    node: int
    header: RequestHeader
    api: Api | None
    """None: an unknown request passes as bytes."""
    frame: bytes
    seen: SeenTopics
    request: Message | None = None
    arrived_s: float = field(default_factory=time.monotonic)
    is_changed: bool = False
    copies: int = 1
    is_local: bool = False
    """Nothing of it goes to the broker."""
    taken: list[Taken] = field(default_factory=list)
    wait_s: float = 0.0
    is_disconnected: bool = False

    @property
    def is_answered(self) -> bool:
        """Whether the protocol has an answer to it."""
        return not (isinstance(self.request, ProduceRequest) and self.request.acks == 0)

    @property
    def is_from_client(self) -> bool:
        """Whether it is a consumer's request: replicas and debugging consumers get the true log."""
        return replica_of(self.request) == CONSUMER_REPLICA_ID


def replica_of(request: Message | None) -> int:
    """Return the replica id of a request: -1 is a consumer, -2 a debugging consumer."""
    if isinstance(request, FetchRequest):
        return request.replica_id if request.replica_state is None else request.replica_state.replica_id
    if isinstance(request, ListOffsetsRequest):
        return request.replica_id
    return CONSUMER_REPLICA_ID


@dataclass(frozen=True, slots=True)
class FaultTarget:
    """Which partitions a fault strikes: of one topic or of all that are not internal, one or several or all."""

    topic: str | None = None
    partitions: frozenset[int] | None = None

    def hits(self, at: At) -> bool:
        name, partition = at
        is_topic = not name.startswith("__") if self.topic is None else name == self.topic
        return is_topic and (self.partitions is None or partition in self.partitions)


EVERYWHERE: Final = FaultTarget()


class Fault:
    """Something that goes wrong on purpose; this one does nothing."""

    def on_request(self, exchange: ProxiedExchange) -> None:
        """Look at a request before it goes on."""

    def on_answer(self, exchange: ProxiedExchange, answer: Message) -> None:
        """Look at an answer before the client gets it."""


def note_answer(exchange: ProxiedExchange, answer: Message) -> None:
    """Record the offsets of the broker's own responses."""
    if isinstance(answer, ProduceResponse) and isinstance(exchange.request, ProduceRequest):
        counts = dict(_counts(exchange, exchange.request))
        for topic in answer.responses:
            name = exchange.seen.name_of(topic.name, topic.topic_id)
            for one in topic.partition_responses:
                if one.error_code == 0 and one.base_offset >= 0:
                    exchange.seen.note_written((name, one.index), one.base_offset, counts.get((name, one.index), 0))
    elif isinstance(answer, MetadataResponse):
        exchange.seen.learn_names(answer)


def _counts(exchange: ProxiedExchange, request: ProduceRequest) -> Iterator[tuple[At, int]]:
    for topic in request.topic_data:
        name = exchange.seen.name_of(topic.name, topic.topic_id)
        for one in topic.partition_data:
            yield (name, one.index), record_count(one.records)


def record_count(records: memoryview | bytes | None) -> int:
    """Count the records in a buffer of batches, from their headers."""
    try:
        return sum(header.record_count for _, header in walk(records or b""))
    except CorruptBatch:
        return 0
