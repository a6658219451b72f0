"""The resource of a config request: a topic, one broker, or all brokers."""

from dataclasses import dataclass

from chronik.metadata.image.image import Image
from chronik.metadata.stores.plan import Refusal
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId
from chronik.protocol.config_resources import ResourceType


@dataclass(frozen=True, slots=True)
class TopicResource:
    """A topic's configs."""

    name: str


@dataclass(frozen=True, slots=True)
class BrokerResource:
    """The dynamic configs of one broker, or of all."""

    broker_id: BrokerId | None


Resource = TopicResource | BrokerResource


def find_resource(resource_type: int, name: str, image: Image) -> Resource | Refusal:
    """Return a resource, or why it has no configs."""
    if resource_type == ResourceType.TOPIC:
        if name in image.topics:
            return TopicResource(name)
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {name!r}")
    if resource_type == ResourceType.BROKER:
        return _find_broker(name, image)
    return Refusal(ErrorCode.INVALID_REQUEST, f"configs of resource type {resource_type} are not supported")


def _find_broker(name: str, image: Image) -> Resource | Refusal:
    if name == "":
        return BrokerResource(None)
    if not name.isascii() or not name.isdigit():
        return Refusal(ErrorCode.INVALID_REQUEST, f"a broker is named by its id, not by {name!r}")
    broker_id = BrokerId(int(name))
    if broker_id not in image.brokers:
        return Refusal(ErrorCode.INVALID_REQUEST, f"there is no broker {broker_id}")
    return BrokerResource(broker_id)
