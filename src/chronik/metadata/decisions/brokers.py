"""Decisions about brokers that start: registering, resigning, leaving sets after a loss; blocks of producer ids."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from chronik.metadata.decisions.host_changes import host_of, host_step
from chronik.metadata.decisions.partition_changes import (
    change_step,
    elect,
    first_of,
    name_of,
    not_registered,
    own_registration,
    without_trace,
)
from chronik.metadata.image import keys
from chronik.metadata.image.image import Image, PartitionPlace
from chronik.metadata.image.keys import Host, Registration
from chronik.metadata.stores.plan import Plan, Refusal, Step, pack
from chronik.metadata.stores.port import ABSENT, Compare, CompareTarget, Delete, LeaseId, Put
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerId, ProducerId, TopicPartition

PRODUCER_ID_BLOCK: Final = 1_000


class ProducerIdBlock(NamedTuple):
    """Producer ids that one broker may hand out, each once."""

    first: ProducerId
    size: int = PRODUCER_ID_BLOCK


class Registered(NamedTuple):
    """How a broker was registered. A lossy one must leave all sets before it serves."""

    is_lossy: bool


class LeftPartition(NamedTuple):
    """A partition whose sets a lossy broker left. Where he was the last, acknowledged records may be lost."""

    partition: TopicPartition
    was_last: bool


def plan_register_broker(
    image: Image,
    registration: Registration,
    new_cluster_id: str,
    lease: LeaseId | None,
    *,
    flushes_every_append: bool,
    found_damage: bool = False,
) -> Plan[Registered]:
    """Register a broker that starts, or starts again. ``new_cluster_id`` is taken if the cluster has no id yet.

    The earlier registration is deleted before the new one is written, because a broker epoch is a create revision.
    What the earlier registration led is resigned in the same transactions as its deletion: a leader epoch belongs to
    one broker epoch, and the new one serves only after its own registration, which comes last. A broker that must
    truncate what it has reported sets ``found_damage``, and counts as lossy.
    """
    broker = registration.broker_id
    is_lossy = found_damage or may_have_lost(image, registration, flushes_every_append=flushes_every_append)
    steps = [*_found_cluster(image, new_cluster_id), *_end_registration(image, broker), *_end_control(image, broker)]
    steps.extend(_resignation(image, place, broker, is_lossy=is_lossy) for place in image.partitions_led_by(broker))
    register = _registration_step(image, registration, lease, is_lossy=is_lossy)
    if broker in image.brokers:
        # A transaction names no key twice.
        return Plan((*pack(steps), *pack([register])), Registered(is_lossy))
    return Plan(pack([*steps, register]), Registered(is_lossy))


def may_have_lost(image: Image, registration: Registration, *, flushes_every_append: bool) -> bool:
    """Ask whether a broker that starts may lack records that it had reported before.

    Another directory holds none of them. Another boot of the kernel kept only what was flushed, unless the broker was
    closed in order: its mark names the broker's last epoch. What once was so stays so until all sets are left.
    """
    before = image.hosts.get(registration.broker_id)
    if before is None:
        return False
    if before.is_lossy or before.directory_id != registration.directory_id:
        return True
    same_boot = bool(registration.boot_id) and before.boot_id == registration.boot_id
    return not (same_boot or flushes_every_append or registration.closed_broker_epoch == before.broker_epoch)


def plan_leave_sets(image: Image, broker: BrokerId) -> Plan[tuple[LeftPartition, ...]] | Refusal:
    """Take a lossy broker out of every in-sync and eligible set, even as the last; others lead where they can."""
    if broker not in image.brokers:
        return not_registered(broker)
    places = [place for place in image.all_partitions() if _is_in_sets(place, broker)]
    guards = own_registration(image, broker)
    steps = [_leaving(image, place, broker, guards) for place in places]
    return Plan(pack(steps), tuple(_left(place, broker) for place in places))


def plan_clear_lossy(image: Image, broker: BrokerId) -> Plan[None] | Refusal:
    """Note that a lossy broker has left all sets: its next start need not be taken for lossy."""
    if broker not in image.brokers:
        return not_registered(broker)
    remaining = next((place for place in image.all_partitions() if _is_in_sets(place, broker)), None)
    if remaining:
        return Refusal(ErrorCode.INELIGIBLE_REPLICA, f"broker {broker} has not left {name_of(remaining)}")
    host = host_of(image, broker)._replace(is_lossy=False)
    return Plan(pack([host_step(image, broker, host)]), None)


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


def _end_registration(image: Image, broker: BrokerId) -> Iterator[Step]:
    before = image.brokers.get(broker)
    if before:
        key = keys.broker_key(broker)
        yield Step((Compare(key, before.revision),), (Delete(key),))


def _end_control(image: Image, broker: BrokerId) -> Iterator[Step]:
    """Give up the office that the earlier registration held: its lease may last for a while yet."""
    held = image.controller
    if held and held.broker_id == broker:
        guard = Compare(keys.CONTROLLER, held.created, CompareTarget.CREATE)
        yield Step((guard,), (Delete(keys.CONTROLLER),))


def _resignation(image: Image, place: PartitionPlace, broker: BrokerId, *, is_lossy: bool) -> Step:
    """End a term: another in-sync member leads, else the broker itself in the next term, unless it may lack records."""
    state = place[2].state
    leader = first_of(state, state.isr, lambda other: other != broker and image.may_lead(other))
    if leader is None:
        leader = NO_BROKER if is_lossy else broker
    return change_step(image, place, state._replace(leader=leader), new_term=True)


def _registration_step(image: Image, registration: Registration, lease: LeaseId | None, *, is_lossy: bool) -> Step:
    broker = registration.broker_id
    key, host_key = keys.broker_key(broker), keys.host_key(broker)
    known = image.hosts.get(broker)
    host = Host(registration.directory_id, registration.boot_id, broker_epoch=None, is_lossy=is_lossy)
    return Step(
        (Compare(key, ABSENT), Compare(host_key, known.revision if known else ABSENT)),
        (Put(key, keys.encode_registration(registration), lease), Put(host_key, keys.encode_host(host))),
    )


def _is_in_sets(place: PartitionPlace, broker: BrokerId) -> bool:
    return broker in place[2].isr or broker in place[2].elr


def _leaving(image: Image, place: PartitionPlace, broker: BrokerId, guards: list[Compare]) -> Step:
    after = without_trace(place[2].state, broker)
    if after.leader in (broker, NO_BROKER):
        after = elect(after, lambda other: other != broker and image.may_lead(other)).state
    return change_step(image, place, after, guards)


def _left(place: PartitionPlace, broker: BrokerId) -> LeftPartition:
    return LeftPartition(name_of(place), {*place[2].isr, *place[2].elr} == {broker})
