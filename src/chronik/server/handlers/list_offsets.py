"""ListOffsets: the log start, the high watermark, and the first offset at or after a timestamp."""

from typing import Final

from chronik.model.errors import ErrorCode
from chronik.protocol.constants import (
    DEBUGGING_CONSUMER_ID,
    EARLIEST_LOCAL_TIMESTAMP,
    EARLIEST_PENDING_UPLOAD_TIMESTAMP,
    EARLIEST_TIMESTAMP,
    LATEST_TIERED_TIMESTAMP,
    LATEST_TIMESTAMP,
    MAX_TIMESTAMP,
)
from chronik.protocol.generated.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.replica import FoundOffset
from chronik.server.requests.context import RequestContext, Services

LEADER_EPOCH_VERSION: Final = 4
OFFSET_NOT_AVAILABLE_VERSION: Final = 5


def handle(request: ListOffsetsRequest, context: RequestContext, services: Services) -> ListOffsetsResponse:
    """Look up each partition."""
    return ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(
                topic.name,
                [_look_up(topic.name, asked, request.replica_id, context, services) for asked in topic.partitions],
            )
            for topic in request.topics
        ]
    )


def _look_up(
    topic: str, asked: ListOffsetsPartition, replica_id: int, context: RequestContext, services: Services
) -> ListOffsetsPartitionResponse:
    if replica_id == DEBUGGING_CONSUMER_ID:
        return _look_up_in_any(topic, asked, services)
    partition = services.partitions.led_by_name(topic, asked.partition_index)
    if isinstance(partition, ErrorCode):
        return ListOffsetsPartitionResponse(asked.partition_index, partition)
    if (error := partition.replica.rejection_of_epoch(asked.current_leader_epoch)) is not None:
        return ListOffsetsPartitionResponse(asked.partition_index, error)
    found = _find(partition, asked.timestamp, context.version)
    if isinstance(found, ErrorCode):
        return ListOffsetsPartitionResponse(asked.partition_index, found)
    return ListOffsetsPartitionResponse(
        asked.partition_index,
        ErrorCode.NONE,
        found.timestamp,
        found.offset,
        found.leader_epoch if context.version >= LEADER_EPOCH_VERSION else -1,
    )


def _look_up_in_any(topic: str, asked: ListOffsetsPartition, services: Services) -> ListOffsetsPartitionResponse:
    """Look up in this broker's own log, up to its end, for Kafka's debugging consumer; the leader does not matter."""
    replica = services.partitions.replica_by_name(topic, asked.partition_index)
    if isinstance(replica, ErrorCode):
        return ListOffsetsPartitionResponse(asked.partition_index, replica)
    if asked.timestamp == LATEST_TIMESTAMP:
        found = FoundOffset(-1, replica.log_end_offset, replica.log.last_epoch)
    elif asked.timestamp in (EARLIEST_TIMESTAMP, EARLIEST_LOCAL_TIMESTAMP):
        found = replica.earliest()
    else:
        return ListOffsetsPartitionResponse(asked.partition_index, ErrorCode.UNSUPPORTED_VERSION)
    return ListOffsetsPartitionResponse(
        asked.partition_index, ErrorCode.NONE, found.timestamp, found.offset, found.leader_epoch
    )


def _find(partition: LeaderReplica, timestamp: int, version: int) -> FoundOffset | ErrorCode:
    nothing = FoundOffset(-1, -1, -1)
    if timestamp == LATEST_TIMESTAMP:
        if not partition.leader.knows_what_is_committed:
            is_new = version >= OFFSET_NOT_AVAILABLE_VERSION
            return ErrorCode.OFFSET_NOT_AVAILABLE if is_new else ErrorCode.LEADER_NOT_AVAILABLE
        return FoundOffset(-1, partition.high_watermark, partition.leader_epoch)
    if timestamp in (EARLIEST_TIMESTAMP, EARLIEST_LOCAL_TIMESTAMP):
        return partition.replica.earliest()
    if timestamp == MAX_TIMESTAMP:
        return partition.replica.max_timestamp() or nothing
    if timestamp in (LATEST_TIERED_TIMESTAMP, EARLIEST_PENDING_UPLOAD_TIMESTAMP):
        # Without tiered storage there are no tiered records.
        return nothing
    if timestamp < 0:
        return ErrorCode.UNSUPPORTED_VERSION
    found = partition.replica.offset_for_time(timestamp)
    return nothing if found is None else found
