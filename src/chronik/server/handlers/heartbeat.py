"""Heartbeat: keeps the session of a member, and returns whether the member must rejoin."""

from chronik.coordinator.commands import Heartbeat
from chronik.coordinator.responses import GroupResponse
from chronik.protocol.generated.heartbeat import HeartbeatRequest, HeartbeatResponse
from chronik.server.requests.context import Reply, RequestContext, Services


def handle(request: HeartbeatRequest, context: RequestContext, services: Services) -> Reply:
    command = Heartbeat(request.group_id, request.generation_id, request.member_id, request.group_instance_id)
    return services.groups.ask(command, _response)


def _response(answer: GroupResponse) -> HeartbeatResponse:
    return HeartbeatResponse(error_code=answer.error)
