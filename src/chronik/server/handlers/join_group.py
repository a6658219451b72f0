"""JoinGroup: join the next generation of a group; answered when that generation begins."""

from typing import Final

from chronik.coordinator.commands import JoinGroup
from chronik.coordinator.responses import GroupResponse, JoinResponse
from chronik.protocol.generated.join_group import JoinGroupRequest, JoinGroupResponse, JoinGroupResponseMember
from chronik.server.requests.context import Reply, RequestContext, Services

REBALANCE_TIMEOUT_VERSION: Final = 1
KNOWN_MEMBER_ID_VERSION: Final = 4
"""From this version on a member without id gets one and must rejoin with it, so a lost response adds no member."""
NULL_PROTOCOL_VERSION: Final = 7
SKIP_ASSIGNMENT_VERSION: Final = 9


def handle(request: JoinGroupRequest, context: RequestContext, services: Services) -> Reply:
    command = JoinGroup(
        group_id=request.group_id,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
        client_id=context.client_id or "",
        client_host=context.client_host,
        protocol_type=request.protocol_type,
        protocols=tuple((protocol.name, bytes(protocol.metadata)) for protocol in request.protocols),
        session_timeout_ms=request.session_timeout_ms,
        rebalance_timeout_ms=_rebalance_timeout_ms(request, context.version),
        requires_known_member_id=context.version >= KNOWN_MEMBER_ID_VERSION and request.group_instance_id is None,
        may_skip_assignment=context.version >= SKIP_ASSIGNMENT_VERSION,
    )
    return services.groups.ask(command, lambda answer: _response(answer, request.member_id, context.version))


def _rebalance_timeout_ms(request: JoinGroupRequest, version: int) -> int:
    if version < REBALANCE_TIMEOUT_VERSION:
        return request.session_timeout_ms
    return request.rebalance_timeout_ms


def _response(answer: GroupResponse, asked_member_id: str, version: int) -> JoinGroupResponse:
    if not isinstance(answer, JoinResponse):
        answer = JoinResponse(answer.error, asked_member_id)
    no_name = None if version >= NULL_PROTOCOL_VERSION else ""
    return JoinGroupResponse(
        error_code=answer.error,
        generation_id=answer.generation,
        protocol_type=answer.protocol_type if version >= NULL_PROTOCOL_VERSION else None,
        protocol_name=answer.protocol_name or no_name,
        leader=answer.leader,
        skip_assignment=answer.skip_assignment,
        member_id=answer.member_id,
        members=[
            JoinGroupResponseMember(member.member_id, member.instance_id, member.metadata) for member in answer.members
        ],
    )
