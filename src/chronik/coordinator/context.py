"""What every handler of a command or event works with: the groups, the timers, and the result under construction."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from chronik.coordinator.group import ClassicGroup, Member
from chronik.coordinator.record_format import GroupRecord, OffsetRecord, Record, encode
from chronik.coordinator.responses import (
    CoordinatorResult,
    GroupMove,
    GroupResponse,
    JoinResponse,
    RequestHandle,
    StateRecord,
    SyncResponse,
)
from chronik.coordinator.timers import Timers
from chronik.coordinator.transitions import GroupEvent
from chronik.model.errors import ErrorCode

_WEEK_MS: Final = 7 * 24 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """Limits and time-outs of all groups of a broker; the defaults are Kafka's."""

    session_timeout_ms_min: int = 6_000
    session_timeout_ms_max: int = 1_800_000
    group_size_max: int = 2**31 - 1
    initial_rebalance_delay_ms: int = 3_000
    offsets_retention_ms: int = _WEEK_MS
    offset_metadata_bytes_max: int = 4_096
    record_bytes_max: int = 1_048_588
    """The size limit of the records of one result, where the client decides how many they are."""
    new_member_join_timeout_ms: int = 300_000
    """How long a new member may wait for its first generation."""


class Groups:
    """All groups of one partition of ``__consumer_offsets``.

    ``apply`` is the only way to change their stored state. It never fails, and does the same live and while loading.
    """

    def __init__(self) -> None:
        self._by_id: dict[str, ClassicGroup] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[ClassicGroup]:
        return iter(list(self._by_id.values()))

    def get(self, group_id: str) -> ClassicGroup | None:
        return self._by_id.get(group_id)

    def get_or_make(self, group_id: str) -> ClassicGroup:
        group = self._by_id.get(group_id)
        if group is None:
            group = self._by_id[group_id] = ClassicGroup(group_id)
        return group

    def drop_if_unused(self, group: ClassicGroup) -> None:
        """Drop a group without any state. Cancel its timers, so that they do not hit a later group of the same name."""
        if group.is_unused:
            Timers.cancel(group.join_timer)
            Timers.cancel(group.sync_timer)
            self._by_id.pop(group.group_id, None)

    def apply(self, record: Record) -> None:
        group = self.get_or_make(record.group_id)
        if isinstance(record, OffsetRecord):
            self._apply_offset(group, record)
        else:
            self._apply_group(group, record)
        if record.value is None:
            self.drop_if_unused(group)

    @staticmethod
    def _apply_offset(group: ClassicGroup, record: OffsetRecord) -> None:
        if record.value is None:
            group.offsets.pop(record.partition, None)
        else:
            group.offsets[record.partition] = record.value

    @staticmethod
    def _apply_group(group: ClassicGroup, record: GroupRecord) -> None:
        group.stored = record.value
        members = () if record.value is None else record.value.members
        group.assignments = {member.member_id: member.assignment for member in members}


class Context:
    """The state of a shard, which every handler gets; ``take`` returns a command's result."""

    __slots__ = ("_moves", "_records", "_responses", "groups", "new_id", "now", "parked", "settings", "timers")

    def __init__(self, settings: GroupSettings, new_id: Callable[[], str]) -> None:
        self.settings = settings
        self.new_id = new_id
        self.groups = Groups()
        self.timers = Timers()
        self.now = 0
        self.parked: dict[RequestHandle, tuple[ClassicGroup, Member]] = {}
        """The requests that wait for a generation or an assignment, with their members."""
        self._records: list[StateRecord] = []
        self._responses: list[tuple[RequestHandle, GroupResponse]] = []
        self._moves: list[GroupMove] = []

    def take(self) -> CoordinatorResult:
        """Return the records and responses since the last call."""
        result = CoordinatorResult(tuple(self._records), tuple(self._responses), tuple(self._moves))
        self._records.clear()
        self._responses.clear()
        self._moves.clear()
        return result

    def move(self, group: ClassicGroup, event: GroupEvent) -> None:
        """Move a group to its next state."""
        group.move(event, self.now)
        states = group.previous_state.value, group.state.value
        self._moves.append(GroupMove(group.group_id, *states, group.generation, len(group.members)))

    # Records

    def write(self, record: Record) -> None:
        """Write a record and apply it."""
        self._records.append(encode(record))
        self.groups.apply(record)

    def write_if_it_fits(self, *records: Record) -> bool:
        """Write and apply all records, unless they exceed the size of one append."""
        encoded = [encode(record) for record in records]
        if sum(len(key) + len(value or b"") for key, value in encoded) > self.settings.record_bytes_max:
            return False
        self._records += encoded
        for record in records:
            self.groups.apply(record)
        return True

    # Responses

    def respond(self, request: RequestHandle, response: GroupResponse) -> None:
        self._responses.append((request, response))

    def park_join(self, group: ClassicGroup, member: Member, request: RequestHandle) -> None:
        """Keep a JoinGroup until the next generation. The member's session timer stops meanwhile, unless it is new."""
        self.supersede(group, member)
        group.joining[member.member_id] = request
        self.parked[request] = (group, member)
        if not member.is_new:
            self.timers.cancel(member.session)

    def park_sync(self, group: ClassicGroup, member: Member, request: RequestHandle) -> None:
        """Keep a SyncGroup until the assignment is known. The member's session timer stops meanwhile."""
        self.supersede(group, member)
        group.syncing[member.member_id] = request
        self.parked[request] = (group, member)
        self.timers.cancel(member.session)

    def supersede(self, group: ClassicGroup, member: Member) -> None:
        """End an earlier request of the member that still waits, with REBALANCE_IN_PROGRESS."""
        error = ErrorCode.REBALANCE_IN_PROGRESS
        self.end_join(group, member, JoinResponse(error, member.member_id))
        self.end_sync(group, member, SyncResponse(error))

    def end_join(self, group: ClassicGroup, member: Member, response: JoinResponse) -> None:
        """Respond to the JoinGroup that the member has waiting, if any."""
        if member.member_id in group.joining:
            self._end(group.joining.pop(member.member_id), response)

    def end_sync(self, group: ClassicGroup, member: Member, response: SyncResponse) -> None:
        """Respond to the SyncGroup that the member has waiting, if any."""
        if member.member_id in group.syncing:
            self._end(group.syncing.pop(member.member_id), response)

    def end_wait(self, group: ClassicGroup, member: Member, error: ErrorCode, member_id: str) -> None:
        """Respond with an error to any request that the member has waiting."""
        self.end_join(group, member, JoinResponse(error, member_id))
        self.end_sync(group, member, SyncResponse(error))

    def _end(self, request: RequestHandle, response: GroupResponse) -> None:
        del self.parked[request]
        self._responses.append((request, response))

    # Sessions

    def keep_alive(self, member: Member) -> None:
        """Restart a member's session timer."""
        self.timers.set(member.session, self.now + member.session_timeout_ms)
