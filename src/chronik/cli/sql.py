"""``chronik sql``: SQL over topics and archives."""

import csv
import json
import sys
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import click

from chronik.cli import exits
from chronik.cli.archive.options import open_table
from chronik.cli.shell.options import ClientOptions, client_options, examples
from chronik.cli.shell.output import print_table, progress
from chronik.cli.shell.settings_pairs import pairs
from chronik.cli.shell.spark_extra import client_pairs, master_option, spark_failures

_EXAMPLES: Final = examples(
    'chronik sql "select partition, count(*) from topic.orders group by partition"',
    'chronik sql "select key, value from topic.orders where timestamp > now() - interval 1 hour" --json',
    "chronik sql \"select sum(amount) from topic.orders\" --decode orders='id bigint, amount double'",
    "chronik sql \"select count(*) from archive.orders where date = '2026-01-31'\" --archive orders=lake/orders",
)


@click.command(epilog=_EXAMPLES)
@click.argument("text", metavar="QUERY")
@click.option("--archive", "archives", multiple=True, metavar="NAME=DIR|URL", help="Name an archive archive.NAME.")
@click.option(
    "--decode",
    "decoded",
    multiple=True,
    metavar="NAME[=FIELDS]",
    help="Decode the JSON values of a topic or archive into columns: 'id bigint, amount double', or inferred.",
)
@click.option("--storage-option", "storage", multiple=True, metavar="KEY=VALUE", help="Access to object stores.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV with a header line.")
@click.option("--binary", is_flag=True, help="Leave keys and values binary, instead of text.")
@click.option(
    "--rows",
    type=click.IntRange(1),
    default=1_000,
    show_default=True,
    metavar="N",
    help="The largest number of rows in a table; --json and --csv print all.",
)
@master_option
@client_options
def sql(
    options: ClientOptions,
    text: str,
    archives: tuple[str, ...],
    decoded: tuple[str, ...],
    storage: tuple[str, ...],
    as_csv: bool,
    binary: bool,
    rows: int,
    master: str | None,
) -> int:
    """Ask topics and archives in SQL: topic.NAME has the records of a topic, archive.NAME those of an archive.

    Columns are key, value, topic, partition, offset, timestamp, timestampType and headers; names with other characters
    than letters, digits and _ are written in backquotes. With --json every row is a line.
    """
    if as_csv and options.as_json:
        raise click.UsageError("--json or --csv, not both")
    with spark_failures():
        from chronik.spark.sessions.session import session
        from chronik.spark.sql.query import SqlSources, query, watched

        sources = SqlSources(
            options.bootstrap,
            client_pairs(options.settings.retry_timeout_ms),
            {name: open_table(url, None, storage) for name, url in pairs(archives, "--archive").items()},
            {name: fields for name, _, fields in (item.partition("=") for item in decoded)},
            keeps_binary=binary,
        )
        spark = session(master, app_name="chronik sql", quiet=True)
        with progress("running") as advance, watched(spark, lambda done, total: advance(done)):
            _print(query(spark, text, sources), as_json=options.as_json, as_csv=as_csv, rows_max=rows)
    return exits.OK


def _print(frame: Any, *, as_json: bool, as_csv: bool, rows_max: int) -> None:
    if as_json:
        for row in frame.toLocalIterator(prefetchPartitions=True):
            click.echo(json.dumps(_plain(row.asDict(recursive=True)), ensure_ascii=False))
    elif as_csv:
        lines = csv.writer(sys.stdout, lineterminator="\n")
        lines.writerow(frame.columns)
        for row in frame.toLocalIterator(prefetchPartitions=True):
            lines.writerow([_cell(value) for value in row])
    else:
        _print_table(frame.columns, frame.limit(rows_max + 1).collect(), rows_max)


def _print_table(columns: Sequence[str], rows: Sequence[Iterable[Any]], rows_max: int) -> None:
    print_table(columns, [[_shown(value) for value in row] for row in rows[:rows_max]])
    if len(rows) > rows_max:
        click.echo(f"more than {rows_max:,} rows: --rows N shows more, --json and --csv show all", err=True)


def _shown(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float) else _cell(value)


def _cell(value: Any) -> Any:
    plain = _plain(value)
    return json.dumps(plain, ensure_ascii=False) if isinstance(plain, dict | list) else plain


def _plain(value: Any) -> Any:
    """Return a value as JSON can hold it; bytes that are no text keep theirs as escapes."""
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "backslashreplace")
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    if hasattr(value, "asDict"):
        return _plain(value.asDict(recursive=True))
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
