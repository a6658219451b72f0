"""The assignors of consumer groups, and their metadata in the format of all Kafka clients.

Subscriptions and assignments are written in version 0, which the oldest clients understand; later versions serve
assignors that Chronik does not have.
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
        """The order of the members: static ones first, so that a restart changes nothing."""
        return self.instance_id is None, self.instance_id or self.member_id


Assignment: TypeAlias = dict[str, list[TopicPartition]]
"""Partitions by member id; every member is in it."""

Assignor: TypeAlias = Callable[[Iterable[Subscriber], Mapping[str, int]], Assignment]


def assign_range(subscribers: Iterable[Subscriber], partition_counts: Mapping[str, int]) -> Assignment:
    """Assign each member a range of every subscribed topic; the first members get one partition more."""
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
    """Assign all partitions of all topics to the members in turn, skipping members without the topic."""
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
    return _written(ConsumerProtocolSubscription(topics=sorted(topics)))


def subscribed_topics(data: bytes) -> frozenset[str]:
    """Decode a subscription of any client; unreadable bytes are an empty one."""
    try:
        return frozenset(ConsumerProtocolSubscription.decode(*_body(data, ConsumerProtocolSubscription)).topics)
    except ProtocolError:
        return frozenset()


def assignment_bytes(partitions: Iterable[TopicPartition]) -> bytes:
    topics: dict[str, list[int]] = {}
    for at in sorted(partitions):
        topics.setdefault(at.topic, []).append(at.partition)
    assigned = [AssignedTopic(topic=topic, partitions=indexes) for topic, indexes in topics.items()]
    return _written(ConsumerProtocolAssignment(assigned_partitions=assigned))


def assigned_partitions(data: bytes) -> list[TopicPartition]:
    """Decode this member's assignment; no bytes mean no partitions. Raises ProtocolError if it is malformed."""
    if not data:
        return []
    assignment = ConsumerProtocolAssignment.decode(*_body(data, ConsumerProtocolAssignment))
    return [TopicPartition(one.topic, index) for one in assignment.assigned_partitions for index in one.partitions]


def _written(message: Message) -> bytes:
    version = _WRITTEN_VERSION.to_bytes(_VERSION_BYTES, "big")
    return b"".join([version, *message.encode(_WRITTEN_VERSION)])


def _body(data: bytes, kind: type[Message]) -> tuple[memoryview, int]:
    """Return the body behind the version; a newer version begins like the newest known one."""
    version = int.from_bytes(data[:_VERSION_BYTES], "big", signed=True)
    return memoryview(data)[_VERSION_BYTES:], max(0, min(version, kind.versions[-1]))


def assignments_of(
    protocol: str, subscribers: Sequence[Subscriber], partition_counts: Mapping[str, int]
) -> dict[str, bytes]:
    """Compute the assignment as the leader: the bytes for every member, by its id."""
    decided = ASSIGNORS[protocol](subscribers, partition_counts)
    return {member_id: assignment_bytes(partitions) for member_id, partitions in decided.items()}
