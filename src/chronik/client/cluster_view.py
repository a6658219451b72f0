"""The metadata of a cluster from one response: brokers, topics, partitions and their leaders."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self
from uuid import UUID

from chronik.client.errors import error_of
from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID
from chronik.protocol.generated.metadata import (
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)


@dataclass(frozen=True, slots=True)
class BrokerNode:
    """One broker and its address for clients."""

    node_id: int
    host: str
    port: int
    rack: str | None = None

    @property
    def address(self) -> str:
        """The address as host:port."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class PartitionInfo:
    """One partition: its leader and replicas."""

    index: int
    leader: int
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    offline: tuple[int, ...]
    error: ErrorCode


@dataclass(frozen=True, slots=True)
class TopicView:
    """One topic, with its partitions by index."""

    name: str
    topic_id: UUID
    is_internal: bool
    partitions: Mapping[int, PartitionInfo]
    error: ErrorCode

    @property
    def replication_factor(self) -> int:
        """The number of replicas of the partition that has the most."""
        return max((len(partition.replicas) for partition in self.partitions.values()), default=0)


@dataclass(frozen=True, slots=True)
class ClusterView:
    """Brokers and topics; only requested topics are in it."""

    cluster_id: str | None = None
    controller_id: int = -1
    brokers: Mapping[int, BrokerNode] = field(default_factory=dict)
    topics: Mapping[str, TopicView] = field(default_factory=dict)

    @classmethod
    def of(cls, answer: MetadataResponse) -> Self:
        brokers = {b.node_id: BrokerNode(b.node_id, b.host, b.port, b.rack) for b in answer.brokers}
        topics = {topic.name: _topic(topic) for topic in answer.topics if topic.name is not None}
        return cls(answer.cluster_id, answer.controller_id, brokers, topics)

    def merged_with(self, newer: "ClusterView") -> "ClusterView":
        """Return a newer view with the topics of this one that the newer one does not have."""
        return ClusterView(newer.cluster_id, newer.controller_id, newer.brokers, {**self.topics, **newer.topics})

    def without(self, topic: str) -> "ClusterView":
        """Return the view without a topic, so that it is requested again."""
        rest = {name: view for name, view in self.topics.items() if name != topic}
        return ClusterView(self.cluster_id, self.controller_id, self.brokers, rest)

    def topic_named(self, topic_id: UUID) -> str | None:
        """Return the name of a topic by its id."""
        return next((topic.name for topic in self.topics.values() if topic.topic_id == topic_id), None)


def _topic(topic: MetadataResponseTopic) -> TopicView:
    partitions = sorted((_partition(p) for p in topic.partitions), key=lambda partition: partition.index)
    return TopicView(
        name=topic.name or "",
        topic_id=topic.topic_id or ZERO_TOPIC_ID,
        is_internal=topic.is_internal,
        partitions={partition.index: partition for partition in partitions},
        error=error_of(topic.error_code),
    )


def _partition(partition: MetadataResponsePartition) -> PartitionInfo:
    return PartitionInfo(
        index=partition.partition_index,
        leader=partition.leader_id,
        leader_epoch=partition.leader_epoch,
        replicas=tuple(partition.replica_nodes),
        isr=tuple(partition.isr_nodes),
        offline=tuple(partition.offline_replicas or ()),
        error=error_of(partition.error_code),
    )
