"""Decisions about brokers that stop in order: others lead before they go."""

from typing import NamedTuple

from chronik.metadata.decisions.host_changes import host_of, host_step
from chronik.metadata.decisions.partition_changes import (
    change_step,
    first_of,
    name_of,
    not_registered,
    own_registration,
    with_in_sync,
)
from chronik.metadata.image.image import Image, PartitionPlace
from chronik.metadata.stores.plan import Plan, Refusal, Step, pack
from chronik.model.ids import NO_BROKER, BrokerId, TopicPartition


class HandedOver(NamedTuple):
    """What a stopping broker gave away, and what nobody else could take."""

    moved: tuple[TopicPartition, ...]
    kept: tuple[TopicPartition, ...]


def plan_hand_over(image: Image, broker: BrokerId) -> Plan[HandedOver] | Refusal:
    """Prepare a broker's stop: others lead what it led, and it leaves the in-sync sets, but for those it alone is in.

    First it is marked as stopping, so that no leader takes it in again.
    """
    if broker not in image.brokers:
        return not_registered(broker)
    host = host_of(image, broker)
    steps = [] if host.is_stopping else [host_step(image, broker, host._replace(is_stopping=True))]
    moved: list[TopicPartition] = []
    kept: list[TopicPartition] = []
    for place in image.all_partitions():
        step = _hand_over_step(image, place, broker) if broker in place[2].isr else None
        if step is not None:
            steps.append(step)
        if place[2].leader == broker:
            (kept if step is None else moved).append(name_of(place))
    return Plan(pack(steps), HandedOver(tuple(moved), tuple(kept)))


def _hand_over_step(image: Image, place: PartitionPlace, broker: BrokerId) -> Step | None:
    """Let a broker leave a partition's in-sync set, where somebody else leads or can lead; None elsewhere."""
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
