"""SyncGroup: the leader brings the assignment of its generation, everybody takes his own."""

from chronik.coordinator.answers import SyncAnswer, Ticket
from chronik.coordinator.commands import SyncGroup
from chronik.coordinator.group import Group, Member
from chronik.coordinator.rebalancing import begin_rebalance, cancel_syncs
from chronik.coordinator.record_format import GroupRecord
from chronik.coordinator.transitions import GroupEvent, GroupState
from chronik.coordinator.turn import Turn
from chronik.model.errors import ErrorCode


def sync(turn: Turn, command: SyncGroup, ticket: Ticket) -> None:
    """Answer, or park the request until the leader has brought the assignment."""
    group = turn.groups.get(command.group_id)
    error = _refusal(group, command)
    if group is None or error is not None:
        turn.answer(ticket, SyncAnswer(error or ErrorCode.UNKNOWN_MEMBER_ID))
        return
    member = group.members[command.member_id]
    _mark_synced(turn, group, member)
    if group.state is GroupState.STABLE:
        turn.keep_alive(member)
        turn.answer(ticket, _assigned(group, member))
        return
    turn.park_sync(group, member, ticket)
    if group.leader == member.member_id:
        _assign(turn, group, dict(command.assignments))


def _refusal(group: Group | None, command: SyncGroup) -> ErrorCode | None:
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


def _mark_synced(turn: Turn, group: Group, member: Member) -> None:
    group.unsynced.pop(member.member_id, None)
    if not group.unsynced:
        turn.timers.cancel(group.sync_timer)


def _assign(turn: Turn, group: Group, assignments: dict[str, bytes]) -> None:
    """Store the generation with its assignment, and hand it out."""
    stored = group.with_assignments(assignments, turn.now)
    if not turn.write_if_it_fits(GroupRecord(group.group_id, stored)):
        cancel_syncs(turn, group, ErrorCode.UNKNOWN_SERVER_ERROR)
        begin_rebalance(turn, group)
        return
    turn.move(group, GroupEvent.ASSIGNMENT_KEPT)
    for member_id in list(group.syncing):
        member = group.members[member_id]
        turn.end_sync(group, member, _assigned(group, member))
        turn.keep_alive(member)


def _assigned(group: Group, member: Member) -> SyncAnswer:
    assignment = group.assignments.get(member.member_id, b"")
    return SyncAnswer(ErrorCode.NONE, group.protocol_type, group.protocol_name, assignment)
