"""Connections to the leaders of partitions, kept between the tasks of a worker."""

import os
from typing import Final, NamedTuple
from uuid import UUID

from chronik.client.cluster import parse_bootstrap
from chronik.client.cluster_view import ClusterView
from chronik.client.errors import ClientError, ConnectionFailedError, RefusedError, UnreachableError
from chronik.client.settings import ClientSettings
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.generated.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from chronik.spark.wire.blocking_connection import BlockingConnection

_IDLE_MAX: Final = 64


class LeaderConnection(NamedTuple):
    """A connection to a partition's leader, and the topic id for requests."""

    connection: BlockingConnection
    topic_id: UUID


# A worker runs one task after another on the same partitions. The key has the process: a fork must not share these.
_idle: dict[tuple[tuple[int, str, ClientSettings], TopicPartition], LeaderConnection] = {}


class Leaders:
    """Finds leaders through the bootstrap brokers, and later through all known brokers."""

    def __init__(self, bootstrap: str, settings: ClientSettings) -> None:
        self._addresses = parse_bootstrap(bootstrap)
        self._settings = settings
        self._owner = (os.getpid(), bootstrap, settings)

    def connect(self, at: TopicPartition) -> LeaderConnection:
        """Return the connection of an earlier task, or connect; RefusedError where there is no leader.

        A kept connection may lead to a former leader. The caller then calls again, and gets the present leader.
        """
        return _idle.pop((self._owner, at), None) or self._connect_to_leader(at)

    def release(self, at: TopicPartition, leader: LeaderConnection) -> None:
        """Keep a connection without requests in flight for the next task of this worker."""
        assert not leader.connection.in_flight, "the next task would take a response of this one"
        while len(_idle) >= _IDLE_MAX:
            _idle.pop(next(iter(_idle))).connection.close()
        replaced = _idle.pop((self._owner, at), None)
        if replaced is not None:
            replaced.connection.close()
        _idle[self._owner, at] = leader

    def _connect_to_leader(self, at: TopicPartition) -> LeaderConnection:
        failures: list[str] = []
        for address in list(self._addresses):
            try:
                connection = BlockingConnection.open(*address, self._settings)
            except UnreachableError as failure:
                failures.append(failure.what)
                continue
            return self._connect_through(connection, at)
        raise ConnectionFailedError("; ".join(failures))

    def _connect_through(self, connection: BlockingConnection, at: TopicPartition) -> LeaderConnection:
        """Connect to the leader that a broker names; if it is that broker, use its connection."""
        try:
            view = self._ask(connection, at.topic)
            host, port = self._leader_in(view, at)
        except BaseException:
            connection.close()
            raise
        topic_id = view.topics[at.topic].topic_id
        if connection.where == f"{host}:{port}":
            return LeaderConnection(connection, topic_id)
        connection.close()
        return LeaderConnection(BlockingConnection.open(host, port, self._settings), topic_id)

    def _ask(self, connection: BlockingConnection, topic: str) -> ClusterView:
        request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False)
        view = ClusterView.of(connection.call(request, MetadataResponse))
        known = [(broker.host, broker.port) for broker in view.brokers.values()]
        self._addresses = list(dict.fromkeys([*self._addresses, *known]))
        return view

    def _leader_in(self, view: ClusterView, at: TopicPartition) -> tuple[str, int]:
        topic = view.topics.get(at.topic)
        if topic is None or topic.error or at.partition not in topic.partitions:
            raise RefusedError((topic and topic.error) or ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, str(at))
        broker = view.brokers.get(topic.partitions[at.partition].leader)
        if broker is None:
            raise RefusedError(ErrorCode.LEADER_NOT_AVAILABLE, str(at))
        return broker.host, broker.port


def is_transient(error: ClientError) -> bool:
    """Return whether a retry, perhaps at another broker, may succeed."""
    if isinstance(error, RefusedError):
        return error.error.is_retriable
    return isinstance(error, UnreachableError)
