"""OffsetFetch: the committed offsets of one or several groups; -1, without error, if there is none."""

from collections.abc import Iterable, Sequence
from itertools import groupby, islice
from typing import Final

from chronik.coordinator.commands import FetchOffsets
from chronik.coordinator.responses import CommittedOffset, GroupResponse, OffsetsResponse
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.constants import OFFSET_FETCH_FIRST_VERSION_WITH_GROUPS
from chronik.protocol.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)
from chronik.server.requests.context import Reply, RequestContext, Services

GROUP_ERROR_VERSION: Final = 2
"""The first version with a top-level error of a group; before it every partition has the error."""

_Topics = Sequence[OffsetFetchRequestTopic] | Sequence[OffsetFetchRequestTopics] | None


def handle(request: OffsetFetchRequest, context: RequestContext, services: Services) -> Reply:
    """Return the committed offsets. Without transactions no offset is ever unstable."""
    if context.version >= OFFSET_FETCH_FIRST_VERSION_WITH_GROUPS:
        return services.groups.ask_each(
            [_command_of(group) for group in request.groups], lambda answers: _groups(request, answers)
        )
    command = FetchOffsets(request.group_id, _partitions(request.topics))
    return services.groups.ask(command, lambda answer: _one_group(request, answer, context.version))


def _command_of(group: OffsetFetchRequestGroup) -> FetchOffsets:
    return FetchOffsets(group.group_id, _partitions(group.topics), group.member_id, group.member_epoch)


def _partitions(topics: _Topics) -> tuple[TopicPartition, ...] | None:
    if topics is None:
        return None
    return tuple(TopicPartition(topic.name, index) for topic in topics for index in topic.partition_indexes)


def _groups(request: OffsetFetchRequest, answers: Sequence[GroupResponse]) -> OffsetFetchResponse:
    return OffsetFetchResponse(
        groups=[
            OffsetFetchResponseGroup(
                group.group_id,
                [
                    OffsetFetchResponseTopics(name, partitions=[_partition_of_group(one) for one in offsets])
                    for name, offsets in _by_topic(group.topics, answer)
                ],
                answer.error,
            )
            for group, answer in zip(request.groups, answers, strict=True)
        ]
    )


def _one_group(request: OffsetFetchRequest, answer: GroupResponse, version: int) -> OffsetFetchResponse:
    if version < GROUP_ERROR_VERSION and answer.error is not ErrorCode.NONE:
        offsets = tuple(CommittedOffset(partition) for partition in _partitions(request.topics) or ())
        nowhere = OffsetsResponse(ErrorCode.NONE, offsets)
        return OffsetFetchResponse(topics=_topics(request.topics, nowhere, answer.error))
    return OffsetFetchResponse(topics=_topics(request.topics, answer, ErrorCode.NONE), error_code=answer.error)


def _topics(asked: _Topics, answer: GroupResponse, error: ErrorCode) -> list[OffsetFetchResponseTopic]:
    return [
        OffsetFetchResponseTopic(name, [_partition_of_topic(one, error) for one in offsets])
        for name, offsets in _by_topic(asked, answer)
    ]


def _by_topic(asked: _Topics, answer: GroupResponse) -> Iterable[tuple[str, Iterable[CommittedOffset]]]:
    """Return the committed offsets by topic, in the order of the request; each topic once if all are requested."""
    if not isinstance(answer, OffsetsResponse) or answer.error is not ErrorCode.NONE:
        return []
    if asked is None:
        return groupby(answer.offsets, lambda one: one.partition.topic)
    offsets = iter(answer.offsets)
    return [(topic.name, list(islice(offsets, len(topic.partition_indexes)))) for topic in asked]


def _partition_of_topic(one: CommittedOffset, error: ErrorCode) -> OffsetFetchResponsePartition:
    return OffsetFetchResponsePartition(one.partition.partition, one.offset, one.leader_epoch, one.metadata, error)


def _partition_of_group(one: CommittedOffset) -> OffsetFetchResponsePartitions:
    return OffsetFetchResponsePartitions(one.partition.partition, one.offset, one.leader_epoch, one.metadata)
