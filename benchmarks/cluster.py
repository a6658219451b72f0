"""`python -m benchmarks.cluster`: three brokers beside three of Apache Kafka, in one run."""

import os
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import click

from benchmarks import machine, report
from benchmarks.cluster_contenders import Contender, running
from benchmarks.cluster_failover import gaps, gaps_on_etcd
from benchmarks.cluster_figures import FIGURES
from benchmarks.cluster_trials import FRESH_TRIALS, FULL, QUICK, TRIALS, FreshTrial, Scale, Trial, warm_up
from benchmarks.load import InvalidMeasurementError
from benchmarks.prerequisites import PEER_VERSION, ROOT, client_library_version, ensure_clients, ensure_peer
from benchmarks.rounds import Samples
from benchmarks.trials import Sample
from chronik.testing import BrokerError

CHRONIK, KAFKA = Contender("chronik"), Contender("kafka")
GAPS = ("gap_follower", "gap_leader", "gap_all_roles")
GAPS_ON_ETCD = (*(f"{name}_etcd" for name in GAPS), "gap_etcds_leader_too")


class Race:
    """A run: ``samples`` fills up by figure and contender, ``failures`` by figure."""

    def __init__(self, contenders: Sequence[Contender], directory: Path, scale: Scale, rounds: int) -> None:
        self._contenders = contenders
        self._directory = directory
        self._scale = scale
        self._rounds = rounds
        self.samples: Samples = defaultdict(list)
        self.failures: dict[str, str] = {}

    def run(self, trials: Sequence[Trial], fresh: Sequence[FreshTrial], *, with_gaps: bool, on_etcd: bool) -> None:
        """Fresh clusters first, alone on the machine, then both side by side."""
        for turn in range(self._rounds):
            for trial in fresh:
                self._each(trial.figures, trial.measure, turn)
            if with_gaps:
                self._each(GAPS, gaps, turn)
            if on_etcd:
                self._take(GAPS_ON_ETCD, CHRONIK, partial(gaps_on_etcd, self._directory / f"etcd-{turn}"))
        if trials:
            self._side_by_side(trials)

    def _each(self, figures: tuple[str, ...], measure: Callable[[Contender, Path], list[Sample]], turn: int) -> None:
        for contender in self._contenders:
            where = self._directory / f"{figures[0]}-{contender.name}-{turn}"
            self._take(figures, contender, partial(measure, contender, where))
            shutil.rmtree(where, ignore_errors=True)

    def _side_by_side(self, trials: Sequence[Trial]) -> None:
        """Every trial on one cluster and then on the other, so that both meet the same weather."""
        with ExitStack() as stack:
            clusters = [
                (contender, stack.enter_context(running(contender, self._directory / contender.name)))
                for contender in self._contenders
            ]
            for contender, cluster in clusters:
                _say(f"warming up {contender.name}")
                warm_up(cluster, self._scale)
            for turn in range(self._rounds):
                for trial in trials:
                    for contender, cluster in clusters if turn % 2 == 0 else clusters[::-1]:
                        self._take(trial.figures, contender, partial(trial.measure, cluster, self._scale))

    def _take(self, figures: tuple[str, ...], contender: Contender, measure: Callable[[], list[Sample]]) -> None:
        # Dirty pages of what came before would be written back at the expense of what comes now.
        os.sync()
        try:
            for sample in measure():
                self.samples[sample.figure, contender.name].append(sample)
                _say(f"{contender.name} {sample.figure} {sample.value:.6g}")
        except (InvalidMeasurementError, BrokerError) as problem:
            _say(f"{contender.name} {figures[0]} failed: {problem}")
            self.failures |= dict.fromkeys(figures, f"{contender.name}: {str(problem)[:500]}")


@click.command()
@click.option("--only", multiple=True, type=click.Choice([figure.name for figure in FIGURES]), help="This figure.")
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--quick", is_flag=True, help="Chronik alone with little load, for profiling. Proves nothing.")
@click.option("--directory", type=click.Path(path_type=Path), help="Where the brokers keep their data.")
@click.option("--output", type=click.Path(path_type=Path), default=ROOT / "benchmarks" / "results" / "cluster.json")
def main(only: tuple[str, ...], rounds: int, quick: bool, directory: Path | None, output: Path) -> None:
    """Race three brokers against three of Apache Kafka and print the table of figures."""
    # However it is ended, no broker is left behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: ended by SIGTERM"))
    ensure_clients()
    contenders = [CHRONIK] if quick else [CHRONIK, KAFKA]
    if KAFKA in contenders:
        ensure_peer()
    scratch = Path(tempfile.mkdtemp(prefix="chronik-cluster-bench-", dir=directory))
    race = Race(contenders, scratch, QUICK if quick else FULL, 1 if quick else rounds)
    before = machine.state(scratch)
    try:
        race.run(
            [trial for trial in TRIALS if _is_chosen(trial.figures, only)],
            [trial for trial in FRESH_TRIALS if _is_chosen(trial.figures, only)],
            with_gaps=_is_chosen(GAPS, only),
            on_etcd=_is_chosen(GAPS_ON_ETCD, only) and shutil.which("etcd") is not None,
        )
    finally:
        _report(race, scratch, before, output)
        shutil.rmtree(scratch, ignore_errors=True)
    if race.failures:
        sys.exit("bench: invalid: " + "; ".join(f"{figure} ({why})" for figure, why in race.failures.items()))


def _report(race: Race, scratch: Path, before: dict[str, object], output: Path) -> None:
    after = machine.state(scratch)
    facts = {"kafka": PEER_VERSION, "librdkafka": client_library_version(), "before": before, "after": after}
    report.print_table(race.samples, race.failures, after, FIGURES)
    report.save(output, race.samples, race.failures, facts, FIGURES)


def _is_chosen(figures: Sequence[str], only: Sequence[str]) -> bool:
    return not only or bool(set(figures) & set(only))


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
