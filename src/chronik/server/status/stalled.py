"""Since when each led partition's watermark has stood still below its log's end: looked at twice a second."""

import asyncio
from typing import Final, NamedTuple

from chronik.server.loop.clock import steady_ms
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.table import PartitionTable

LOOK_EVERY_S: Final = 0.5
_LOOKED_AT_ONCE: Final = 500
"""A look costs half a microsecond, so that this many hold the loop up for less than a millisecond."""

_Key = tuple[str, int]


class _Standing(NamedTuple):
    high_watermark: int
    since_ms: int


class StandstillWatch:
    """Remembers partitions whose watermark lies below the log end, and since when it has been where it is."""

    def __init__(self, partitions: PartitionTable) -> None:
        self._partitions = partitions
        self._standing: dict[_Key, _Standing] = {}

    async def run(self) -> None:
        """Look again and again, for as long as the broker runs."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_EVERY_S)

    async def look(self) -> None:
        """Look at every led partition once."""
        standing: dict[_Key, _Standing] = {}
        now = steady_ms()
        for number, partition in enumerate(self._partitions.led(), 1):
            if partition.leader.high_watermark < partition.leader.log_end_offset:
                key = _key(partition)
                standing[key] = self._seen(key, partition.leader.high_watermark, now)
            if not number % _LOOKED_AT_ONCE:
                await asyncio.sleep(0)
        self._standing = standing

    def _seen(self, key: _Key, high_watermark: int, now: int) -> _Standing:
        before = self._standing.get(key)
        if before is not None and before.high_watermark == high_watermark:
            return before
        return _Standing(high_watermark, now)

    def stands_for_ms(self, partition: LeaderReplica, now: int) -> int:
        """How long the watermark has not moved while the log ends above it; 0 where it is not behind."""
        if partition.leader.high_watermark >= partition.leader.log_end_offset:
            return 0
        seen = self._standing.get(_key(partition))
        if seen is None or seen.high_watermark != partition.leader.high_watermark:
            return 0
        return now - seen.since_ms


def _key(partition: LeaderReplica) -> _Key:
    topic_partition = partition.topic_partition
    return topic_partition.topic, topic_partition.partition
