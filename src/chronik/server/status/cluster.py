"""The status of the whole cluster: the metadata image joined with the report of each broker.

The other brokers are polled on demand, all at once, and the result is shared by all requests within half a second. A
broker that does not answer is shown as silent, with what the image knows of it.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from chronik.metadata.image.image import BrokerImage, Image
from chronik.model.ids import NO_BROKER, BrokerId
from chronik.server.loop.clock import now_ms, steady_ms
from chronik.server.settings.listeners import is_loopback, parse_address
from chronik.server.status.lag import lag_of
from chronik.server.status.local import group_statuses, replica_statuses
from chronik.server.status.pacing import Pace
from chronik.server.status.peers import PeerError, ask_lines
from chronik.server.status.sources import Sources, broker_head
from chronik.server.status.totals import ClusterTotals, total_partitions

Json = dict[str, Any]
SHARED_MS: Final = 500
PEER_TARGET: Final = "/api/broker?form=lines"


@dataclass(slots=True)
class BrokerReport:
    """The report of one broker about itself, its replicas and its groups."""

    head: Json = field(default_factory=dict)
    topic_bytes_in: dict[str, float] = field(default_factory=dict)
    partitions: list[Json] = field(default_factory=list)
    groups: list[Json] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BrokerStatus:
    """A broker, as the polling broker sees it."""

    node_id: int
    is_registered: bool
    head: Json | None = None
    """Its report, if it answered."""
    silent_for_ms: int = 0
    """For how long it has not answered, or not been registered; 0 if it answers or cannot be polled."""
    why_unseen: str | None = None
    """Why it cannot be polled."""
    kafka: str | None = None
    http: str | None = None
    rack: str | None = None


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """The status of the cluster at one moment."""

    asked: int
    now_ms: int
    image: Image
    brokers: tuple[BrokerStatus, ...]
    partitions: dict[tuple[str, int], Json]
    """Each as its leader reports it, or else the replica with the highest watermark, with ``replica_ends``."""
    groups: tuple[Json, ...]
    topic_bytes_in: Mapping[str, float]
    totals: ClusterTotals
    taken_ms: int = field(default_factory=steady_ms)
    """When it was collected, by the steady clock."""

    @property
    def controller(self) -> int | None:
        return None if self.image.controller is None else self.image.controller.broker_id


def own_lines(sources: Sources) -> Iterator[Json]:
    """Return the report of this broker, line by line: the broker, its traffic, its replicas, its groups."""
    yield {"broker": broker_head(sources)}
    yield {"topic_bytes_in": sources.metrics.topic_bytes_in()}
    for partition in replica_statuses(sources.partitions, sources.catalog.image, sources.stalled):
        yield {"partition": partition.as_json()}
    for group in group_statuses(sources.groups, sources.partitions):
        yield {"group": group.as_json()}


class ClusterPoller:
    """Polls all brokers at most twice a second, and remembers which have not answered, and since when."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._status: ClusterStatus | None = None
        self._polling: asyncio.Task[ClusterStatus] | None = None
        self._silent_since: dict[int, int] = {}
        self._gone_since: dict[int, int] = {}
        self._started_ms = steady_ms()
        sources.catalog.subscribe(self._on_image)

    def _on_image(self, before: Image, after: Image) -> None:
        if after.brokers is not before.brokers:
            for node in before.brokers.keys() - after.brokers.keys():
                self._gone_since[node] = steady_ms()
            for node in after.brokers:
                self._gone_since.pop(node, None)

    async def status(self) -> ClusterStatus:
        """Return the current status, at most half a second old."""
        if self._status is not None and steady_ms() - self._status.taken_ms < SHARED_MS:
            return self._status
        if self._polling is None:
            self._polling = asyncio.create_task(self._poll(), name="cluster status")
            self._polling.add_done_callback(self._on_polled)
        return await asyncio.shield(self._polling)

    def _on_polled(self, task: "asyncio.Task[ClusterStatus]") -> None:
        self._polling = None
        if not task.cancelled() and task.exception() is None:
            self._status = task.result()

    async def _poll(self) -> ClusterStatus:
        image = self._sources.catalog.image
        others = [node for node in image.brokers if node != self._sources.node_id]
        answers = await asyncio.gather(self._own(), *(self._ask(image, node) for node in others))
        answered = {self._sources.node_id: answers[0]} | dict(zip(others, answers[1:], strict=True))
        reports = {node: report for node, report in answered.items() if report is not None}
        partitions = await _joined_partitions(image, reports, self._silent_since)
        totals = await total_partitions(partitions)
        # All registered brokers, and all brokers that have replicas.
        nodes = sorted({*image.brokers, *map(BrokerId, totals.replicas)})
        groups = [group async for group in _joined_groups(reports, partitions)]
        bytes_in = Counter[str]()
        for report in reports.values():
            bytes_in.update(report.topic_bytes_in)
        return ClusterStatus(
            asked=self._sources.node_id,
            now_ms=now_ms(),
            image=image,
            brokers=tuple(self._broker(image, node, reports.get(node)) for node in nodes),
            partitions=partitions,
            groups=tuple(groups),
            topic_bytes_in=bytes_in,
            totals=totals,
        )

    async def _own(self) -> BrokerReport:
        return await _report_of(own_lines(self._sources))

    async def _ask(self, image: Image, node: BrokerId) -> BrokerReport | None:
        address = image.brokers[node].registration.http
        if address is None or self._why_unseen(image.brokers[node]) is not None:
            return None
        began = steady_ms()
        try:
            lines = await ask_lines(address, PEER_TARGET)
            report = await _report_of(iter(lines))
            check_identity(report, node, image.cluster_id)
        except PeerError:
            self._silent_since.setdefault(node, began)
            return None
        self._silent_since.pop(node, None)
        return report

    def _why_unseen(self, broker: BrokerImage) -> str | None:
        host = broker.registration.endpoints[0].host if broker.registration.endpoints else ""
        own = self._sources.kafka.rpartition(":")[0].strip("[]")
        return unreachable_reason(broker.registration.http, host, own)

    def _broker(self, image: Image, node: BrokerId, report: BrokerReport | None) -> BrokerStatus:
        broker = image.brokers.get(node)
        if broker is None:
            gone_ms = steady_ms() - self._gone_since.get(node, self._started_ms)
            return BrokerStatus(node, is_registered=False, silent_for_ms=gone_ms)
        since = self._silent_since.get(node) if report is None else None
        endpoint = broker.registration.endpoints[0] if broker.registration.endpoints else None
        return BrokerStatus(
            node,
            is_registered=True,
            head=None if report is None else report.head,
            silent_for_ms=0 if since is None else steady_ms() - since,
            why_unseen=None if node == self._sources.node_id else self._why_unseen(broker),
            kafka=None if endpoint is None else f"{endpoint.host}:{endpoint.port}",
            http=broker.registration.http,
            rack=broker.rack,
        )


