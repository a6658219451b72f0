"""Decisions about topics: create, place partitions, add partitions, delete.

Pure: the topic id comes with the request. After a conflict the same request is decided again; a topic that exists with
the requested id was then created by this request.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from chronik.metadata.configs.validation import MIN_INSYNC_REPLICAS, rejection_of_topic_configs
from chronik.metadata.decisions.placement import Load, place, racks_of
from chronik.metadata.image import keys
from chronik.metadata.image.image import Image, TopicImage
from chronik.metadata.image.keys import PartitionState, TopicRecord
from chronik.metadata.stores.plan import Plan, PlanStep, Refusal, in_chunks, pack
from chronik.metadata.stores.port import ABSENT, TRANSACTION_OPS_MAX, Compare, CompareTarget, Delete, Put, Write
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, LeaderEpoch, PartitionEpoch, Revision, TopicId
from chronik.model.topics import rejection_of_topic_name
from chronik.protocol.constants import BROKER_DEFAULT

Assignment = Mapping[int, Sequence[BrokerId]]
NO_ASSIGNMENT: Final[Assignment] = MappingProxyType({})


class ClusterRules(NamedTuple):
    """Defaults and limits for topics."""

    num_partitions: int = 1
    default_replication_factor: int = 1
    min_insync_replicas: int = 1
    topics_max: int = 10_000
    partitions_max: int = 100_000
    partitions_per_topic_max: int = 10_000


class TopicRequest(NamedTuple):
    """A topic to create; the requester has drawn its id."""

    name: str
    id: TopicId
    partition_count: int = BROKER_DEFAULT
    replication_factor: int = BROKER_DEFAULT
    assignment: Assignment = NO_ASSIGNMENT
    configs: Mapping[str, str | None] = keys.NOTHING


class CreatedTopic(NamedTuple):
    """A topic as it was created, or would be."""

    name: str
    id: TopicId
    partition_count: int
    replication_factor: int
    configs: Mapping[str, str]


class NewPartitions(NamedTuple):
    """A request for ``total_count`` partitions of a topic; an assignment is for the new ones, in order."""

    topic: str
    total_count: int
    assignment: Sequence[Sequence[BrokerId]] | None = None


_Placement = list[tuple[BrokerId, ...]]


def plan_create_topics(
    image: Image, topics: Sequence[TopicRequest], rules: ClusterRules, *, validate_only: bool = False
) -> Plan[dict[str, CreatedTopic | Refusal]]:
    """Decide which topics are created; each name has its own result."""
    draft = _Creation(image, rules)
    times = Counter(topic.name for topic in topics)
    results = {topic.name: draft.decide(topic, times[topic.name]) for topic in topics}
    return Plan(() if validate_only else pack(draft.steps), results)


class _Creation:
    """The topics of one request; later ones see the load, names and count of the earlier ones."""

    def __init__(self, image: Image, rules: ClusterRules) -> None:
        self._image = image
        self._rules = rules
        self._load: Load | None = None
        self._taken: dict[str, str] = {}
        self._topics_left = rules.topics_max - len(image.topics)
        self._partitions_left = rules.partitions_max - image.partition_count
        self.steps: list[PlanStep] = []

    @property
    def load(self) -> Load:
        """Counted at the first placement only, because it visits all partitions."""
        if self._load is None:
            self._load = Load.of(self._image)
        return self._load

    def decide(self, topic: TopicRequest, times: int) -> CreatedTopic | Refusal:
        if times > 1:
            return Refusal(ErrorCode.INVALID_REQUEST, f"topic {topic.name!r} occurs {times} times in one request")
        own = self._image.topic_by_id(topic.id)
        if own is not None:
            return _created(own.record, len(own.partitions[0].replicas))
        refusal = self._rejection_of_name(topic.name) or _rejection_of_configs(topic.configs)
        if refusal:
            return refusal
        placement = self._place(topic)
        if isinstance(placement, Refusal):
            return placement
        return self._why_too_many(topic.name, len(placement)) or self._create(topic, placement)

    def _rejection_of_name(self, name: str) -> Refusal | None:
        problem = rejection_of_topic_name(name)
        if problem:
            return Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION, problem)
        key = keys.topic_key(name)
        other = self._image.names_by_key.get(key) or self._taken.get(key)
        if other == name:
            return Refusal(ErrorCode.TOPIC_ALREADY_EXISTS, f"topic {name!r} already exists")
        if other is not None:
            message = (
                f"topic {name!r} collides with {other!r}: names that differ only in '.' and '_' share metric names"
            )
            return Refusal(ErrorCode.INVALID_TOPIC_EXCEPTION, message)
        return None

    def _place(self, topic: TopicRequest) -> _Placement | Refusal:
        if topic.assignment:
            return _manual_placement(topic, self._image)
        count = self._rules.num_partitions if topic.partition_count == BROKER_DEFAULT else topic.partition_count
        refusal = self._rejection_of_count(topic.name, count)
        if refusal:
            return refusal
        factor = topic.replication_factor
        factor = self._rules.default_replication_factor if factor == BROKER_DEFAULT else factor
        racks = racks_of(self._image, factor)
        if not 1 <= factor <= len(racks):
            return _bad_factor(factor, len(racks))
        return place(count, factor, racks, self.load)

    def _rejection_of_count(self, name: str, count: int) -> Refusal | None:
        """Return the reason against a partition count, before any placement: a huge number must cost nothing."""
        if 1 <= count <= self._rules.partitions_per_topic_max:
            return None
        message = (
            f"topic {name!r} cannot have {count} partitions: 1 to {self._rules.partitions_per_topic_max} are allowed"
        )
        return Refusal(ErrorCode.INVALID_PARTITIONS, message)

    def _why_too_many(self, name: str, count: int) -> Refusal | None:
        if self._topics_left < 1:
            return Refusal(ErrorCode.POLICY_VIOLATION, f"the cluster has {self._rules.topics_max} topics, its limit")
        if count > self._partitions_left:
            message = (
                f"topic {name!r} wants {count} partitions, but {max(self._partitions_left, 0)} are left"
                f" of the cluster's limit of {self._rules.partitions_max}"
            )
            return Refusal(ErrorCode.POLICY_VIOLATION, message)
        return self._rejection_of_count(name, count)

    def _create(self, topic: TopicRequest, placement: _Placement) -> CreatedTopic:
        configs = {name: value for name, value in topic.configs.items() if value is not None}
        record = TopicRecord(topic.name, topic.id, len(placement), configs)
        minimum = effective_min_insync(self._image, configs, self._rules)
        states = [_fresh_state(replicas, minimum) for replicas in placement]
        self.steps.extend(_creation_steps(self._image, record, states))
        self._taken[keys.topic_key(topic.name)] = topic.name
        self._topics_left -= 1
        self._partitions_left -= len(placement)
        return _created(record, len(placement[0]))


def effective_min_insync(image: Image, topic_configs: Mapping[str, str], rules: ClusterRules) -> int:
    """Return ``min.insync.replicas``: from the topic's config, the cluster's dynamic config, or the settings."""
    for configs in (topic_configs, image.configs_of_broker(None)):
        if MIN_INSYNC_REPLICAS in configs:
            return int(configs[MIN_INSYNC_REPLICAS])
    return rules.min_insync_replicas


def find_topics(image: Image, names: Iterable[str], ids: Iterable[TopicId]) -> list[TopicImage | Refusal]:
    """Find topics by name and by id, in the order of the request."""
    by_name = [image.topics.get(name) or _unknown_name(name) for name in names]
    by_id = [image.topic_by_id(topic_id) or _unknown_id(topic_id) for topic_id in ids]
    return [*by_name, *by_id]


def plan_delete_topics(image: Image, topic_ids: Iterable[TopicId]) -> Plan[None]:
    """Delete topics by id; a missing topic counts as deleted.

    The topic keys are deleted first, so that no half of a topic is visible; the partition keys follow.
    """
    heads: list[PlanStep] = []
    partitions: list[PlanStep] = []
    for topic_id in topic_ids:
        topic = image.topic_by_id(topic_id)
        if topic:
            key = keys.topic_key(topic.name)
            heads.append(PlanStep((Compare(key, topic.revision),), (Delete(key),)))
        claimed = range(len(topic.partitions)) if topic else ()
        indexes = sorted({*claimed, *image.unclaimed.get(topic_id, {})})
        partitions.extend(PlanStep((), (Delete(keys.partition_key(topic_id, index)),)) for index in indexes)
    return Plan(pack([*heads, *partitions]), None)


def plan_remove_unclaimed(image: Image) -> Plan[int]:
    """Delete partitions without a topic, which a crash during a creation or deletion has left.

    Only safe while no other broker creates topics, whose new partitions it would delete.
    """
    steps = []
    for topic_id, partitions in image.unclaimed.items():
        for index, partition in partitions.items():
            key = keys.partition_key(topic_id, index)
            steps.append(PlanStep((Compare(key, partition.revision),), (Delete(key),)))
    return Plan(pack(steps), len(steps))


def plan_create_partitions(
    image: Image, request: NewPartitions, rules: ClusterRules, *, validate_only: bool = False
) -> Plan[TopicRecord] | Refusal:
    """Place a topic's additional partitions."""
    topic = image.topics.get(request.topic)
    if topic is None:
        return _unknown_name(request.topic)
    refusal = _rejection_of_total(image, topic, request.total_count, rules)
    if refusal:
        return refusal
    placement = _place_more(image, topic, request)
    if isinstance(placement, Refusal):
        return placement
    record = TopicRecord(topic.name, topic.id, request.total_count, topic.configs)
    minimum = effective_min_insync(image, topic.configs, rules)
    states = [_fresh_state(replicas, minimum) for replicas in placement]
    steps = _creation_steps(image, record, states, first=len(topic.partitions), topic_revision=topic.revision)
    return Plan(() if validate_only else pack(steps), record)


