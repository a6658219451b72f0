"""The audit without Spark: both passes over a run's files in this process. Only rows of pass 2 are held in memory."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa

from chronik.audit.judge.assemble import assemble, finalise, unreported_sends
from chronik.audit.judge.balance.entries import Summary
from chronik.audit.judge.balance.reconcile import Unbalanced, condense, known_beforehand
from chronik.audit.judge.balance.selection import STORED_IN_PASS_2, select, split_reordered
from chronik.audit.judge.balance.splits import LogSplits, Side, Split, splits_of
from chronik.audit.judge.balance.zone_map import Rereading, add_split, splits_to_reread
from chronik.audit.judge.classify.classifier import Classified, classify, classify_reordered
from chronik.audit.judge.classify.context import AuditContext, survey
from chronik.audit.judge.classify.retention import is_compacted_topic, latest_deletions, latest_keys, merge_latest
from chronik.audit.judge.results import AuditResults
from chronik.audit.tables import schemas
from chronik.audit.tables.evidence import Evidence


def audit(run_dir: Path, *, strict: bool = False, log: LogSplits | None = None) -> AuditResults:
    """Judge a recorded run; ``log`` is read instead of the log in the run's directory."""
    evidence = Evidence(run_dir)
    context = survey(evidence, None if log is None else log.spans)
    splits = splits_of(evidence, log)
    summary = Summary()
    for number, split in enumerate(splits):
        add_split(summary, number, split, context)
    summary = condense(summary.merge(known_beforehand(evidence, context)), context)
    context = context.with_delivered(summary)
    verdicts = finalise(
        summary, context, lambda unbalanced: _classified(splits, summary, unbalanced, context, strict=strict)
    )
    return assemble(summary, verdicts, context)


def _classified(
    splits: Sequence[Split], summary: Summary, unbalanced: Unbalanced, context: AuditContext, *, strict: bool
) -> list[Classified]:
    """Pass 2, in this process."""
    sides = _selected(splits_to_reread(splits, summary, unbalanced), unbalanced, context)
    sends = pa.concat_tables([sides[Side.SENT], unreported_sends(summary, unbalanced)])
    keys = _latest_keys(splits_to_reread(splits, summary), sends, context) if is_compacted_topic(context) else {}
    in_question, others = split_reordered(sides[Side.STORED], unbalanced)
    return [
        classify(sends, in_question, sides[Side.DELIVERED], context, keys, strict=strict),
        classify_reordered(others, context, strict=strict),
    ]


def _selected(readings: Iterable[Rereading], chosen: Unbalanced, context: AuditContext) -> dict[Side, pa.Table]:
    tables: dict[Side, list[pa.Table]] = {
        Side.SENT: [schemas.SENDS.empty_table()],
        Side.STORED: [STORED_IN_PASS_2.empty_table()],
        Side.DELIVERED: [schemas.DELIVERED.empty_table()],
    }
    for reading in readings:
        tables[reading.side] += [select(reading.side, rows, chosen, context) for rows in reading.tables()]
    return {side: pa.concat_tables(parts).unify_dictionaries() for side, parts in tables.items()}


def _latest_keys(readings: Iterable[Rereading], sends: pa.Table, context: AuditContext) -> dict[tuple[int, int], int]:
    found = latest_deletions(sends, context)
    for reading in readings:
        if reading.side is Side.STORED:
            for rows in reading.tables():
                found = merge_latest(found, latest_keys(rows))
    return found
