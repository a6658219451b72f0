"""DescribeLogDirs: the size of each replica of this broker, and the free space of its disk."""

from collections.abc import Iterable

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from chronik.server.replicas.replica import Replica
from chronik.server.requests.context import RequestContext, Services


def handle(request: DescribeLogDirsRequest, context: RequestContext, services: Services) -> DescribeLogDirsResponse:
    """Describe the one data directory."""
    partitions = services.partitions
    topics: dict[str, list[DescribeLogDirsPartition]] = {}
    for partition in _asked(request, services):
        topic, index = partition.topic_partition
        topics.setdefault(topic, []).append(DescribeLogDirsPartition(index, partition.log.size_bytes, 0))
    space = partitions.disk_space()
    result = DescribeLogDirsResult(
        error_code=ErrorCode.KAFKA_STORAGE_ERROR if space is None else ErrorCode.NONE,
        log_dir=services.settings.data_dir,
        topics=[DescribeLogDirsTopic(name, sizes) for name, sizes in topics.items()],
        total_bytes=-1 if space is None else space.total_bytes,
        usable_bytes=-1 if space is None else space.free_bytes,
    )
    return DescribeLogDirsResponse(results=[result])


def _asked(request: DescribeLogDirsRequest, services: Services) -> Iterable[Replica]:
    if request.topics is None:
        yield from services.partitions.all()
        return
    for topic in request.topics:
        for index in topic.partitions:
            partition = services.partitions.replica_by_name(topic.topic, index)
            if isinstance(partition, Replica):
                yield partition