def _rejection_of_total(image: Image, topic: TopicImage, total: int, rules: ClusterRules) -> Refusal | None:
    count = len(topic.partitions)
    if total <= count:
        message = (
            f"topic {topic.name!r} has {count} partitions, so {total} are not more: partitions cannot be taken away"
        )
        return Refusal(ErrorCode.INVALID_PARTITIONS, message)
    if total > rules.partitions_per_topic_max:
        message = f"{total} partitions are more than the {rules.partitions_per_topic_max} that a topic may have"
        return Refusal(ErrorCode.INVALID_PARTITIONS, message)
    if image.partition_count + total - count > rules.partitions_max:
        message = f"the cluster has {image.partition_count} of at most {rules.partitions_max} partitions"
        return Refusal(ErrorCode.POLICY_VIOLATION, message)
    return None


def _place_more(image: Image, topic: TopicImage, request: NewPartitions) -> _Placement | Refusal:
    count = request.total_count - len(topic.partitions)
    factor = len(topic.partitions[0].replicas) - len(topic.partitions[0].removing)
    if request.assignment is None:
        racks = racks_of(image, factor)
        if factor > len(racks):
            return _bad_factor(factor, len(racks))
        return place(count, factor, racks, Load.of(image))
    if len(request.assignment) != count:
        message = f"{count} partitions would be new, but {len(request.assignment)} assignments were given"
        return Refusal(ErrorCode.INVALID_REPLICA_ASSIGNMENT, message)
    problem = _rejection_of_assignment(request.assignment, image, factor)
    return problem or [tuple(replicas) for replicas in request.assignment]


