"""JoinGroup: admit members, assign member ids, and start a rebalance where one is needed.

A static member that comes back replaces its former member id and keeps the assignment.
"""

from dataclasses import replace
from typing import Final

from chronik.coordinator.commands import UNKNOWN_MEMBER_ID, JoinGroup
from chronik.coordinator.context import Context
from chronik.coordinator.group import ClassicGroup, Member
from chronik.coordinator.rebalancing import (
    begin_rebalance,
    drop_member,
    drop_pending,
    joined,
    rebalance_or_complete,
)
from chronik.coordinator.record_format import GroupRecord
from chronik.coordinator.responses import JoinResponse, RequestHandle
from chronik.coordinator.timers import Timer, TimerKind
from chronik.coordinator.transitions import GroupState
from chronik.model.errors import ErrorCode

_NAME_IN_ID_MAX: Final = 8_000
"""Characters of the client or instance id in a member id: a record holds at most 32,767 bytes of it."""


def join(context: Context, command: JoinGroup, request: RequestHandle) -> None:
    """Respond, or park the request until the next generation begins."""
    error = _refusal(context, command)
    if error is not None:
        context.respond(request, JoinResponse(error, command.member_id))
        return
    group = context.groups.get_or_make(command.group_id)
    if not _has_room(context, group, command):
        _reject_over_size(context, group, command.member_id)
        context.respond(request, JoinResponse(ErrorCode.GROUP_MAX_SIZE_REACHED, UNKNOWN_MEMBER_ID))
    elif not group.supports(command.protocol_type, command.protocols):
        context.respond(request, JoinResponse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, command.member_id))
    elif command.member_id == UNKNOWN_MEMBER_ID:
        _join_unknown(context, group, command, request)
    else:
        _join_named(context, group, command, request)


def _refusal(context: Context, command: JoinGroup) -> ErrorCode | None:
    settings = context.settings
    if not command.group_id:
        return ErrorCode.INVALID_GROUP_ID
    if not settings.session_timeout_ms_min <= command.session_timeout_ms <= settings.session_timeout_ms_max:
        return ErrorCode.INVALID_SESSION_TIMEOUT
    if command.member_id != UNKNOWN_MEMBER_ID and context.groups.get(command.group_id) is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    return None


def _has_room(context: Context, group: ClassicGroup, command: JoinGroup) -> bool:
    """Return whether the group's size allows this member; in a rebalance only rejoined members count."""
    size_max = context.settings.group_size_max
    member_id = command.member_id or group.instances.get(command.instance_id or "", UNKNOWN_MEMBER_ID)
    match group.state:
        case GroupState.PREPARING_REBALANCE:
            return member_id in group.joining or len(group.joining) < size_max
        case GroupState.COMPLETING_REBALANCE | GroupState.STABLE:
            return member_id in group.members or len(group.members) < size_max
        case _:
            return True


def _reject_over_size(context: Context, group: ClassicGroup, member_id: str) -> None:
    if member_id in group.pending:
        drop_pending(context, group, member_id)
    elif member_id in group.members:
        drop_member(context, group, group.members[member_id])
    if group.is_rebalancing:
        rebalance_or_complete(context, group)


# Members without an id


def _join_unknown(context: Context, group: ClassicGroup, command: JoinGroup, request: RequestHandle) -> None:
    name = command.client_id if command.instance_id is None else command.instance_id
    member_id = f"{name[:_NAME_IN_ID_MAX]}-{context.new_id()}"
    instance = command.instance_id
    if instance is not None and instance in group.instances:
        rejoin_instance(context, group, command, new_member(command, member_id), request)
    elif instance is None and command.requires_known_member_id:
        _give_id(context, group, command, member_id)
        context.respond(request, JoinResponse(ErrorCode.MEMBER_ID_REQUIRED, member_id))
    else:
        _add(context, group, command, new_member(command, member_id), request)


def _give_id(context: Context, group: ClassicGroup, command: JoinGroup, member_id: str) -> None:
    """Keep a member id for one session time-out, in which the client must join with it."""
    timer = Timer(TimerKind.PENDING, group.group_id, member_id)
    group.pending[member_id] = timer
    context.timers.set(timer, context.now + command.session_timeout_ms)


