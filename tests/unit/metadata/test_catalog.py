"""The catalog: decisions are carried out against the newest image, and everybody sees the same changes."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from uuid import UUID

import pytest

from chronik.metadata import catalog as catalog_module
from chronik.metadata.catalog import Catalog
from chronik.metadata.decisions.brokers import (
    Registered,
    plan_producer_id_block,
    plan_register_broker,
)
from chronik.metadata.decisions.topics import (
    ClusterRules,
    TopicRequest,
    plan_create_topics,
)
from chronik.metadata.image.image import Image
from chronik.metadata.image.keys import Endpoint, Registration
from chronik.metadata.stores.memory.store import MemoryStore
from chronik.metadata.stores.plan import (
    Plan,
    Refusal,
    Transaction,
)
from chronik.metadata.stores.port import Compare, Put, Store, StoreError
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, Revision

BOUND_S = 30.0


@asynccontextmanager
async def following(store: Store) -> AsyncIterator[Catalog]:
    catalog = await Catalog.open(store)
    task = asyncio.ensure_future(catalog.follow())
    try:
        yield catalog
    finally:
        task.cancel()
        await asyncio.wait([task])


def register(broker: int) -> Callable[[Image], Plan[Registered]]:
    registration = Registration(BrokerId(broker), (Endpoint("PLAINTEXT", "localhost", 9092),))
    return lambda image: plan_register_broker(image, registration, "x" * 22, None, flushes_every_append=False)


async def in_time(scenario: "asyncio.Future[None] | object") -> None:
    await asyncio.wait_for(scenario, BOUND_S)  # type: ignore[arg-type]


def test_when_a_decision_returns_the_image_shows_it() -> None:
    async def scenario() -> None:
        async with following(MemoryStore()) as catalog:
            await catalog.carry_out(register(1))
            assert set(catalog.image.brokers) == {1}

    asyncio.run(in_time(scenario()))


def test_two_brokers_that_decide_at_once_never_get_the_same_block_of_ids() -> None:
    async def scenario() -> None:
        store = MemoryStore()
        async with following(store) as one, following(store) as two:
            decisions = [catalog.carry_out(plan_producer_id_block) for catalog in (one, two) * 10]
            blocks = await asyncio.gather(*decisions)
            firsts = [block.first for block in blocks if not isinstance(block, Refusal)]
            assert sorted(firsts) == list(range(0, 20_000, 1_000))

    asyncio.run(in_time(scenario()))


def test_large_topic_that_meets_a_conflict_half_way_is_made_whole() -> None:
    class MeddlingStore(MemoryStore):
        """Registers the broker anew between the transactions of the first plan."""

        meddled = False

        async def transact(self, compares, writes):  # type: ignore[no-untyped-def]
            outcome = await super().transact(compares, writes)
            if len(writes) == 100 and not self.meddled:
                self.meddled = True
                for transaction in register(1)(Image.load(await self.range(""))).transactions:
                    await super().transact(transaction.compares, transaction.writes)
            return outcome

    async def scenario() -> None:
        store = MeddlingStore()
        async with following(store) as catalog:
            await catalog.carry_out(register(1))
            wish = TopicRequest("large", UUID(int=1), 350)
            answers = await catalog.carry_out(lambda image: plan_create_topics(image, [wish], ClusterRules()))
            assert not isinstance(answers, Refusal)
            assert not isinstance(answers["large"], Refusal)
            assert store.meddled
            assert len(catalog.image.topics["large"].partitions) == 350
            assert catalog.image.unclaimed == {}

    asyncio.run(in_time(scenario()))


def test_listeners_see_every_image_once_in_order() -> None:
    async def scenario() -> None:
        async with following(MemoryStore()) as catalog:
            seen: list[tuple[Revision, Revision]] = []
            catalog.subscribe(lambda before, after: seen.append((before.revision, after.revision)))
            for broker in (1, 2, 1):
                await catalog.carry_out(register(broker))
            assert seen == [(n, n + 1) for n in range(catalog.image.revision)]
            assert len(seen) == 4

    asyncio.run(in_time(scenario()))


def test_refusal_is_handed_through_and_nothing_is_written() -> None:
    async def scenario() -> None:
        async with following(MemoryStore()) as catalog:
            refusal = Refusal(ErrorCode.INVALID_REQUEST, "no")
            assert await catalog.carry_out(lambda image: refusal) == refusal
            assert catalog.image.revision == 0

    asyncio.run(in_time(scenario()))


def test_decision_that_always_conflicts_ends_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog_module, "CONFLICTS_MAX", 3)
    attempts: list[Image] = []

    def decide(image: Image) -> Plan[None]:
        attempts.append(image)
        return Plan((Transaction((Compare("a", Revision(9)),), (Put("a", b""),)),), None)

    async def scenario() -> None:
        async with following(MemoryStore()) as catalog:
            with pytest.raises(StoreError, match="3 conflicts"):
                await catalog.carry_out(decide)

    asyncio.run(in_time(scenario()))
    assert len(attempts) == 3
