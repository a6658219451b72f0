"""The controller's duty: one broker has it, does it until nothing is left, and another takes it up untold."""

import asyncio
from typing import Any

import pytest

from chronik.metadata.decisions.elections import (
    ElectionRules,
)
from chronik.metadata.decisions.isr import (
    plan_change_isr,
)
from chronik.metadata.image.image import Image
from chronik.metadata.stores.plan import (
    Plan,
    Refusal,
)
from chronik.metadata.stores.port import Delete, StoreUnavailable
from chronik.model.ids import NO_BROKER, BrokerId
from chronik.server.cluster import controller as controller_duty
from chronik.server.cluster.controller import ControllerRules
from chronik.server.views.cluster import controller_of
from tests.unit.server.cluster_cases import Node, bounded, cluster, partition, until


async def test_exactly_one_of_several_brokers_is_the_controller_and_all_know_which() -> None:
    async with cluster() as made:
        nodes = await made.started(1, 2, 3)
        await until(lambda: len({controller_of(node.image) for node in nodes}) == 1)
        assert [node.duty.is_controller for node in nodes].count(True) == 1


async def test_when_the_controller_goes_another_takes_over() -> None:
    async with cluster() as made:
        nodes = await made.started(1, 2, 3)
        await until(lambda: all(controller_of(node.image) != NO_BROKER for node in nodes))
        first = controller_of(nodes[0].image)
        rest = [node for node in nodes if node.id != first]
        await next(node for node in nodes if node.id == first).stop()
        await until(lambda: all(controller_of(node.image) in {rest[0].id, rest[1].id} for node in rest))


async def test_a_dead_leader_is_replaced_and_leaves_the_in_sync_set_in_one_step() -> None:
    async with cluster() as made:
        one, two, three = await made.started(1, 2, 3)
        await made.topic(1, 2, 3)
        await until(lambda: "t" in two.image.topics)
        seen = []
        two.catalog.subscribe(lambda before, after: seen.append(after.topics["t"].partitions[0]))
        await one.stop()
        await until(lambda: partition(three).leader in (2, 3))
        await until(lambda: partition(two).leader in (2, 3))
        states = {(state.leader, state.isr) for state in seen}
        assert states == {(1, (1, 2, 3)), (2, (2, 3))}
        assert partition(two).leader_epoch == 1


async def test_a_dead_follower_leaves_the_in_sync_set() -> None:
    async with cluster() as made:
        one, _, three = await made.started(1, 2, 3)
        await made.topic(1, 2, 3)
        await three.stop()
        await until(lambda: partition(one).isr == (1, 2))
        assert partition(one).leader_epoch == 0


async def test_controller_and_leader_that_die_together_are_both_replaced() -> None:
    async with cluster() as made:
        nodes = await made.started(1, 2, 3)
        await until(lambda: controller_of(nodes[2].image) != NO_BROKER)
        first = controller_of(nodes[2].image)
        others = sorted({1, 2, 3} - {first})
        await made.topic(first, *others)
        gone, kept = by_id(nodes, first), by_id(nodes, others[0])
        await until(lambda: "t" in kept.image.topics)
        await gone.stop()
        await until(lambda: partition(kept).leader == others[0] and controller_of(kept.image) in others)


async def test_a_partition_without_a_leader_gets_one_when_an_eligible_member_comes_back() -> None:
    async with cluster() as made:
        one, two = await made.started(1, 2)
        await made.topic(2)
        await until(lambda: "t" in one.image.topics)
        await two.stop()
        await until(lambda: partition(one).leader == NO_BROKER)
        await (await made.node(2)).join()
        await until(lambda: partition(one).leader == 2)


async def test_no_unclean_leader_is_elected_unless_the_rules_allow_it() -> None:
    async with cluster() as made:
        one, two = await made.started(1, 2)
        await made.topic(2, 1)
        await change_isr(two, (two.id,))
        await two.stop()
        await until(lambda: partition(one).leader == NO_BROKER)
        await one.halt()
        bold = (await (await made.node(1)).join()).serve(ControllerRules(ElectionRules(unclean_election=True)))
        await until(lambda: partition(bold).leader == 1)


