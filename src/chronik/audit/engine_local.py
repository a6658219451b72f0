"""The audit without Spark: both passes over a run's files in this process; only what is named stays in memory."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol, TypeAlias

import pyarrow as pa

from chronik.audit import schemas
from chronik.audit.cells import Summary
from chronik.audit.evidence import Evidence, stream_batches
from chronik.audit.judging import conclude, unreported_sends
from chronik.audit.merging import Wanted, condense, known_beforehand, wanted
from chronik.audit.naming import Named, name, name_reordered
from chronik.audit.results import Results
from chronik.audit.retention import is_compacted_topic, latest_deletions, latest_keys, merge_latest
from chronik.audit.selection import STORED_IN_PASS_2, select_delivered, select_sends, select_stored, split_reordered
from chronik.audit.spans import ReadSpan
from chronik.audit.summaries import (
    NARROW_DELIVERED,
    NARROW_SENDS,
    NARROW_STORED,
    add_delivered,
    add_sends,
    add_stored,
    in_portions,
)
from chronik.audit.surroundings import Surroundings, survey

Portions: TypeAlias = Callable[[], Iterator[pa.Table]]
"""Reads a side from its beginning, in portions that are the same each time."""


class Log(Protocol):
    """The log of a run's topic, where it is not read from the run's directory."""

    @property
    def spans(self) -> tuple[ReadSpan, ...]:
        """What is read of it."""

    def portions(self) -> Iterator[pa.Table]:
        """Give STORED, in portions that are the same each time."""


def audit(run_dir: Path, *, strict: bool = False, log: Log | None = None) -> Results:
    """Judge a run; ``log`` gives STORED in the place of what lies in the run's directory."""
    evidence = Evidence(run_dir)
    around = survey(evidence, None if log is None else log.spans)
    sides = _Sides(evidence, None if log is None else log.portions)
    summary = condense(sides.summed_up(around).merge(known_beforehand(evidence, around)), around)
    around = around.with_delivered(summary)
    return conclude(summary, sides.named(wanted(summary), summary, around, strict=strict), around)


class _Sides:
    """The three sides of a run, read as often as they are asked for."""

    def __init__(self, evidence: Evidence, read_stored: Portions | None) -> None:
        self._evidence = evidence
        self._read_stored = read_stored
        self.sends = _files(evidence.send_files(), schemas.SENDS)
        self.stored = read_stored or _files(evidence.stored_files(), schemas.STORED)
        self.delivered = _files(evidence.delivered_files(), schemas.DELIVERED)

    def summed_up(self, around: Surroundings) -> Summary:
        """Pass 1."""
        summary = Summary()
        evidence = self._evidence
        for rows in _files(evidence.send_files(), NARROW_SENDS)():
            add_sends(summary, rows)
        for rows in (self._read_stored or _files(evidence.stored_files(), NARROW_STORED))():
            add_stored(summary, rows, around)
        for rows in _files(evidence.delivered_files(), NARROW_DELIVERED)():
            add_delivered(summary, rows, around)
        return summary

    def named(self, chosen: Wanted, summary: Summary, around: Surroundings, *, strict: bool) -> list[Named]:
        """Pass 2, where something does not balance."""
        if chosen.is_empty:
            return []
        sends = _joined((select_sends(rows, chosen) for rows in self.sends()), schemas.SENDS)
        sends = pa.concat_tables([sends, unreported_sends(summary, chosen)])
        stored = _joined((select_stored(rows, chosen, around) for rows in self.stored()), STORED_IN_PASS_2)
        delivered = _joined((select_delivered(rows, chosen, around) for rows in self.delivered()), schemas.DELIVERED)
        keys = self._latest_keys(sends, around) if is_compacted_topic(around) else {}
        in_question, others = split_reordered(stored, chosen)
        return [
            name(sends, in_question, delivered, around, keys, strict=strict),
            name_reordered(others, around, strict=strict),
        ]

    def _latest_keys(self, sends: pa.Table, around: Surroundings) -> dict[tuple[int, int], int]:
        found = latest_deletions(sends, around)
        for rows in self.stored():
            found = merge_latest(found, latest_keys(rows))
        return found


def _files(paths: Iterable[Path], schema: pa.Schema) -> Portions:
    known = tuple(paths)

    def read() -> Iterator[pa.Table]:
        for path in known:
            for portion in in_portions(stream_batches(path, schema)):
                yield portion.cast(schema)

    return read


def _joined(parts: Iterable[pa.Table], schema: pa.Schema) -> pa.Table:
    return pa.concat_tables([schema.empty_table(), *parts]).unify_dictionaries()