def unreachable_reason(http: str | None, kafka_host: str, own_kafka_host: str) -> str | None:
    """Return why this broker cannot reach another broker's HTTP server; None if it may be reachable."""
    if http is None:
        return "it has no HTTP server, so its own status is not shown: set chronik.http.listener there"
    if is_loopback(parse_address(http).host) and kafka_host != own_kafka_host:
        return (
            f"its HTTP server listens at {http}, which only its own machine reaches, so its own status is not shown: "
            "set chronik.http.listener there to an address of that machine"
        )
    return None


def check_identity(report: BrokerReport, node: int, cluster_id: str | None) -> None:
    """Raise PeerError if another broker answered: 127.0.0.1 of another machine is this machine."""
    if report.head.get("node_id") != node or report.head.get("cluster_id") != cluster_id:
        raise PeerError(f"broker {report.head.get('node_id')} answered where broker {node} should be")


async def _report_of(lines: Iterator[Json]) -> BrokerReport:
    report = BrokerReport()
    pace = Pace()
    for line in lines:
        if "partition" in line:
            report.partitions.append(line["partition"])
        elif "group" in line:
            report.groups.append(line["group"])
        elif "topic_bytes_in" in line:
            report.topic_bytes_in = line["topic_bytes_in"]
        elif "broker" in line:
            report.head = line["broker"]
        await pace.keep()
    return report


