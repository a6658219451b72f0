"""OffsetCommit: commit the offsets of a group."""

from collections.abc import Mapping
from typing import Final

from chronik.coordinator.commands import CommitOffsets, OffsetToCommit
from chronik.coordinator.responses import GroupResponse, PartitionErrors
from chronik.metadata.image.image import Image
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.constants import BROKER_DEFAULT
from chronik.protocol.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from chronik.server.requests.context import Reply, RequestContext, Services

NOT_FOUND_VERSION: Final = 9
"""Before it, a generation of a group that is not known is an illegal one."""


def handle(request: OffsetCommitRequest, context: RequestContext, services: Services) -> Reply:
    """Commit the offsets of existing partitions; each other partition gets an error."""
    image = services.catalog.image
    expire_at_ms = None
    if request.retention_time_ms != BROKER_DEFAULT:
        expire_at_ms = services.groups.now_ms() + request.retention_time_ms
    offsets = [offset for topic in request.topics for offset in _offsets_of(topic, image, expire_at_ms)]
    command = CommitOffsets(
        request.group_id,
        request.generation_id_or_member_epoch,
        request.member_id,
        request.group_instance_id,
        tuple(offsets),
    )
    return services.groups.ask(command, lambda answer: _response(request, command, answer, context.version))


def _offsets_of(topic: OffsetCommitRequestTopic, image: Image, expire_at_ms: int | None) -> list[OffsetToCommit]:
    known = image.topics.get(topic.name)
    if known is None:
        return []
    count = len(known.partitions)
    return [
        OffsetToCommit(
            known.id,
            TopicPartition(topic.name, asked.partition_index),
            asked.committed_offset,
            asked.committed_leader_epoch,
            asked.committed_metadata or "",
            expire_at_ms,
        )
        for asked in topic.partitions
        if 0 <= asked.partition_index < count
    ]


def _response(
    request: OffsetCommitRequest, command: CommitOffsets, answer: GroupResponse, version: int
) -> OffsetCommitResponse:
    if isinstance(answer, PartitionErrors) and answer.error is ErrorCode.NONE:
        errors = dict(answer.partitions)
    else:
        errors = dict.fromkeys((item.partition for item in command.offsets), _error_in(version, answer.error))
    return OffsetCommitResponse(
        topics=[OffsetCommitResponseTopic(topic.name, partitions=_results(topic, errors)) for topic in request.topics]
    )


def _error_in(version: int, error: ErrorCode) -> ErrorCode:
    is_too_new = error is ErrorCode.GROUP_ID_NOT_FOUND and version < NOT_FOUND_VERSION
    return ErrorCode.ILLEGAL_GENERATION if is_too_new else error


def _results(
    topic: OffsetCommitRequestTopic, errors: Mapping[TopicPartition, ErrorCode]
) -> list[OffsetCommitResponsePartition]:
    """Return each partition's error; a partition without a result does not exist."""
    return [
        OffsetCommitResponsePartition(
            asked.partition_index,
            errors.get(TopicPartition(topic.name, asked.partition_index), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        )
        for asked in topic.partitions
    ]
