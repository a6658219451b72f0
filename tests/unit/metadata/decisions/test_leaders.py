"""Elections that are asked for: the preferred leader, anybody who lives, and the best of the last known."""

import pytest

from chronik.metadata.decisions.elections import (
    Elected,
)
from chronik.metadata.decisions.isr import (
    plan_change_isr,
)
from chronik.metadata.decisions.leaders import (
    ElectionType,
    LogEnd,
    plan_elect_leaders,
    plan_rebalance_preferred,
    plan_unclean_recovery,
)
from chronik.metadata.decisions.partition_changes import (
    ElectionKind,
)
from chronik.metadata.image.keys import PartitionState
from chronik.metadata.stores.plan import (
    Plan,
    Refusal,
)
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, LeaderEpoch, Offset, TopicPartition
from tests.unit.metadata.decisions.member_cases import TOPIC_ID, Members, sets, state

T0 = TopicPartition("t", 0)
PREFERRED, UNCLEAN = ElectionType.PREFERRED, ElectionType.UNCLEAN


def members_with(partition: PartitionState, *, alive: tuple[int, ...] = (1, 2, 3)) -> Members:
    members = Members()
    members.create()
    members.put(partition)
    members.kill(*{1, 2, 3}.difference(alive))
    return members


@pytest.mark.parametrize(
    ("kind", "before", "alive", "expected"),
    [
        (PREFERRED, state([1, 2], leader=2), (1, 2, 3), 1),
        (PREFERRED, state([1, 2], leader=1), (1, 2, 3), ErrorCode.ELECTION_NOT_NEEDED),
        (PREFERRED, state([2, 3], leader=2), (1, 2, 3), ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE),
        (PREFERRED, state([1, 2], leader=2), (2, 3), ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE),
        (UNCLEAN, state([1, 2], leader=2), (1, 2, 3), ErrorCode.ELECTION_NOT_NEEDED),
        (UNCLEAN, state([], [1]), (2, 3), 2),
        (UNCLEAN, state([], [3]), (2, 3), 3),
        (UNCLEAN, state([1], leader=1), (3,), 3),
        (UNCLEAN, state([1], leader=1), (), ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE),
    ],
    ids=[
        "the preferred leader",
        "it leads already",
        "it is not in sync",
        "it is dead",
        "somebody leads",
        "any replica",
        "an eligible one before any other",
        "a dead leader counts as none",
        "nobody is alive",
    ],
)
def test_results_of_requested_elections(
    kind: ElectionType, before: PartitionState, alive: tuple[int, ...], expected: int | ErrorCode
) -> None:
    members = members_with(before, alive=alive)
    epoch = members.partition.leader_epoch
    plan = plan_elect_leaders(members.image, [T0], kind)
    result = plan.result[T0]
    assert members.do(plan)
    if isinstance(expected, ErrorCode):
        assert isinstance(result, Refusal)
        assert result.error == expected
        assert plan.transactions == ()
    else:
        assert isinstance(result, Elected)
        assert (result.leader, result.leader_epoch) == (expected, epoch + 1)
        assert (members.partition.leader, members.partition.leader_epoch) == (expected, epoch + 1)


def test_a_leader_outside_both_sets_is_said_to_be_unclean_and_an_eligible_one_is_not() -> None:
    kinds = [
        plan_elect_leaders(members_with(state([], elr), alive=(2, 3)).image, [T0], UNCLEAN).result[T0]
        for elr in ([1], [3])
    ]
    assert [kind.kind for kind in kinds if isinstance(kind, Elected)] == [ElectionKind.UNCLEAN, ElectionKind.ELIGIBLE]


def test_unknown_partitions_are_refused_one_by_one_and_all_can_be_meant() -> None:
    members = Members()
    members.create(2)
    wishes = [TopicPartition("x", 0), TopicPartition("t", 2), T0]
    results = plan_elect_leaders(members.image, wishes, PREFERRED).result
    errors = [result.error for result in results.values() if isinstance(result, Refusal)]
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert errors == [unknown, unknown, ErrorCode.ELECTION_NOT_NEEDED]
    assert set(plan_elect_leaders(members.image, None, PREFERRED).result) == {T0, TopicPartition("t", 1)}


def test_leaderships_go_back_to_preferred_leaders_who_lack_more_than_the_percentage() -> None:
    members = Members()
    members.create(30)
    members.kill(1)
    members.settle()
    members.start(1)
    assert plan_rebalance_preferred(members.image, BrokerId(2)).result == ()
    for index, partition in enumerate(members.image.topics["t"].partitions):
        assert partition.leader != 1
        members.do(add_to_isr(members, index, 1))
    held = members.image.controller
    assert held is not None
    assert plan_rebalance_preferred(members.image, held.broker_id, 100).result == ()
    assert plan_rebalance_preferred(members.image, BrokerId(3), 10).result == ()
    plan = plan_rebalance_preferred(members.image, held.broker_id, 10)
    assert {elected.leader for elected in plan.result} == {1}
    assert members.do(plan)
    partitions = members.image.topics["t"].partitions
    assert all(partition.leader == partition.replicas[0] for partition in partitions)
    assert members.work() is None


