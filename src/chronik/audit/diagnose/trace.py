"""The brokers' trace for the diagnosis rules, with the gaps where events were dropped.

Nothing is concluded from what is absent where events were dropped: ``is_whole`` is asked first.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

DROPPED: Final = "events_dropped"


@dataclass(frozen=True, slots=True)
class Hole:
    """Between these times a broker's trace lacks events."""

    node: int
    since_us: int
    until_us: int


@dataclass(frozen=True, slots=True)
class Trace:
    """The trace events of a topic, and the gaps between them."""

    events: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    holes: tuple[Hole, ...] = ()

    @property
    def is_there(self) -> bool:
        return bool(self.events)

    def named(self, event: str, partition: int | None = None) -> list[dict[str, Any]]:
        """Return the events of one name, of one partition or of all."""
        found = self.events.get(event, [])
        return found if partition is None else [row for row in found if row.get("partition") == partition]

    def between(self, event: str, partitions: Collection[int], since_us: int, until_us: int) -> list[dict[str, Any]]:
        """Return the events of one name and of some partitions within a time."""
        found = self.events.get(event, [])
        return [row for row in found if row.get("partition") in partitions and since_us <= row["at_us"] <= until_us]

    def has_no_hole(self, since_us: int, until_us: int) -> bool:
        """Return whether nothing of any broker's trace was dropped between two times."""
        return not any(hole.since_us <= until_us and hole.until_us >= since_us for hole in self.holes)

    def is_whole(self, node: int, since_us: int, until_us: int) -> bool:
        """Return whether nothing of a broker's trace was dropped between two times."""
        return not any(
            hole.node == node and hole.since_us <= until_us and hole.until_us >= since_us for hole in self.holes
        )

    @classmethod
    def read(cls, paths: Iterable[Path], topic: str) -> "Trace":
        rows = sorted((row for path in paths for row in _lines(path)), key=lambda row: (row["node"], row["at_us"]))
        events: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in rows:
            if row.get("topic", topic) == topic and row["event"] != DROPPED:
                events[row["event"]].append(row)
        return cls(dict(events), tuple(_holes(rows)))


def request_of(row: dict[str, Any]) -> tuple[int, str, int]:
    """Return the key that the events of one request share."""
    return row["node"], row["client_id"], row["correlation_id"]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read the complete lines: the last one may be incomplete."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n") and line.strip():
                yield json.loads(line)


def _holes(rows: list[dict[str, Any]]) -> Iterator[Hole]:
    """Read the marks of dropped events. Missing numbers without a mark are events of other topics."""
    last_us: dict[int, int] = {}
    for row in rows:
        if row["event"] == DROPPED:
            yield Hole(row["node"], last_us.get(row["node"], 0), row["at_us"])
        last_us[row["node"]] = row["at_us"]
