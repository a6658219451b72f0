"""`python -m benchmarks.spark`: ``format("chronik")`` beside Spark's own Kafka source, in one session and one run."""

import os
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

import click
from rich.console import Console
from rich.table import Table

from benchmarks import machine, report
from benchmarks.figures import Figure, Verdict
from benchmarks.load import InvalidMeasurementError
from benchmarks.prerequisites import ROOT, MissingPrerequisiteError
from benchmarks.rounds import Samples
from benchmarks.spark_figures import FIGURES
from benchmarks.spark_lasting import LASTING
from benchmarks.spark_process import SparkProcess, environment, spark_process
from benchmarks.spark_segments import lay_out
from benchmarks.spark_topics import Topic, fill
from benchmarks.spark_trials import FULL, QUICK, RATES, Scale, Stage
from benchmarks.trials import Sample
from tests.brokers import BrokerError, BrokerProcess, running_broker

CONTENDERS: Final = ("chronik", "kafka")
DISK_BYTES_NEEDED: Final = 10_000_000_000
LARGE_FIGURES: Final = {"batches_files", "growth", "memory_small", "memory_large", "memory_growth"}
REACHED: Final = {Verdict.MET: "[green]yes[/]", Verdict.MISSED: "[red]NO[/]", Verdict.INVALID: "[red]INVALID[/]"}


class Trial(Protocol):
    """A measurement, once per round and contender."""

    @property
    def figures(self) -> tuple[str, ...]: ...

    @property
    def is_warmed_up(self) -> bool: ...

    def measure(self, contender: str, stage: Stage, session: SparkProcess) -> Iterator[Sample]: ...


class Race:
    """A run: ``samples`` fills up by figure and contender, ``failures`` by figure."""

    def __init__(self, stage: Stage, session: SparkProcess, rounds: int) -> None:
        self._stage = stage
        self._session = session
        self._rounds = rounds
        self.samples: Samples = defaultdict(list)
        self.failures: dict[str, str] = {}

    def warm_up(self, trials: Sequence[Trial]) -> None:
        """Do everything that is over soon once, so that all code is compiled and all pages are read."""
        for trial in trials:
            for contender in CONTENDERS if trial.is_warmed_up else ():
                _say(f"warming up {contender} {trial.figures[0]}")
                self._attempt(trial, contender)

    def run(self, trials: Sequence[Trial]) -> None:
        """Every trial of one contender and then of the other, so that both meet the same weather."""
        for turn in range(self._rounds):
            for trial in trials:
                for contender in CONTENDERS if turn % 2 == 0 else CONTENDERS[::-1]:
                    self._take(trial, contender, turn)

    def _take(self, trial: Trial, contender: str, turn: int) -> None:
        for sample in self._attempt(trial, contender):
            self.samples[sample.figure, contender].append(sample)
            _say(f"round {turn + 1}/{self._rounds} {contender} {sample.figure} {sample.value:.4g}")

    def _attempt(self, trial: Trial, contender: str) -> list[Sample]:
        # Dirty pages of what came before would be written back at the expense of what comes now.
        os.sync()
        try:
            return list(trial.measure(contender, self._stage, self._session))
        except (InvalidMeasurementError, BrokerError) as problem:
            _say(f"{contender} {trial.figures[0]} failed: {problem}")
            self.failures |= dict.fromkeys(trial.figures, f"{contender}: {str(problem)[:500]}")
            return []


