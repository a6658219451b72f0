"""``chronik audit accident``: what a predecessor lost 12 to 24 % of, once more, with or without its defects."""

import asyncio
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from chronik.cli import exits
from chronik.cli.audit.engines import ChosenEngine, EngineName, engine_options
from chronik.cli.shell.options import examples, failure_of
from chronik.cli.shell.output import print_table
from chronik.cli.shell.spark_extra import spark_failures
from chronik.client.errors import ClientError
from chronik.testing.process import BrokerError

if TYPE_CHECKING:
    from chronik.audit.report.document import Report
    from chronik.audit.trials.accident import Defect, Replay

DEFECTS: Final = ("hw-is-log-end", "hw-slow", "hw-falls", "one-broker", "offset-twice")
"""The names in ``chronik.audit.trials.accident``, known without loading it."""
CLIENTS: Final = {"kafka-python": "kafka", "confluent": "confluent_kafka", "aiokafka": "aiokafka"}
"""In the order in which they are taken, by the module that must be there."""
_TIMEOUT_S: Final = 60.0
_TIMEOUT_WITH_DEFECT_S: Final = 15.0
_EXAMPLES: Final = examples(
    "chronik audit accident",
    "chronik audit accident --defect offset-twice",
    "chronik audit accident --defect hw-slow --timeout 10 --keep runs/hw-slow",
)


_ATTEMPT_MESSAGES: Final = 5000


class Attempt(NamedTuple):
    """One attempt to repair the accident, and how much of 5,000 messages was then read."""

    name: str
    change: str
    read: int

    @property
    def share(self) -> str:
        """The share of the messages that was read."""
        return f"{self.read / _ATTEMPT_MESSAGES:.1%}"


ATTEMPTS: Final = (
    Attempt("before", "the watermark was the next offset", 3819),
    Attempt("v2.2.7", "the watermark is the watermark", 4391),
    Attempt("v2.2.7.1", "lag watched per partition, synchronised every 0.5 to 5 s", 3941),
    Attempt("v2.2.7.2", "watermark events through the metadata log", 3814),
    Attempt("v2.2.7 + fetch_max", "the watermark cannot move back on a retry", 4410),
)


@click.command(epilog=f"{_EXAMPLES}\n\n{exits.EXIT_CODES_HELP}")
@click.option("--defect", type=click.Choice(DEFECTS), help="What is wrong, on purpose.  [default: nothing]")
@click.option("-n", "--messages", type=click.IntRange(100), default=5000, show_default=True, help="How many to send.")
@click.option("--client", type=click.Choice(["auto", *CLIENTS]), default="auto", show_default=True)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(1),
    metavar="SECONDS",
    help="Within which everything must come.  [default: 60; with a defect 15]",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the defect's dice.")
@click.option("--keep", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Where to keep the run.")
@engine_options()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def accident(
    defect: str | None,
    messages: int,
    client: str,
    timeout_s: float | None,
    seed: int,
    keep: Path | None,
    engine: EngineName,
    master: str | None,
    verbose: bool,
    as_json: bool,
) -> None:
    """Start three brokers, send and read 5,000 messages, and give each its verdict.

    With a defect, a proxy before the brokers misbehaves as the predecessor did, and the audit must name it.
    """
    if keep is not None and (keep / "run.json").exists():
        raise click.UsageError(f"{keep} holds a run already: give another directory")
    with spark_failures():
        plan = _plan(defect, messages, _chosen_client(client), timeout_s, seed, keep)
        judge = ChosenEngine(engine, master, is_verbose=verbose)
        code = _replay(plan, judge, as_json=as_json)
    click.get_current_context().exit(code)


def _chosen_client(wanted: str) -> str:
    if wanted == "auto":
        found = next((name for name, module in CLIENTS.items() if importlib.util.find_spec(module)), None)
        if found is None:
            raise exits.Failure("no client is installed", "pip install kafka-python", exits.WRONG_USE)
        return found
    if importlib.util.find_spec(CLIENTS[wanted]) is None:
        raise exits.Failure(f"{wanted} is not installed", "pip install it, or take another --client", exits.WRONG_USE)
    return wanted


def _plan(
    defect: str | None, messages: int, client: str, timeout_s: float | None, seed: int, keep: Path | None
) -> "Replay":
    from chronik.audit.ledger.directory import default_directory, new_run_id
    from chronik.audit.trials.accident import BY_NAME, TOPIC, Replay

    wrong = None if defect is None else BY_NAME[defect]
    return Replay(
        directory=keep or default_directory(TOPIC, new_run_id()),
        defect=wrong,
        messages=messages,
        client=client,
        timeout_s=timeout_s or (_TIMEOUT_S if wrong is None else _TIMEOUT_WITH_DEFECT_S),
        seed=seed,
    )


def _replay(plan: "Replay", engine: ChosenEngine, *, as_json: bool) -> int:
    from chronik.audit.trials.accident import replay
    from chronik.cli.audit.run import ProgressLine

    click.echo("starting three brokers", err=True)
    codes: list[int] = []
    line = ProgressLine()

    def judge(bootstrap: str) -> None:
        line.end()
        codes.append(_show(plan, engine, bootstrap, as_json=as_json))

    try:
        with line:
            asyncio.run(replay(plan, line.show, judge))
    except ClientError as error:
        raise failure_of(error) from error
    except BrokerError as error:
        raise exits.Failure(str(error)) from error
    return codes[0]


def _show(plan: "Replay", engine: ChosenEngine, bootstrap: str, *, as_json: bool) -> int:
    """Judge the recorded run and print everything that is known of it."""
    from chronik.audit.report.document import read_report
    from chronik.cli.audit.verify import show_judged

    code = show_judged(plan.directory, engine, as_json=as_json)
    if not as_json:
        report = read_report(plan.directory)
        _print_topic(plan, engine, bootstrap)
        _print_attempts(report)
        _print_defect(plan.defect, report)
    return code


def _print_topic(plan: "Replay", engine: ChosenEngine, bootstrap: str) -> None:
    if engine.spark is None:
        return
    from chronik.audit.tables.words import duration
    from chronik.spark.audit.topic_look import look_at_topic

    rows = [
        (*one[:4], *(None if time_us is None else duration(time_us) for time_us in one[4:]))
        for one in look_at_topic(engine.spark.spark, bootstrap, plan.directory)
    ]
    click.echo()
    print_table(
        ("partition", "records", "first offset", "last offset", "p50", "p99", "max"),
        rows,
        title='The topic and the consumers\' ledgers by Spark SQL, through format("chronik")',
    )


def _print_attempts(report: "Report") -> None:
    delivered = report.delivered(report.worst_group)
    now = (
        "Chronik, now",
        report.facts.label.removeprefix("the accident").strip() or "every message has a verdict",
        delivered,
        f"{delivered / max(report.sent, 1):.1%}",
    )
    click.echo()
    rows = [(attempt.name, attempt.change, attempt.read, attempt.share) for attempt in ATTEMPTS]
    print_table(("attempt", "what was changed", "delivered", "share"), [*rows, now], title="The predecessor's attempts")


def _print_defect(defect: "Defect | None", report: "Report") -> None:
    if defect is None:
        click.echo(f"To see it fail: chronik audit accident --defect {'|'.join(DEFECTS)}")
        return
    roots = [row["kind"] for row in report.findings.to_pylist() if row["is_root"]]
    word = "named" if roots == [defect.root] else f"NOT named: {', '.join(roots) or 'nothing'} was"
    click.echo(f"The defect {defect.name} ({defect.does}): {word}. Its mark: {defect.evidence}.")
