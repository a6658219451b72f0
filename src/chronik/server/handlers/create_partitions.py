"""CreatePartitions: add partitions to topics."""

from chronik.metadata.decisions.topics import NewPartitions
from chronik.metadata.stores.plan import Refusal
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId
from chronik.model.topics import OFFSETS_TOPIC
from chronik.protocol.generated.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)
from chronik.server.requests.context import RequestContext, Services
from chronik.server.requests.topic_creation import create_partitions


async def handle(
    request: CreatePartitionsRequest, context: RequestContext, services: Services
) -> CreatePartitionsResponse:
    """Add partitions; each topic has its own result."""
    results = []
    for topic in request.topics:
        refusal = _rejection_of(topic) or await create_partitions(
            services, _request_of(topic), validate_only=request.validate_only
        )
        if refusal is None:
            results.append(CreatePartitionsTopicResult(topic.name))
        else:
            results.append(CreatePartitionsTopicResult(topic.name, refusal.error, refusal.message))
    return CreatePartitionsResponse(results=results)


def _rejection_of(topic: CreatePartitionsTopic) -> Refusal | None:
    if topic.name != OFFSETS_TOPIC:
        return None
    message = f"the partition count of {OFFSETS_TOPIC} cannot change: groups are found by it"
    return Refusal(ErrorCode.INVALID_PARTITIONS, message)


def _request_of(topic: CreatePartitionsTopic) -> NewPartitions:
    if topic.assignments is None:
        return NewPartitions(topic.name, topic.count)
    assignment = [[BrokerId(broker) for broker in one.broker_ids] for one in topic.assignments]
    return NewPartitions(topic.name, topic.count, assignment)
