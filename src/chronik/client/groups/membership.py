"""A member's part in its group, without I/O: answers step in, and the state says what to ask for next.

Errors of the coordinator itself (loading, moved, away) are not of this machine: whoever sends requests finds the
coordinator again and repeats them.
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
    """Holds an assignment, and beats."""
    FAILED = "failed"
    """Was told something that trying again does not change; ``failure`` says what."""


class Reaction(Enum):
    """What an error means for a member."""

    KEEP = "keep"
    """Nothing is wrong."""
    REBALANCE = "rebalance"
    """Others come or go: join again, as the same member, after handing over in order."""
    NEW_GENERATION = "new generation"
    """The group went on without us: what we held is lost, our id is not."""
    NEW_MEMBER = "new member"
    """The group does not know us any more: what we held is lost, and so is our id."""
    TAKE_ID = "take id"
    """The coordinator has given us an id to join with."""
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
    """Say what an answer's error means for a member."""
    return REACTIONS.get(error, Reaction.FAIL)


@dataclass(slots=True)
class GroupMembership:
    """One member of one group. ``generation`` and ``member_id`` are what requests must carry now."""

    phase: MemberPhase = MemberPhase.JOINING
    member_id: str = NO_MEMBER
    generation: int = NO_GENERATION
    protocol: str = ""
    is_leader: bool = False
    must_rejoin: bool = False
    """In STABLE only: join again as soon as what was delivered is dealt with."""
    failure: ErrorCode = ErrorCode.NONE

    @property
    def is_held(self) -> bool:
        """Whether offsets may be committed for what was assigned."""
        return self.phase is MemberPhase.STABLE

    def on_joined(self, error: ErrorCode, member_id: str, generation: int, protocol: str, leader: str) -> None:
        """Take the answer to JoinGroup."""
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
        """Take the answer to SyncGroup."""
        assert self.phase is MemberPhase.SYNCING, self.phase
        if error is ErrorCode.NONE:
            self.phase = MemberPhase.STABLE
            self.must_rejoin = False
        else:
            self._react(error)

    def on_answered(self, error: ErrorCode, generation: int) -> None:
        """Take the answer to Heartbeat or OffsetCommit; one that was asked in an earlier generation says nothing."""
        if self.phase is MemberPhase.STABLE and generation == self.generation:
            self._react(error)

    def on_subscription_changed(self) -> None:
        """Topics or partitions came or went, so the group must share them out anew."""
        self.must_rejoin = self.phase is MemberPhase.STABLE

    def rejoin(self) -> None:
        """Begin to join again: what was held has been handed over, or is lost."""
        assert self.phase is not MemberPhase.FAILED, self.failure
        self.phase = MemberPhase.JOINING
        self.must_rejoin = False

    def on_left(self) -> None:
        """The group was told that we leave; who joins again is a new member."""
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
