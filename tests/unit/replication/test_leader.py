"""The leader core: what is committed, and what is refused."""

import random

import pytest

from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, Offset, PartitionEpoch, Revision
from chronik.replication.events import AdvanceHighWatermark, IsrCommitted
from tests.unit.replication.leader_cases import EPOCH, ME, THREE, TWO, LeaderCase


def alone(**known: int) -> LeaderCase:
    return LeaderCase((ME,), replicas=(ME,), minimum=1, **known)


def test_a_lone_replica_commits_what_it_has_appended() -> None:
    case = alone()
    assert case.appended(10) == (AdvanceHighWatermark(Offset(10)),)
    assert case.watermark == 10
    assert case.appended(10) == ()


def test_a_lone_replica_has_committed_its_whole_log_when_it_begins() -> None:
    core = alone(end=42, watermark=17).core
    assert not core.knows_what_is_committed
    assert core.begin() == (AdvanceHighWatermark(Offset(42)),)
    assert core.knows_what_is_committed


def test_a_member_whose_log_end_is_unknown_holds_the_watermark() -> None:
    case = LeaderCase((ME, TWO), end=10, watermark=4)
    assert case.core.begin() == ()
    assert case.appended(20) == ()
    assert case.watermark == 4


def test_the_watermark_is_the_smallest_log_end_of_the_in_sync_set() -> None:
    case = LeaderCase()
    case.appended(10)
    assert case.fetched(TWO, 10) == ()
    assert case.fetched(THREE, 7) == (AdvanceHighWatermark(Offset(7)),)
    assert case.fetched(THREE, 10) == (AdvanceHighWatermark(Offset(10)),)


def test_the_leaders_own_log_end_bounds_the_watermark() -> None:
    case = LeaderCase((ME, TWO))
    case.appended(3)
    assert case.fetched(TWO, 8) == (AdvanceHighWatermark(Offset(3)),)
    assert case.appended(9) == (AdvanceHighWatermark(Offset(8)),)


def test_a_follower_outside_the_set_does_not_hold_the_watermark() -> None:
    case = LeaderCase((ME, TWO))
    case.appended(5)
    assert case.fetched(TWO, 5) == (AdvanceHighWatermark(Offset(5)),)
    assert case.fetched(THREE, 1) == ()
    assert case.watermark == 5


def test_the_watermark_stays_when_a_member_falls_back() -> None:
    case = LeaderCase((ME, TWO))
    case.appended(5)
    case.fetched(TWO, 5)
    assert case.fetched(TWO, 2, broker_epoch=2) == ()
    assert case.watermark == 5


def test_the_watermark_stands_still_below_the_minimum_in_sync() -> None:
    case = LeaderCase((ME,))
    assert case.appended(5) == ()
    assert case.core.rejection_of_acks_all() is ErrorCode.NOT_ENOUGH_REPLICAS
    assert case.committed((ME,), minimum=1) == (AdvanceHighWatermark(Offset(5)),)
    assert case.core.rejection_of_acks_all() is None


def test_a_set_that_shrinks_below_the_minimum_stops_the_watermark() -> None:
    case = LeaderCase((ME, TWO))
    case.appended(5)
    case.committed((ME,))
    assert case.appended(6) == ()
    assert case.watermark == 0


def test_the_minimum_is_never_more_than_there_are_replicas() -> None:
    case = LeaderCase((ME,), replicas=(ME,), minimum=2)
    assert case.core.rejection_of_acks_all() is None
    assert case.appended(5) == (AdvanceHighWatermark(Offset(5)),)


def test_an_older_state_of_the_partition_changes_nothing() -> None:
    case = LeaderCase((ME,))
    case.appended(5)
    assert case.core.handle(IsrCommitted((ME,), 1, PartitionEpoch(5), Revision(10))) == ()
    assert case.core.in_sync_min == 2


