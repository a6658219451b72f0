"""Decisions of a partition's leader about its ISR.

These decisions are never repeated on a newer image: the leader judged its followers by the state that it saw, and must
judge them again after a conflict. So a change on an outdated state is refused, with the guard that failed.
"""

from collections.abc import Mapping
from typing import NamedTuple

from chronik.metadata.decisions.partition_changes import change_step, has_broker_epoch, with_in_sync
from chronik.metadata.image import keys
from chronik.metadata.image.image import Image, PartitionImage, PartitionPlace
from chronik.metadata.stores.plan import Plan, Refusal, pack
from chronik.metadata.stores.port import Compare
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerEpoch, BrokerId, Revision, TopicId


class LeaderClaim(NamedTuple):
    """The leader that requests a change, and the revision that it saw: the guards of its changes."""

    broker: BrokerId
    broker_epoch: BrokerEpoch
    partition_revision: Revision


def plan_change_isr(
    image: Image,
    topic_id: TopicId,
    index: int,
    broker: BrokerId,
    broker_epoch: BrokerEpoch,
    *,
    isr: tuple[BrokerId, ...],
    added: Mapping[BrokerId, BrokerEpoch],
    partition_revision: Revision,
) -> Plan[None] | Refusal:
    """Write the ISR that a leader proposes; ``added`` holds the broker epochs from the joining followers' fetches."""
    place = _claimed(image, topic_id, index, LeaderClaim(broker, broker_epoch, partition_revision))
    if isinstance(place, Refusal):
        return place
    partition = place[2]
    assert broker in isr, f"leader {broker} would leave its own in-sync set"
    assert set(isr) - set(partition.isr) == set(added), f"{isr} after {partition.isr}, but {sorted(added)} were added"
    refusal = _rejection_of_added(image, partition, added)
    if refusal:
        return refusal
    guards = [has_broker_epoch(broker, broker_epoch)]
    for member, fetched_by in sorted(added.items()):
        guards += [has_broker_epoch(member, fetched_by), _same_host(image, member)]
    return Plan(pack([change_step(image, place, with_in_sync(partition.state, isr), guards)]), None)


def plan_rewrite_unchanged(
    image: Image,
    topic_id: TopicId,
    index: int,
    broker: BrokerId,
    broker_epoch: BrokerEpoch,
    *,
    partition_revision: Revision,
) -> Plan[None] | Refusal:
    """Write a partition unchanged, so that an older change with unknown outcome fails its compare."""
    place = _claimed(image, topic_id, index, LeaderClaim(broker, broker_epoch, partition_revision))
    if isinstance(place, Refusal):
        return place
    return Plan(pack([change_step(image, place, place[2].state, [has_broker_epoch(broker, broker_epoch)])]), None)


def _claimed(image: Image, topic_id: TopicId, index: int, claim: LeaderClaim) -> PartitionPlace | Refusal:
    topic = image.topic_by_id(topic_id)
    if topic is None or not 0 <= index < len(topic.partitions):
        message = f"there is no partition {index} of a topic with the id {topic_id}"
        return Refusal(ErrorCode.UNKNOWN_TOPIC_ID, message)
    partition = topic.partitions[index]
    return _rejection_of_claim(image, partition, claim) or (topic, index, partition)


def _rejection_of_claim(image: Image, partition: PartitionImage, claim: LeaderClaim) -> Refusal | None:
    if partition.revision != claim.partition_revision:
        message = f"the partition is at revision {partition.revision}, not at {claim.partition_revision} any more"
        return Refusal(ErrorCode.INVALID_UPDATE_VERSION, message)
    registered = image.brokers.get(claim.broker)
    if registered is None or registered.broker_epoch != claim.broker_epoch:
        message = f"broker {claim.broker} is not registered with epoch {claim.broker_epoch} any more"
        return Refusal(ErrorCode.STALE_BROKER_EPOCH, message)
    if partition.leader != claim.broker:
        return Refusal(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"broker {partition.leader} leads, not {claim.broker}")
    return None


def _rejection_of_added(
    image: Image, partition: PartitionImage, added: Mapping[BrokerId, BrokerEpoch]
) -> Refusal | None:
    for member, fetched_by in sorted(added.items()):
        registered = image.brokers.get(member)
        if member not in partition.replicas:
            problem = f"broker {member} holds no replica"
        elif registered is None or registered.broker_epoch != fetched_by:
            problem = f"broker {member} is not registered with epoch {fetched_by} any more"
        elif not image.may_lead(member):
            problem = f"broker {member} is stopping, or may have lost records"
        else:
            continue
        return Refusal(ErrorCode.INELIGIBLE_REPLICA, problem)
    return None


def _same_host(image: Image, member: BrokerId) -> Compare:
    """Compare that a member has not begun to stop: that is written with its host record, not its registration."""
    host = image.hosts.get(member)
    return Compare(keys.host_key(member), host.revision if host else Revision(0))