@pytest.mark.parametrize("is_rebalancing", [True, False])
async def test_leaderships_go_back_to_the_preferred_replicas_in_time_if_that_is_wished(is_rebalancing: bool) -> None:
    async with cluster() as made:
        one, two = await (await made.node(1)).join(), await (await made.node(2)).join()
        two.serve(ControllerRules(ElectionRules(), is_rebalancing, rebalance_interval_s=0.02, imbalance_percent_max=0))
        await made.topic(1, 2)
        one.expire()
        await until(lambda: one.lost == 1 and one.membership.lease is not None)
        await until(lambda: partition(two).leader == 2 and one.id in two.image.brokers)
        if 1 not in partition(two).isr:
            await change_isr(two, (two.id, one.id))
        rebalancing = asyncio.ensure_future(two.duty.rebalance())
        two.tasks.append(rebalancing)
        if is_rebalancing:
            await until(lambda: partition(two).leader == 1)
        else:
            await bounded(rebalancing)
            assert partition(two).leader == 2


async def test_work_goes_on_after_an_outage_of_the_store() -> None:
    async with cluster() as made:
        nodes = await made.started(1, 2, 3)
        await until(lambda: all(controller_of(node.image) != NO_BROKER for node in nodes))
        controller = by_id(nodes, controller_of(nodes[0].image))
        other, victim = (node for node in nodes if node is not controller)
        await made.topic(victim.id, other.id, controller.id)
        await until(lambda: all("t" in node.image.topics for node in nodes))
        controller.store.is_disconnected = True
        await victim.stop()
        await until(lambda: victim.id not in other.image.brokers)
        assert partition(other).leader == victim.id, "a lease that holds keeps its office"
        controller.store.is_disconnected = False
        await until(lambda: partition(other).leader == other.id)


async def test_work_that_the_store_did_not_answer_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(controller_duty, "RETRY_S", 0.001)
    async with cluster() as made:
        node = await (await made.node(1)).join()
        carry_out = node.catalog.carry_out
        failures = 3

        async def failing(decide: Any) -> Any:
            nonlocal failures
            failures -= 1
            if failures >= 0:
                raise StoreUnavailable("no answer")
            return await carry_out(decide)

        monkeypatch.setattr(node.catalog, "carry_out", failing)
        node.serve()
        await until(lambda: node.duty.is_controller)
        assert failures < 0


async def test_an_office_that_was_taken_away_is_taken_again() -> None:
    async with cluster() as made:
        (one,) = await made.started(1)
        await until(lambda: one.duty.is_controller)
        created = one.image.controller
        made.store.state.transact([], [Delete("controller")])
        await until(lambda: one.image.controller not in (None, created))


async def test_who_is_not_a_member_does_not_take_the_office() -> None:
    async with cluster() as made:
        node = await made.node(1)
        node.member()
        node.serve()
        for _ in range(20):
            await asyncio.sleep(0)
        assert node.image.controller is None


def by_id(nodes: list[Node], broker_id: int) -> Node:
    return next(node for node in nodes if node.id == broker_id)


async def change_isr(leader: Node, isr: tuple[BrokerId, ...]) -> None:
    """Let a leader change its in-sync set, as when followers lag or have caught up."""
    state = partition(leader)

    def decide(image: Image) -> Plan[None] | Refusal:
        added = {member: image.brokers[member].broker_epoch for member in isr if member not in state.isr}
        broker_epoch = image.brokers[leader.id].broker_epoch
        topic_id, revision = image.topics["t"].id, state.revision
        return plan_change_isr(
            image, topic_id, 0, leader.id, broker_epoch, isr=isr, added=added, partition_revision=revision
        )

    assert await leader.catalog.carry_out(decide) is None
