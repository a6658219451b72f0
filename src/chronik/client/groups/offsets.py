"""Committing offsets as a member of a group."""

from collections.abc import Mapping
from typing import Final

from chronik.client.errors import error_of
from chronik.client.groups.admin_offsets import codes_of, commit_request
from chronik.client.groups.coordinator import GroupCoordinator
from chronik.client.groups.membership import Membership
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.constants import OFFSET_COMMIT_LAST_VERSION_BY_NAME
from chronik.protocol.generated.offset_commit import OffsetCommitResponse

_OF_THE_MEMBER: Final = frozenset(
    {
        ErrorCode.REBALANCE_IN_PROGRESS,
        ErrorCode.ILLEGAL_GENERATION,
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.FENCED_INSTANCE_ID,
    }
)
"""Errors that concern the whole member; the others concern one partition and leave the membership as it is."""


async def commit_as_member(
    coordinator: GroupCoordinator,
    membership: Membership,
    instance_id: str | None,
    offsets: Mapping[TopicPartition, int],
) -> dict[TopicPartition, ErrorCode]:
    """Commit offsets, tell the membership what the answer means for it, and say how each partition went."""
    generation = membership.generation
    request = commit_request(
        coordinator.group_id,
        offsets,
        member_id=membership.member_id,
        generation=generation,
        instance_id=instance_id,
    )
    answer = await coordinator.call(
        request, OffsetCommitResponse, error_in=_error_in, version_max=OFFSET_COMMIT_LAST_VERSION_BY_NAME
    )
    errors = {at: error_of(code) for at, code in codes_of(answer.topics).items()}
    for error in _OF_THE_MEMBER.intersection(errors.values()):
        membership.on_answered(error, generation)
    return errors


def _error_in(answer: OffsetCommitResponse) -> int:
    return next((code for code in codes_of(answer.topics).values() if code), ErrorCode.NONE)
