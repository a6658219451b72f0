"""``chronik audit report``: what came out of a run, once more, in the form that is wanted."""

from pathlib import Path

import click

from chronik.cli import exits
from chronik.cli.spark_extra import spark_failures


@click.command("report", epilog=exits.EXIT_CODES_HELP)
@click.argument("directory", metavar="RUN", type=click.Path(file_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
@click.option("--html", "html_path", type=click.Path(dir_okay=False, path_type=Path), help="Write the page here too.")
@click.option(
    "--junit", "junit_path", type=click.Path(dir_okay=False, path_type=Path), help="Write JUnit XML here too."
)
@click.option("--redact", is_flag=True, help="Leave out whatever may quote a key or a value.")
def report(directory: Path, as_json: bool, html_path: Path | None, junit_path: Path | None, redact: bool) -> None:
    """Show the report of a run that was judged before, and write its files anew.

    RUN is the run's directory. The exit code is the verdict's.
    """
    with spark_failures():
        code = show_report(directory, as_json=as_json, is_redacted=redact, html_path=html_path, junit_path=junit_path)
    click.get_current_context().exit(code)


def show_report(
    directory: Path,
    *,
    as_json: bool = False,
    is_redacted: bool = False,
    html_path: Path | None = None,
    junit_path: Path | None = None,
) -> int:
    """Write the report's files, print it, and give the exit code of the verdict."""
    from chronik.audit.report import read_report
    from chronik.audit.report_files import HTML, JUNIT, json_text, write_report
    from chronik.audit.report_terminal import console_of_output, print_report

    try:
        read = read_report(directory, is_redacted=is_redacted)
    except FileNotFoundError as error:
        raise exits.Failure(
            f"{directory} has no results: {Path(error.filename or directory).name} is missing",
            f"chronik audit verify --ledger {directory} makes them.",
            exits.UNKNOWN,
        ) from None
    page = write_report(read)
    for given, name in ((html_path, HTML), (junit_path, JUNIT)):
        if given is not None:
            given.write_bytes((directory / name).read_bytes())
    if as_json:
        click.echo(json_text(read))
    else:
        print_report(read, console_of_output())
        click.echo(f"Page: {html_path or page}")
    return read.exit_code
