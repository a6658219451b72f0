"""``chronik topic consume``: records as lines of text or JSON, from a start, up to now or on and on."""

import base64
import json
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Final

import click

from chronik.cli.options import ClientOptions, client_options, with_cluster
from chronik.cli.output import progress
from chronik.client.cluster import Cluster
from chronik.client.consumer import Consumer, FromEarliest, FromLatest, FromOffset, FromTime, Start, partitions_of
from chronik.client.fetched import Fetched
from chronik.model.ids import TopicPartition
from chronik.records.iterate import StoredRecord

Write = Callable[[TopicPartition, StoredRecord], None]

_START_HELP: Final = "earliest, latest, an offset (-5: the last five), or a time (2026-11-16T08:30, @1763280000000)"


def _start(ctx: click.Context, param: click.Parameter, value: str) -> Start:
    try:
        return start_of(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not {_START_HELP}") from None


def start_of(text: str) -> Start:
    """Read where to begin: a word, an offset, milliseconds after '@', or an ISO 8601 time."""
    words: dict[str, Start] = {"earliest": FromEarliest(), "latest": FromLatest()}
    if text in words:
        return words[text]
    if text.startswith("@"):
        return FromTime(int(text[1:]))
    if text.removeprefix("-").isdigit():
        return FromOffset(int(text))
    return FromTime(int(datetime.fromisoformat(text).astimezone().timestamp() * 1000))


@click.command()
@click.argument("topic")
@click.option("-p", "--partition", "chosen", type=click.IntRange(0), multiple=True, help="Only these partitions.")
@click.option(
    "--from", "start", callback=_start, default="earliest", show_default=True, metavar="START", help=f"{_START_HELP}."
)
@click.option("-n", "--count", type=click.IntRange(1), help="End after this many records.")
@click.option("-F", "--follow", is_flag=True, help="Go on with what is written later, instead of ending.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), help="[default: text; with --json: json]")
@click.option("--keys", is_flag=True, help="In text, print key and a tab before the value.")
@client_options
def consume(
    options: ClientOptions,
    topic: str,
    chosen: tuple[int, ...],
    start: Start,
    count: int | None,
    follow: bool,
    form: str | None,
    keys: bool,
) -> int:
    """Print the records of a topic, each partition in its order."""
    is_json = form == "json" or (form is None and options.as_json)
    write = _write_json if is_json else _text_writer(keys)

    async def work(cluster: Cluster) -> None:
        starts = dict.fromkeys(await partitions_of(cluster, topic, chosen), start)
        async with Consumer(cluster, starts, follow=follow) as consumer:
            await _print_all(consumer, count, write)

    return with_cluster(options, work)


async def _print_all(consumer: Consumer, count: int | None, write: Write) -> None:
    left = count
    printed = 0
    with progress("reading", count) as advance:
        async for fetched in consumer:
            done = _print_fetched(fetched, left, write)
            sys.stdout.flush()
            printed += done
            if not sys.stdout.isatty():
                advance(printed)
            if left is not None:
                left -= done
                if left <= 0:
                    return


def _print_fetched(fetched: Fetched, left: int | None, write: Write) -> int:
    done = 0
    for record in fetched.records():
        if done == left:
            break
        write(fetched.topic_partition, record)
        done += 1
    return done


def _text_writer(keys: bool) -> Write:
    output = sys.stdout.buffer

    def write(at: TopicPartition, record: StoredRecord) -> None:
        if keys:
            output.write((record.key if record.key is not None else b"") + b"\t")
        output.write((record.value if record.value is not None else b"") + b"\n")

    return write


def _write_json(at: TopicPartition, record: StoredRecord) -> None:
    sys.stdout.write(json_line(at, record) + "\n")


def json_line(at: TopicPartition, record: StoredRecord) -> str:
    """Give a record as one line of JSON; bytes that are not UTF-8 are told as base64."""
    document = {
        "topic": at.topic,
        "partition": at.partition,
        "offset": record.offset,
        "timestamp_ms": record.timestamp,
        **_readable("key", record.key),
        **_readable("value", record.value),
        "headers": [{"name": name, **_readable("value", value)} for name, value in record.headers],
    }
    return json.dumps(document, ensure_ascii=False)


def _readable(name: str, data: bytes | None) -> dict[str, str | None]:
    if data is None:
        return {name: None}
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}_base64": base64.b64encode(data).decode()}
