"""``chronik demo``: the accident again, on three broker processes with a real client, and an account of every message.

Exit code 0 means that for every partition as many messages were acknowledged, stored, read and distinct as were sent.
"""

import asyncio
import importlib.util
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import click

from chronik.cli import exits
from chronik.cli.accident import ATTEMPTS, MESSAGES, PARTITIONS, READ_S_MAX, TOPIC
from chronik.cli.shell.output import print_json, print_table
from chronik.cli.shell.settings_pairs import overrides_of
from chronik.client.admin import Admin, NewTopic
from chronik.client.cluster import Cluster
from chronik.client.consumer import Consumer, FromEarliest, partitions_of
from chronik.client.delivery import Delivery, Outcome
from chronik.client.errors import ClientError
from chronik.client.offsets import offset_bounds
from chronik.client.producer import Producer
from chronik.client.settings import ClientSettings
from chronik.testing.cluster import ClusterProcess
from chronik.testing.process import BrokerError

CLIENTS: Final = {"kafka-python": "kafka", "confluent": "confluent_kafka", "chronik": "chronik.client"}
"""Clients in the order in which they are taken, by the module that must be there."""
_PACKAGES: Final = {"kafka-python": "kafka-python", "confluent": "confluent-kafka", "chronik": "chronik.client"}
_COLUMNS: Final = ("partition", "sent", "acknowledged", "stored", "read", "distinct")
_NOWHERE: Final = -1


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
        counters = (self.sent, self.acknowledged, self.stored, self.read)
        return [*rows, ["total", *(counter.total() for counter in counters), self.distinct_total]]

    @property
    def distinct_total(self) -> int:
        """How many different messages were read, wherever they were."""
        return len(set[bytes]().union(*self.distinct.values()))

    def _counts(self, partition: int) -> list[int]:
        counters = (self.sent, self.acknowledged, self.stored, self.read)
        return [*(counter[partition] for counter in counters), len(self.distinct.get(partition, ()))]

    def is_whole(self, messages: int) -> bool:
        """Whether all numbers of each row are equal, and all messages were sent."""
        rows = self.rows()
        return all(len(set(row[1:])) == 1 for row in rows) and rows[-1][1] == messages


@dataclass(frozen=True, slots=True)
class Run:
    """A demonstration that has ended."""

    account: Account
    client: str
    brokers: int
    messages: int
    seconds: float

    @property
    def is_whole(self) -> bool:
        """Whether every message was acknowledged, stored and read once."""
        return self.account.is_whole(self.messages)


