"""The store stops answering and comes back, on every engine: nothing is lost, repeated or made up."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from chronik.metadata.stores.port import Committed, Put, Store, StoreReplacedError, StoreUnavailable
from chronik.metadata.stores.sqlite import store as sqlite_store
from chronik.model.ids import Revision
from tests.unit.metadata.stores.conftest import Run
from tests.unit.metadata.stores.store_engines import Engine, run_on

LONG_MS = 600_000


@pytest.fixture(autouse=True)
def _give_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_store, "LOCKED_S_MAX", 0.1)


async def write(store: Store, value: bytes) -> Revision:
    """Write until the store says that it is done."""
    while True:
        try:
            outcome = await store.transact([], [Put("a", value)])
        except StoreUnavailable:
            await asyncio.sleep(0.02)
        else:
            return outcome.revision


async def revisions(store: Store) -> AsyncIterator[Revision]:
    """Watch through every outage, as the catalog does."""
    seen = Revision(0)
    while True:
        try:
            async for batch in store.watch(Revision(seen + 1)):
                seen = batch.revision
                yield seen
        except StoreUnavailable:
            await asyncio.sleep(0.02)


def test_writing_while_the_store_does_not_answer_raises_and_works_again_afterwards(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await write(store, b"before")
        engine.stop_answering()
        with pytest.raises(StoreUnavailable):
            await store.transact([], [Put("a", b"meanwhile")])
        engine.answer_again()
        entry = await store.get("a")
        assert entry is not None
        assert entry.value == b"before"
        assert isinstance(await store.transact([], [Put("a", b"after")]), Committed)

    run_on(engine, scenario)


def test_watch_across_an_outage_shows_every_revision_once_and_in_order(engine: Engine) -> None:
    async def scenario(store: Store, writer: Store) -> None:
        watching = revisions(store)
        seen = []
        for n in range(3):
            last = await write(writer, b"%d" % n)
            while not seen or seen[-1] < last:
                seen.append(await anext(watching))
            engine.stop_answering()
            engine.answer_again()
        last = await write(writer, b"end")
        while seen[-1] < last:
            seen.append(await anext(watching))
        assert seen == list(range(1, last + 1))

    run_on(engine, scenario, 2)


def test_lease_outlives_an_outage_that_is_shorter(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        lease = await store.lease(LONG_MS)
        await store.transact([], [Put("alive", b"", lease.id)])
        engine.stop_answering()
        engine.answer_again()
        await write(store, b"after")
        assert await store.get("alive") is not None
        lost = asyncio.ensure_future(lease.lost())
        done, _ = await asyncio.wait([lost], timeout=0.1)
        assert not done
        lost.cancel()

    run_on(engine, scenario)


def test_watch_of_a_store_that_is_behind_what_was_seen_is_refused(run: Run) -> None:
    async def scenario(store: Store) -> None:
        await store.transact([], [Put("a", b"")])
        with pytest.raises(StoreReplacedError):
            await anext(store.watch(Revision(3)))

    run(scenario)
