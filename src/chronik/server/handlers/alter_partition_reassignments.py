"""AlterPartitionReassignments: agreed to where nothing has to move, refused where something would."""

from collections import Counter
from collections.abc import Sequence

from chronik.metadata.image import Image
from chronik.metadata.plan import Refusal
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId
from chronik.protocol.generated.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignablePartitionResponse,
    ReassignableTopic,
    ReassignableTopicResponse,
)
from chronik.server.context import RequestContext, Services


def handle(
    request: AlterPartitionReassignmentsRequest, context: RequestContext, services: Services
) -> AlterPartitionReassignmentsResponse:
    """Judge each partition against the image; nothing is changed."""
    image = services.catalog.image
    return AlterPartitionReassignmentsResponse(
        error_message=None,
        allow_replication_factor_change=request.allow_replication_factor_change,
        responses=[_judge_topic(topic, image) for topic in request.topics],
    )


def _judge_topic(topic: ReassignableTopic, image: Image) -> ReassignableTopicResponse:
    return ReassignableTopicResponse(topic.name, [_judge(topic.name, asked, image) for asked in topic.partitions])


def _judge(topic: str, asked: ReassignablePartition, image: Image) -> ReassignablePartitionResponse:
    refusal = _why_not(topic, asked, image)
    if refusal is None:
        return ReassignablePartitionResponse(asked.partition_index, ErrorCode.NONE, None)
    return ReassignablePartitionResponse(asked.partition_index, refusal.error, refusal.message)


def _why_not(topic: str, asked: ReassignablePartition, image: Image) -> Refusal | None:
    if topic not in image.topics:
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Unable to find a topic named {topic}.")
    partition = image.partition(topic, asked.partition_index)
    if partition is None:
        message = f"Unable to find partition {topic}:{asked.partition_index}."
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, message)
    if asked.replicas is None:
        return Refusal(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, "No partition reassignment is in progress.")
    return _why_not_replicas(asked.replicas, partition.replicas, image)


def _why_not_replicas(asked: Sequence[int], current: Sequence[BrokerId], image: Image) -> Refusal | None:
    unknown = [replica for replica in asked if replica not in image.brokers]
    repeated = [replica for replica, times in Counter(asked).items() if times > 1]
    if not asked:
        message = "The manual partition assignment includes an empty replica list."
    elif unknown:
        message = f"The manual partition assignment includes broker {unknown[0]}, but no such broker is registered."
    elif repeated:
        message = f"The manual partition assignment includes the broker {repeated[0]} more than once."
    elif list(asked) != list(current):
        message = "Moving replicas is not supported by this broker yet; nothing was changed."
    else:
        return None
    return Refusal(ErrorCode.INVALID_REPLICA_ASSIGNMENT, message)
