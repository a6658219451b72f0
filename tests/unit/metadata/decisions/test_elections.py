"""The controller's work: the dead leave the in-sync sets in the writes that elect others."""

from itertools import permutations

import pytest

from chronik.metadata.configs.effective import BrokerLayers
from chronik.metadata.decisions.brokers import host_step, plan_controlled_shutdown
from chronik.metadata.decisions.configs import ConfigChange, plan_change_broker_configs, plan_change_topic_configs
from chronik.metadata.decisions.elections import (
    WORK_AT_ONCE_MAX,
    Elected,
    ElectionRules,
    next_controller_work,
    plan_take_control,
)
from chronik.metadata.decisions.partition_changes import (
    ElectionKind,
    has_broker_epoch,
)
from chronik.metadata.image import keys
from chronik.metadata.image.keys import PartitionState
from chronik.metadata.stores.plan import (
    Plan,
    Refusal,
    pack,
)
from chronik.metadata.stores.port import TRANSACTION_OPS_MAX, Compare, CompareTarget
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, LeaderEpoch, TopicPartition
from chronik.protocol.config_resources import AlterConfigOp
from tests.unit.metadata.decisions.member_cases import TOPIC_ID, Members, sets, state

ONE, TWO = BrokerId(1), BrokerId(2)
T0 = TopicPartition("t", 0)


def members_with(partition: PartitionState, *, alive: tuple[int, ...] = (1, 2, 3), **configs: str) -> Members:
    members = Members()
    members.create(**configs)
    members.put(partition)
    members.kill(*{1, 2, 3}.difference(alive))
    return members


@pytest.mark.parametrize(
    ("before", "alive", "expected"),
    [
        (state([1, 2, 3], leader=1), (2, 3), (2, {2, 3}, set())),
        (state([1, 2, 3], leader=1), (3,), (3, {3}, {1, 2})),
        (state([1, 2, 3], leader=3), (2, 3), (3, {2, 3}, set())),
        (state([1, 2], leader=1), (1, 3), (1, {1}, {2})),
        (state([1], [2, 3], leader=1), (2, 3), (2, {2}, {1, 3})),
        (state([1], [2], leader=1), (3,), (-1, set(), {1, 2})),
        (state([1], leader=1), (2, 3), (-1, set(), {1})),
        (state([], [1, 2]), (2, 3), (2, {2}, {1})),
        (state([2, 3]), (2, 3), (2, {2, 3}, set())),
        (state([1, 2, 3], leader=1, min_insync=1), (2, 3), (2, {2, 3}, set())),
        (state([1], leader=1, min_insync=1), (2, 3), (-1, set(), {1})),
    ],
    ids=[
        "a dead leader is replaced from the in-sync set",
        "below the minimum the dead stay eligible",
        "a dead follower leaves, the leader stays",
        "a dead follower leaves and stays eligible",
        "nobody in sync is alive: an eligible member leads alone",
        "nobody of either set is alive: nobody leads",
        "the last replica standing is waited for",
        "an eligible member that is back leads",
        "a partition that nobody leads gets a leader",
        "a minimum of one",
        "the last of a minimum of one is waited for",
    ],
)
def test_what_the_controller_makes_of(
    before: PartitionState, alive: tuple[int, ...], expected: tuple[int, set[int], set[int]]
) -> None:
    members = members_with(before, alive=alive)
    epoch = members.partition.leader_epoch
    members.settle()
    assert sets(members.partition) == expected
    assert members.partition.leader_epoch == epoch + (expected[0] != before.leader)


def test_one_write_takes_the_dead_out_and_elects() -> None:
    members = members_with(state([1, 2, 3], leader=1), alive=(2, 3))
    (report,) = members.settle()
    assert report.elected == (Elected(T0, TWO, LeaderEpoch(2), ElectionKind.IN_SYNC),)
    assert members.work() is None


def test_the_report_names_partitions_that_only_lost_a_member() -> None:
    members = members_with(state([1, 2, 3], leader=1), alive=(1, 2))
    (report,) = members.settle()
    assert (report.elected, report.shrunk) == ((), (T0,))


def test_a_broker_that_waits_for_its_turn_is_elected_when_it_is_back() -> None:
    members = members_with(state([1], leader=1), alive=(2, 3))
    members.settle()
    assert members.partition.leader == -1
    members.start(1)
    (report,) = members.settle()
    assert report.elected[0].kind is ElectionKind.ELIGIBLE
    assert sets(members.partition) == (1, {1}, set())


def test_a_lone_leader_under_a_lowered_minimum_leaves_an_empty_elr() -> None:
    """Otherwise records that one broker took alone would be lost when another of the once eligible led after it."""
    members = members_with(state([1, 2, 3], leader=1))
    members.take_control(1)
    members.kill(2, 3)
    members.settle()
    assert sets(members.partition) == (1, {1}, {2, 3})
    members.kill(1)
    members.start(2)
    members.take_control(2)
    assert members.do(plan_controlled_shutdown(members.image, TWO)), "who is going is not elected"
    members.settle()
    assert sets(members.partition) == (-1, set(), {1, 2, 3})
    change = [ConfigChange("min.insync.replicas", AlterConfigOp.SET, "1")]
    members.do(plan_change_topic_configs(members.image, "t", change, members.cluster_rules, BrokerLayers()))
    assert sets(members.partition) == (-1, set(), {1, 2, 3})
    members.start(1)
    members.settle()
    assert sets(members.partition) == (1, {1}, set())


