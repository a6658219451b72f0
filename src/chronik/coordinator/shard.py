"""The groups of one partition of ``__consumer_offsets``: commands and time in, records and responses out."""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from chronik.coordinator.administration import delete_group, describe, list_groups
from chronik.coordinator.commands import (
    Command,
    CommitOffsets,
    DeleteGroup,
    DeleteOffsets,
    DescribeGroup,
    FetchOffsets,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    ListGroups,
    SyncGroup,
)
from chronik.coordinator.context import Context, GroupSettings
from chronik.coordinator.group import ClassicGroup, Member
from chronik.coordinator.joining import join
from chronik.coordinator.membership import heartbeat, leave
from chronik.coordinator.offsets import commit, delete, expire_group, fetch, forget_topics_of
from chronik.coordinator.rebalancing import (
    after_drop,
    begin_rebalance,
    drop_member,
    on_join_over,
    on_pending_over,
    on_session_over,
    on_sync_over,
)
from chronik.coordinator.record_format import StoredGroup, StoredMember, decode
from chronik.coordinator.responses import CoordinatorResult, JoinResponse, RequestHandle, SyncResponse, refused
from chronik.coordinator.syncing import sync
from chronik.coordinator.timers import Timer, TimerKind
from chronik.coordinator.transitions import GroupEvent
from chronik.model.errors import ErrorCode
from chronik.model.ids import Millis

__all__ = ["GroupSettings", "GroupShard", "partition_of"]

_NOTHING: Final = CoordinatorResult()
_HANDLERS: Final[dict[type, Callable[[Context, Any, RequestHandle], None]]] = {
    JoinGroup: join,
    SyncGroup: sync,
    Heartbeat: heartbeat,
    LeaveGroup: leave,
    CommitOffsets: commit,
    FetchOffsets: fetch,
    DeleteOffsets: delete,
    DeleteGroup: delete_group,
    DescribeGroup: describe,
    ListGroups: list_groups,
}
assert set(_HANDLERS) == set(Command.__args__)
_SIGN_BIT: Final = 1 << 31
_MAY_LEAVE_A_GROUP_UNUSED: Final = (JoinGroup, LeaveGroup, CommitOffsets)


