"""Topics as Metadata and DescribeTopicPartitions show them: the image, and what this broker knows of its own disk."""

from collections.abc import Callable
from dataclasses import dataclass

from chronik.metadata.image.image import Image, PartitionImage, TopicImage
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerId

IsOffline = Callable[[str, int], bool]
"""Whether the log of a replica on this broker cannot be served, by topic and partition."""


@dataclass(frozen=True, slots=True)
class PartitionDescription:
    """One partition as clients are told of it."""

    index: int
    error: ErrorCode
    leader: BrokerId
    leader_epoch: int
    replicas: list[int]
    isr: list[int]
    elr: list[int]
    last_known: list[int]
    offline_replicas: list[int]


def view_partition(
    image: Image, is_offline: IsOffline, node_id: BrokerId, topic: TopicImage, index: int
) -> PartitionDescription:
    """Show a partition; the leader that is named is a live broker that can serve it, or none."""
    partition = topic.partitions[index]
    offline = _offline_replicas(image, is_offline, node_id, topic, index, partition)
    has_leader = partition.leader != NO_BROKER and partition.leader not in offline
    return PartitionDescription(
        index=index,
        error=ErrorCode.NONE if has_leader else ErrorCode.LEADER_NOT_AVAILABLE,
        leader=partition.leader if has_leader else NO_BROKER,
        leader_epoch=partition.leader_epoch,
        replicas=list(partition.replicas),
        isr=list(partition.isr),
        elr=list(partition.elr),
        last_known=list(partition.last_known),
        offline_replicas=offline,
    )


def _offline_replicas(
    image: Image, is_offline: IsOffline, node_id: BrokerId, topic: TopicImage, index: int, partition: PartitionImage
) -> list[int]:
    return [
        replica
        for replica in partition.replicas
        if replica not in image.brokers or (replica == node_id and is_offline(topic.name, index))
    ]
