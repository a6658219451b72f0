"""Totals over the partitions of a cluster, by topic and by broker: computed once per snapshot."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from chronik.model.ids import NO_BROKER
from chronik.server.status.pacing import Pace

Json = Mapping[str, Any]

STALLED_MS: Final = 2_000
"""A high watermark that has been below the log end for this long without moving is stalled."""


@dataclass(slots=True)
class PartitionTotals:
    """Totals over some partitions."""

    partitions: int = 0
    replication: int = 0
    lag: int = 0
    under_replicated: int = 0
    offline: int = 0
    stalled: int = 0
    leader_silent: int = 0

    def add(self, partition: Json) -> None:
        self.partitions += 1
        self.replication = max(self.replication, len(partition["replicas"]))
        self.lag += partition["lag"] or 0
        self.under_replicated += is_under_replicated(partition)
        self.offline += is_offline(partition)
        self.stalled += is_stalled(partition)
        self.leader_silent += partition["leader_silent"]


@dataclass(slots=True)
class ClusterTotals:
    """Totals over a cluster, and its partitions with a fault."""

    cluster: PartitionTotals = field(default_factory=PartitionTotals)
    topics: dict[str, PartitionTotals] = field(default_factory=dict)
    leads: Counter[int] = field(default_factory=Counter)
    replicas: Counter[int] = field(default_factory=Counter)
    faulty: list[Json] = field(default_factory=list)

    def add(self, partition: Json) -> None:
        self.cluster.add(partition)
        self.topics.setdefault(partition["topic"], PartitionTotals()).add(partition)
        self.leads[partition["leader"]] += 1
        self.replicas.update(partition["replicas"])
        if has_fault(partition):
            self.faulty.append(partition)


async def total_partitions(partitions: Mapping[Any, Json]) -> ClusterTotals:
    """Compute the totals over all partitions, in slices."""
    totals = ClusterTotals()
    pace = Pace()
    for partition in partitions.values():
        totals.add(partition)
        await pace.keep()
    return totals


def has_fault(partition: Json) -> bool:
    """Whether a partition is stalled, under-replicated, offline, or has a leader that does not answer."""
    if partition["leader_silent"]:
        return True
    return is_stalled(partition) or is_under_replicated(partition) or is_offline(partition)


def is_stalled(partition: Json) -> bool:
    return bool(partition["stands_for_ms"] >= STALLED_MS)


def is_under_replicated(partition: Json) -> bool:
    return len(partition["isr"]) < len(partition["replicas"])


def is_offline(partition: Json) -> bool:
    return bool(partition["role"] == "offline" or partition["leader"] == NO_BROKER)
