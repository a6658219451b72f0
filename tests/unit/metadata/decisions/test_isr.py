"""A leader's changes of its in-sync set: guarded by what it saw, and never decided again for it."""

from collections.abc import Callable, Mapping

import pytest

from chronik.metadata.decisions.brokers import plan_controlled_shutdown
from chronik.metadata.decisions.isr import (
    plan_change_isr,
    plan_rewrite_unchanged,
)
from chronik.metadata.decisions.partition_changes import has_broker_epoch
from chronik.metadata.decisions.topics import (
    plan_delete_topics,
)
from chronik.metadata.stores.plan import (
    Plan,
    Refusal,
)
from chronik.metadata.stores.port import Compare
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerEpoch, BrokerId, Revision
from tests.unit.metadata.decisions.member_cases import TOPIC_ID, Members, ids, sets, state

ONE = BrokerId(1)


def members_with(isr: tuple[int, ...], elr: tuple[int, ...] = ()) -> Members:
    members = Members()
    members.create()
    members.put(state(isr, elr, leader=1))
    return members


def change(
    members: Members,
    isr: tuple[int, ...],
    added: Mapping[int, int] | None = None,
    *,
    broker_epoch: int | None = None,
    revision: int | None = None,
) -> Plan[None] | Refusal:
    joining = set(isr) - set(members.partition.isr)
    carried = {broker: int(members.broker_epoch(broker)) for broker in joining} if added is None else added
    return plan_change_isr(
        members.image,
        TOPIC_ID,
        0,
        ONE,
        BrokerEpoch(members.broker_epoch(1) if broker_epoch is None else broker_epoch),
        isr=ids(*isr),
        added={BrokerId(broker): BrokerEpoch(fetched_by) for broker, fetched_by in carried.items()},
        partition_revision=Revision(members.partition.revision if revision is None else revision),
    )


@pytest.mark.parametrize(
    ("isr", "elr", "proposed", "eligible"),
    [
        ((1, 2), (), (1, 2, 3), set()),
        ((1, 2, 3), (), (1, 3), set()),
        ((1, 2), (), (1,), {2}),
        ((1,), (2, 3), (1, 3), set()),
    ],
    ids=["one joins", "one leaves", "one leaves and stays eligible", "back at the minimum, nobody is eligible"],
)
def test_a_proposed_set_is_written_with_who_is_eligible_besides(
    isr: tuple[int, ...], elr: tuple[int, ...], proposed: tuple[int, ...], eligible: set[int]
) -> None:
    members = members_with(isr, elr)
    before = members.partition
    assert members.do(change(members, proposed))
    after = members.partition
    assert sets(after) == (1, set(proposed), eligible)
    assert (after.leader_epoch, after.partition_epoch) == (before.leader_epoch, before.partition_epoch + 1)


def test_a_change_compares_the_partition_the_leader_and_the_fetching_broker_epoch_of_who_joins() -> None:
    members = members_with((1, 2))
    plan = change(members, (1, 2, 3))
    assert isinstance(plan, Plan)
    three = BrokerId(3)
    assert set(plan.transactions[0].compares) == {
        Compare(f"partitions/{TOPIC_ID}/0", members.partition.revision),
        has_broker_epoch(ONE, members.broker_epoch(1)),
        has_broker_epoch(three, members.broker_epoch(3)),
        Compare("hosts/3", members.image.hosts[three].revision),
    }


def moved(members: Members) -> None:
    members.put(state([1, 2], leader=1))


def leader_again(members: Members) -> None:
    members.start(1)


def joiner_again(members: Members) -> None:
    members.start(3)


def joiner_gone(members: Members) -> None:
    members.kill(3)


def joiner_stopping(members: Members) -> None:
    assert members.do(plan_controlled_shutdown(members.image, BrokerId(3)))


@pytest.mark.parametrize(
    ("happens", "error"),
    [
        (moved, ErrorCode.INVALID_UPDATE_VERSION),
        (leader_again, ErrorCode.INVALID_UPDATE_VERSION),
        (joiner_again, ErrorCode.INELIGIBLE_REPLICA),
        (joiner_gone, ErrorCode.INELIGIBLE_REPLICA),
        (joiner_stopping, ErrorCode.INELIGIBLE_REPLICA),
    ],
)
def test_a_concurrent_change_stops_the_write_and_the_next_decision_is_refused(
    happens: Callable[[Members], None], error: ErrorCode
) -> None:
    members = members_with((1, 2))
    revision, broker_epoch = members.partition.revision, members.broker_epoch(1)
    carried = {3: int(members.broker_epoch(3))}
    on_its_way = change(members, (1, 2, 3), carried)
    happens(members)
    assert not members.do(on_its_way)
    again = change(members, (1, 2, 3), carried, revision=revision, broker_epoch=broker_epoch)
    assert isinstance(again, Refusal)
    assert again.error == error


def test_a_wiped_follower_is_not_taken_in_on_the_offset_of_its_old_broker_epoch() -> None:
    members = members_with((1, 2))
    carried = {3: int(members.broker_epoch(3))}
    members.start(3, members.registration(3, "wiped"))
    refusal = change(members, (1, 2, 3), carried)
    assert isinstance(refusal, Refusal)
    assert refusal.error == ErrorCode.INELIGIBLE_REPLICA


def test_an_older_broker_epoch_of_the_leader_changes_nothing() -> None:
    members = members_with((1, 2))
    old = members.broker_epoch(1)
    members.put(state([1], leader=1))
    members.start(1)
    refusal = change(members, (1,), broker_epoch=old)
    assert isinstance(refusal, Refusal)
    assert refusal.error == ErrorCode.STALE_BROKER_EPOCH


def test_who_does_not_lead_changes_nothing() -> None:
    members = members_with((1, 2))
    members.put(state([1, 2], leader=2))
    refusal = change(members, (1, 2))
    assert isinstance(refusal, Refusal)
    assert refusal.error == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_partition_that_is_gone_is_said_to_be_unknown() -> None:
    members = members_with((1, 2))
    revision = members.partition.revision
    members.do(plan_delete_topics(members.image, [TOPIC_ID]))
    refusal = plan_rewrite_unchanged(
        members.image, TOPIC_ID, 0, ONE, members.broker_epoch(1), partition_revision=revision
    )
    assert isinstance(refusal, Refusal)
    assert refusal.error == ErrorCode.UNKNOWN_TOPIC_ID


def test_rewriting_the_unchanged_state_keeps_an_older_change_from_passing() -> None:
    members = members_with((1, 2))
    before = members.partition
    on_its_way = change(members, (1, 2, 3))
    rewrite = plan_rewrite_unchanged(
        members.image, TOPIC_ID, 0, ONE, members.broker_epoch(1), partition_revision=before.revision
    )
    assert members.do(rewrite)
    assert not members.do(on_its_way)
    assert members.partition.state == before.state._replace(partition_epoch=members.partition.partition_epoch)
    assert members.partition.revision > before.revision
