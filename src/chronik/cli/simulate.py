"""``chronik simulate``: simulate whole clusters with faults from a seed, and report broken promises."""

import os
import time
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from chronik.cli import exits
from chronik.cli.shell.output import progress

if TYPE_CHECKING:
    from chronik.simulation.run import RunResult

SHOWN_FAILURES_MAX: Final = 5


@click.command()
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The first seed.")
@click.option(
    "--runs", type=click.IntRange(1), default=1, show_default=True, help="How many seeds, one after the other."
)
@click.option(
    "--seconds", type=click.FloatRange(0.1), default=5.0, show_default=True, help="Simulated time with faults."
)
@click.option("--jobs", type=click.IntRange(1), help="How many processes; as many as there are cores if not given.")
@click.option(
    "--trace", type=click.IntRange(0), default=60, show_default=True, help="Last events to show of a failure."
)
def simulate(seed: int, runs: int, seconds: float, jobs: int | None, trace: int) -> int:
    """Simulate clusters of three brokers that crash, stall, lose disks and are cut off, and hold every promise.

    A run is the same every time: a seed that fails is told with the last events of its run, and can be run again. With
    one run, its trace is shown in any case.
    """
    started = time.monotonic()
    faults: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    failed: list[RunResult] = []
    with progress("simulating", runs, is_wanted=runs > 1) as advance:
        results = _results(range(seed, seed + runs), seconds, jobs or os.cpu_count() or 1)
        for done, result in enumerate(results, start=1):
            advance(done)
            faults.update(result.faults)
            totals.update(events=result.events, committed=result.committed, read=result.read)
            if result.violation is not None:
                failed.append(result)
            if runs == 1 or (result.violation is not None and len(failed) <= SHOWN_FAILURES_MAX):
                _show(result, trace)
    _summarize(runs, failed, totals, faults, time.monotonic() - started)
    return exits.FAILED if failed else exits.OK


def _results(seeds: range, seconds: float, jobs: int) -> "Iterator[RunResult]":
    from functools import partial
    from multiprocessing import get_context

    from chronik.simulation.run import run_seed

    run = partial(run_seed, faults_s=seconds)
    if len(seeds) == 1 or jobs == 1:
        yield from map(run, seeds)
        return
    with get_context("spawn").Pool(min(jobs, len(seeds))) as pool:
        yield from pool.imap_unordered(run, seeds, chunksize=4)


def _show(result: "RunResult", trace: int) -> None:
    click.echo(f"seed {result.seed}:")
    for line in result.trace[len(result.trace) - trace :] if trace else ():
        click.echo(f"  {line}")
    if result.violation is not None:
        click.echo(f"seed {result.seed} BROKE A PROMISE: {result.violation}")


def _summarize(
    runs: int, failed: "list[RunResult]", totals: Counter[str], faults: Counter[str], seconds: float
) -> None:
    harm = ", ".join(f"{count} × {name.replace('_', ' ')}" for name, count in faults.most_common())
    click.echo(f"faults: {harm or 'none'}")
    click.echo(
        f"{runs} run{'' if runs == 1 else 's'} in {seconds:.1f} s: {totals['events']:,} events, "
        f"{totals['committed']:,} records committed, {totals['read']:,} read; "
        + (f"{len(failed)} FAILED: seeds {sorted(each.seed for each in failed)}" if failed else "no promise was broken")
    )
