"""Requested elections: by an administrator, by the preferred-leader balancing, or by unclean recovery.

Every write is guarded by the partition and by the new leader's broker epoch, and by the controller key where only the
controller may ask.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple

from chronik.metadata.decisions.elections import Elected
from chronik.metadata.decisions.partition_changes import (
    ElectionKind,
    alone,
    change_step,
    elect,
    has_broker_epoch,
    name_of,
    without_members,
)
from chronik.metadata.image import keys
from chronik.metadata.image.image import Image, PartitionImage, PartitionPlace
from chronik.metadata.image.keys import PartitionState
from chronik.metadata.stores.plan import Plan, Refusal, pack
from chronik.metadata.stores.port import Compare, CompareTarget
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerEpoch, BrokerId, LeaderEpoch, Offset, TopicId, TopicPartition


class ElectionType(IntEnum):
    """The requested kind of leader; the numbers are the wire's."""

    PREFERRED = 0
    UNCLEAN = 1


class LogEnd(NamedTuple):
    """The end of a replica's log, and the epoch of the broker that reported it."""

    epoch: LeaderEpoch
    offset: Offset
    broker_epoch: BrokerEpoch


class _Won(NamedTuple):
    """A possible election."""

    place: PartitionPlace
    state: PartitionState
    kind: ElectionKind

    @property
    def elected(self) -> Elected:
        epoch = LeaderEpoch(self.place[2].leader_epoch + 1)
        return Elected(name_of(self.place), self.state.leader, epoch, self.kind)


def plan_elect_leaders(
    image: Image, requested: Iterable[TopicPartition] | None, kind: ElectionType
) -> Plan[dict[TopicPartition, Elected | Refusal]]:
    """Elect leaders, for all partitions where ``requested`` is None; each partition has its own result."""
    named = map(name_of, image.all_partitions()) if requested is None else requested
    places = {partition: _place_of(image, partition) for partition in named}
    elections = {
        partition: place if isinstance(place, Refusal) else _requested(image, place, kind)
        for partition, place in places.items()
    }
    steps = [change_step(image, won.place, won.state) for won in elections.values() if isinstance(won, _Won)]
    return Plan(pack(steps), {name: won.elected if isinstance(won, _Won) else won for name, won in elections.items()})


def plan_rebalance_preferred(
    image: Image, broker: BrokerId, imbalance_percent_max: int = 0
) -> Plan[tuple[Elected, ...]]:
    """Return leadership to preferred leaders whose share is below the limit. Only the controller does this."""
    held = image.controller
    if held is None or held.broker_id != broker:
        return Plan((), ())
    guard = Compare(keys.CONTROLLER, held.created, CompareTarget.CREATE)
    imbalanced = _imbalanced(image, imbalance_percent_max)
    places = (place for place in image.all_partitions() if place[2].replicas[0] in imbalanced)
    wins = [won for place in places if isinstance(won := _preferred(image, place), _Won)]
    steps = [change_step(image, won.place, won.state, [guard]) for won in wins]
    return Plan(pack(steps), tuple(won.elected for won in wins))


def plan_unclean_recovery(
    image: Image, topic_id: TopicId, index: int, ends: Mapping[BrokerId, LogEnd]
) -> Plan[Elected] | Refusal:
    """Elect the replica with the longest log of a leaderless partition. Only the controller does this.

    All members of ``last_known`` must have answered. Other replicas may have answered too: the longest log of the
    latest epoch wins. Each answer counts only for the broker epoch that gave it.
    """
    topic = image.topic_by_id(topic_id)
    if topic is None or not 0 <= index < len(topic.partitions):
        return Refusal(ErrorCode.UNKNOWN_TOPIC_ID, f"there is no partition {index} of a topic with the id {topic_id}")
    place = (topic, index, topic.partitions[index])
    refusal = _rejection_of_recovery(image, place[2], ends)
    held = image.controller
    if refusal or held is None:
        return refusal or Refusal(ErrorCode.NOT_CONTROLLER, "there is no controller")
    state = place[2].state
    candidates = [member for member in state.replicas if member in ends]
    best = max(candidates, key=lambda member: ends[member][:2])
    guards = [Compare(keys.CONTROLLER, held.created, CompareTarget.CREATE)]
    guards += [has_broker_epoch(member, ends[member].broker_epoch) for member in candidates if member != best]
    won = _Won(place, alone(state, best), ElectionKind.LAST_KNOWN)
    return Plan(pack([change_step(image, place, won.state, guards)]), won.elected)


def _place_of(image: Image, partition: TopicPartition) -> PartitionPlace | Refusal:
    topic = image.topics.get(partition.topic)
    if topic is None:
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"No such topic as {partition.topic}")
    found = image.partition(partition.topic, partition.partition)
    if found is None:
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"No such partition as {partition}")
    return topic, partition.partition, found


def _requested(image: Image, place: PartitionPlace, kind: ElectionType) -> _Won | Refusal:
    return _preferred(image, place) if kind is ElectionType.PREFERRED else _unclean(image, place)


def _preferred(image: Image, place: PartitionPlace) -> _Won | Refusal:
    partition = place[2]
    preferred = partition.replicas[0]
    if partition.leader == preferred:
        return _not_needed()
    if preferred not in partition.isr or not image.may_lead(preferred):
        message = f"Broker {preferred} cannot be made the leader now."
        return Refusal(ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE, message)
    return _Won(place, partition.state._replace(leader=preferred), ElectionKind.IN_SYNC)


def _unclean(image: Image, place: PartitionPlace) -> _Won | Refusal:
    partition = place[2]
    if partition.leader in image.brokers:
        return _not_needed()
    dead = [member for member in partition.isr if member not in image.brokers]
    election = elect(without_members(partition.state, dead), image.may_lead, unclean=True)
    if election.kind is ElectionKind.NOBODY:
        message = "No replica that is alive can lead the partition."
        return Refusal(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, message)
    return _Won(place, *election)


def _not_needed() -> Refusal:
    return Refusal(ErrorCode.ELECTION_NOT_NEEDED, "Leader election not needed for topic partition.")


def _imbalanced(image: Image, percent_max: int) -> set[BrokerId]:
    """Return the brokers that lead too few of the partitions whose preferred leader they are."""
    preferred: Counter[BrokerId] = Counter()
    missing: Counter[BrokerId] = Counter()
    for _, _, partition in image.all_partitions():
        preferred[partition.replicas[0]] += 1
        missing[partition.replicas[0]] += partition.leader != partition.replicas[0]
    return {broker for broker, count in missing.items() if count * 100 > preferred[broker] * percent_max}


def _rejection_of_recovery(image: Image, partition: PartitionImage, ends: Mapping[BrokerId, LogEnd]) -> Refusal | None:
    if partition.leader != NO_BROKER or partition.isr or partition.elr or not partition.last_known:
        return _not_needed()
    missing = [member for member in partition.last_known if member not in ends]
    if missing:
        return Refusal(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, f"brokers {missing} have not answered")
    return next(_stale_answers(image, partition, ends), None)


def _stale_answers(image: Image, partition: PartitionImage, ends: Mapping[BrokerId, LogEnd]) -> Iterator[Refusal]:
    for member, end in sorted(ends.items()):
        registered = image.brokers.get(member)
        if member not in partition.replicas:
            yield Refusal(ErrorCode.INELIGIBLE_REPLICA, f"broker {member} holds no replica")
        elif registered is None or registered.broker_epoch != end.broker_epoch or not image.may_lead(member):
            message = f"broker {member} is not there any more as it answered"
            yield Refusal(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, message)
