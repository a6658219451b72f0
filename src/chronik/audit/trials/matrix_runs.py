"""The runs of a matrix and of the phases: recorded, judged at once, and summed up as an outcome."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from chronik.audit.capture.run import OnProgress
from chronik.audit.capture.settings import RunSettings
from chronik.audit.judge.engine import audit
from chronik.audit.pipeline import Engine, judge_and_report, record
from chronik.audit.report.document import Report
from chronik.audit.trials.matrix import Axis, CellOutcome, MatrixCell, RunCell, run_matrix
from chronik.client.errors import ClientError
from chronik.testing.cluster import ClusterProcess

OWN_BROKERS: Final = 3
FORWARDING: Final = "forwarding"
_FORWARD: Final = "chronik.forward.produce"

OnCell = Callable[[int, int, CellOutcome], None]


async def run_and_judge(
    settings: RunSettings, place: Path, engine: Engine, on_progress: OnProgress = lambda progress: None
) -> Report:
    """Record a run, and judge it at once."""
    await record(settings, place, on_progress=on_progress)
    return await asyncio.to_thread(judge_and_report, place, engine)


def _runner(engine: Engine) -> RunCell:
    async def run_cell(cell: MatrixCell, settings: RunSettings, place: Path) -> CellOutcome:
        try:
            return outcome_of(cell, await run_and_judge(settings, place, engine))
        except ClientError as error:
            return CellOutcome(cell, 0, {}, directory=place, problem=error.what)

    return run_cell


def outcome_of(cell: MatrixCell, report: Report) -> CellOutcome:
    """Sum a judged run up."""
    verdicts = {name: pair for name, pair in report.groups.get(report.worst_group, {}).items() if pair[0]}
    root = report.root
    return CellOutcome(cell, report.sent, verdicts, "" if root is None else root["sentence"], report.directory)


async def run_cells(
    base: RunSettings,
    axes: Sequence[Axis],
    directory: Path,
    forwarding: Sequence[bool] = (),
    engine: Engine = audit,
    on_cell: OnCell = lambda number, total, outcome: None,
) -> list[CellOutcome]:
    """Run a matrix: on the cluster that the settings name, or on one of its own for each value of forwarding."""
    if base.bootstrap:
        return await run_matrix(base, axes, directory, _runner(engine), on_cell)
    outcomes: list[CellOutcome] = []
    for value in forwarding or (True,):
        part = directory / (f"forwarding-{'on' if value else 'off'}" if forwarding else "")
        found = await _run_on_own(base, axes, part, value, engine, on_cell)
        named = ((FORWARDING, "on" if value else "off"),) if forwarding else ()
        outcomes += [replace(one, cell=replace(one.cell, choices=(*named, *one.cell.choices))) for one in found]
    return outcomes


async def _run_on_own(
    base: RunSettings, axes: Sequence[Axis], directory: Path, is_forwarding: bool, engine: Engine, on_cell: OnCell
) -> list[CellOutcome]:
    cluster = ClusterProcess(OWN_BROKERS, {_FORWARD: str(is_forwarding).lower(), "group.initial.rebalance.delay.ms": 0})
    try:
        await asyncio.to_thread(lambda: cluster.start().wait_ready())
        own = replace(base, bootstrap=cluster.bootstrap_servers)
        return await run_matrix(own, axes, directory, _runner(engine), on_cell)
    finally:
        await asyncio.to_thread(cluster.close)
