"""Faults of responses: fetches that hang, are empty or have wrong batches; short broker lists; late responses.

A batch is harmed the first time that a client gets it and never again, so that a later reader of the topic sees what
is really stored. Replicas, and readers that fetch as replicas, get unchanged responses.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.describe_cluster import DescribeClusterResponse
from chronik.protocol.generated.fetch import FetchRequest, FetchResponse, PartitionData
from chronik.protocol.generated.metadata import MetadataResponse
from chronik.protocol.wire import Message
from chronik.proxy.exchange import EVERYWHERE, FOR_EVER_S, At, Fault, FaultTarget, ProxiedExchange
from chronik.records.batch import CRC, CRC_POSITION, HEADER, HEADER_BYTES, BatchHeader, CorruptBatch, crc_of, walk

Batches = list[bytes]


def fetched(exchange: ProxiedExchange, answer: Message) -> Iterator[tuple[At, PartitionData]]:
    """Yield the partitions of a response to a client's fetch; none for any other response."""
    if isinstance(answer, FetchResponse) and exchange.is_from_client:
        for topic in answer.responses:
            name = exchange.seen.name_of(topic.topic, topic.topic_id)
            for one in topic.partitions:
                yield (name, one.partition_index), one


@dataclass(slots=True)
class HangFetches(Fault):
    """Fetches that would bring records of these partitions from ``offset`` on are not answered for ``for_s``."""

    target: FaultTarget
    offset: int = 0
    for_s: float = FOR_EVER_S
    times: int = 0

    def on_answer(self, exchange: ProxiedExchange, answer: Message) -> None:
        asked = {at: offset for at, offset in _asked(exchange) if self.target.hits(at)}
        for at, one in fetched(exchange, answer):
            if at in asked and one.records and asked[at] >= self.offset:
                self.times += 1
                exchange.wait_s = max(exchange.wait_s, self.for_s)


def _asked(exchange: ProxiedExchange) -> Iterator[tuple[At, int]]:
    if isinstance(exchange.request, FetchRequest):
        for topic in exchange.request.topics:
            name = exchange.seen.name_of(topic.topic, topic.topic_id)
            for one in topic.partitions:
                yield (name, one.partition), one.fetch_offset


@dataclass(slots=True)
class StarvePartition(Fault):
    """Fetches of these partitions come back empty from ``offset`` on, though the watermark is higher."""

    target: FaultTarget
    offset: int = 0

    def on_answer(self, exchange: ProxiedExchange, answer: Message) -> None:
        asked = dict(_asked(exchange))
        for at, one in fetched(exchange, answer):
            if self.target.hits(at) and asked.get(at, -1) >= self.offset:
                one.records = b""


class Harm(StrEnum):
    """What is done to a fetched batch."""

    LOSE = "lose"
    SWAP = "swap"
    REPEAT = "repeat"
    DAMAGE = "damage"
    DAMAGE_UNDER_CRC = "damage-under-crc"
    """The checksum of the batch is made to fit, so that no client detects the damage."""


@dataclass(slots=True)
class HarmBatches(Fault):
    """A share of the fetched batches is harmed, after the first ``after`` of each partition."""

    harm: Harm
    seed: int
    share: float = 0.3
    after: int = 0
    target: FaultTarget = EVERYWHERE
    times_max: int = 1_000_000
    times: int = 0
    _dice: random.Random = field(init=False)
    _seen: dict[At, set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)

    def on_answer(self, exchange: ProxiedExchange, answer: Message) -> None:
        for at, one in fetched(exchange, answer):
            if self.target.hits(at) and one.records:
                one.records = b"".join(self._harmed(at, _split(one.records)))

    def _harmed(self, at: At, batches: Batches) -> Batches:
        seen = self._seen.setdefault(at, set())
        result: Batches = []
        for batch in batches:
            base = int.from_bytes(batch[:8], "big")
            strikes = base not in seen and len(seen) >= self.after and self._strikes()
            seen.add(base)
            _ACTS[self.harm](result, batch) if strikes else result.append(batch)
        return result

    def _strikes(self) -> bool:
        if self.times >= self.times_max or self._dice.random() >= self.share:
            return False
        self.times += 1
        return True


def _split(records: memoryview | bytes) -> Batches:
    try:
        return [bytes(records[at : at + header.size_bytes]) for at, header in walk(records)]
    except CorruptBatch:
        return []


def _lose(result: Batches, batch: bytes) -> None:
    """Put an empty batch in its place, as compaction leaves one: a reader passes over it."""
    header = BatchHeader._make(HEADER.unpack_from(batch, 0))
    result.append(_with_crc(HEADER.pack(*header._replace(batch_length=HEADER_BYTES - 12, record_count=0))))


def _swap(result: Batches, batch: bytes) -> None:
    result.insert(max(len(result) - 1, 0), batch)


def _repeat(result: Batches, batch: bytes) -> None:
    result.extend((batch, batch))


def _damage(result: Batches, batch: bytes) -> None:
    """Turn one bit in the middle of the records."""
    place = HEADER_BYTES + (len(batch) - HEADER_BYTES) // 2
    result.append(batch[:place] + bytes((batch[place] ^ 1,)) + batch[place + 1 :])


def _damage_under_crc(result: Batches, batch: bytes) -> None:
    _damage(result, batch)
    result.append(_with_crc(result.pop()))


def _with_crc(batch: bytes) -> bytes:
    mended = bytearray(batch)
    CRC.pack_into(mended, CRC_POSITION, crc_of(mended, 0, len(mended)))
    return bytes(mended)


_ACTS: Final[dict[Harm, Callable[[Batches, bytes], None]]] = {
    Harm.LOSE: _lose,
    Harm.SWAP: _swap,
    Harm.REPEAT: _repeat,
    Harm.DAMAGE: _damage,
    Harm.DAMAGE_UNDER_CRC: _damage_under_crc,
}


@dataclass(slots=True)
class ListOneBroker(Fault):
    """Metadata names one broker only; leaders are named as they are, whether they are in that list or not."""

    node: int

    def on_answer(self, exchange: ProxiedExchange, answer: Message) -> None:
        if isinstance(answer, MetadataResponse):
            answer.brokers = [broker for broker in answer.brokers if broker.node_id == self.node]
        elif isinstance(answer, DescribeClusterResponse):
            answer.brokers = [broker for broker in answer.brokers if broker.broker_id == self.node]


@dataclass(slots=True)
class Delay(Fault):
    """Answers of some APIs (of all, if none is named) come late by a time between two bounds."""

    seed: int
    least_s: float
    most_s: float
    apis: frozenset[ApiKey] = frozenset()
    _rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)

    def on_request(self, exchange: ProxiedExchange) -> None:
        if not self.apis or exchange.header.api_key in self.apis:
            exchange.wait_s = max(exchange.wait_s, self._rng.uniform(self.least_s, self.most_s))
