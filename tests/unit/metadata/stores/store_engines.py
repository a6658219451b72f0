"""The engines of the store port as the conformance suite sees them: opened several times, stopped, and brought back."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from chronik.metadata.stores.memory.state import MemoryState
from chronik.metadata.stores.memory.store import MemoryStore
from chronik.metadata.stores.open import open_store
from chronik.metadata.stores.port import Store
from tests.etcd_servers import EtcdServers

BOUND_S = 60.0

Scenario = Callable[..., Coroutine[Any, Any, None]]


class Engine(Protocol):
    """One store, which any number of handles may open."""

    async def open(self) -> Store: ...

    def stop_answering(self) -> None:
        """Make the store unable to write for everybody; it forgets nothing."""
        ...

    def answer_again(self) -> None: ...


class MemoryEngine:
    """A state that all handles share."""

    def __init__(self) -> None:
        self.state = MemoryState()
        self._handles: list[MemoryStore] = []

    async def open(self) -> Store:
        self._handles.append(MemoryStore(self.state))
        return self._handles[-1]

    def stop_answering(self) -> None:
        for handle in self._handles:
            handle.is_disconnected = True

    def answer_again(self) -> None:
        for handle in self._handles:
            handle.is_disconnected = False


class SqliteEngine:
    """A file; it cannot be written to while somebody from outside holds its lock."""

    def __init__(self, directory: Path) -> None:
        self.url = f"sqlite://{directory}/metadata.db"
        self._path = directory / "metadata.db"
        self._stranger: sqlite3.Connection | None = None

    async def open(self) -> Store:
        return await open_store(self.url)

    def stop_answering(self) -> None:
        self._stranger = sqlite3.connect(self._path, isolation_level=None)
        self._stranger.execute("BEGIN IMMEDIATE")

    def answer_again(self) -> None:
        assert self._stranger is not None
        self._stranger.close()


class EtcdEngine:
    """A real etcd of one member, killed and started again."""

    def __init__(self, servers: EtcdServers, prefix: str) -> None:
        self.servers = servers
        self.url = f"{servers.url}/{prefix}"

    async def open(self) -> Store:
        return await open_store(self.url)

    def stop_answering(self) -> None:
        self.servers.kill(0)

    def answer_again(self) -> None:
        self.servers.start()


@asynccontextmanager
async def handles(engine: Engine, number: int) -> AsyncIterator[list[Store]]:
    """Open an engine several times, and close all at the end."""
    async with AsyncExitStack() as stack:
        stores = []
        for _ in range(number):
            stores.append(await engine.open())
            stack.push_async_callback(stores[-1].close)
        yield stores


def run_on(engine: Engine, scenario: Scenario, number: int = 1) -> None:
    """Run a scenario with that many handles, within a bound of time."""

    async def main() -> None:
        async with handles(engine, number) as stores:
            await asyncio.wait_for(scenario(*stores), BOUND_S)

    asyncio.run(main())
