"""Reading one replica over the wire, answer by answer, as far as its broker shows it: whole batches, unread."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from chronik.audit.capture.stored_rows import whole_batches
from chronik.client.cluster import Cluster
from chronik.client.errors import check
from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID
from chronik.protocol.constants import (
    CONSUMER_REPLICA_ID,
    FETCH_FIRST_VERSION_WITH_REPLICA_STATE,
    FETCH_LAST_VERSION_BY_NAME,
)
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
_PURPOSE: Final = "replica reading"


@dataclass(frozen=True, slots=True)
class ReplicaPlace:
    """A replica, and as whom it is read: a consumer, or the debugging replica."""

    topic: str
    partition: int
    node: int
    replica_id: int = CONSUMER_REPLICA_ID


class FetchedBatches(NamedTuple):
    """What one answer brought."""

    data: bytes
    from_offset: int
    next_offset: int
    """Behind its last whole batch; ``from_offset`` where it brought none."""
    log_start: int


async def read_replica(
    cluster: Cluster, place: ReplicaPlace, begin_offset: int, end_offset: int | None
) -> AsyncIterator[FetchedBatches]:
    """Read from an offset up to another (None: the watermark that is served), or as far as the broker shows it.

    Raises ``ClientError`` where the broker refuses or does not answer.
    """
    at, empty = begin_offset, 0
    while empty < EMPTY_ANSWERS_MAX and (end_offset is None or at < end_offset):
        answer = await _fetch(cluster, place, at)
        if answer.error_code == ErrorCode.OFFSET_OUT_OF_RANGE and answer.log_start_offset > at:
            at = answer.log_start_offset
            continue
        check(answer.error_code, f"{place.topic}-{place.partition} at broker {place.node}, offset {at}")
        fetched = _batches_of(answer, at)
        yield fetched
        empty = empty + 1 if fetched.next_offset == at else 0
        at = fetched.next_offset
        if end_offset is None and at >= answer.high_watermark:
            return


def _batches_of(answer: PartitionData, at: int) -> FetchedBatches:
    data = bytes(answer.records or b"")
    next_offset = max((header.next_offset for _, header in whole_batches(data)), default=at)
    return FetchedBatches(data, at, max(next_offset, at), answer.log_start_offset)


async def _fetch(cluster: Cluster, place: ReplicaPlace, offset: int) -> PartitionData:
    connection = await cluster.connection_to(place.node, _PURPOSE)
    topic_id = cluster.topic_id(place.topic)
    version = connection.version_of(FetchRequest, FETCH_LAST_VERSION_BY_NAME if topic_id == ZERO_TOPIC_ID else None)
    has_state = version >= FETCH_FIRST_VERSION_WITH_REPLICA_STATE
    wanted = FetchPartition(partition=place.partition, fetch_offset=offset, partition_max_bytes=FETCH_BYTES)
    request = FetchRequest(
        replica_id=CONSUMER_REPLICA_ID if has_state else place.replica_id,
        replica_state=ReplicaState(place.replica_id, -1)
        if has_state and place.replica_id != CONSUMER_REPLICA_ID
        else None,
        max_wait_ms=_WAIT_MS,
        min_bytes=1,
        max_bytes=FETCH_BYTES,
        session_id=0,
        session_epoch=-1,
        topics=[FetchTopic(topic=place.topic, topic_id=topic_id, partitions=[wanted])],
    )
    answer = await connection.call(request, FetchResponse, version=version, timeout_s=ANSWER_S_MAX)
    check(answer.error_code, f"{connection.where}: Fetch")
    return answer.responses[0].partitions[0]
