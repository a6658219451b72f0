"""The brokers and the controller in responses: from the metadata image alone, so all brokers return the same."""

from chronik.metadata.image.image import Image
from chronik.model.ids import NO_BROKER, BrokerId
from chronik.server.views.leader_hints import BrokerAddress, endpoints_of


def brokers_of(image: Image, listener: str) -> list[BrokerAddress]:
    """Return the brokers that have a listener of this name, by id."""
    return endpoints_of(image, image.brokers, listener)


def controller_of(image: Image) -> BrokerId:
    """Return the current controller, or NO_BROKER."""
    return NO_BROKER if image.controller is None else image.controller.broker_id