class GroupShard:
    """Decides everything about its groups, without a clock, random numbers, a log or a connection.

    First the records are replayed, then ``finish_loading`` is called once, then commands and events follow.
    """

    def __init__(self, settings: GroupSettings, new_id: Callable[[], str]) -> None:
        self._context = Context(settings, new_id)
        self._is_over = False
        self.ignored_records = 0
        """Replayed records of an unknown kind or format."""

    @property
    def group_count(self) -> int:
        return len(self._context.groups)

    @property
    def member_count(self) -> int:
        return sum(len(group.members) for group in self._context.groups)

    @property
    def next_deadline(self) -> Millis | None:
        """When ``tick`` must be called next."""
        return None if self._is_over else self._context.timers.next_deadline()

    # Commands and events

    def handle(self, command: Command, request: RequestHandle, now: Millis) -> CoordinatorResult:
        """Handle a command. The response may come in a later result, with the same request handle."""
        context = self._context
        if self._is_over:
            return CoordinatorResult((), ((request, refused(command, ErrorCode.NOT_COORDINATOR)),))
        context.now = now
        _HANDLERS[type(command)](context, command, request)
        if isinstance(command, _MAY_LEAVE_A_GROUP_UNUSED):
            self._drop_if_unused(command.group_id)
        return context.take()

    def abandon(self, request: RequestHandle, now: Millis) -> CoordinatorResult:
        """Drop a request whose client has disconnected."""
        waiting = self._context.parked.pop(request, None)
        if waiting is None:
            return _NOTHING
        self._context.now = now
        self._on_abandoned(*waiting)
        return self._context.take()

    def _on_abandoned(self, group: ClassicGroup, member: Member) -> None:
        group.joining.pop(member.member_id, None)
        group.syncing.pop(member.member_id, None)
        if member.was_told_its_id or member.instance_id is not None:
            member.is_new = False
            self._context.keep_alive(member)
        else:
            # The client never received the member id, so it can only come back as another member.
            drop_member(self._context, group, member)
            after_drop(self._context, group)
            self._context.groups.drop_if_unused(group)

    def tick(self, now: Millis) -> CoordinatorResult:
        """Handle all timers that are due."""
        if self._is_over:
            return _NOTHING
        context = self._context
        context.now = now
        timer = context.timers.pop_due(now)
        while timer is not None:
            self._on_due(timer)
            timer = context.timers.pop_due(now)
        return context.take()

    def _on_due(self, timer: Timer) -> None:
        group = self._context.groups.get(timer.group_id)
        if group is None:
            return
        match timer.kind:
            case TimerKind.SESSION:
                on_session_over(self._context, group, timer.member_id)
            case TimerKind.PENDING:
                on_pending_over(self._context, group, timer.member_id)
            case TimerKind.JOIN:
                on_join_over(self._context, group)
            case TimerKind.SYNC:
                on_sync_over(self._context, group)
        self._context.groups.drop_if_unused(group)

    def groups(self) -> list[ClassicGroup]:
        """Return the groups; callers must not change them."""
        return [] if self._is_over else list(self._context.groups)

    def _drop_if_unused(self, group_id: str) -> None:
        group = self._context.groups.get(group_id)
        if group is not None:
            self._context.groups.drop_if_unused(group)

    def forget_topics(self, is_gone: Callable[[str, UUID], bool], now: Millis) -> CoordinatorResult:
        """Remove the committed offsets of deleted topics; ``is_gone`` takes a topic's name and id (zero if unknown).

        All records are tombstones, so they may be appended in several batches if one cannot hold them.
        """
        self._context.now = now
        for group in self.groups():
            forget_topics_of(self._context, group, is_gone)
        return self._context.take()

    def expire_offsets(self, now: Millis) -> CoordinatorResult:
        """Remove expired offsets. As in ``forget_topics``, the records may be appended in several batches."""
        self._context.now = now
        for group in self.groups():
            expire_group(self._context, group)
        return self._context.take()

    # The term

    def replay(self, key: bytes, value: bytes | None, timestamp_ms: int) -> None:
        """Apply a record of the log."""
        record = decode(key, value)
        if record is None:
            self.ignored_records += 1
        else:
            self._context.groups.apply(record)

    def finish_loading(self, now: Millis) -> CoordinatorResult:
        """Restore the groups from the replayed records; their members' sessions start now."""
        context = self._context
        context.now = now
        for group in context.groups:
            restore(context, group)
            if len(group.members) > context.settings.group_size_max:
                begin_rebalance(context, group)
        return context.take()

    def end_term(self) -> CoordinatorResult:
        """Answer all waiting requests and every later command with NOT_COORDINATOR."""
        context = self._context
        groups = self.groups()
        self._is_over = True
        for group in groups:
            for member in group.members.values():
                context.end_join(group, member, JoinResponse(ErrorCode.NOT_COORDINATOR, member.member_id))
                context.end_sync(group, member, SyncResponse(ErrorCode.NOT_COORDINATOR))
            context.move(group, GroupEvent.REMOVED)
        return context.take()


def partition_of(group_id: str, partition_count: int) -> int:
    """Return the partition that stores a group, as Kafka does: by the absolute value of Java's hash of the id.

    Java's smallest integer has no absolute value and counts as zero.
    """
    units = group_id.encode("utf-16-be")
    hashed = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        hashed = (31 * hashed + (high << 8) + low) & 0xFFFF_FFFF
    absolute = hashed if hashed < _SIGN_BIT else (_SIGN_BIT * 2 - hashed) % _SIGN_BIT
    return absolute % partition_count


def restore(context: Context, group: ClassicGroup) -> None:
    """Restore the stored generation. Its members have their assignments, so the group is Stable."""
    stored = group.stored
    if stored is None:
        return
    group.generation = stored.generation
    group.protocol_type = stored.protocol_type or None
    group.protocol_name = stored.protocol_name
    for stored_member in {member.member_id: member for member in stored.members}.values():
        member = _member(group, stored, stored_member)
        group.add(member)
        context.keep_alive(member)
    if stored.leader in group.members:
        group.leader = stored.leader
    if group.members:
        context.move(group, GroupEvent.LOADED)
    group.since_ms = stored.since_ms


def _member(group: ClassicGroup, stored: StoredGroup, member: StoredMember) -> Member:
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