def new_member(command: JoinGroup, member_id: str) -> Member:
    return Member(
        member_id,
        command.instance_id,
        command.client_id,
        command.client_host,
        command.session_timeout_ms,
        command.rebalance_timeout_ms,
        command.protocols,
        Timer(TimerKind.SESSION, command.group_id, member_id),
        was_told_its_id=command.member_id == member_id,
    )


def _add(context: Context, group: ClassicGroup, command: JoinGroup, member: Member, request: RequestHandle) -> None:
    """Add a new member and rebalance."""
    if not group.members:
        group.protocol_type = command.protocol_type
    if member.member_id in group.pending:
        drop_pending(context, group, member.member_id)
    member.is_new = True
    group.add(member)
    if group.is_initial_rebalance:
        group.was_joined_lately = True
    context.park_join(group, member, request)
    # A waiting member sends no heartbeats. Its wait is limited all the same: clients that give up and try again would
    # leave more and more members behind.
    context.timers.set(member.session, context.now + context.settings.new_member_join_timeout_ms)
    rebalance_or_complete(context, group)


# Members with an id


def _join_named(context: Context, group: ClassicGroup, command: JoinGroup, request: RequestHandle) -> None:
    if command.member_id in group.pending and command.instance_id is None:
        _add(context, group, command, new_member(command, command.member_id), request)
        return
    error = group.refusal_of(command.member_id, command.instance_id)
    if error is not None:
        context.respond(request, JoinResponse(error, command.member_id))
        return
    member = group.members[command.member_id]
    if _needs_rebalance(group, member, command):
        _rejoin(context, group, member, command, request)
    else:
        # The response to its earlier request may have been lost.
        context.supersede(group, member)
        context.keep_alive(member)
        context.respond(request, joined(group, member))


def _needs_rebalance(group: ClassicGroup, member: Member, command: JoinGroup) -> bool:
    """Return whether a known member's JoinGroup needs a new generation."""
    if group.state is GroupState.PREPARING_REBALANCE or member.protocols != command.protocols:
        return True
    # A leader rejoins because the topics have changed and the assignment no longer fits.
    return group.state is GroupState.STABLE and group.leader == member.member_id


def _rejoin(context: Context, group: ClassicGroup, member: Member, command: JoinGroup, request: RequestHandle) -> None:
    update(group, member, command)
    context.park_join(group, member, request)
    if group.is_rebalancing:
        rebalance_or_complete(context, group)
    else:
        begin_rebalance(context, group)


def update(group: ClassicGroup, member: Member, command: JoinGroup) -> None:
    group.change_protocols(member, command.protocols)
    member.session_timeout_ms = command.session_timeout_ms
    member.rebalance_timeout_ms = command.rebalance_timeout_ms


def rejoin_instance(
    context: Context, group: ClassicGroup, command: JoinGroup, member: Member, request: RequestHandle
) -> None:
    """Fence the former member id; rebalance only where the group's protocol changes."""
    assert member.instance_id is not None
    former = group.members[group.instances[member.instance_id]]
    former_leader = group.leader
    context.end_wait(group, former, ErrorCode.FENCED_INSTANCE_ID, former.member_id)
    context.timers.cancel(former.session)
    group.replace(former, member)
    if group.state is GroupState.STABLE and _keeps_assignment(context, group, former, member):
        context.keep_alive(member)
        member.was_told_its_id = True
        context.respond(request, _unchanged(group, command, member, former_leader))
        return
    context.park_join(group, member, request)
    if group.is_rebalancing:
        rebalance_or_complete(context, group)
    else:
        # The leader may know the former id only, and would assign nothing to the new one.
        begin_rebalance(context, group)


def _keeps_assignment(context: Context, group: ClassicGroup, former: Member, member: Member) -> bool:
    """Store the former member's assignment under the new id, if the group's protocol stays the same."""
    if group.select_protocol() != group.protocol_name:
        return False
    assignments = dict(group.assignments)
    assignments[member.member_id] = assignments.pop(former.member_id, b"")
    return context.write_if_it_fits(GroupRecord(group.group_id, group.with_assignments(assignments, context.now)))


def _unchanged(group: ClassicGroup, command: JoinGroup, member: Member, former_leader: str | None) -> JoinResponse:
    """Return a response after which a leader does not assign again.

    Newer clients can be asked to skip the assignment; to older ones the response names the former leader.
    """
    answer = joined(group, member)
    if command.may_skip_assignment:
        return replace(answer, skip_assignment=group.leader == member.member_id)
    return replace(answer, leader=former_leader or "", members=())
