"""``chronik archive verify|compact|orphans``: maintenance of an archive, without a Spark session."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from chronik.cli import exits
from chronik.cli.archive.options import open_table, read_rules, table_options, topic_option
from chronik.cli.shell.options import ClientOptions, client_options, examples
from chronik.cli.shell.output import print_json, print_table, progress
from chronik.cli.shell.spark_extra import spark_failures

if TYPE_CHECKING:
    from chronik.spark.archive.verify import ArchiveFinding, VerifyResult

_SHOWN_MAX: Final = 20
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
_ACCOUNT: Final = (
    "partition", "from", "to", "archived", "expired", "control", "aborted", "compacted", "missing", "behind"
)  # fmt: skip


@click.command(
    epilog=examples(
        "chronik archive verify --topic orders --to lake/orders",
        "chronik archive verify --topic orders --to lake/orders --allow-lag --json",
    )
)
@topic_option(required=True)
@table_options(required=True)
@click.option("--allow-lag", is_flag=True, help="Accept records that are not archived yet.")
@client_options
def verify(
    options: ClientOptions, topic: str, url: str, form: str | None, storage: tuple[str, ...], allow_lag: bool
) -> int:
    """Compare an archive with its topic: each offset is archived once, expired, or not a record.

    The exit code is 1 if the archive has a fault.
    """
    with spark_failures():
        from chronik.spark.archive.topic_state import ask_topic
        from chronik.spark.archive.verify import verify as verified

        table = open_table(url, form, storage)
        snapshot = table.snapshot()
        rules = read_rules(options, committed=snapshot is None or snapshot.identity.is_read_committed)
        state = ask_topic(topic, rules)
        with progress("verifying files") as advance:
            verdict = verified(table, state, rules, allows_lag=allow_lag, on_file=advance)
    if options.as_json:
        print_json(verdict_document(verdict))
    else:
        _print(verdict, table.url)
    return exits.OK if verdict.is_sound else exits.FAILED


def verdict_document(verdict: "VerifyResult") -> dict[str, Any]:
    """Return the result as JSON."""
    return {
        "is_sound": verdict.is_sound,
        "files": verdict.files,
        "partitions": [asdict(account) for account in verdict.accounts],
        "findings": [_finding(finding) for finding in verdict.findings],
    }


def _finding(finding: "ArchiveFinding") -> dict[str, Any]:
    part = finding.offsets
    return {
        "kind": str(finding.kind),
        "partition": finding.partition,
        "offsets": [part.start, part.end] if part else None,
        "detail": finding.detail,
    }


def _print(verdict: "VerifyResult", url: str) -> None:
    rows = [list(asdict(account).values())[1:] for account in verdict.accounts]
    print_table(_ACCOUNT, rows)
    for finding in verdict.findings[:_SHOWN_MAX]:
        place = (
            f"partition {finding.partition} [{finding.offsets.start}, {finding.offsets.end})" if finding.offsets else ""
        )
        click.echo(f"{finding.kind}: {place}{finding.detail}")
    if len(verdict.findings) > _SHOWN_MAX:
        click.echo(f"and {len(verdict.findings) - _SHOWN_MAX} more; --json lists all of them")
    click.echo(f"{url}: {verdict.files} files, " + ("sound" if verdict.is_sound else "NOT SOUND"))


@click.command(epilog=examples("chronik archive compact --to lake/orders --target-mb 128"))
@table_options(required=True)
@click.option("--target-mb", type=click.IntRange(1), default=128, show_default=True, help="The largest size of a file.")
@_json
def compact(url: str, form: str | None, storage: tuple[str, ...], target_mb: int, as_json: bool) -> int:
    """Join the small files of a Delta archive; no row changes, and archiving may continue meanwhile."""
    with spark_failures():
        from chronik.spark.archive import compaction
        from chronik.spark.archive.delta_table import DeltaArchive

        table = open_table(url, form, storage)
        if not isinstance(table, DeltaArchive):
            raise exits.Failure(f"{url} is not a Delta table", "Plain Parquet files keep their names and sizes.")
        with progress("joining files") as advance:
            gone = compaction.compact(table, target_mb * 1024 * 1024, advance)
        count = len(table.files())
    if as_json:
        print_json({"table": table.url, "files": count, "files_fewer": gone})
    else:
        click.echo(f"{table.url}: {count} files, {gone} fewer than before")
    return exits.OK


@click.command(
    epilog=examples("chronik archive orphans --to lake/orders", "chronik archive orphans --to lake/orders --remove")
)
@table_options(required=True)
@click.option("--remove", is_flag=True, help="Remove the files, instead of listing them.")
@click.option(
    "--older-than",
    type=click.FloatRange(0),
    default=168.0,
    show_default=True,
    metavar="HOURS",
    help="The least age of a file; younger ones may belong to a running commit or query.",
)
@_json
def orphans(
    url: str, form: str | None, storage: tuple[str, ...], remove: bool, older_than: float, as_json: bool
) -> int:
    """List files that belong to no commit: left behind by a crash, or replaced by larger ones."""
    with spark_failures():
        table = open_table(url, form, storage)
        if table.snapshot() is None:
            raise exits.Failure(f"{url} holds no archive", "Name the directory or URL that was given as --to.")
        found = table.orphans(older_than, remove=remove)
    if as_json:
        print_json({"table": table.url, "orphans": found, "removed": remove})
        return exits.OK
    for path in found:
        click.echo(path)
    click.echo(f"{len(found)} file(s) {'removed' if remove else 'found'}", err=True)
    return exits.OK
