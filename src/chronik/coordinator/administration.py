"""DescribeGroup, ListGroups and DeleteGroup."""

from chronik.coordinator.commands import DeleteGroup, DescribeGroup, ListGroups
from chronik.coordinator.context import Context
from chronik.coordinator.group import ClassicGroup
from chronik.coordinator.rebalancing import drop_pending
from chronik.coordinator.record_format import GroupRecord, OffsetRecord
from chronik.coordinator.responses import (
    DescribedMember,
    DescribeResponse,
    ErrorResponse,
    ListedGroup,
    ListResponse,
    RequestHandle,
)
from chronik.coordinator.transitions import GroupEvent, GroupState
from chronik.model.errors import ErrorCode


def describe(context: Context, command: DescribeGroup, request: RequestHandle) -> None:
    group = context.groups.get(command.group_id)
    if group is None:
        context.respond(request, DescribeResponse(ErrorCode.GROUP_ID_NOT_FOUND, command.group_id))
        return
    # In a rebalance the protocol may still change.
    protocol_name = group.protocol_name if group.state is GroupState.STABLE else None
    members = tuple(
        DescribedMember(
            member.member_id,
            member.instance_id,
            member.client_id,
            member.client_host,
            member.metadata(protocol_name),
            group.assignments.get(member.member_id, b""),
        )
        for member in group.members.values()
    )
    answer = DescribeResponse(
        ErrorCode.NONE, group.group_id, group.state.value, group.protocol_type or "", protocol_name or "", members
    )
    context.respond(request, answer)


def list_groups(context: Context, command: ListGroups, request: RequestHandle) -> None:
    states = {state.lower() for state in command.states}
    types = {name.lower() for name in command.types}
    listed = (ListedGroup(group.group_id, group.protocol_type or "", group.state.value) for group in context.groups)
    matching = (
        group
        for group in listed
        if (not states or group.state.lower() in states) and (not types or group.type in types)
    )
    context.respond(request, ListResponse(ErrorCode.NONE, tuple(matching)))


def delete_group(context: Context, command: DeleteGroup, request: RequestHandle) -> None:
    context.respond(request, ErrorResponse(_delete(context, command.group_id)))


def _delete(context: Context, group_id: str) -> ErrorCode:
    group = context.groups.get(group_id)
    if group is None:
        return ErrorCode.GROUP_ID_NOT_FOUND
    if group.state is not GroupState.EMPTY:
        return ErrorCode.NON_EMPTY_GROUP
    _remove(context, group)
    return ErrorCode.NONE


def _remove(context: Context, group: ClassicGroup) -> None:
    for member_id in list(group.pending):
        drop_pending(context, group, member_id)
    for partition in list(group.offsets):
        context.write(OffsetRecord(group.group_id, partition, None))
    if group.stored is not None:
        context.write(GroupRecord(group.group_id, None))
    context.groups.drop_if_unused(group)
    context.move(group, GroupEvent.REMOVED)
