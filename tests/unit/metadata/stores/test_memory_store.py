"""The memory engine's own means: a clock that is given, handles that are cut off, leases that end when told."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from chronik.metadata.stores.memory.state import MemoryState
from chronik.metadata.stores.memory.store import MemoryStore
from chronik.metadata.stores.port import Delete, Put, StoreUnavailable
from chronik.model.ids import Revision

BOUND_S = 30.0


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now_ms = 5_000

    def __call__(self) -> int:
        return self.now_ms


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, BOUND_S))


def test_lease_ends_when_the_given_clock_has_passed_its_deadline_and_not_before() -> None:
    async def scenario() -> None:
        clock = Clock()
        store = MemoryStore(MemoryState(clock), renews=False)
        lease = await store.lease(1_000)
        await store.transact([], [Put("a", b"", lease.id)])
        assert store.state.next_deadline_ms == lease.deadline_ms == 6_000
        clock.now_ms = 5_999
        store.state.expire_due()
        assert await store.get("a") is not None
        lease.renew()
        assert lease.deadline_ms == 6_999
        clock.now_ms = 6_999
        store.state.expire_due()
        assert await store.get("a") is None
        assert lease.is_lost
        lease.renew()
        assert lease.deadline_ms == 6_999
        assert store.state.next_deadline_ms is None

    run(scenario())


def test_disconnected_handle_renews_nothing_and_learns_of_the_end_when_it_is_back() -> None:
    async def scenario() -> None:
        clock = Clock()
        store = MemoryStore(MemoryState(clock), renews=False)
        sibling = store.sibling()
        lease = await store.lease(1_000)
        await store.transact([], [Put("a", b"", lease.id)])
        store.is_disconnected = True
        with pytest.raises(StoreUnavailable):
            await store.get("a")
        clock.now_ms = 5_500
        lease.renew()
        clock.now_ms = 6_000
        sibling.state.expire_due()
        assert await sibling.get("a") is None
        assert not lease.is_lost
        store.is_disconnected = False
        await lease.lost()

    run(scenario())


def test_leases_that_are_due_end_in_the_order_of_their_deadlines() -> None:
    async def scenario() -> None:
        clock = Clock()
        store = MemoryStore(MemoryState(clock), renews=False)
        for name, ttl_ms in (("late", 3_000), ("early", 1_000)):
            lease = await store.lease(ttl_ms)
            await store.transact([], [Put(name, b"", lease.id)])
        clock.now_ms = 60_000
        store.state.expire_due()
        watch = store.watch(Revision(3))
        assert [(await anext(watch)).changes for _ in range(2)] == [(("early", None),), (("late", None),)]

    run(scenario())


def test_lease_that_is_ended_by_the_test_takes_its_keys_for_every_handle() -> None:
    async def scenario() -> None:
        store = MemoryStore()
        lease = await store.lease(600_000)
        sibling = store.sibling()
        await sibling.transact([], [Put("a", b"", lease.id), Put("b", b"", lease.id), Put("c", b"", lease.id)])
        await sibling.transact([], [Delete("b")])
        store.expire(lease)
        assert (await anext(sibling.watch(Revision(3)))).changes == (("a", None), ("c", None))
        await lease.lost()
        await store.close()

    run(scenario())
