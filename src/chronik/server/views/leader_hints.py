"""The current leader in responses to misdirected requests (KIP-951), from the metadata image."""

from collections.abc import Iterable
from typing import NamedTuple

from chronik.metadata.image.image import Image
from chronik.model.ids import NO_BROKER, BrokerId, LeaderEpoch, TopicId


class LeaderHint(NamedTuple):
    """The leader of a partition."""

    id: BrokerId
    epoch: LeaderEpoch


class BrokerAddress(NamedTuple):
    """The address of a broker, in the order of the protocol's fields."""

    node_id: int
    host: str
    port: int
    rack: str | None


def leader_of(image: Image, topic: str | TopicId, index: int) -> LeaderHint | None:
    """Return the leader of a partition if it is registered, else None."""
    found = image.topics.get(topic) if isinstance(topic, str) else image.topic_by_id(topic)
    if found is None or not 0 <= index < len(found.partitions):
        return None
    state = found.partitions[index]
    if state.leader == NO_BROKER or state.leader not in image.brokers:
        return None
    return LeaderHint(state.leader, state.leader_epoch)


def endpoints_of(image: Image, brokers: Iterable[int], listener: str) -> list[BrokerAddress]:
    """Return the addresses of some brokers on one listener, by id."""
    addresses = []
    for broker_id in sorted(brokers):
        broker = image.brokers.get(BrokerId(broker_id))
        endpoint = None if broker is None else broker.endpoint(listener)
        if broker is not None and endpoint is not None:
            addresses.append(BrokerAddress(broker_id, endpoint.host, endpoint.port, broker.rack))
    return addresses
