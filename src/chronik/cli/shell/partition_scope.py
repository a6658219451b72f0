"""The partitions that a command applies to: ``TOPIC`` is all of a topic's, ``TOPIC:0,2`` only these."""

from collections.abc import Iterable
from typing import NamedTuple

import click

from chronik.client.cluster import Cluster
from chronik.client.consumer import partitions_of
from chronik.model.ids import TopicPartition


class PartitionScope(NamedTuple):
    """A topic and some of its partitions; an empty tuple means all."""

    topic: str
    partitions: tuple[int, ...] = ()

    def holds(self, at: TopicPartition) -> bool:
        """Return whether a partition is in the scope."""
        return at.topic == self.topic and (not self.partitions or at.partition in self.partitions)


def scope_of(text: str) -> PartitionScope:
    """Read TOPIC or TOPIC:0,2. A topic's name cannot hold a colon."""
    topic, separator, numbers = text.partition(":")
    parts = numbers.split(",") if separator else []
    if not topic or not all(part.strip().isdecimal() for part in parts):
        raise click.UsageError(f"--topic {text!r} is not TOPIC or TOPIC:PARTITION,... (for example orders:0,2)")
    return PartitionScope(topic, tuple(int(part) for part in parts))


async def existing_partitions(cluster: Cluster, scopes: Iterable[PartitionScope]) -> list[TopicPartition]:
    """Return the partitions in the scopes; a topic or partition that does not exist is refused."""
    found: set[TopicPartition] = set()
    for scope in scopes:
        found.update(await partitions_of(cluster, scope.topic, scope.partitions))
    return sorted(found)
