"""What a group owes its members beside delivery, which the audit judges:

- A member receives records of assigned partitions only.
- An assignment begins at or above every offset that the group had committed before it. So a record is read twice only
  if no committed offset covered it when its partition changed hands.
- A member that was not removed from the group receives nothing once another member has the partition.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.schemas import EventKind

# aiokafka's background task may revoke a partition just before the task that received a record stamps it, and between
# the two the machine may stand still.
OVERLAP_US_MAX = 3_000_000

Row = Mapping[str, Any]


@dataclass(slots=True)
class Holding:
    """One member's hold on a partition, from its assignment on."""

    consumer: int
    assigned_us: int
    first_offset: int = -1
    last_offset: int = -1
    last_us: int = 0
    was_lost: bool = False


@dataclass(slots=True)
class Reading:
    """What one group did with one partition."""

    name: str
    holdings: list[Holding]
    commits: list[tuple[int, int]]
    unassigned: list[tuple[int, int]]
    """Consumer and offset of records that were delivered without an assignment."""

    def findings(self) -> Iterator[str]:
        for consumer, offset in self.unassigned:
            yield f"{self.name}@{offset}: delivered to consumer {consumer} without an assignment"
        for holding in self.holdings:
            committed = max((offset for at_us, offset in self.commits if at_us < holding.assigned_us), default=0)
            if 0 <= holding.first_offset < committed:
                yield (
                    f"{self.name}@{holding.first_offset}: read again by consumer {holding.consumer}, although the "
                    f"group had committed {committed} before the partition was assigned"
                )
        for holding, following in pairwise(sorted(self.holdings, key=lambda each: each.assigned_us)):
            late_us = holding.last_us - following.assigned_us
            if holding.consumer != following.consumer and late_us > OVERLAP_US_MAX and not holding.was_lost:
                yield (
                    f"{self.name}@{holding.last_offset}: read by consumer {holding.consumer} {late_us / 1e6:.1f} s "
                    f"after consumer {following.consumer} was assigned the partition"
                )


def group_findings(evidence: Evidence) -> list[str]:
    """Return every breach of these rules in a run."""
    events = [row for row in evidence.events.to_pylist() if row["partition"] >= 0]
    return broken_rules(events, evidence.delivered.select(_DELIVERED_COLUMNS).to_pylist())


_DELIVERED_COLUMNS = ["group", "consumer", "partition", "offset", "received_us"]


def broken_rules(events: Sequence[Row], deliveries: Sequence[Row]) -> list[str]:
    """Apply the rules to rows of EVENTS and DELIVERED, in any order."""
    rows: dict[tuple[str, int], list[tuple[int, Row]]] = defaultdict(list)
    for row in events:
        rows[row["group"], row["partition"]].append((row["at_us"], row))
    for row in deliveries:
        rows[row["group"], row["partition"]].append((row["received_us"], row))
    found: list[str] = []
    for (group, partition), own in sorted(rows.items()):
        found += _reading(f"{group} {partition}", sorted(own, key=lambda each: each[0])).findings()
    return found


def _reading(name: str, rows: Sequence[tuple[int, Row]]) -> Reading:
    reading = Reading(name, [], [], [])
    current: dict[int, Holding] = {}
    for at_us, row in rows:
        consumer = row["consumer"]
        match row.get("kind"):
            case EventKind.ASSIGNED:
                current[consumer] = Holding(consumer, at_us)
                reading.holdings.append(current[consumer])
            case EventKind.REVOKED:
                if consumer in current:
                    current[consumer].was_lost = row["text"] == "lost"
            case EventKind.COMMITTED:
                reading.commits.append((at_us, row["offset"]))
            case None:
                _deliver(reading, current.get(consumer), at_us, row)
    return reading


def _deliver(reading: Reading, holding: Holding | None, at_us: int, row: Row) -> None:
    offset = row["offset"]
    if holding is None:
        reading.unassigned.append((row["consumer"], offset))
        return
    if holding.first_offset < 0:
        holding.first_offset = offset
    holding.last_offset, holding.last_us = offset, at_us
