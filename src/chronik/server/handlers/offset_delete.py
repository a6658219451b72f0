"""OffsetDelete: delete committed offsets of a group in topics that it no longer consumes."""

from chronik.coordinator.commands import DeleteOffsets
from chronik.coordinator.responses import GroupResponse, PartitionErrors
from chronik.metadata.image.image import Image
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.generated.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)
from chronik.server.requests.context import Reply, RequestContext, Services


def handle(request: OffsetDeleteRequest, context: RequestContext, services: Services) -> Reply:
    """Delete the offsets of existing partitions; each other partition gets an error."""
    image = services.catalog.image
    partitions = tuple(
        TopicPartition(topic.name, asked.partition_index)
        for topic in request.topics
        for asked in topic.partitions
        if _exists(image, topic.name, asked.partition_index)
    )
    command = DeleteOffsets(request.group_id, partitions)
    return services.groups.ask(command, lambda answer: _response(request, answer))


def _exists(image: Image, topic: str, index: int) -> bool:
    return image.partition(topic, index) is not None


def _response(request: OffsetDeleteRequest, answer: GroupResponse) -> OffsetDeleteResponse:
    if not isinstance(answer, PartitionErrors) or answer.error is not ErrorCode.NONE:
        return OffsetDeleteResponse(error_code=answer.error)
    errors = dict(answer.partitions)
    return OffsetDeleteResponse(
        topics=[
            OffsetDeleteResponseTopic(
                topic.name,
                [
                    OffsetDeleteResponsePartition(
                        asked.partition_index,
                        errors.get(
                            TopicPartition(topic.name, asked.partition_index), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                        ),
                    )
                    for asked in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )
