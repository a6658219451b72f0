"""Brokers without sockets and disks: membership and the controller's duty of several nodes on one store in memory."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import UUID

from chronik.metadata.catalog import Catalog
from chronik.metadata.decisions.elections import ElectionRules
from chronik.metadata.decisions.topics import ClusterRules, CreatedTopic, TopicRequest, plan_create_topics
from chronik.metadata.image.image import Image, PartitionImage
from chronik.metadata.image.keys import NOTHING, Endpoint, Registration
from chronik.metadata.stores.memory.state import MemoryState
from chronik.metadata.stores.memory.store import MemoryStore
from chronik.model.ids import BrokerId
from chronik.server.cluster.controller import Controller, ControllerRules
from chronik.server.cluster.membership import Membership, MembershipRules

WAIT_S = 60.0
SESSION_MS = 60_000
"""Long, so that a slow machine ends no lease: tests end leases by hand."""


class Node:
    """One broker's hold on the cluster."""

    def __init__(self, number: int, store: MemoryStore, catalog: Catalog) -> None:
        self.id = BrokerId(number)
        self.store = store
        self.catalog = catalog
        self.lost = 0
        self.tasks: list[asyncio.Task[Any]] = [asyncio.ensure_future(catalog.follow())]

    @property
    def image(self) -> Image:
        return self.catalog.image

    def member(
        self, *, directory: str | None = None, boot: str = "b", session_ms: int = SESSION_MS, **rules: Any
    ) -> Membership:
        registration = Registration(
            self.id,
            (Endpoint("PLAINTEXT", "127.0.0.1", 9000 + self.id),),
            directory_id=directory or f"d{self.id}",
            boot_id=boot,
        )
        self.membership = Membership(
            self.store, self.catalog, registration, MembershipRules(session_ms=session_ms, **rules)
        )
        self.membership.on_lost = self._on_lost
        return self.membership

    async def join(self, **how: Any) -> "Node":
        await self.member(**how).join()
        self.tasks.append(asyncio.ensure_future(self.membership.keep()))
        return self

    def serve(self, rules: ControllerRules | None = None) -> "Node":
        """Do the controller's duty from now on."""
        self.duty = Controller(self.catalog, self.membership, rules or ControllerRules(ElectionRules()))
        self.tasks.append(asyncio.ensure_future(self.duty.run()))
        return self

    def _on_lost(self) -> None:
        self.lost += 1

    def expire(self) -> None:
        """End the lease, as the store does after a pause."""
        assert self.membership.lease is not None
        self.store.state.end(self.membership.lease.id)

    async def stop(self) -> None:
        """Be gone without a word; the lease ends."""
        await self.halt()
        if self.membership.lease is not None:
            self.store.state.end(self.membership.lease.id)

    async def halt(self) -> None:
        """Do nothing any more; the lease stays."""
        for task in self.tasks:
            task.cancel()
        for task in self.tasks:
            with suppress(asyncio.CancelledError, Exception):
                await task
        self.tasks = []


class Cluster:
    """Nodes on one store."""

    def __init__(self) -> None:
        self.store = MemoryStore(MemoryState(), renews=False)
        self.nodes: list[Node] = []

    async def node(self, number: int) -> Node:
        store = self.store.sibling()
        node = Node(number, store, await Catalog.open(store))
        self.nodes.append(node)
        return node

    async def started(self, *numbers: int) -> list[Node]:
        """Nodes that are members and do the controller's duty."""
        return [(await (await self.node(number)).join()).serve() for number in numbers]

    async def topic(
        self, *replicas: int, name: str = "t", min_insync: int = 1, configs: Mapping[str, str] = NOTHING
    ) -> None:
        """Make a topic with one partition on these brokers, the first of which leads."""
        wish = TopicRequest(
            name,
            UUID(int=len(self.store.state.range("topics/").entries) + 1),
            assignment={0: tuple(map(BrokerId, replicas))},
            configs={"min.insync.replicas": str(min_insync), **configs},
        )
        node = next(node for node in self.nodes if node.tasks)
        results = await node.catalog.carry_out(lambda image: plan_create_topics(image, [wish], ClusterRules()))
        assert isinstance(results, dict)
        assert isinstance(results[name], CreatedTopic)


@asynccontextmanager
async def cluster() -> AsyncIterator[Cluster]:
    made = Cluster()
    try:
        yield made
    finally:
        for node in made.nodes:
            await node.halt()


def partition(node: Node, name: str = "t") -> PartitionImage:
    return node.image.topics[name].partitions[0]


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that must come to be."""
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110 - conditions of many kinds, none of which is an event
            await asyncio.sleep(0.005)


async def bounded(work: Awaitable[Any]) -> Any:
    async with asyncio.timeout(WAIT_S):
        return await work
