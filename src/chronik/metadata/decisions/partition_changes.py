"""How one state of a partition follows from another, and the guarded write that makes it so.

Every decision about in-sync sets and leaders is made of these few moves, so that each rule stands in one place:

- who leaves a set that is below its minimum stays eligible (``elr``), because the high watermark stands still there
  and he holds every committed record; the write that brings the set back to the minimum empties ``elr``;
- leaders come from the in-sync set, then from ``elr``; one from ``elr`` begins with itself as the in-sync set;
- every change of leader raises the leader epoch, and so does every change of replicas, which ends the term that knew
  the old ones.
"""

from collections.abc import Callable, Container, Iterable
from enum import Enum
from typing import NamedTuple

from chronik.metadata.image import keys
from chronik.metadata.image.image import Image, PartitionImage, PartitionPlace
from chronik.metadata.image.keys import PartitionState
from chronik.metadata.stores.plan import PlanStep, Refusal
from chronik.metadata.stores.port import Compare, CompareTarget, Put
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerEpoch, BrokerId, LeaderEpoch, PartitionEpoch, Revision, TopicPartition

MayLead = Callable[[BrokerId], bool]


class ElectionKind(Enum):
    """Where a leader was found, which says whether anything can be lost by it."""

    IN_SYNC = "in sync"
    ELIGIBLE = "eligible"
    LAST_KNOWN = "last known"
    UNCLEAN = "unclean"
    NOBODY = "nobody"

    @property
    def may_lose(self) -> bool:
        """Ask whether the leader may lack records that were acknowledged."""
        return self in (ElectionKind.LAST_KNOWN, ElectionKind.UNCLEAN)


class Election(NamedTuple):
    """A state with a new leader, or with none, and where the leader comes from."""

    state: PartitionState
    kind: ElectionKind


def with_in_sync(state: PartitionState, isr: Iterable[BrokerId]) -> PartitionState:
    """Change the in-sync set, and with it who is eligible besides."""
    after = tuple(isr)
    if len(after) >= state.required_in_sync:
        return state._replace(isr=after, elr=(), last_known=())
    elr = tuple(member for member in (*state.elr, *state.isr) if member not in after)
    return state._replace(isr=after, elr=elr, last_known=_without(state.last_known, (*after, *elr)))


def without_members(state: PartitionState, gone: Container[BrokerId]) -> PartitionState:
    """Take members out of the in-sync set who may come back with all that they held."""
    isr = _without(state.isr, gone)
    return state if isr == state.isr else with_in_sync(state, isr)


def without_trace(state: PartitionState, broker: BrokerId) -> PartitionState:
    """Take a member who may have lost records out of both sets, even as the last; ``last_known`` remembers him.

    All who left so since the set was last sufficient are remembered: when nobody is left, the best of them leads.
    """
    if broker not in state.isr and broker not in state.elr:
        return state
    after = without_members(state, (broker,))
    if len(after.isr) >= after.required_in_sync:
        return after._replace(elr=_without(after.elr, (broker,)))
    return after._replace(
        elr=_without(after.elr, (broker,)), last_known=(*_without(after.last_known, (broker,)), broker)
    )


def elect(state: PartitionState, may_lead: MayLead, *, unclean: bool = False) -> Election:
    """Give a partition another leader: in sync, else eligible, else (if that is allowed) any replica, else nobody."""
    leader = first_of(state, state.isr, may_lead)
    if leader is not None:
        return Election(state._replace(leader=leader), ElectionKind.IN_SYNC)
    leader = first_of(state, state.elr, may_lead)
    if leader is not None:
        return Election(with_in_sync(state, (leader,))._replace(leader=leader), ElectionKind.ELIGIBLE)
    leader = _any_replica(state, may_lead) if unclean else None
    if leader is not None:
        return Election(alone(state, leader), ElectionKind.UNCLEAN)
    return Election(state._replace(leader=NO_BROKER), ElectionKind.NOBODY)


def alone(state: PartitionState, leader: BrokerId) -> PartitionState:
    """Begin anew with a leader who may lack records: nobody else may claim to hold more than he does."""
    return state._replace(leader=leader, isr=(leader,), elr=(), last_known=())


def first_of(state: PartitionState, members: Container[BrokerId], may_lead: MayLead) -> BrokerId | None:
    """Choose who leads among members: the first in the order of the replicas, as the preferred leader is."""
    return next((broker for broker in state.replicas if broker in members and may_lead(broker)), None)


def _any_replica(state: PartitionState, may_lead: MayLead) -> BrokerId | None:
    settled = _without(state.replicas, state.adding)
    choices = (state.last_known, settled, state.adding)
    return next((found for some in choices if (found := first_of(state, some, may_lead)) is not None), None)


def finish_reassignment(state: PartitionState, may_lead: MayLead) -> PartitionState:
    """Let a reassignment's leavers go, if all who came are in sync and enough are without the leavers.

    Fewer than the minimum would leave committed records on fewer brokers than acks=all promised.
    """
    if not state.adding and not state.removing:
        return state
    staying = _without(state.isr, state.removing)
    replicas = _without(state.replicas, state.removing)
    done = state._replace(replicas=replicas, adding=(), removing=())
    if not set(state.adding) <= set(staying) or len(staying) < done.required_in_sync:
        return state
    done = with_in_sync(done, staying)
    if done.leader in staying:
        return done
    leader = first_of(done, staying, may_lead)
    return state if leader is None else done._replace(leader=leader)


def next_state(before: PartitionImage, after: PartitionState, *, new_term: bool = False) -> PartitionState:
    """Number a new state: each write is a partition epoch, each leader and each set of replicas a leader epoch."""
    new_term = new_term or after.leader != before.leader or set(after.replicas) != set(before.replicas)
    return after._replace(
        leader_epoch=LeaderEpoch(before.leader_epoch + new_term),
        partition_epoch=PartitionEpoch(before.partition_epoch + 1),
    )


def change_step(
    image: Image,
    place: PartitionPlace,
    after: PartitionState,
    guards: Iterable[Compare] = (),
    *,
    new_term: bool = False,
) -> PlanStep:
    """Write a partition's new state, if it is still the one that was decided on and the new leader still the one meant.

    A leader that registers anew resigns what it leads; comparing its broker epoch keeps an election that was decided
    before from reaching it afterwards.
    """
    topic, index, before = place
    key = keys.partition_key(topic.id, index)
    compares = [*guards, Compare(key, before.revision)]
    if after.leader not in (before.leader, NO_BROKER):
        compares.append(has_broker_epoch(after.leader, image.brokers[after.leader].broker_epoch))
    return PlanStep(tuple(compares), (Put(key, keys.encode_partition(next_state(before, after, new_term=new_term))),))


def has_broker_epoch(broker: BrokerId, broker_epoch: BrokerEpoch) -> Compare:
    """Compare that a broker is still registered with this broker epoch."""
    return Compare(keys.broker_key(broker), Revision(broker_epoch), CompareTarget.CREATE)


def own_registration(image: Image, broker: BrokerId) -> list[Compare]:
    """Compare that a broker is still registered as the image has it."""
    return [has_broker_epoch(broker, image.brokers[broker].broker_epoch)]


def not_registered(broker: BrokerId) -> Refusal:
    return Refusal(ErrorCode.STALE_BROKER_EPOCH, f"broker {broker} is not registered")


def name_of(place: PartitionPlace) -> TopicPartition:
    return TopicPartition(place[0].name, place[1])


def _without(members: tuple[BrokerId, ...], gone: Container[BrokerId]) -> tuple[BrokerId, ...]:
    return tuple(member for member in members if member not in gone)
