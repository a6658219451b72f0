"""DescribeProducers: the idempotent producers of a partition."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)
from chronik.server.requests.context import RequestContext, Services


def handle(request: DescribeProducersRequest, context: RequestContext, services: Services) -> DescribeProducersResponse:
    """Describe each partition's producers."""
    return DescribeProducersResponse(
        topics=[
            TopicResponse(topic.name, [_describe(topic.name, index, services) for index in topic.partition_indexes])
            for topic in request.topics
        ]
    )


def _describe(topic: str, index: int, services: Services) -> PartitionResponse:
    partition = services.partitions.led_by_name(topic, index)
    if isinstance(partition, ErrorCode):
        return PartitionResponse(index, partition, f"this broker does not lead {topic}-{index}")
    return PartitionResponse(
        index,
        active_producers=[
            ProducerState(
                producer.producer_id,
                producer.producer_epoch,
                producer.last_sequence,
                producer.last_timestamp,
                producer.coordinator_epoch,
                producer.current_transaction_start_offset,
            )
            for producer in partition.replica.describe_producers()
        ],
    )
