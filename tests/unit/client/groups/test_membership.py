"""A member's state after every answer, in every phase: what is kept, what is lost, and when to give up."""

import pytest

from chronik.client.groups.membership import NO_MEMBER, GroupMembership, MemberPhase
from chronik.model.errors import ErrorCode
from chronik.protocol.constants import NO_GENERATION

FATAL = [
    ErrorCode.FENCED_INSTANCE_ID,
    ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
    ErrorCode.INVALID_SESSION_TIMEOUT,
    ErrorCode.GROUP_MAX_SIZE_REACHED,
    ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ErrorCode.UNKNOWN_SERVER_ERROR,
]


def joined(error: ErrorCode = ErrorCode.NONE, member_id: str = "me", leader: str = "me") -> GroupMembership:
    membership = GroupMembership()
    membership.on_joined(error, member_id, 7, "range", leader)
    return membership


def stable() -> GroupMembership:
    membership = joined()
    membership.on_synced(ErrorCode.NONE)
    return membership


def test_join_and_sync_make_a_stable_member() -> None:
    membership = joined()
    assert (membership.phase, membership.member_id, membership.generation) == (MemberPhase.SYNCING, "me", 7)
    assert membership.is_leader
    assert not membership.is_held
    membership.on_synced(ErrorCode.NONE)
    assert membership.phase is MemberPhase.STABLE
    assert membership.is_held


def test_who_is_not_the_leader_knows_it() -> None:
    assert not joined(leader="another").is_leader


def test_an_id_that_the_coordinator_gives_is_joined_with() -> None:
    membership = joined(ErrorCode.MEMBER_ID_REQUIRED, "given")
    assert (membership.phase, membership.member_id) == (MemberPhase.JOINING, "given")


def test_a_rebalance_is_joined_in_order_as_the_same_member() -> None:
    membership = stable()
    membership.on_answered(ErrorCode.REBALANCE_IN_PROGRESS, 7)
    assert membership.must_rejoin
    assert membership.is_held, "offsets can be committed until it joins again"
    membership.rejoin()
    assert (membership.phase, membership.member_id, membership.must_rejoin) == (MemberPhase.JOINING, "me", False)


def test_a_rebalance_while_syncing_is_joined_at_once() -> None:
    membership = joined()
    membership.on_synced(ErrorCode.REBALANCE_IN_PROGRESS)
    assert (membership.phase, membership.member_id) == (MemberPhase.JOINING, "me")


def test_a_lost_generation_costs_what_was_held_and_not_the_id() -> None:
    membership = stable()
    membership.on_answered(ErrorCode.ILLEGAL_GENERATION, 7)
    assert not membership.is_held
    assert (membership.phase, membership.member_id, membership.generation) == (MemberPhase.JOINING, "me", NO_GENERATION)


def test_a_forgotten_member_joins_as_nobody() -> None:
    membership = stable()
    membership.on_answered(ErrorCode.UNKNOWN_MEMBER_ID, 7)
    assert (membership.phase, membership.member_id) == (MemberPhase.JOINING, NO_MEMBER)
    while_joining = joined(ErrorCode.UNKNOWN_MEMBER_ID, "old")
    assert (while_joining.phase, while_joining.member_id) == (MemberPhase.JOINING, NO_MEMBER)


def test_an_answer_to_an_earlier_generation_says_nothing() -> None:
    membership = stable()
    membership.on_answered(ErrorCode.UNKNOWN_MEMBER_ID, 6)
    assert membership.is_held
    assert not membership.must_rejoin


def test_an_answer_that_comes_while_joining_changes_nothing() -> None:
    membership = stable()
    membership.rejoin()
    membership.on_answered(ErrorCode.UNKNOWN_MEMBER_ID, 7)
    assert membership.member_id == "me"


@pytest.mark.parametrize("error", FATAL)
def test_what_trying_again_does_not_change_ends_the_membership(error: ErrorCode) -> None:
    after_beat = stable()
    after_beat.on_answered(error, 7)
    after_sync = joined()
    after_sync.on_synced(error)
    for membership in (joined(error), after_sync, after_beat):
        assert (membership.phase, membership.failure) == (MemberPhase.FAILED, error)
        assert not membership.is_held
        with pytest.raises(AssertionError):
            membership.rejoin()


def test_changed_topics_are_a_reason_to_join_again_only_for_who_holds_something() -> None:
    holding = stable()
    holding.on_subscription_changed()
    assert holding.must_rejoin
    joining = GroupMembership()
    joining.on_subscription_changed()
    assert not joining.must_rejoin


def test_who_has_left_comes_back_as_a_new_member() -> None:
    membership = stable()
    membership.on_left()
    assert (membership.phase, membership.member_id, membership.generation) == (
        MemberPhase.JOINING,
        NO_MEMBER,
        NO_GENERATION,
    )
