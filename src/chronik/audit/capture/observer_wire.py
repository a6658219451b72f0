"""The observer's requests to one broker: how far it serves its replicas of a topic, and their log ends.

The debugging replica (-2) is shown a broker's own log up to its end, leader or not. Apache Kafka returns the log end
too, and serves it records up to the watermark.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError, check, error_of
from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID
from chronik.protocol.constants import (
    CONSUMER_REPLICA_ID,
    DEBUGGING_CONSUMER_ID,
    EARLIEST_TIMESTAMP,
    FETCH_FIRST_VERSION_WITH_REPLICA_STATE,
    FETCH_LAST_VERSION_BY_NAME,
    LATEST_TIMESTAMP,
)
from chronik.protocol.generated.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic, ReplicaState
from chronik.protocol.generated.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from chronik.protocol.generated.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)

PURPOSE: Final = "observe"
ANSWER_S_MAX: Final = 1.0
"""A broker that says nothing for so long is noted as silent."""
_EPOCHS_MAX: Final = 10_000


class Served(NamedTuple):
    """How far a broker serves one partition."""

    log_start: int = -1
    high_watermark: int = -1
    last_stable: int = -1
    error: str = ""


class Ends(NamedTuple):
    """Where the log of one replica begins and ends, and the epoch of its last record."""

    log_end: int = -1
    error: str = ""


class EpochEnd(NamedTuple):
    """Where the records of one leader epoch end."""

    leader_epoch: int
    end_offset: int


async def ask_served(
    cluster: Cluster, node: int, topic: str, offsets: Mapping[int, int], replica_id: int
) -> dict[int, Served]:
    """Fetch nothing at these offsets, and see how far each partition is served."""
    connection = await cluster.connection_to(node, PURPOSE)
    topic_id = cluster.topic_id(topic)
    version = connection.version_of(FetchRequest, FETCH_LAST_VERSION_BY_NAME if topic_id == ZERO_TOPIC_ID else None)
    partitions = [FetchPartition(partition=p, fetch_offset=o, partition_max_bytes=1) for p, o in offsets.items()]
    has_state = version >= FETCH_FIRST_VERSION_WITH_REPLICA_STATE
    request = FetchRequest(
        replica_id=CONSUMER_REPLICA_ID if has_state else replica_id,
        replica_state=ReplicaState(replica_id, -1) if has_state and replica_id != CONSUMER_REPLICA_ID else None,
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=1,
        session_id=0,
        session_epoch=-1,
        topics=[FetchTopic(topic=topic, topic_id=topic_id, partitions=partitions)],
    )
    answer = await connection.call(request, FetchResponse, version=version, timeout_s=ANSWER_S_MAX)
    check(answer.error_code, f"{connection.where}: Fetch")
    return {
        data.partition_index: Served(
            data.log_start_offset, data.high_watermark, data.last_stable_offset, _text(data.error_code)
        )
        for answered in answer.responses
        for data in answered.partitions
    }


async def ask_log_ends(cluster: Cluster, node: int, topic: str, partitions: Iterable[int]) -> dict[int, Ends]:
    """Ask for the log ends of a broker's own replicas, leaders or not."""
    return {
        p: Ends(o, e) for p, (o, e) in (await _ask_offsets(cluster, node, topic, partitions, LATEST_TIMESTAMP)).items()
    }


async def ask_log_starts(cluster: Cluster, node: int, topic: str, partitions: Iterable[int]) -> dict[int, int]:
    """Ask where a broker's own logs begin; -1 where it does not say."""
    return {p: o for p, (o, _) in (await _ask_offsets(cluster, node, topic, partitions, EARLIEST_TIMESTAMP)).items()}


async def _ask_offsets(
    cluster: Cluster, node: int, topic: str, partitions: Iterable[int], timestamp: int
) -> dict[int, tuple[int, str]]:
    connection = await cluster.connection_to(node, PURPOSE)
    wanted = [ListOffsetsPartition(partition_index=p, timestamp=timestamp) for p in partitions]
    request = ListOffsetsRequest(
        replica_id=DEBUGGING_CONSUMER_ID, topics=[ListOffsetsTopic(name=topic, partitions=wanted)], timeout_ms=1000
    )
    answer = await connection.call(request, ListOffsetsResponse, timeout_s=ANSWER_S_MAX)
    return {
        data.partition_index: (data.offset if not data.error_code else -1, _text(data.error_code))
        for answered in answer.topics
        for data in answered.partitions
    }


async def ask_epochs(cluster: Cluster, node: int, topic: str, partition: int, current: int) -> list[EpochEnd]:
    """Ask a leader for the history of leaders, from the newest epoch down to the oldest that it knows."""
    connection = await cluster.connection_to(node, PURPOSE)
    found: list[EpochEnd] = []
    asked = current
    while asked >= 0 and len(found) < _EPOCHS_MAX:
        at = OffsetForLeaderPartition(partition=partition, current_leader_epoch=-1, leader_epoch=asked)
        request = OffsetForLeaderEpochRequest(
            replica_id=CONSUMER_REPLICA_ID, topics=[OffsetForLeaderTopic(topic=topic, partitions=[at])]
        )
        answer = await connection.call(request, OffsetForLeaderEpochResponse, timeout_s=ANSWER_S_MAX)
        end = answer.topics[0].partitions[0]
        check(end.error_code, f"{topic}-{partition}: OffsetForLeaderEpoch")
        if end.leader_epoch < 0:
            break
        found.append(EpochEnd(end.leader_epoch, end.end_offset))
        asked = end.leader_epoch - 1
    return found


def _text(code: int) -> str:
    error = error_of(code)
    return "" if error is ErrorCode.NONE else error.name


def problem_text(error: BaseException) -> str:
    """Return in a few words why a broker could not be asked."""
    if isinstance(error, ClientError):
        return error.what
    return str(error) or type(error).__name__
