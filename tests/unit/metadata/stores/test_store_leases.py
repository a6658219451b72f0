"""Leases, on every engine: keys that go with their holder, and not before."""

import asyncio
from contextlib import suppress

import pytest

from chronik.metadata.stores.boot_clock import boot_ms
from chronik.metadata.stores.port import ABSENT, ChangeBatch, Committed, Compare, LeaseEndedError, Put, Store
from chronik.model.ids import Revision
from tests.unit.metadata.stores.conftest import Run
from tests.unit.metadata.stores.store_engines import Engine, run_on
from tests.unit.metadata.stores.store_processes import until

LONG_MS = 600_000
SHORT_MS = 5_000
"""Not so short that a machine which stands still ends it."""


async def next_batch(store: Store, revision: int) -> ChangeBatch:
    return await anext(store.watch(Revision(revision)))


def test_all_keys_of_a_revoked_lease_go_in_one_transaction_that_others_see(engine: Engine) -> None:
    async def scenario(holder: Store, other: Store) -> None:
        lease = await holder.lease(LONG_MS)
        await holder.transact([], [Put("b", b"1", lease.id), Put("stays", b"1")])
        await holder.transact([], [Put("a", b"1", lease.id)])
        await lease.revoke()
        batch = await next_batch(other, 3)
        assert batch == (3, (("a", None), ("b", None)))
        assert [entry.key for entry in (await other.range("")).entries] == ["stays"]
        await lease.lost()

    run_on(engine, scenario, 2)


def test_lease_without_keys_ends_without_a_revision(run: Run) -> None:
    async def scenario(store: Store) -> None:
        lease = await store.lease(LONG_MS)
        await lease.revoke()
        await lease.revoke()
        assert await store.transact([], [Put("a", b"1")]) == Committed(Revision(1))

    run(scenario)


def test_key_written_again_without_the_lease_stays_when_the_lease_ends(run: Run) -> None:
    async def scenario(store: Store) -> None:
        first, second = await store.lease(LONG_MS), await store.lease(LONG_MS)
        await store.transact(
            [], [Put("free", b"1", first.id), Put("moved", b"1", first.id), Put("goes", b"1", first.id)]
        )
        await store.transact([], [Put("free", b"2"), Put("moved", b"2", second.id)])
        await first.revoke()
        assert [entry.key for entry in (await store.range("")).entries] == ["free", "moved"]
        await second.revoke()
        assert [entry.key for entry in (await store.range("")).entries] == ["free"]

    run(scenario)


def test_transaction_with_a_lease_that_has_ended_is_refused_and_writes_nothing(run: Run) -> None:
    async def scenario(store: Store) -> None:
        lease = await store.lease(LONG_MS)
        await lease.revoke()
        with pytest.raises(LeaseEndedError):
            await store.transact([], [Put("a", b"1"), Put("b", b"1", lease.id)])
        assert await store.range("") == ((), 0)

    run(scenario)


def test_lease_is_renewed_for_as_long_as_its_holder_lives(run: Run) -> None:
    async def scenario(store: Store) -> None:
        lease = await store.lease(SHORT_MS)
        await store.transact([], [Put("a", b"1", lease.id)])
        assert lease.ttl_ms >= SHORT_MS
        first_ms = lease.deadline_ms
        assert first_ms <= boot_ms() + lease.ttl_ms

        async def is_renewed() -> bool:
            return lease.deadline_ms > first_ms + lease.ttl_ms

        await until(is_renewed)
        assert lease.deadline_ms <= boot_ms() + lease.ttl_ms
        assert await store.get("a") is not None

    run(scenario)


def test_closing_the_store_ends_its_leases_and_not_those_of_others(engine: Engine) -> None:
    async def scenario(one: Store, two: Store) -> None:
        for name, store in (("one", one), ("two", two)):
            lease = await store.lease(LONG_MS)
            await store.transact([], [Put(name, b"", lease.id)])
        await one.close()
        assert (await next_batch(two, 3)).changes == (("one", None),)
        assert await two.get("two") is not None

    run_on(engine, scenario, 2)


def test_of_many_who_want_one_key_on_their_lease_exactly_one_has_it_and_when_it_ends_another(engine: Engine) -> None:
    async def scenario(*stores: Store) -> None:
        leases = [await store.lease(LONG_MS) for store in stores]
        for turn in range(len(stores)):
            outcomes = await asyncio.gather(
                *(
                    store.transact([Compare("controller", ABSENT)], [Put("controller", b"%d" % n, leases[n].id)])
                    for n, store in enumerate(stores)
                )
            )
            winners = [n for n, outcome in enumerate(outcomes) if isinstance(outcome, Committed)]
            assert len(winners) == 1, turn
            entry = await stores[0].get("controller")
            assert entry is not None
            assert entry.value == b"%d" % winners[0]
            await leases[winners[0]].revoke()
            with suppress(LeaseEndedError):
                leases[winners[0]] = await stores[winners[0]].lease(LONG_MS)
            assert await stores[0].get("controller") is None

    run_on(engine, scenario, 3)
