"""JoinGroup: who may be a member, under which id, and whether that needs a rebalance."""

from typing import Final

from chronik.coordinator.answers import JoinAnswer, Ticket
from chronik.coordinator.commands import UNKNOWN_MEMBER_ID, JoinGroup
from chronik.coordinator.group import Group, Member
from chronik.coordinator.rebalancing import (
    begin_rebalance,
    drop_member,
    drop_pending,
    joined,
    rebalance_or_complete,
)
from chronik.coordinator.static_joining import rejoin_instance
from chronik.coordinator.timers import Timer, TimerKind
from chronik.coordinator.transitions import GroupState
from chronik.coordinator.turn import Turn
from chronik.model.errors import ErrorCode

_NAME_IN_ID_MAX: Final = 8_000
"""Characters of a client's or instance's name that a member id repeats: records hold at most 32,767 bytes of it."""


def join(turn: Turn, command: JoinGroup, ticket: Ticket) -> None:
    """Answer, or park the request until the next generation begins."""
    error = _refusal(turn, command)
    if error is not None:
        turn.answer(ticket, JoinAnswer(error, command.member_id))
        return
    group = turn.groups.get_or_make(command.group_id)
    if not _has_room(turn, group, command):
        _turn_away(turn, group, command.member_id)
        turn.answer(ticket, JoinAnswer(ErrorCode.GROUP_MAX_SIZE_REACHED, UNKNOWN_MEMBER_ID))
    elif not group.supports(command.protocol_type, command.protocols):
        turn.answer(ticket, JoinAnswer(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, command.member_id))
    elif command.member_id == UNKNOWN_MEMBER_ID:
        _join_unknown(turn, group, command, ticket)
    else:
        _join_named(turn, group, command, ticket)


def _refusal(turn: Turn, command: JoinGroup) -> ErrorCode | None:
    settings = turn.settings
    if not command.group_id:
        return ErrorCode.INVALID_GROUP_ID
    if not settings.session_timeout_ms_min <= command.session_timeout_ms <= settings.session_timeout_ms_max:
        return ErrorCode.INVALID_SESSION_TIMEOUT
    if command.member_id != UNKNOWN_MEMBER_ID and turn.groups.get(command.group_id) is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    return None


def _has_room(turn: Turn, group: Group, command: JoinGroup) -> bool:
    """Whether the group's size allows one more; in a rebalance those count who have joined again."""
    size_max = turn.settings.group_size_max
    member_id = command.member_id or group.instances.get(command.instance_id or "", UNKNOWN_MEMBER_ID)
    match group.state:
        case GroupState.PREPARING_REBALANCE:
            return member_id in group.joining or len(group.joining) < size_max
        case GroupState.COMPLETING_REBALANCE | GroupState.STABLE:
            return member_id in group.members or len(group.members) < size_max
        case _:
            return True


def _turn_away(turn: Turn, group: Group, member_id: str) -> None:
    if member_id in group.pending:
        drop_pending(turn, group, member_id)
    elif member_id in group.members:
        drop_member(turn, group, group.members[member_id])
    if group.is_rebalancing:
        rebalance_or_complete(turn, group)


# Members without an id


def _join_unknown(turn: Turn, group: Group, command: JoinGroup, ticket: Ticket) -> None:
    name = command.client_id if command.instance_id is None else command.instance_id
    member_id = f"{name[:_NAME_IN_ID_MAX]}-{turn.new_id()}"
    instance = command.instance_id
    if instance is not None and instance in group.instances:
        rejoin_instance(turn, group, command, new_member(command, member_id), ticket)
    elif instance is None and command.requires_known_member_id:
        _give_id(turn, group, command, member_id)
        turn.answer(ticket, JoinAnswer(ErrorCode.MEMBER_ID_REQUIRED, member_id))
    else:
        _add(turn, group, command, new_member(command, member_id), ticket)


def _give_id(turn: Turn, group: Group, command: JoinGroup, member_id: str) -> None:
    """Remember an id for as long as a session, in which the client is to come back with it."""
    timer = Timer(TimerKind.PENDING, group.group_id, member_id)
    group.pending[member_id] = timer
    turn.timers.set(timer, turn.now + command.session_timeout_ms)


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


def _add(turn: Turn, group: Group, command: JoinGroup, member: Member, ticket: Ticket) -> None:
    """Take in somebody new and rebalance for it."""
    if not group.members:
        group.protocol_type = command.protocol_type
    if member.member_id in group.pending:
        drop_pending(turn, group, member.member_id)
    member.is_new = True
    group.add(member)
    if group.is_initial_rebalance:
        group.was_joined_lately = True
    turn.park_join(group, member, ticket)
    # It cannot send heartbeats while it waits, and may wait long; but not for ever, or clients that give up and try
    # again would leave more and more members behind them.
    turn.timers.set(member.session, turn.now + turn.settings.new_member_join_timeout_ms)
    rebalance_or_complete(turn, group)


# Members with an id


def _join_named(turn: Turn, group: Group, command: JoinGroup, ticket: Ticket) -> None:
    if command.member_id in group.pending and command.instance_id is None:
        _add(turn, group, command, new_member(command, command.member_id), ticket)
        return
    error = group.refusal_of(command.member_id, command.instance_id)
    if error is not None:
        turn.answer(ticket, JoinAnswer(error, command.member_id))
        return
    member = group.members[command.member_id]
    if _needs_rebalance(group, member, command):
        _rejoin(turn, group, member, command, ticket)
    else:
        # The answer to its earlier request may have been lost.
        turn.supersede(group, member)
        turn.keep_alive(member)
        turn.answer(ticket, joined(group, member))


def _needs_rebalance(group: Group, member: Member, command: JoinGroup) -> bool:
    """Whether a member that comes again wants more than to hear of the current generation."""
    if group.state is GroupState.PREPARING_REBALANCE or member.protocols != command.protocols:
        return True
    # A leader comes again because the assignment no longer fits what it has seen of the topics.
    return group.state is GroupState.STABLE and group.leader == member.member_id


def _rejoin(turn: Turn, group: Group, member: Member, command: JoinGroup, ticket: Ticket) -> None:
    update(group, member, command)
    turn.park_join(group, member, ticket)
    if group.is_rebalancing:
        rebalance_or_complete(turn, group)
    else:
        begin_rebalance(turn, group)


def update(group: Group, member: Member, command: JoinGroup) -> None:
    group.change_protocols(member, command.protocols)
    member.session_timeout_ms = command.session_timeout_ms
    member.rebalance_timeout_ms = command.rebalance_timeout_ms
