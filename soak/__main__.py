"""`python -m soak`: a broker, 64 clients, and the audit."""

import json
import random
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import click

from soak.conductor import Conductor, Outcome, Target
from soak.report import figures, table
from soak.stage import SoakError
from tests.brokers import running_broker


@click.command()
@click.option("--minutes", type=float, default=30.0, show_default=True, help="How long clients come and go.")
@click.option("--seed", type=int, help="Decides which client leaves when; random unless given.")
@click.option("--bootstrap", help="A broker that runs already, without the topics of a soak.")
@click.option("--directory", type=click.Path(path_type=Path), help="Where data and ledgers go; kept if it is given.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the outcome there as JSON.")
def main(
    minutes: float, seed: int | None, bootstrap: str | None, directory: Path | None, json_path: Path | None
) -> None:
    """Let 64 clients of three libraries come, go and crash, and audit every message."""
    seed = random.SystemRandom().randrange(1_000_000) if seed is None else seed
    click.echo(f"64 clients for {minutes:g} minutes, seed {seed}", err=True)
    scratch = directory or Path(tempfile.mkdtemp(prefix="chronik-soak-"))
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        outcome = _run(scratch, minutes * 60, seed, bootstrap)
    except SoakError as error:
        sys.exit(f"soak: {error}")
    finally:
        if directory is None:
            shutil.rmtree(scratch, ignore_errors=True)
    click.echo(table(outcome))
    if json_path is not None:
        json_path.write_text(json.dumps(figures(outcome), indent=1) + "\n", encoding="utf-8")
    sys.exit(1 if outcome.findings else 0)


def _run(scratch: Path, seconds: float, seed: int, bootstrap: str | None) -> Outcome:
    def say(line: str) -> None:
        click.echo(line, err=True)

    if bootstrap is not None:
        return Conductor(Target(bootstrap), scratch, seconds, seed, say).run()
    with running_broker(scratch / "broker") as broker:
        target = Target(broker.bootstrap, broker.pid, broker.data)
        try:
            outcome = Conductor(target, scratch, seconds, seed, say).run()
        except SoakError as error:
            raise SoakError(f"{error}; the end of the broker's log:\n{broker.log_text[-4000:]}") from error
        found = [] if (code := broker.stop()) == 0 else [f"the broker ended with code {code}"]
        found += [f"the broker says: {line}" for line in broker.log_text.splitlines() if " ERROR " in line]
    return replace(outcome, findings=(*outcome.findings, *found))


if __name__ == "__main__":
    main()
