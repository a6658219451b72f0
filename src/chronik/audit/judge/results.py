"""The results of an audit: tables that any tool can read."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from chronik.audit.judge.classify.verdicts import FLAGS, FOREIGN, PHANTOM, PRECEDENCE, Verdict
from chronik.audit.tables import schemas

FOLDER: Final = "results"
_SHORT: Final = "summary.json"


@dataclass(frozen=True, slots=True)
class AuditResults:
    """The tables VERDICTS, MESSAGES and PARTITIONS of a run."""

    verdicts: pa.Table
    messages: pa.Table
    partitions: pa.Table
    sent: int
    notes: tuple[str, ...] = ()
    """What could not be seen, and so was not judged."""
    named_by_rows: int = 0
    """How many messages pass 2 looked at one by one."""

    def count(self, group: str, name: str) -> int:
        """Return how many messages of a group have a verdict (or ``+FLAG``, or ``*PHANTOM``)."""
        return self._counts().get((group, name), (0, 0))[0]

    def groups(self) -> list[str]:
        return sorted(set(self.verdicts.column("group").to_pylist()))

    def disallowed(self, group: str) -> int:
        """Count the messages and records of a group that break a promise."""
        return sum(
            count - allowed
            for (name, kind), (count, allowed) in self._counts().items()
            if name == group and kind[0] != "+"
        )

    def worst_group(self) -> str:
        """Return the group that the headline is about: the one with most that is not allowed, then fewest delivered."""
        return min(self.groups(), key=lambda g: (-self.disallowed(g), self.count(g, Verdict.DELIVERED), g))

    def _counts(self) -> dict[tuple[str, str], tuple[int, int]]:
        rows = self.verdicts.to_pylist()
        return {(row["group"], row["verdict"]): (row["count"], row["allowed_count"]) for row in rows}

    def save(self, run_dir: Path) -> None:
        """Write the tables as Parquet files."""
        folder = run_dir / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        for name in _TABLES:
            pq.write_table(getattr(self, name), folder / f"{name}.parquet")
        short = {"sent": self.sent, "notes": self.notes, "named_by_rows": self.named_by_rows}
        (folder / _SHORT).write_text(json.dumps(short, indent=1), encoding="utf-8")

    @classmethod
    def load(cls, run_dir: Path) -> "AuditResults":
        """Read what was saved."""
        folder = run_dir / FOLDER
        short = json.loads((folder / _SHORT).read_text(encoding="utf-8"))
        tables = {name: pq.read_table(folder / f"{name}.parquet") for name in _TABLES}
        return cls(**tables, sent=short["sent"], notes=tuple(short["notes"]), named_by_rows=short["named_by_rows"])


_TABLES: Final = ("verdicts", "messages", "partitions")
_ORDER: Final = {
    name: place
    for place, name in enumerate(
        [*(row.name for row in PRECEDENCE), *(f"+{row.name}" for row in FLAGS), f"*{PHANTOM}", f"*{FOREIGN}"]
    )
}


def verdict_table(
    groups: Iterable[str], counts: Counter[tuple[str, str]], allowed: Mapping[tuple[str, str], int]
) -> pa.Table:
    """Write counts as VERDICTS: every verdict of every group, in the table's order."""
    rows = [
        {"group": group, "verdict": name, "count": counts[group, name], "allowed_count": allowed.get((group, name), 0)}
        for group in sorted(groups)
        for name in _ORDER
    ]
    return pa.Table.from_pylist(rows, schemas.VERDICTS)


def sorted_messages(messages: pa.Table) -> pa.Table:
    """Sort messages, so that all engines return them in one order."""
    order = [("group", "ascending"), ("producer", "ascending"), ("sequence", "ascending"), ("verdict", "ascending")]
    return messages.sort_by(order).combine_chunks()
