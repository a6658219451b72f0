"""``chronik audit report``: what came out of a run, once more, in the form that is wanted."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronik.cli import exits
from chronik.cli.shell.spark_extra import spark_failures

if TYPE_CHECKING:
    from chronik.audit.report.document import Report


@click.command("report", epilog=exits.EXIT_CODES_HELP)
@click.argument("directory", metavar="RUN", type=click.Path(file_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
@click.option("--html", "html_path", type=click.Path(dir_okay=False, path_type=Path), help="Write the page here too.")
@click.option(
    "--junit", "junit_path", type=click.Path(dir_okay=False, path_type=Path), help="Write JUnit XML here too."
)
@click.option("--redact", is_flag=True, help="Leave out whatever may quote a key or a value.")
def report(directory: Path, as_json: bool, html_path: Path | None, junit_path: Path | None, redact: bool) -> None:
    """Show the report of a run that was judged before, and write its files again.

    RUN is the run's directory. The exit code is the verdict's.
    """
    with spark_failures():
        from chronik.audit.report.files import JUNIT, write_report

        found = _read(directory, is_redacted=redact)
        page = write_report(found)
        if html_path is not None:
            html_path.write_bytes(page.read_bytes())
        if junit_path is not None:
            junit_path.write_bytes((directory / JUNIT).read_bytes())
        code = show_report(found, html_path or page, as_json=as_json)
    click.get_current_context().exit(code)


def _read(directory: Path, *, is_redacted: bool) -> "Report":
    from chronik.audit.report.document import read_report

    try:
        return read_report(directory, is_redacted=is_redacted)
    except FileNotFoundError as error:
        raise exits.Failure(
            f"{directory} has no results: {Path(error.filename or directory).name} is missing",
            f"chronik audit verify --ledger {directory} makes them.",
            exits.UNKNOWN,
        ) from None


def show_report(report: "Report", page: Path, *, as_json: bool) -> int:
    """Print a report whose files are written, and give the exit code of the verdict."""
    from chronik.audit.report.files import json_text
    from chronik.audit.report.terminal import console_of_output, print_report

    if as_json:
        click.echo(json_text(report))
    else:
        print_report(report, console_of_output())
        click.echo(f"Page: {page}")
    return report.exit_code
