"""Decisions about moving replicas: which brokers get a partition, which give it up, and how a wish is taken back.

While replicas move, a partition has the old and the new ones. The old go when all of the new are in sync, which the
controller sees to. Cancelling is moving back: whoever came already and is in sync goes the same safe way.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from chronik.metadata.decisions.partition_changes import change_step, finish_reassignment, name_of
from chronik.metadata.image.image import Image, PartitionImage, PartitionPlace
from chronik.metadata.image.keys import PartitionState
from chronik.metadata.stores.plan import Plan, PlanStep, Refusal, pack
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, TopicPartition


class ReassignmentRequest(NamedTuple):
    """Which brokers shall hold a partition, the preferred leader first; None takes an earlier wish back."""

    partition: TopicPartition
    replicas: Sequence[BrokerId] | None


class OngoingReassignment(NamedTuple):
    """A partition whose replicas move."""

    partition: TopicPartition
    replicas: tuple[BrokerId, ...]
    adding: tuple[BrokerId, ...]
    removing: tuple[BrokerId, ...]


def plan_reassign(
    image: Image, wishes: Iterable[ReassignmentRequest], *, allow_replication_factor_change: bool = True
) -> Plan[dict[TopicPartition, Refusal | None]]:
    """Begin, change or take back reassignments; each partition gets its own answer, None where it was agreed to."""
    results: dict[TopicPartition, Refusal | None] = {}
    steps: list[PlanStep] = []
    for wish in wishes:
        decided = _decide(image, wish, allow_change=allow_replication_factor_change)
        if wish.partition in results:
            decided = Refusal(ErrorCode.INVALID_REQUEST, f"{wish.partition} stands more than once in one request")
        results[wish.partition] = decided if isinstance(decided, Refusal) else None
        steps.extend([decided] if isinstance(decided, PlanStep) else [])
    return Plan(pack(steps), results)


def list_reassignments(image: Image) -> Iterator[OngoingReassignment]:
    """Give every partition whose replicas move, by name and index."""
    for place in image.unsettled_partitions():
        _, _, partition = place
        if partition.adding or partition.removing:
            yield OngoingReassignment(name_of(place), partition.replicas, partition.adding, partition.removing)


def _decide(image: Image, wish: ReassignmentRequest, *, allow_change: bool) -> PlanStep | Refusal | None:
    topic = image.topics.get(wish.partition.topic)
    if topic is None:
        message = f"Unable to find a topic named {wish.partition.topic}."
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, message)
    index = wish.partition.partition
    partition = image.partition(topic.name, index)
    if partition is None:
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Unable to find partition {topic.name}:{index}.")
    target = _target(image, partition, wish.replicas, allow_change=allow_change)
    return target if isinstance(target, Refusal) else _moving_step(image, (topic, index, partition), target)


def _target(
    image: Image, partition: PartitionImage, wished: Sequence[BrokerId] | None, *, allow_change: bool
) -> tuple[BrokerId, ...] | Refusal:
    before = _before_moving(partition)
    if wished is None:
        if partition.adding or partition.removing:
            return before
        return Refusal(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, "No partition reassignment is in progress.")
    problem = _rejection_of_replicas(image, wished)
    if problem:
        return Refusal(ErrorCode.INVALID_REPLICA_ASSIGNMENT, problem)
    if len(wished) != len(before) and not allow_change:
        message = f"The replication factor is changed from {len(before)} to {len(wished)}"
        return Refusal(ErrorCode.INVALID_REPLICATION_FACTOR, message)
    return tuple(wished)


def _before_moving(partition: PartitionImage) -> tuple[BrokerId, ...]:
    return tuple(broker for broker in partition.replicas if broker not in partition.adding)


def _rejection_of_replicas(image: Image, wished: Sequence[BrokerId]) -> str | None:
    unknown = [broker for broker in wished if broker not in image.brokers]
    repeated = [broker for broker, times in Counter(wished).items() if times > 1]
    if not wished:
        return "The manual partition assignment includes an empty replica list."
    if unknown:
        return f"The manual partition assignment includes broker {unknown[0]}, but no such broker is registered."
    if repeated:
        return f"The manual partition assignment includes the broker {repeated[0]} more than once."
    return None


def _moving_step(image: Image, place: PartitionPlace, target: tuple[BrokerId, ...]) -> PlanStep | None:
    partition = place[2]
    after = finish_reassignment(_moving(partition.state, _before_moving(partition), target), image.may_lead)
    return None if after == partition.state else change_step(image, place, after)


def _moving(state: PartitionState, before: tuple[BrokerId, ...], target: tuple[BrokerId, ...]) -> PartitionState:
    """Set out from the replicas before any move for the target.

    A newcomer of an earlier wish who is in a set, or remembered as having been, is counted on, so he may not simply
    vanish: he leaves as the old ones do.
    """
    counted_on = (*state.isr, *state.elr, *state.last_known)
    newcomers = [broker for broker in state.adding if broker in counted_on and broker not in target]
    removing = (*(broker for broker in before if broker not in target), *newcomers)
    adding = tuple(broker for broker in target if broker not in before)
    return state._replace(replicas=(*target, *removing), adding=adding, removing=removing)
