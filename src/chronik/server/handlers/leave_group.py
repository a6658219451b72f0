"""LeaveGroup: members leave, or an administrator removes them."""

from typing import Final

from chronik.coordinator.commands import LeaveGroup, Leaving
from chronik.coordinator.responses import GroupResponse, LeaveResponse
from chronik.model.errors import ErrorCode
from chronik.protocol.generated.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberResponse
from chronik.server.requests.context import Reply, RequestContext, Services

SEVERAL_MEMBERS_VERSION: Final = 3


def handle(request: LeaveGroupRequest, context: RequestContext, services: Services) -> Reply:
    if context.version < SEVERAL_MEMBERS_VERSION:
        leaving: tuple[Leaving, ...] = (Leaving(request.member_id, None),)
    else:
        leaving = tuple(Leaving(member.member_id, member.group_instance_id) for member in request.members)
    command = LeaveGroup(request.group_id, leaving)
    return services.groups.ask(command, lambda answer: _response(answer, context.version))


def _response(answer: GroupResponse, version: int) -> LeaveGroupResponse:
    if not isinstance(answer, LeaveResponse):
        return LeaveGroupResponse(error_code=answer.error)
    if version < SEVERAL_MEMBERS_VERSION:
        # In old versions the error of the only member is the error of the response.
        own = answer.members[0][2] if answer.members else ErrorCode.NONE
        return LeaveGroupResponse(error_code=answer.error or own)
    members = [MemberResponse(member_id, instance_id, error) for member_id, instance_id, error in answer.members]
    return LeaveGroupResponse(error_code=answer.error, members=members)
