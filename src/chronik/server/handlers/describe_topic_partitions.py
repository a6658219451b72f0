"""DescribeTopicPartitions: topics page by page, for clusters whose metadata does not fit in one response."""

from chronik.metadata.image.image import TopicImage
from chronik.model.errors import ErrorCode
from chronik.model.topics import INTERNAL_TOPICS, rejection_of_topic_name
from chronik.protocol.generated.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)
from chronik.server.requests.context import RequestContext, Services
from chronik.server.views import authorized_operations
from chronik.server.views.topics import describe_partition


def handle(
    request: DescribeTopicPartitionsRequest, context: RequestContext, services: Services
) -> DescribeTopicPartitionsResponse:
    """Return one page, in the order of topic names, with a cursor to the next page."""
    left = max(1, min(request.response_partition_limit, services.settings.describe_partitions_max))
    response = DescribeTopicPartitionsResponse()
    cursor = request.cursor
    for name in _names(request, services):
        first = 0
        if cursor is not None:
            if name < cursor.topic_name:
                continue
            if name == cursor.topic_name:
                first = max(cursor.partition_index, 0)
        if left == 0:
            response.next_cursor = Cursor(name, first)
            break
        described, next_index = _describe(name, first, left, services)
        response.topics.append(described)
        left -= len(described.partitions)
        if next_index is not None:
            response.next_cursor = Cursor(name, next_index)
            break
    return response


def _names(request: DescribeTopicPartitionsRequest, services: Services) -> list[str]:
    if request.topics:
        return sorted({topic.name for topic in request.topics})
    return sorted(services.catalog.image.topics)


def _describe(
    name: str, first: int, most: int, services: Services
) -> tuple[DescribeTopicPartitionsResponseTopic, int | None]:
    topic = services.catalog.image.topics.get(name)
    if topic is None:
        invalid = rejection_of_topic_name(name) is not None
        error = ErrorCode.INVALID_TOPIC_EXCEPTION if invalid else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return DescribeTopicPartitionsResponseTopic(error, name), None
    end = min(first + most, len(topic.partitions))
    described = DescribeTopicPartitionsResponseTopic(
        ErrorCode.NONE,
        name,
        topic.id,
        name in INTERNAL_TOPICS,
        [_partition(topic, index, services) for index in range(first, end)],
        authorized_operations.ON_TOPIC,
    )
    return described, end if end < len(topic.partitions) else None


def _partition(topic: TopicImage, index: int, services: Services) -> DescribeTopicPartitionsResponsePartition:
    view = describe_partition(services.catalog.image, services.partitions.is_offline, services.node_id, topic, index)
    return DescribeTopicPartitionsResponsePartition(
        view.error,
        index,
        view.leader,
        view.leader_epoch,
        view.replicas,
        view.isr,
        view.elr,
        view.last_known,
        view.offline_replicas,
    )
