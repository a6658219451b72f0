"""``chronik audit compare``: runs side by side, with their labels, and what became worse."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronik.cli import exits
from chronik.cli.shell.output import print_json, print_table
from chronik.cli.shell.spark_extra import spark_failures

if TYPE_CHECKING:
    from chronik.audit.report.history import HistoryEntry


@click.command("compare", epilog=exits.EXIT_CODES_HELP)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--baseline", metavar="RUN", help="A run, or the label of one: what the others are held against.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(runs: tuple[Path, ...], baseline: str | None, as_json: bool) -> None:
    """Put runs side by side, and name what became worse and by how much.

    RUN is the directory of a judged run, or a directory that holds the runs of a topic: then its whole history is
    taken. Without --baseline the first run is the baseline. Exit code 1: something became worse.
    """
    with spark_failures():
        from chronik.audit.report.history import regressions

        entries = [entry for path in runs for entry in _entries(path)]
        base = _baseline(entries, baseline)
        worse = regressions(base, [entry for entry in entries if entry is not base])
    if as_json:
        print_json(
            {
                "baseline": base.run,
                "runs": [asdict(entry) for entry in entries],
                "regressions": [{"run": one.entry.run, "label": one.entry.label, "what": one.what} for one in worse],
            }
        )
    else:
        _print(entries, base, [str(one) for one in worse])
    click.get_current_context().exit(exits.FAILED if worse else exits.OK)


def _entries(path: Path) -> list["HistoryEntry"]:
    from chronik.audit.report.document import read_report
    from chronik.audit.report.history import FILE, entry_of, read_history

    if (path / FILE).exists():
        return read_history(path / FILE)
    try:
        return [entry_of(read_report(path))]
    except FileNotFoundError:
        advice = f"chronik audit verify --ledger {path} judges a run; a topic's directory has a {FILE}."
        raise exits.Failure(
            f"{path} is neither a judged run nor the history of a topic", advice, exits.UNKNOWN
        ) from None


def _baseline(entries: Sequence["HistoryEntry"], wanted: str | None) -> "HistoryEntry":
    if wanted is None:
        return entries[0]
    for entry in entries:
        if wanted in (entry.label, entry.run, entry.directory) or str(Path(wanted).resolve()) == entry.directory:
            return entry
    if Path(wanted).is_dir():
        return _entries(Path(wanted))[-1]
    raise exits.Failure(f"no run is called {wanted}", "Name a run's directory, its id or its label.", exits.WRONG_USE)


def _print(entries: Sequence["HistoryEntry"], base: "HistoryEntry", worse: Sequence[str]) -> None:
    from chronik.audit.tables.words import duration, moment, number, share

    names = sorted({name for entry in entries for name in entry.verdicts})
    print_table(
        ["", "run", "begin", "delivered", "share", *names, "msg/s", "p50", "p99", "cause"],
        [
            [
                "baseline" if entry is base else "",
                entry.name,
                moment(entry.begin_us),
                f"{number(entry.delivered)} of {number(entry.sent)}",
                share(entry.delivered, entry.sent),
                *(entry.verdicts.get(name, 0) for name in names),
                number(entry.rate),
                duration(entry.latency_p50_us),
                duration(entry.latency_p99_us),
                entry.cause or "-",
            ]
            for entry in entries
        ],
    )
    for line in worse:
        click.echo(f"worse: {line}")
    if not worse and len(entries) > 1:
        click.echo("nothing became worse")
