"""Rebalances: members join, a new generation begins, members leave or time out."""

from chronik.coordinator.context import Context
from chronik.coordinator.group import ClassicGroup, Member
from chronik.coordinator.record_format import GroupRecord
from chronik.coordinator.responses import JoinResponse, SyncResponse
from chronik.coordinator.transitions import GroupEvent, GroupState
from chronik.model.errors import ErrorCode


def begin_rebalance(context: Context, group: ClassicGroup) -> None:
    """Start a rebalance. A group that was empty waits for more members first (the initial rebalance delay)."""
    cancel_syncs(context, group, ErrorCode.REBALANCE_IN_PROGRESS)
    was_empty = group.state is GroupState.EMPTY
    context.move(group, GroupEvent.REBALANCE_BEGUN)
    if was_empty:
        delay_ms = context.settings.initial_rebalance_delay_ms
        group.was_joined_lately = False
        group.initial_delay_left_ms = max(group.rebalance_timeout_ms - delay_ms, 0)
        context.timers.set(group.join_timer, context.now + delay_ms)
    elif group.has_all_joined or not group.members:
        # Without members, clients that only got a member id are not waited for: their join starts another rebalance.
        complete_join(context, group)
    else:
        context.timers.set(group.join_timer, context.now + group.rebalance_timeout_ms)


def cancel_syncs(context: Context, group: ClassicGroup, error: ErrorCode) -> None:
    """Respond with an error to all members that wait for their assignment."""
    for member_id in list(group.syncing):
        member = group.members[member_id]
        context.end_sync(group, member, SyncResponse(error))
        context.keep_alive(member)
    group.unsynced.clear()
    context.timers.cancel(group.sync_timer)


def rebalance_or_complete(context: Context, group: ClassicGroup) -> None:
    """After a change of members: start a rebalance, or complete the current one if all have joined."""
    if group.state is not GroupState.PREPARING_REBALANCE:
        begin_rebalance(context, group)
    elif not group.is_initial_rebalance and group.has_all_joined:
        complete_join(context, group)


def complete_join(context: Context, group: ClassicGroup) -> None:
    """Begin a generation with the members that have joined. Static members stay until their session times out."""
    context.timers.cancel(group.join_timer)
    for member in [member for member in group.members.values() if member.member_id not in group.joining]:
        if member.instance_id is None:
            drop_member(context, group, member)
    if not group.members:
        _become_empty(context, group)
    elif group.elect_joined_leader():
        _begin_generation(context, group)
    else:
        context.timers.set(group.join_timer, context.now + group.rebalance_timeout_ms)


def _become_empty(context: Context, group: ClassicGroup) -> None:
    group.generation += 1
    group.protocol_name = None
    group.leader = None
    context.move(group, GroupEvent.MEMBERS_GONE)
    context.write(GroupRecord(group.group_id, group.with_assignments({}, context.now)))


def _begin_generation(context: Context, group: ClassicGroup) -> None:
    group.generation += 1
    group.protocol_name = group.select_protocol()
    context.move(group, GroupEvent.MEMBERS_JOINED)
    group.unsynced = dict.fromkeys(group.members)
    for member in group.members.values():
        member.is_new = False
        if member.member_id in group.joining:
            member.was_told_its_id = True
            context.end_join(group, member, joined(group, member))
            context.keep_alive(member)
    context.timers.set(group.sync_timer, context.now + group.rebalance_timeout_ms)


def joined(group: ClassicGroup, member: Member) -> JoinResponse:
    """Return the JoinGroup response of a member; the leader's lists all members."""
    return JoinResponse(
        ErrorCode.NONE,
        member.member_id,
        group.generation,
        group.protocol_type,
        group.protocol_name,
        group.leader or "",
        members=group.joined_members() if group.leader == member.member_id else (),
    )


# Removed members


def drop_member(context: Context, group: ClassicGroup, member: Member) -> None:
    """Remove a member and end its requests. The caller then calls ``after_drop``."""
    context.end_wait(group, member, ErrorCode.UNKNOWN_MEMBER_ID, "")
    context.timers.cancel(member.session)
    group.remove(member)


def drop_pending(context: Context, group: ClassicGroup, member_id: str) -> None:
    context.timers.cancel(group.pending.pop(member_id))


def after_drop(context: Context, group: ClassicGroup) -> None:
    """Rebalance after members were removed."""
    if group.state is not GroupState.EMPTY:
        rebalance_or_complete(context, group)


# Time-outs


def on_session_over(context: Context, group: ClassicGroup, member_id: str) -> None:
    """Remove a member whose session, or first wait for a generation, has timed out."""
    member = group.members.get(member_id)
    if member is not None:
        drop_member(context, group, member)
        after_drop(context, group)


def on_pending_over(context: Context, group: ClassicGroup, member_id: str) -> None:
    """Forget a member id that its client has not used in time."""
    if group.pending.pop(member_id, None) is not None and group.is_rebalancing:
        rebalance_or_complete(context, group)


def on_join_over(context: Context, group: ClassicGroup) -> None:
    """End the wait for members to join."""
    if not group.is_rebalancing:
        return
    if not (group.is_initial_rebalance and group.was_joined_lately and group.initial_delay_left_ms):
        complete_join(context, group)
        return
    delay_ms = min(context.settings.initial_rebalance_delay_ms, group.initial_delay_left_ms)
    group.was_joined_lately = False
    group.initial_delay_left_ms -= delay_ms
    context.timers.set(group.join_timer, context.now + delay_ms)


def on_sync_over(context: Context, group: ClassicGroup) -> None:
    """Remove the members that have not sent SyncGroup in time, and rebalance."""
    if not group.unsynced or group.state not in (GroupState.COMPLETING_REBALANCE, GroupState.STABLE):
        return
    for member_id in list(group.unsynced):
        drop_member(context, group, group.members[member_id])
    begin_rebalance(context, group)
