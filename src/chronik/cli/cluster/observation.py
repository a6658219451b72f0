"""The directory of a cluster and the cluster itself: the running brokers, and the status that they return."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from chronik.cli.cluster.layout import LaidOutBroker
from chronik.cli.cluster.processes import is_paused, pid_of
from chronik.cli.cluster.report import BrokerRow, ClusterReport, report_of
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError
from chronik.client.settings import ClientSettings

_IMPATIENT: Final = ClientSettings(request_timeout_ms=3_000, retry_timeout_ms=3_000)


async def observed(nodes: Sequence[LaidOutBroker]) -> ClusterReport:
    """ClusterReport on the brokers of a directory, and on the cluster as far as one of them answers."""
    pids = {node.node_id: pid_of(node) for node in nodes}
    awake = [node for node in nodes if (pid := pids[node.node_id]) is not None and not is_paused(pid)]
    report = await _asked(awake)
    seen = {row.node_id: row for row in report.brokers}
    own = {node.node_id: _broker(node, pids[node.node_id], seen.get(node.node_id)) for node in nodes}
    return replace(report, brokers=tuple(row for _, row in sorted({**seen, **own}.items())))


async def _asked(nodes: Sequence[LaidOutBroker]) -> ClusterReport:
    for node in nodes:
        try:
            async with Cluster(node.address, _IMPATIENT) as cluster:
                return await report_of(cluster)
        except ClientError:
            continue
    return ClusterReport()


def _broker(node: LaidOutBroker, pid: int | None, seen: BrokerRow | None) -> BrokerRow:
    row = seen or BrokerRow(node.node_id, node.address, "")
    return replace(row, pid=pid, state=_state(pid, seen), data=str(node.data), http=node.http)


def _state(pid: int | None, seen: BrokerRow | None) -> str:
    if pid is None:
        return "stopped"
    if is_paused(pid):
        return "paused"
    return "running" if seen is not None else "not in the cluster"