@click.command()
@click.option("--only", multiple=True, type=click.Choice([figure.name for figure in FIGURES]), help="This figure.")
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--records", type=int, help="So many in place of 10 M, with all else in proportion. Proves little.")
@click.option("--quick", is_flag=True, help="Little data and one round, to see that it works. Proves nothing.")
@click.option("--directory", type=click.Path(path_type=Path), help="Where the broker keeps its data.")
@click.option("--output", type=click.Path(path_type=Path), default=ROOT / "benchmarks" / "results" / "spark.json")
def main(
    only: tuple[str, ...], rounds: int, records: int | None, quick: bool, directory: Path | None, output: Path
) -> None:
    """Race Chronik's source against Spark's Kafka source and print the table of figures."""
    # However it is ended, neither broker nor session is left behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: ended by SIGTERM"))
    scratch = Path(tempfile.mkdtemp(prefix="chronik-spark-bench-", dir=directory))
    try:
        _require(scratch)
        scale = QUICK if quick else FULL
        failures = _race(only, scale.sized(records or scale.records), 1 if quick else rounds, scratch, output)
    except (InvalidMeasurementError, MissingPrerequisiteError) as problem:
        sys.exit(f"bench: {problem}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if failures:
        sys.exit("bench: invalid: " + "; ".join(f"{figure} ({why})" for figure, why in failures.items()))


def _require(scratch: Path) -> None:
    environment()
    if shutil.disk_usage(scratch).free < DISK_BYTES_NEEDED:
        raise MissingPrerequisiteError(
            f"10 GB of free disk are needed below {scratch.parent} (--directory chooses another)"
        )


def _race(only: Sequence[str], scale: Scale, rounds: int, scratch: Path, output: Path) -> dict[str, str]:
    trials: list[Trial] = [trial for trial in (*RATES, *LASTING) if not only or set(trial.figures) & set(only)]
    before = machine.state(scratch)
    with running_broker(scratch / "broker") as broker:
        stage = _staged(broker, scale, scratch, needs_large=any(LARGE_FIGURES & set(one.figures) for one in trials))
        with spark_process(scratch) as session:
            race = Race(stage, session, rounds)
            try:
                race.warm_up(trials)
                race.run(trials)
            finally:
                facts = {"spark": session.version, "before": before, "after": machine.state(scratch)}
                _print_table(race, machine.state(scratch))
                report.save(output, race.samples, race.failures, facts, FIGURES)
    return race.failures


def _staged(broker: BrokerProcess, scale: Scale, scratch: Path, *, needs_large: bool) -> Stage:
    _say(f"writing {scale.records:,} records")
    topic = fill(broker.bootstrap, "records", scale.records)
    large = Topic("large", 0, 0)
    if needs_large:
        _say(f"laying out {scale.large_records:,} records")
        large = lay_out(scratch / "large", "large", scale.large_records)
    return Stage(broker.bootstrap, broker.pid, broker.data, scratch, scale, topic, large)


def _print_table(race: Race, state: dict[str, object]) -> None:
    table = Table(title="format('chronik') by Spark's Kafka source: medians")
    for heading in ("figure", "Chronik", "Spark's", "ratio", "to reach", "reached?", "CPU s of Spark's processes"):
        table.add_column(heading, justify="left" if heading in ("figure", "reached?") else "right")
    for figure in FIGURES:
        if (figure.name, "chronik") in race.samples or figure.name in race.failures:
            table.add_row(*_row(figure, race))
    console = Console()
    console = console if console.is_terminal else Console(width=170)
    console.print(table)
    console.print("  ".join(f"{name}={value}" for name, value in state.items()), style="dim", highlight=False)


def _row(figure: Figure, race: Race) -> tuple[str, ...]:
    sides = [race.samples.get((figure.name, name), []) for name in CONTENDERS]
    own, peer = (_median([sample.value for sample in side]) for side in sides)
    verdict = Verdict.INVALID if figure.name in race.failures else figure.verdict(own, peer)
    ratio = figure.ratio(own, peer)
    return (
        f"{figure.title}, {figure.unit}",
        *("-" if value is None else f"{value:.4g}" for value in (own, peer)),
        "" if ratio is None else f"{ratio:.2f} ×",
        figure.bound(figure.must),
        REACHED.get(verdict, "-"),
        " / ".join("-" if cpu is None else f"{cpu:.1f}" for cpu in _cpu(sides)),
    )


def _cpu(sides: Sequence[Sequence[Sample]]) -> list[float | None]:
    return [_median([sample.cpu_s for sample in side if sample.cpu_s]) for side in sides]


def _median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
