"""The leader core: what is committed, and what is refused."""

import random

import pytest

from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, Incarnation, LeaderEpoch, Offset, PartitionEpoch
from chronik.replication.events import AdvanceHighWatermark, IsrCommitted, LocalAppended
from chronik.replication.leader import PartitionLeader, Term

ME, OTHER = BrokerId(1), BrokerId(2)


def leader(
    *,
    isr: tuple[BrokerId, ...] = (ME,),
    replicas: int = 1,
    minimum: int = 1,
    end: int = 0,
    watermark: int = 0,
) -> PartitionLeader:
    return PartitionLeader(
        ME,
        Term(LeaderEpoch(3), Incarnation(7)),
        isr=isr,
        replica_count=replicas,
        in_sync_min=minimum,
        partition_epoch=PartitionEpoch(5),
        log_end_offset=Offset(end),
        high_watermark=Offset(watermark),
    )


def test_a_lone_replica_commits_what_it_has_appended() -> None:
    core = leader()
    assert core.handle(LocalAppended(Offset(10))) == (AdvanceHighWatermark(Offset(10)),)
    assert core.high_watermark == 10
    assert core.handle(LocalAppended(Offset(10))) == ()


def test_a_lone_replica_has_committed_its_whole_log_when_it_begins() -> None:
    core = leader(end=42, watermark=17)
    assert not core.knows_what_is_committed
    assert core.begin() == (AdvanceHighWatermark(Offset(42)),)
    assert core.knows_what_is_committed


def test_a_member_whose_log_end_is_unknown_holds_the_watermark() -> None:
    core = leader(isr=(ME, OTHER), replicas=2, end=10, watermark=4)
    assert core.begin() == ()
    assert core.handle(LocalAppended(Offset(20))) == ()
    assert core.high_watermark == 4


def test_the_watermark_stands_still_below_the_minimum_in_sync() -> None:
    core = leader(replicas=3, minimum=2)
    assert core.handle(LocalAppended(Offset(5))) == ()
    assert core.why_not_acks_all() is ErrorCode.NOT_ENOUGH_REPLICAS
    assert core.handle(IsrCommitted((ME,), 1, PartitionEpoch(6))) == (AdvanceHighWatermark(Offset(5)),)
    assert core.why_not_acks_all() is None


def test_the_minimum_is_never_more_than_there_are_replicas() -> None:
    core = leader(replicas=1, minimum=2)
    assert core.why_not_acks_all() is None
    assert core.handle(LocalAppended(Offset(5))) == (AdvanceHighWatermark(Offset(5)),)


def test_an_older_state_of_the_partition_changes_nothing() -> None:
    core = leader(replicas=3, minimum=2)
    core.handle(LocalAppended(Offset(5)))
    assert core.handle(IsrCommitted((ME,), 1, PartitionEpoch(5))) == ()
    assert core.in_sync_min == 2


def test_a_log_that_shrinks_within_a_term_is_a_broken_promise() -> None:
    core = leader(end=10, watermark=10)
    with pytest.raises(AssertionError, match="never shrinks"):
        core.handle(LocalAppended(Offset(9)))


def test_a_leader_outside_its_in_sync_set_is_a_broken_promise() -> None:
    with pytest.raises(AssertionError, match="not in the in-sync set"):
        leader(isr=(OTHER,))


@pytest.mark.parametrize("seed", range(20))
def test_the_watermark_never_falls_and_never_passes_the_log_end(seed: int) -> None:
    dice = random.Random(seed)
    core = leader(replicas=3, minimum=dice.randint(1, 3))
    end, epoch, watermark = 0, 5, 0
    for _ in range(200):
        if dice.random() < 0.7:
            end += dice.randint(0, 5)
            core.handle(LocalAppended(Offset(end)))
        else:
            epoch += 1
            core.handle(IsrCommitted((ME,), dice.randint(1, 3), PartitionEpoch(epoch)))
        assert watermark <= core.high_watermark <= end
        watermark = core.high_watermark
        if core.has_enough_in_sync:
            assert watermark == end
