"""How long the high watermark of each led partition has been stalled below the log end: checked twice a second."""

import asyncio
from typing import Final, NamedTuple

from chronik.server.loop.clock import steady_ms
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.table import PartitionTable

CHECK_EVERY_S: Final = 0.5
_CHECKED_AT_ONCE: Final = 500
"""A check takes half a microsecond, so that this many delay the event loop by less than a millisecond."""

_Key = tuple[str, int]


class _Stalled(NamedTuple):
    high_watermark: int
    since_ms: int


class StalledWatermarks:
    """Remembers the partitions whose high watermark is below the log end, and since when it has not moved."""

    def __init__(self, partitions: PartitionTable) -> None:
        self._partitions = partitions
        self._stalled: dict[_Key, _Stalled] = {}

    async def run(self) -> None:
        """Check the partitions again and again, for as long as the broker runs."""
        while True:
            await self.check()
            await asyncio.sleep(CHECK_EVERY_S)

    async def check(self) -> None:
        """Check every led partition once."""
        stalled: dict[_Key, _Stalled] = {}
        now = steady_ms()
        for number, partition in enumerate(self._partitions.led(), 1):
            if partition.leader.high_watermark < partition.leader.log_end_offset:
                key = _key(partition)
                stalled[key] = self._seen(key, partition.leader.high_watermark, now)
            if not number % _CHECKED_AT_ONCE:
                await asyncio.sleep(0)
        self._stalled = stalled

    def _seen(self, key: _Key, high_watermark: int, now: int) -> _Stalled:
        before = self._stalled.get(key)
        if before is not None and before.high_watermark == high_watermark:
            return before
        return _Stalled(high_watermark, now)

    def stalled_ms(self, partition: LeaderReplica, now: int) -> int:
        """Return how long the high watermark has not moved below the log end; 0 if it covers the log."""
        if partition.leader.high_watermark >= partition.leader.log_end_offset:
            return 0
        seen = self._stalled.get(_key(partition))
        if seen is None or seen.high_watermark != partition.leader.high_watermark:
            return 0
        return now - seen.since_ms


def _key(partition: LeaderReplica) -> _Key:
    topic_partition = partition.topic_partition
    return topic_partition.topic, topic_partition.partition
