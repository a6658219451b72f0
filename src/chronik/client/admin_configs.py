"""Configs of topics and brokers, and brokers' log directories."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from chronik.client.cluster import Cluster
from chronik.client.connection import BrokerConnection
from chronik.client.errors import check
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.config_resources import AlterConfigOp, ConfigSource, ResourceType
from chronik.protocol.generated.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
)
from chronik.protocol.generated.describe_log_dirs import (
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
)
from chronik.protocol.generated.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)

EVERY_BROKER: Final = ""
"""The name of the resource with the cluster-wide defaults of brokers."""


class Synonym(NamedTuple):
    """A setting that a config may take its value from; the first one that is set counts."""

    name: str
    value: str | None
    source: ConfigSource


@dataclass(frozen=True, slots=True)
class ConfigView:
    """One config of one resource; sensitive values are hidden."""

    name: str
    value: str | None
    source: ConfigSource
    is_read_only: bool
    is_sensitive: bool
    documentation: str | None = None
    synonyms: tuple[Synonym, ...] = ()

    @property
    def is_default(self) -> bool:
        """Whether it is not set anywhere."""
        return self.source is ConfigSource.DEFAULT


@dataclass(frozen=True, slots=True)
class LogDirView:
    """One log directory of one broker, with the bytes of each partition in it."""

    node_id: int
    path: str
    error: ErrorCode
    total_bytes: int
    usable_bytes: int
    partition_bytes: dict[TopicPartition, int]


class ConfigAdmin:
    """Reads and changes the configs of one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    async def describe(
        self,
        resource: ResourceType,
        name: str,
        keys: Sequence[str] | None = None,
        *,
        documentation: bool = False,
        synonyms: bool = False,
    ) -> list[ConfigView]:
        """Return the configs of a topic or broker, by name."""
        wanted = DescribeConfigsResource(
            resource_type=resource, resource_name=name, configuration_keys=None if keys is None else list(keys)
        )
        request = DescribeConfigsRequest(
            resources=[wanted], include_synonyms=synonyms, include_documentation=documentation
        )
        answer = await (await self._connection_for(resource, name)).call(request, DescribeConfigsResponse)
        views: list[ConfigView] = []
        for result in answer.results:
            check(result.error_code, f"{resource.name.lower()} {name}", result.error_message)
            views.extend(_config(config) for config in result.configs)
        return sorted(views, key=lambda view: view.name)

    async def describe_topics(self, topics: Sequence[str], keys: Sequence[str]) -> dict[str, list[ConfigView]]:
        """Return some configs of many topics at once; missing topics are left out."""
        wanted = [
            DescribeConfigsResource(resource_type=ResourceType.TOPIC, resource_name=name, configuration_keys=list(keys))
            for name in topics
        ]
        connection = await self._cluster.any_connection()
        answer = await connection.call(DescribeConfigsRequest(resources=wanted), DescribeConfigsResponse)
        return {
            result.resource_name: [_config(config) for config in result.configs]
            for result in answer.results
            if result.error_code == ErrorCode.NONE
        }

    async def alter(
        self,
        resource: ResourceType,
        name: str,
        changes: Iterable[tuple[str, AlterConfigOp, str | None]],
        *,
        validate_only: bool = False,
    ) -> None:
        """Change some configs; either all changes are made, or none."""
        configs = [AlterableConfig(name=key, config_operation=what, value=value) for key, what, value in changes]
        wanted = AlterConfigsResource(resource_type=resource, resource_name=name, configs=configs)
        request = IncrementalAlterConfigsRequest(resources=[wanted], validate_only=validate_only)
        connection = await self._connection_for(resource, name, changing=True)
        answer = await connection.call(request, IncrementalAlterConfigsResponse)
        for result in answer.responses:
            check(result.error_code, f"{resource.name.lower()} {name}", result.error_message)

    async def log_dirs(self) -> list[LogDirView]:
        """Return the log directories of every broker."""
        view = await self._cluster.refresh(())
        found: list[LogDirView] = []
        for node_id in sorted(view.brokers):
            connection = await self._cluster.connection_to(node_id)
            answer = await connection.call(DescribeLogDirsRequest(topics=None), DescribeLogDirsResponse)
            check(answer.error_code, f"{connection.where}: DescribeLogDirs")
            found.extend(_log_dir(node_id, result) for result in answer.results)
        return found

    async def _connection_for(self, resource: ResourceType, name: str, *, changing: bool = False) -> BrokerConnection:
        """Return the connection for a resource: a broker's configs are known only to the broker itself."""
        if resource is ResourceType.BROKER and name != EVERY_BROKER and name.isdigit():
            await self._cluster.refresh(())
            return await self._cluster.connection_to(int(name))
        return await (self._cluster.controller() if changing else self._cluster.any_connection())


def _config(config: DescribeConfigsResourceResult) -> ConfigView:
    return ConfigView(
        name=config.name,
        value=config.value,
        source=ConfigSource(config.config_source),
        is_read_only=config.read_only,
        is_sensitive=config.is_sensitive,
        documentation=config.documentation,
        synonyms=tuple(Synonym(one.name, one.value, ConfigSource(one.source)) for one in config.synonyms),
    )


def _log_dir(node_id: int, result: DescribeLogDirsResult) -> LogDirView:
    sizes = {
        TopicPartition(topic.name, partition.partition_index): partition.partition_size
        for topic in result.topics
        for partition in topic.partitions
    }
    return LogDirView(
        node_id, result.log_dir, ErrorCode(result.error_code), result.total_bytes, result.usable_bytes, sizes
    )
