"""ListGroups: the groups that this broker coordinates, filtered by state and type."""

from typing import Final

from chronik.coordinator.commands import ListGroups
from chronik.coordinator.responses import ListResponse
from chronik.protocol.generated.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse
from chronik.server.requests.context import Reply, RequestContext, Services

STATES_VERSION: Final = 4
TYPES_VERSION: Final = 5


def handle(request: ListGroupsRequest, context: RequestContext, services: Services) -> Reply:
    command = ListGroups(frozenset(request.states_filter), frozenset(request.types_filter))
    return services.groups.ask_all(command, lambda answer: _response(answer, context.version))


def _response(answer: ListResponse, version: int) -> ListGroupsResponse:
    return ListGroupsResponse(
        error_code=answer.error,
        groups=[
            ListedGroup(
                group.group_id,
                group.protocol_type,
                group.state if version >= STATES_VERSION else "",
                group.type if version >= TYPES_VERSION else "",
            )
            for group in answer.groups
        ],
    )
