"""Heartbeat and LeaveGroup."""

from chronik.coordinator.commands import UNKNOWN_MEMBER_ID, Heartbeat, LeaveGroup, Leaving
from chronik.coordinator.context import Context
from chronik.coordinator.group import ClassicGroup
from chronik.coordinator.rebalancing import after_drop, drop_member, drop_pending
from chronik.coordinator.responses import ErrorResponse, LeaveResponse, RequestHandle
from chronik.model.errors import ErrorCode

_FINE = ErrorResponse(ErrorCode.NONE)
_REJOIN = ErrorResponse(ErrorCode.REBALANCE_IN_PROGRESS)


def heartbeat(context: Context, command: Heartbeat, request: RequestHandle) -> None:
    """Restart a member's session timer. The response says whether the member must rejoin."""
    context.respond(request, _heard(context, command))


def _heard(context: Context, command: Heartbeat) -> ErrorResponse:
    if not command.group_id:
        return ErrorResponse(ErrorCode.INVALID_GROUP_ID)
    group = context.groups.get(command.group_id)
    if group is None:
        return ErrorResponse(ErrorCode.UNKNOWN_MEMBER_ID)
    error = group.refusal_of(command.member_id, command.instance_id)
    if error is not None:
        return ErrorResponse(error)
    if command.generation != group.generation:
        return ErrorResponse(ErrorCode.ILLEGAL_GENERATION)
    member_id = command.member_id
    # A member with a waiting request has no running session timer.
    if member_id not in group.joining and member_id not in group.syncing:
        context.keep_alive(group.members[member_id])
    return _REJOIN if group.is_rebalancing else _FINE


def leave(context: Context, command: LeaveGroup, request: RequestHandle) -> None:
    """Remove members, each with its own result, and rebalance once for all of them."""
    if not command.group_id:
        context.respond(request, LeaveResponse(ErrorCode.INVALID_GROUP_ID))
        return
    group = context.groups.get(command.group_id)
    errors = [_leave_one(context, group, leaving) for leaving in command.members]
    outcome = tuple(
        (leaving.member_id, leaving.instance_id, error) for leaving, error in zip(command.members, errors, strict=True)
    )
    if group is not None and ErrorCode.NONE in errors:
        after_drop(context, group)
    context.respond(request, LeaveResponse(ErrorCode.NONE, outcome))


def _leave_one(context: Context, group: ClassicGroup | None, leaving: Leaving) -> ErrorCode:
    if group is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    member_id = leaving.member_id
    if member_id == UNKNOWN_MEMBER_ID and leaving.instance_id is not None:
        member_id = group.instances.get(leaving.instance_id, UNKNOWN_MEMBER_ID)
    elif member_id in group.pending:
        drop_pending(context, group, member_id)
        return ErrorCode.NONE
    error = group.refusal_of(member_id, leaving.instance_id)
    if error is None:
        drop_member(context, group, group.members[member_id])
    return error or ErrorCode.NONE
