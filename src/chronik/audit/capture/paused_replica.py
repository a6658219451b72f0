"""A follower that is paused during a run; it cannot answer, so its log end is read from its files."""

import asyncio
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from chronik.audit.ledger.directory import now_us
from chronik.audit.ledger.writing import RowStream
from chronik.audit.tables.schemas import OBSERVED, UNKNOWN_NUMBER
from chronik.client.cluster import Cluster
from chronik.client.cluster_view import PartitionInfo
from chronik.records.batch import walk
from chronik.testing.cluster import ClusterProcess

PERIOD_S: Final = 0.2
FILE_NAME: Final = "samples-files.arrows"


class PausedReplica:
    """One broker of a cluster of processes; while it is paused, its files give rows like the observer's."""

    def __init__(self, cluster: ClusterProcess, node: int, topic: str, directory: Path) -> None:
        folder = directory / "observer"
        folder.mkdir(parents=True, exist_ok=True)
        self._cluster = cluster
        self._node = node
        self._topic = topic
        self._rows = RowStream(folder / FILE_NAME, OBSERVED)
        self._is_paused = False

    def pause(self) -> None:
        """Stop its process, once."""
        if not self._is_paused:
            self._cluster.pause(self._node)
            self._is_paused = True

    def resume(self) -> None:
        """Let it go on."""
        if self._is_paused:
            self._cluster.resume(self._node)
            self._is_paused = False

    async def watch(self) -> None:
        """Note its log ends for as long as it is paused."""
        async with Cluster(self._addresses()) as cluster:
            while True:
                if self._is_paused:
                    view = await cluster.refresh([self._topic])
                    self._note(view.topics[self._topic].partitions.values())
                await asyncio.sleep(PERIOD_S)

    def close(self) -> None:
        """Write what was noted."""
        self._rows.close()

    def _addresses(self) -> str:
        others = [node for node in self._cluster.nodes if node != self._node]
        return ",".join(self._cluster.address_of(node) for node in others)

    def _note(self, partitions: Iterable[PartitionInfo]) -> None:
        at_us, mono_us = now_us(), time.monotonic_ns() // 1000
        for one in partitions:
            end = log_end_of(self._cluster.brokers[self._node].directory / "data" / f"{self._topic}-{one.index}")
            unknown = (UNKNOWN_NUMBER,) * 3
            place = (one.leader, one.leader_epoch, sorted(one.isr), "")
            self._rows.rows.append((at_us, mono_us, self._node, one.index, *unknown, end, *place))


def log_end_of(folder: Path) -> int:
    """Read where a partition's files end; 0 where they hold nothing."""
    last = max(folder.glob("*.log"), default=None)
    if last is None:
        return 0
    ends = [header.next_offset for _, header in walk(last.read_bytes())]
    return ends[-1] if ends else int(last.stem)
