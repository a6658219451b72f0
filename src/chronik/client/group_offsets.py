"""Committing offsets as a member of a group."""

from collections.abc import Mapping
from typing import Final

from chronik.client.errors import error_of
from chronik.client.group_coordinator import GroupCoordinator
from chronik.client.group_membership import Membership
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)

_LAST_VERSION_BY_NAME: Final = 9


async def commit_as_member(
    coordinator: GroupCoordinator,
    membership: Membership,
    instance_id: str | None,
    offsets: Mapping[TopicPartition, int],
) -> dict[TopicPartition, ErrorCode]:
    """Commit offsets, tell the membership what the answer means for it, and say how each partition went."""
    generation = membership.generation
    request = OffsetCommitRequest(
        group_id=coordinator.group_id,
        generation_id_or_member_epoch=generation,
        member_id=membership.member_id,
        group_instance_id=instance_id,
        topics=_topics(offsets),
    )
    answer = await coordinator.call(
        request, OffsetCommitResponse, error_in=_error_in, version_max=_LAST_VERSION_BY_NAME
    )
    errors = {
        TopicPartition(topic.name, partition.partition_index): error_of(partition.error_code)
        for topic in answer.topics
        for partition in topic.partitions
    }
    for error in _OF_THE_MEMBER.intersection(errors.values()):
        membership.on_answered(error, generation)
    return errors


_OF_THE_MEMBER: Final = frozenset(
    {
        ErrorCode.REBALANCE_IN_PROGRESS,
        ErrorCode.ILLEGAL_GENERATION,
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.FENCED_INSTANCE_ID,
    }
)
"""Errors that concern the whole member; the others concern one partition and leave the membership as it is."""


def _topics(offsets: Mapping[TopicPartition, int]) -> list[OffsetCommitRequestTopic]:
    topics: dict[str, list[OffsetCommitRequestPartition]] = {}
    for at, offset in sorted(offsets.items()):
        partition = OffsetCommitRequestPartition(
            partition_index=at.partition, committed_offset=offset, committed_metadata=""
        )
        topics.setdefault(at.topic, []).append(partition)
    return [OffsetCommitRequestTopic(name=topic, partitions=partitions) for topic, partitions in topics.items()]


def _error_in(answer: OffsetCommitResponse) -> int:
    codes = (partition.error_code for topic in answer.topics for partition in topic.partitions)
    return next((code for code in codes if code), ErrorCode.NONE)
