"""The follower core: what it asks for, appends and cuts, and what it believes to be committed."""

import pytest

from chronik.model.ids import BrokerId, LeaderEpoch, Offset
from chronik.replication.events import (
    AdvanceHighWatermark,
    AdvanceLogStart,
    Append,
    Appended,
    Divergence,
    FetchAgain,
    FetchAsk,
    FetchFailed,
    FetchSucceeded,
    FollowerEffect,
    LogTruncated,
    ReportLoss,
    StartAt,
    TruncateTo,
)
from chronik.replication.follower import FollowedTerm, PartitionFollower

TERM = FollowedTerm(BrokerId(1), LeaderEpoch(6))
AGAIN = FetchAgain()


def follower(*, end: int = 0, epoch: int = -1, watermark: int = 0, start: int = 0) -> PartitionFollower:
    return PartitionFollower(
        BrokerId(2),
        TERM,
        log_start_offset=Offset(start),
        log_end_offset=Offset(end),
        last_epoch=LeaderEpoch(epoch),
        high_watermark=Offset(watermark),
    )


def asked(core: PartitionFollower) -> FetchAsk:
    ask = core.next_fetch()
    assert ask is not None
    return ask


def answered(
    core: PartitionFollower, *, watermark: int = 0, data_end: int | None = None, start: int = 0
) -> tuple[FollowerEffect, ...]:
    """One fetch and its answer."""
    end = None if data_end is None else Offset(data_end)
    return core.handle(FetchSucceeded(asked(core), Offset(watermark), Offset(start), end))


def diverged(core: PartitionFollower, epoch: int, end: int, own_end: int, watermark: int = 0) -> object:
    divergence = Divergence(LeaderEpoch(epoch), Offset(end))
    return core.handle(
        FetchSucceeded(
            asked(core), Offset(watermark), Offset(0), None, divergence, own_epoch_end_offset=Offset(own_end)
        )
    )


def test_a_fetch_carries_the_log_end_its_last_epoch_and_the_leaders_epoch() -> None:
    assert follower(end=7, epoch=4).next_fetch() == FetchAsk(Offset(7), LeaderEpoch(4), LeaderEpoch(6))


def test_one_fetch_is_in_flight() -> None:
    core = follower()
    asked(core)
    assert core.next_fetch() is None


def test_after_a_failed_fetch_the_same_is_asked_again() -> None:
    core = follower(end=3, epoch=1)
    ask = asked(core)
    assert core.handle(FetchFailed(ask)) == ()
    assert core.next_fetch() == ask


def test_records_count_when_they_are_written() -> None:
    core = follower()
    assert answered(core, watermark=4, data_end=5) == (Append(),)
    assert core.next_fetch() is None
    assert core.high_watermark == 0
    assert core.handle(Appended(Offset(5), LeaderEpoch(6))) == (AdvanceHighWatermark(Offset(4)), AGAIN)
    assert core.next_fetch() == FetchAsk(Offset(5), LeaderEpoch(6), LeaderEpoch(6))


def test_a_watermark_above_the_log_end_is_believed_up_to_the_log_end() -> None:
    core = follower(end=3, epoch=6)
    assert answered(core, watermark=9, data_end=5) == (Append(), AdvanceHighWatermark(Offset(3)))


def test_an_answer_without_records_raises_the_watermark() -> None:
    core = follower(end=5, epoch=6)
    assert answered(core, watermark=4) == (AdvanceHighWatermark(Offset(4)), AGAIN)


def test_the_watermark_of_a_leader_that_knows_less_lowers_nothing() -> None:
    core = follower(end=5, epoch=6, watermark=5)
    assert answered(core, watermark=1) == (AGAIN,)
    assert core.high_watermark == 5


def test_an_answer_that_was_not_asked_for_is_dropped() -> None:
    core = follower(end=5, epoch=4)
    ask = asked(core)
    core.handle(FetchFailed(ask))
    again = asked(core)
    late = FetchSucceeded(ask, Offset(5), Offset(0))
    assert core.handle(late) == ()
    assert core.high_watermark == 0
    assert core.handle(late._replace(ask=again)) == (AdvanceHighWatermark(Offset(5)), AGAIN)


