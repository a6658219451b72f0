"""Administration of topics, partitions and records.

Changes are sent once and never retried automatically: a change whose response was lost may have been made.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from chronik.client.cluster import Cluster
from chronik.client.cluster_view import ClusterView, TopicView
from chronik.client.connection import BrokerConnection
from chronik.client.errors import RefusedError, check, error_of
from chronik.client.offsets import by_leader
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.constants import BROKER_DEFAULT, DELETE_TOPICS_FIRST_VERSION_BY_ID
from chronik.protocol.generated.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
)
from chronik.protocol.generated.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from chronik.protocol.generated.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopic,
)
from chronik.protocol.generated.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse, DeleteTopicState


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic to create; an assignment replaces the counts."""

    name: str
    partitions: int = BROKER_DEFAULT
    replication_factor: int = BROKER_DEFAULT
    configs: Mapping[str, str] = field(default_factory=dict)
    assignment: Mapping[int, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TopicOutcome:
    """The result of a change of one topic."""

    name: str
    error: ErrorCode
    message: str | None = None
    topic_id: UUID | None = None
    partitions: int = -1
    replication_factor: int = -1

    def raise_if_refused(self) -> None:
        """Raise if the change was refused."""
        check(self.error, f"topic {self.name}", self.message)


class Admin:
    """Changes to one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._timeout_ms = cluster.settings.request_timeout_ms

    async def create_topics(self, topics: Iterable[NewTopic], *, validate_only: bool = False) -> list[TopicOutcome]:
        """Create topics, or only validate the request."""
        request = CreateTopicsRequest(
            topics=[_creatable(topic) for topic in topics], timeout_ms=self._timeout_ms, validate_only=validate_only
        )
        answer = await (await self._cluster.controller()).call(request, CreateTopicsResponse)
        return [
            TopicOutcome(
                topic.name,
                error_of(topic.error_code),
                topic.error_message,
                topic.topic_id,
                topic.num_partitions,
                topic.replication_factor,
            )
            for topic in answer.topics
        ]

    async def delete_topics(self, names: Iterable[str] = (), ids: Iterable[UUID] = ()) -> list[TopicOutcome]:
        """Delete topics by name or by id."""
        connection = await self._cluster.controller()
        answer = await connection.call(self._deletion(connection, list(names), list(ids)), DeleteTopicsResponse)
        return [
            TopicOutcome(
                topic.name or str(topic.topic_id), error_of(topic.error_code), topic.error_message, topic.topic_id
            )
            for topic in answer.responses
        ]

    def _deletion(self, connection: BrokerConnection, names: list[str], ids: list[UUID]) -> DeleteTopicsRequest:
        if connection.version_of(DeleteTopicsRequest) < DELETE_TOPICS_FIRST_VERSION_BY_ID:
            if ids:
                raise RefusedError(ErrorCode.UNSUPPORTED_VERSION, connection.where, "topics are deleted by name only")
            return DeleteTopicsRequest(topic_names=names, timeout_ms=self._timeout_ms)
        states = [DeleteTopicState(name=name) for name in names]
        states += [DeleteTopicState(name=None, topic_id=topic_id) for topic_id in ids]
        return DeleteTopicsRequest(topics=states, timeout_ms=self._timeout_ms)

    async def create_partitions(
        self, topic: str, count: int, *, assignment: Sequence[Sequence[int]] | None = None, validate_only: bool = False
    ) -> TopicOutcome:
        """Raise the number of partitions of a topic to ``count``."""
        placed = None if assignment is None else [CreatePartitionsAssignment(broker_ids=list(b)) for b in assignment]
        request = CreatePartitionsRequest(
            topics=[CreatePartitionsTopic(name=topic, count=count, assignments=placed)],
            timeout_ms=self._timeout_ms,
            validate_only=validate_only,
        )
        answer = await (await self._cluster.controller()).call(request, CreatePartitionsResponse)
        self._cluster.forget(topic)
        for result in answer.results:
            return TopicOutcome(result.name, error_of(result.error_code), result.error_message, partitions=count)
        return TopicOutcome(topic, ErrorCode.UNKNOWN_SERVER_ERROR, "an empty answer")

    async def list_topics(self) -> list[TopicView]:
        """Return every topic, by name."""
        view = await self.describe_cluster()
        return [view.topics[name] for name in sorted(view.topics)]

    async def describe_cluster(self) -> ClusterView:
        """Return brokers, controller and every topic."""
        return await self._cluster.retrying(lambda: self._cluster.refresh(None))

    async def describe_topic(self, name: str) -> TopicView:
        """Return one topic; raise if it does not exist."""
        view = await self._cluster.refresh([name])
        topic = view.topics[name]
        check(topic.error, f"topic {name}")
        return topic

    async def delete_records(self, before: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        """Raise the log start of partitions to these offsets (-1: the high watermark) and return the new ones."""
        starts: dict[TopicPartition, int] = {}
        for leader, wanted in (await by_leader(self._cluster, before)).items():
            connection = await self._cluster.connection_to(leader)
            request = DeleteRecordsRequest(topics=_record_deletions(wanted), timeout_ms=self._timeout_ms)
            answer = await connection.call(request, DeleteRecordsResponse)
            for topic in answer.topics:
                for partition in topic.partitions:
                    at = TopicPartition(topic.name, partition.partition_index)
                    check(partition.error_code, f"{at}: DeleteRecords before {wanted.get(at)}")
                    starts[at] = partition.low_watermark
        return starts


def _creatable(topic: NewTopic) -> CreatableTopic:
    placed = bool(topic.assignment)
    return CreatableTopic(
        name=topic.name,
        num_partitions=BROKER_DEFAULT if placed else topic.partitions,
        replication_factor=BROKER_DEFAULT if placed else topic.replication_factor,
        assignments=[
            CreatableReplicaAssignment(partition_index=index, broker_ids=list(brokers))
            for index, brokers in sorted(topic.assignment.items())
        ],
        configs=[CreatableTopicConfig(name=name, value=value) for name, value in topic.configs.items()],
    )


def _record_deletions(before: Mapping[TopicPartition, int]) -> list[DeleteRecordsTopic]:
    topics: dict[str, list[DeleteRecordsPartition]] = {}
    for at, offset in before.items():
        partition = DeleteRecordsPartition(partition_index=at.partition, offset=offset)
        topics.setdefault(at.topic, []).append(partition)
    return [DeleteRecordsTopic(name=name, partitions=partitions) for name, partitions in topics.items()]
