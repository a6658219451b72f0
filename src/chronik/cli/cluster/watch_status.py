"""The data of ``cluster status --watch``: from the HTTP API or, if no HTTP server answers, from Kafka's API."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from chronik.cli.cluster.layout import HTTP_LISTENER, LaidOutBroker
from chronik.cli.cluster.observation import observed
from chronik.cli.cluster.report import BrokerRow, ClusterReport, PartitionRow, report_of
from chronik.client.admin_configs import ConfigAdmin
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError
from chronik.client.settings import ClientSettings
from chronik.model.topics import INTERNAL_TOPICS
from chronik.protocol.config_resources import ResourceType
from chronik.server.settings.listeners import Address, parse_address, show_address
from chronik.server.status.peers import PeerError, ask

Json = dict[str, Any]
PARTITIONS_ASKED: Final = 500
_ANSWER_S_MAX: Final = 3.0
_IMPATIENT: Final = ClientSettings(request_timeout_ms=3_000, retry_timeout_ms=3_000)
_ANYWHERE: Final = frozenset({"", "*", "0.0.0.0", "::"})


@dataclass(frozen=True, slots=True)
class ClusterSnapshot:
    """The cluster at one moment, in the words of the HTTP server."""

    source: str
    """The address that answered."""
    cluster_id: str | None = None
    controller: int | None = None
    brokers: Sequence[Json] = ()
    partitions: Sequence[Json] = ()
    partitions_in_all: int = 0
    groups: Sequence[Json] = ()
    faults: Sequence[Json] = ()
    problem: str | None = None
    """Why nothing is known."""


@dataclass
class Watch:
    """Reads the status of one cluster repeatedly, first from the broker that answered last."""

    nodes: Sequence[LaidOutBroker] = ()
    bootstrap: str | None = None
    sort: str = "lag"
    _addresses: list[str] = field(default_factory=list)

    async def facts(self) -> ClusterSnapshot:
        """Return the facts of now."""
        if not self._addresses:
            self._addresses = await self._http_addresses()
        for address in list(self._addresses):
            try:
                facts = await _over_http(address, self.sort)
            except PeerError:
                continue
            self._addresses.sort(key=lambda each: each != address)
            return facts
        return await self._over_kafka()

    async def _http_addresses(self) -> list[str]:
        if self.bootstrap is None:
            return [node.http for node in self.nodes if node.http]
        try:
            async with Cluster(self.bootstrap, _IMPATIENT) as cluster:
                return await _listeners_of(cluster)
        except ClientError:
            return []

    async def _over_kafka(self) -> ClusterSnapshot:
        if self.bootstrap is None:
            return facts_of_report(await observed(self.nodes), self.sort)
        try:
            async with Cluster(self.bootstrap, _IMPATIENT) as cluster:
                return facts_of_report(await report_of(cluster), self.sort)
        except ClientError as error:
            return ClusterSnapshot("no broker", problem=str(error))


async def _listeners_of(cluster: Cluster) -> list[str]:
    """Ask every broker where its HTTP server is; one on every address is where the broker itself is."""
    view = await cluster.refresh(())
    found = []
    for node_id in sorted(view.brokers):
        try:
            configs = await ConfigAdmin(cluster).describe(ResourceType.BROKER, str(node_id), [HTTP_LISTENER])
        except ClientError:
            continue
        found += [_reached(each.value, view.brokers[node_id].host) for each in configs if each.value]
    return found


def _reached(listener: str, broker_host: str) -> str:
    address: Address = parse_address(listener.removeprefix("http://"))
    return show_address(broker_host if address.host in _ANYWHERE else address.host, address.port)


async def _over_http(address: str, sort: str) -> ClusterSnapshot:
    cluster = await _document(address, "/api/cluster")
    page = await _document(address, f"/api/partitions?sort={sort}&limit={PARTITIONS_ASKED}")
    return ClusterSnapshot(
        source=f"broker {cluster['asked']}",
        cluster_id=cluster["cluster_id"],
        controller=cluster["controller"],
        brokers=cluster["brokers"],
        partitions=page["partitions"],
        partitions_in_all=page["total"],
        groups=cluster["groups"],
        faults=cluster["faults"],
    )


async def _document(address: str, target: str) -> Json:
    answer = await ask(address, target, _ANSWER_S_MAX)
    if answer.status != 200:
        raise PeerError(f"{address} answered with status {answer.status}")
    try:
        document: Json = json.loads(answer.body)
    except ValueError as error:
        raise PeerError(f"{address} did not answer with JSON: {error}") from error
    return document


# --- from Kafka's API, which knows less


def facts_of_report(report: ClusterReport, sort: str) -> ClusterSnapshot:
    """Convert the answers of Kafka's API to the same fields; unknown values are None."""
    rows = sorted(
        report.partitions,
        key=lambda row: (
            -(row.lag or 0) if sort == "lag" else 0,
            row.topic in INTERNAL_TOPICS,
            row.topic,
            row.partition,
        ),
    )
    return ClusterSnapshot(
        source="Kafka's API",
        cluster_id=report.cluster_id,
        controller=report.controller,
        brokers=[_broker(row) for row in report.brokers],
        partitions=[_partition(row) for row in rows],
        partitions_in_all=len(rows),
        faults=_faults(report),
        problem=None if report.is_known else "no broker answers",
    )


def _broker(row: BrokerRow) -> Json:
    is_up = row.state == "running"
    return {
        "node_id": row.node_id,
        "kafka": row.kafka,
        "up": is_up,
        "state": row.state,
        "leads": row.leads,
        "replicas": row.replicas,
    }


def _partition(row: PartitionRow) -> Json:
    return {
        "topic": row.topic,
        "partition": row.partition,
        "leader": -1 if row.leader is None else row.leader,
        "replicas": row.replicas,
        "isr": row.isr,
        "high_watermark": row.high_watermark,
        "log_end": row.log_end,
        "lag": row.lag,
        "stands_for_ms": 0,
        "role": "offline" if row.leader is None else "leader",
    }


def _faults(report: ClusterReport) -> list[Json]:
    found = [
        {"severity": "critical", "text": f"broker {row.node_id}: {row.state}"}
        for row in report.brokers
        if row.state != "running"
    ]
    found += [{"severity": "critical", "text": f"partition {name}: it has no leader"} for name in report.offline]
    short = [row for row in report.partitions if row.leader is not None and set(row.isr) != set(row.replicas)]
    found += [
        {"severity": "warning", "text": f"partition {row.name}: broker {_missing(row)} is not in sync"} for row in short
    ]
    return found


def _missing(row: PartitionRow) -> str:
    return ", ".join(str(node) for node in row.replicas if node not in row.isr)
