"""Brokers that may have lost records: how they are known, and that they leave every set before they serve."""

import pytest

from chronik.metadata.decisions.brokers import (
    LeftPartition,
    may_have_lost,
    plan_clear_lossy,
    plan_leave_sets,
    plan_register_broker,
)
from chronik.metadata.image.keys import Registration
from chronik.metadata.stores.plan import (
    Plan,
    Refusal,
)
from chronik.metadata.stores.port import Compare, CompareTarget
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, TopicPartition
from tests.unit.metadata.decisions.member_cases import Members, sets, state

ONE = BrokerId(1)


def judged(members: Members, registration: Registration, *, flushes: bool = False) -> bool:
    return may_have_lost(members.image, registration, flushes_every_append=flushes)


@pytest.mark.parametrize(
    ("directory", "boot", "is_closed", "flushes", "is_lossy"),
    [
        ("d1", "boot", False, False, False),
        ("d1", "boot", True, False, False),
        ("d1", "other", True, False, False),
        ("d1", "other", False, False, True),
        ("d1", "other", False, True, False),
        ("d1", "", False, False, True),
        ("new", "boot", True, True, True),
    ],
    ids=[
        "the process crashed",
        "the process was closed",
        "the machine was restarted after a clean stop",
        "the machine was restarted",
        "the machine was restarted, every append is flushed",
        "a boot without a name proves nothing",
        "another directory",
    ],
)
def test_a_start_is_lossy_when(*, directory: str, boot: str, is_closed: bool, flushes: bool, is_lossy: bool) -> None:
    members = Members(1)
    closed = members.broker_epoch(1) if is_closed else None
    registration = members.registration(1, directory, boot)._replace(closed_broker_epoch=closed)
    assert judged(members, registration, flushes=flushes) is is_lossy


def test_a_mark_closes_the_last_broker_epoch_only_also_when_its_registration_is_gone() -> None:
    members = Members(1)
    first = members.broker_epoch(1)
    members.start(1)
    last = members.broker_epoch(1)
    members.kill(1)
    rebooted = members.registration(1, boot="other")
    assert judged(members, rebooted._replace(closed_broker_epoch=first))
    assert not judged(members, rebooted._replace(closed_broker_epoch=last))


def test_a_first_start_has_nothing_to_lose() -> None:
    assert not judged(Members(1), Members(1).registration(2))


def test_a_lossy_start_stays_lossy_over_further_crashes_until_all_sets_are_left() -> None:
    members = Members()
    members.create()
    rebooted = members.registration(1, boot="other")
    assert members.do(members.register(1, rebooted))
    assert members.image.hosts[ONE].is_lossy
    again = members.register(1, rebooted._replace(closed_broker_epoch=members.broker_epoch(1)))
    assert again.result.is_lossy
    assert members.do(again)
    members.leave(1)
    assert not members.image.hosts[ONE].is_lossy
    assert not members.register(1, rebooted).result.is_lossy


def test_a_lossy_broker_is_not_cleared_before_it_has_left_every_set() -> None:
    members = Members()
    members.create(2)
    assert members.do(members.register(1, members.registration(1, "new")))
    refusal = plan_clear_lossy(members.image, ONE)
    assert isinstance(refusal, Refusal)
    members.leave(1)
    assert all(1 not in partition.isr for partition in members.image.topics["t"].partitions)


def test_damage_that_was_found_counts_as_a_loss() -> None:
    members = Members(1)
    plan = plan_register_broker(
        members.image, members.registration(1), "c", None, flushes_every_append=True, found_damage=True
    )
    assert plan.result.is_lossy


def test_a_lossy_broker_registers_first_leaves_then_and_another_leads() -> None:
    members = Members()
    members.create()
    plan = members.register(1, members.registration(1, "new"))
    assert members.do(plan)
    assert sets(members.partition) == (2, {1, 2, 3}, set()), "registered, and still in the sets"
    members.leave(1)
    assert sets(members.partition) == (2, {2, 3}, set())


def test_a_lossy_broker_is_not_elected_before_it_has_left() -> None:
    members = Members()
    members.create()
    members.put(state([1], leader=1))
    assert members.do(members.register(1, members.registration(1, "new")))
    assert sets(members.partition) == (-1, {1}, set())
    assert members.settle() == []


def test_the_last_member_leaves_too_and_is_remembered() -> None:
    members = Members()
    members.create()
    members.put(state([1], leader=1, last_known=[2]))
    assert members.do(members.register(1, members.registration(1, "new")))
    plan = plan_leave_sets(members.image, ONE)
    assert isinstance(plan, Plan)
    assert plan.result == (LeftPartition(TopicPartition("t", 0), was_last=True),)
    assert members.do(plan)
    assert sets(members.partition) == (-1, set(), set())
    assert set(members.partition.last_known) == {1, 2}


def test_who_leaves_lets_an_eligible_member_lead_at_once() -> None:
    members = Members()
    members.create()
    members.put(state([1], [3], leader=1))
    members.start(1, members.registration(1, "new"))
    assert sets(members.partition) == (3, {3}, set())
    assert members.partition.last_known == (1,)


def test_leaving_is_guarded_by_the_registration_that_may_have_lost() -> None:
    members = Members()
    members.create()
    assert members.do(members.register(1, members.registration(1, "new")))
    plan = plan_leave_sets(members.image, ONE)
    assert isinstance(plan, Plan)
    guard = Compare("brokers/1", members.image.brokers[ONE].broker_epoch, CompareTarget.CREATE)  # type: ignore[arg-type]
    assert guard in plan.transactions[0].compares
    members.kill(1)
    refusal = plan_leave_sets(members.image, ONE)
    assert isinstance(refusal, Refusal)
    assert refusal.error == ErrorCode.STALE_BROKER_EPOCH
    assert not members.do(plan)
