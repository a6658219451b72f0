"""Decisions about brokers: registering, resigning what an earlier start led, handing out blocks of producer ids."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from chronik.metadata import keys
from chronik.metadata.image import Image, PartitionImage
from chronik.metadata.keys import PartitionState, Registration
from chronik.metadata.plan import Plan, Step, pack
from chronik.metadata.store import ABSENT, Compare, Delete, Put
from chronik.model.ids import BrokerId, LeaderEpoch, PartitionEpoch, ProducerId

PRODUCER_ID_BLOCK: Final = 1_000


class ProducerIdBlock(NamedTuple):
    """Producer ids that one broker may hand out, each once."""

    first: ProducerId
    size: int = PRODUCER_ID_BLOCK


def plan_register_broker(image: Image, registration: Registration, new_cluster_id: str) -> Plan[None]:
    """Register a broker that starts. ``new_cluster_id`` is taken if the cluster has no id yet.

    The earlier registration is deleted before the new one is written, because an incarnation is a create revision.
    What the earlier incarnation led is resigned in the same transactions as its deletion: an epoch belongs to one
    incarnation, and the new one serves only after its own registration, which comes last.
    """
    steps = [*_found_cluster(image, new_cluster_id), *_end_registration(image, registration.broker_id)]
    steps.extend(_resign(image, registration.broker_id))
    key = keys.broker_key(registration.broker_id)
    register = Step((Compare(key, ABSENT),), (Put(key, keys.encode_registration(registration)),))
    if registration.broker_id in image.brokers:
        # A transaction names no key twice.
        return Plan((*pack(steps), *pack([register])), None)
    return Plan(pack([*steps, register]), None)


def plan_producer_id_block(image: Image) -> Plan[ProducerIdBlock]:
    """Reserve the next block of producer ids."""
    before = image.producer_ids
    after = ProducerId(before.next_producer_id + PRODUCER_ID_BLOCK)
    step = Step(
        (Compare(keys.PRODUCER_IDS, before.revision),), (Put(keys.PRODUCER_IDS, keys.encode_producer_ids(after)),)
    )
    return Plan(pack([step]), ProducerIdBlock(before.next_producer_id))


def _found_cluster(image: Image, new_cluster_id: str) -> Iterator[Step]:
    if image.cluster_id is None:
        yield Step((Compare(keys.CLUSTER, ABSENT),), (Put(keys.CLUSTER, keys.encode_cluster(new_cluster_id)),))


def _end_registration(image: Image, broker_id: BrokerId) -> Iterator[Step]:
    before = image.brokers.get(broker_id)
    if before:
        key = keys.broker_key(broker_id)
        yield Step((Compare(key, before.revision),), (Delete(key),))


def _resign(image: Image, broker_id: BrokerId) -> Iterator[Step]:
    for topic, index, partition in image.partitions_led_by(broker_id):
        key = keys.partition_key(topic.id, index)
        yield Step((Compare(key, partition.revision),), (Put(key, keys.encode_partition(_next_term(partition))),))


def _next_term(partition: PartitionImage) -> PartitionState:
    return partition.state._replace(
        leader_epoch=LeaderEpoch(partition.leader_epoch + 1),
        partition_epoch=PartitionEpoch(partition.partition_epoch + 1),
    )
