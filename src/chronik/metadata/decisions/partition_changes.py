"""How one state of a partition follows from another, and the guarded write of the new state.

All decisions about ISRs and leaders are built from these functions, so that each rule is in one place:

- a member that leaves an ISR below its minimum stays in the ELR, because the high watermark does not move there and
  the member holds every committed record; the write that brings the ISR back to the minimum empties the ELR;
- leaders come from the ISR, then from the ELR; a leader from the ELR starts with itself as the ISR;
- every change of leader raises the leader epoch; so does every change of replicas, which ends the term that knew
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
    """Where a leader comes from, which decides whether acknowledged records can be lost."""

    IN_SYNC = "in sync"
    ELIGIBLE = "eligible"
    LAST_KNOWN = "last known"
    UNCLEAN = "unclean"
    NOBODY = "nobody"

    @property
    def may_lose(self) -> bool:
        """Return whether the leader may lack acknowledged records."""
        return self in (ElectionKind.LAST_KNOWN, ElectionKind.UNCLEAN)


class Election(NamedTuple):
    """A state with a new leader or none, and where the leader comes from."""

    state: PartitionState
    kind: ElectionKind


def with_in_sync(state: PartitionState, isr: Iterable[BrokerId]) -> PartitionState:
    """Change the ISR, and with it the ELR."""
    after = tuple(isr)
    if len(after) >= state.required_in_sync:
        return state._replace(isr=after, elr=(), last_known=())
    elr = tuple(member for member in (*state.elr, *state.isr) if member not in after)
    return state._replace(isr=after, elr=elr, last_known=_without(state.last_known, (*after, *elr)))


def without_members(state: PartitionState, gone: Container[BrokerId]) -> PartitionState:
    """Remove members from the ISR that keep their records."""
    isr = _without(state.isr, gone)
    return state if isr == state.isr else with_in_sync(state, isr)


def without_trace(state: PartitionState, broker: BrokerId) -> PartitionState:
    """Remove a member that may have lost records from ISR and ELR, even as the last; ``last_known`` records it.

    ``last_known`` holds all members that left this way since the ISR was last large enough: if no other replica is
    left, the best of them leads.
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
    """Elect a leader: from the ISR, else from the ELR, else (if allowed) any replica, else none."""
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
    """Start over with a leader that may lack records: no other replica may count as having more."""
    return state._replace(leader=leader, isr=(leader,), elr=(), last_known=())


def first_of(state: PartitionState, members: Container[BrokerId], may_lead: MayLead) -> BrokerId | None:
    """Return the first eligible member in replica order, which starts with the preferred leader."""
    return next((broker for broker in state.replicas if broker in members and may_lead(broker)), None)


def _any_replica(state: PartitionState, may_lead: MayLead) -> BrokerId | None:
    settled = _without(state.replicas, state.adding)
    choices = (state.last_known, settled, state.adding)
    return next((found for some in choices if (found := first_of(state, some, may_lead)) is not None), None)


def finish_reassignment(state: PartitionState, may_lead: MayLead) -> PartitionState:
    """Complete a reassignment if all added replicas are in sync, and enough are in sync without the removed ones.

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
    """Set the epochs of a new state: every write has a partition epoch, every change of leader or replicas a leader
    epoch.
    """
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
    """Write a partition's new state, guarded by its revision and by the new leader's broker epoch.

    A leader that registers again gives up its leaderships; the guard keeps an earlier election from reaching it later.
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
    """Compare that a broker is still registered with the image's broker epoch."""
    return [has_broker_epoch(broker, image.brokers[broker].broker_epoch)]


def not_registered(broker: BrokerId) -> Refusal:
    return Refusal(ErrorCode.STALE_BROKER_EPOCH, f"broker {broker} is not registered")


def name_of(place: PartitionPlace) -> TopicPartition:
    return TopicPartition(place[0].name, place[1])


def _without(members: tuple[BrokerId, ...], gone: Container[BrokerId]) -> tuple[BrokerId, ...]:
    return tuple(member for member in members if member not in gone)
