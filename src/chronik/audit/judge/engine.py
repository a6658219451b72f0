"""The audit without Spark: both passes over a run's files in this process; only what is named stays in memory."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa

from chronik.audit.judge.assemble import conclude, unreported_sends
from chronik.audit.judge.balance.cells import Summary
from chronik.audit.judge.balance.reconcile import Wanted, condense, known_beforehand, wanted
from chronik.audit.judge.balance.selection import STORED_IN_PASS_2, select, split_reordered
from chronik.audit.judge.balance.splits import Log, Piece, Side, pieces_of
from chronik.audit.judge.balance.zone_map import Rereading, add_piece, touched
from chronik.audit.judge.classify.classifier import Named, name, name_reordered
from chronik.audit.judge.classify.context import Surroundings, survey
from chronik.audit.judge.classify.retention import is_compacted_topic, latest_deletions, latest_keys, merge_latest
from chronik.audit.judge.results import Results
from chronik.audit.tables import schemas
from chronik.audit.tables.evidence import Evidence


def audit(run_dir: Path, *, strict: bool = False, log: Log | None = None) -> Results:
    """Judge a run; ``log`` gives STORED in the place of what lies in the run's directory."""
    evidence = Evidence(run_dir)
    around = survey(evidence, None if log is None else log.spans)
    pieces = pieces_of(evidence, log)
    summary = Summary()
    for number, piece in enumerate(pieces):
        add_piece(summary, number, piece, around)
    summary = condense(summary.merge(known_beforehand(evidence, around)), around)
    around = around.with_delivered(summary)
    return conclude(summary, _named(pieces, summary, around, strict=strict), around)


def _named(pieces: Sequence[Piece], summary: Summary, around: Surroundings, *, strict: bool) -> list[Named]:
    """Pass 2, where something does not balance."""
    chosen = wanted(summary)
    if chosen.is_empty:
        return []
    sides = _selected(touched(pieces, summary, chosen), chosen, around)
    sends = pa.concat_tables([sides[Side.SENT], unreported_sends(summary, chosen)])
    keys = _latest_keys(touched(pieces, summary), sends, around) if is_compacted_topic(around) else {}
    in_question, others = split_reordered(sides[Side.STORED], chosen)
    return [
        name(sends, in_question, sides[Side.DELIVERED], around, keys, strict=strict),
        name_reordered(others, around, strict=strict),
    ]


def _selected(readings: Iterable[Rereading], chosen: Wanted, around: Surroundings) -> dict[Side, pa.Table]:
    tables: dict[Side, list[pa.Table]] = {
        Side.SENT: [schemas.SENDS.empty_table()],
        Side.STORED: [STORED_IN_PASS_2.empty_table()],
        Side.DELIVERED: [schemas.DELIVERED.empty_table()],
    }
    for reading in readings:
        tables[reading.side] += [select(reading.side, rows, chosen, around) for rows in reading.tables()]
    return {side: pa.concat_tables(parts).unify_dictionaries() for side, parts in tables.items()}


def _latest_keys(readings: Iterable[Rereading], sends: pa.Table, around: Surroundings) -> dict[tuple[int, int], int]:
    found = latest_deletions(sends, around)
    for reading in readings:
        if reading.side is Side.STORED:
            for rows in reading.tables():
                found = merge_latest(found, latest_keys(rows))
    return found
