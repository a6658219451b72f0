"""``chronik audit verify``: verdicts for ledgers that exist."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from chronik.cli import exits
from chronik.cli.audit.engines import ChosenEngine, EngineName, engine_options
from chronik.cli.audit.report import show_report
from chronik.cli.shell.options import examples, failure_of
from chronik.cli.shell.spark_extra import spark_failures
from chronik.client.errors import ClientError

if TYPE_CHECKING:
    from chronik.audit.judge.balance.splits import LogSplits

_EXAMPLES: Final = examples(
    "chronik audit verify --ledger runs/today",
    "chronik audit verify --ledger runs/today --bootstrap kafka1:9092 --strict",
    "chronik audit verify --ledger /shared/run --engine spark --master spark://host:7077",
)


@click.command("verify", epilog=f"{_EXAMPLES}\n\n{exits.EXIT_CODES_HELP}")
@click.option(
    "--ledger",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The run's directory, with run.json in it.",
)
@click.option("--topic", metavar="TOPIC", help="What it is about, where no ledger says so.")
@click.option(
    "-b",
    "--bootstrap",
    "--bootstrap-server",
    "bootstrap",
    metavar="HOST:PORT,...",
    help="Read the log again, from here.",
)
@click.option(
    "--segments",
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="Read the log from a broker's data directory.",
)
@engine_options()
@click.option("--strict", is_flag=True, help="Count also what the settings allow.")
@click.option("--redact", is_flag=True, help="Keep keys and values out of reports.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def verify(
    ledger: Path,
    topic: str | None,
    bootstrap: str | None,
    segments: str | None,
    engine: EngineName,
    master: str | None,
    verbose: bool,
    strict: bool,
    redact: bool,
    as_json: bool,
) -> None:
    """Judge every message of ledgers that exist, and name what was wrong.

    The log is what was read of it when the run ended. With --bootstrap it is read again: from every replica, or with
    --engine spark in its tasks, from the leaders. With --segments no broker is needed.
    """
    if not (ledger / "run.json").exists():
        raise exits.Failure(f"{ledger} holds no run: run.json is missing", code=exits.WRONG_USE)
    if bootstrap and segments:
        raise click.UsageError("the log is read either from brokers (--bootstrap) or from files (--segments)")
    with spark_failures():
        _check_topic(ledger, topic, is_read=bool(bootstrap or segments))
        chosen = ChosenEngine(engine, master, is_verbose=verbose)
        log = _log(ledger, bootstrap, segments, is_read_in_tasks=engine == "spark")
        code = show_judged(ledger, chosen, strict=strict, redact=redact, as_json=as_json, log=log)
    click.get_current_context().exit(code)


def _check_topic(place: Path, given: str | None, *, is_read: bool) -> None:
    """See to it that the topic is known, if its log is to be read: clients that recorded nothing have named none."""
    from chronik.audit.ledger.directory import topic_of
    from chronik.audit.tables.run_facts import read_run_facts

    known = topic_of(place, given) if given else read_run_facts(place).topic
    if given and known != given:
        raise click.UsageError(f"{place} is about the topic {known}, not {given}")
    if is_read and not known:
        raise exits.Failure(f"{place} does not say which topic it is about", "Add --topic TOPIC.", exits.WRONG_USE)


def show_judged(
    place: Path,
    engine: ChosenEngine,
    *,
    strict: bool = False,
    redact: bool = False,
    as_json: bool,
    log: "LogSplits | None" = None,
) -> int:
    """Judge and report a recorded run, print the report, and return the exit code."""
    from chronik.audit.pipeline import judge_and_report
    from chronik.audit.report.files import HTML

    report = judge_and_report(place, engine, strict=strict, log=log, is_redacted=redact)
    return show_report(report, place / HTML, as_json=as_json)


def _log(place: Path, bootstrap: str | None, segments: str | None, *, is_read_in_tasks: bool) -> "LogSplits | None":
    """Return where the log is read, if not from the run's directory."""
    from chronik.audit.tables.evidence import Evidence
    from chronik.spark.audit.log_reading import log_in_segments, log_on_the_wire

    facts = Evidence(place).facts
    if segments:
        return log_in_segments(segments, facts.topic, facts.starts)
    if bootstrap and is_read_in_tasks:
        return log_on_the_wire(bootstrap, facts.topic, facts.starts)
    if bootstrap:
        read_log(place, bootstrap)
    return None


def read_log(place: Path, bootstrap: str) -> None:
    """Read the replicas of a run's topic again, in the place of what was read before."""
    from chronik.audit.capture.log_dump import recapture
    from chronik.audit.tables.evidence import Evidence

    facts = Evidence(place).facts
    try:
        asyncio.run(recapture(place, facts, bootstrap))
    except ClientError as error:
        raise failure_of(error) from error
