"""A client's view of a cluster: bootstrap, one connection per broker, cached metadata, retries."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Final, Self, TypeVar
from uuid import UUID

from chronik.client.cluster_view import ClusterView, PartitionInfo, TopicView
from chronik.client.connection import BrokerConnection
from chronik.client.errors import (
    ClientError,
    ConnectionFailedError,
    RefusedError,
    SettingsRefusedError,
    UnreachableError,
    check,
)
from chronik.client.settings import ClientSettings
from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID, TopicPartition
from chronik.protocol.generated.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse

T = TypeVar("T")

_DEFAULT_PORT: Final = 9092
_BOOTSTRAP_NODE: Final = -1
_UNKNOWN_TOPIC_PATIENCE_S: Final = 3.0

_UNKNOWN_TOPIC: Final = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})


def parse_bootstrap(text: str) -> list[tuple[str, int]]:
    """Parse ``host:port,host:port``; the default port is 9092, IPv6 addresses are in brackets."""
    addresses = [_address(part.strip()) for part in text.split(",") if part.strip()]
    if not addresses:
        raise SettingsRefusedError("the bootstrap list is empty", advice="Set at least one HOST:PORT.")
    return addresses


def _address(text: str) -> tuple[str, int]:
    host, separator, port = text.rpartition(":")
    if not separator or text.endswith("]"):
        host, port = text, str(_DEFAULT_PORT)
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise SettingsRefusedError(f"{text!r} is not HOST:PORT", advice="For example 127.0.0.1:9092 or [::1]:9092.")
    return host.strip("[]"), int(port)


class Cluster:
    """Connections and metadata of one cluster; ``async with Cluster(...)`` closes what it opened."""

    def __init__(self, bootstrap: str, settings: ClientSettings | None = None) -> None:
        self.settings = settings or ClientSettings()
        self.bootstrap = parse_bootstrap(bootstrap)
        self.view = ClusterView()
        self._fresh_until: dict[str, float] = {}
        self._connections: dict[tuple[int, str], BrokerConnection] = {}
        self._opening: dict[tuple[int, str], asyncio.Lock] = {}

    async def __aenter__(self) -> Self:
        """Connect once, so that a wrong address fails at once."""
        await self.any_connection()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close every connection."""
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()
        await asyncio.sleep(0)

    async def any_connection(self) -> BrokerConnection:
        """Return an open connection to any broker, or connect to one of the bootstrap list."""
        for (node_id, purpose), connection in self._connections.items():
            if connection.is_open and (not purpose or node_id == _BOOTSTRAP_NODE):
                return connection
        return await self._bootstrap()

    async def connection_to(self, node_id: int, purpose: str = "") -> BrokerConnection:
        """Return the connection to one broker.

        Responses come in order, so a fetch that waits for data delays all requests behind it: callers with waiting
        requests use a connection for their own ``purpose``.
        """
        key = (node_id, purpose)
        async with self._opening.setdefault(key, asyncio.Lock()):
            connection = self._connections.get(key)
            if connection is None or not connection.is_open:
                connection = self._connections[key] = await self._open(node_id)
            return connection

    async def controller(self) -> BrokerConnection:
        """Return the connection to the broker that takes changes of topics and configs."""
        view = await self.refresh(())
        if view.controller_id in view.brokers:
            return await self.connection_to(view.controller_id)
        return await self.any_connection()

    async def refresh(self, topics: Iterable[str] | None, *, allow_creation: bool = False) -> ClusterView:
        """Request the metadata of the brokers and these topics (None: all), and cache it."""
        connection = await self.any_connection()
        request = _metadata_request(topics, allow_creation)
        newer = ClusterView.of(await connection.call(request, MetadataResponse))
        self.view = self.view.merged_with(newer)
        fresh_until = asyncio.get_running_loop().time() + self.settings.metadata_age_ms_max / 1000
        self._fresh_until.update({name: fresh_until for name, topic in newer.topics.items() if not topic.error})
        return newer

    async def topic(self, name: str, *, allow_creation: bool = False) -> TopicView:
        """Return a topic's metadata; request it (repeatedly while the topic is being created) if it is not cached."""

        async def attempt() -> TopicView:
            if not self._is_fresh(name):
                await self.refresh([name], allow_creation=allow_creation)
            known = self.view.topics[name]
            check(known.error, f"topic {name}")
            return known

        return await self.retrying(attempt)

    def fresh_topic(self, name: str) -> TopicView | None:
        """Return a topic's metadata if it is cached and not too old."""
        return self.view.topics.get(name) if self._is_fresh(name) else None

    async def leader_of(self, at: TopicPartition) -> PartitionInfo:
        """Return the partition's leader, retrying while there is none."""

        async def attempt() -> PartitionInfo:
            topic = await self.topic(at.topic)
            partition = topic.partitions.get(at.partition)
            if partition is None:
                raise RefusedError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, str(at), _count_text(topic))
            if partition.leader not in self.view.brokers:
                self.forget(at.topic)
                raise RefusedError(ErrorCode.LEADER_NOT_AVAILABLE, str(at))
            return partition

        return await self.retrying(attempt)

    async def leader_connection(self, at: TopicPartition, purpose: str = "") -> BrokerConnection:
        """Return the connection to the partition's leader."""
        partition = await self.leader_of(at)
        try:
            return await self.connection_to(partition.leader, purpose)
        except UnreachableError:
            self.forget(at.topic)
            raise

    def forget(self, topic: str) -> None:
        """Drop a topic's metadata, because a response showed that leaders have moved."""
        self._fresh_until.pop(topic, None)

    def topic_id(self, topic: str) -> UUID:
        """Return the topic's id, or the zero id if it is unknown."""
        known = self.view.topics.get(topic)
        return known.topic_id if known else ZERO_TOPIC_ID

    async def retrying(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Retry an attempt until it succeeds, fails for good, or ``default.api.timeout.ms`` is over."""
        clock = asyncio.get_running_loop().time
        began = clock()
        for delay_s in self.backoffs():
            try:
                return await attempt()
            except ClientError as error:
                patience_s = self._patience_s(error)
                if clock() + delay_s - began > patience_s:
                    raise
            await asyncio.sleep(delay_s)
        raise AssertionError("back-offs do not end")

    def backoffs(self) -> Iterator[float]:
        """Return the backoff times in seconds: doubling, with jitter, up to the limit."""
        delay_ms = float(self.settings.retry_backoff_ms)
        while True:
            yield delay_ms * random.uniform(0.8, 1.2) / 1000
            delay_ms = min(delay_ms * 2, self.settings.retry_backoff_ms_max)

    def _patience_s(self, error: ClientError) -> float:
        total_s = self.settings.retry_timeout_ms / 1000
        if isinstance(error, UnreachableError):
            return total_s
        if not isinstance(error, RefusedError) or not error.error.is_retriable:
            return 0.0
        return min(total_s, _UNKNOWN_TOPIC_PATIENCE_S) if error.error in _UNKNOWN_TOPIC else total_s

    def _is_fresh(self, topic: str) -> bool:
        return self._fresh_until.get(topic, 0.0) > asyncio.get_running_loop().time()

    async def _open(self, node_id: int) -> BrokerConnection:
        broker = self.view.brokers.get(node_id)
        if broker is None:
            raise ConnectionFailedError(f"broker {node_id} is not in the cluster's metadata")
        return await BrokerConnection.open(broker.host, broker.port, self.settings)

    async def _bootstrap(self) -> BrokerConnection:
        failures: list[UnreachableError] = []
        for host, port in self._known_addresses():
            try:
                connection = await BrokerConnection.open(host, port, self.settings)
            except UnreachableError as failure:
                # This includes a broker that accepts the connection and is silent, such as a stopped process.
                failures.append(failure)
                continue
            self._connections[_BOOTSTRAP_NODE, f"{host}:{port}"] = connection
            return connection
        raise ConnectionFailedError("; ".join(failure.what for failure in failures), advice=failures[-1].advice)

    def _known_addresses(self) -> Sequence[tuple[str, int]]:
        known = [(broker.host, broker.port) for broker in self.view.brokers.values()]
        return list(dict.fromkeys([*self.bootstrap, *known]))


def _metadata_request(topics: Iterable[str] | None, allow_creation: bool) -> MetadataRequest:
    wanted = None if topics is None else [MetadataRequestTopic(name=name) for name in topics]
    return MetadataRequest(topics=wanted, allow_auto_topic_creation=allow_creation)


def _count_text(topic: TopicView) -> str:
    return f"the topic has {len(topic.partitions)} partition(s), numbered from 0"
