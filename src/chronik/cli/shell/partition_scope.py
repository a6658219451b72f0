"""Which partitions a command is about: ``TOPIC`` is all of a topic's, ``TOPIC:0,2`` only these."""

from collections.abc import Iterable
from typing import NamedTuple

import click

from chronik.client.cluster import Cluster
from chronik.client.consumer import partitions_of
from chronik.model.ids import TopicPartition


class Scope(NamedTuple):
    """A topic, and the partitions that are meant; none named means all."""

    topic: str
    partitions: tuple[int, ...] = ()

    def holds(self, at: TopicPartition) -> bool:
        """Whether a partition is meant."""
        return at.topic == self.topic and (not self.partitions or at.partition in self.partitions)


def scope_of(text: str) -> Scope:
    """Read TOPIC or TOPIC:0,2. A topic's name cannot hold a colon."""
    topic, separator, numbers = text.partition(":")
    parts = numbers.split(",") if separator else []
    if not topic or not all(part.strip().isdecimal() for part in parts):
        raise click.UsageError(f"--topic {text!r} is not TOPIC or TOPIC:PARTITION,... (for example orders:0,2)")
    return Scope(topic, tuple(int(part) for part in parts))


async def existing_partitions(cluster: Cluster, scopes: Iterable[Scope]) -> list[TopicPartition]:
    """Return the partitions that are meant; a topic or partition that does not exist is refused."""
    found: set[TopicPartition] = set()
    for scope in scopes:
        found.update(await partitions_of(cluster, scope.topic, scope.partitions))
    return sorted(found)
