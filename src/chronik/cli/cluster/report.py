"""The status of a cluster by Kafka's API: brokers, controller, leaders, ISRs, and log ends beyond watermarks.

Log ends are asked of every replica as Kafka's debugging consumer (replica id -2), which any replica answers.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, TypeAlias

from chronik.cli.shell.output import print_table
from chronik.client.cluster import Cluster
from chronik.client.cluster_view import ClusterView, PartitionInfo
from chronik.client.errors import ClientError
from chronik.model.ids import TopicPartition
from chronik.model.topics import INTERNAL_TOPICS
from chronik.protocol.constants import CONSUMER_REPLICA_ID, DEBUGGING_CONSUMER_ID, LATEST_TIMESTAMP
from chronik.protocol.generated.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)

_BROKER_COLUMNS: Final = ("node", "kafka", "http", "pid", "state", "leads", "replicas", "data")
_PARTITION_COLUMNS: Final = (
    "topic",
    "partition",
    "leader",
    "epoch",
    "replicas",
    "in sync",
    "log end",
    "high watermark",
    "lag",
)

Ends: TypeAlias = Mapping[TopicPartition, int]


@dataclass(frozen=True, slots=True)
class BrokerRow:
    """One broker; ``pid``, ``http`` and ``data`` are known for processes of this machine only."""

    node_id: int
    kafka: str
    state: str
    pid: int | None = None
    leads: int = 0
    replicas: int = 0
    data: str | None = None
    http: str | None = None


@dataclass(frozen=True, slots=True)
class PartitionRow:
    """One partition; unknown offsets are None."""

    topic: str
    partition: int
    leader: int | None
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    log_end: int | None
    high_watermark: int | None
    lag: int | None
    log_ends: Mapping[int, int]

    @property
    def name(self) -> str:
        """Spell it as its directory is called."""
        return f"{self.topic}-{self.partition}"


@dataclass(frozen=True, slots=True)
class ClusterReport:
    """The cluster at one moment."""

    cluster_id: str | None = None
    controller: int | None = None
    brokers: tuple[BrokerRow, ...] = ()
    partitions: tuple[PartitionRow, ...] = ()
    view: ClusterView = field(default_factory=ClusterView)

    @property
    def under_replicated(self) -> list[str]:
        """Name the partitions that lack a member of their in-sync set."""
        return [row.name for row in self.partitions if set(row.isr) != set(row.replicas)]

    @property
    def offline(self) -> list[str]:
        """Name the partitions without a leader."""
        return [row.name for row in self.partitions if row.leader is None]

    @property
    def is_known(self) -> bool:
        """Return whether a broker answered; without an answer the state of partitions is unknown."""
        return self.cluster_id is not None

    def document(self) -> dict[str, Any]:
        """Return the report as JSON; unknown values are null."""
        return {
            "cluster_id": self.cluster_id,
            "controller": self.controller,
            "bootstrap": ",".join(row.kafka for row in self.brokers),
            "brokers": [asdict(row) for row in self.brokers],
            "partitions": [asdict(row) for row in self.partitions] if self.is_known else None,
            "under_replicated": self.under_replicated if self.is_known else None,
            "offline": self.offline if self.is_known else None,
        }


async def report_of(cluster: Cluster) -> ClusterReport:
    """Ask a cluster for everything; a broker that does not answer leaves gaps and no more."""
    view = await cluster.refresh(None)
    ends, watermarks = await asyncio.gather(_log_ends(cluster, view), _watermarks(cluster, view))
    rows = tuple(_row(at, partition, ends, watermarks.get(at)) for at, partition in _partitions(view))
    brokers = tuple(_broker(view, node_id) for node_id in sorted(view.brokers))
    controller = view.controller_id if view.controller_id >= 0 else None
    return ClusterReport(view.cluster_id, controller, brokers, rows, view)


def _partitions(view: ClusterView) -> Iterable[tuple[TopicPartition, PartitionInfo]]:
    # Whose cluster it is looks for topics of their own; the brokers' come last.
    for name, topic in sorted(view.topics.items(), key=lambda item: (item[0] in INTERNAL_TOPICS, item[0])):
        for partition in topic.partitions.values():
            yield TopicPartition(name, partition.index), partition


def _row(at: TopicPartition, view: PartitionInfo, ends: Mapping[int, Ends], high_watermark: int | None) -> PartitionRow:
    log_ends = {node_id: ends[node_id][at] for node_id in view.replicas if at in ends.get(node_id, {})}
    log_end = log_ends.get(view.leader)
    known = log_end is not None and high_watermark is not None
    return PartitionRow(
        topic=at.topic,
        partition=at.partition,
        leader=view.leader if view.leader >= 0 else None,
        leader_epoch=view.leader_epoch,
        replicas=view.replicas,
        isr=view.isr,
        log_end=log_end,
        high_watermark=high_watermark,
        # The two were asked one after the other, while others may have written.
        lag=max(log_end - high_watermark, 0) if known and log_end is not None and high_watermark is not None else None,
        log_ends=log_ends,
    )


def _broker(view: ClusterView, node_id: int) -> BrokerRow:
    partitions = [partition for _, partition in _partitions(view)]
    return BrokerRow(
        node_id,
        view.brokers[node_id].address,
        "running",
        leads=sum(partition.leader == node_id for partition in partitions),
        replicas=sum(node_id in partition.replicas for partition in partitions),
    )


async def _log_ends(cluster: Cluster, view: ClusterView) -> dict[int, Ends]:
    held = {
        node_id: [at for at, partition in _partitions(view) if node_id in partition.replicas]
        for node_id in view.brokers
    }
    answers = await asyncio.gather(*(_latest(cluster, node, ats, DEBUGGING_CONSUMER_ID) for node, ats in held.items()))
    return dict(zip(held, answers, strict=True))


async def _watermarks(cluster: Cluster, view: ClusterView) -> Ends:
    led = {
        node_id: [at for at, partition in _partitions(view) if partition.leader == node_id] for node_id in view.brokers
    }
    answers = await asyncio.gather(*(_latest(cluster, node, ats, CONSUMER_REPLICA_ID) for node, ats in led.items()))
    return {at: offset for answer in answers for at, offset in answer.items()}


async def _latest(cluster: Cluster, node_id: int, partitions: Sequence[TopicPartition], replica_id: int) -> Ends:
    """Ask one broker; what it refuses, or all of it where it cannot be reached, is left out."""
    if not partitions:
        return {}
    try:
        connection = await cluster.connection_to(node_id)
        answer = await connection.call(_request(partitions, replica_id), ListOffsetsResponse)
    except ClientError:
        return {}
    return {
        TopicPartition(topic.name, partition.partition_index): partition.offset
        for topic in answer.topics
        for partition in topic.partitions
        if not partition.error_code
    }


def _request(partitions: Sequence[TopicPartition], replica_id: int) -> ListOffsetsRequest:
    topics: dict[str, list[ListOffsetsPartition]] = {}
    for at in partitions:
        topics.setdefault(at.topic, []).append(
            ListOffsetsPartition(partition_index=at.partition, timestamp=LATEST_TIMESTAMP)
        )
    return ListOffsetsRequest(
        replica_id=replica_id,
        topics=[ListOffsetsTopic(name=name, partitions=asked) for name, asked in topics.items()],
    )


def print_brokers(report: ClusterReport, title: str = "") -> None:
    """Print a row for each broker."""
    rows = [
        (row.node_id, row.kafka, row.http, _plain(row.pid), row.state, row.leads, row.replicas, row.data)
        for row in report.brokers
    ]
    print_table(_BROKER_COLUMNS, rows, title=title)


def print_partitions(report: ClusterReport) -> None:
    """Print a row for each partition."""
    rows = [
        (
            row.topic,
            row.partition,
            row.leader,
            row.leader_epoch,
            row.replicas,
            row.isr,
            row.log_end,
            row.high_watermark,
            row.lag,
        )
        for row in report.partitions
    ]
    print_table(_PARTITION_COLUMNS, rows)


def _plain(number: int | None) -> str | None:
    """A process's number is a name: nothing is grouped in it."""
    return None if number is None else str(number)
