"""``chronik topic produce``: lines become records; at the end it says what became of each."""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import click

from chronik.cli import exits
from chronik.cli.line_feed import lines_of
from chronik.cli.options import ClientOptions, client_options, with_cluster
from chronik.cli.output import print_json, progress
from chronik.client.cluster import Cluster
from chronik.client.delivery import Delivery, Outcome
from chronik.client.producer import Producer
from chronik.client.settings import CODEC_NAMES, ClientSettings


@dataclass(frozen=True, slots=True)
class LineFormat:
    """How a line is read."""

    key_separator: bytes | None
    null_marker: bytes | None

    def parse(self, line: bytes) -> tuple[bytes | None, bytes | None]:
        """Split a line in key and value."""
        if self.key_separator is None:
            return None, self._or_null(line)
        key, separator, value = line.partition(self.key_separator)
        if not separator:
            return None, self._or_null(line)
        return self._or_null(key), self._or_null(value)

    def _or_null(self, text: bytes) -> bytes | None:
        return None if text == self.null_marker else text


@dataclass(slots=True)
class Account:
    """What was sent, and what became of it."""

    sent: int
    outcomes: Counter[Outcome]
    errors: Counter[str]
    example: str = ""

    def add(self, delivery: Delivery) -> None:
        """Count one result."""
        self.outcomes[delivery.outcome] += 1
        if delivery.error:
            self.errors[delivery.error.name] += 1
            self.example = self.example or f"{delivery.topic_partition}: {delivery.reason}"

    def document(self, topic: str) -> dict[str, Any]:
        """Give the account for machines."""
        return {
            "topic": topic,
            "sent": self.sent,
            **{outcome.value: self.outcomes[outcome] for outcome in Outcome},
            "errors": dict(self.errors),
        }

    def sentence(self, topic: str) -> str:
        """Give the account for people."""
        counts = [f"{self.outcomes[outcome]} {outcome.value}" for outcome in Outcome]
        return f"topic {topic}: {self.sent} sent, {', '.join(counts)}"


@click.command()
@click.argument("topic")
@click.option("-f", "--file", "source", type=click.Path(dir_okay=False), help="Read lines from a file, not stdin.")
@click.option("-K", "--key-separator", metavar="TEXT", help="What stands between key and value, e.g. ':' or '\\t'.")
@click.option("-p", "--partition", type=click.IntRange(0), help="Send to this partition, whatever the key.")
@click.option("-H", "--header", "headers", multiple=True, metavar="NAME=VALUE", help="A header of every record.")
@click.option("-z", "--codec", type=click.Choice(CODEC_NAMES), help="Compress batches.")
@click.option("--acks", type=click.Choice(["0", "1", "all"]), help="Which acknowledgement to wait for.  [default: all]")
@click.option("--idempotent", is_flag=True, help="Each record once and in order, also after retries.")
@click.option("--null", "null_marker", metavar="TEXT", help="A key or value that is this text becomes null.")
@client_options
def produce(
    options: ClientOptions,
    topic: str,
    source: str | None,
    key_separator: str | None,
    partition: int | None,
    headers: tuple[str, ...],
    codec: str | None,
    acks: str | None,
    idempotent: bool,
    null_marker: str | None,
) -> int:
    """Send each line of standard input (or a file) as one record."""
    options = replace(options, settings=_settings(options.settings, codec, acks, idempotent))
    form = LineFormat(_bytes(key_separator), _bytes(null_marker))
    named = [_header(text) for text in headers]

    async def work(cluster: Cluster) -> int:
        with _opened(source) as descriptor:
            account = await _send_lines(cluster, descriptor, topic, form, partition, named)
        return _report(options, topic, account)

    return with_cluster(options, work)


def _settings(settings: ClientSettings, codec: str | None, acks: str | None, idempotent: bool) -> ClientSettings:
    changes: dict[str, Any] = {}
    if codec is not None:
        changes["codec"] = codec
    if acks is not None:
        changes["acks"] = -1 if acks == "all" else int(acks)
    if idempotent:
        changes["idempotent"] = True
    changed = replace(settings, **changes)
    if changed.idempotent and changed.acks != -1:
        raise click.UsageError("an idempotent producer needs --acks all")
    return changed


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.replace("\\t", "\t").replace("\\n", "\n").encode()


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
        raise exits.Failure(f"{source}: {error.strerror}", "Check the path.", exits.UNKNOWN) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


async def _send_lines(
    cluster: Cluster,
    descriptor: int,
    topic: str,
    form: LineFormat,
    partition: int | None,
    headers: list[tuple[str, bytes | None]],
) -> Account:
    account = Account(0, Counter(), Counter())
    with progress("sending") as advance:
        async with Producer(cluster) as producer:
            async for lines in lines_of(descriptor):
                for line in lines:
                    key, value = form.parse(line)
                    result = await producer.send(topic, value, key, partition=partition, headers=headers)
                    result.add_done_callback(lambda done: account.add(done.result()))
                account.sent += len(lines)
                advance(account.sent)
        # Results are counted by callbacks, which run in the next turn of the loop.
        await asyncio.sleep(0)
    return account


def _report(options: ClientOptions, topic: str, account: Account) -> int:
    if options.as_json:
        print_json(account.document(topic))
    else:
        click.echo(account.sentence(topic), err=True)
    for name, count in account.errors.most_common():
        click.echo(f"chronik: {count} record(s): {name}", err=True)
    if account.example:
        click.echo(f"  for example {account.example}", err=True)
    wanted = Outcome.UNKNOWN if options.settings.acks == 0 and not account.errors else Outcome.ACKNOWLEDGED
    if account.outcomes[wanted] == account.sent:
        return exits.OK
    return exits.FAILED if account.outcomes[Outcome.REFUSED] else exits.UNKNOWN
