"""Whether a cluster has settled: every broker returns all brokers, a controller, and each partition's leader."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Final

from chronik.client.cluster import Cluster
from chronik.client.cluster_view import ClusterView
from chronik.client.errors import ClientError
from chronik.client.offsets import list_offsets
from chronik.client.settings import ClientSettings
from chronik.model.ids import TopicPartition
from chronik.protocol.constants import LATEST_TIMESTAMP

_STEP_S: Final = 0.05
# Give up soon on a silent broker, to report it or to ask another one: a paused broker accepts connections.
_SHORT_TIMEOUTS: Final = ClientSettings(connect_timeout_ms=2_000, request_timeout_ms=2_000, retry_timeout_ms=2_000)


async def await_settled(
    addresses: Mapping[int, str], seconds_max: float, *, in_sync: bool = False, others_too: bool = False
) -> str | None:
    """Wait until these brokers agree, and with ``in_sync`` until all replicas are; else say what is missing.

    No others may be in the cluster, so that a dead one is waited for until it is known to be dead, unless
    ``others_too`` says that there are some.
    """
    deadline = time.monotonic() + seconds_max
    while (missing := await _missing(addresses, in_sync, others_too)) is not None:
        if time.monotonic() > deadline:
            return missing
        await asyncio.sleep(_STEP_S)
    return None


async def await_topic(addresses: Sequence[str], name: str, seconds_max: float) -> bool:
    """Wait until every broker that answers knows a topic and serves what it leads of it; False if not in time."""
    deadline = time.monotonic() + seconds_max
    while True:
        views = await asyncio.gather(*map(_view_or_none, addresses))
        answered = {address: view for address, view in zip(addresses, views, strict=True) if view is not None}
        if all(name in view.topics for view in answered.values()) and await _is_served(answered, name):
            return True
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(_STEP_S)


async def _is_served(answered: Mapping[str, ClusterView], name: str) -> bool:
    """Whether the leaders among these brokers have begun: one may know that it leads before its log is open."""
    for address, view in answered.items():
        led = [each for each in view.topics[name].partitions.values() if _address_of(view, each.leader) == address]
        try:
            async with Cluster(address, _SHORT_TIMEOUTS) as cluster:
                await list_offsets(cluster, {TopicPartition(name, each.index): LATEST_TIMESTAMP for each in led})
        except ClientError:
            return False
    return True


def _address_of(view: ClusterView, node: int) -> str | None:
    broker = view.brokers.get(node)
    return None if broker is None else f"{broker.host}:{broker.port}"


async def view_of(bootstrap: str, seconds_max: float) -> ClusterView:
    """Ask for brokers, topics and leaders, until a broker answers or the time is over."""
    deadline = time.monotonic() + seconds_max
    while True:
        try:
            return await _view_once(bootstrap)
        except ClientError:
            if time.monotonic() > deadline:
                raise
        await asyncio.sleep(_STEP_S)


async def _missing(addresses: Mapping[int, str], in_sync: bool, others_too: bool) -> str | None:
    views = await asyncio.gather(*map(_view_or_none, addresses.values()))
    for node, view in zip(addresses, views, strict=True):
        others = set(view.brokers) - set(addresses) if others_too and view is not None else set[int]()
        problem = _unsettled(node, view, set(addresses) | others, in_sync)
        if problem is not None:
            return problem
    return None


async def _view_or_none(bootstrap: str) -> ClusterView | None:
    try:
        return await _view_once(bootstrap)
    except ClientError:
        return None


async def _view_once(bootstrap: str) -> ClusterView:
    async with Cluster(bootstrap, _SHORT_TIMEOUTS) as cluster:
        return await cluster.refresh(None)


def _unsettled(node: int, view: ClusterView | None, expected: set[int], in_sync: bool) -> str | None:
    """Return why a broker's response is not yet that of a settled cluster."""
    if view is None:
        return f"broker {node} does not answer"
    if set(view.brokers) != expected:
        return f"broker {node} knows of brokers {sorted(view.brokers)} and not of {sorted(expected)}"
    if view.controller_id not in view.brokers:
        return f"broker {node} knows of no controller"
    return _unled(node, view) or (_out_of_sync(node, view) if in_sync else None)


def _unled(node: int, view: ClusterView) -> str | None:
    names = [
        f"{name}-{partition.index}"
        for name, topic in sorted(view.topics.items())
        for partition in topic.partitions.values()
        if partition.leader not in view.brokers
    ]
    return f"broker {node} knows of no leader of {', '.join(names)}" if names else None


def _out_of_sync(node: int, view: ClusterView) -> str | None:
    names = [
        f"{name}-{partition.index} (leader {partition.leader}, in sync {list(partition.isr)})"
        for name, topic in sorted(view.topics.items())
        for partition in topic.partitions.values()
        if set(partition.isr) != set(partition.replicas)
    ]
    return f"broker {node} knows of replicas out of sync of {', '.join(names)}" if names else None
