"""A broker that stops in order: others lead before it goes, and nobody takes it in again."""

import pytest

from chronik.metadata.decisions.brokers import ControlledShutdown, plan_controlled_shutdown
from chronik.metadata.image.keys import PartitionState
from chronik.metadata.stores.plan import (
    Plan,
    Refusal,
)
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, TopicPartition
from tests.unit.metadata.decisions.member_cases import Members, sets, state

ONE, TWO = BrokerId(1), BrokerId(2)
T0 = TopicPartition("t", 0)


def hand_over(members: Members, broker: BrokerId) -> ControlledShutdown:
    plan = plan_controlled_shutdown(members.image, broker)
    assert isinstance(plan, Plan)
    assert members.do(plan)
    return plan.result


@pytest.mark.parametrize(
    ("before", "expected", "handed_over"),
    [
        (state([1, 2, 3], leader=1), (2, {2, 3}, set()), ControlledShutdown((T0,), ())),
        (state([1, 3], leader=1), (3, {3}, {1}), ControlledShutdown((T0,), ())),
        (state([1, 2, 3], leader=2), (2, {2, 3}, set()), ControlledShutdown((), ())),
        (state([1], [2], leader=1), (1, {1}, {2}), ControlledShutdown((), (T0,))),
        (state([2], [1], leader=2), (2, {2}, {1}), ControlledShutdown((), ())),
        (state([1]), (-1, {1}, set()), ControlledShutdown((), ())),
    ],
    ids=[
        "another in-sync member leads, and the broker leaves",
        "below the minimum it stays eligible",
        "what it follows it leaves",
        "what it alone holds for sure it keeps until it goes",
        "it stays eligible where it was",
        "nothing is left to nobody",
    ],
)
def test_what_a_controlled_shutdown_moves(
    before: PartitionState, expected: tuple[int, set[int], set[int]], handed_over: ControlledShutdown
) -> None:
    members = Members()
    members.create()
    members.put(before)
    assert hand_over(members, ONE) == handed_over
    assert sets(members.partition) == expected


def test_a_leadership_moved_by_a_controlled_shutdown_is_a_new_term() -> None:
    members = Members()
    members.create()
    before = members.partition
    hand_over(members, ONE)
    assert members.partition.leader_epoch == before.leader_epoch + 1


def test_nothing_goes_to_a_broker_that_is_stopping_itself() -> None:
    members = Members()
    members.create(6)
    hand_over(members, TWO)
    hand_over(members, ONE)
    assert {partition.leader for partition in members.image.topics["t"].partitions} == {3}


def test_a_second_asking_goes_on_with_what_is_left() -> None:
    members = Members()
    members.create(250)
    plan = plan_controlled_shutdown(members.image, ONE)
    assert members.do(plan, 1)
    hand_over(members, ONE)
    assert all(1 not in partition.isr for partition in members.image.topics["t"].partitions)
    rest = plan_controlled_shutdown(members.image, ONE)
    assert isinstance(rest, Plan)
    assert rest.transactions == ()


def test_the_next_start_is_that_of_a_broker_that_stays() -> None:
    members = Members()
    members.create()
    hand_over(members, ONE)
    assert not members.image.may_lead(ONE)
    assert members.register(1).result.is_lossy is False
    members.start(1)
    assert members.image.may_lead(ONE)


def test_the_broker_epoch_that_is_remembered_survives_the_mark_of_stopping() -> None:
    members = Members(1)
    last = members.broker_epoch(1)
    hand_over(members, ONE)
    members.kill(1)
    assert members.image.hosts[ONE].broker_epoch == last


def test_who_is_not_registered_hands_nothing_over() -> None:
    members = Members()
    members.create()
    members.kill(1)
    refusal = plan_controlled_shutdown(members.image, ONE)
    assert isinstance(refusal, Refusal)
    assert refusal.error == ErrorCode.STALE_BROKER_EPOCH
