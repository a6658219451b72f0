"""Sending records: gathered in batches per partition, acknowledged one by one."""

import asyncio
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from chronik.client.cluster import Cluster
from chronik.client.delivery import Delivery, Outcome
from chronik.client.errors import RefusedError
from chronik.client.partitioning import StickyPartitioner
from chronik.client.producer_batch import ProducerBatch, record_bytes
from chronik.client.producer_lane import ANONYMOUS, Identity, Lane, new_identity
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.records.build import Record


class Producer:
    """Sends to the topics of one cluster; ``async with Producer(cluster)`` waits for every result at the end."""

    def __init__(self, cluster: Cluster, partitioner: StickyPartitioner | None = None) -> None:
        self._cluster = cluster
        self._settings = cluster.settings
        self._partitioner = partitioner or StickyPartitioner()
        self._lanes: dict[TopicPartition, Lane] = {}
        self._identity: Identity | None = None if cluster.settings.idempotent else ANONYMOUS
        self._identifying = asyncio.Lock()
        self._pending_records = 0
        self._pending_bytes = 0
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        """Give the producer itself."""
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
    ) -> "asyncio.Future[Delivery]":
        """Take a record, as soon as there is room for it, and return its result to come.

        Raises where the topic or the partition does not exist; whatever happens later is in the result.
        """
        known = self._cluster.fresh_topic(topic) or await self._cluster.topic(topic, allow_creation=True)
        at = TopicPartition(topic, self._choose(topic, key, partition, len(known.partitions)))
        record = Record(key, value, headers, int(time.time() * 1000) if timestamp_ms is None else timestamp_ms)
        size_bytes = record_bytes(record)
        waiter: asyncio.Future[Delivery] = asyncio.get_running_loop().create_future()
        if size_bytes > self._settings.request_bytes_max:
            waiter.set_result(_too_large(at, size_bytes, self._settings.request_bytes_max))
            return waiter
        lane = self._lanes.get(at) or await self._open_lane(at)
        await self._wait_for_room()
        self._pending_records += 1
        self._pending_bytes += size_bytes
        lane.put(record, size_bytes, waiter)
        return waiter

    async def flush(self) -> None:
        """Send what is gathered, and wait until every record has its result."""
        for lane in self._lanes.values():
            lane.close_batch()
        while self._pending_records:
            self._changed.clear()
            await self._changed.wait()

    async def close(self) -> None:
        """Stop at once; records without a result are given up."""
        for lane in self._lanes.values():
            await lane.stop()
        self._lanes.clear()

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

    async def _open_lane(self, at: TopicPartition) -> Lane:
        identity = await self._identify()
        if at not in self._lanes:
            self._lanes[at] = Lane(at, self._cluster, identity, self._on_closed, self._on_settled)
        return self._lanes[at]

    async def _identify(self) -> Identity:
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


def _too_large(at: TopicPartition, size_bytes: int, limit_bytes: int) -> Delivery:
    reason = f"the record takes {size_bytes} bytes; max.request.size is {limit_bytes}"
    return Delivery(at, Outcome.REFUSED, error=ErrorCode.MESSAGE_TOO_LARGE, reason=reason)
