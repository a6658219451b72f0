"""The state of a group member, without I/O: responses go in, and the state says what to request next.

Errors of the coordinator itself (loading, moved, not available) are handled by the sender, which finds the coordinator
again and repeats the request.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from chronik.model.errors import ErrorCode
from chronik.protocol.constants import NO_GENERATION

NO_MEMBER: Final = ""


class MemberPhase(Enum):
    """What a member does next."""

    JOINING = "joining"
    SYNCING = "syncing"
    STABLE = "stable"
    """Has an assignment, and sends heartbeats."""
    FAILED = "failed"
    """Got an error that a retry does not change; ``failure`` has it."""


class Reaction(Enum):
    """The meaning of an error for a member."""

    KEEP = "keep"
    """No error."""
    REBALANCE = "rebalance"
    """A rebalance: join again as the same member, after giving up partitions in order."""
    NEW_GENERATION = "new generation"
    """The group has a new generation without this member: its partitions are lost, its member id is not."""
    NEW_MEMBER = "new member"
    """The group does not know this member any more: its partitions and its member id are lost."""
    TAKE_ID = "take id"
    """The coordinator has sent a member id to join with."""
    FAIL = "fail"


REACTIONS: Final = {
    ErrorCode.NONE: Reaction.KEEP,
    ErrorCode.REBALANCE_IN_PROGRESS: Reaction.REBALANCE,
    ErrorCode.ILLEGAL_GENERATION: Reaction.NEW_GENERATION,
    ErrorCode.UNKNOWN_MEMBER_ID: Reaction.NEW_MEMBER,
    ErrorCode.MEMBER_ID_REQUIRED: Reaction.TAKE_ID,
}
"""Every other error is fatal: FENCED_INSTANCE_ID, INCONSISTENT_GROUP_PROTOCOL, INVALID_SESSION_TIMEOUT, ..."""


def reaction_to(error: ErrorCode) -> Reaction:
    """Return the meaning of an error for a member."""
    return REACTIONS.get(error, Reaction.FAIL)


@dataclass(slots=True)
class GroupMembership:
    """One member of one group. Requests must carry its ``generation`` and ``member_id``."""

    phase: MemberPhase = MemberPhase.JOINING
    member_id: str = NO_MEMBER
    generation: int = NO_GENERATION
    protocol: str = ""
    is_leader: bool = False
    must_rejoin: bool = False
    """In STABLE only: join again as soon as the delivered records are processed."""
    failure: ErrorCode = ErrorCode.NONE

    @property
    def is_held(self) -> bool:
        """Whether offsets may be committed for the assignment."""
        return self.phase is MemberPhase.STABLE

    def on_joined(self, error: ErrorCode, member_id: str, generation: int, protocol: str, leader: str) -> None:
        """Apply a JoinGroup response."""
        assert self.phase is MemberPhase.JOINING, self.phase
        if error is ErrorCode.NONE:
            self.phase = MemberPhase.SYNCING
            self.member_id = member_id
            self.generation = generation
            self.protocol = protocol
            self.is_leader = leader == member_id
        elif error is ErrorCode.MEMBER_ID_REQUIRED:
            self.member_id = member_id
        else:
            self._react(error)

    def on_synced(self, error: ErrorCode) -> None:
        """Apply a SyncGroup response."""
        assert self.phase is MemberPhase.SYNCING, self.phase
        if error is ErrorCode.NONE:
            self.phase = MemberPhase.STABLE
            self.must_rejoin = False
        else:
            self._react(error)

    def on_answered(self, error: ErrorCode, generation: int) -> None:
        """Apply a Heartbeat or OffsetCommit response; one of an earlier generation is ignored."""
        if self.phase is MemberPhase.STABLE and generation == self.generation:
            self._react(error)

    def on_subscription_changed(self) -> None:
        """Request a rebalance, because topics or partitions were added or removed."""
        self.must_rejoin = self.phase is MemberPhase.STABLE

    def rejoin(self) -> None:
        """Start joining again: the partitions were given up, or are lost."""
        assert self.phase is not MemberPhase.FAILED, self.failure
        self.phase = MemberPhase.JOINING
        self.must_rejoin = False

    def on_left(self) -> None:
        """Note that the member has left; a later join is of a new member."""
        if self.phase is not MemberPhase.FAILED:
            self._become_nobody()

    def _react(self, error: ErrorCode) -> None:
        match reaction_to(error):
            case Reaction.KEEP:
                return
            case Reaction.REBALANCE if self.phase is MemberPhase.STABLE:
                self.must_rejoin = True
            case Reaction.REBALANCE:
                self.phase = MemberPhase.JOINING
            case Reaction.NEW_GENERATION:
                self.phase, self.generation = MemberPhase.JOINING, NO_GENERATION
            case Reaction.NEW_MEMBER:
                self._become_nobody()
            case Reaction.TAKE_ID | Reaction.FAIL:
                self.phase, self.failure = MemberPhase.FAILED, error

    def _become_nobody(self) -> None:
        self.phase = MemberPhase.JOINING
        self.member_id = NO_MEMBER
        self.generation = NO_GENERATION
        self.must_rejoin = False
