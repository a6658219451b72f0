"""The controller: how a broker becomes it, and what it does when brokers come and go.

The controller is a key on its holder's lease. Its work is derived from the image, never remembered, so that a new
controller continues where the last one stopped. Every write is guarded by the controller key and the partition, so a
former controller that does not know of its loss can do no harm.
"""

from collections.abc import Iterator, Set
from itertools import islice
from typing import Final, NamedTuple

from chronik.metadata.decisions.partition_changes import (
    Election,
    ElectionKind,
    change_step,
    elect,
    finish_reassignment,
    has_broker_epoch,
    name_of,
    not_registered,
    without_members,
)
from chronik.metadata.image import keys
from chronik.metadata.image.image import Image, PartitionPlace, TopicImage
from chronik.metadata.image.keys import PartitionState
from chronik.metadata.stores.plan import Plan, PlanStep, Refusal, pack
from chronik.metadata.stores.port import ABSENT, Compare, CompareTarget, LeaseId, Put
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerId, LeaderEpoch, TopicPartition

UNCLEAN_ELECTION: Final = "unclean.leader.election.enable"
WORK_AT_ONCE_MAX: Final = 500


class ElectionRules(NamedTuple):
    """Election settings, where neither the topic nor the cluster's dynamic configs have them."""

    unclean_election: bool = False


class Elected(NamedTuple):
    """A partition that got another leader, or lost its last one (``NO_BROKER``)."""

    partition: TopicPartition
    leader: BrokerId
    leader_epoch: LeaderEpoch
    kind: ElectionKind


class ControllerReport(NamedTuple):
    """The controller's work, for the log."""

    elected: tuple[Elected, ...] = ()
    shrunk: tuple[TopicPartition, ...] = ()
    """Partitions that kept their leader while dead members left the ISR."""
    reassigned: tuple[TopicPartition, ...] = ()
    """Partitions whose reassignment is complete."""


def plan_take_control(image: Image, broker: BrokerId, lease: LeaseId) -> Plan[None] | Refusal:
    """Become the controller, if there is none and the broker is registered."""
    held = image.controller
    if held is not None:
        return Refusal(ErrorCode.NOT_CONTROLLER, f"broker {held.broker_id} is the controller")
    registered = image.brokers.get(broker)
    if registered is None:
        return not_registered(broker)
    guards = (Compare(keys.CONTROLLER, ABSENT), has_broker_epoch(broker, registered.broker_epoch))
    return Plan(pack([PlanStep(guards, (Put(keys.CONTROLLER, keys.encode_controller(broker), lease),))]), None)


def next_controller_work(image: Image, broker: BrokerId, rules: ElectionRules) -> Plan[ControllerReport] | None:
    """Return the controller's next changes; None where there is nothing to do or another broker is the controller.

    Dead members leave ISRs in the same writes that elect, because acks=all would wait for them. The work is limited per
    call, since the search blocks the event loop; call again until it returns None.
    """
    held = image.controller
    if held is None or held.broker_id != broker or not image.unsettled:
        return None
    work = list(islice(_all_work(image, rules), WORK_AT_ONCE_MAX))
    if not work:
        return None
    guard = Compare(keys.CONTROLLER, held.created, CompareTarget.CREATE)
    return Plan(pack(change_step(image, done.place, done.state, [guard]) for done in work), _report(work))


class _Work(NamedTuple):
    place: PartitionPlace
    state: PartitionState
    kind: ElectionKind

    @property
    def is_election(self) -> bool:
        return self.state.leader != self.place[2].leader

    @property
    def is_reassigned(self) -> bool:
        return self.state.replicas != self.place[2].replicas

    @property
    def is_shrunk(self) -> bool:
        return not self.is_election and not self.is_reassigned


def _all_work(image: Image, rules: ElectionRules) -> Iterator[_Work]:
    candidates = frozenset(filter(image.may_lead, image.brokers))
    places = [place for place in image.unsettled_partitions() if not _is_hopeless(image, place, rules, candidates)]
    # Leaderless partitions come first: the others are being served.
    places.sort(key=lambda place: place[2].leader in image.brokers)
    return (found for place in places if (found := _work_of(image, place, rules)))


def _is_hopeless(image: Image, place: PartitionPlace, rules: ElectionRules, candidates: Set[BrokerId]) -> bool:
    """Return, cheaply, whether nothing can be done: many partitions may wait for one broker while others change."""
    topic, _, partition = place
    if partition.leader != NO_BROKER or any(member not in image.brokers for member in partition.isr):
        return False
    if is_unclean_allowed(image, topic, rules):
        return candidates.isdisjoint(partition.replicas)
    return candidates.isdisjoint(partition.isr) and candidates.isdisjoint(partition.elr)


def _work_of(image: Image, place: PartitionPlace, rules: ElectionRules) -> _Work | None:
    topic, _, partition = place
    state = without_members(partition.state, [member for member in partition.isr if member not in image.brokers])
    state = finish_reassignment(state, image.may_lead)
    election = Election(state, ElectionKind.IN_SYNC)
    if state.leader not in image.brokers:
        election = elect(state, image.may_lead, unclean=is_unclean_allowed(image, topic, rules))
    return _Work(place, *election) if election.state != partition.state else None


def is_unclean_allowed(image: Image, topic: TopicImage, rules: ElectionRules) -> bool:
    """Return whether a replica that may lack acknowledged records may become the leader when no other can."""
    value = topic.configs.get(UNCLEAN_ELECTION) or image.configs_of_broker(None).get(UNCLEAN_ELECTION)
    return rules.unclean_election if value is None else value == "true"


def _report(work: list[_Work]) -> ControllerReport:
    shrunk = (name_of(done.place) for done in work if done.is_shrunk)
    reassigned = (name_of(done.place) for done in work if done.is_reassigned)
    return ControllerReport(tuple(_elected(work)), tuple(shrunk), tuple(reassigned))


def _elected(work: list[_Work]) -> Iterator[Elected]:
    for done in work:
        if done.is_election:
            epoch = LeaderEpoch(done.place[2].leader_epoch + 1)
            yield Elected(name_of(done.place), done.state.leader, epoch, done.kind)
