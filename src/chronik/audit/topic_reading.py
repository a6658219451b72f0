"""Reading the batches of one replica over the wire, as they lie there: nothing here looks at a record."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from chronik.audit.observer_wire import CONSUMER
from chronik.client.cluster import Cluster
from chronik.client.errors import check
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
from chronik.records.batch import BatchHeader, crc_is_right, walk
from chronik.records.iterate import records_of

FETCH_BYTES: Final = 8 * 1024 * 1024
_PURPOSE: Final = "examine"
_WAIT_MS: Final = 100
_EMPTY_MAX: Final = 3
_LAST_VERSION_BY_NAME: Final = 12
_FIRST_VERSION_WITH_STATE: Final = 15


class ReadBatch(NamedTuple):
    """A batch: its header, whether its checksum is right, and which marker it is, if it is one."""

    header: BatchHeader
    is_whole: bool
    marker: int | None


@dataclass(frozen=True, slots=True)
class ReplicaPlace:
    """A replica, and as whom it is read: a consumer, or the debugging replica."""

    topic: str
    partition: int
    node: int
    replica_id: int = CONSUMER


async def read_batches(
    cluster: Cluster, place: ReplicaPlace, begin_offset: int, end_offset: int
) -> AsyncIterator[ReadBatch]:
    """Read the batches from an offset up to another, or as far as the broker shows them."""
    at, empty = begin_offset, 0
    while at < end_offset and empty < _EMPTY_MAX:
        data = await _fetch(cluster, place, at)
        if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE and data.log_start_offset > at:
            at = data.log_start_offset
            continue
        check(data.error_code, f"{place.topic}-{place.partition} at broker {place.node}, offset {at}")
        before = at
        for batch in _whole_batches(memoryview(data.records or b""), at):
            at = max(at, batch.header.next_offset)
            yield batch
        empty = empty + 1 if at == before else 0


def _whole_batches(data: memoryview, from_offset: int) -> list[ReadBatch]:
    batches = []
    for position, header in walk(data):
        if header.next_offset > from_offset:
            is_whole = crc_is_right(data, position, header.size_bytes)
            marker = _marker(data[position : position + header.size_bytes]) if header.is_control and is_whole else None
            batches.append(ReadBatch(header, is_whole, marker))
    return batches


def _marker(batch: memoryview) -> int | None:
    """Read the type from a control record's key: version, then type, two bytes each."""
    for record in records_of(batch):
        return int.from_bytes((record.key or b"")[2:4], "big", signed=True)
    return None


async def _fetch(cluster: Cluster, place: ReplicaPlace, offset: int) -> PartitionData:
    connection = await cluster.connection_to(place.node, _PURPOSE)
    topic_id = cluster.topic_id(place.topic)
    version = connection.version_of(FetchRequest, _LAST_VERSION_BY_NAME if topic_id == ZERO_TOPIC_ID else None)
    has_state = version >= _FIRST_VERSION_WITH_STATE
    wanted = FetchPartition(partition=place.partition, fetch_offset=offset, partition_max_bytes=FETCH_BYTES)
    request = FetchRequest(
        replica_id=CONSUMER if has_state else place.replica_id,
        replica_state=ReplicaState(place.replica_id, -1) if has_state and place.replica_id != CONSUMER else None,
        max_wait_ms=_WAIT_MS,
        min_bytes=1,
        max_bytes=FETCH_BYTES,
        session_id=0,
        session_epoch=-1,
        topics=[FetchTopic(topic=place.topic, topic_id=topic_id, partitions=[wanted])],
    )
    answer = await connection.call(request, FetchResponse, version=version)
    check(answer.error_code, f"{connection.where}: Fetch")
    return answer.responses[0].partitions[0]
