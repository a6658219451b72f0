"""The leader core's wishes for the in-sync set: who may join, who must leave, and what counts meanwhile."""

from chronik.model.ids import BrokerEpoch, Offset, PartitionEpoch, Revision
from chronik.replication.events import (
    AdvanceHighWatermark,
    IsrCommitted,
    ProposalRefused,
    ProposalUnknown,
    ProposeIsr,
    RewriteUnchanged,
    Stalled,
    TimePassed,
)
from chronik.replication.leader import NO_CHANGE, UNKNOWN_WAIT_MS, AdditionProposed, OutcomeUnknown, RemovalProposed
from tests.unit.replication.leader_cases import ALL, LAG_MS, ME, THREE, TWO, LeaderCase

BASE = Revision(10)


def with_three_outside() -> LeaderCase:
    """Two members, and broker 3 outside; everything up to offset 5 is committed."""
    case = LeaderCase((ME, TWO))
    case.appended(5)
    case.fetched(TWO, 5)
    return case


# --- growing


def test_a_follower_that_has_reached_the_watermark_is_proposed_with_the_broker_epoch_of_its_fetch() -> None:
    case = with_three_outside()
    assert case.fetched(THREE, 5, broker_epoch=8) == (ProposeIsr(ALL, ((THREE, BrokerEpoch(8)),), (), BASE),)
    assert case.core.pending == AdditionProposed((THREE,))


def test_a_follower_below_the_watermark_may_not_join() -> None:
    case = with_three_outside()
    assert case.fetched(THREE, 4) == ()
    assert case.core.pending is NO_CHANGE


def test_a_follower_below_the_start_of_the_epoch_may_not_join_although_it_reached_the_watermark() -> None:
    case = LeaderCase((ME, TWO), end=10, watermark=2)
    assert case.fetched(THREE, 9) == ()
    assert isinstance(case.fetched(THREE, 10)[0], ProposeIsr)


def test_a_proposed_member_counts_for_the_watermark() -> None:
    case = with_three_outside()
    case.fetched(THREE, 5)
    case.appended(9)
    assert case.core.maximal_isr == ALL
    assert case.fetched(TWO, 9) == ()
    assert case.fetched(THREE, 7) == (AdvanceHighWatermark(Offset(7)),)


def test_a_proposed_member_does_not_count_for_the_minimum() -> None:
    case = LeaderCase((ME,))
    case.fetched(TWO, 0)
    assert case.core.pending == AdditionProposed((TWO,))
    case.appended(3)
    assert case.fetched(TWO, 3) == ()
    assert case.core.rejection_of_acks_all() is not None
    assert case.committed((ME, TWO)) == (AdvanceHighWatermark(Offset(3)),)


def test_a_refused_member_no_longer_counts_and_is_tried_again_by_its_next_fetch() -> None:
    case = with_three_outside()
    case.fetched(THREE, 5)
    case.appended(9)
    case.fetched(TWO, 9)
    assert case.core.handle(ProposalRefused(BASE)) == (AdvanceHighWatermark(Offset(9)),)
    assert case.core.handle(TimePassed(1)) == ()
    assert case.fetched(TWO, 9) == ()
    assert isinstance(case.fetched(THREE, 9)[0], ProposeIsr)


def test_one_who_fetched_while_another_change_was_under_way_is_proposed_when_that_is_settled() -> None:
    case = LeaderCase((ME,))
    assert isinstance(case.fetched(TWO, 0)[0], ProposeIsr)
    assert case.fetched(THREE, 0) == ()
    assert case.committed((ME, TWO)) == (ProposeIsr(ALL, ((THREE, BrokerEpoch(1)),), (), Revision(11)),)


def test_one_who_was_removed_joins_by_a_new_fetch_only() -> None:
    case = LeaderCase()
    case.fetched(TWO, 0)
    case.fetched(THREE, 0)
    assert case.committed((ME, TWO)) == ()
    assert case.fetched(TWO, 0) == ()
    assert isinstance(case.fetched(THREE, 0)[0], ProposeIsr)


# --- shrinking


def test_a_member_that_has_not_caught_up_for_too_long_is_to_be_removed() -> None:
    case = LeaderCase()
    case.appended(5)
    case.fetched(TWO, 5, now=LAG_MS)
    case.fetched(THREE, 0, now=LAG_MS)
    assert case.core.handle(TimePassed(LAG_MS)) == ()
    assert case.core.handle(TimePassed(LAG_MS + 1)) == (ProposeIsr((ME, TWO), (), (THREE,), BASE),)
    assert case.core.pending == RemovalProposed((THREE,))


