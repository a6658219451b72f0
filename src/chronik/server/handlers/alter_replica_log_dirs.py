"""AlterReplicaLogDirs: a broker has one data directory, which has all its replicas already."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.alter_replica_log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)
from chronik.server.requests.context import RequestContext, Services


def handle(
    request: AlterReplicaLogDirsRequest, context: RequestContext, services: Services
) -> AlterReplicaLogDirsResponse:
    """Succeed for the data directory, and reject every other directory."""
    topics: dict[str, list[AlterReplicaLogDirPartitionResult]] = {}
    for directory in request.dirs:
        is_ours = directory.path == services.settings.data_dir
        for topic in directory.topics:
            results = topics.setdefault(topic.name, [])
            for index in topic.partitions:
                error = _error_of(topic.name, index, services) if is_ours else ErrorCode.LOG_DIR_NOT_FOUND
                results.append(AlterReplicaLogDirPartitionResult(index, error))
    return AlterReplicaLogDirsResponse(
        results=[AlterReplicaLogDirTopicResult(name, results) for name, results in topics.items()]
    )


def _error_of(topic: str, index: int, services: Services) -> ErrorCode:
    partition = services.partitions.led_by_name(topic, index)
    return partition if isinstance(partition, ErrorCode) else ErrorCode.NONE
