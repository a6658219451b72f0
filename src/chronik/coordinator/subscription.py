"""What a consumer's metadata says about the topics that it subscribes to."""

from struct import error as PackingError  # noqa: N812 - the module's own name says nothing at the place of use
from struct import unpack_from
from typing import Final

from chronik.protocol.errors import ProtocolError
from chronik.protocol.generated.consumer_protocol_subscription import ConsumerProtocolSubscription

CONSUMER: Final = "consumer"
"""The protocol type whose metadata is a subscription."""

_VERSION_BYTES: Final = 2
_VERSION_MAX: Final = ConsumerProtocolSubscription.versions[-1]


def topics_of(metadata: bytes) -> frozenset[str] | None:
    """The subscribed topics; None where the bytes are not a subscription.

    A version yet to come is read as the newest known one, and bytes left over belong to it: so it was agreed for this
    form, whose versions only ever append.
    """
    try:
        (version,) = unpack_from(">h", metadata)
        decoder = ConsumerProtocolSubscription.decoders[min(version, _VERSION_MAX)]
        view = memoryview(metadata)[_VERSION_BYTES:]
        subscription, _ = decoder(view, len(view))
    except (ProtocolError, PackingError, LookupError, ValueError):
        return None
    return frozenset(subscription.topics)
