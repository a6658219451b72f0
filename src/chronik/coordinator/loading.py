"""A group as the log leaves it becomes a group that lives."""

from chronik.coordinator.group import Group, Member
from chronik.coordinator.record_format import StoredGroup, StoredMember
from chronik.coordinator.timers import Timer, TimerKind
from chronik.coordinator.transitions import GroupEvent
from chronik.coordinator.turn import Turn


def revive(turn: Turn, group: Group) -> None:
    """Take up the stored generation. Its members have their assignments, so they are Stable."""
    stored = group.stored
    if stored is None:
        return
    group.generation = stored.generation
    group.protocol_type = stored.protocol_type or None
    group.protocol_name = stored.protocol_name
    for stored_member in {member.member_id: member for member in stored.members}.values():
        member = _member(group, stored, stored_member)
        group.add(member)
        turn.keep_alive(member)
    if stored.leader in group.members:
        group.leader = stored.leader
    if group.members:
        turn.move(group, GroupEvent.LOADED)
    group.since_ms = stored.since_ms


def _member(group: Group, stored: StoredGroup, member: StoredMember) -> Member:
    return Member(
        member.member_id,
        member.instance_id,
        member.client_id,
        member.client_host,
        member.session_timeout_ms,
        member.rebalance_timeout_ms,
        ((stored.protocol_name or "", member.subscription),),
        Timer(TimerKind.SESSION, group.group_id, member.member_id),
    )
