"""Where new replicas go: evenly over brokers, and of one partition in as many racks as there are."""

import random
from collections import Counter

import pytest

from chronik.metadata.decisions.brokers import plan_controlled_shutdown
from chronik.metadata.decisions.placement import Load, Racks, place, racks_of
from chronik.model.ids import BrokerId
from tests.unit.metadata.decisions.member_cases import Members


def racks(**names: str) -> Racks:
    """Give brokers by rack: a="123" puts 1, 2 and 3 into rack a."""
    return {BrokerId(int(broker)): rack for rack, brokers in names.items() for broker in brokers}


@pytest.mark.parametrize("seed", range(20))
def test_the_replicas_of_a_partition_stand_in_as_many_racks_as_there_are(seed: int) -> None:
    dice = random.Random(seed)
    where: Racks = {BrokerId(broker): dice.choice("abc") for broker in range(1, dice.randint(4, 12))}
    factor = dice.randint(1, 4)
    for replicas in place(50, min(factor, len(where)), where, Load()):
        assert len(set(replicas)) == len(replicas)
        in_racks = Counter(where[broker] for broker in replicas)
        assert len(in_racks) == min(len(replicas), len(set(where.values())))


def test_more_replicas_than_racks_are_spread_evenly_over_them() -> None:
    where = racks(a="123", b="456")
    for replicas in place(30, 4, where, Load()):
        assert set(Counter(where[broker] for broker in replicas).values()) == {2}


def test_leaders_and_replicas_are_even_where_racks_are() -> None:
    load = Load()
    place(90, 3, racks(a="123", b="456", c="789"), load)
    assert set(load.leaders.values()) == {10}
    assert set(load.replicas.values()) == {30}


@pytest.mark.parametrize("brokers", [3, 4, 6])
def test_the_partitions_of_a_broker_that_dies_are_led_by_all_others(brokers: int) -> None:
    members = Members(brokers)
    members.create(60, factor=3)
    members.kill(1)
    members.settle()
    leaders = Counter(partition.leader for partition in members.image.topics["t"].partitions)
    assert max(leaders.values()) - min(leaders.values()) <= 2, leaders


def test_brokers_without_racks_are_as_good_as_each_other() -> None:
    load = Load()
    place(30, 2, {BrokerId(broker): None for broker in (1, 2, 3)}, load)
    assert set(load.replicas.values()) == {20}


def test_racks_come_from_the_registrations() -> None:
    members = Members(4, racks=["a", "a", "b", "b"])
    members.create(8, factor=2)
    for partition in members.image.topics["t"].partitions:
        assert len({members.image.brokers[broker].rack for broker in partition.replicas}) == 2


def test_a_broker_that_is_stopping_gets_nothing_unless_it_is_needed() -> None:
    members = Members(3)
    assert members.do(plan_controlled_shutdown(members.image, BrokerId(3)))
    assert set(racks_of(members.image, 2)) == {1, 2}
    assert set(racks_of(members.image, 3)) == {1, 2, 3}
