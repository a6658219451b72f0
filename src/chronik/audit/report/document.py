"""The report of a run: one document from which the terminal, JSON, JUnit and HTML forms are made."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from chronik.audit.judge.classify.verdicts import PRECEDENCE
from chronik.audit.judge.results import FOLDER, AuditResults
from chronik.audit.report.exit_codes import ExitCode, exit_code
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.run_facts import RunFacts
from chronik.audit.tables.schemas import FINDINGS
from chronik.audit.tables.spans import silent_replicas, written_spans
from chronik.audit.tables.words import counted, number, plural, ranges, sentence

FORMAT: Final = 1
FINDINGS_FILE: Final = "findings.parquet"
MESSAGES_SHOWN_MAX: Final = 1_000
OFFSETS_NAMED_MAX: Final = 100_000
SPANS_NAMED_MAX: Final = 3
BREACHES_SHOWN_MAX: Final = 5

DELIVERED: Final = "DELIVERED"

PHRASES: Final[Mapping[str, str]] = {row.name: row.sentence for row in PRECEDENCE if row.sentence}

_SECRET: Final = re.compile(r"passw|secret|jaas|token|private|ssl\.key", re.IGNORECASE)
_QUOTED: Final = re.compile(r"b?'[^']*'|\"[^\"]*\"")
_REMOVED: Final = "(left out)"


@dataclass(frozen=True)
class Report:
    """The results of a run, with their summary."""

    directory: Path
    results: AuditResults
    findings: pa.Table
    is_redacted: bool = False

    @property
    def verdicts(self) -> pa.Table:
        return self.results.verdicts

    @property
    def messages(self) -> pa.Table:
        return self.results.messages

    @property
    def partitions(self) -> pa.Table:
        return self.results.partitions

    @cached_property
    def evidence(self) -> Evidence:
        return Evidence(self.directory)

    @property
    def facts(self) -> RunFacts:
        return self.evidence.facts

    @cached_property
    def groups(self) -> dict[str, dict[str, tuple[int, int]]]:
        """Count and allowed count of each verdict, flag (``+``) and kind of record (``*``), by group."""
        groups: dict[str, dict[str, tuple[int, int]]] = {}
        for row in self.verdicts.to_pylist():
            groups.setdefault(row["group"], {})[row["verdict"]] = row["count"], row["allowed_count"]
        return groups

    @cached_property
    def worst_group(self) -> str:
        return self.results.worst_group() if self.groups else ""

    @property
    def problems(self) -> list[str]:
        """The problems of the recording that the run noted."""
        return [str(problem) for problem in self.facts.raw.get("problems", [])]

    @cached_property
    def sight(self) -> list[str]:
        """Return the logs that were not read to their ends; acknowledgements are the only evidence there."""
        short = [span for span in written_spans(self.evidence) if 0 <= span.end_offset < span.log_end]
        named = [
            f"of partition {span.partition} at broker {span.node}, {counted(span.log_end - span.end_offset, 'offset')}"
            for span in short[:SPANS_NAMED_MAX]
        ]
        more = f", and of {number(len(short) - len(named))} more replicas" if len(short) > len(named) else ""
        notes = [f"not read, because the cluster did not return them: {'; '.join(named)}{more}"] if short else []
        silent: dict[int, list[int]] = {}
        for node, partition in silent_replicas(self.evidence):
            silent.setdefault(node, []).append(partition)
        return notes + [
            f"broker {node} did not answer: its {plural('replica', len(own))} of "
            f"{plural('partition', len(own))} {ranges(own)} {'was' if len(own) == 1 else 'were'} not read"
            for node, own in silent.items()
        ]

    @property
    def notes(self) -> list[str]:
        """Return the limits of the verdicts: missing evidence, and problems of the recording."""
        return [*self.results.notes, *self.sight, *self.problems]

    @property
    def sent(self) -> int:
        return self.results.sent

    @cached_property
    def unplaced(self) -> int:
        """The number of messages of unknown partition; no partition counts them as sent."""
        placed = sum(int(row["sent"]) for row in self.partitions.to_pylist() if row["group"] == self.worst_group)
        return max(self.sent - placed, 0)

    def delivered(self, group: str) -> int:
        return self.groups.get(group, {}).get(DELIVERED, (0, 0))[0]

    @cached_property
    def exit_code(self) -> ExitCode:
        return exit_code(self.results, self.findings)

    @cached_property
    def finding_rows(self) -> list[dict[str, Any]]:
        """The findings; redacted, without quotations of messages."""
        rows: list[dict[str, Any]] = self.findings.to_pylist()
        return [_without_quotes(row) for row in rows] if self.is_redacted else rows

    @property
    def root(self) -> dict[str, Any] | None:
        return next((row for row in self.finding_rows if row["is_root"]), None)

    @cached_property
    def headline(self) -> str:
        """The verdict in one sentence, with its numbers."""
        if not self.sent:
            return "No message was sent, so there is nothing to judge."
        rows = self.groups[self.worst_group]
        parts = [f"{number(self.delivered(self.worst_group))} of {number(self.sent)} delivered"]
        parts += [self._part(name, count) for name, (count, _) in rows.items() if name in PHRASES and count]
        parts += _flag_parts(rows)
        if self.root is not None:
            parts.append(f"cause: {self.root['sentence']}")
        return sentence("; ".join(parts))

    def _part(self, verdict: str, count: int) -> str:
        return f"{number(count)} {PHRASES[verdict]}{self._where(verdict)}"

    def _where(self, verdict: str) -> str:
        """Return the partitions and offsets of a verdict, where they are known and few."""
        table = self.messages.slice(0, OFFSETS_NAMED_MAX)
        places: dict[int, list[int]] = {}
        columns = (table[name].to_pylist() for name in _PLACE)
        for group, own, partition, offset, acked_partition, acked_offset in zip(*columns, strict=True):
            if (group, own) == (self.worst_group, verdict) and max(partition, acked_partition) >= 0:
                place = (partition, offset) if partition >= 0 else (acked_partition, acked_offset)
                places.setdefault(place[0], []).append(place[1])
        if not places or len(places) > 3:
            return ""
        told = [
            f"partition {partition}{_offsets([offset for offset in at if offset >= 0])}"
            for partition, at in sorted(places.items())
        ]
        return f": {'; '.join(told)}" if len(told) == 1 else f" ({'; '.join(told)})"

    def as_json(self) -> dict[str, Any]:
        """Return everything as one document; of the messages the first thousand, and their number."""
        return {
            "format": FORMAT,
            "headline": self.headline,
            "exit_code": self.exit_code,
            "notes": self.notes,
            "sent": self.sent,
            "delivered": self.delivered(self.worst_group),
            "of_no_known_partition": self.unplaced,
            "worst_group": self.worst_group,
            "run": self.run_json(),
            "groups": [
                {"group": group, "verdicts": [_count(name, *counts) for name, counts in rows.items()]}
                for group, rows in self.groups.items()
            ],
            "findings": self.finding_rows,
            "partitions": self.partitions.to_pylist(),
            "messages": {"count": self.messages.num_rows, "first": self.message_rows()},
        }

    def message_rows(self, most: int = MESSAGES_SHOWN_MAX) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.messages.slice(0, most).to_pylist()
        return [{**row, "why": _QUOTED.sub(_REMOVED, row["why"])} for row in rows] if self.is_redacted else rows

    def breaches(self, most: int = BREACHES_SHOWN_MAX) -> list[str]:
        """Return the headline, the first messages that break a promise, and the findings, a line each."""
        broken = [row for row in self.message_rows() if not row["is_allowed"]]
        lines = [self.headline, *self.notes]
        lines += [
            f"p{row['producer']}-{row['sequence']} of group {row['group'] or '-'}: "
            f"{' +'.join([row['verdict'], *row['flags']])}: {row['why']}"
            for row in broken[:most]
        ]
        for row in self.finding_rows:
            lines += [row["sentence"], *(f"  {line}" for line in row["evidence"])]
        return lines

    def run_json(self) -> dict[str, Any]:
        """Return the content of ``run.json``, without secrets."""
        return {name: without_secrets(name, value) for name, value in self.facts.raw.items()}


_PLACE: Final = ("group", "verdict", "partition", "offset", "acked_partition", "acked_offset")


def _offsets(known: list[int]) -> str:
    return f", {plural('offset', len(known))} {ranges(known, 3)}" if known else ""


def _flag_parts(rows: Mapping[str, tuple[int, int]]) -> list[str]:
    return [
        f"{number(count)} {name[1:].lower().replace('_', ' ')}"
        for name, (count, _) in rows.items()
        if name[0] == "+" and count
    ] + [f"{counted(count, 'phantom')}" for name, (count, _) in rows.items() if name == "*PHANTOM" and count]


def _count(name: str, count: int, allowed: int) -> dict[str, Any]:
    return {"verdict": name, "count": count, "allowed": allowed}


def _without_quotes(row: dict[str, Any]) -> dict[str, Any]:
    lines = [_QUOTED.sub(_REMOVED, line) for line in row["evidence"]]
    return {**row, "evidence": lines, "sentence": _QUOTED.sub(_REMOVED, row["sentence"])}


def without_secrets(name: str, value: Any) -> Any:
    """Leave out passwords at any depth."""
    if isinstance(value, Mapping):
        return {key: without_secrets(key, inner) for key, inner in value.items()}
    return _REMOVED if _SECRET.search(name) and value else value


def read_report(directory: Path, *, is_redacted: bool = False) -> Report:
    """Read the results of a run's directory; ``FileNotFoundError`` where it has not been judged yet."""
    findings = pq.read_table(directory / FOLDER / FINDINGS_FILE)
    return Report(directory, AuditResults.load(directory), findings.select(FINDINGS.names).cast(FINDINGS), is_redacted)


def save_findings(directory: Path, findings: pa.Table) -> None:
    (directory / FOLDER).mkdir(parents=True, exist_ok=True)
    pq.write_table(findings, directory / FOLDER / FINDINGS_FILE)
