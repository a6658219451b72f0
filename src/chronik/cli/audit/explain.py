"""``chronik audit explain``: what became of one message, step by step."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from chronik.cli import exits
from chronik.cli.shell.options import examples
from chronik.cli.shell.output import print_json
from chronik.cli.shell.spark_extra import spark_failures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chronik.audit.report.explain import Step, Story

_EXAMPLES: Final = examples("chronik audit explain runs/today 00c0ffee00c0ffee-p3-17")
_PRODUCERS_MAX: Final = 5
_BEYOND_ALL_TIMES_US: Final = 2**60


@click.command("explain", epilog=_EXAMPLES)
@click.argument("directory", metavar="RUN", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("message", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of lines.")
def explain(directory: Path, message: str, as_json: bool) -> None:
    """Show everything that is known of one message, in order: ledgers, observer, tap and trace.

    ID is what reports call a message: RUN-pPRODUCER-SEQUENCE, or pPRODUCER-SEQUENCE.
    """
    with spark_failures():
        story = _story(directory, message)
    if as_json:
        print_json(story.document())
    else:
        _print(story)
    click.get_current_context().exit(exits.OK if story.is_known else exits.UNKNOWN)


def _story(directory: Path, text: str) -> "Story":
    from chronik.audit.report.explain import explain as story_of
    from chronik.audit.report.explain import known_ids
    from chronik.audit.tables.evidence import Evidence
    from chronik.audit.tables.ids import AuditId

    run = Evidence(directory).facts.run
    try:
        message = AuditId.parse(text if not text.startswith("p") else f"{run:x}-{text}")
    except ValueError as error:
        raise exits.Failure(str(error), code=exits.WRONG_USE) from None
    if message.run != run:
        raise exits.Failure(f"{text} is a message of another run; this one is {run:016x}", code=exits.WRONG_USE)
    story = story_of(directory, message)
    if not (story.is_known or story.is_reserved):
        advice = _ids(known_ids(directory))
        raise exits.Failure(f"this run has no message {text}", advice, code=exits.WRONG_USE)
    return story


def _ids(bounds: "Mapping[int, tuple[int, int]]") -> str:
    from chronik.audit.tables.words import counted

    ids = [f"p{one}-{first} to p{one}-{last}" for one, (first, last) in bounds.items()]
    more = f" and those of {counted(len(ids) - _PRODUCERS_MAX, 'producer')} more" if len(ids) > _PRODUCERS_MAX else ""
    return f"it has {', '.join(ids[:_PRODUCERS_MAX])}{more}" if ids else "no ledger of it has any message"


def _print(story: "Story") -> None:
    click.echo(str(story.message))
    for step in story.steps:
        click.echo(f"  {_time(step):<27}{step.source:<13}{step.text}")
    for row in story.verdicts:
        flags = "".join(f" +{flag}" for flag in row["flags"])
        allowed = "" if row["is_allowed"] else "  not allowed"
        why = f"  {row['why']}" if row["why"] else ""
        click.echo(f"  group {row['group'] or '-'}: {row['verdict']}{flags}{allowed}{why}")
    if not story.verdicts:
        click.echo("  not judged yet: chronik audit verify gives the verdict")


def _time(step: "Step") -> str:
    if step.at_us < 0:
        return "at no known time"
    if step.at_us > _BEYOND_ALL_TIMES_US:
        return "after the run"
    return datetime.fromtimestamp(step.at_us / 1e6, UTC).isoformat(sep=" ", timespec="microseconds")[:26]