def test_a_settled_cluster_has_no_work_and_only_the_controller_works() -> None:
    members = members_with(state([1, 2, 3], leader=1))
    members.take_control(1)
    assert members.work() is None
    members.kill(3)
    assert next_controller_work(members.image, TWO, ElectionRules()) is None
    assert members.work() is not None
    members.kill(1)
    assert next_controller_work(members.image, ONE, ElectionRules()) is None


def test_the_office_is_taken_once_goes_with_the_lease_and_with_a_new_broker_epoch() -> None:
    members = Members()
    plans = [plan_take_control(members.image, broker, members.leases[broker]) for broker in (ONE, TWO)]
    assert [members.do(plan) for plan in plans] == [True, False]
    refusal = plan_take_control(members.image, TWO, members.leases[2])
    assert isinstance(refusal, Refusal)
    assert refusal.error == ErrorCode.NOT_CONTROLLER
    members.start(1)
    assert members.image.controller is None
    members.take_control(2)
    members.kill(2)
    assert members.image.controller is None


def test_who_is_not_registered_does_not_take_the_office() -> None:
    members = Members()
    plan = plan_take_control(members.image, ONE, members.leases[2])
    members.kill(1)
    assert isinstance(plan_take_control(members.image, ONE, members.leases[2]), Refusal)
    assert not members.do(plan)


def test_every_write_compares_the_office_the_partition_and_the_new_leader() -> None:
    members = members_with(state([1, 2, 3], leader=1), alive=(2, 3))
    members.take_control(3)
    plan = members.work()
    held = members.image.controller
    assert plan is not None
    assert held is not None
    assert set(plan.transactions[0].compares) == {
        Compare(keys.CONTROLLER, held.created, CompareTarget.CREATE),
        Compare(keys.partition_key(TOPIC_ID, 0), members.partition.revision),
        has_broker_epoch(TWO, members.broker_epoch(2)),
    }


def test_a_controller_that_lost_the_office_writes_nothing_also_when_it_has_it_again() -> None:
    members = members_with(state([1, 2, 3], leader=1), alive=(2, 3))
    members.take_control(2)
    plan = members.work()
    members.start(2)
    members.take_control(2)
    assert not members.do(plan)


def test_an_election_does_not_reach_a_broker_that_has_registered_again_since() -> None:
    members = members_with(state([1, 2, 3], leader=1), alive=(2, 3))
    members.take_control(3)
    plan = members.work()
    members.start(2)
    assert not members.do(plan)
    members.settle()
    assert members.partition.leader == 2


def test_a_thousand_partitions_are_settled_in_parts_and_transactions_within_the_limit_leaderless_ones_first() -> None:
    members = Members()
    members.create(1_000)
    members.kill(1)
    members.take_control(2)
    plan = members.work()
    assert plan is not None
    assert all(
        max(len(transaction.compares), len(transaction.writes)) <= TRANSACTION_OPS_MAX
        for transaction in plan.transactions
    )
    assert (len(plan.result.elected), len(plan.result.shrunk)) == (334, WORK_AT_ONCE_MAX - 334)
    written = [write.key for transaction in plan.transactions for write in transaction.writes]
    led = {keys.partition_key(TOPIC_ID, elected.partition.partition) for elected in plan.result.elected}
    assert set(written[:334]) == led
    assert len(members.settle()) == 2
    assert not members.image.unsettled
    assert all(partition.leader in (2, 3) for partition in members.image.topics["t"].partitions)


@pytest.mark.parametrize("order", list(permutations((1, 2, 3))), ids=str)
def test_a_cold_start_in_any_order_elects_a_leader_at_once_and_settles_within_two_elections(
    order: tuple[int, ...],
) -> None:
    members = Members()
    members.create(6)
    members.kill(1, 2, 3)
    for broker in order:
        members.start(broker)
        members.settle()
        assert {partition.leader for partition in members.image.topics["t"].partitions} == {order[0]}
    assert all(partition.leader_epoch <= 2 for partition in members.image.topics["t"].partitions)
    assert not members.image.unsettled


@pytest.mark.parametrize("where", ["topic", "cluster", "broker", "nowhere", "topic forbids"])
def test_anybody_may_lead_only_where_the_topic_the_cluster_or_the_broker_says_so(where: str) -> None:
    configs = {"topic": "true", "topic forbids": "false"}
    own = {"unclean_leader_election_enable": configs[where]} if where in configs else {}
    members = members_with(state([1], leader=1), alive=(2, 3), **own)
    if where == "cluster":
        change = ConfigChange("unclean.leader.election.enable", AlterConfigOp.SET, "true")
        plan = plan_change_broker_configs(members.image, None, [change], members.cluster_rules, BrokerLayers())
        assert isinstance(plan, Plan), plan
        members.do(plan)
    members.rules = ElectionRules(unclean_election=where in ("broker", "topic forbids"))
    elected = [one for report in members.settle() for one in report.elected]
    if where in ("nowhere", "topic forbids"):
        assert sets(members.partition) == (-1, set(), {1})
    else:
        assert sets(members.partition) == (2, {2}, set())
        assert elected[-1].kind is ElectionKind.UNCLEAN
        assert elected[-1].kind.may_lose


def test_a_stopping_broker_is_not_elected() -> None:
    members = members_with(state([1, 2], leader=1), alive=(1, 2, 3))
    host = members.image.hosts[TWO].host._replace(is_stopping=True)
    assert members.do(Plan(pack([host_step(members.image, TWO, host)]), None))
    members.kill(1)
    members.settle()
    assert sets(members.partition) == (-1, {2}, {1})
    members.start(2)
    members.settle()
    assert sets(members.partition) == (2, {2}, {1})
