"""DeleteGroups: remove groups without members, and their committed offsets."""

from collections.abc import Sequence

from chronik.coordinator.commands import DeleteGroup
from chronik.coordinator.responses import GroupResponse
from chronik.protocol.generated.delete_groups import DeletableGroupResult, DeleteGroupsRequest, DeleteGroupsResponse
from chronik.server.requests.context import Reply, RequestContext, Services


def handle(request: DeleteGroupsRequest, context: RequestContext, services: Services) -> Reply:
    """Delete each group."""
    group_ids = list(dict.fromkeys(request.groups_names))
    return services.groups.ask_each(
        [DeleteGroup(group_id) for group_id in group_ids], lambda answers: _response(group_ids, answers)
    )


def _response(group_ids: Sequence[str], answers: Sequence[GroupResponse]) -> DeleteGroupsResponse:
    return DeleteGroupsResponse(
        results=[
            DeletableGroupResult(group_id, answer.error) for group_id, answer in zip(group_ids, answers, strict=True)
        ]
    )