# --- partitions


async def _joined_partitions(
    image: Image, reports: Mapping[BrokerId, BrokerReport], silent: Container[int]
) -> dict[tuple[str, int], Json]:
    pace = Pace()
    of_replicas: dict[tuple[str, int], dict[int, Json]] = {}
    for node, report in reports.items():
        for replica in report.partitions:
            of_replicas.setdefault((replica["topic"], replica["partition"]), {})[node] = replica
            await pace.keep()
    joined: dict[tuple[str, int], Json] = {}
    for topic, index, _ in image.all_partitions():
        key = (topic.name, index)
        joined[key] = _joined(image, key, of_replicas.get(key, {}), silent)
        await pace.keep()
    return joined


def _joined(image: Image, key: tuple[str, int], replicas: Mapping[int, Json], silent: Container[int]) -> Json:
    """Return the leader's report, else that of the replica with the highest watermark, else the image alone."""
    topic = image.topics[key[0]]
    state = topic.partitions[key[1]]
    ends = {str(node): replicas[node]["log_end"] for node in sorted(replicas)}
    leading = replicas.get(state.leader)
    if leading is not None:
        return {**leading, "replica_ends": ends, "seen_by": state.leader, "leader_silent": False}
    seen_by = max(replicas, key=lambda node: replicas[node]["high_watermark"] or 0, default=None)
    seen = {} if seen_by is None else replicas[seen_by]
    return {
        "topic": topic.name,
        "topic_id": str(topic.id),
        "partition": key[1],
        "role": "offline" if state.leader == NO_BROKER else "leader",
        "leader": state.leader,
        "leader_epoch": state.leader_epoch,
        "replicas": state.replicas,
        "isr": state.isr,
        "elr": state.elr,
        "required_in_sync": state.required_in_sync,
        "log_start": seen.get("log_start"),
        "high_watermark": seen.get("high_watermark"),
        "last_stable_offset": seen.get("last_stable_offset"),
        "log_end": seen.get("log_end"),
        "lag": None,
        "size_bytes": seen.get("size_bytes"),
        "stands_for_ms": 0,
        "followers": [],
        "why_offline": "it has no leader" if state.leader == NO_BROKER else None,
        "replica_ends": ends,
        "seen_by": seen_by,
        "leader_silent": state.leader in silent,
    }


# --- groups


async def _joined_groups(
    reports: Mapping[BrokerId, BrokerReport], partitions: Mapping[tuple[str, int], Json]
) -> AsyncIterator[Json]:
    pace = Pace()
    for node in sorted(reports):
        for group in reports[node].groups:
            offsets = []
            for offset in group["offsets"]:
                offsets.append(_with_lag(offset, partitions.get((offset["topic"], offset["partition"]))))
                await pace.keep()
            lag = sum(offset["lag"] or 0 for offset in offsets)
            yield {**group, "coordinator": node, "offsets": offsets, "lag": lag}


def _with_lag(offset: Json, partition: Json | None) -> Json:
    """Compute the lag by the leader's high watermark: the coordinator may have no replica, or one that is behind."""
    if partition is None or partition["high_watermark"] is None or partition["log_start"] is None:
        return offset
    start, end = partition["log_start"], partition["high_watermark"]
    lag = lag_of(offset["committed"], start, end)
    return {**offset, "log_start": start, "end": end, "lag": lag.messages, "why": lag.why}
