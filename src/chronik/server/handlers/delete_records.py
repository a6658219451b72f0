"""DeleteRecords: raise the log start offset of partitions; the records below it are deleted."""

from typing import Final

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from chronik.server.requests.context import RequestContext, Services

HIGH_WATERMARK: Final = -1


async def handle(request: DeleteRecordsRequest, context: RequestContext, services: Services) -> DeleteRecordsResponse:
    """Delete the records of each partition."""
    return DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(
                topic.name, [await _delete(topic.name, asked, services) for asked in topic.partitions]
            )
            for topic in request.topics
        ]
    )


async def _delete(topic: str, asked: DeleteRecordsPartition, services: Services) -> DeleteRecordsPartitionResult:
    led = services.partitions.led_by_name(topic, asked.partition_index)
    if isinstance(led, ErrorCode):
        return DeleteRecordsPartitionResult(asked.partition_index, -1, led)
    replica = led.replica
    if replica.is_internal:
        return DeleteRecordsPartitionResult(asked.partition_index, -1, ErrorCode.INVALID_TOPIC_EXCEPTION)
    if replica.may_only_compact:
        return DeleteRecordsPartitionResult(asked.partition_index, -1, ErrorCode.POLICY_VIOLATION)
    offset = replica.high_watermark if asked.offset == HIGH_WATERMARK else asked.offset
    error = await services.housekeeping.delete_records(replica, offset)
    if error is not None:
        return DeleteRecordsPartitionResult(asked.partition_index, -1, error)
    return DeleteRecordsPartitionResult(asked.partition_index, replica.log_start_offset)
