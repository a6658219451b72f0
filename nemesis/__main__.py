"""`python -m nemesis`: a cluster, faults by a seed, and the account."""

import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from nemesis.plan import FaultKind, rounds
from nemesis.report import figures, line, table
from nemesis.rounds import Outcome, RoundRun
from nemesis.stage import Scene, Stage


@click.command()
@click.option("--minutes", type=float, default=30.0, show_default=True, help="How long new rounds begin.")
@click.option("--rounds", "count", type=click.IntRange(1), help="How many rounds, instead of minutes.")
@click.option("--seed", type=int, help="What decides everything that is decided; by chance unless given.")
@click.option("--first", type=click.IntRange(1), default=1, show_default=True, help="The number of the first round.")
@click.option(
    "--fault", "names", multiple=True, type=click.Choice([kind.value for kind in FaultKind]), help="Only these."
)
@click.option("--store", type=click.Choice(["sqlite", "etcd"]), default="sqlite", show_default=True)
@click.option("--on", "product", type=click.Choice(["chronik", "kafka"]), default="chronik", show_default=True)
@click.option("--directory", type=click.Path(path_type=Path), help="Where data and logs go; kept if it is given.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the outcome there as JSON.")
def main(
    minutes: float,
    count: int | None,
    seed: int | None,
    first: int,
    names: tuple[str, ...],
    store: str,
    product: str,
    directory: Path | None,
    json_path: Path | None,
) -> None:
    """Ill-treat a cluster of three, and account for every message."""
    # However it is ended, brokers, proxies and disks are not left behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("nemesis: ended by SIGTERM"))
    seed = random.SystemRandom().randrange(1_000_000) if seed is None else seed
    kinds = chosen_kinds(names, store)
    scratch = directory or Path(tempfile.mkdtemp(prefix="chronik-nemesis-"))
    click.echo(f"seed {seed}, faults {', '.join(kind.value for kind in kinds)}, {product} on {store}", err=True)
    outcomes: list[Outcome] = []
    try:
        with Stage(Scene(product, store, FaultKind.FULL in kinds), scratch) as stage:
            for outcome in _outcomes(stage, seed, kinds, first, time.monotonic() + minutes * 60, count):
                outcomes.append(outcome)
                click.echo(line(outcome), err=True)
                if not outcome.is_good:
                    click.echo(f"    again: --seed {seed} --first {outcome.round.number} --rounds 1", err=True)
    finally:
        if directory is None:
            shutil.rmtree(scratch, ignore_errors=True)
    click.echo(table(outcomes, seed))
    if json_path is not None:
        json_path.write_text(json.dumps(figures(outcomes, seed), indent=1) + "\n", encoding="utf-8")
    sys.exit(0 if outcomes and all(outcome.is_good for outcome in outcomes) else 1)


def chosen_kinds(names: Sequence[str], store: str) -> list[FaultKind]:
    """Take the faults that were named, or all that are possible here."""
    if names:
        return [FaultKind(name) for name in dict.fromkeys(names)]
    impossible = set() if store == "etcd" else {FaultKind.STORE}
    if os.geteuid() != 0:
        click.echo("nemesis: small disks need root to be mounted, so no disk will be full", err=True)
        impossible.add(FaultKind.FULL)
    return [kind for kind in FaultKind if kind not in impossible]


def _outcomes(
    stage: Stage, seed: int, kinds: Sequence[FaultKind], first: int, deadline: float, count: int | None
) -> Iterator[Outcome]:
    for plan in rounds(seed, kinds, first):
        if (time.monotonic() > deadline) if count is None else (plan.number >= first + count):
            return
        yield RoundRun(stage, plan, seed).run()


if __name__ == "__main__":
    main()
