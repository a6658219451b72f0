"""ListPartitionReassignments: the reassignments in progress."""

from collections import defaultdict

from chronik.metadata.decisions.reassignments import OngoingReassignment, list_reassignments
from chronik.model.ids import TopicPartition
from chronik.protocol.generated.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from chronik.server.requests.context import RequestContext, Services


def handle(
    request: ListPartitionReassignmentsRequest, context: RequestContext, services: Services
) -> ListPartitionReassignmentsResponse:
    """Return the requested reassignments; unknown partitions are skipped, as in Kafka."""
    asked = _asked(request)
    by_topic: dict[str, list[OngoingPartitionReassignment]] = defaultdict(list)
    for ongoing in list_reassignments(services.catalog.image):
        if asked is None or ongoing.partition in asked:
            by_topic[ongoing.partition.topic].append(_partition(ongoing))
    topics = [OngoingTopicReassignment(topic, partitions) for topic, partitions in by_topic.items()]
    return ListPartitionReassignmentsResponse(error_message=None, topics=topics)


def _asked(request: ListPartitionReassignmentsRequest) -> set[TopicPartition] | None:
    if request.topics is None:
        return None
    return {TopicPartition(topic.name, index) for topic in request.topics for index in topic.partition_indexes}


def _partition(ongoing: OngoingReassignment) -> OngoingPartitionReassignment:
    return OngoingPartitionReassignment(
        ongoing.partition.partition, list(ongoing.replicas), list(ongoing.adding), list(ongoing.removing)
    )
