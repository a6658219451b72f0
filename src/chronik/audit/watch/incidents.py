"""What a continuous audit finds, as incidents: one for each kind, group and partition, until it is quiet again.

An incident is new once, however many messages it grows to; after a quiet time of one horizon the next one is new.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, TypeAlias

import pyarrow as pa

from chronik.audit.judge.classify.verdicts import FLAGS, PHANTOM, PRECEDENCE, Verdict
from chronik.audit.tables.ids import AuditId
from chronik.audit.tables.words import clock, counted, ranges, sentence

EXAMPLES_MAX: Final = 5
OFFSETS_MAX: Final = 1_000
"""So many offsets of an incident are kept for its sentence."""

Key: TypeAlias = tuple[str, str, int]
_MEANINGS: Final = {
    **{row.name: row.meaning for row in PRECEDENCE},
    **{f"+{row.name}": row.meaning for row in FLAGS},
    f"*{PHANTOM}": "an id of this run that no ledger reserved",
}


@dataclass(slots=True)
class WatchFinding:
    """Something that is wrong, or that may be wrong."""

    kind: str
    group: str
    partition: int
    count: int
    since_us: int
    until_us: int
    is_wrong: bool
    """Whether a promise is broken; otherwise that is not known."""
    text: str
    offsets: list[int] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    number: int = 0
    """Counted from 1 as they become known."""

    @property
    def key(self) -> Key:
        return (self.kind, self.group, self.partition)

    @property
    def sentence(self) -> str:
        """The finding in one sentence."""
        where = [] if self.partition < 0 else [f"partition {self.partition}"]
        if self.offsets:
            where.append(f"offset{'s' if len(self.offsets) > 1 else ''} {ranges(self.offsets)}")
        where += [f"group {self.group}"] if self.group else []
        where += [f"such as {self.messages[0]}"] if self.messages else []
        place = f": {', '.join(where)}" if where else ""
        noun = "message" if self.kind in _MEANINGS else "time"
        return sentence(f"{self.kind}: {counted(self.count, noun)}, {self.text}{place}; since {clock(self.since_us)}")

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "sentence": self.sentence}

    def grown(self, later: "WatchFinding") -> None:
        """Take in what was found later of the same."""
        self.count += later.count
        self.until_us = max(self.until_us, later.until_us)
        self.since_us = min(self.since_us, later.since_us)
        self.is_wrong |= later.is_wrong
        self.offsets = sorted({*self.offsets, *later.offsets})[:OFFSETS_MAX]
        self.messages = [*self.messages, *later.messages][:EXAMPLES_MAX]

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> "WatchFinding":
        return cls(**{one.name: raw[one.name] for one in fields(cls)})


@dataclass(slots=True)
class Incidents:
    """The findings that are not quiet yet, by key, and how many there ever were."""

    open: dict[Key, WatchFinding] = field(default_factory=dict)
    ever: int = 0
    has_wrong: bool = False
    has_untold: bool = False

    def take(self, findings: Iterable[WatchFinding]) -> list[WatchFinding]:
        """Take what was found, and give what is new."""
        new = []
        for finding in findings:
            self.has_wrong |= finding.is_wrong
            self.has_untold |= not finding.is_wrong
            known = self.open.get(finding.key)
            if known is not None:
                known.grown(finding)
                continue
            self.ever += 1
            finding.number = self.ever
            self.open[finding.key] = finding
            new.append(finding)
        return new

    def forget_quiet(self, before_us: int) -> None:
        """Let go of what was not seen again for a while."""
        for key in [key for key, finding in self.open.items() if finding.until_us < before_us]:
            del self.open[key]


def message_findings(messages: pa.Table, since_us: int, now_us: int) -> list[WatchFinding]:
    """Return the findings of messages with a name that are not allowed."""
    found: dict[Key, WatchFinding] = {}
    for row in messages.to_pylist():
        if row["is_allowed"]:
            continue
        for kind in _kinds(row):
            finding = _finding(row, kind, since_us, now_us)
            known = found.setdefault(finding.key, finding)
            if known is not finding:
                known.grown(finding)
    return [found[key] for key in sorted(found)]


def _kinds(row: dict[str, Any]) -> list[str]:
    if row["verdict"] == PHANTOM:
        return [f"*{PHANTOM}"]
    flags = [f"+{flag}" for flag in row["flags"]]
    return flags if row["verdict"] == Verdict.DELIVERED else [row["verdict"], *flags]


def _finding(row: dict[str, Any], kind: str, since_us: int, now_us: int) -> WatchFinding:
    is_stored = row["offset"] >= 0
    partition = row["partition"] if is_stored else row["acked_partition"]
    offset = row["offset"] if is_stored else row["acked_offset"]
    return WatchFinding(
        kind=kind,
        group=row["group"],
        partition=partition,
        count=1,
        since_us=since_us,
        until_us=now_us,
        # A send without a known outcome is no proof of a broken promise.
        is_wrong=kind != Verdict.UNKNOWN,
        text=_MEANINGS[kind],
        offsets=[offset] if offset >= 0 else [],
        messages=[str(AuditId(row["run"], row["producer"], row["sequence"]))],
    )