def test_the_answer_of_an_older_term_is_dropped() -> None:
    old = follower(end=5, epoch=4)
    ask = asked(old)
    core = follower(end=5, epoch=4)
    asked(core)
    assert core.handle(FetchSucceeded(ask, Offset(5), Offset(0), Offset(8))) == ()
    assert core.high_watermark == 0


def test_a_log_that_diverges_is_cut_before_the_watermark_is_raised() -> None:
    core = follower(end=9, epoch=5, watermark=2)
    assert diverged(core, epoch=4, end=6, own_end=5, watermark=8) == (TruncateTo(Offset(5)),)
    assert core.high_watermark == 2
    assert core.next_fetch() is None
    assert core.handle(LogTruncated(Offset(5), LeaderEpoch(4))) == (AGAIN,)
    assert core.next_fetch() == FetchAsk(Offset(5), LeaderEpoch(4), LeaderEpoch(6))


def test_a_log_that_is_only_longer_is_cut_to_the_leaders_end() -> None:
    core = follower(end=9, epoch=5)
    assert diverged(core, epoch=5, end=7, own_end=9) == (TruncateTo(Offset(7)),)


def test_a_batch_that_holds_the_cut_goes_whole() -> None:
    core = follower(end=9, epoch=5, watermark=7)
    diverged(core, epoch=5, end=8, own_end=9)
    core.handle(LogTruncated(Offset(6), LeaderEpoch(5)))
    assert core.high_watermark == 6


def test_cutting_what_was_known_as_committed_is_reported() -> None:
    core = follower(end=9, epoch=5, watermark=8)
    assert diverged(core, epoch=5, end=7, own_end=9) == (ReportLoss(Offset(7), Offset(8)), TruncateTo(Offset(7)))


def test_a_divergence_that_cuts_nothing_is_asked_about_again() -> None:
    core = follower(end=9, epoch=5)
    assert diverged(core, epoch=5, end=9, own_end=9) == (AGAIN,)
    assert core.next_fetch() is not None


def test_a_log_that_ends_before_the_leaders_begins_there_anew() -> None:
    core = follower(end=9, epoch=5, watermark=9)
    assert answered(core, watermark=120, start=100) == (StartAt(Offset(100)),)
    assert core.handle(LogTruncated(Offset(100), LeaderEpoch(-1))) == (AdvanceHighWatermark(Offset(100)), AGAIN)
    assert core.next_fetch() == FetchAsk(Offset(100), LeaderEpoch(-1), LeaderEpoch(6))


def test_the_log_start_follows_the_leaders_up_to_the_watermark() -> None:
    core = follower(end=9, epoch=6, watermark=5)
    assert answered(core, watermark=5, start=7) == (AdvanceLogStart(Offset(5)), AGAIN)
    assert answered(core, watermark=8, start=7) == (AdvanceHighWatermark(Offset(8)), AdvanceLogStart(Offset(7)), AGAIN)


def test_records_that_nobody_asked_for_are_a_broken_promise() -> None:
    with pytest.raises(AssertionError, match="no response has brought"):
        follower().handle(Appended(Offset(1), LeaderEpoch(6)))


def test_a_cut_that_nobody_asked_for_is_a_broken_promise() -> None:
    with pytest.raises(AssertionError, match="without an order"):
        follower(end=3).handle(LogTruncated(Offset(1), LeaderEpoch(6)))


def test_a_broker_does_not_follow_itself() -> None:
    with pytest.raises(AssertionError, match="follow itself"):
        PartitionFollower(
            TERM.leader,
            TERM,
            log_start_offset=Offset(0),
            log_end_offset=Offset(0),
            last_epoch=LeaderEpoch(-1),
            high_watermark=Offset(0),
        )
