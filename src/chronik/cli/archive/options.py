"""Options that the commands of ``chronik archive`` share."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from chronik.cli.shell.options import ClientOptions
from chronik.cli.shell.settings_pairs import pairs
from chronik.cli.shell.spark_extra import client_pairs

if TYPE_CHECKING:
    from chronik.spark.archive.driver import ArchiveRules
    from chronik.spark.archive.table import ArchiveTable
    from chronik.spark.planning.slices import ReadRules

F = TypeVar("F", bound=Callable[..., Any])

_FORMATS: Final = ("delta", "parquet")


def table_options(*, required: bool) -> Callable[[F], F]:
    """Add --to, --format and --storage-option."""
    return _all(
        click.option(
            "--to", "url", required=required, metavar="DIR|URL", help="The archive (DIR, s3://BUCKET/PATH ...)."
        ),
        click.option(
            "--format", "form", type=click.Choice(_FORMATS), help="[default: that of the archive; delta for a new one]"
        ),
        click.option(
            "--storage-option",
            "storage",
            multiple=True,
            metavar="KEY=VALUE",
            help="Access to the object store; by default from its environment variables.",
        ),
    )


def topic_option(*, required: bool) -> Callable[[F], F]:
    """Add --topic."""
    return _all(click.option("-t", "--topic", required=required, metavar="TOPIC", help="The topic."))


def archive_options(command: F) -> F:
    """Add the options of writing an archive."""
    return _all(topic_option(required=False), table_options(required=False), *_WRITING)(command)


_WRITING: Final = (
    click.option("--from", "beginning", type=click.Choice(["earliest", "latest"]), default="earliest",
                 show_default=True, help="Where a new archive begins."),
    click.option("--isolation", type=click.Choice(["read_uncommitted", "read_committed"]), default="read_committed",
                 show_default=True, help="Whether records of aborted transactions are archived."),
    click.option("--json-columns", "json_columns", metavar="COLUMN[=FIELD]:TYPE,...", default="",
                 help="Decode fields of JSON values into columns; errors go to 'json_error'."),
    click.option("--commit-records", type=click.IntRange(1), default=4_000_000, show_default=True, metavar="N",
                 help="The largest number of records in a commit."),
    click.option("--file-records", type=click.IntRange(1), default=1_000_000, show_default=True, metavar="N",
                 help="The largest number of records in a file."),
    click.option("--accept-loss", is_flag=True, help="Continue where records expired before they were archived."),
    click.option("--accept-new-topic", is_flag=True,
                 help="Continue the table with a topic that was deleted and created again."),
)  # fmt: skip


def _all(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def open_table(url: str, form: str | None, storage: tuple[str, ...]) -> "ArchiveTable":
    """Return the existing table, or one to create."""
    from chronik.spark.archive.delta_table import DeltaArchive
    from chronik.spark.archive.plain_parquet import ParquetArchive

    there = _form_of(url)
    if form and there and form != there:
        raise click.UsageError(f"{url} holds an archive of --format {there}")
    if (form or there) == "parquet":
        return ParquetArchive(url)
    return DeltaArchive(url, pairs(storage, "--storage-option"))


def _form_of(url: str) -> str | None:
    path = Path(url.removeprefix("file://"))
    if (path / "_chronik" / "journal").is_dir():
        return "parquet"
    return "delta" if (path / "_delta_log").is_dir() else None


def read_rules(options: ClientOptions, *, committed: bool) -> "ReadRules":
    """Return how the topic is read."""
    from chronik.spark.planning.slices import ReadRules

    timeout_ms = options.settings.retry_timeout_ms
    return ReadRules(
        options.bootstrap,
        client_pairs(timeout_ms),
        include_headers=True,
        read_committed=committed,
        poll_timeout_ms=timeout_ms,
    )


def archive_rules(reading: "ReadRules", chosen: Mapping[str, Any]) -> "ArchiveRules":
    """Return how the archive is written."""
    from dataclasses import replace

    from chronik.spark.archive.driver import ArchiveRules
    from chronik.spark.archive.json_columns import parsed_columns
    from chronik.spark.archive.layout import table_schema

    try:
        columns = parsed_columns(chosen["json_columns"], table_schema().names)
    except ValueError as error:
        raise click.BadParameter(f"--json-columns: {error}") from None
    return ArchiveRules(
        replace(reading, fail_on_data_loss=not chosen["accept_loss"]),
        columns,
        is_from_latest=chosen["beginning"] == "latest",
        accepts_new_topic=chosen["accept_new_topic"],
        accepts_loss=chosen["accept_loss"],
        commit_records_max=chosen["commit_records"],
        file_records_max=chosen["file_records"],
    )
