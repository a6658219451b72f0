"""One group: its members, their waiting requests, and the state that the log holds of it."""

from dataclasses import dataclass, field
from struct import error as PackingError  # noqa: N812 - the module's own name says nothing at the place of use
from struct import unpack_from
from typing import Final

from chronik.coordinator.record_format import StoredGroup, StoredMember, StoredOffset
from chronik.coordinator.responses import JoinedMember, RequestHandle
from chronik.coordinator.timers import Timer, TimerKind
from chronik.coordinator.transitions import GroupEvent, GroupState, next_state
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.errors import ProtocolError
from chronik.protocol.generated.consumer_protocol_subscription import ConsumerProtocolSubscription

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
    """Whether it still waits for its first generation."""
    was_told_its_id: bool = True
    """Whether its client has received the member id and can use it in another request."""

    def metadata(self, protocol_name: str | None) -> bytes:
        return next((metadata for name, metadata in self.protocols if name == protocol_name), b"")

    def vote(self, candidates: set[str]) -> str:
        return next(name for name, _ in self.protocols if name in candidates)

    def subscription(self, protocol_name: str | None) -> bytes:
        """Return the subscription: all protocols of a consumer carry it in the same format."""
        return self.metadata(protocol_name) or self.protocols[0][1]


@dataclass(slots=True, eq=False)
class ClassicGroup:
    """A group's volatile state and its stored state; only applying a record changes the latter."""

    group_id: str
    state: GroupState = GroupState.EMPTY
    previous_state: GroupState = GroupState.EMPTY
    since_ms: int | None = None
    """When it entered its state."""
    generation: int = 0
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader: str | None = None
    members: dict[str, Member] = field(default_factory=dict)
    instances: dict[str, str] = field(default_factory=dict)
    """The current member id of each static instance."""
    pending: dict[str, Timer] = field(default_factory=dict)
    """Member ids that were handed out and have not been used yet."""
    joining: dict[str, RequestHandle] = field(default_factory=dict)
    """JoinGroup requests that wait for the next generation, by member."""
    syncing: dict[str, RequestHandle] = field(default_factory=dict)
    """SyncGroup requests that wait for the assignment, by member."""
    unsynced: dict[str, None] = field(default_factory=dict)
    """Members of this generation that have not sent SyncGroup."""
    join_timer: Timer = field(init=False)
    sync_timer: Timer = field(init=False)
    was_joined_lately: bool = False
    """Whether a member joined since the initial rebalance was last delayed."""
    initial_delay_left_ms: int = 0
    """How much longer the initial rebalance may be delayed."""
    stored: StoredGroup | None = None
    assignments: dict[str, bytes] = field(default_factory=dict)
    """The assignments of the stored generation, by member."""
    offsets: dict[TopicPartition, StoredOffset] = field(default_factory=dict)
    _supporters: dict[str, int] = field(default_factory=dict)
    """How many members support each protocol."""

    def __post_init__(self) -> None:
        self.join_timer = Timer(TimerKind.JOIN, self.group_id)
        self.sync_timer = Timer(TimerKind.SYNC, self.group_id)

    # State

    def move(self, event: GroupEvent, now: int) -> None:
        """Change the state by the table of transitions. The only place that does."""
        self.previous_state, self.state = self.state, next_state(self.state, event)
        self.since_ms = now

    @property
    def is_rebalancing(self) -> bool:
        return self.state is GroupState.PREPARING_REBALANCE

    @property
    def is_initial_rebalance(self) -> bool:
        return self.is_rebalancing and self.previous_state is GroupState.EMPTY

    @property
    def is_unused(self) -> bool:
        """Whether it has no members, no committed offsets and no stored record: it can be dropped."""
        return not (self.members or self.pending or self.offsets) and self.stored is None

    @property
    def has_all_joined(self) -> bool:
        return len(self.joining) == len(self.members) and not self.pending

    @property
    def rebalance_timeout_ms(self) -> int:
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    # Members

    def refusal_of(self, member_id: str, instance_id: str | None) -> ErrorCode | None:
        """Return the error for a request of this member, or None if the member is current."""
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
        """Remove a member without waiting requests. If it was the leader, the first of the others becomes it."""
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
        """Replace a static member by its new member id."""
        was_leader = self.leader == old.member_id
        was_unsynced = old.member_id in self.unsynced
        self.remove(old)
        self.add(new)
        if was_leader:
            self.leader = new.member_id
        if was_unsynced:
            self.unsynced[new.member_id] = None

    def elect_joined_leader(self) -> bool:
        """Make sure that the leader is a member that has joined; return False where none has."""
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
        """Return whether a member with these protocols shares one with all others."""
        if not (protocol_type and protocols):
            return False
        if not self.members:
            return True
        everyone = len(self.members)
        is_known = any(self._supporters.get(name) == everyone for name, _ in protocols)
        return protocol_type == self.protocol_type and is_known

    def select_protocol(self) -> str:
        """Return the protocol with the most votes among those that all members support; the first by name for a tie."""
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
        """Return the topics that the members subscribe to; None where a subscription cannot be read."""
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

    # Responses and records

    def joined_members(self) -> tuple[JoinedMember, ...]:
        """Return the members for the leader's JoinGroup response."""
        name = self.protocol_name
        return tuple(
            JoinedMember(member.member_id, member.instance_id, member.metadata(name))
            for member in self.members.values()
        )

    def with_assignments(self, assignments: dict[str, bytes], now: int) -> StoredGroup:
        """Return the record of the current generation; members without an assignment get an empty one."""
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


CONSUMER: Final = "consumer"
"""The protocol type whose metadata is a subscription."""

_VERSION_BYTES: Final = 2
_VERSION_MAX: Final = ConsumerProtocolSubscription.versions[-1]


def topics_of(metadata: bytes) -> frozenset[str] | None:
    """Return the subscribed topics; None where the bytes are not a subscription.

    A newer version is read as the newest known one and its extra bytes are ignored, because versions of this format
    only append fields.
    """
    try:
        (version,) = unpack_from(">h", metadata)
        decoder = ConsumerProtocolSubscription.decoders[min(version, _VERSION_MAX)]
        view = memoryview(metadata)[_VERSION_BYTES:]
        subscription, _ = decoder(view, len(view))
    except (ProtocolError, PackingError, LookupError, ValueError):
        return None
    return frozenset(subscription.topics)
