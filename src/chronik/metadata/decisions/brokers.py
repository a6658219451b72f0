"""Decisions about brokers: registration, leaving ISR and ELR after a loss, controlled shutdown; producer id blocks."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from chronik.metadata.decisions.partition_changes import (
    change_step,
    elect,
    first_of,
    name_of,
    not_registered,
    own_registration,
    with_in_sync,
    without_trace,
)
from chronik.metadata.image import keys
from chronik.metadata.image.image import Image, PartitionPlace
from chronik.metadata.image.keys import Host, Registration
from chronik.metadata.stores.plan import Plan, PlanStep, Refusal, pack
from chronik.metadata.stores.port import ABSENT, Compare, CompareTarget, Delete, LeaseId, Put
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerId, ProducerId, TopicPartition

PRODUCER_ID_BLOCK: Final = 1_000


class ProducerIdBlock(NamedTuple):
    """Producer ids that one broker may assign, each once."""

    first: ProducerId
    size: int = PRODUCER_ID_BLOCK


class Registered(NamedTuple):
    """The result of a registration. A lossy broker must leave all ISRs and ELRs before it serves."""

    is_lossy: bool


class LeftPartition(NamedTuple):
    """A partition whose ISR and ELR a lossy broker left.

    If it was the last member, acknowledged records may be lost.
    """

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
    """Register a broker that starts. ``new_cluster_id`` is used if the cluster has no id yet.

    The earlier registration is deleted before the new one is written, because a broker epoch is a create revision. The
    same transactions end all its leaderships: a leader epoch belongs to one broker epoch, and the new one serves only
    after its own registration, which comes last. A broker that must truncate records that it has reported sets
    ``found_damage`` and counts as lossy.
    """
    broker = registration.broker_id
    is_lossy = found_damage or may_have_lost(image, registration, flushes_every_append=flushes_every_append)
    steps = [*_found_cluster(image, new_cluster_id), *_end_registration(image, broker), *_end_control(image, broker)]
    steps.extend(_resignation(image, place, broker, is_lossy=is_lossy) for place in image.partitions_led_by(broker))
    register = _registration_step(image, registration, lease, is_lossy=is_lossy)
    if broker in image.brokers:
        # A transaction may name a key only once.
        return Plan((*pack(steps), *pack([register])), Registered(is_lossy))
    return Plan(pack([*steps, register]), Registered(is_lossy))


def may_have_lost(image: Image, registration: Registration, *, flushes_every_append: bool) -> bool:
    """Return whether a broker that starts may lack records that it had reported before.

    Another data directory holds none of them. After a reboot only flushed records are left, unless the broker was
    closed cleanly: its clean-shutdown mark names its last broker epoch. A broker stays lossy until it has left all
    sets.
    """
    before = image.hosts.get(registration.broker_id)
    if before is None:
        return False
    if before.is_lossy or before.directory_id != registration.directory_id:
        return True
    same_boot = bool(registration.boot_id) and before.boot_id == registration.boot_id
    return not (same_boot or flushes_every_append or registration.closed_broker_epoch == before.broker_epoch)


def plan_leave_sets(image: Image, broker: BrokerId) -> Plan[tuple[LeftPartition, ...]] | Refusal:
    """Remove a lossy broker from every ISR and ELR, even as the last member, and elect other leaders where possible."""
    if broker not in image.brokers:
        return not_registered(broker)
    places = [place for place in image.all_partitions() if _is_in_sets(place, broker)]
    guards = own_registration(image, broker)
    steps = [_leaving(image, place, broker, guards) for place in places]
    return Plan(pack(steps), tuple(_left(place, broker) for place in places))


def plan_clear_lossy(image: Image, broker: BrokerId) -> Plan[None] | Refusal:
    """Record that a lossy broker has left all ISRs and ELRs, so that its next start is not lossy."""
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
    step = PlanStep(
        (Compare(keys.PRODUCER_IDS, before.revision),), (Put(keys.PRODUCER_IDS, keys.encode_producer_ids(after)),)
    )
    return Plan(pack([step]), ProducerIdBlock(before.next_producer_id))


def _found_cluster(image: Image, new_cluster_id: str) -> Iterator[PlanStep]:
    if image.cluster_id is None:
        yield PlanStep((Compare(keys.CLUSTER, ABSENT),), (Put(keys.CLUSTER, keys.encode_cluster(new_cluster_id)),))


def _end_registration(image: Image, broker: BrokerId) -> Iterator[PlanStep]:
    before = image.brokers.get(broker)
    if before:
        key = keys.broker_key(broker)
        yield PlanStep((Compare(key, before.revision),), (Delete(key),))


def _end_control(image: Image, broker: BrokerId) -> Iterator[PlanStep]:
    """End the controllership of the earlier registration, whose lease may not have expired yet."""
    held = image.controller
    if held and held.broker_id == broker:
        guard = Compare(keys.CONTROLLER, held.created, CompareTarget.CREATE)
        yield PlanStep((guard,), (Delete(keys.CONTROLLER),))


def _resignation(image: Image, place: PartitionPlace, broker: BrokerId, *, is_lossy: bool) -> PlanStep:
    """End a term: another ISR member leads, else the same broker in a new term, unless it may lack records."""
    state = place[2].state
    leader = first_of(state, state.isr, lambda other: other != broker and image.may_lead(other))
    if leader is None:
        leader = NO_BROKER if is_lossy else broker
    return change_step(image, place, state._replace(leader=leader), new_term=True)


def _registration_step(image: Image, registration: Registration, lease: LeaseId | None, *, is_lossy: bool) -> PlanStep:
    broker = registration.broker_id
    key, host_key = keys.broker_key(broker), keys.host_key(broker)
    known = image.hosts.get(broker)
    host = Host(registration.directory_id, registration.boot_id, broker_epoch=None, is_lossy=is_lossy)
    return PlanStep(
        (Compare(key, ABSENT), Compare(host_key, known.revision if known else ABSENT)),
        (Put(key, keys.encode_registration(registration), lease), Put(host_key, keys.encode_host(host))),
    )


def _is_in_sets(place: PartitionPlace, broker: BrokerId) -> bool:
    return broker in place[2].isr or broker in place[2].elr


def _leaving(image: Image, place: PartitionPlace, broker: BrokerId, guards: list[Compare]) -> PlanStep:
    after = without_trace(place[2].state, broker)
    if after.leader in (broker, NO_BROKER):
        after = elect(after, lambda other: other != broker and image.may_lead(other)).state
    return change_step(image, place, after, guards)


def _left(place: PartitionPlace, broker: BrokerId) -> LeftPartition:
    return LeftPartition(name_of(place), {*place[2].isr, *place[2].elr} == {broker})


def host_of(image: Image, broker: BrokerId) -> Host:
    """Return the host record of a registered broker."""
    known = image.hosts.get(broker)
    if known:
        return known.host
    registered = image.brokers[broker]
    return Host(registered.registration.directory_id, registered.registration.boot_id, registered.broker_epoch)


def host_step(image: Image, broker: BrokerId, host: Host) -> PlanStep:
    """Write a broker's host record, guarded by its registration and by the record's revision."""
    known = image.hosts.get(broker)
    key = keys.host_key(broker)
    guards = [*own_registration(image, broker), Compare(key, known.revision if known else ABSENT)]
    return PlanStep(tuple(guards), (Put(key, keys.encode_host(host)),))


class ControlledShutdown(NamedTuple):
    """The partitions that a stopping broker handed over, and those without another possible leader."""

    moved: tuple[TopicPartition, ...]
    kept: tuple[TopicPartition, ...]


def plan_controlled_shutdown(image: Image, broker: BrokerId) -> Plan[ControlledShutdown] | Refusal:
    """Prepare a controlled shutdown: elect other leaders, and leave the ISRs in which there are other members.

    The broker is marked as stopping first, so that no leader adds it to an ISR again.
    """
    if broker not in image.brokers:
        return not_registered(broker)
    host = host_of(image, broker)
    steps = [] if host.is_stopping else [host_step(image, broker, host._replace(is_stopping=True))]
    moved: list[TopicPartition] = []
    kept: list[TopicPartition] = []
    for place in image.all_partitions():
        step = _shutdown_step(image, place, broker) if broker in place[2].isr else None
        if step is not None:
            steps.append(step)
        if place[2].leader == broker:
            (kept if step is None else moved).append(name_of(place))
    return Plan(pack(steps), ControlledShutdown(tuple(moved), tuple(kept)))


def _shutdown_step(image: Image, place: PartitionPlace, broker: BrokerId) -> PlanStep | None:
    """Remove a broker from a partition's ISR if another broker leads or can lead; return None otherwise."""
    state = place[2].state
    others = tuple(member for member in state.isr if member != broker)
    leader = state.leader
    if leader == broker:
        found = first_of(state, others, image.may_lead)
        leader = NO_BROKER if found is None else found
    if leader == NO_BROKER:
        return None
    after = with_in_sync(state, others)._replace(leader=leader)
    return change_step(image, place, after, own_registration(image, broker))
