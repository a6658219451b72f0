"""``chronik topic consume``: print records as text, by a pattern or as JSON, and optionally follow the topic."""

import sys
from collections.abc import Iterable, Sequence

import click

from chronik.cli.group.operations import committed_offsets
from chronik.cli.shell.escapes import unescaped
from chronik.cli.shell.options import ClientOptions, client_options, examples, with_cluster
from chronik.cli.shell.output import progress
from chronik.cli.topic.reading_range import START_HELP, FromStored, ReadingRange, range_of
from chronik.cli.topic.record_format import (
    FORMAT_HELP,
    RecordPrinter,
    Render,
    json_format,
    line_format,
    record_format,
    rendered_by,
)
from chronik.client.cluster import Cluster
from chronik.client.consumer import Consumer, FromEarliest, FromLatest, FromOffset, Start, partitions_of
from chronik.client.kafka_settings import GivenSettings
from chronik.client.offsets import offset_bounds
from chronik.model.ids import TopicPartition

_EXAMPLES = examples(
    "chronik topic consume orders",
    "chronik topic consume orders -o -5 -f '%T %p/%o %k: %s\\n'",
    "chronik topic consume orders -p 0 -o s@2026-11-16T08:00 -o e@2026-11-16T09:00 --json",
    "chronik topic consume orders --group orders-reader --follow",
)


def _range(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> ReadingRange:
    try:
        return range_of(values)
    except ValueError as error:
        raise click.BadParameter(f"{', '.join(values)}: {error}: use {START_HELP}") from None


@click.command(epilog=_EXAMPLES)
@click.argument("topic")
@click.option(
    "-p", "--partition", "chosen", type=click.IntRange(0), multiple=True, metavar="N", help="Only these partitions."
)
@click.option(
    "-o", "--from", "span", callback=_range, multiple=True, metavar="START", help=f"{START_HELP}.  [default: earliest]"
)
@click.option("-n", "-c", "--count", type=click.IntRange(1), metavar="N", help="End after this many records.")
@click.option("-F", "--follow", is_flag=True, help="Go on with new records instead of ending.")
@click.option("-e", "exit_at_end", is_flag=True, help="End at the last record, as happens without --follow anyway.")
@click.option("-G", "--group", metavar="GROUP", help="Read as a member of this group, and commit what was printed.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), help="[default: text; with --json: json]")
@click.option("-f", "pattern", metavar="FORMAT", help=f"Print each record so: {FORMAT_HELP}.")
@click.option("--keys", is_flag=True, help="In text, print key and a tab before the value.")
@click.option("-K", "--key-separator", metavar="TEXT", help="In text, print key and this before the value.")
@click.option("-D", "--delimiter", metavar="TEXT", help="In text, print this behind each record.  [default: \\n]")
@click.option("-Z", "shows_null", is_flag=True, help="In text, print null as NULL.")
@client_options
def consume(
    options: ClientOptions,
    topic: str,
    chosen: tuple[int, ...],
    span: ReadingRange,
    count: int | None,
    follow: bool,
    exit_at_end: bool,
    group: str | None,
    form: str | None,
    pattern: str | None,
    keys: bool,
    key_separator: str | None,
    delimiter: str | None,
    shows_null: bool,
) -> int:
    """Print the records of a topic, each partition in its order."""
    if follow and (exit_at_end or span.until_ms is not None):
        raise click.UsageError("--follow does not end: leave out -e and -o e@TIME")
    is_json = form == "json" or (form is None and pattern is None and options.as_json)
    separator = key_separator if key_separator is not None else "\\t" if keys else None
    if is_json and (pattern or separator or delimiter or shows_null):
        raise click.UsageError("-f, -D, -K, -Z and --keys are for text, not for JSON")
    render = json_format if is_json else _text(pattern, separator, delimiter, shows_null)
    printer = RecordPrinter(rendered_by(render), count)
    if group is not None:
        return _consume_as_member(options, topic, group, chosen, span, printer, follow=follow)

    async def work(cluster: Cluster) -> None:
        starts = await _starts(cluster, options, await partitions_of(cluster, topic, chosen), span)
        async with Consumer(cluster, starts, follow=follow, until_ms=span.until_ms) as consumer:
            await _print_all(consumer, printer, count)

    return with_cluster(options, work)


def _text(pattern: str | None, separator: str | None, delimiter: str | None, shows_null: bool) -> Render:
    null = b"NULL" if shows_null else b""
    try:
        if pattern is not None:
            return record_format(pattern, null)
        end = b"\n" if delimiter is None else unescaped(delimiter)
        return line_format(None if separator is None else unescaped(separator), end, null)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


async def _starts(
    cluster: Cluster, options: ClientOptions, partitions: Iterable[TopicPartition], span: ReadingRange
) -> dict[TopicPartition, Start]:
    if isinstance(span.start, FromStored):
        return await _stored_starts(cluster, options.given, list(partitions))
    return dict.fromkeys(partitions, span.start or FromEarliest())


async def _print_all(consumer: Consumer, printer: RecordPrinter, total: int | None) -> None:
    with progress("reading", total, is_wanted=not sys.stdout.isatty()) as advance:
        async for fetched in consumer:
            printer.print_fetched(fetched)
            advance(printer.count)
            if printer.is_done:
                return


def _consume_as_member(
    options: ClientOptions,
    topic: str,
    group: str,
    chosen: tuple[int, ...],
    span: ReadingRange,
    printer: RecordPrinter,
    *,
    follow: bool,
) -> int:
    from chronik.cli.topic.group_reading import member_settings, print_as_member

    if chosen:
        raise click.UsageError("a group assigns partitions itself: leave out -p, or --group")
    settings = member_settings(options.given, span)

    async def work(cluster: Cluster) -> None:
        await print_as_member(cluster, group, topic, settings, printer, follow=follow)

    return with_cluster(options, work)


async def _stored_starts(
    cluster: Cluster, given: GivenSettings, partitions: Sequence[TopicPartition]
) -> dict[TopicPartition, Start]:
    """Return the committed offsets of ``group.id``, or ``auto.offset.reset`` where one is missing or expired."""
    if given.group_id is None:
        raise click.UsageError("-o stored: name the group with -X group.id=GROUP")
    committed = await committed_offsets(cluster, given.group_id)
    bounds = await offset_bounds(cluster, partitions)
    otherwise = _reset_of(given)
    starts: dict[TopicPartition, Start] = {}
    for at in partitions:
        start, end = bounds[at]
        is_there = at in committed and start <= committed[at].offset <= end
        starts[at] = FromOffset(committed[at].offset) if is_there else otherwise
    return starts


def _reset_of(given: GivenSettings) -> Start:
    """Return the start without a committed offset: the earliest, unless ``auto.offset.reset`` is latest."""
    is_latest = "auto.offset.reset" in given.names and given.group.offset_reset == "latest"
    return FromLatest() if is_latest else FromEarliest()
