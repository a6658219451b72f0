"""Membership: who is registered is alive, and whoever lost that ends its terms before it seeks it again."""

import asyncio

import pytest

from chronik.metadata.stores.boot_clock import boot_ms
from chronik.metadata.stores.port import StoreUnavailable
from chronik.model.ids import NO_BROKER
from chronik.server.cluster import membership
from chronik.server.cluster.membership import DuplicateBrokerError
from tests.unit.server.cluster_cases import Cluster, bounded, cluster, partition, until


async def test_a_broker_that_joined_is_seen_by_all_and_goes_with_its_lease() -> None:
    async with cluster() as made:
        one, two = await made.started(1, 2)
        await until(lambda: set(one.image.brokers) == set(two.image.brokers) == {1, 2})
        await two.stop()
        await until(lambda: set(one.image.brokers) == {1})


async def test_who_lost_its_lease_ends_its_terms_and_registers_anew_as_another_broker_epoch() -> None:
    async with cluster() as made:
        one, two = await made.started(1, 2)
        before = two.membership.broker_epoch
        two.expire()
        await until(lambda: two.membership.broker_epoch not in (None, before))
        assert two.lost == 1
        await until(lambda: one.image.brokers[two.id].broker_epoch == two.membership.broker_epoch)


async def test_terms_end_before_the_broker_registers_anew() -> None:
    async with cluster() as made:
        (one,) = await made.started(1)
        seen: list[bool] = []
        one.membership.on_lost = lambda: seen.append(one.id in one.image.brokers or one.membership.lease is not None)
        one.expire()
        await until(lambda: one.membership.lease is not None and bool(seen))
        assert seen == [False]


async def test_nobody_acknowledges_alone_past_the_deadline_of_its_lease_or_without_one() -> None:
    async with cluster() as made:
        node = await made.node(1)
        member = node.member()
        assert not member.may_acknowledge_alone()
        await member.join()
        assert member.may_acknowledge_alone()
        assert member.lease is not None
        member.lease.deadline_ms = boot_ms() - 1  # type: ignore[misc]
        assert not member.may_acknowledge_alone()


async def test_an_outage_of_the_store_ends_no_term_before_the_lease_is_known_to_have_ended() -> None:
    async with cluster() as made:
        one, two = await made.started(1, 2)
        two.store.is_disconnected = True
        two.expire()
        await until(lambda: two.id not in one.image.brokers)
        assert two.lost == 0
        two.store.is_disconnected = False
        await until(lambda: two.lost == 1 and two.membership.lease is not None)


async def test_registering_anew_is_tried_until_the_store_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(membership, "RETRY_S", 0.001)
    async with cluster() as made:
        (one,) = await made.started(1)
        failures = 3
        lease = one.store.lease

        async def failing(ttl_ms: int) -> object:
            nonlocal failures
            failures -= 1
            if failures >= 0:
                raise StoreUnavailable("no answer")
            return await lease(ttl_ms)

        monkeypatch.setattr(one.store, "lease", failing)
        one.expire()
        await until(lambda: one.membership.lease is not None and one.lost == 1)
        assert failures == -1


async def test_a_lease_that_ends_while_its_broker_registers_is_replaced_by_another() -> None:
    async with cluster() as made:
        node = await made.node(1)
        member = node.member()
        lease = node.store.lease
        granted = []

        async def ending_once(ttl_ms: int) -> object:
            granted.append(await lease(ttl_ms))
            if len(granted) == 1:
                node.store.state.end(granted[0].id)
            return granted[-1]

        node.store.lease = ending_once  # type: ignore[assignment, method-assign]
        await bounded(member.join())
        assert len(granted) == 2
        assert member.may_acknowledge_alone()


async def test_a_restart_of_the_same_directory_takes_its_own_place_at_once() -> None:
    async with cluster() as made:
        (one,) = await made.started(1)
        await one.halt()
        again = await made.node(1)
        await bounded(again.join())
        assert again.membership.broker_epoch != one.membership.broker_epoch


async def test_another_broker_of_the_same_id_is_refused_while_the_first_lives() -> None:
    async with cluster() as made:
        (one,) = await made.started(1)
        other = (await made.node(1)).member(directory="elsewhere", session_ms=100)
        with pytest.raises(DuplicateBrokerError, match=r"broker 1 also runs at 127\.0\.0\.1:9001"):
            await bounded(other.join())
        assert one.lost == 0


async def test_another_directory_takes_the_place_of_a_broker_that_is_gone() -> None:
    async with cluster() as made:
        (one,) = await made.started(1)
        other = (await made.node(1)).member(directory="elsewhere")
        joining = asyncio.ensure_future(other.join())
        await one.stop()
        await bounded(joining)
        assert other.may_acknowledge_alone()


