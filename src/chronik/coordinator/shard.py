"""The groups of one partition of ``__consumer_offsets``: commands and the passing of time in, steps out."""

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from chronik.coordinator.administration import delete_group, describe, list_groups
from chronik.coordinator.answers import JoinAnswer, Step, SyncAnswer, Ticket
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
from chronik.coordinator.expiry import expire_group, forget_topics_of
from chronik.coordinator.group import Group, Member
from chronik.coordinator.group_settings import GroupSettings
from chronik.coordinator.joining import join
from chronik.coordinator.loading import revive
from chronik.coordinator.membership import heartbeat, leave
from chronik.coordinator.offsets import commit, delete, fetch
from chronik.coordinator.rebalancing import (
    after_drop,
    begin_rebalance,
    drop_member,
    on_join_over,
    on_pending_over,
    on_session_over,
    on_sync_over,
)
from chronik.coordinator.record_format import decode
from chronik.coordinator.refusals import refused
from chronik.coordinator.syncing import sync
from chronik.coordinator.timers import Timer, TimerKind
from chronik.coordinator.transitions import GroupEvent
from chronik.coordinator.turn import Turn
from chronik.model.errors import ErrorCode
from chronik.model.ids import Millis

__all__ = ["GroupSettings", "GroupShard", "partition_of"]

_NOTHING: Final = Step()
_HANDLERS: Final[dict[type, Callable[[Turn, Any, Ticket], None]]] = {
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
_MAY_LEAVE_A_GROUP_VOID: Final = (JoinGroup, LeaveGroup, CommitOffsets)


class GroupShard:
    """Decides everything about its groups, without a clock, dice, a log or a connection.

    Records are replayed first, then ``finish_loading`` is called once, then commands and events may come.
    """

    def __init__(self, settings: GroupSettings, new_id: Callable[[], str]) -> None:
        self._turn = Turn(settings, new_id)
        self._is_over = False
        self.ignored_records = 0
        """Replayed records of a kind or form that is not known."""

    @property
    def group_count(self) -> int:
        return len(self._turn.groups)

    @property
    def member_count(self) -> int:
        return sum(len(group.members) for group in self._turn.groups)

    @property
    def next_deadline(self) -> Millis | None:
        """When ``tick`` should be called next."""
        return None if self._is_over else self._turn.timers.next_deadline()

    # Commands and events

    def handle(self, command: Command, ticket: Ticket, now: Millis) -> Step:
        """Decide on a command; the answer may come in a later step, under the same ticket."""
        turn = self._turn
        if self._is_over:
            return Step((), ((ticket, refused(command, ErrorCode.NOT_COORDINATOR)),))
        turn.now = now
        _HANDLERS[type(command)](turn, command, ticket)
        if isinstance(command, _MAY_LEAVE_A_GROUP_VOID):
            self._drop_if_void(command.group_id)
        return turn.take()

    def abandon(self, ticket: Ticket, now: Millis) -> Step:
        """Nobody listens for the answer any more."""
        waiting = self._turn.parked.pop(ticket, None)
        if waiting is None:
            return _NOTHING
        self._turn.now = now
        self._on_abandoned(*waiting)
        return self._turn.take()

    def _on_abandoned(self, group: Group, member: Member) -> None:
        group.joining.pop(member.member_id, None)
        group.syncing.pop(member.member_id, None)
        if member.was_told_its_id or member.instance_id is not None:
            member.is_new = False
            self._turn.keep_alive(member)
        else:
            # Its client never heard of the id, and can come back only as somebody else.
            drop_member(self._turn, group, member)
            after_drop(self._turn, group)
            self._turn.groups.drop_if_void(group)

    def tick(self, now: Millis) -> Step:
        """Let everything happen that is due."""
        if self._is_over:
            return _NOTHING
        turn = self._turn
        turn.now = now
        timer = turn.timers.pop_due(now)
        while timer is not None:
            self._on_due(timer)
            timer = turn.timers.pop_due(now)
        return turn.take()

    def _on_due(self, timer: Timer) -> None:
        group = self._turn.groups.get(timer.group_id)
        if group is None:
            return
        match timer.kind:
            case TimerKind.SESSION:
                on_session_over(self._turn, group, timer.member_id)
            case TimerKind.PENDING:
                on_pending_over(self._turn, group, timer.member_id)
            case TimerKind.JOIN:
                on_join_over(self._turn, group)
            case TimerKind.SYNC:
                on_sync_over(self._turn, group)
        self._turn.groups.drop_if_void(group)

    def groups(self) -> list[Group]:
        """Those that live; whoever watches them changes nothing."""
        return [] if self._is_over else list(self._turn.groups)

    def _drop_if_void(self, group_id: str) -> None:
        group = self._turn.groups.get(group_id)
        if group is not None:
            self._turn.groups.drop_if_void(group)

    def forget_topics(self, is_gone: Callable[[str, UUID], bool], now: Millis) -> Step:
        """Remove the positions in topics that are no more, of which ``is_gone`` is told name and id (zero if unknown).

        All records remove something, so they may be appended in several batches if one cannot hold them.
        """
        self._turn.now = now
        for group in self.groups():
            forget_topics_of(self._turn, group, is_gone)
        return self._turn.take()

    def expire_offsets(self, now: Millis) -> Step:
        """Remove what is kept no longer. As many records as with ``forget_topics``, and the same holds for them."""
        self._turn.now = now
        for group in self.groups():
            expire_group(self._turn, group)
        return self._turn.take()

    # The term

    def replay(self, key: bytes, value: bytes | None, timestamp_ms: int) -> None:
        """Let a record of the log take effect."""
        record = decode(key, value)
        if record is None:
            self.ignored_records += 1
        else:
            self._turn.groups.apply(record)

    def finish_loading(self, now: Millis) -> Step:
        """Take up the groups where the log leaves them: sessions begin now."""
        turn = self._turn
        turn.now = now
        for group in turn.groups:
            revive(turn, group)
            if len(group.members) > turn.settings.group_size_max:
                begin_rebalance(turn, group)
        return turn.take()

    def end_term(self) -> Step:
        """Send away everybody who waits, and refuse whatever comes after."""
        turn = self._turn
        groups = self.groups()
        self._is_over = True
        for group in groups:
            for member in group.members.values():
                turn.end_join(group, member, JoinAnswer(ErrorCode.NOT_COORDINATOR, member.member_id))
                turn.end_sync(group, member, SyncAnswer(ErrorCode.NOT_COORDINATOR))
            turn.move(group, GroupEvent.REMOVED)
        return turn.take()


def partition_of(group_id: str, partition_count: int) -> int:
    """The partition that keeps a group, as Kafka finds it: by the absolute value of Java's hash of the id.

    The least of all hashes has no absolute value among Java's integers, and counts as zero.
    """
    units = group_id.encode("utf-16-be")
    hashed = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        hashed = (31 * hashed + (high << 8) + low) & 0xFFFF_FFFF
    absolute = hashed if hashed < _SIGN_BIT else (_SIGN_BIT * 2 - hashed) % _SIGN_BIT
    return absolute % partition_count
