"""What the partitions of a cluster add up to, by topic, by broker and in all: counted once for all who ask."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from chronik.model.ids import NO_BROKER
from chronik.server.status.pacing import Pace

Json = Mapping[str, Any]

STANDS_MS: Final = 2_000
"""A watermark that has not moved for this long, while the log grew above it, stands still."""


@dataclass(slots=True)
class Sums:
    """What some partitions add up to."""

    partitions: int = 0
    replication: int = 0
    lag: int = 0
    under_replicated: int = 0
    offline: int = 0
    standing: int = 0

    def add(self, partition: Json) -> None:
        """Count one more."""
        self.partitions += 1
        self.replication = max(self.replication, len(partition["replicas"]))
        self.lag += partition["lag"] or 0
        self.under_replicated += is_under_replicated(partition)
        self.offline += is_offline(partition)
        self.standing += is_standing(partition)


@dataclass(slots=True)
class Tally:
    """The sums of a cluster, and the partitions that something is wrong with."""

    totals: Sums = field(default_factory=Sums)
    topics: dict[str, Sums] = field(default_factory=dict)
    leads: Counter[int] = field(default_factory=Counter)
    replicas: Counter[int] = field(default_factory=Counter)
    faulty: list[Json] = field(default_factory=list)

    def add(self, partition: Json) -> None:
        """Count one more."""
        self.totals.add(partition)
        self.topics.setdefault(partition["topic"], Sums()).add(partition)
        self.leads[partition["leader"]] += 1
        self.replicas.update(partition["replicas"])
        if has_fault(partition):
            self.faulty.append(partition)


async def tallied(partitions: Mapping[Any, Json]) -> Tally:
    """Count all partitions."""
    tally = Tally()
    pace = Pace()
    for partition in partitions.values():
        tally.add(partition)
        await pace.keep()
    return tally


def has_fault(partition: Json) -> bool:
    """Whether anything is wrong with a partition: standing, short of replicas, or not served."""
    return bool(is_standing(partition) or is_under_replicated(partition) or is_offline(partition))


def is_standing(partition: Json) -> bool:
    return bool(partition["stands_for_ms"] >= STANDS_MS)


def is_under_replicated(partition: Json) -> bool:
    return len(partition["isr"]) < len(partition["replicas"])


def is_offline(partition: Json) -> bool:
    return bool(partition["role"] == "offline" or partition["leader"] == NO_BROKER)
