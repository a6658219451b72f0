"""Moving replicas: the old stay until all of the new are in sync, and a wish can be taken back at any time."""

from collections.abc import Sequence

import pytest

from chronik.metadata.decisions.isr import (
    plan_change_isr,
)
from chronik.metadata.decisions.reassignments import (
    OngoingReassignment,
    ReassignmentRequest,
    list_reassignments,
    plan_reassign,
)
from chronik.metadata.decisions.topics import (
    NewPartitions,
    plan_create_partitions,
)
from chronik.metadata.stores.plan import (
    Plan,
    Refusal,
)
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, TopicPartition
from tests.unit.metadata.decisions.member_cases import TOPIC_ID, Members, ids, sets, state

T0 = TopicPartition("t", 0)


def six_with(replicas: Sequence[int] = (1, 2, 3), *, min_insync: int = 2) -> Members:
    members = Members(6, min_insync=min_insync)
    members.create(factor=len(replicas))
    assert members.partition.replicas == ids(*replicas)
    return members


def reassign(members: Members, *replicas: int) -> Refusal | None:
    return asked(members, ids(*replicas))


def cancel(members: Members) -> Refusal | None:
    return asked(members, None)


def asked(members: Members, replicas: Sequence[BrokerId] | None) -> Refusal | None:
    plan = plan_reassign(members.image, [ReassignmentRequest(T0, replicas)])
    assert members.do(plan)
    return plan.result[T0]


def caught_up(members: Members, *brokers: int) -> None:
    """Let the leader take followers in."""
    for broker in brokers:
        partition = members.partition
        plan = plan_change_isr(
            members.image,
            TOPIC_ID,
            0,
            partition.leader,
            members.broker_epoch(partition.leader),
            isr=(*partition.isr, BrokerId(broker)),
            added={BrokerId(broker): members.broker_epoch(broker)},
            partition_revision=partition.revision,
        )
        assert members.do(plan)


def moving(members: Members) -> tuple[tuple[int, ...], set[int], set[int]]:
    partition = members.partition
    return partition.replicas, set(partition.adding), set(partition.removing)


def test_added_replicas_join_the_removed_ones_and_no_member_leaves_the_isr() -> None:
    members = six_with()
    before = members.partition
    assert reassign(members, 4, 5, 6) is None
    assert moving(members) == ((4, 5, 6, 1, 2, 3), {4, 5, 6}, {1, 2, 3})
    assert sets(members.partition) == (1, {1, 2, 3}, set())
    assert members.partition.leader_epoch == before.leader_epoch + 1, "a term knows its replicas"
    assert list(list_reassignments(members.image)) == [
        OngoingReassignment(T0, ids(4, 5, 6, 1, 2, 3), ids(4, 5, 6), ids(1, 2, 3))
    ]


def test_the_controller_finishes_when_all_who_come_are_in_sync_and_not_before() -> None:
    members = six_with()
    reassign(members, 4, 5, 6)
    caught_up(members, 4, 5)
    members.settle()
    assert moving(members)[1] == {4, 5, 6}
    caught_up(members, 6)
    (report,) = members.settle()
    assert report.reassigned == (T0,)
    assert moving(members) == (ids(4, 5, 6), set(), set())
    assert sets(members.partition) == (4, {4, 5, 6}, set())
    assert list(list_reassignments(members.image)) == []


def test_a_leader_that_stays_goes_on_leading() -> None:
    members = six_with()
    reassign(members, 4, 1)
    caught_up(members, 4)
    members.settle()
    assert moving(members) == (ids(4, 1), set(), set())
    assert sets(members.partition) == (1, {4, 1}, set())


def test_another_order_of_the_same_replicas_takes_effect_at_once_and_ends_no_term() -> None:
    members = six_with()
    before = members.partition
    assert reassign(members, 3, 1, 2) is None
    assert moving(members) == (ids(3, 1, 2), set(), set())
    assert members.partition.leader_epoch == before.leader_epoch


def test_fewer_replicas_are_had_at_once_if_enough_are_in_sync() -> None:
    members = six_with()
    reassign(members, 1, 3)
    assert moving(members) == (ids(1, 3), set(), set())
    assert sets(members.partition) == (1, {1, 3}, set())


def test_a_partition_that_gets_more_replicas_does_not_stand_still_meanwhile() -> None:
    members = six_with((1,))
    reassign(members, 1, 2, 3)
    assert members.partition.required_in_sync == 1
    assert sets(members.partition) == (1, {1}, set())
    caught_up(members, 2)
    members.settle()
    assert members.partition.required_in_sync == 1
    caught_up(members, 3)
    members.settle()
    assert (members.partition.replicas, members.partition.required_in_sync) == (ids(1, 2, 3), 2)


