"""The catalog when the store does not answer, has forgotten, or is another: it waits, catches up, or refuses."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest

from chronik.metadata import catalog as catalog_module
from chronik.metadata.catalog import Catalog
from chronik.metadata.image import keys
from chronik.metadata.image.image import Image
from chronik.metadata.stores.memory.state import MemoryState
from chronik.metadata.stores.memory.store import MemoryStore
from chronik.metadata.stores.plan import Plan, Transaction
from chronik.metadata.stores.port import Compare, Put, StoreReplacedError, StoreUnavailable
from chronik.model.ids import ProducerId, Revision

BOUND_S = 30.0

Following = tuple[MemoryStore, Catalog, "asyncio.Task[None]"]
Scenario = Callable[[MemoryStore, Catalog, "asyncio.Task[None]"], Coroutine[Any, Any, None]]


@asynccontextmanager
async def following() -> AsyncIterator[Following]:
    store = MemoryStore()
    await store.transact([], [Put(keys.CLUSTER, keys.encode_cluster("c" * 22))])
    catalog = await Catalog.open(store)
    task = asyncio.ensure_future(catalog.follow())
    try:
        yield store, catalog, task
    finally:
        task.cancel()
        await asyncio.wait([task])


def run(scenario: Scenario) -> None:
    async def main() -> None:
        async with following() as parts:
            await asyncio.wait_for(scenario(*parts), BOUND_S)

    asyncio.run(main())


async def until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110 -- a task of the catalog brings it about, and says so to nobody
        await asyncio.sleep(0.005)


async def other_broker_writes(store: MemoryStore, times: int) -> None:
    sibling = store.sibling()
    for _ in range(times):
        next_id = ProducerId(store.state.revision)
        await sibling.transact([], [Put(keys.PRODUCER_IDS, keys.encode_producer_ids(next_id))])


def take_block(image: Image) -> Plan[None]:
    write = Put(keys.PRODUCER_IDS, keys.encode_producer_ids(ProducerId(1_000)))
    return Plan((Transaction((Compare(keys.PRODUCER_IDS, image.producer_ids.revision),), (write,)),), None)


def test_changes_during_an_outage_arrive_afterwards_one_by_one(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(store: MemoryStore, catalog: Catalog, task: "asyncio.Task[None]") -> None:
        seen: list[Revision] = []
        catalog.subscribe(lambda before, after: seen.append(after.revision))
        store.is_disconnected = True
        await until(lambda: not catalog.is_connected)
        await other_broker_writes(store, 3)
        assert catalog.image.revision == 1
        store.is_disconnected = False
        await catalog.reached(Revision(4))
        assert catalog.is_connected
        assert seen == [2, 3, 4]

    with caplog.at_level(logging.WARNING):
        run(scenario)
    (lost, found) = [record.getMessage() for record in caplog.records]
    assert "does not answer" in lost
    assert "answers again" in found


def test_history_that_was_compacted_during_an_outage_arrives_as_one_difference() -> None:
    async def scenario(store: MemoryStore, catalog: Catalog, task: "asyncio.Task[None]") -> None:
        seen: list[tuple[Revision, Revision]] = []
        catalog.subscribe(lambda before, after: seen.append((before.revision, after.revision)))
        store.is_disconnected = True
        await until(lambda: not catalog.is_connected)
        await other_broker_writes(store, 5)
        await store.sibling().compact(Revision(4))
        store.is_disconnected = False
        await catalog.reached(Revision(6))
        assert seen == [(1, 6)]
        assert catalog.image.producer_ids.next_producer_id == 5
        await other_broker_writes(store, 1)
        await catalog.reached(Revision(7))
        assert seen == [(1, 6), (6, 7)]

    run(scenario)


def test_decision_during_an_outage_has_an_unknown_outcome() -> None:
    async def scenario(store: MemoryStore, catalog: Catalog, task: "asyncio.Task[None]") -> None:
        store.is_disconnected = True
        with pytest.raises(StoreUnavailable):
            await catalog.carry_out(take_block)
        store.is_disconnected = False
        assert await catalog.carry_out(take_block) is None

    run(scenario)


def test_decision_that_is_committed_but_not_seen_in_time_raises_and_is_seen_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(catalog_module, "REACHED_S_MAX", 0.05)

    async def scenario(store: MemoryStore, catalog: Catalog, task: "asyncio.Task[None]") -> None:
        store.is_disconnected = True
        await until(lambda: not catalog.is_connected)
        catalog._store = store.sibling()
        monkeypatch.setattr(catalog._store, "watch", store.watch)
        monkeypatch.setattr(catalog._store, "range", store.range)
        with pytest.raises(StoreUnavailable, match="not seen"):
            await catalog.carry_out(take_block)
        store.is_disconnected = False
        await catalog.reached(Revision(2))

    run(scenario)


@pytest.mark.parametrize("revision", [1, 9], ids=["older", "newer"])
@pytest.mark.parametrize("is_compacted", [False, True])
def test_store_of_another_cluster_that_appears_after_an_outage_is_refused(revision: int, is_compacted: bool) -> None:
    async def scenario(store: MemoryStore, catalog: Catalog, task: "asyncio.Task[None]") -> None:
        await other_broker_writes(store, 3)
        await catalog.reached(Revision(4))
        store.is_disconnected = True
        await until(lambda: not catalog.is_connected)
        other = MemoryState()
        for _ in range(revision):
            other.transact([], [Put(keys.CLUSTER, keys.encode_cluster("d" * 22))])
        if is_compacted:
            other.compact(Revision(revision))
        store.state = other
        store.is_disconnected = False
        with pytest.raises(StoreReplacedError, match="but the broker knows revision"):
            await task
        assert catalog.image.revision == 4

    run(scenario)


def test_older_copy_of_the_store_that_appears_after_an_outage_is_refused() -> None:
    async def scenario(store: MemoryStore, catalog: Catalog, task: "asyncio.Task[None]") -> None:
        older = MemoryState()
        older.transact([], [Put(keys.CLUSTER, keys.encode_cluster("c" * 22))])
        await other_broker_writes(store, 3)
        await catalog.reached(Revision(4))
        store.is_disconnected = True
        await until(lambda: not catalog.is_connected)
        store.state = older
        store.is_disconnected = False
        with pytest.raises(StoreReplacedError, match="revision 4"):
            await task

    run(scenario)


def test_closed_store_ends_the_following_also_during_an_outage() -> None:
    async def scenario(store: MemoryStore, catalog: Catalog, task: "asyncio.Task[None]") -> None:
        store.is_disconnected = True
        await until(lambda: not catalog.is_connected)
        await store.close()
        await task

    run(scenario)