def add_to_isr(members: Members, index: int, broker: int) -> Plan[None] | Refusal:
    partition = members.image.topics["t"].partitions[index]
    joiner = BrokerId(broker)
    return plan_change_isr(
        members.image,
        TOPIC_ID,
        index,
        partition.leader,
        members.broker_epoch(partition.leader),
        isr=(*partition.isr, joiner),
        added={joiner: members.broker_epoch(broker)},
        partition_revision=partition.revision,
    )


# --- the last known


def leaderless(*last_known: int) -> Members:
    members = members_with(state([], last_known=last_known))
    members.take_control(1)
    return members


def ends(members: Members, **logs: tuple[int, int]) -> dict[BrokerId, LogEnd]:
    """Give what brokers answer: b1=(epoch, end)."""
    numbered = {int(name[1:]): log for name, log in logs.items()}
    return {
        BrokerId(broker): LogEnd(LeaderEpoch(epoch), Offset(end), members.broker_epoch(broker))
        for broker, (epoch, end) in numbered.items()
    }


@pytest.mark.parametrize(
    ("logs", "best"),
    [
        ({"b2": (4, 10), "b3": (4, 12)}, 3),
        ({"b2": (5, 3), "b3": (4, 12)}, 2),
        ({"b2": (4, 12), "b3": (4, 12)}, 2),
        ({"b2": (4, 12), "b3": (4, 12), "b1": (4, 13)}, 1),
    ],
    ids=["the longer log", "the later epoch before the longer log", "the first of equals", "one more who answered"],
)
def test_of_the_last_known_the_one_with_the_latest_epoch_and_the_longest_log_leads(
    logs: dict[str, tuple[int, int]], best: int
) -> None:
    members = leaderless(2, 3)
    plan = plan_unclean_recovery(members.image, TOPIC_ID, 0, ends(members, **logs))
    assert isinstance(plan, Plan)
    assert (plan.result.leader, plan.result.kind) == (best, ElectionKind.LAST_KNOWN)
    assert plan.result.kind.may_lose
    assert members.do(plan)
    assert sets(members.partition) == (best, {best}, set())
    assert members.partition.last_known == ()


def test_all_of_the_last_known_must_have_answered() -> None:
    members = leaderless(2, 3)
    refusal = plan_unclean_recovery(members.image, TOPIC_ID, 0, ends(members, b1=(9, 9), b2=(4, 10)))
    assert isinstance(refusal, Refusal)
    assert refusal.error == ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE


def test_an_answer_counts_only_for_the_broker_epoch_that_gave_it() -> None:
    members = leaderless(2, 3)
    answers = ends(members, b2=(4, 10), b3=(4, 12))
    plan = plan_unclean_recovery(members.image, TOPIC_ID, 0, answers)
    members.start(2)
    assert not members.do(plan)
    assert isinstance(plan_unclean_recovery(members.image, TOPIC_ID, 0, answers), Refusal)


@pytest.mark.parametrize(
    "partition",
    [state([1, 2], leader=1), state([], [1], last_known=[2]), state([2], last_known=[3])],
    ids=["led", "somebody is eligible", "somebody is in sync"],
)
def test_the_last_known_are_not_asked_while_anybody_surely_holds_everything(partition: PartitionState) -> None:
    members = members_with(partition)
    members.take_control(1)
    refusal = plan_unclean_recovery(members.image, TOPIC_ID, 0, ends(members, b1=(9, 9), b2=(9, 9), b3=(9, 9)))
    assert isinstance(refusal, Refusal)
    assert refusal.error == ErrorCode.ELECTION_NOT_NEEDED


def test_a_machine_with_all_replicas_that_is_restarted_ends_with_the_last_known() -> None:
    members = Members()
    members.create()
    members.kill(1, 2, 3)
    for broker in (1, 2, 3):
        assert members.start(broker, members.registration(broker, boot="second"))
    members.settle()
    assert sets(members.partition) == (-1, set(), set())
    assert set(members.partition.last_known) == {2, 3}, "the first left a set that still sufficed"
    plan = plan_unclean_recovery(members.image, TOPIC_ID, 0, ends(members, b1=(0, 7), b2=(0, 5), b3=(0, 6)))
    assert members.do(plan)
    assert members.partition.leader == 1
