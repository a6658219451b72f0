"""The history of a topic: one line for each judged run, and the comparison of runs.

The lines lie beside the runs of a topic, so that a baseline outlives the ledgers that it came from. A run that is
judged again replaces its line.
"""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from chronik.audit.report.document import Report
from chronik.audit.tables.words import duration, number, share

FILE: Final = "history.jsonl"
SLOWER_SHARE: Final = 0.2
"""Rates and latencies differ from run to run: less than this is no regression."""
LATENCY_NOISE_US: Final = 20_000
"""Nor is a latency that rose by less than this."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """The summary of a run in the history."""

    run: str
    directory: str
    topic: str
    label: str
    begin_us: int
    sent: int
    delivered: int
    exit_code: int
    verdicts: dict[str, int]
    """Counts of the worst group; flags with a leading ``+``. Without DELIVERED."""
    disallowed: int
    cause: str
    rate: float
    latency_p50_us: int
    latency_p99_us: int
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        return self.label or self.run


def entry_of(report: Report) -> HistoryEntry:
    """Return the summary of a run."""
    facts, root = report.facts, report.root
    rows = [row for row in report.partitions.to_pylist() if row["group"] == report.worst_group]
    counts = report.groups.get(report.worst_group, {})
    return HistoryEntry(
        run=f"{facts.run:016x}",
        directory=str(report.directory.resolve()),
        topic=facts.topic,
        label=facts.label,
        begin_us=facts.begin_us,
        sent=report.sent,
        delivered=report.delivered(report.worst_group),
        exit_code=int(report.exit_code),
        verdicts={
            name: count for name, (count, _) in counts.items() if count and name not in ("DELIVERED", "*FOREIGN")
        },
        disallowed=report.results.disallowed(report.worst_group) if counts else 0,
        cause=root["kind"] if root else "",
        rate=_rate(rows),
        latency_p50_us=max((row["latency_p50_us"] for row in rows), default=-1),
        latency_p99_us=max((row["latency_p99_us"] for row in rows), default=-1),
        settings={name: value for name, value in facts.settings.items() if isinstance(value, str | int | float)},
    )


def _rate(rows: Sequence[dict[str, Any]]) -> float:
    """Messages per second, from the first that was delivered to the last, over all partitions."""
    known = [row for row in rows if row["first_us"] >= 0 and row["last_us"] > row["first_us"]]
    if not known:
        return 0.0
    length_us: int = max(row["last_us"] for row in known) - min(row["first_us"] for row in known)
    delivered: int = sum(row["delivered"] for row in known)
    return round(delivered / (length_us / 1e6), 1)


# --- the file


def history_path(report: Report) -> Path:
    """The runs of a topic lie in one directory, and their history beside them."""
    return report.directory.resolve().parent / FILE


def note_run(report: Report) -> None:
    """Write the line of a run, in place of an older line of the same run."""
    path, entry = history_path(report), entry_of(report)
    kept = [other for other in read_history(path) if other.run != entry.run]
    lines = [json.dumps(asdict(one), sort_keys=True) for one in (*kept, entry)]
    waiting = path.with_suffix(f".{os.getpid()}.new")
    waiting.write_text("\n".join(lines) + "\n", encoding="utf-8")
    waiting.replace(path)


def read_history(path: Path) -> list[HistoryEntry]:
    """Read the lines, oldest first; incomplete lines and lines of other versions are left out."""
    if not path.exists():
        return []
    entries = filter(None, map(_entry, path.read_text(encoding="utf-8").splitlines()))
    return sorted(entries, key=lambda entry: entry.begin_us)


def _entry(line: str) -> HistoryEntry | None:
    try:
        document = json.loads(line)
        return HistoryEntry(**{field.name: document[field.name] for field in fields(HistoryEntry)})
    except (ValueError, KeyError, TypeError):
        return None


# --- comparison


@dataclass(frozen=True, slots=True)
class Regression:
    """A value that is worse than in the baseline, and by how much."""

    entry: HistoryEntry
    what: str

    def __str__(self) -> str:
        return f"{self.entry.name}: {self.what}"


def regressions(baseline: HistoryEntry, entries: Iterable[HistoryEntry]) -> list[Regression]:
    """Return the regressions of each run against the baseline."""
    return [Regression(entry, what) for entry in entries for what in _worse(baseline, entry)]


def _worse(baseline: HistoryEntry, entry: HistoryEntry) -> Iterable[str]:
    yield from _worse_success(baseline, entry)
    for name in sorted({*baseline.verdicts, *entry.verdicts}):
        before, now = baseline.verdicts.get(name, 0), entry.verdicts.get(name, 0)
        if _share(now, entry) > _share(before, baseline):
            yield f"{name} {number(before)} → {number(now)} messages"
    if entry.cause and entry.cause != baseline.cause:
        yield f"cause {baseline.cause or 'none'} → {entry.cause}"
    if entry.rate < baseline.rate * (1 - SLOWER_SHARE):
        yield f"rate {number(baseline.rate)}/s → {number(entry.rate)}/s ({entry.rate / baseline.rate - 1:+.0%})"
    for name in ("latency_p50_us", "latency_p99_us"):
        yield from _worse_latency(name, getattr(baseline, name), getattr(entry, name))


def _share(count: int, entry: HistoryEntry) -> float:
    return count / entry.sent if entry.sent else 0.0


def _worse_success(baseline: HistoryEntry, entry: HistoryEntry) -> Iterable[str]:
    before, now = _share(baseline.delivered, baseline), _share(entry.delivered, entry)
    if now < before:
        told = f"{share(baseline.delivered, baseline.sent)} → {share(entry.delivered, entry.sent)}"
        yield f"delivered {told} ({(now - before) * 100:+.1f} points)"


def _worse_latency(name: str, before_us: int, now_us: int) -> Iterable[str]:
    if before_us >= 0 and now_us > before_us * (1 + SLOWER_SHARE) and now_us - before_us > LATENCY_NOISE_US:
        times = f"; {now_us / before_us:.1f} times" if before_us else ""
        yield f"{name.removesuffix('_us').replace('_', ' ')} {duration(before_us)} → {duration(now_us)}{times}"