def test_a_member_that_keeps_up_with_what_there_was_at_its_last_fetch_stays() -> None:
    case = LeaderCase((ME, TWO))
    for step in range(1, 20):
        case.appended(10 * step)
        case.fetched(TWO, 10 * (step - 1), now=step * LAG_MS // 2)
        assert case.core.handle(TimePassed(step * LAG_MS // 2)) == ()


def test_a_member_that_fetches_but_falls_behind_is_to_be_removed() -> None:
    case = LeaderCase((ME, TWO))
    for step in range(1, 6):
        case.appended(10 * step)
        case.fetched(TWO, step, now=step * LAG_MS // 2)
    assert case.core.handle(TimePassed(5 * LAG_MS // 2)) == (ProposeIsr((ME,), (), (TWO,), BASE),)


def test_an_idle_partition_removes_nobody_who_has_everything() -> None:
    case = LeaderCase((ME, TWO))
    case.appended(5)
    case.fetched(TWO, 5)
    assert case.core.handle(TimePassed(100 * LAG_MS)) == ()


def test_a_member_that_never_fetched_in_this_term_is_to_be_removed() -> None:
    case = LeaderCase((ME, TWO))
    assert case.core.handle(TimePassed(LAG_MS + 1)) == (ProposeIsr((ME,), (), (TWO,), BASE),)


def test_a_member_counts_until_its_removal_is_committed() -> None:
    case = LeaderCase()
    case.appended(5)
    case.fetched(TWO, 5, now=LAG_MS + 1)
    case.core.handle(TimePassed(LAG_MS + 1))
    assert case.appended(6) == ()
    assert case.watermark == 0
    assert case.committed((ME, TWO)) == (AdvanceHighWatermark(Offset(5)),)


def test_after_a_stall_of_its_own_a_leader_removes_nobody_for_the_time_that_it_slept() -> None:
    case = LeaderCase((ME, TWO))
    case.appended(5)
    case.core.handle(Stalled(10 * LAG_MS))
    assert case.core.handle(TimePassed(10 * LAG_MS)) == ()
    assert isinstance(case.core.handle(TimePassed(11 * LAG_MS + 1))[0], ProposeIsr)


def test_one_change_at_a_time() -> None:
    case = with_three_outside()
    case.appended(9)
    case.fetched(THREE, 5)
    assert case.core.handle(TimePassed(100 * LAG_MS)) == ()


# --- outcomes


def test_an_unknown_outcome_counts_until_a_newer_revision_is_seen() -> None:
    case = with_three_outside()
    case.fetched(THREE, 5)
    case.appended(9)
    case.core.handle(ProposalUnknown(BASE, 0))
    assert isinstance(case.core.pending, OutcomeUnknown)
    assert case.fetched(TWO, 9) == ()
    assert case.core.handle(IsrCommitted((ME, TWO), 2, PartitionEpoch(5), BASE)) == ()
    assert case.watermark == 5
    assert case.committed((ME, TWO)) == (AdvanceHighWatermark(Offset(9)),)


def test_an_unknown_outcome_that_lasts_is_ended_by_rewriting_the_unchanged_state() -> None:
    case = with_three_outside()
    case.fetched(THREE, 5)
    case.core.handle(ProposalUnknown(BASE, 0))
    assert case.core.handle(TimePassed(UNKNOWN_WAIT_MS - 1)) == ()
    assert case.core.handle(TimePassed(UNKNOWN_WAIT_MS)) == (RewriteUnchanged(BASE),)
    assert case.core.handle(TimePassed(UNKNOWN_WAIT_MS + 1)) == ()
    assert case.core.handle(TimePassed(2 * UNKNOWN_WAIT_MS)) == (RewriteUnchanged(BASE),)


def test_a_rewritten_state_settles_the_unknown_although_its_partition_epoch_is_the_same() -> None:
    case = with_three_outside()
    case.fetched(THREE, 5)
    case.core.handle(ProposalUnknown(BASE, 0))
    case.core.handle(IsrCommitted((ME, TWO), 2, PartitionEpoch(5), Revision(11)))
    assert case.core.pending is NO_CHANGE


def test_a_refusal_by_a_newer_revision_settles_nothing_before_that_is_seen() -> None:
    case = with_three_outside()
    case.fetched(THREE, 5)
    case.appended(9)
    case.fetched(TWO, 9)
    assert case.core.handle(ProposalRefused(BASE, Revision(12))) == ()
    assert case.core.maximal_isr == ALL
    assert case.core.handle(TimePassed(100 * UNKNOWN_WAIT_MS)) == ()
    assert case.committed((ME, TWO)) == (AdvanceHighWatermark(Offset(9)),)


def test_the_answer_to_an_older_proposal_settles_nothing() -> None:
    case = LeaderCase((ME,))
    case.fetched(TWO, 0)
    case.fetched(THREE, 0)
    case.committed((ME, TWO))
    assert case.core.pending == AdditionProposed((THREE,))
    assert case.core.handle(ProposalRefused(BASE, Revision(11))) == ()
    assert case.core.handle(ProposalUnknown(BASE, 0)) == ()
    assert case.core.pending == AdditionProposed((THREE,))