@click.command()
@click.option("-n", "--messages", type=click.IntRange(1), default=MESSAGES, show_default=True, help="How many to send.")
@click.option(
    "-p", "--partitions", type=click.IntRange(1), default=PARTITIONS, show_default=True, help="Over how many."
)
@click.option("--brokers", type=click.IntRange(1, 9), default=3, show_default=True, help="On how many.")
@click.option("--client", type=click.Choice(["auto", *CLIENTS]), default="auto", show_default=True)
@click.option("-X", "overrides", multiple=True, metavar="KEY=VALUE", help="A setting of the brokers, by Kafka's name.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@click.pass_context
def demo(
    ctx: click.Context,
    messages: int,
    partitions: int,
    brokers: int,
    client: str,
    overrides: tuple[str, ...],
    as_json: bool,
) -> int:
    """Start three brokers, send and read back 5,000 messages, and show what became of each.

    It is what a predecessor lost 12 to 24 % of: sent with acks=1 as fast as the client can, over one address.
    """
    name = _chosen_client(client)
    try:
        run = _run_on_cluster(name, brokers, messages, partitions, overrides_of(ctx, overrides))
    except ClientError as error:
        raise exits.Failure(error.what, error.advice) from error
    except BrokerError as error:
        raise exits.Failure(str(error)) from error
    _print_json(run) if as_json else _print(run)
    return exits.OK if run.is_whole else exits.FAILED


def _chosen_client(wanted: str) -> str:
    if wanted == "auto":
        return next(name for name, module in CLIENTS.items() if _is_there(module))
    if not _is_there(CLIENTS[wanted]):
        raise exits.Failure(f"{_PACKAGES[wanted]} is not installed", f"pip install {_PACKAGES[wanted]}")
    return wanted


def _is_there(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _run_on_cluster(client: str, brokers: int, messages: int, partitions: int, settings: Mapping[str, str]) -> Run:
    # Its processes end with this one, however that ends.
    with ClusterProcess(brokers, settings) as cluster:
        began = time.monotonic()
        account = _run(client, cluster.address_of(1), messages, partitions)
        return Run(account, _PACKAGES[client], brokers, messages, time.monotonic() - began)


def _run(client: str, bootstrap: str, messages: int, partitions: int) -> Account:
    account = Account()
    asyncio.run(_create(bootstrap, partitions))
    values = [message(i) for i in range(messages)]
    _EXCHANGES[client](bootstrap, values, partitions, account)
    asyncio.run(_count_stored(bootstrap, account))
    return account


async def _create(bootstrap: str, partitions: int) -> None:
    async with Cluster(bootstrap) as cluster:
        for outcome in await Admin(cluster).create_topics([NewTopic(TOPIC, partitions)]):
            outcome.raise_if_refused()


def _with_kafka_python(bootstrap: str, values: Sequence[bytes], partitions: int, account: Account) -> None:
    from chronik.cli.accident import exchange

    done = exchange(bootstrap, TOPIC, values)
    account.acknowledged.update(partition for partition, _ in done.acknowledged.values())
    account.sent.update(account.acknowledged)
    account.sent[_NOWHERE] += len(done.failed)
    account.sent = +account.sent
    for partition, _, value in done.read:
        account.add_read(partition, value)


def _with_confluent(bootstrap: str, values: Sequence[bytes], partitions: int, account: Account) -> None:
    from chronik.cli.demo_confluent import exchange

    exchange(bootstrap, TOPIC, values, partitions, account, READ_S_MAX)


def _with_chronik(bootstrap: str, values: Sequence[bytes], partitions: int, account: Account) -> None:
    asyncio.run(_exchange(bootstrap, values, account))


_EXCHANGES: Final[Mapping[str, Callable[[str, Sequence[bytes], int, Account], None]]] = {
    "kafka-python": _with_kafka_python,
    "confluent": _with_confluent,
    "chronik": _with_chronik,
}


async def _exchange(bootstrap: str, values: Sequence[bytes], account: Account) -> None:
    async with Cluster(bootstrap, ClientSettings(acks=1)) as cluster:
        async with Producer(cluster) as producer:
            results = [await producer.send(TOPIC, value, b"key-%d" % i) for i, value in enumerate(values)]
        for result in results:
            _count_delivery(account, result.result())
        async with asyncio.timeout(READ_S_MAX):
            await _read(cluster, account)


def _count_delivery(account: Account, delivery: Delivery) -> None:
    account.sent[delivery.topic_partition.partition] += 1
    if delivery.outcome is Outcome.ACKNOWLEDGED:
        account.acknowledged[delivery.topic_partition.partition] += 1


async def _await_readable(cluster: Cluster, account: Account) -> None:
    """Wait, within bounds, until followers have what the leaders have acknowledged: only then can it be read."""
    partitions = await partitions_of(cluster, TOPIC)
    deadline = time.monotonic() + READ_S_MAX / 2
    while time.monotonic() < deadline:
        bounds = await offset_bounds(cluster, partitions)
        if sum(end - start for start, end in bounds.values()) >= account.acknowledged.total():
            return
        await asyncio.sleep(0.02)


async def _read(cluster: Cluster, account: Account) -> None:
    await _await_readable(cluster, account)
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


def _print_json(run: Run) -> None:
    rows: list[dict[str, Any]] = [dict(zip(_COLUMNS, row, strict=True)) for row in run.account.rows()]
    print_json(
        {
            "client": run.client,
            "brokers": run.brokers,
            "messages": run.messages,
            "seconds": round(run.seconds, 3),
            "rows": rows,
            "whole": run.is_whole,
            "attempts": [{**attempt._asdict(), "share": attempt.share} for attempt in ATTEMPTS],
        }
    )


def _print(run: Run) -> None:
    brokers = "a broker process" if run.brokers == 1 else f"{run.brokers} broker processes"
    title = f"{run.messages:,} messages through {brokers} with {run.client}, acks=1, in {run.seconds:.2f} s"
    print_table(_COLUMNS, run.account.rows(), title=title)
    distinct = run.account.distinct_total
    attempts = [(attempt.name, attempt.change, attempt.read, attempt.share) for attempt in ATTEMPTS]
    now = ("Chronik, this run", "", distinct, f"{distinct / run.messages:.1%}")
    click.echo()
    print_table(
        ("attempt", "what was changed", f"distinct, of {MESSAGES:,}", "share"),
        [*attempts, now],
        title="The accident that Chronik was written after, and this run",
    )
    click.echo("every message sent was acknowledged, stored, and read once" if run.is_whole else "the numbers differ")
