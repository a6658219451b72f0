"""What the replicas of a topic hold, read to the end of each and written down as STORED.

The leader is read twice: as clients see it, and as the debugging replica (-2), which our cluster shows its whole log.
Apache Kafka shows that replica as much as any consumer; the spans say how far each reading came.
"""

import asyncio
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from chronik.audit.capture.observer_wire import ask_log_ends, ask_log_starts
from chronik.audit.capture.replica_reading import ReplicaPlace, read_replica
from chronik.audit.capture.stored_rows import BatchReader
from chronik.audit.ledger.writing import RowStream
from chronik.audit.tables.run_facts import RunFacts
from chronik.audit.tables.schemas import AS_CLIENTS_SEE_IT, STORED
from chronik.audit.tables.spans import ReadSpan, Replica, write_silent, write_spans
from chronik.client.cluster import Cluster
from chronik.client.cluster_view import PartitionInfo
from chronik.client.errors import ClientError
from chronik.protocol.constants import CONSUMER_REPLICA_ID, DEBUGGING_CONSUMER_ID

_ROWS_KEPT: Final = 20_000
_PAUSE_S: Final = 0.2
_LEADER_S_MAX: Final = 20.0
_OTHERS_S_MAX: Final = 4.0
"""So long is tried again what fails; an answer may take its own time beside."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """One replica to be read."""

    node: int
    """The broker that is asked."""
    replica_id: int
    partition: PartitionInfo
    begin_offset: int

    @property
    def stored_node(self) -> int:
        return AS_CLIENTS_SEE_IT if self.replica_id == CONSUMER_REPLICA_ID else self.node

    @property
    def is_leader(self) -> bool:
        return self.replica_id != CONSUMER_REPLICA_ID and self.node == self.partition.leader

    @property
    def patience_s(self) -> float:
        """What the leader's log holds decides every verdict; what one of the others holds adds to it."""
        return _LEADER_S_MAX if self.is_leader else _OTHERS_S_MAX


async def capture(
    directory: Path,
    topic: str,
    seen: Cluster,
    behind: Cluster | None = None,
    *,
    starts: Mapping[int, int] | None = None,
    with_followers: bool = True,
) -> list[ReadSpan]:
    """Read every replica of a topic from these offsets to its end, into ``stored/`` of a run's directory.

    ``seen`` is the cluster as clients reach it; ``behind`` is the same past any proxy.
    """
    folder = directory / "stored"
    folder.mkdir(parents=True, exist_ok=True)
    cluster = behind or seen
    view = (await cluster.refresh([topic])).topics[topic]
    await seen.refresh([topic])
    spans: list[ReadSpan] = []
    silent: list[Replica] = []
    skipped: set[int] = set()
    for partition in view.partitions.values():
        begin = (starts or {}).get(partition.index, 0)
        nodes = [node for node in partition.replicas if with_followers or node == partition.leader]
        readings = [(seen, _Reading(partition.leader, CONSUMER_REPLICA_ID, partition, begin))]
        readings += [(cluster, _Reading(node, DEBUGGING_CONSUMER_ID, partition, begin)) for node in nodes]
        for asked, reading in readings:
            # A follower that did not answer for one partition is not asked for the others.
            is_skipped = reading.stored_node in skipped
            span = None if is_skipped else await _Capture(asked, topic, reading, folder).run()
            if span is not None:
                spans.append(span)
            elif reading.stored_node != AS_CLIENTS_SEE_IT:
                silent.append((reading.node, partition.index))
                skipped |= set() if reading.is_leader else {reading.node}
    write_spans(folder, spans)
    write_silent(folder, silent)
    return spans


async def recapture(directory: Path, facts: RunFacts, bootstrap: str) -> list[ReadSpan]:
    """Read the replicas of a run's topic again; what was read before is replaced when all is read."""
    with tempfile.TemporaryDirectory(dir=directory, prefix=".stored-") as fresh:
        async with Cluster(bootstrap) as cluster:
            spans = await capture(Path(fresh), facts.topic, cluster, starts=facts.starts)
        shutil.rmtree(directory / "stored", ignore_errors=True)
        (Path(fresh) / "stored").rename(directory / "stored")
    return spans


class _Capture:
    """The reading of one replica; what cannot be read ends it, and the span says where."""

    def __init__(self, cluster: Cluster, topic: str, reading: _Reading, folder: Path) -> None:
        self._cluster = cluster
        self._topic = topic
        self._reading = reading
        self._place = ReplicaPlace(topic, reading.partition.index, reading.node, reading.replica_id)
        self._at = reading.begin_offset
        self._log_start = -1
        self._log_end = -1
        self._batches = BatchReader(reading.stored_node, reading.partition.index)
        self._folder = folder

    async def run(self) -> ReadSpan | None:
        """Read to the end; None where the replica says nothing at all."""
        if not await self._tried(self._find_bounds):
            return None
        name = f"{self._reading.stored_node}-{self._reading.partition.index}.arrows"
        stream = RowStream(self._folder / name, STORED)
        try:
            # Where it fails for good, the span says how far it came.
            await self._tried(lambda: self._read_all(stream))
        finally:
            stream.rows += self._batches.take_all()
            stream.close()
        reading = self._reading
        return ReadSpan(
            reading.stored_node,
            reading.partition.index,
            self._log_start,
            self._at,
            self._log_end,
            begin_offset=max(reading.begin_offset, self._log_start),
            is_leader=reading.is_leader,
        )

    async def _tried(self, work: Callable[[], Awaitable[None]]) -> bool:
        """Do it, again and again where it fails for a moment, and say whether it was done in the end."""
        until = time.monotonic() + self._reading.patience_s
        while True:
            try:
                await work()
            except (ClientError, TimeoutError):
                if time.monotonic() >= until:
                    return False
                await asyncio.sleep(_PAUSE_S)
            else:
                return True

    async def _find_bounds(self) -> None:
        index, node = self._reading.partition.index, self._reading.node
        if self._reading.replica_id != CONSUMER_REPLICA_ID:
            starts = await ask_log_starts(self._cluster, node, self._topic, [index])
            ends = await ask_log_ends(self._cluster, node, self._topic, [index])
            self._log_start, self._log_end = starts.get(index, -1), ends[index].log_end if index in ends else -1
            if self._log_end < 0:
                raise TimeoutError
        self._at = max(self._at, self._log_start)

    async def _read_all(self, stream: RowStream) -> None:
        end = None if self._log_end < 0 else self._log_end
        async for fetched in read_replica(self._cluster, self._place, self._at, end):
            self._log_start = max(self._log_start, fetched.log_start)
            self._at = self._batches.take(fetched.data, fetched.from_offset)
            if len(self._batches) >= _ROWS_KEPT:
                stream.rows += self._batches.take_settled()
                stream.write_waiting()
