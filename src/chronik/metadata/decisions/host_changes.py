"""What is remembered of a broker besides its registration, and the guarded write that changes it."""

from chronik.metadata.decisions.partition_changes import own_registration
from chronik.metadata.image import keys
from chronik.metadata.image.image import Image
from chronik.metadata.image.keys import Host
from chronik.metadata.stores.plan import Step
from chronik.metadata.stores.port import ABSENT, Compare, Put
from chronik.model.ids import BrokerId


def host_of(image: Image, broker: BrokerId) -> Host:
    """Give what is remembered of a registered broker, to be changed."""
    known = image.hosts.get(broker)
    if known:
        return known.host
    registered = image.brokers[broker]
    return Host(registered.registration.directory_id, registered.registration.boot_id, registered.broker_epoch)


def host_step(image: Image, broker: BrokerId, host: Host) -> Step:
    """Write what is remembered of a broker, if it is still registered as it is and nobody else wrote it."""
    known = image.hosts.get(broker)
    key = keys.host_key(broker)
    guards = [*own_registration(image, broker), Compare(key, known.revision if known else ABSENT)]
    return Step(tuple(guards), (Put(key, keys.encode_host(host)),))
