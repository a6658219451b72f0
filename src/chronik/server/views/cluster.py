"""The brokers and their controller as clients are told of them: from the image alone, so all brokers say the same."""

from collections.abc import Iterator
from typing import NamedTuple

from chronik.metadata.image.image import Image
from chronik.model.ids import NO_BROKER, BrokerId


class BrokerView(NamedTuple):
    """A broker as one listener's clients reach it."""

    id: BrokerId
    host: str
    port: int
    rack: str | None


def brokers_of(image: Image, listener: str) -> Iterator[BrokerView]:
    """List the brokers that have a listener of this name, by id."""
    for _, broker in sorted(image.brokers.items()):
        endpoint = broker.endpoint(listener)
        if endpoint is not None:
            yield BrokerView(broker.id, endpoint.host, endpoint.port, broker.rack)


def controller_of(image: Image) -> BrokerId:
    """The broker that is the controller now, or none."""
    return NO_BROKER if image.controller is None else image.controller.broker_id
