"""Real processes on the engines that several can share: killed, stopped, counting together."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from chronik.metadata.stores.port import Store
from chronik.model.ids import Revision
from tests.unit.metadata.stores.store_engines import EtcdEngine, SqliteEngine, run_on
from tests.unit.metadata.stores.store_processes import MemberProcess, member_process, until

TTL_MS = 4_000

Scenario = Callable[[Store, MemberProcess], Coroutine[Any, Any, None]]
RunWithOther = Callable[[Scenario], None]


@pytest.fixture(params=["sqlite", "etcd"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> SqliteEngine | EtcdEngine:
    if request.param == "sqlite":
        return SqliteEngine(tmp_path)
    servers = request.getfixturevalue("etcd_server")
    servers.start()
    return EtcdEngine(servers, tmp_path.name)


@pytest.fixture
def run_with_other(shared: SqliteEngine | EtcdEngine) -> RunWithOther:
    def run(scenario: Scenario) -> None:
        async def with_other(store: Store) -> None:
            async with member_process(shared.url) as other:
                await scenario(store, other)

        run_on(shared, with_other)

    return run


def processor_s(pid: int) -> float:
    """How long a process has run on a processor, which waiting for one does not lengthen."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


async def is_gone(store: Store, key: str) -> bool:
    return await store.get(key) is None


def test_keys_of_a_killed_process_go(run_with_other: RunWithOther) -> None:
    async def scenario(store: Store, other: MemberProcess) -> None:
        await other.ask("lease", TTL_MS)
        await other.ask("put", "alive", "1", "leased")
        await other.ask("put", "stays", "1")
        await other.kill()
        await until(lambda: is_gone(store, "alive"))
        assert await store.get("stays") is not None

    run_with_other(scenario)


def test_keys_of_a_stopped_process_are_deleted_and_it_learns_of_it_when_it_continues(
    run_with_other: RunWithOther,
) -> None:
    async def scenario(store: Store, other: MemberProcess) -> None:
        await other.ask("lease", TTL_MS)
        await other.ask("put", "alive", "1", "leased")
        other.stop()
        await until(lambda: is_gone(store, "alive"))
        other.go_on()
        assert await other.ask("wait until lost") == "None"

    run_with_other(scenario)


def test_three_processes_that_count_together_lose_no_increment(shared: SqliteEngine | EtcdEngine) -> None:
    async def scenario(store: Store) -> None:
        async with member_process(shared.url) as one, member_process(shared.url) as two:
            await asyncio.gather(one.ask("increment", "n", 15), two.ask("increment", "n", 15))
        entry = await store.get("n")
        assert entry is not None
        assert entry.value == b"30"
        assert entry.mod_revision == entry.create_revision + 29

    run_on(shared, scenario)


def test_three_idle_processes_with_leases_and_watches_use_less_than_a_fiftieth_of_a_core(
    shared: SqliteEngine | EtcdEngine,
) -> None:
    async def scenario(store: Store) -> None:
        next_revision = (await store.range("")).revision + 1
        async with AsyncExitStack() as stack:
            others = [await stack.enter_async_context(member_process(shared.url)) for _ in range(3)]
            for other in others:
                await other.ask("lease", 3 * TTL_MS)
                other.tell("see", next_revision)

            async def are_idle() -> bool:
                return await share_of_a_core([other.pid for other in others], 3.0) < 0.02

            # Of several looks one is enough: what they do of their own accord would be in all of them.
            await until(are_idle)

    run_on(shared, scenario)


async def share_of_a_core(pids: list[int], seconds: float) -> float:
    before_s, began = sum(map(processor_s, pids)), time.monotonic()
    await asyncio.sleep(seconds)
    return (sum(map(processor_s, pids)) - before_s) / (time.monotonic() - began)


def test_watch_shows_what_another_process_does_in_order(run_with_other: RunWithOther) -> None:
    async def scenario(store: Store, other: MemberProcess) -> None:
        first = (await store.range("")).revision + 1
        watch = store.watch(Revision(first))
        for n in range(10):
            await other.ask("put", "a", n)
        batches = [await anext(watch) for _ in range(10)]
        assert [batch.revision for batch in batches] == list(range(first, first + 10))
        assert [change.entry and change.entry.value for batch in batches for change in batch.changes] == [
            b"%d" % n for n in range(10)
        ]
        await watch.aclose()

    run_with_other(scenario)
