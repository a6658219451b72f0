"""Who reads what in a consumer group: the assignors, and their words as bytes that every Kafka client reads.

Subscriptions and assignments are written in version 0, which the oldest clients understand; what later versions add
serves assignors that are not here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Final, TypeAlias

from chronik.model.ids import TopicPartition
from chronik.protocol.errors import ProtocolError
from chronik.protocol.generated.consumer_protocol_assignment import ConsumerProtocolAssignment
from chronik.protocol.generated.consumer_protocol_assignment import TopicPartition as AssignedTopic
from chronik.protocol.generated.consumer_protocol_subscription import ConsumerProtocolSubscription
from chronik.protocol.wire import Message

PROTOCOL_TYPE: Final = "consumer"
_WRITTEN_VERSION: Final = 0
_VERSION_BYTES: Final = 2


@dataclass(frozen=True, slots=True)
class Subscriber:
    """A member of a group, as its leader sees it."""

    member_id: str
    topics: frozenset[str] = field(default_factory=frozenset)
    instance_id: str | None = None

    @property
    def rank(self) -> tuple[bool, str]:
        """Give the place among the members: static ones first, so that a restart changes nothing."""
        return self.instance_id is None, self.instance_id or self.member_id


Assignment: TypeAlias = dict[str, list[TopicPartition]]
"""Partitions by member id; every member is in it."""

Assignor: TypeAlias = Callable[[Iterable[Subscriber], Mapping[str, int]], Assignment]


def assign_range(subscribers: Iterable[Subscriber], partition_counts: Mapping[str, int]) -> Assignment:
    """Give each member a range of every topic that it subscribes; the first members get what does not divide."""
    members = sorted(subscribers, key=lambda member: member.rank)
    assignment: Assignment = {member.member_id: [] for member in members}
    for topic, count in sorted(partition_counts.items()):
        takers = [member for member in members if topic in member.topics]
        begin = 0
        for index, member in enumerate(takers):
            end = begin + count // len(takers) + (index < count % len(takers))
            assignment[member.member_id] += [TopicPartition(topic, partition) for partition in range(begin, end)]
            begin = end
    return assignment


def assign_round_robin(subscribers: Iterable[Subscriber], partition_counts: Mapping[str, int]) -> Assignment:
    """Deal all partitions of all topics to the members in turn, passing over those that do not subscribe the topic."""
    members = sorted(subscribers, key=lambda member: member.rank)
    assignment: Assignment = {member.member_id: [] for member in members}
    turn = cycle(members)
    for topic, count in sorted(partition_counts.items()):
        if any(topic in member.topics for member in members):
            for partition in range(count):
                taker = next(member for member in turn if topic in member.topics)
                assignment[taker.member_id].append(TopicPartition(topic, partition))
    return assignment


ASSIGNORS: Final[Mapping[str, Assignor]] = {"range": assign_range, "roundrobin": assign_round_robin}


def subscription_bytes(topics: Iterable[str]) -> bytes:
    """Write what a member subscribes."""
    return _written(ConsumerProtocolSubscription(topics=sorted(topics)))


def subscribed_topics(data: bytes) -> frozenset[str]:
    """Read what a member subscribes, whatever client wrote it; bytes that say nothing subscribe nothing."""
    try:
        return frozenset(ConsumerProtocolSubscription.decode(*_body(data, ConsumerProtocolSubscription)).topics)
    except ProtocolError:
        return frozenset()


def assignment_bytes(partitions: Iterable[TopicPartition]) -> bytes:
    """Write what a member is to read."""
    topics: dict[str, list[int]] = {}
    for at in sorted(partitions):
        topics.setdefault(at.topic, []).append(at.partition)
    assigned = [AssignedTopic(topic=topic, partitions=indexes) for topic, indexes in topics.items()]
    return _written(ConsumerProtocolAssignment(assigned_partitions=assigned))


def assigned_partitions(data: bytes) -> list[TopicPartition]:
    """Read what this member is to read; no bytes are no partitions. Raises ProtocolError for nonsense."""
    if not data:
        return []
    assignment = ConsumerProtocolAssignment.decode(*_body(data, ConsumerProtocolAssignment))
    return [TopicPartition(one.topic, index) for one in assignment.assigned_partitions for index in one.partitions]


def _written(message: Message) -> bytes:
    version = _WRITTEN_VERSION.to_bytes(_VERSION_BYTES, "big")
    return b"".join([version, *message.encode(_WRITTEN_VERSION)])


def _body(data: bytes, kind: type[Message]) -> tuple[memoryview, int]:
    """Find the body behind the version; a version that is newer than we know begins like the newest that we know."""
    version = int.from_bytes(data[:_VERSION_BYTES], "big", signed=True)
    return memoryview(data)[_VERSION_BYTES:], max(0, min(version, kind.versions[-1]))


def assignments_of(
    protocol: str, subscribers: Sequence[Subscriber], partition_counts: Mapping[str, int]
) -> dict[str, bytes]:
    """Carry out the leader's duty: the bytes for every member, by its id."""
    decided = ASSIGNORS[protocol](subscribers, partition_counts)
    return {member_id: assignment_bytes(partitions) for member_id, partitions in decided.items()}
