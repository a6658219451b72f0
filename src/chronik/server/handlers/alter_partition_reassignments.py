"""AlterPartitionReassignments: start, change or cancel reassignments; the response does not wait for their end."""

from collections.abc import Mapping

from chronik.metadata.decisions.reassignments import (
    ReassignmentRequest,
    plan_reassign,
)
from chronik.metadata.stores.plan import (
    Refusal,
)
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, TopicPartition
from chronik.protocol.generated.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignablePartitionResponse,
    ReassignableTopic,
    ReassignableTopicResponse,
)
from chronik.server.requests.context import RequestContext, Services

Results = Mapping[TopicPartition, Refusal | None]


async def handle(
    request: AlterPartitionReassignmentsRequest, context: RequestContext, services: Services
) -> AlterPartitionReassignmentsResponse:
    """Start, change or cancel the reassignment of each partition; each has its own result."""
    requests = [_request(topic.name, asked) for topic in request.topics for asked in topic.partitions]
    results = await services.catalog.carry_out(
        lambda image: plan_reassign(
            image, requests, allow_replication_factor_change=request.allow_replication_factor_change
        )
    )
    assert not isinstance(results, Refusal), "each partition has its own result"
    return AlterPartitionReassignmentsResponse(
        error_message=None,
        allow_replication_factor_change=request.allow_replication_factor_change,
        responses=[_topic(topic, results) for topic in request.topics],
    )


def _request(topic: str, asked: ReassignablePartition) -> ReassignmentRequest:
    replicas = None if asked.replicas is None else tuple(map(BrokerId, asked.replicas))
    return ReassignmentRequest(TopicPartition(topic, asked.partition_index), replicas)


def _topic(topic: ReassignableTopic, results: Results) -> ReassignableTopicResponse:
    places = [TopicPartition(topic.name, asked.partition_index) for asked in topic.partitions]
    return ReassignableTopicResponse(topic.name, [_partition(place, results[place]) for place in places])


def _partition(place: TopicPartition, refusal: Refusal | None) -> ReassignablePartitionResponse:
    if refusal is None:
        return ReassignablePartitionResponse(place.partition, ErrorCode.NONE, None)
    return ReassignablePartitionResponse(place.partition, refusal.error, refusal.message)
