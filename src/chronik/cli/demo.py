"""``chronik demo``: a real broker process, a real client, and an account of every message.

Exit code 0 means that for every partition as many messages were acknowledged, stored, read and distinct as were sent.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import click

from chronik.cli import exits
from chronik.cli.output import print_json, print_table
from chronik.cli.settings_pairs import overrides_of
from chronik.client.admin import Admin, NewTopic
from chronik.client.cluster import Cluster
from chronik.client.consumer import Consumer, FromEarliest, partitions_of
from chronik.client.delivery import Delivery, Outcome
from chronik.client.errors import ClientError
from chronik.client.offsets import offset_bounds
from chronik.client.producer import Producer

TOPIC: Final = "chronik-demo"
_START_S_MAX: Final = 30.0
_STOP_S_MAX: Final = 15.0
_READ_S_MAX: Final = 60.0
_COLUMNS: Final = ("partition", "sent", "acknowledged", "stored", "read", "distinct")


@dataclass(slots=True)
class Account:
    """What happened to the messages of each partition."""

    sent: Counter[int] = field(default_factory=Counter)
    acknowledged: Counter[int] = field(default_factory=Counter)
    stored: Counter[int] = field(default_factory=Counter)
    read: Counter[int] = field(default_factory=Counter)
    distinct: dict[int, set[bytes]] = field(default_factory=dict)

    def add_read(self, partition: int, message: bytes) -> None:
        """Count one message that was read."""
        self.read[partition] += 1
        self.distinct.setdefault(partition, set()).add(message)

    def rows(self) -> list[list[int | str]]:
        """Give a row for each partition and one for all."""
        partitions = sorted({*self.sent, *self.stored, *self.read})
        rows: list[list[int | str]] = [[p, *self._counts(p)] for p in partitions]
        everything = set[bytes]().union(*self.distinct.values())
        counters = (self.sent, self.acknowledged, self.stored, self.read)
        return [*rows, ["total", *(counter.total() for counter in counters), len(everything)]]

    def _counts(self, partition: int) -> list[int]:
        counters = (self.sent, self.acknowledged, self.stored, self.read)
        return [*(counter[partition] for counter in counters), len(self.distinct.get(partition, ()))]

    def is_whole(self, messages: int) -> bool:
        """Whether all numbers of each row are equal, and all messages were sent."""
        rows = self.rows()
        return all(len(set(row[1:])) == 1 for row in rows) and rows[-1][1] == messages


@click.command()
@click.option("-n", "--messages", type=click.IntRange(1), default=5000, show_default=True, help="How many to send.")
@click.option("-p", "--partitions", type=click.IntRange(1), default=3, show_default=True, help="Over how many.")
@click.option("--client", type=click.Choice(["auto", "confluent", "chronik"]), default="auto", show_default=True)
@click.option("-X", "overrides", multiple=True, metavar="KEY=VALUE", help="A setting of the broker, by Kafka's name.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.pass_context
def demo(
    ctx: click.Context, messages: int, partitions: int, client: str, overrides: tuple[str, ...], as_json: bool
) -> int:
    """Start a broker, send and read back messages, and show what became of each."""
    name = _chosen_client(client)
    settings = overrides_of(ctx, overrides)
    with tempfile.TemporaryDirectory(prefix="chronik-demo-") as directory, running_broker(directory, settings) as ready:
        began = time.monotonic()
        try:
            account = _run(name, str(ready["kafka"]), messages, partitions)
        except ClientError as error:
            raise exits.Failure(error.what, error.advice) from error
        seconds = time.monotonic() - began
    return _report(account, name, messages, seconds, as_json)


def _chosen_client(wanted: str) -> str:
    if wanted == "chronik":
        return "chronik.client"
    try:
        import confluent_kafka  # noqa: F401
    except ImportError:
        if wanted == "confluent":
            raise exits.Failure("confluent-kafka is not installed", "pip install confluent-kafka") from None
        return "chronik.client"
    return "confluent-kafka"


@contextmanager
def running_broker(directory: str, settings: Mapping[str, str] | None = None) -> Iterator[dict[str, Any]]:
    """Run ``chronik serve`` on a free port and give its ready line."""
    given = [f"-X{name}={value}" for name, value in (settings or {}).items()]
    command = [sys.executable, "-m", "chronik.cli.main", "serve", "--listen", "127.0.0.1:0", "--data", directory]
    with open(os.path.join(directory, "broker.log"), "wb") as log:
        process = subprocess.Popen([*command, "--json", *given], stdout=subprocess.PIPE, stderr=log)
    try:
        yield _ready_line(process, directory)
    finally:
        _stop(process)


def _ready_line(process: "subprocess.Popen[bytes]", directory: str) -> dict[str, Any]:
    # A broker that hangs is ended, which ends the reading of its output.
    watchdog = _after(_START_S_MAX, process)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            event: dict[str, Any] = json.loads(line)
            if event.get("event") == "ready":
                return event
    finally:
        watchdog.cancel()
    with open(os.path.join(directory, "broker.log"), errors="replace") as log:
        raise exits.Failure(f"the broker did not start:\n{log.read()[-2000:]}")


def _after(seconds: float, process: "subprocess.Popen[bytes]") -> threading.Timer:
    timer = threading.Timer(seconds, process.kill)
    timer.daemon = True
    timer.start()
    return timer


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_S_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _run(client: str, bootstrap: str, messages: int, partitions: int) -> Account:
    account = Account()
    asyncio.run(_create(bootstrap, partitions))
    if client == "confluent-kafka":
        from chronik.cli.demo_confluent import exchange

        exchange(bootstrap, TOPIC, [message(i) for i in range(messages)], partitions, account, _READ_S_MAX)
    else:
        asyncio.run(_exchange(bootstrap, messages, account))
    asyncio.run(_count_stored(bootstrap, account))
    return account


async def _create(bootstrap: str, partitions: int) -> None:
    async with Cluster(bootstrap) as cluster:
        for outcome in await Admin(cluster).create_topics([NewTopic(TOPIC, partitions)]):
            outcome.raise_if_refused()


async def _exchange(bootstrap: str, messages: int, account: Account) -> None:
    async with Cluster(bootstrap) as cluster:
        async with Producer(cluster) as producer:
            results = [await producer.send(TOPIC, message(i), b"key-%d" % i) for i in range(messages)]
        for result in results:
            _count_delivery(account, result.result())
        async with asyncio.timeout(_READ_S_MAX):
            await _read(cluster, account)


def _count_delivery(account: Account, delivery: Delivery) -> None:
    account.sent[delivery.topic_partition.partition] += 1
    if delivery.outcome is Outcome.ACKNOWLEDGED:
        account.acknowledged[delivery.topic_partition.partition] += 1


async def _read(cluster: Cluster, account: Account) -> None:
    starts = dict.fromkeys(await partitions_of(cluster, TOPIC), FromEarliest())
    async with Consumer(cluster, starts) as consumer:
        async for fetched in consumer:
            for record in fetched.records():
                account.add_read(fetched.topic_partition.partition, record.value or b"")


async def _count_stored(bootstrap: str, account: Account) -> None:
    async with Cluster(bootstrap) as cluster:
        bounds = await offset_bounds(cluster, await partitions_of(cluster, TOPIC))
        for at, (start, end) in bounds.items():
            account.stored[at.partition] = end - start


def message(index: int) -> bytes:
    """Give the value of one message, which no other has."""
    return b"message %d of the demonstration" % index


def _report(account: Account, client: str, messages: int, seconds: float, as_json: bool) -> int:
    whole = account.is_whole(messages)
    if as_json:
        rows = [dict(zip(_COLUMNS, row, strict=True)) for row in account.rows()]
        print_json({"client": client, "messages": messages, "seconds": round(seconds, 3), "rows": rows, "whole": whole})
    else:
        title = f"{messages:,} messages through a broker process with {client}, in {seconds:.2f} s"
        print_table(_COLUMNS, account.rows(), title=title)
        verdict = "every message sent was acknowledged, stored, and read once" if whole else "the numbers differ"
        click.echo(verdict)
    return exits.OK if whole else exits.FAILED
