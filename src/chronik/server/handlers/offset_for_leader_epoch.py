"""OffsetForLeaderEpoch: the end offset of a leader epoch, by which followers and consumers detect divergence."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)
from chronik.server.requests.context import RequestContext, Services


def handle(
    request: OffsetForLeaderEpochRequest, context: RequestContext, services: Services
) -> OffsetForLeaderEpochResponse:
    """Look up each partition."""
    return OffsetForLeaderEpochResponse(
        topics=[
            OffsetForLeaderTopicResult(
                topic.topic, [_look_up(topic.topic, asked, services) for asked in topic.partitions]
            )
            for topic in request.topics
        ]
    )


def _look_up(topic: str, asked: OffsetForLeaderPartition, services: Services) -> EpochEndOffset:
    partition = services.partitions.led_by_name(topic, asked.partition)
    if isinstance(partition, ErrorCode):
        return EpochEndOffset(partition, asked.partition)
    if (error := partition.replica.rejection_of_epoch(asked.current_leader_epoch)) is not None:
        return EpochEndOffset(error, asked.partition)
    epoch, end_offset = partition.end_offset_for_epoch(asked.leader_epoch)
    return EpochEndOffset(ErrorCode.NONE, asked.partition, epoch, end_offset)
