"""From one generation to the next: everybody joins, the leader is asked for the assignment, members drop out."""

from chronik.coordinator.answers import JoinAnswer, SyncAnswer
from chronik.coordinator.group import Group, Member
from chronik.coordinator.record_format import GroupRecord
from chronik.coordinator.transitions import GroupEvent, GroupState
from chronik.coordinator.turn import Turn
from chronik.model.errors import ErrorCode


def begin_rebalance(turn: Turn, group: Group) -> None:
    """Ask everybody to join anew. A group that was empty waits a while for more members."""
    cancel_syncs(turn, group, ErrorCode.REBALANCE_IN_PROGRESS)
    was_empty = group.state is GroupState.EMPTY
    turn.move(group, GroupEvent.REBALANCE_BEGUN)
    if was_empty:
        delay_ms = turn.settings.initial_rebalance_delay_ms
        group.was_joined_lately = False
        group.initial_delay_left_ms = max(group.rebalance_timeout_ms - delay_ms, 0)
        turn.timers.set(group.join_timer, turn.now + delay_ms)
    elif group.has_all_joined or not group.members:
        # Where nobody is left, nobody is waited for either who has but an id: it begins anew when it comes.
        complete_join(turn, group)
    else:
        turn.timers.set(group.join_timer, turn.now + group.rebalance_timeout_ms)


def cancel_syncs(turn: Turn, group: Group, error: ErrorCode) -> None:
    """Send those away who wait for their assignment."""
    for member_id in list(group.syncing):
        member = group.members[member_id]
        turn.end_sync(group, member, SyncAnswer(error))
        turn.keep_alive(member)
    group.unsynced.clear()
    turn.timers.cancel(group.sync_timer)


def rebalance_or_complete(turn: Turn, group: Group) -> None:
    """After a change of members: begin a rebalance, or go on with the one that is under way."""
    if group.state is not GroupState.PREPARING_REBALANCE:
        begin_rebalance(turn, group)
    elif not group.is_initial_rebalance and group.has_all_joined:
        complete_join(turn, group)


def complete_join(turn: Turn, group: Group) -> None:
    """Make a generation of those who have joined. Static members keep their place until their session ends."""
    turn.timers.cancel(group.join_timer)
    for member in [member for member in group.members.values() if member.member_id not in group.joining]:
        if member.instance_id is None:
            drop_member(turn, group, member)
    if not group.members:
        _become_empty(turn, group)
    elif group.elect_joined_leader():
        _begin_generation(turn, group)
    else:
        turn.timers.set(group.join_timer, turn.now + group.rebalance_timeout_ms)


def _become_empty(turn: Turn, group: Group) -> None:
    group.generation += 1
    group.protocol_name = None
    group.leader = None
    turn.move(group, GroupEvent.MEMBERS_GONE)
    turn.write(GroupRecord(group.group_id, group.with_assignments({}, turn.now)))


def _begin_generation(turn: Turn, group: Group) -> None:
    group.generation += 1
    group.protocol_name = group.select_protocol()
    turn.move(group, GroupEvent.MEMBERS_JOINED)
    group.unsynced = dict.fromkeys(group.members)
    for member in group.members.values():
        member.is_new = False
        if member.member_id in group.joining:
            member.was_told_its_id = True
            turn.end_join(group, member, joined(group, member))
            turn.keep_alive(member)
    turn.timers.set(group.sync_timer, turn.now + group.rebalance_timeout_ms)


def joined(group: Group, member: Member) -> JoinAnswer:
    """What a member of the current generation is told; the leader learns of the others."""
    return JoinAnswer(
        ErrorCode.NONE,
        member.member_id,
        group.generation,
        group.protocol_type,
        group.protocol_name,
        group.leader or "",
        members=group.joined_members() if group.leader == member.member_id else (),
    )


# Members that drop out


def drop_member(turn: Turn, group: Group, member: Member) -> None:
    """Take a member out, whatever it waits for; the group's state is the caller's to look after."""
    turn.end_wait(group, member, ErrorCode.UNKNOWN_MEMBER_ID, "")
    turn.timers.cancel(member.session)
    group.remove(member)


def drop_pending(turn: Turn, group: Group, member_id: str) -> None:
    turn.timers.cancel(group.pending.pop(member_id))


def after_drop(turn: Turn, group: Group) -> None:
    """Look after the group's state when somebody is out."""
    if group.state is not GroupState.EMPTY:
        rebalance_or_complete(turn, group)


# Time-outs


def on_session_over(turn: Turn, group: Group, member_id: str) -> None:
    """A member has been silent for too long, or new and waiting for too long."""
    member = group.members.get(member_id)
    if member is not None:
        drop_member(turn, group, member)
        after_drop(turn, group)


def on_pending_over(turn: Turn, group: Group, member_id: str) -> None:
    """A client has not come back with the id that it was given."""
    if group.pending.pop(member_id, None) is not None and group.is_rebalancing:
        rebalance_or_complete(turn, group)


def on_join_over(turn: Turn, group: Group) -> None:
    """A rebalance has waited for its members."""
    if not group.is_rebalancing:
        return
    if not (group.is_initial_rebalance and group.was_joined_lately and group.initial_delay_left_ms):
        complete_join(turn, group)
        return
    delay_ms = min(turn.settings.initial_rebalance_delay_ms, group.initial_delay_left_ms)
    group.was_joined_lately = False
    group.initial_delay_left_ms -= delay_ms
    turn.timers.set(group.join_timer, turn.now + delay_ms)


def on_sync_over(turn: Turn, group: Group) -> None:
    """Members of this generation have not asked for their assignment: they are out, and the rest joins anew."""
    if not group.unsynced or group.state not in (GroupState.COMPLETING_REBALANCE, GroupState.STABLE):
        return
    for member_id in list(group.unsynced):
        drop_member(turn, group, group.members[member_id])
    begin_rebalance(turn, group)