def _manual_placement(topic: TopicRequest, image: Image) -> _Placement | Refusal:
    if topic.partition_count != BROKER_DEFAULT or topic.replication_factor != BROKER_DEFAULT:
        message = "with a manual assignment, the number of partitions and the replication factor must both be -1"
        return Refusal(ErrorCode.INVALID_REQUEST, message)
    if sorted(topic.assignment) != list(range(len(topic.assignment))):
        message = f"the assigned partitions {sorted(topic.assignment)[:20]} are not 0 to {len(topic.assignment) - 1}"
        return Refusal(ErrorCode.INVALID_REPLICA_ASSIGNMENT, message)
    assigned = [tuple(topic.assignment[index]) for index in range(len(topic.assignment))]
    return _rejection_of_assignment(assigned, image, len(assigned[0])) or assigned


def _rejection_of_assignment(assigned: Sequence[Sequence[BrokerId]], image: Image, factor: int) -> Refusal | None:
    for replicas in assigned:
        problem = _rejection_of_replicas(replicas, image, factor)
        if problem:
            return Refusal(ErrorCode.INVALID_REPLICA_ASSIGNMENT, problem)
    return None


def _rejection_of_replicas(replicas: Sequence[BrokerId], image: Image, factor: int) -> str | None:
    if not replicas:
        return "a partition was assigned to no broker"
    if len(set(replicas)) != len(replicas):
        return f"the assignment {list(replicas)} names a broker twice"
    if len(replicas) != factor:
        return f"the assignment {list(replicas)} has {len(replicas)} replicas, where others have {factor}"
    unknown = [broker for broker in replicas if broker not in image.brokers]
    return f"the assignment {list(replicas)} names brokers that are not registered: {unknown}" if unknown else None


