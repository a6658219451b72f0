"""Which broker coordinates a group: the leader of the partition of ``__consumer_offsets`` that the group id hashes to.

Only the metadata image decides, so all brokers return the same coordinator.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from chronik.coordinator.shard import partition_of
from chronik.metadata.image.image import Image, TopicImage
from chronik.metadata.image.keys import Endpoint
from chronik.metadata.stores.plan import Refusal
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerId
from chronik.model.topics import OFFSETS_TOPIC

REMEMBERED_GROUPS_MAX: Final = 16_384


class CoordinatorAddress(NamedTuple):
    """The broker that coordinates a group, as one listener's clients reach it."""

    broker: BrokerId
    endpoint: Endpoint


@lru_cache(REMEMBERED_GROUPS_MAX)
def offsets_partition_of(group_id: str, partition_count: int) -> int:
    """Return the partition of a group. Cached, because the hash loops over the letters of the id."""
    return partition_of(group_id, partition_count)


def offsets_topic_in(image: Image) -> TopicImage | None:
    return image.topics.get(OFFSETS_TOPIC)


def leader_of(image: Image, group_id: str) -> BrokerId:
    """Return the leader of a group's partition, or NO_BROKER."""
    topic = offsets_topic_in(image)
    if topic is None:
        return NO_BROKER
    return topic.partitions[offsets_partition_of(group_id, len(topic.partitions))].leader


def coordinator_of(image: Image, group_id: str, listener: str) -> CoordinatorAddress | Refusal:
    """Return the coordinator of a group, or why there is none now."""
    if offsets_topic_in(image) is None:
        return not_available(f"{OFFSETS_TOPIC} is being created")
    leader = leader_of(image, group_id)
    broker = image.brokers.get(leader)
    if broker is None:
        return not_available("the group's partition has no leader now")
    endpoint = broker.endpoint(listener)
    if endpoint is None:
        return not_available(f"broker {leader} has no listener {listener}")
    return CoordinatorAddress(leader, endpoint)


def not_available(message: str) -> Refusal:
    return Refusal(ErrorCode.COORDINATOR_NOT_AVAILABLE, message)
