"""DescribeGroup, ListGroups and DeleteGroup."""

from chronik.coordinator.answers import (
    DescribeAnswer,
    DescribedMember,
    ErrorAnswer,
    ListAnswer,
    ListedGroup,
    Ticket,
)
from chronik.coordinator.commands import DeleteGroup, DescribeGroup, ListGroups
from chronik.coordinator.group import Group
from chronik.coordinator.rebalancing import drop_pending
from chronik.coordinator.record_format import GroupRecord, OffsetRecord
from chronik.coordinator.transitions import GroupEvent, GroupState
from chronik.coordinator.turn import Turn
from chronik.model.errors import ErrorCode


def describe(turn: Turn, command: DescribeGroup, ticket: Ticket) -> None:
    group = turn.groups.get(command.group_id)
    if group is None:
        turn.answer(ticket, DescribeAnswer(ErrorCode.GROUP_ID_NOT_FOUND, command.group_id))
        return
    # What a group that rebalances has agreed on is about to change.
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
    answer = DescribeAnswer(
        ErrorCode.NONE, group.group_id, group.state.value, group.protocol_type or "", protocol_name or "", members
    )
    turn.answer(ticket, answer)


def list_groups(turn: Turn, command: ListGroups, ticket: Ticket) -> None:
    states = {state.lower() for state in command.states}
    types = {name.lower() for name in command.types}
    listed = (ListedGroup(group.group_id, group.protocol_type or "", group.state.value) for group in turn.groups)
    fitting = (
        group
        for group in listed
        if (not states or group.state.lower() in states) and (not types or group.type in types)
    )
    turn.answer(ticket, ListAnswer(ErrorCode.NONE, tuple(fitting)))


def delete_group(turn: Turn, command: DeleteGroup, ticket: Ticket) -> None:
    turn.answer(ticket, ErrorAnswer(_delete(turn, command.group_id)))


def _delete(turn: Turn, group_id: str) -> ErrorCode:
    group = turn.groups.get(group_id)
    if group is None:
        return ErrorCode.GROUP_ID_NOT_FOUND
    if group.state is not GroupState.EMPTY:
        return ErrorCode.NON_EMPTY_GROUP
    _remove(turn, group)
    return ErrorCode.NONE


def _remove(turn: Turn, group: Group) -> None:
    for member_id in list(group.pending):
        drop_pending(turn, group, member_id)
    for partition in list(group.offsets):
        turn.write(OffsetRecord(group.group_id, partition, None))
    if group.stored is not None:
        turn.write(GroupRecord(group.group_id, None))
    turn.groups.drop_if_void(group)
    turn.move(group, GroupEvent.REMOVED)
