"""``chronik topic produce``: send lines, JSON or files as records; at the end it prints the outcomes."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import click

from chronik.cli import exits
from chronik.cli.shell.escapes import unescaped
from chronik.cli.shell.line_feed import NEWLINE, lines_of
from chronik.cli.shell.options import ClientOptions, client_options, examples, with_cluster
from chronik.cli.shell.output import print_json, progress
from chronik.cli.topic.account import Account
from chronik.cli.topic.record_input import Headers, JsonFormat, LineFormat
from chronik.client.cluster import Cluster
from chronik.client.delivery import DeliveryOutcome
from chronik.client.errors import ADVICE, RefusedError
from chronik.client.producer import Producer
from chronik.client.settings import CODEC_NAMES, ClientSettings
from chronik.model.errors import ErrorCode
from chronik.protocol.constants import ACKS_ALL

_LAST_RESULTS_S_MAX = 5.0
"""How long an interrupted command waits for the outcomes of sent records."""

_EXAMPLES = examples(
    "echo hello | chronik topic produce orders",
    "chronik topic produce orders -K : -l lines.txt -z zstd",
    "chronik topic produce orders --from-json -l records.jsonl",
    "chronik topic produce pictures -k cat cat.jpg",
)


class Input(NamedTuple):
    """The input of one record: the line number or the path of the file, and the bytes."""

    place: int | str
    data: bytes


@dataclass(frozen=True, slots=True)
class Sending:
    """The options that apply to every record."""

    topic: str
    form: LineFormat | JsonFormat
    partition: int | None
    headers: Headers


@click.command(epilog=_EXAMPLES)
@click.argument("topic")
@click.argument("files", nargs=-1, type=click.Path(dir_okay=False))
@click.option(
    "-l", "-f", "--file", "source", type=click.Path(dir_okay=False), help="Read lines from a file, not stdin."
)
@click.option("--from-json", is_flag=True, help="Lines are JSON: key, value, headers, partition, timestamp.")
@click.option("-D", "--delimiter", metavar="TEXT", help="What ends a line.  [default: \\n]")
@click.option("-K", "--key-separator", metavar="TEXT", help="The separator between key and value, e.g. ':' or '\\t'.")
@click.option("-k", "--key", metavar="TEXT", help="The key of every record that has none.")
@click.option(
    "-p", "--partition", type=click.IntRange(0), metavar="N", help="Send to this partition, independent of the key."
)
@click.option("-H", "--header", "headers", multiple=True, metavar="NAME=VALUE", help="A header of every record.")
@click.option("-z", "--codec", type=click.Choice(CODEC_NAMES), help="Compress batches.")
@click.option(
    "-a",
    "--acks",
    type=click.Choice(["0", "1", "-1", "all"]),
    help="Which acknowledgement to wait for.  [default: all]",
)
@click.option("--idempotent", is_flag=True, help="Each record once and in order, also after retries.")
@click.option("-Z", "empty_is_null", is_flag=True, help="An empty key or value becomes null.")
@click.option("--null", "null_marker", metavar="TEXT", help="A key or value that is this text becomes null.")
@client_options
def produce(
    options: ClientOptions,
    topic: str,
    files: tuple[str, ...],
    source: str | None,
    from_json: bool,
    delimiter: str | None,
    key_separator: str | None,
    key: str | None,
    partition: int | None,
    headers: tuple[str, ...],
    codec: str | None,
    acks: str | None,
    idempotent: bool,
    empty_is_null: bool,
    null_marker: str | None,
) -> int:
    """Send each line of standard input (or of a file) as one record, or each of FILES whole.

    The exit code is 0 only if every record was acknowledged.
    """
    if files and (source or from_json or delimiter or key_separator):
        raise click.UsageError("FILES are sent whole: leave out -l, --from-json, -D and -K")
    if from_json and key_separator:
        raise click.UsageError('--from-json has its keys in the field "key": leave out -K')
    options = replace(options, settings=_settings(options.settings, codec, acks, idempotent))
    line = LineFormat(_bytes("-K", key_separator), _bytes("--null", null_marker), empty_is_null, _bytes("-k", key))
    sending = Sending(topic, JsonFormat(line) if from_json else line, partition, tuple(map(_header, headers)))
    end = NEWLINE if delimiter is None else _bytes("-D", delimiter)
    if not end:
        raise click.UsageError("-D: the text that ends a line cannot be empty")

    _check_files(files)

    account = Account()

    async def work(cluster: Cluster) -> int:
        with _opened(None if files else source) as descriptor:
            if not files and os.isatty(descriptor):
                click.echo("type records, one per line; Ctrl-D ends", err=True)
            inputs = _whole_files(files) if files else _lines(descriptor, end, skips_blank=from_json)
            await _send_all(cluster, inputs, sending, account)
        return _report(options, topic, account)

    try:
        code = with_cluster(options, work)
    except KeyboardInterrupt:
        _report(options, topic, account)
        raise
    if code == exits.TERMINATED:
        _report(options, topic, account)
    return code


def _settings(settings: ClientSettings, codec: str | None, acks: str | None, idempotent: bool) -> ClientSettings:
    changes: dict[str, Any] = {}
    if codec is not None:
        changes["codec"] = codec
    if acks is not None:
        changes["acks"] = ACKS_ALL if acks == "all" else int(acks)
    if idempotent:
        changes["idempotent"] = True
    changed = replace(settings, **changes)
    if changed.idempotent and changed.acks != ACKS_ALL:
        raise click.UsageError("an idempotent producer needs --acks all")
    return changed


def _bytes(option: str, text: str | None) -> bytes | None:
    try:
        return None if text is None else unescaped(text)
    except ValueError as error:
        raise click.UsageError(f"{option}: {error}") from None


def _header(text: str) -> tuple[str, bytes | None]:
    name, separator, value = text.partition("=")
    if not name:
        raise click.UsageError(f"--header {text!r} is not NAME=VALUE")
    return name, value.encode() if separator else None


@contextmanager
def _opened(source: str | None) -> Iterator[int]:
    if source is None or source == "-":
        yield sys.stdin.fileno()
        return
    try:
        descriptor = os.open(source, os.O_RDONLY)
    except OSError as error:
        raise _unreadable_file(source, error) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _unreadable_file(path: str, error: OSError) -> exits.Failure:
    return exits.Failure(f"{path}: {error.strerror}", "Check the path.", exits.UNKNOWN)


async def _lines(descriptor: int, end: bytes, *, skips_blank: bool) -> AsyncIterator[list[Input]]:
    number = 0
    async for lines in lines_of(descriptor, end):
        numbered = [Input(number + index, line) for index, line in enumerate(lines, 1)]
        number += len(lines)
        yield [line for line in numbered if line.data.strip()] if skips_blank else numbered


async def _whole_files(paths: Sequence[str]) -> AsyncIterator[list[Input]]:
    for path in paths:
        yield [Input(path, await asyncio.to_thread(Path(path).read_bytes))]


def _check_files(paths: Sequence[str]) -> None:
    """Refuse a file that cannot be read before anything is sent."""
    for path in paths:
        try:
            with open(path, "rb"):
                pass
        except OSError as error:
            raise _unreadable_file(path, error) from error


async def _send_all(cluster: Cluster, inputs: AsyncIterator[list[Input]], sending: Sending, account: Account) -> None:
    # A topic that does not exist is an error of the command, not of a record.
    await cluster.topic(sending.topic, allow_creation=True)
    try:
        async with Producer(cluster) as producer:
            await _send_inputs(producer, inputs, sending, account)
    finally:
        # Results are counted by callbacks, which run in the next turn of the loop.
        await asyncio.sleep(0)


async def _send_inputs(
    producer: Producer, inputs: AsyncIterator[list[Input]], sending: Sending, account: Account
) -> None:
    try:
        with progress("sending", is_wanted=not sys.stdin.isatty()) as advance:
            async for chunk in inputs:
                for item in chunk:
                    await _send(producer, item, sending, account)
                advance(account.sent)
    except asyncio.CancelledError:
        # Records that were read before the interruption are sent, and their outcomes are reported.
        await asyncio.wait({asyncio.ensure_future(producer.flush())}, timeout=_LAST_RESULTS_S_MAX)
        raise


async def _send(producer: Producer, item: Input, sending: Sending, account: Account) -> None:
    try:
        record = sending.form.record(item.data)
    except ValueError as error:
        account.add_unreadable(item.place, str(error))
        return
    try:
        result = await producer.send(
            sending.topic,
            record.value,
            record.key,
            partition=sending.partition if record.partition is None else record.partition,
            headers=(*record.headers, *sending.headers),
            timestamp_ms=record.timestamp_ms,
        )
    except RefusedError as error:
        if record.partition is None:
            raise
        account.add_refused(item.place, error.error, error.what)
        return
    account.sent += 1
    result.add_done_callback(lambda done: account.add(item.place, done.result()))


def _report(options: ClientOptions, topic: str, account: Account) -> int:
    if options.as_json:
        print_json(account.document(topic))
    else:
        click.echo(account.sentence(topic), err=True)
    account.print_problems()
    for name in account.errors:
        if advice := ADVICE.get(ErrorCode[name]):
            click.echo(f"  {advice}", err=True)
    wanted = (
        DeliveryOutcome.UNKNOWN if options.settings.acks == 0 and not account.errors else DeliveryOutcome.ACKNOWLEDGED
    )
    if account.outcomes[wanted] == account.sent:
        return exits.FAILED if account.unreadable else exits.OK
    return exits.FAILED if account.outcomes[DeliveryOutcome.REFUSED] else exits.UNKNOWN
