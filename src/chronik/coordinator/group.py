"""One group: its members, who of them waits for what, and what the log holds of it."""

from dataclasses import dataclass, field

from chronik.coordinator.answers import JoinedMember, Ticket
from chronik.coordinator.record_format import StoredGroup, StoredMember, StoredOffset
from chronik.coordinator.subscription import CONSUMER, topics_of
from chronik.coordinator.timers import Timer, TimerKind
from chronik.coordinator.transitions import GroupEvent, GroupState, next_state
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition

Protocols = tuple[tuple[str, bytes], ...]
"""Name and metadata, in a member's order of preference."""


@dataclass(slots=True, eq=False)
class Member:
    """A member, as its last JoinGroup described it."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocols: Protocols
    session: Timer
    is_new: bool = False
    """Whether it has waited for its first generation ever since it came."""
    was_told_its_id: bool = True
    """Whether its client can name it in another request."""

    def metadata(self, protocol_name: str | None) -> bytes:
        return next((metadata for name, metadata in self.protocols if name == protocol_name), b"")

    def vote(self, candidates: set[str]) -> str:
        return next(name for name, _ in self.protocols if name in candidates)

    def subscription(self, protocol_name: str | None) -> bytes:
        """What it subscribes to: every protocol of a consumer says that in the same form."""
        return self.metadata(protocol_name) or self.protocols[0][1]


@dataclass(slots=True, eq=False)
class Group:
    """The volatile state of a group beside what is stored of it; only replaying a record changes the latter."""

    group_id: str
    state: GroupState = GroupState.EMPTY
    previous_state: GroupState = GroupState.EMPTY
    since_ms: int | None = None
    """When it came into its state."""
    generation: int = 0
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader: str | None = None
    members: dict[str, Member] = field(default_factory=dict)
    instances: dict[str, str] = field(default_factory=dict)
    """The member that each static instance is now."""
    pending: dict[str, Timer] = field(default_factory=dict)
    """Ids that were given away, whose clients have not come back with them."""
    joining: dict[str, Ticket] = field(default_factory=dict)
    """Members that wait for the next generation."""
    syncing: dict[str, Ticket] = field(default_factory=dict)
    """Members that wait for their assignment."""
    unsynced: dict[str, None] = field(default_factory=dict)
    """Members of this generation that have not asked for their assignment."""
    join_timer: Timer = field(init=False)
    sync_timer: Timer = field(init=False)
    was_joined_lately: bool = False
    """Whether a member was added since the initial rebalance was last put off."""
    initial_delay_left_ms: int = 0
    """How much longer the initial rebalance may be put off."""
    stored: StoredGroup | None = None
    assignments: dict[str, bytes] = field(default_factory=dict)
    """What the stored generation assigns to each of its members."""
    offsets: dict[TopicPartition, StoredOffset] = field(default_factory=dict)
    _supporters: dict[str, int] = field(default_factory=dict)
    """How many members know each protocol."""

    def __post_init__(self) -> None:
        self.join_timer = Timer(TimerKind.JOIN, self.group_id)
        self.sync_timer = Timer(TimerKind.SYNC, self.group_id)

    # State

    def move(self, event: GroupEvent, now: int) -> None:
        """Follow the table of transitions. The only place that changes the state."""
        self.previous_state, self.state = self.state, next_state(self.state, event)
        self.since_ms = now

    @property
    def is_rebalancing(self) -> bool:
        return self.state is GroupState.PREPARING_REBALANCE

    @property
    def is_initial_rebalance(self) -> bool:
        return self.is_rebalancing and self.previous_state is GroupState.EMPTY

    @property
    def is_void(self) -> bool:
        """Whether nothing would be lost with it."""
        return not (self.members or self.pending or self.offsets) and self.stored is None

    @property
    def has_all_joined(self) -> bool:
        return len(self.joining) == len(self.members) and not self.pending

    @property
    def rebalance_timeout_ms(self) -> int:
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    # Members

    def refusal_of(self, member_id: str, instance_id: str | None) -> ErrorCode | None:
        """Why a request in this name is refused, if it is."""
        if instance_id is not None:
            current = self.instances.get(instance_id)
            if current is not None and current != member_id:
                return ErrorCode.FENCED_INSTANCE_ID
            if current is None:
                return ErrorCode.UNKNOWN_MEMBER_ID
        return None if member_id in self.members else ErrorCode.UNKNOWN_MEMBER_ID

    def add(self, member: Member) -> None:
        assert member.member_id not in self.members
        self.members[member.member_id] = member
        self.pending.pop(member.member_id, None)
        if member.instance_id is not None:
            self.instances[member.instance_id] = member.member_id
        self._count(member.protocols, 1)
        self.leader = self.leader or member.member_id

    def remove(self, member: Member) -> None:
        """Take a member out that waits for nothing; the leader's place goes to whoever is first."""
        member_id = member.member_id
        assert member_id not in self.joining
        assert member_id not in self.syncing
        del self.members[member_id]
        self.unsynced.pop(member_id, None)
        if member.instance_id is not None and self.instances.get(member.instance_id) == member_id:
            del self.instances[member.instance_id]
        self._count(member.protocols, -1)
        if self.leader == member_id:
            self.leader = next(iter(self.members), None)

    def replace(self, old: Member, new: Member) -> None:
        """Put a static member's new life in the place of the old one."""
        was_leader = self.leader == old.member_id
        was_unsynced = old.member_id in self.unsynced
        self.remove(old)
        self.add(new)
        if was_leader:
            self.leader = new.member_id
        if was_unsynced:
            self.unsynced[new.member_id] = None

    def elect_joined_leader(self) -> bool:
        """Make sure that the leader is among those who wait; False where nobody does."""
        if self.leader not in self.joining:
            self.leader = next(iter(self.joining), self.leader)
        return self.leader in self.joining

    # Protocols

    def change_protocols(self, member: Member, protocols: Protocols) -> None:
        self._count(member.protocols, -1)
        member.protocols = protocols
        self._count(protocols, 1)

    def _count(self, protocols: Protocols, change: int) -> None:
        for name in dict(protocols):
            count = self._supporters.get(name, 0) + change
            if count:
                self._supporters[name] = count
            else:
                del self._supporters[name]

    def supports(self, protocol_type: str, protocols: Protocols) -> bool:
        """Whether somebody with these protocols can be a member beside the others."""
        if not (protocol_type and protocols):
            return False
        if not self.members:
            return True
        everyone = len(self.members)
        is_known = any(self._supporters.get(name) == everyone for name, _ in protocols)
        return protocol_type == self.protocol_type and is_known

    def select_protocol(self) -> str:
        """The protocol that most members prefer among those that all of them know; the first in name for a tie."""
        everyone = len(self.members)
        candidates = {name for name, count in self._supporters.items() if count == everyone}
        votes: dict[str, int] = dict.fromkeys(sorted(candidates), 0)
        for member in self.members.values():
            votes[member.vote(candidates)] += 1
        return max(votes, key=votes.__getitem__)

    @property
    def is_of_consumers(self) -> bool:
        return self.protocol_type == CONSUMER

    def subscribed_topics(self) -> frozenset[str] | None:
        """The topics that its members subscribe to; None where that cannot be told."""
        if not self.members:
            return frozenset()
        if not self.is_of_consumers:
            return None
        topics: set[str] = set()
        for member in self.members.values():
            of_member = topics_of(member.subscription(self.protocol_name))
            if of_member is None:
                return None
            topics |= of_member
        return frozenset(topics)

    # What others see of it

    def joined_members(self) -> tuple[JoinedMember, ...]:
        """The members as their leader needs them."""
        name = self.protocol_name
        return tuple(
            JoinedMember(member.member_id, member.instance_id, member.metadata(name))
            for member in self.members.values()
        )

    def with_assignments(self, assignments: dict[str, bytes], now: int) -> StoredGroup:
        """The current generation as it is stored; who is not named is assigned nothing."""
        members = tuple(
            StoredMember(
                member.member_id,
                member.instance_id,
                member.client_id,
                member.client_host,
                member.rebalance_timeout_ms,
                member.session_timeout_ms,
                member.metadata(self.protocol_name),
                assignments.get(member.member_id, b""),
            )
            for member in self.members.values()
        )
        return StoredGroup(self.generation, self.protocol_type or "", self.protocol_name, self.leader, now, members)
