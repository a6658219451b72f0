"""`python -m benchmarks`: set up, race, print, save, clean up."""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click

from benchmarks import machine, report
from benchmarks.brokers import Chronik, Contender, Kafka
from benchmarks.load import InvalidMeasurementError
from benchmarks.prerequisites import (
    PEER_VERSION,
    ROOT,
    MissingPrerequisiteError,
    client_library_version,
    ensure_clients,
    ensure_peer,
)
from benchmarks.rounds import Race
from benchmarks.trials import FRESH_TRIALS, FULL, QUICK, TRIALS, FreshTrial, Trial

# A one-minute load above this is not ours: the run has not begun.
LOAD_MAX = 0.5
DISK_BYTES_NEEDED = 10_000_000_000
NAMES = sorted({name for trial in (*TRIALS, *FRESH_TRIALS) for name in (trial.name, *trial.figures)})


@click.command()
@click.option("--only", multiple=True, type=click.Choice(NAMES), help="Measure this figure or trial; may be repeated.")
@click.option("--rounds", type=click.IntRange(min=1), help="Rounds per figure: 5, or 2 with --quick.")
@click.option("--quick", is_flag=True, help="Chronik alone with little load, for profiling. Proves nothing.")
@click.option("--peer-only", is_flag=True, help="Kafka alone.")
@click.option("--directory", type=click.Path(path_type=Path), help="Where the brokers keep their data.")
@click.option("--output", type=click.Path(path_type=Path), default=ROOT / "benchmarks" / "results" / "latest.json")
def main(
    only: tuple[str, ...], rounds: int | None, quick: bool, peer_only: bool, directory: Path | None, output: Path
) -> None:
    """Race Chronik against Apache Kafka and print the table of figures."""
    contenders: list[Contender] = [Kafka()] if peer_only else [Chronik()] if quick else [Chronik(), Kafka()]
    scratch = Path(tempfile.mkdtemp(prefix="chronik-bench-", dir=directory))
    try:
        _set_up(contenders, scratch)
        race = Race(contenders, scratch, QUICK if quick else FULL, rounds or (2 if quick else 5))
        _run(race, only, output, scratch)
    except (InvalidMeasurementError, MissingPrerequisiteError) as problem:
        sys.exit(f"bench: {problem}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _set_up(contenders: Sequence[Contender], scratch: Path) -> None:
    ensure_clients()
    if any(isinstance(contender, Kafka) for contender in contenders):
        ensure_peer()
    if shutil.disk_usage(scratch).free < DISK_BYTES_NEEDED:
        raise MissingPrerequisiteError(
            f"10 GB of free disk are needed below {scratch.parent} (--directory chooses another)"
        )


def _run(race: Race, only: tuple[str, ...], output: Path, scratch: Path) -> None:
    facts = {"started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "machine_before": machine.state(scratch)}
    facts |= {"kafka": PEER_VERSION, "librdkafka": client_library_version()}
    if os.getloadavg()[0] > LOAD_MAX:
        click.echo("bench: the machine is busy with something else; the figures will be weak", err=True)
    try:
        race.run(
            [trial for trial in TRIALS if _chosen(trial, only)],
            [trial for trial in FRESH_TRIALS if _chosen(trial, only)],
        )
    finally:
        report.print_table(race.samples, race.failures, machine.state(scratch))
        report.save(output, race.samples, race.failures, {**facts, "machine_after": machine.state(scratch)})
    if race.failures:
        sys.exit("bench: invalid: " + "; ".join(f"{figure} ({why})" for figure, why in race.failures.items()))


def _chosen(trial: Trial | FreshTrial, only: tuple[str, ...]) -> bool:
    return not only or bool({trial.name, *trial.figures} & set(only))


if __name__ == "__main__":
    main()
