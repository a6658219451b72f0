"""Heartbeat and LeaveGroup."""

from chronik.coordinator.answers import ErrorAnswer, LeaveAnswer, Ticket
from chronik.coordinator.commands import UNKNOWN_MEMBER_ID, Heartbeat, LeaveGroup, Leaving
from chronik.coordinator.group import Group
from chronik.coordinator.rebalancing import after_drop, drop_member, drop_pending
from chronik.coordinator.turn import Turn
from chronik.model.errors import ErrorCode

_FINE = ErrorAnswer(ErrorCode.NONE)
_REJOIN = ErrorAnswer(ErrorCode.REBALANCE_IN_PROGRESS)


def heartbeat(turn: Turn, command: Heartbeat, ticket: Ticket) -> None:
    """Put off the end of a member's session, and tell it of a rebalance."""
    turn.answer(ticket, _heard(turn, command))


def _heard(turn: Turn, command: Heartbeat) -> ErrorAnswer:
    if not command.group_id:
        return ErrorAnswer(ErrorCode.INVALID_GROUP_ID)
    group = turn.groups.get(command.group_id)
    if group is None:
        return ErrorAnswer(ErrorCode.UNKNOWN_MEMBER_ID)
    error = group.refusal_of(command.member_id, command.instance_id)
    if error is not None:
        return ErrorAnswer(error)
    if command.generation != group.generation:
        return ErrorAnswer(ErrorCode.ILLEGAL_GENERATION)
    member_id = command.member_id
    # Whoever waits for an answer of ours has no session that could end.
    if member_id not in group.joining and member_id not in group.syncing:
        turn.keep_alive(group.members[member_id])
    return _REJOIN if group.is_rebalancing else _FINE


def leave(turn: Turn, command: LeaveGroup, ticket: Ticket) -> None:
    """Let members go, each with its own outcome, and rebalance once for all of them."""
    if not command.group_id:
        turn.answer(ticket, LeaveAnswer(ErrorCode.INVALID_GROUP_ID))
        return
    group = turn.groups.get(command.group_id)
    errors = [_leave_one(turn, group, leaving) for leaving in command.members]
    outcome = tuple(
        (leaving.member_id, leaving.instance_id, error) for leaving, error in zip(command.members, errors, strict=True)
    )
    if group is not None and ErrorCode.NONE in errors:
        after_drop(turn, group)
    turn.answer(ticket, LeaveAnswer(ErrorCode.NONE, outcome))


def _leave_one(turn: Turn, group: Group | None, leaving: Leaving) -> ErrorCode:
    if group is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    member_id = leaving.member_id
    if member_id == UNKNOWN_MEMBER_ID and leaving.instance_id is not None:
        member_id = group.instances.get(leaving.instance_id, UNKNOWN_MEMBER_ID)
    elif member_id in group.pending:
        drop_pending(turn, group, member_id)
        return ErrorCode.NONE
    error = group.refusal_of(member_id, leaving.instance_id)
    if error is None:
        drop_member(turn, group, group.members[member_id])
    return error or ErrorCode.NONE
