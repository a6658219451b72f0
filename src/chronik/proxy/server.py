"""A proxy in front of any Kafka cluster, which records what clients see, and injects faults.

Every broker has a port here, and every response that names a broker names that port, so that a client of the proxy
never leaves it. Without faults a client notices no difference, except that fetch sessions
are off and no version is offered that this codec does not know.

``async with Proxy("host:9092", [Delay(...)], tap) as proxy`` runs it in the caller's loop; ``ProxyThread`` has its own.
"""

import asyncio
import socket
import threading
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

from chronik.client.cluster import Cluster
from chronik.client.settings import ClientSettings
from chronik.proxy.addresses import Address
from chronik.proxy.exchange import Fault, SeenTopics
from chronik.proxy.link import Link, Passage
from chronik.proxy.tap import Tap

HOST: Final = "127.0.0.1"
START_S_MAX: Final = 60.0
_FLUSH_EVERY_S: Final = 1.0
_BACKLOG: Final = 128


@dataclass(slots=True)
class _Door:
    """A port of the proxy, and the broker behind it."""

    node: int
    behind: Address
    listening: socket.socket

    @property
    def address(self) -> Address:
        host, port = self.listening.getsockname()[:2]
        return host, port


class Proxy:
    """A proxy in front of the cluster at ``upstream``."""

    def __init__(self, upstream: str, faults: Sequence[Fault] = (), tap: Tap | None = None) -> None:
        self.upstream = upstream
        self.seen = SeenTopics()
        self.passage = Passage(self.seen, faults, tap, self._place)
        self._doors: dict[int, _Door] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._connections = 0

    @property
    def bootstrap_servers(self) -> str:
        """Where clients find it: a port for each broker that is known."""
        return ",".join(f"{host}:{port}" for host, port in (door.address for door in self._doors.values()))

    def address_of(self, node: int) -> str:
        """Where clients find one broker."""
        host, port = self._doors[node].address
        return f"{host}:{port}"

    async def __aenter__(self) -> Self:
        """Ask the cluster for its brokers and open a port for each."""
        async with Cluster(self.upstream, ClientSettings()) as cluster:
            view = await cluster.refresh(None)
        for name, topic in view.topics.items():
            self.seen.learn_name(topic.topic_id, name)
        for node, broker in sorted(view.brokers.items()):
            self._place(node, broker.host, broker.port)
        if self.passage.tap is not None:
            self._start(self._flush_tap(self.passage.tap))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all ports and connections."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for door in self._doors.values():
            door.listening.close()
        if self.passage.tap is not None:
            self.passage.tap.flush()

    def _place(self, node: int, host: str, port: int) -> Address:
        """Return the address of a broker here; a new broker gets its port now."""
        door = self._doors.get(node)
        if door is None:
            listening = socket.create_server((HOST, 0), backlog=_BACKLOG)
            listening.setblocking(False)  # noqa: FBT003 - the name says what it means
            door = self._doors[node] = _Door(node, (host, port), listening)
            self._start(self._accept(door))
        door.behind = (host, port)
        return door.address

    async def _accept(self, door: _Door) -> None:
        loop = asyncio.get_running_loop()
        while True:
            near, _ = await loop.sock_accept(door.listening)
            near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connections += 1
            self._start(self._carry(self._connections, door, near))

    async def _carry(self, number: int, door: _Door, near: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=near)
        await Link(number, door.node, self.passage, reader, writer).run(*door.behind)

    async def _flush_tap(self, tap: Tap) -> None:
        while True:
            await asyncio.sleep(_FLUSH_EVERY_S)
            tap.flush()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            asyncio.get_running_loop().call_exception_handler({"message": "in the proxy", "exception": error})


class ProxyThread:
    """A proxy in a thread with a loop of its own, for callers without one: ``with ProxyThread(...) as proxy``."""

    def __init__(self, upstream: str, faults: Sequence[Fault] = (), tap: Tap | None = None) -> None:
        self._proxy = Proxy(upstream, faults, tap)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="chronik-proxy", daemon=True)

    @property
    def bootstrap_servers(self) -> str:
        return self._proxy.bootstrap_servers

    @property
    def seen(self) -> SeenTopics:
        """What has gone through it; read from other threads for looking only."""
        return self._proxy.seen

    def address_of(self, node: int) -> str:
        return self._proxy.address_of(node)

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self._proxy.__aenter__(), self._loop).result(START_S_MAX)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._proxy.__aexit__(None, None, None), self._loop).result(START_S_MAX)
        self._end()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(START_S_MAX)
        self._loop.close()