def _rejection_of_configs(configs: Mapping[str, str | None]) -> Refusal | None:
    problem = rejection_of_topic_configs(configs)
    return Refusal(ErrorCode.INVALID_CONFIG, problem) if problem else None


def _bad_factor(factor: int, brokers: int) -> Refusal:
    message = (
        f"a replication factor of {factor} is not possible with {brokers} live broker{'' if brokers == 1 else 's'}"
    )
    return Refusal(ErrorCode.INVALID_REPLICATION_FACTOR, message)


def _unknown_name(name: str) -> Refusal:
    return Refusal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {name!r}")


def _unknown_id(topic_id: TopicId) -> Refusal:
    return Refusal(ErrorCode.UNKNOWN_TOPIC_ID, f"there is no topic with the id {topic_id}")


def _created(record: TopicRecord, replication_factor: int) -> CreatedTopic:
    return CreatedTopic(record.name, record.id, record.partition_count, replication_factor, record.configs)


def _fresh_state(replicas: tuple[BrokerId, ...], min_insync: int) -> PartitionState:
    return PartitionState(
        replicas=replicas,
        isr=replicas,
        leader=replicas[0],
        leader_epoch=LeaderEpoch(0),
        partition_epoch=PartitionEpoch(0),
        min_insync=min_insync,
    )


def _creation_steps(
    image: Image,
    record: TopicRecord,
    states: Sequence[PartitionState],
    *,
    first: int = 0,
    topic_revision: Revision = ABSENT,
) -> list[PlanStep]:
    """Write partitions and then the topic key, guarded by the topic key and by the brokers' epochs."""
    used = sorted({broker for state in states for broker in state.replicas})
    guards = [Compare(keys.topic_key(record.name), topic_revision)]
    # In a large cluster a guard for each broker does not fit into one transaction. Placement on a dead broker loses
    # nothing.
    guards += [
        Compare(keys.broker_key(broker), Revision(image.brokers[broker].broker_epoch), CompareTarget.CREATE)
        for broker in used[: TRANSACTION_OPS_MAX // 2]
    ]
    writes: list[Write] = [
        Put(keys.partition_key(record.id, first + position), keys.encode_partition(state))
        for position, state in enumerate(states)
    ]
    writes.append(Put(keys.topic_key(record.name), keys.encode_topic(record)))
    return [PlanStep(tuple(guards), chunk) for chunk in in_chunks(writes, TRANSACTION_OPS_MAX)]
