"""A cluster's directory and the cluster itself, looked at together: who runs, who answers, and is all settled."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from chronik.cli.cluster_layout import Node
from chronik.cli.cluster_processes import is_paused, pid_of
from chronik.cli.cluster_report import BrokerRow, Report, report_of
from chronik.client.cluster import Cluster
from chronik.client.cluster_view import ClusterView
from chronik.client.errors import ClientError
from chronik.client.settings import ClientSettings

_STEP_S: Final = 0.05
_IMPATIENT: Final = ClientSettings(request_timeout_ms=3_000, retry_timeout_ms=3_000)


async def observed(nodes: Sequence[Node]) -> Report:
    """Report on the brokers of a directory, and on the cluster as far as one of them answers."""
    pids = {node.node_id: pid_of(node) for node in nodes}
    awake = [node for node in nodes if (pid := pids[node.node_id]) is not None and not is_paused(pid)]
    report = await _asked(awake)
    seen = {row.node_id: row for row in report.brokers}
    own = {node.node_id: _broker(node, pids[node.node_id], seen.get(node.node_id)) for node in nodes}
    return replace(report, brokers=tuple(row for _, row in sorted({**seen, **own}.items())))


async def _asked(nodes: Sequence[Node]) -> Report:
    for node in nodes:
        try:
            async with Cluster(node.address, _IMPATIENT) as cluster:
                return await report_of(cluster)
        except ClientError:
            continue
    return Report()


def _broker(node: Node, pid: int | None, seen: BrokerRow | None) -> BrokerRow:
    row = seen or BrokerRow(node.node_id, node.address, "")
    return replace(row, pid=pid, state=_state(pid, seen), data=str(node.data))


def _state(pid: int | None, seen: BrokerRow | None) -> str:
    if pid is None:
        return "stopped"
    if is_paused(pid):
        return "paused"
    return "running" if seen is not None else "not in the cluster"


async def await_settled(nodes: Sequence[Node], seconds_max: float) -> str | None:
    """Wait until every broker tells of all of them and of a leader for each partition; else say what is missing."""
    deadline = asyncio.get_running_loop().time() + seconds_max
    while (missing := await _missing(nodes)) is not None:
        if asyncio.get_running_loop().time() > deadline:
            return missing
        await asyncio.sleep(_STEP_S)
    return None


async def _missing(nodes: Sequence[Node]) -> str | None:
    views = await asyncio.gather(*(_view_of(node) for node in nodes))
    found = (_unsettled(node, view, {each.node_id for each in nodes}) for node, view in zip(nodes, views, strict=True))
    return next((problem for problem in found if problem is not None), None)


async def _view_of(node: Node) -> ClusterView | None:
    try:
        async with Cluster(node.address, _IMPATIENT) as cluster:
            return await cluster.refresh(None)
    except ClientError:
        return None


def _unsettled(node: Node, view: ClusterView | None, expected: set[int]) -> str | None:
    """Say why a broker's answer is not yet that of a settled cluster."""
    where = f"broker {node.node_id}"
    if view is None:
        return f"{where} does not answer"
    if absent := expected - set(view.brokers):
        return f"{where} does not know of broker {', '.join(map(str, sorted(absent)))}"
    if view.controller_id not in view.brokers:
        return f"{where} knows of no controller"
    leaderless = [
        f"{name}-{partition.index}"
        for name, topic in sorted(view.topics.items())
        for partition in topic.partitions.values()
        if partition.leader < 0
    ]
    return f"without a leader: {', '.join(leaderless)}" if leaderless else None
