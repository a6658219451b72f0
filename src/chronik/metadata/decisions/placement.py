"""Placement of a new partition's replicas and of its preferred leader."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from chronik.metadata.image.image import Image
from chronik.model.ids import BrokerId

Racks = Mapping[BrokerId, str | None]


@dataclass(slots=True)
class Load:
    """The number of leaders and replicas on each broker, including partitions placed by this decision."""

    leaders: Counter[BrokerId] = field(default_factory=Counter)
    replicas: Counter[BrokerId] = field(default_factory=Counter)

    @classmethod
    def of(cls, image: Image) -> "Load":
        load = cls()
        for topic in image.topics.values():
            for partition in topic.partitions:
                load.add(partition.replicas)
        return load

    def add(self, replicas: Sequence[BrokerId]) -> None:
        """Count a partition. The first replica, the preferred leader, counts as its leader."""
        self.leaders[replicas[0]] += 1
        self.replicas.update(replicas)


def racks_of(image: Image, wanted: int) -> Racks:
    """Return the brokers for new replicas with their racks; stopping brokers only if there are not enough others."""
    racks = {broker.id: broker.rack for broker in image.brokers.values()}
    staying = {broker: rack for broker, rack in racks.items() if image.may_lead(broker)}
    return staying if len(staying) >= wanted else racks


def place(count: int, replication_factor: int, racks: Racks, load: Load) -> list[tuple[BrokerId, ...]]:
    """Choose replicas for ``count`` partitions: the preferred leader where fewest lead, the others where fewest
    replicas are.

    The replicas of a partition are spread evenly over as many racks as possible. Among equals the order of ids decides,
    starting after the leader and shifted by the number of partitions that it leads. So the followers of one broker's
    partitions are spread over all others, and so are their leaders when it dies.
    """
    ordered = sorted(racks)
    assert 1 <= replication_factor <= len(ordered)
    placed = []
    for _ in range(count):
        replicas = _place_one(replication_factor, ordered, racks, load)
        load.add(replicas)
        placed.append(replicas)
    return placed


def _place_one(replication_factor: int, ordered: Sequence[BrokerId], racks: Racks, load: Load) -> tuple[BrokerId, ...]:
    leader = min(ordered, key=lambda broker: (load.leaders[broker], load.replicas[broker], broker))
    others = _after(ordered, leader, load.leaders[leader])
    # The sort is stable: it keeps the order among equals.
    others.sort(key=lambda broker: load.replicas[broker])
    chosen = [leader]
    in_rack = Counter([racks[leader]])
    while len(chosen) < replication_factor:
        follower = min(others, key=lambda broker: in_rack[racks[broker]])
        others.remove(follower)
        chosen.append(follower)
        in_rack[racks[follower]] += 1
    return tuple(chosen)


def _after(ordered: Sequence[BrokerId], leader: BrokerId, turn: int) -> list[BrokerId]:
    start = ordered.index(leader)
    others = [*ordered[start + 1 :], *ordered[:start]]
    first = turn % len(others) if others else 0
    return [*others[first:], *others[:first]]
