"""A topic lookup in a cluster. Blocking.

The client is asynchronous, and a notebook runs an event loop of its own, so requests run on a loop in another thread.
"""

import asyncio
import threading
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Final, Self, TypeAlias, TypeVar

from chronik.client.cluster import Cluster
from chronik.client.cluster_view import TopicView
from chronik.client.errors import ClientError, RefusedError, UnreachableError
from chronik.client.offsets import list_offsets
from chronik.client.settings import client_settings
from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID, TopicPartition
from chronik.protocol.constants import EARLIEST_TIMESTAMP, LATEST_TIMESTAMP
from chronik.spark.options.options import SourceOptions
from chronik.spark.options.table import BY_NAME
from chronik.spark.planning.slices import ReadRules
from chronik.spark.source.problems import ClusterUnreachableError, ReadError, TopicMissingError

T = TypeVar("T")

_NO_SUCH_TOPIC: Final = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INVALID_TOPIC_EXCEPTION})


LookupRules: TypeAlias = ReadRules | SourceOptions


class ClusterLookup:
    """One cluster; a ``with`` block keeps the connections open."""

    def __init__(
        self,
        bootstrap: str,
        client_options: Mapping[str, str] | None = None,
        *,
        read_committed: bool = False,
        retries: int = BY_NAME["fetchOffset.numRetries"].default_value(),
        retry_interval_ms: int = BY_NAME["fetchOffset.retryIntervalMs"].default_value(),
    ) -> None:
        self._bootstrap = bootstrap
        self._settings = replace(client_settings(dict(client_options or {})), read_committed=read_committed)
        self._retries = retries
        self._retry_interval_s = retry_interval_ms / 1000
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="chronik-lookup", daemon=True)
        self._cluster: Cluster | None = None

    @classmethod
    def of(cls, rules: LookupRules) -> Self:
        """Make the lookup for reading rules or for options of a source."""
        return cls(
            rules.bootstrap,
            rules.client_options,
            read_committed=rules.read_committed,
            retries=rules.retries,
            retry_interval_ms=rules.retry_interval_ms,
        )

    def __enter__(self) -> Self:
        """Connect, so that a wrong address fails at once."""
        self._thread.start()
        try:
            self._cluster = self._run(self._open())
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._run(self._open_cluster.close())
        finally:
            self._stop()

    def topics(self) -> list[str]:
        view = self._run(self._open_cluster.refresh(None))
        return sorted(name for name, topic in view.topics.items() if not topic.is_internal and not topic.error)

    def partitions(self, topics: Iterable[str]) -> dict[TopicPartition, str]:
        """Return the partitions of these topics, each with its topic's id ('' where the cluster has none)."""
        found = self._run(self._topics(sorted(set(topics))))
        return {
            TopicPartition(topic.name, index): "" if topic.topic_id == ZERO_TOPIC_ID else str(topic.topic_id)
            for topic in found
            for index in topic.partitions
        }

    def earliest(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        return self._offsets(dict.fromkeys(partitions, EARLIEST_TIMESTAMP))

    def latest(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the high watermark of each partition; for ``read_committed`` the last stable offset."""
        return self._offsets(dict.fromkeys(partitions, LATEST_TIMESTAMP))

    def at_times(self, times_ms: Mapping[TopicPartition, int]) -> dict[TopicPartition, int | None]:
        return {at: None if offset < 0 else offset for at, offset in self._offsets(times_ms).items()}

    @property
    def _open_cluster(self) -> Cluster:
        assert self._cluster is not None, "the lookup is used outside of its block"
        return self._cluster

    async def _open(self) -> Cluster:
        cluster = Cluster(self._bootstrap, self._settings)
        await cluster.any_connection()
        return cluster

    async def _topics(self, names: list[str]) -> list[TopicView]:
        view = await self._open_cluster.refresh(names)
        for _ in range(self._retries):
            if not any(topic.error for topic in view.topics.values()):
                break
            await asyncio.sleep(self._retry_interval_s)
            view = await self._open_cluster.refresh(names)
        for name in names:
            _check_topic(view.topics.get(name), name, self._bootstrap)
        return [view.topics[name] for name in names]

    def _offsets(self, wanted: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        if not wanted:
            return {}
        found = self._run(list_offsets(self._open_cluster, wanted))
        return {at: found[at].offset for at in wanted}

    def _run(self, request: Coroutine[None, None, T]) -> T:
        try:
            return asyncio.run_coroutine_threadsafe(request, self._loop).result()
        except UnreachableError as error:
            raise ClusterUnreachableError(
                f"kafka.bootstrap.servers={self._bootstrap}: {error.what}. Check that a broker runs there and that "
                "this machine reaches the addresses that it advertises"
            ) from error
        except RefusedError as error:
            kind = TopicMissingError if error.error in _NO_SUCH_TOPIC else ReadError
            raise kind(f"{error.what} (asked of {self._bootstrap})") from error
        except ClientError as error:
            raise ReadError(f"{error.what} {error.advice}".strip()) from error

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def _check_topic(topic: TopicView | None, name: str, bootstrap: str) -> None:
    error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if topic is None else topic.error
    if error in _NO_SUCH_TOPIC:
        raise TopicMissingError(
            f"topic {name!r} does not exist at {bootstrap}: {error.name}. Check the spelling in subscribe or assign, "
            f"or create it ('chronik topic create {name}')"
        )
    if error:
        raise ReadError(f"topic {name!r} at {bootstrap}: {error.name}")