def test_a_reassignment_never_leaves_committed_records_on_fewer_brokers_than_promised() -> None:
    members = six_with((1, 2, 3))
    members.kill(1)
    members.settle()
    members.start(1)
    reassign(members, 1, 4)
    caught_up(members, 4)
    members.settle()
    assert moving(members)[2] == {2, 3}, "without 2 and 3 only 4 would be left"
    caught_up(members, 1)
    members.settle()
    assert moving(members) == (ids(1, 4), set(), set())


def test_a_cancelled_reassignment_restores_the_replicas_of_before() -> None:
    members = six_with()
    reassign(members, 4, 5, 6)
    assert cancel(members) is None
    assert moving(members) == (ids(1, 2, 3), set(), set())
    assert sets(members.partition) == (1, {1, 2, 3}, set())


def test_an_added_replica_in_sync_leaves_a_cancelled_reassignment_when_that_is_safe() -> None:
    members = six_with()
    reassign(members, 4, 5, 6)
    caught_up(members, 4)
    members.kill(1, 2)
    members.settle()
    cancel(members)
    assert moving(members) == (ids(1, 2, 3, 4), set(), {4}), "3 alone is too few"
    members.start(1)
    members.settle()
    caught_up(members, 1)
    members.settle()
    assert moving(members) == (ids(1, 2, 3), set(), set())
    assert sets(members.partition)[1] == {1, 3}


def test_an_added_replica_that_may_have_most_records_stays_after_a_cancellation() -> None:
    members = six_with((1,))
    reassign(members, 2)
    members.put(state([2], leader=2, replicas=(2, 1), adding=(2,), removing=(1,)))
    members.start(2, members.registration(2, "new"))
    assert members.partition.last_known == (2,)
    cancel(members)
    assert moving(members) == (ids(1, 2), set(), {2})
    assert members.partition.last_known == (2,)


def test_another_request_starts_from_the_replicas_of_before() -> None:
    members = six_with()
    reassign(members, 4, 5, 6)
    caught_up(members, 4)
    reassign(members, 1, 2, 5)
    assert moving(members) == (ids(1, 2, 5, 3, 4), {5}, {3, 4})
    caught_up(members, 5)
    members.settle()
    assert moving(members) == (ids(1, 2, 5), set(), set())


def test_the_same_request_again_changes_nothing() -> None:
    members = six_with()
    reassign(members, 4, 5, 6)
    revision = members.partition.revision
    assert reassign(members, 4, 5, 6) is None
    assert members.partition.revision == revision


@pytest.mark.parametrize(
    ("replicas", "error"),
    [
        (ids(), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (ids(1, 1), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (ids(1, 9), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (None, ErrorCode.NO_REASSIGNMENT_IN_PROGRESS),
    ],
    ids=["nobody", "one twice", "not registered", "nothing to take back"],
)
def test_what_cannot_be_is_refused(replicas: Sequence[BrokerId] | None, error: ErrorCode) -> None:
    refusal = asked(six_with(), replicas)
    assert refusal is not None
    assert refusal.error == error


def test_unknown_and_repeated_partitions_are_refused_and_the_others_agreed_to() -> None:
    members = six_with()
    wishes = [ReassignmentRequest(where, ids(4)) for where in (TopicPartition("x", 0), TopicPartition("t", 1), T0)]
    results = plan_reassign(members.image, wishes).result
    assert [None if result is None else result.error for result in results.values()] == [
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        None,
    ]
    twice = plan_reassign(members.image, [wishes[2], wishes[2]]).result[T0]
    assert twice is not None


def test_another_replication_factor_may_be_forbidden() -> None:
    members = six_with()
    wish = [ReassignmentRequest(T0, ids(1, 2))]
    refusal = plan_reassign(members.image, wish, allow_replication_factor_change=False).result[T0]
    assert refusal is not None
    assert refusal.error == ErrorCode.INVALID_REPLICATION_FACTOR


def test_new_partitions_of_a_topic_get_as_many_replicas_as_it_will_have() -> None:
    members = six_with()
    reassign(members, 4, 5, 6)
    plan = plan_create_partitions(members.image, NewPartitions("t", 2), members.cluster_rules)
    assert isinstance(plan, Plan)
    assert members.do(plan)
    assert len(members.image.topics["t"].partitions[1].replicas) == 3
