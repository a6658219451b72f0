"""Send records: gathered in batches per partition, with one result per record."""

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Self

from chronik.client.cluster import Cluster
from chronik.client.delivery import DeliveryOutcome, DeliveryReport
from chronik.client.errors import RefusedError
from chronik.client.partition_queue import ANONYMOUS, PartitionQueue, ProducerIdentity, new_identity
from chronik.client.producer_batch import ProducerBatch, record_bytes
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.records.build import Record

_MASK: Final = 0xFFFFFFFF
_MULTIPLIER: Final = 0x5BD1E995
_SEED: Final = 0x9747B28C


def murmur2(data: bytes) -> int:
    """Return the hash of Kafka's default partitioner, as an unsigned 32-bit number."""
    length = len(data)
    whole = length & ~3
    state = (_SEED ^ length) & _MASK
    for position in range(0, whole, 4):
        word = (int.from_bytes(data[position : position + 4], "little") * _MULTIPLIER) & _MASK
        word = ((word ^ (word >> 24)) * _MULTIPLIER) & _MASK
        state = ((state * _MULTIPLIER) & _MASK) ^ word
    if whole != length:
        state ^= int.from_bytes(data[whole:], "little")
        state = (state * _MULTIPLIER) & _MASK
    state = ((state ^ (state >> 13)) * _MULTIPLIER) & _MASK
    return state ^ (state >> 15)


def partition_of_key(key: bytes, partition_count: int) -> int:
    """Return the partition that every Kafka client with the default partitioner chooses for this key."""
    return (murmur2(key) & 0x7FFFFFFF) % partition_count


class StickyPartitioner:
    """Keeps records without a key on one partition until its batch is closed, so that batches are full."""

    def __init__(self, choose: Callable[[Sequence[int]], int] = random.choice) -> None:
        self._choose = choose
        self._current: dict[str, int] = {}

    def partition_for(self, topic: str, key: bytes | None, partition_count: int) -> int:
        """Return the partition of one record."""
        if key is not None:
            return partition_of_key(key, partition_count)
        current = self._current.get(topic)
        if current is None or current >= partition_count:
            current = self._current[topic] = self._choose(range(partition_count))
        return current

    def batch_closed(self, topic: str, partition: int, partition_count: int) -> None:
        """Choose another partition for records without a key, because a batch is full."""
        if self._current.get(topic) == partition and partition_count > 1:
            others = [other for other in range(partition_count) if other != partition]
            self._current[topic] = self._choose(others)


class Producer:
    """Sends to the topics of one cluster; ``async with Producer(cluster)`` waits for every result at the end."""

    def __init__(self, cluster: Cluster, partitioner: StickyPartitioner | None = None) -> None:
        self._cluster = cluster
        self._settings = cluster.settings
        self._partitioner = partitioner or StickyPartitioner()
        self._queues: dict[TopicPartition, PartitionQueue] = {}
        self._identity: ProducerIdentity | None = None if cluster.settings.idempotent else ANONYMOUS
        self._identifying = asyncio.Lock()
        self._pending_records = 0
        self._pending_bytes = 0
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for every result, unless the block failed; then stop."""
        if kind is None:
            await self.flush()
        await self.close()

    async def send(
        self,
        topic: str,
        value: bytes | None,
        key: bytes | None = None,
        *,
        partition: int | None = None,
        headers: Sequence[tuple[str, bytes | None]] = (),
        timestamp_ms: int | None = None,
    ) -> "asyncio.Future[DeliveryReport]":
        """Accept a record as soon as there is room for it, and return the future of its result.

        Raises if the topic or the partition does not exist; later errors are in the result.
        """
        known = self._cluster.fresh_topic(topic) or await self._cluster.topic(topic, allow_creation=True)
        at = TopicPartition(topic, self._choose(topic, key, partition, len(known.partitions)))
        record = Record(key, value, headers, int(time.time() * 1000) if timestamp_ms is None else timestamp_ms)
        size_bytes = record_bytes(record)
        waiter: asyncio.Future[DeliveryReport] = asyncio.get_running_loop().create_future()
        if size_bytes > self._settings.request_bytes_max:
            waiter.set_result(_too_large(at, size_bytes, self._settings.request_bytes_max))
            return waiter
        queue = self._queues.get(at) or await self._open_lane(at)
        await self._wait_for_room()
        self._pending_records += 1
        self._pending_bytes += size_bytes
        queue.put(record, size_bytes, waiter)
        return waiter

    async def flush(self) -> None:
        """Send all batches, and wait until every record has its result."""
        for queue in self._queues.values():
            queue.close_batch()
        while self._pending_records:
            self._changed.clear()
            await self._changed.wait()

    async def close(self) -> None:
        """Stop at once; records without a result fail."""
        for queue in self._queues.values():
            await queue.stop()
        self._queues.clear()

    def _choose(self, topic: str, key: bytes | None, partition: int | None, count: int) -> int:
        if partition is None:
            return self._partitioner.partition_for(topic, key, count)
        if not 0 <= partition < count:
            raise RefusedError(
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                f"{topic}-{partition}",
                f"the topic has {count} partition(s), numbered from 0",
            )
        return partition

    async def _open_lane(self, at: TopicPartition) -> PartitionQueue:
        identity = await self._identify()
        if at not in self._queues:
            self._queues[at] = PartitionQueue(at, self._cluster, identity, self._on_closed, self._on_settled)
        return self._queues[at]

    async def _identify(self) -> ProducerIdentity:
        async with self._identifying:
            if self._identity is None:
                self._identity = await new_identity(self._cluster)
            return self._identity

    async def _wait_for_room(self) -> None:
        while self._pending_bytes >= self._settings.buffer_bytes:
            self._changed.clear()
            await self._changed.wait()

    def _on_closed(self, at: TopicPartition) -> None:
        topic = self._cluster.view.topics.get(at.topic)
        if topic is not None:
            self._partitioner.batch_closed(at.topic, at.partition, len(topic.partitions))

    def _on_settled(self, batch: ProducerBatch) -> None:
        self._pending_records -= len(batch.records)
        self._pending_bytes -= batch.size_bytes
        self._changed.set()


def _too_large(at: TopicPartition, size_bytes: int, limit_bytes: int) -> DeliveryReport:
    reason = f"the record takes {size_bytes} bytes; max.request.size is {limit_bytes}"
    return DeliveryReport(at, DeliveryOutcome.REFUSED, error=ErrorCode.MESSAGE_TOO_LARGE, reason=reason)
