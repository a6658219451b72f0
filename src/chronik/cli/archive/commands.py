"""``chronik archive``: a topic kept as a Delta table or as Parquet files, exactly once."""

import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

import click

from chronik.cli import exits
from chronik.cli.archive.options import archive_options, open_table, read_rules
from chronik.cli.lazy import Entry, LazyGroup
from chronik.cli.shell.options import ClientOptions, client_options, examples
from chronik.cli.shell.output import print_json, print_json_line, print_table, progress
from chronik.cli.shell.spark_extra import master_option, spark_failures

if TYPE_CHECKING:
    from chronik.spark.archive.table import Commit
    from chronik.spark.restarting_query import RestartingQuery

COMMANDS: Final = {
    "verify": Entry("chronik.cli.archive.care", "verify", "Compare an archive with its topic, offset by offset."),
    "compact": Entry("chronik.cli.archive.care", "compact", "Join the small files of a Delta archive."),
    "orphans": Entry("chronik.cli.archive.care", "orphans", "List or remove files that belong to no commit."),
}
_EXAMPLES: Final = examples(
    "chronik archive --topic orders --to lake/orders",
    "chronik archive --topic orders --to lake/orders --follow",
    "chronik archive --topic orders --to s3://lake/orders --storage-option AWS_REGION=eu-central-1",
    "chronik archive --topic orders --to lake/orders --json-columns 'id:long,total=amount:double'",
    "chronik archive verify --topic orders --to lake/orders",
)


@click.group(cls=LazyGroup, entries=COMMANDS, invoke_without_command=True, epilog=_EXAMPLES)
@archive_options
@click.option("-F", "--follow", is_flag=True, help="Continue with new records, instead of ending.")
@click.option(
    "--interval",
    type=click.FloatRange(0.1),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="With --follow: how often to look for new records.",
)
@click.option("--checkpoint", metavar="DIR", help="Where Spark keeps its offsets; the archive does not need them.")
@master_option
@client_options
@click.pass_context
def archive(
    ctx: click.Context,
    /,
    options: ClientOptions,
    topic: str | None,
    url: str | None,
    follow: bool,
    interval: float,
    checkpoint: str | None,
    master: str | None,
    **chosen: Any,
) -> int:
    """Archive a topic, exactly once: the table records the offsets that it covers, and only others are added."""
    if ctx.invoked_subcommand is not None:
        return _nothing_before(ctx)
    if topic is None or url is None:
        raise click.UsageError("give --topic and --to: the topic and its archive")
    with spark_failures():
        from chronik.cli.archive.options import archive_rules
        from chronik.spark.archive.running import start_archive
        from chronik.spark.sessions.session import session

        table = open_table(url, chosen["form"], chosen["storage"])
        rules = archive_rules(read_rules(options, committed=chosen["isolation"] == "read_committed"), chosen)
        report = _Report(options.as_json, follow)
        spark = session(master, app_name=f"chronik archive {topic}", quiet=True)
        with _checkpoint(checkpoint) as place:
            running = start_archive(
                spark, table, topic, rules, place, follow=follow, interval_s=interval, on_commit=report.add
            )
            code = _awaited(running, report)
        report.print_end(table.url)
    return code


def _nothing_before(ctx: click.Context) -> int:
    given = [name for name in ctx.params if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE]
    if given:
        raise click.UsageError(f"options of 'chronik archive {ctx.invoked_subcommand}' must follow its name")
    return exits.OK


@contextmanager
def _checkpoint(chosen: str | None) -> Iterator[str]:
    """Return a directory for Spark's offsets; a new one is enough, because the table decides what is written."""
    if chosen is not None:
        yield chosen
        return
    with tempfile.TemporaryDirectory(prefix="chronik-archive-", ignore_cleanup_errors=True) as place:
        yield place


def _awaited(running: "RestartingQuery", report: "_Report") -> int:
    """Wait for the end; a signal ends the archive between two commits."""

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt(number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        with report.shown(running.offsets_ahead):
            running.wait()
    except KeyboardInterrupt as error:
        running.stop()
        return exits.TERMINATED if error.args == (signal.SIGTERM,) else exits.INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, before)
    return exits.OK


class _Report:
    """Prints commits as they happen, and their sum at the end."""

    def __init__(self, as_json: bool, follow: bool) -> None:
        self._as_json, self._follow = as_json, follow
        self._advance: Any = None
        self._offsets = 0
        self._commits = 0
        self._records = 0
        self._ranges: dict[int, tuple[int, int]] = {}

    @contextmanager
    def shown(self, total: int) -> Iterator[None]:
        with progress("archiving", total, is_wanted=not self._follow) as self._advance:
            yield

    def add(self, commit: "Commit") -> None:
        """Add a commit; with --follow it is printed at once."""
        self._commits += 1
        self._records += (added := sum(file.records for file in commit.files))
        for partition, part in sorted(commit.ranges.items()):
            self._offsets += part.size
            start, _ = self._ranges.get(partition, (part.start, part.end))
            self._ranges[partition] = (start, part.end)
        if self._follow and self._as_json:
            print_json_line(commit.as_json())
            sys.stdout.flush()
        elif self._follow:
            click.echo(f"{commit.topic}: {added:,} records in {len(commit.files)} file(s)", err=True)
        elif self._advance is not None:
            self._advance(self._offsets)

    def print_end(self, url: str) -> None:
        if self._follow:
            return
        if self._as_json:
            ranges = {str(partition): list(part) for partition, part in sorted(self._ranges.items())}
            print_json({"table": url, "records": self._records, "commits": self._commits, "ranges": ranges})
            return
        if self._ranges:
            rows = [(partition, *part) for partition, part in sorted(self._ranges.items())]
            print_table(("partition", "from", "to"), rows)
        click.echo(f"{self._records:,} records added to {url} in {self._commits} commit(s)", err=True)