def test_a_log_that_shrinks_within_a_term_is_a_broken_promise() -> None:
    case = alone(end=10, watermark=10)
    with pytest.raises(AssertionError, match="never shrinks"):
        case.appended(9)


def test_a_leader_outside_its_in_sync_set_is_a_broken_promise() -> None:
    with pytest.raises(AssertionError, match="not in the in-sync set"):
        LeaderCase((TWO,))


def test_a_fetch_of_another_epoch_is_refused() -> None:
    core = LeaderCase().core
    assert core.rejection_of_fetch(TWO, BrokerEpoch(1), EPOCH) is None
    assert core.rejection_of_fetch(TWO, BrokerEpoch(1), LeaderEpoch(EPOCH - 1)) is ErrorCode.FENCED_LEADER_EPOCH
    assert core.rejection_of_fetch(TWO, BrokerEpoch(1), LeaderEpoch(EPOCH + 1)) is ErrorCode.UNKNOWN_LEADER_EPOCH


def test_a_fetch_of_a_broker_without_the_partition_is_refused() -> None:
    core = LeaderCase().core
    assert core.rejection_of_fetch(BrokerId(9), BrokerEpoch(1), EPOCH) is ErrorCode.UNKNOWN_LEADER_EPOCH
    assert core.rejection_of_fetch(ME, BrokerEpoch(1), EPOCH) is ErrorCode.UNKNOWN_LEADER_EPOCH


def test_a_fetch_of_an_older_broker_epoch_is_refused_and_moves_nothing() -> None:
    case = LeaderCase((ME, TWO))
    case.appended(5)
    case.fetched(TWO, 1, broker_epoch=4)
    assert case.core.rejection_of_fetch(TWO, BrokerEpoch(3), EPOCH) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert case.fetched(TWO, 5, broker_epoch=3) == ()
    assert case.watermark == 1


def test_a_newer_broker_epoch_speaks_for_itself() -> None:
    case = LeaderCase((ME, TWO))
    case.appended(5)
    case.fetched(TWO, 4, broker_epoch=4)
    case.fetched(TWO, 2, broker_epoch=5)
    assert case.core.log_end_of(TWO) == 2
    case.appended(9)
    assert case.watermark == 4


def test_a_reassignment_brings_followers_and_takes_them() -> None:
    case = LeaderCase((ME, TWO))
    four = BrokerId(4)
    case.core.handle(IsrCommitted((ME, TWO), 2, PartitionEpoch(6), Revision(11), replicas=(ME, TWO, four)))
    assert case.core.rejection_of_fetch(four, BrokerEpoch(1), EPOCH) is None
    assert case.core.rejection_of_fetch(THREE, BrokerEpoch(1), EPOCH) is ErrorCode.UNKNOWN_LEADER_EPOCH


@pytest.mark.parametrize("seed", range(50))
def test_in_any_history_the_watermark_is_on_every_member_and_never_falls(seed: int) -> None:
    dice = random.Random(seed)
    case = LeaderCase(minimum=dice.randint(1, 3))
    ends = {ME: 0, TWO: 0, THREE: 0}
    for _ in range(200):
        before = case.watermark
        match dice.randint(0, 2):
            case 0:
                ends[ME] += dice.randint(0, 5)
                case.appended(ends[ME])
            case 1:
                who = dice.choice((TWO, THREE))
                ends[who] = dice.randint(ends[who], ends[ME])
                case.fetched(who, ends[who])
            case _:
                others = dice.choice([(TWO,), (THREE,), (TWO, THREE), ()])
                # Only a leader adds members, and it adds those that hold what is committed.
                kept = tuple(member for member in others if ends[member] >= before)
                case.committed((ME, *kept), minimum=dice.randint(1, 3))
        case.core.check()
        assert before <= case.watermark
        if case.watermark > before:
            assert case.core.has_enough_in_sync
            assert case.watermark <= min(ends[member] for member in case.core.isr)
