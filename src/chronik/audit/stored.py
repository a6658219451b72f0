"""What the replicas of a topic hold, read to the end of each and written down as STORED.

The leader is read twice: as clients see it, and as the debugging replica (-2), which our cluster shows its whole log.
Apache Kafka shows that replica as much as any consumer; the spans say how far each reading came.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from chronik.audit.ledger_writing import RowStream
from chronik.audit.observer_wire import CONSUMER, DEBUGGING_REPLICA, ask_log_ends, ask_log_starts
from chronik.audit.run_facts import RunFacts
from chronik.audit.schemas import AS_CLIENTS_SEE_IT, STORED
from chronik.audit.spans import ReadSpan, write_spans
from chronik.audit.stored_rows import BatchReader
from chronik.client.cluster import Cluster
from chronik.client.cluster_view import PartitionView
from chronik.client.errors import ClientError, error_of
from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID
from chronik.protocol.generated.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
    ReplicaState,
)

FETCH_BYTES: Final = 4 * 1024 * 1024
ANSWER_S_MAX: Final = 5.0
EMPTY_ANSWERS_MAX: Final = 3
"""So often in a row may an answer bring nothing, though the log goes on, before the reading ends there."""
_WAIT_MS: Final = 100
_LAST_VERSION_BY_NAME: Final = 12
_FIRST_VERSION_WITH_STATE: Final = 15
_PURPOSE: Final = "capture"
_ROWS_KEPT: Final = 20_000


@dataclass(frozen=True, slots=True)
class _Reading:
    """One replica to be read."""

    node: int
    """The broker that is asked."""
    replica_id: int
    partition: PartitionView
    begin_offset: int

    @property
    def stored_node(self) -> int:
        return AS_CLIENTS_SEE_IT if self.replica_id == CONSUMER else self.node

    @property
    def is_leader(self) -> bool:
        return self.replica_id != CONSUMER and self.node == self.partition.leader


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
    silent: set[int] = set()
    for partition in view.partitions.values():
        begin = (starts or {}).get(partition.index, 0)
        nodes = [node for node in partition.replicas if with_followers or node == partition.leader]
        readings = [(seen, _Reading(partition.leader, CONSUMER, partition, begin))]
        readings += [(cluster, _Reading(node, DEBUGGING_REPLICA, partition, begin)) for node in nodes]
        for asked, reading in readings:
            if reading.stored_node in silent:
                continue
            span = await _Capture(asked, topic, reading, folder).run()
            spans += [] if span is None else [span]
            # Who said nothing of one partition is not waited for at each of the others.
            if span is None and reading.replica_id != CONSUMER and not reading.is_leader:
                silent.add(reading.node)
    write_spans(folder, spans)
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
        self._at = reading.begin_offset
        self._log_start = -1
        self._log_end = -1
        self._batches = BatchReader(reading.stored_node, reading.partition.index)
        self._folder = folder

    async def run(self) -> ReadSpan | None:
        """Read to the end; None where the replica says nothing at all."""
        try:
            async with asyncio.timeout(ANSWER_S_MAX):
                await self._find_bounds()
        except (ClientError, TimeoutError):
            return None
        name = f"{self._reading.stored_node}-{self._reading.partition.index}.arrows"
        stream = RowStream(self._folder / name, STORED)
        try:
            await self._read_all(stream)
        except (ClientError, TimeoutError):
            pass  # the span says how far it came
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

    async def _find_bounds(self) -> None:
        index, node = self._reading.partition.index, self._reading.node
        if self._reading.replica_id != CONSUMER:
            starts = await ask_log_starts(self._cluster, node, self._topic, [index])
            ends = await ask_log_ends(self._cluster, node, self._topic, [index])
            self._log_start, self._log_end = starts.get(index, -1), ends[index].log_end if index in ends else -1
            if self._log_end < 0:
                raise TimeoutError
        self._at = max(self._at, self._log_start)

    async def _read_all(self, stream: RowStream) -> None:
        empty = 0
        while empty < EMPTY_ANSWERS_MAX:
            data = await self._fetch()
            if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE and data.log_start_offset > self._at:
                self._at = data.log_start_offset
                continue
            if data.error_code:
                return
            self._log_start = max(self._log_start, data.log_start_offset)
            before = self._at
            self._at = max(self._at, self._batches.take(bytes(data.records or b""), self._at))
            if len(self._batches) >= _ROWS_KEPT:
                stream.rows += self._batches.take_settled()
                stream.write_waiting()
            end = data.high_watermark if self._log_end < 0 else self._log_end
            if self._at >= end:
                return
            empty = empty + 1 if self._at == before else 0

    async def _fetch(self) -> PartitionData:
        connection = await self._cluster.connection_to(self._reading.node, _PURPOSE)
        topic_id = self._cluster.topic_id(self._topic)
        version = connection.version_of(FetchRequest, _LAST_VERSION_BY_NAME if topic_id == ZERO_TOPIC_ID else None)
        has_state, replica_id = version >= _FIRST_VERSION_WITH_STATE, self._reading.replica_id
        wanted = FetchPartition(
            partition=self._reading.partition.index, fetch_offset=self._at, partition_max_bytes=FETCH_BYTES
        )
        request = FetchRequest(
            replica_id=CONSUMER if has_state else replica_id,
            replica_state=ReplicaState(replica_id, -1) if has_state and replica_id != CONSUMER else None,
            max_wait_ms=_WAIT_MS,
            min_bytes=1,
            max_bytes=FETCH_BYTES,
            session_id=0,
            session_epoch=-1,
            topics=[FetchTopic(topic=self._topic, topic_id=topic_id, partitions=[wanted])],
        )
        answer = await connection.call(request, FetchResponse, version=version, timeout_s=ANSWER_S_MAX)
        if answer.error_code or not answer.responses:
            raise TimeoutError(error_of(answer.error_code).name)
        return answer.responses[0].partitions[0]
