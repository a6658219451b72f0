"""The states of a group and what moves it from one to the next, complete by assertion."""

from enum import Enum, auto
from typing import Final


class GroupState(Enum):
    """The state of a group; the values are the names that administrators see."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


class GroupEvent(Enum):
    """What can happen to a group as a whole."""

    REBALANCE_BEGUN = auto()
    """All members must join again."""
    MEMBERS_JOINED = auto()
    """A new generation has its members; the assignment is missing."""
    MEMBERS_GONE = auto()
    """The last member has left."""
    ASSIGNMENT_KEPT = auto()
    """The leader's assignment is in the log."""
    LOADED = auto()
    """The log holds a generation with members."""
    REMOVED = auto()
    """The group is deleted or expired, or this coordinator's term is over."""


_S = GroupState
_E = GroupEvent

TRANSITIONS: Final[dict[tuple[GroupState, GroupEvent], GroupState | None]] = {
    (_S.EMPTY, _E.REBALANCE_BEGUN): _S.PREPARING_REBALANCE,
    (_S.EMPTY, _E.MEMBERS_JOINED): None,
    (_S.EMPTY, _E.MEMBERS_GONE): None,
    (_S.EMPTY, _E.ASSIGNMENT_KEPT): None,
    (_S.EMPTY, _E.LOADED): _S.STABLE,
    (_S.EMPTY, _E.REMOVED): _S.DEAD,
    (_S.PREPARING_REBALANCE, _E.REBALANCE_BEGUN): None,
    (_S.PREPARING_REBALANCE, _E.MEMBERS_JOINED): _S.COMPLETING_REBALANCE,
    (_S.PREPARING_REBALANCE, _E.MEMBERS_GONE): _S.EMPTY,
    (_S.PREPARING_REBALANCE, _E.ASSIGNMENT_KEPT): None,
    (_S.PREPARING_REBALANCE, _E.LOADED): None,
    (_S.PREPARING_REBALANCE, _E.REMOVED): _S.DEAD,
    (_S.COMPLETING_REBALANCE, _E.REBALANCE_BEGUN): _S.PREPARING_REBALANCE,
    (_S.COMPLETING_REBALANCE, _E.MEMBERS_JOINED): None,
    (_S.COMPLETING_REBALANCE, _E.MEMBERS_GONE): None,
    (_S.COMPLETING_REBALANCE, _E.ASSIGNMENT_KEPT): _S.STABLE,
    (_S.COMPLETING_REBALANCE, _E.LOADED): None,
    (_S.COMPLETING_REBALANCE, _E.REMOVED): _S.DEAD,
    (_S.STABLE, _E.REBALANCE_BEGUN): _S.PREPARING_REBALANCE,
    (_S.STABLE, _E.MEMBERS_JOINED): None,
    (_S.STABLE, _E.MEMBERS_GONE): None,
    (_S.STABLE, _E.ASSIGNMENT_KEPT): None,
    (_S.STABLE, _E.LOADED): None,
    (_S.STABLE, _E.REMOVED): _S.DEAD,
    (_S.DEAD, _E.REBALANCE_BEGUN): None,
    (_S.DEAD, _E.MEMBERS_JOINED): None,
    (_S.DEAD, _E.MEMBERS_GONE): None,
    (_S.DEAD, _E.ASSIGNMENT_KEPT): None,
    (_S.DEAD, _E.LOADED): None,
    (_S.DEAD, _E.REMOVED): None,
}
"""The state that follows; None where the event cannot happen."""

assert set(TRANSITIONS) == {(state, event) for state in GroupState for event in GroupEvent}


def next_state(state: GroupState, event: GroupEvent) -> GroupState:
    """Return the state after an event; an impossible event is a bug."""
    following = TRANSITIONS[state, event]
    assert following is not None, f"{event.name} in {state.value}"
    return following
