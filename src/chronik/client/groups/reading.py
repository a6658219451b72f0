"""Read the assignment of one generation, from the committed offsets or as ``auto.offset.reset`` says."""

from collections.abc import Collection, Mapping
from typing import Final

from chronik.client.cluster import Cluster
from chronik.client.consumer import Consumer, FromOffset
from chronik.client.errors import ClientError, RefusedError
from chronik.client.fetched import FetchedRecords, next_offset_of
from chronik.client.groups.admin_offsets import GroupOffsetAdmin
from chronik.client.offsets import offset_bounds
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition

NO_RESET: Final = "none"
EARLIEST: Final = "earliest"


def plan_positions(
    known: Mapping[TopicPartition, int], bounds: Mapping[TopicPartition, tuple[int, int]], reset: str
) -> dict[TopicPartition, int]:
    """Return the start of each partition: the committed offset while it is within the log, else by the reset."""
    positions: dict[TopicPartition, int] = {}
    for at, (log_start, high_watermark) in bounds.items():
        offset = known.get(at)
        if offset is not None and log_start <= offset <= high_watermark:
            positions[at] = offset
        elif reset == NO_RESET:
            text = "no offset is committed" if offset is None else f"offset {offset} is not in the log"
            advice = "Set -X auto.offset.reset=earliest or latest, or commit an offset for the group."
            raise RefusedError(ErrorCode.OFFSET_OUT_OF_RANGE, str(at), text, advice=advice)
        else:
            positions[at] = log_start if reset == EARLIEST else high_watermark
    return positions


class GroupReading:
    """Fetches the partitions of one assignment; ``positions`` are the next offsets to deliver."""

    def __init__(self, cluster: Cluster, group_id: str, partitions: Collection[TopicPartition], reset: str) -> None:
        self.partitions = sorted(partitions)
        self.positions: dict[TopicPartition, int] = {}
        self.committed: dict[TopicPartition, int] = {}
        self._cluster = cluster
        self._group_id = group_id
        self._reset = reset
        self._is_placed = False
        self._consumer: Consumer | None = None

    async def next(self) -> FetchedRecords:
        """Return the next batches; opens the partitions first. May be cancelled and called again."""
        while True:
            consumer = self._consumer or await self._open()
            try:
                return await anext(consumer)
            except RefusedError as refused:
                if refused.error is not ErrorCode.OFFSET_OUT_OF_RANGE:
                    raise
                await self.close()

    def deliver(self, fetched: FetchedRecords) -> None:
        """Count these batches as delivered."""
        end = next_offset_of(fetched.data)
        if end is not None:
            self.positions[fetched.topic_partition] = max(end, fetched.start_offset)

    async def seek(self, at: TopicPartition, offset: int) -> None:
        """Continue at another offset."""
        self.positions[at] = offset
        await self.close()

    def uncommitted(self) -> dict[TopicPartition, int]:
        """Return the positions that are not committed yet."""
        return {at: offset for at, offset in self.positions.items() if self.committed.get(at) != offset}

    async def close(self) -> None:
        """Stop fetching; prefetched batches are dropped."""
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            await consumer.__aexit__(None, None, None)

    async def _open(self) -> Consumer:
        if not self._is_placed:
            self.committed = await self._committed()
            self.positions = {**self.committed, **self.positions}
            self._is_placed = True
        bounds = await offset_bounds(self._cluster, self.partitions)
        self.positions = plan_positions(self.positions, bounds, self._reset)
        starts = {at: FromOffset(offset) for at, offset in self.positions.items()}
        self._consumer = await Consumer(self._cluster, starts, follow=True).__aenter__()
        return self._consumer

    async def _committed(self) -> dict[TopicPartition, int]:
        found = (await GroupOffsetAdmin(self._cluster).committed([self._group_id]))[self._group_id]
        if isinstance(found, ClientError):
            raise found
        return {at: found[at].offset for at in self.partitions if at in found}
