"""Topics in Metadata and DescribeTopicPartitions: the image, and the offline replicas of this broker."""

from collections.abc import Callable
from dataclasses import dataclass

from chronik.metadata.image.image import Image, PartitionImage, TopicImage
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerId

IsOffline = Callable[[str, int], bool]
"""Whether a replica of this broker is offline, by topic and partition."""


@dataclass(frozen=True, slots=True)
class PartitionDescription:
    """One partition as responses describe it."""

    index: int
    error: ErrorCode
    leader: BrokerId
    leader_epoch: int
    replicas: list[int]
    isr: list[int]
    elr: list[int]
    last_known: list[int]
    offline_replicas: list[int]


def describe_partition(
    image: Image, is_offline: IsOffline, node_id: BrokerId, topic: TopicImage, index: int
) -> PartitionDescription:
    """Describe a partition. Its leader is a registered broker that can serve it, or NO_BROKER."""
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
