"""SyncGroup: the group leader sends the assignment, and every member waits for its part."""

from typing import Final

from chronik.coordinator.commands import SyncGroup
from chronik.coordinator.responses import GroupResponse, SyncResponse
from chronik.model.errors import ErrorCode
from chronik.protocol.generated.sync_group import SyncGroupRequest, SyncGroupResponse
from chronik.server.requests.context import Reply, RequestContext, Services

PROTOCOL_VERSION: Final = 5
"""From here on a member must say which protocol it believes in."""


def handle(request: SyncGroupRequest, context: RequestContext, services: Services) -> Reply:
    if context.version >= PROTOCOL_VERSION and (request.protocol_type is None or request.protocol_name is None):
        return SyncGroupResponse(error_code=ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    command = SyncGroup(
        group_id=request.group_id,
        generation=request.generation_id,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
        protocol_type=request.protocol_type,
        protocol_name=request.protocol_name,
        assignments=tuple((one.member_id, bytes(one.assignment)) for one in request.assignments),
    )
    return services.groups.ask(command, lambda answer: _response(answer, context.version))


def _response(answer: GroupResponse, version: int) -> SyncGroupResponse:
    if not isinstance(answer, SyncResponse):
        return SyncGroupResponse(error_code=answer.error)
    if version < PROTOCOL_VERSION:
        return SyncGroupResponse(error_code=answer.error, assignment=answer.assignment)
    return SyncGroupResponse(
        error_code=answer.error,
        protocol_type=answer.protocol_type,
        protocol_name=answer.protocol_name,
        assignment=answer.assignment,
    )
