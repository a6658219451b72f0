"""The runs of a matrix and of the phases: recorded, judged at once, and summed up as an outcome."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from chronik.audit.capture.run import OnProgress, run_audit
from chronik.audit.capture.settings import RunSettings
from chronik.audit.capture.tap import FILE_NAME, TapWriter
from chronik.audit.judge.engine import audit
from chronik.audit.report.document import Report
from chronik.audit.report.files import conclude
from chronik.audit.trials.matrix import Axis, Cell, Outcome, run_matrix
from chronik.client.errors import ClientError
from chronik.proxy.server import Proxy
from chronik.testing.cluster import ClusterProcess

OWN_BROKERS: Final = 3
FORWARDING: Final = "forwarding"
_FORWARD: Final = "chronik.forward.produce"

OnCell = Callable[[int, int, Outcome], None]


async def recorded(
    settings: RunSettings, place: Path, on_progress: OnProgress = lambda progress: None, *, with_tap: bool = False
) -> Report:
    """Run, with a tap where it is wanted, and judge."""
    if not with_tap:
        await run_audit(settings, place, on_progress=on_progress)
    else:
        with TapWriter(place / "tap" / FILE_NAME, settings.topic) as tap:
            async with Proxy(settings.seen_by_clients, tap=tap) as proxy:
                own = replace(settings, client_bootstrap=proxy.bootstrap_servers, has_tap=True)
                await run_audit(own, place, on_progress=on_progress)
    return await asyncio.to_thread(lambda: conclude(place, audit(place)))


async def _run_cell(cell: Cell, settings: RunSettings, place: Path) -> Outcome:
    try:
        report = await recorded(settings, place)
    except ClientError as error:
        return Outcome(cell, 0, {}, directory=place, problem=error.what)
    return outcome_of(cell, report)


def outcome_of(cell: Cell, report: Report) -> Outcome:
    """Sum a judged run up."""
    verdicts = {name: pair for name, pair in report.groups.get(report.worst_group, {}).items() if pair[0]}
    root = report.root
    return Outcome(cell, report.sent, verdicts, "" if root is None else root["sentence"], report.directory)


async def run_cells(
    base: RunSettings,
    axes: Sequence[Axis],
    directory: Path,
    forwarding: Sequence[bool] = (),
    on_cell: OnCell = lambda number, total, outcome: None,
) -> list[Outcome]:
    """Run a matrix: on the cluster that the settings name, or on one of its own for each value of forwarding."""
    if base.bootstrap:
        return await run_matrix(base, axes, directory, _run_cell, on_cell)
    outcomes: list[Outcome] = []
    for value in forwarding or (True,):
        part = directory / (f"forwarding-{'on' if value else 'off'}" if forwarding else "")
        found = await _run_on_own(base, axes, part, value, on_cell)
        named = ((FORWARDING, "on" if value else "off"),) if forwarding else ()
        outcomes += [replace(one, cell=replace(one.cell, choices=(*named, *one.cell.choices))) for one in found]
    return outcomes


async def _run_on_own(
    base: RunSettings, axes: Sequence[Axis], directory: Path, is_forwarding: bool, on_cell: OnCell
) -> list[Outcome]:
    cluster = ClusterProcess(OWN_BROKERS, {_FORWARD: str(is_forwarding).lower(), "group.initial.rebalance.delay.ms": 0})
    try:
        await asyncio.to_thread(lambda: cluster.start().wait_ready())
        own = replace(base, bootstrap=cluster.bootstrap_servers)
        return await run_matrix(own, axes, directory, _run_cell, on_cell)
    finally:
        await asyncio.to_thread(cluster.close)
