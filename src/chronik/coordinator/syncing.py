"""SyncGroup: the leader sends the assignment of its generation, and every member gets its part."""

from chronik.coordinator.commands import SyncGroup
from chronik.coordinator.context import Context
from chronik.coordinator.group import ClassicGroup, Member
from chronik.coordinator.rebalancing import begin_rebalance, cancel_syncs
from chronik.coordinator.record_format import GroupRecord
from chronik.coordinator.responses import RequestHandle, SyncResponse
from chronik.coordinator.transitions import GroupEvent, GroupState
from chronik.model.errors import ErrorCode


def sync(context: Context, command: SyncGroup, request: RequestHandle) -> None:
    """Respond, or park the request until the leader has sent the assignment."""
    group = context.groups.get(command.group_id)
    error = _refusal(group, command)
    if group is None or error is not None:
        context.respond(request, SyncResponse(error or ErrorCode.UNKNOWN_MEMBER_ID))
        return
    member = group.members[command.member_id]
    _mark_synced(context, group, member)
    if group.state is GroupState.STABLE:
        context.keep_alive(member)
        context.respond(request, _assigned(group, member))
        return
    context.park_sync(group, member, request)
    if group.leader == member.member_id:
        _assign(context, group, dict(command.assignments))


def _refusal(group: ClassicGroup | None, command: SyncGroup) -> ErrorCode | None:
    if not command.group_id:
        return ErrorCode.INVALID_GROUP_ID
    if group is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    error = group.refusal_of(command.member_id, command.instance_id)
    if error is not None:
        return error
    if command.generation != group.generation:
        return ErrorCode.ILLEGAL_GENERATION
    if _differs(command.protocol_type, group.protocol_type) or _differs(command.protocol_name, group.protocol_name):
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    return ErrorCode.REBALANCE_IN_PROGRESS if group.is_rebalancing else None


def _differs(said: str | None, known: str | None) -> bool:
    return said is not None and known is not None and said != known


def _mark_synced(context: Context, group: ClassicGroup, member: Member) -> None:
    group.unsynced.pop(member.member_id, None)
    if not group.unsynced:
        context.timers.cancel(group.sync_timer)


def _assign(context: Context, group: ClassicGroup, assignments: dict[str, bytes]) -> None:
    """Store the generation with its assignment, and respond to all waiting members."""
    stored = group.with_assignments(assignments, context.now)
    if not context.write_if_it_fits(GroupRecord(group.group_id, stored)):
        cancel_syncs(context, group, ErrorCode.UNKNOWN_SERVER_ERROR)
        begin_rebalance(context, group)
        return
    context.move(group, GroupEvent.ASSIGNMENT_KEPT)
    for member_id in list(group.syncing):
        member = group.members[member_id]
        context.end_sync(group, member, _assigned(group, member))
        context.keep_alive(member)


def _assigned(group: ClassicGroup, member: Member) -> SyncResponse:
    assignment = group.assignments.get(member.member_id, b"")
    return SyncResponse(ErrorCode.NONE, group.protocol_type, group.protocol_name, assignment)
