"""DescribeGroups: state, protocol and members. An unknown group is Dead, which is an error only from version 6 on."""

from collections.abc import Sequence
from typing import Final

from chronik.coordinator.commands import DescribeGroup
from chronik.coordinator.responses import DescribedMember, DescribeResponse, GroupResponse
from chronik.model.errors import ErrorCode
from chronik.protocol.generated.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from chronik.server.requests.context import Reply, RequestContext, Services
from chronik.server.views.authorized_operations import NOT_ASKED, ON_GROUP

NOT_FOUND_VERSION: Final = 6


def handle(request: DescribeGroupsRequest, context: RequestContext, services: Services) -> Reply:
    """Describe each group."""
    operations = ON_GROUP if request.include_authorized_operations else NOT_ASKED
    return services.groups.ask_each(
        [DescribeGroup(group_id) for group_id in request.groups],
        lambda answers: _response(request.groups, answers, context.version, operations),
    )


def _response(
    group_ids: Sequence[str], answers: Sequence[GroupResponse], version: int, operations: int
) -> DescribeGroupsResponse:
    return DescribeGroupsResponse(
        groups=[
            _described(group_id, answer, version, operations)
            for group_id, answer in zip(group_ids, answers, strict=True)
        ]
    )


def _described(group_id: str, answer: GroupResponse, version: int, operations: int) -> DescribedGroup:
    if not isinstance(answer, DescribeResponse):
        return DescribedGroup(answer.error, group_id=group_id)
    error, message = answer.error, None
    if error is ErrorCode.GROUP_ID_NOT_FOUND:
        if version >= NOT_FOUND_VERSION:
            message = f"Group {group_id} not found."
        else:
            error = ErrorCode.NONE
    return DescribedGroup(
        error,
        message,
        group_id,
        answer.state,
        answer.protocol_type,
        answer.protocol_name,
        [_member(member) for member in answer.members],
        operations if error is ErrorCode.NONE else NOT_ASKED,
    )


def _member(member: DescribedMember) -> DescribedGroupMember:
    return DescribedGroupMember(
        member.member_id,
        member.instance_id,
        member.client_id,
        member.client_host,
        member.metadata,
        member.assignment,
    )