async def test_whose_place_was_taken_by_another_directory_stops_with_the_reason() -> None:
    async with cluster() as made:
        one = await (await made.node(1)).join(session_ms=100)
        taker = await made.node(1)
        one.expire()
        taker.member(directory="elsewhere")
        one.store.is_disconnected = True
        await bounded(taker.membership.join())
        one.store.is_disconnected = False
        with pytest.raises(DuplicateBrokerError):
            await bounded(one.tasks[1])


async def test_whose_place_was_taken_hands_over_nothing_of_what_the_other_leads() -> None:
    async with cluster() as made:
        one = await (await made.node(1)).join(session_ms=100)
        two = await (await made.node(2)).join()
        await one.stop()
        taker = await (await made.node(1)).join(directory="elsewhere")
        await made.topic(1, 2)
        await taker.halt()
        late = await made.node(1)
        late.member()
        late.membership._core.broker_epoch = one.membership.broker_epoch
        await bounded(late.membership.hand_over())
        assert partition(two).leader == 1
        assert not two.image.hosts[one.id].is_stopping


# --- lossy restarts


async def restarted(made: Cluster, number: int, **how: str) -> None:
    node = next(node for node in made.nodes if node.id == number)
    await node.stop()
    await (await made.node(number)).join(**how)


@pytest.mark.parametrize("how", [{"directory": "wiped"}, {"boot": "another boot"}])
async def test_who_may_have_lost_its_tail_has_left_every_set_before_it_serves(how: dict[str, str]) -> None:
    async with cluster() as made:
        one, _ = await made.started(1, 2)
        await made.topic(1, 2)
        await restarted(made, 2, **how)
        assert partition(made.nodes[-1]).isr == (1,)
        assert not made.nodes[-1].image.hosts[made.nodes[-1].id].is_lossy
        assert one.image.topics["t"].partitions[0].leader == 1


async def test_a_process_that_was_killed_loses_nothing_and_stays_in_sync() -> None:
    async with cluster() as made:
        await (await made.node(1)).join()
        await made.topic(1)
        await restarted(made, 1)
        assert partition(made.nodes[-1]).isr == (1,)
        assert partition(made.nodes[-1]).leader == 1


async def test_where_every_append_is_flushed_a_restart_of_the_machine_loses_nothing() -> None:
    async with cluster() as made:
        await (await made.node(1)).join()
        await made.topic(1)
        await made.nodes[0].stop()
        again = await (await made.node(1)).join(boot="another boot", flushes_every_append=True)
        assert partition(again).leader == 1


async def test_a_topic_that_is_flushed_less_often_makes_a_restart_of_the_machine_lossy() -> None:
    async with cluster() as made:
        await (await made.node(1)).join()
        await made.topic(1, configs={"flush.messages": "100"})
        await made.nodes[0].stop()
        again = await (await made.node(1)).join(boot="another boot", flushes_every_append=True)
        assert (partition(again).leader, partition(again).isr) == (NO_BROKER, ())
        assert partition(again).last_known == (1,)


async def test_a_lease_lost_in_the_living_process_is_not_a_lossy_restart() -> None:
    async with cluster() as made:
        (one,) = await made.started(1)
        await made.topic(1)
        one.expire()
        await until(lambda: one.lost == 1 and one.membership.lease is not None)
        await until(lambda: partition(one).leader == 1)
        assert partition(one).isr == (1,)


async def test_damage_that_was_found_makes_the_broker_leave_all_sets_and_register_anew() -> None:
    async with cluster() as made:
        # Without a controller, which would take it for dead meanwhile.
        one, two = await (await made.node(1)).join(), await (await made.node(2)).join()
        await made.topic(1, 2)
        before = two.membership.broker_epoch
        two.membership.report_damage("t-0 was cut at 5")
        await until(lambda: two.membership.broker_epoch not in (None, before))
        assert two.lost == 1
        await until(lambda: partition(one).isr == (1,))


# --- going in order


async def test_who_hands_over_leads_nothing_and_is_in_no_set_but_where_it_is_alone() -> None:
    async with cluster() as made:
        one, two = await made.started(1, 2)
        await made.topic(1, 2)
        await made.topic(1, name="alone")
        await one.membership.hand_over()
        assert (partition(one).leader, partition(one).isr) == (2, (2,))
        assert (partition(one, "alone").leader, partition(one, "alone").isr) == (1, (1,))
        assert one.lost == 0
        assert two.membership.may_acknowledge_alone()


async def test_handing_over_ends_in_time_where_the_store_does_not_answer() -> None:
    async with cluster() as made:
        node = await made.node(1)
        await node.join(controlled_shutdown_s_max=0.05)
        node.store.is_disconnected = True
        await bounded(node.membership.hand_over())
        await node.halt()
        node.store.is_disconnected = False
        await bounded(node.membership.hand_over())


async def test_who_is_not_registered_has_nothing_to_hand_over() -> None:
    async with cluster() as made:
        node = await made.node(1)
        await bounded(node.member().hand_over())
        assert not node.image.hosts
