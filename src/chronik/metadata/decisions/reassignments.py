"""Decisions about moving replicas: start, change or cancel a reassignment.

During a reassignment a partition has the old and the new replicas. The controller removes the old ones when all new
ones are in sync. A cancellation is a reassignment back, so that in-sync replicas leave in the same safe way.
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
    """The requested replicas of a partition, the preferred leader first; None cancels a reassignment."""

    partition: TopicPartition
    replicas: Sequence[BrokerId] | None


class OngoingReassignment(NamedTuple):
    """A partition whose replicas are being moved."""

    partition: TopicPartition
    replicas: tuple[BrokerId, ...]
    adding: tuple[BrokerId, ...]
    removing: tuple[BrokerId, ...]


def plan_reassign(
    image: Image, requested: Iterable[ReassignmentRequest], *, allow_replication_factor_change: bool = True
) -> Plan[dict[TopicPartition, Refusal | None]]:
    """Start, change or cancel reassignments. Each partition has its own result; None means accepted."""
    results: dict[TopicPartition, Refusal | None] = {}
    steps: list[PlanStep] = []
    for request in requested:
        decided = _decide(image, request, allow_change=allow_replication_factor_change)
        if request.partition in results:
            decided = Refusal(ErrorCode.INVALID_REQUEST, f"{request.partition} occurs more than once in the request")
        results[request.partition] = decided if isinstance(decided, Refusal) else None
        steps.extend([decided] if isinstance(decided, PlanStep) else [])
    return Plan(pack(steps), results)


def list_reassignments(image: Image) -> Iterator[OngoingReassignment]:
    """Return all ongoing reassignments, by name and index."""
    for place in image.unsettled_partitions():
        _, _, partition = place
        if partition.adding or partition.removing:
            yield OngoingReassignment(name_of(place), partition.replicas, partition.adding, partition.removing)


def _decide(image: Image, request: ReassignmentRequest, *, allow_change: bool) -> PlanStep | Refusal | None:
    topic = image.topics.get(request.partition.topic)
    if topic is None:
        message = f"Unable to find a topic named {request.partition.topic}."
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, message)
    index = request.partition.partition
    partition = image.partition(topic.name, index)
    if partition is None:
        return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Unable to find partition {topic.name}:{index}.")
    target = _target(image, partition, request.replicas, allow_change=allow_change)
    return target if isinstance(target, Refusal) else _moving_step(image, (topic, index, partition), target)


def _target(
    image: Image, partition: PartitionImage, requested: Sequence[BrokerId] | None, *, allow_change: bool
) -> tuple[BrokerId, ...] | Refusal:
    before = _before_moving(partition)
    if requested is None:
        if partition.adding or partition.removing:
            return before
        return Refusal(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, "No partition reassignment is in progress.")
    problem = _rejection_of_replicas(image, requested)
    if problem:
        return Refusal(ErrorCode.INVALID_REPLICA_ASSIGNMENT, problem)
    if len(requested) != len(before) and not allow_change:
        message = f"The replication factor is changed from {len(before)} to {len(requested)}"
        return Refusal(ErrorCode.INVALID_REPLICATION_FACTOR, message)
    return tuple(requested)


def _before_moving(partition: PartitionImage) -> tuple[BrokerId, ...]:
    return tuple(broker for broker in partition.replicas if broker not in partition.adding)


def _rejection_of_replicas(image: Image, requested: Sequence[BrokerId]) -> str | None:
    unknown = [broker for broker in requested if broker not in image.brokers]
    repeated = [broker for broker, times in Counter(requested).items() if times > 1]
    if not requested:
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
    """Return the state that moves the replicas to the target.

    A replica of an earlier request that is in ISR, ELR or ``last_known`` may hold committed records, so it leaves with
    the old replicas, when all new ones are in sync.
    """
    counted_on = (*state.isr, *state.elr, *state.last_known)
    newcomers = [broker for broker in state.adding if broker in counted_on and broker not in target]
    removing = (*(broker for broker in before if broker not in target), *newcomers)
    adding = tuple(broker for broker in target if broker not in before)
    return state._replace(replicas=(*target, *removing), adding=adding, removing=removing)
