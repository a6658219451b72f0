"""The offsets of each replica that were read into STORED: only within them, an absent record is known to be absent."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, TypeAlias

from chronik.audit.tables.evidence import Evidence

SPANS_FILE: Final = "spans.json"
"""Beside the files of STORED."""
_SILENT_FILE: Final = "silent.json"

Replica: TypeAlias = tuple[int, int]
"""A replica by its node and partition."""


@dataclass(frozen=True, slots=True)
class ReadSpan:
    """``[begin_offset, end_offset)`` of one replica was read. ``log_end`` is where its log ended; -1: not known."""

    node: int
    partition: int
    log_start: int
    end_offset: int
    log_end: int = -1
    begin_offset: int = 0
    is_leader: bool = False

    @property
    def first_offset(self) -> int:
        """The offset where the reading began."""
        return max(self.log_start, self.begin_offset)


def write_spans(folder: Path, spans: Iterable[ReadSpan]) -> None:
    """Write the spans that were read."""
    text = json.dumps([asdict(span) for span in spans], indent=1)
    (folder / SPANS_FILE).write_text(text, encoding="utf-8")


def write_silent(folder: Path, replicas: Iterable[Replica]) -> None:
    """Record the replicas that did not answer."""
    (folder / _SILENT_FILE).write_text(json.dumps(sorted(replicas)), encoding="utf-8")


def silent_replicas(evidence: Evidence) -> list[Replica]:
    """Return the replicas that did not answer when the log was read."""
    path = evidence.directory / "stored" / _SILENT_FILE
    return [(node, partition) for node, partition in json.loads(path.read_text())] if path.exists() else []


def read_spans(evidence: Evidence) -> list[ReadSpan]:
    """Return the spans that were read; without a file of spans, the spans of the stored records."""
    return written_spans(evidence) or _shown_by_records(evidence)


def written_spans(evidence: Evidence) -> list[ReadSpan]:
    """Return the spans in the file that the reader of the log wrote."""
    path = evidence.directory / "stored" / SPANS_FILE
    return [ReadSpan(**span) for span in json.loads(path.read_text(encoding="utf-8"))] if path.exists() else []


def _shown_by_records(evidence: Evidence) -> list[ReadSpan]:
    stored = evidence.stored
    if not stored.num_rows:
        return []
    found = stored.group_by(["node", "partition"]).aggregate([("offset", "min"), ("offset", "max")]).to_pylist()
    return [
        ReadSpan(row["node"], row["partition"], row["offset_min"], row["offset_max"] + 1)
        for row in sorted(found, key=lambda row: (row["node"], row["partition"]))
    ]
