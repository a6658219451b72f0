"""``chronik audit phases``: the three-phase plan, each phase with its grade, and the next step."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from chronik.cli import exits
from chronik.cli.audit.engines import ChosenEngine, EngineName, engine_options
from chronik.cli.audit.run import run_options, settings_of
from chronik.cli.shell.options import examples, failure_of
from chronik.cli.shell.output import print_json, print_table
from chronik.cli.shell.spark_extra import spark_failures
from chronik.client.errors import ClientError

if TYPE_CHECKING:
    from chronik.audit.capture.settings import RunSettings
    from chronik.audit.report.document import Report
    from chronik.audit.trials.phases import PhaseResult

_EXAMPLES: Final = examples(
    "chronik audit phases --topic audited",
    "chronik audit phases --topic audited --client kafka-python --timeout 60 --max-poll-records 500",
)


@click.command(epilog=f"{_EXAMPLES}\n\n{exits.EXIT_CODES_HELP}")
@run_options
@click.option("--keep", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Where to keep the runs.")
@engine_options()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def phases(
    keep: Path | None, engine: EngineName, master: str | None, verbose: bool, as_json: bool, **chosen: Any
) -> None:
    """Go through the plan: is it only slow, is it one partition, is it the fetches? Two runs, both with a tap."""
    with spark_failures():
        settings = settings_of({**chosen, "has_tap": True, "has_trace": False, "redact": False})
        judge = ChosenEngine(engine, master, is_verbose=verbose)
        first, second, third = found = _found(settings, keep, judge)
        from chronik.audit.trials.phases import next_step

        step = next_step(first, second, third)
    _print_json(found, step) if as_json else _print(found, step)
    click.get_current_context().exit(_code(found))


def _found(
    settings: "RunSettings", keep: Path | None, engine: ChosenEngine
) -> tuple["PhaseResult", "PhaseResult", "PhaseResult"]:
    from chronik.audit.ledger.directory import default_directory, new_run_id

    place = keep or default_directory(settings.topic, new_run_id())
    try:
        baseline, longer = asyncio.run(_both(settings, place, engine))
    except ClientError as error:
        raise failure_of(error) from error
    return _graded(baseline, longer)


async def _both(settings: "RunSettings", place: Path, engine: ChosenEngine) -> tuple["Report", "Report"]:
    from chronik.audit.trials.matrix_runs import run_and_judge
    from chronik.audit.trials.phases import LONGER
    from chronik.cli.audit.run import ProgressLine

    more = replace(
        settings,
        topic=f"{settings.topic}-longer" if settings.existence == "fresh" else settings.topic,
        timeout_s=settings.timeout_s * LONGER,
        max_poll_records=int(settings.max_poll_records * LONGER),
        label=f"{settings.label} longer".strip(),
    )
    with ProgressLine() as line:
        baseline = await run_and_judge(settings, place / "baseline", engine, line.show)
        longer = await run_and_judge(more, place / "longer", engine, line.show)
    return baseline, longer


def _graded(baseline: "Report", longer: "Report") -> tuple["PhaseResult", "PhaseResult", "PhaseResult"]:
    from chronik.audit.trials.phases import fetches_of, fetches_phase, partitions_phase, settings_phase

    rows = [row for row in longer.partitions.to_pylist() if row["group"] == longer.worst_group]
    delivered = baseline.delivered(baseline.worst_group), longer.delivered(longer.worst_group)
    return (
        settings_phase(min(baseline.sent, longer.sent), *delivered),
        partitions_phase(rows),
        fetches_phase(fetches_of(longer)),
    )


def _code(found: tuple["PhaseResult", ...]) -> int:
    grades = {phase.grade.value for phase in found}
    if grades & {"FAIL", "PARTIAL"}:
        return exits.FAILED
    return exits.UNKNOWN if "COULD NOT TELL" in grades else exits.OK


def _print(found: tuple["PhaseResult", ...], step: str) -> None:
    rows = [(phase.number, phase.question, phase.grade.value, "; ".join(phase.lines)) for phase in found]
    print_table(("phase", "question", "grade", "found"), rows)
    click.echo(f"Next: {step}")


def _print_json(found: tuple["PhaseResult", ...], step: str) -> None:
    rows = [
        {"phase": one.number, "question": one.question, "grade": one.grade.value, "found": one.lines} for one in found
    ]
    print_json({"phases": rows, "next": step})
