"""Members of groups for tests: ours in tasks, other clients' in threads, and what became of their partitions."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

import confluent_kafka
from kafka import KafkaConsumer
from kafka.coordinator.assignors.range import RangePartitionAssignor

from chronik.client.admin import Admin, NewTopic
from chronik.client.cluster import Cluster
from chronik.client.fetched import FetchedRecords
from chronik.client.groups.admin import GroupAdmin, GroupView
from chronik.client.groups.admin_offsets import GroupOffsetAdmin
from chronik.client.groups.consumer import GroupConsumer, RebalanceListener
from chronik.client.groups.settings import GroupConsumerSettings
from chronik.client.producer import Producer
from chronik.model.ids import TopicPartition

Polling = tuple[Callable[[], list[int]], Callable[[], None]]
"""How a member polls, which tells its share, and how it ends."""

SECONDS_MAX = 90.0
AT_ONCE = {"group.initial.rebalance.delay.ms": 0}
QUICK = GroupConsumerSettings(offset_reset="earliest", heartbeat_interval_ms=100, session_timeout_ms=6_000)


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(SECONDS_MAX):
            await scenario()

    asyncio.run(bounded())


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - conditions are about other clients' state, which has no events
        await asyncio.sleep(0.01)


def raise_if_failed(member: asyncio.Task[None]) -> None:
    """Tell at once what ended a member, and not after a wait for what it will never do."""
    if member.done():
        member.result()


async def create(cluster: Cluster, topic: str, partitions: int) -> None:
    [made] = await Admin(cluster).create_topics([NewTopic(topic, partitions)])
    made.raise_if_refused()


async def send(cluster: Cluster, topic: str, partition: int, values: range) -> None:
    async with Producer(cluster) as producer:
        for value in values:
            await producer.send(topic, b"%d" % value, partition=partition)


def values_of(fetched: FetchedRecords) -> list[int]:
    return [int(record.value or b"") for record in fetched.records()]


class Watcher(RebalanceListener):
    """Remembers what became of the partitions."""

    def __init__(self) -> None:
        self.held: list[TopicPartition] | None = None
        self.events: list[str] = []

    async def on_assigned(self, partitions: list[TopicPartition]) -> None:
        self.held = partitions
        self.events.append("assigned")

    async def on_revoked(self, partitions: list[TopicPartition]) -> None:
        self.held = None
        self.events.append("revoked")

    async def on_lost(self, partitions: list[TopicPartition]) -> None:
        self.held = None
        self.events.append("lost")


class Reader:
    """A member that reads in a task of its own until it is stopped."""

    def __init__(self, bootstrap: str, group: str, topic: str, settings: GroupConsumerSettings = QUICK) -> None:
        self._seen: list[int] = []
        self.watcher = Watcher()
        self._stop = asyncio.Event()
        self._task = asyncio.create_task(self._read(bootstrap, group, topic, settings))

    async def _read(self, bootstrap: str, group: str, topic: str, settings: GroupConsumerSettings) -> None:
        async with (
            Cluster(bootstrap) as cluster,
            GroupConsumer(cluster, group, [topic], settings=settings, listener=self.watcher) as consumer,
        ):
            while not self._stop.is_set():
                fetched = await consumer.poll(0.05)
                if fetched is not None:
                    self._seen += values_of(fetched)

    @property
    def seen(self) -> list[int]:
        """What it read so far."""
        raise_if_failed(self._task)
        return self._seen

    @property
    def share(self) -> list[int]:
        """The partitions that it holds now."""
        raise_if_failed(self._task)
        return [at.partition for at in self.watcher.held or ()]

    async def stop(self) -> None:
        self._stop.set()
        await self._task


class OtherMember:
    """A member with another client, in a thread: ``make`` gives how it polls (and tells its share) and how it ends."""

    def __init__(self, make: Callable[[], Polling]) -> None:
        self._share: list[int] = []
        self._stop = threading.Event()
        self._done = asyncio.create_task(asyncio.to_thread(self._run, make))

    def _run(self, make: Callable[[], Polling]) -> None:
        poll, close = make()
        deadline = time.monotonic() + SECONDS_MAX
        while not self._stop.is_set() and time.monotonic() < deadline:
            self._share = poll()
        close()

    @property
    def share(self) -> list[int]:
        """The partitions that it held after its last poll."""
        raise_if_failed(self._done)
        return self._share

    async def stop(self) -> None:
        self._stop.set()
        await self._done


def librdkafka(bootstrap: str, group: str, topic: str) -> Polling:
    settings = {"partition.assignment.strategy": "range", "session.timeout.ms": 6000, "heartbeat.interval.ms": 100}
    consumer = confluent_kafka.Consumer({"bootstrap.servers": bootstrap, "group.id": group, **settings})
    consumer.subscribe([topic])

    def poll() -> list[int]:
        consumer.poll(0.05)
        return sorted(at.partition for at in consumer.assignment())

    return poll, consumer.close


def kafka_python(bootstrap: str, group: str, topic: str) -> Polling:
    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=bootstrap,
        group_id=group,
        partition_assignment_strategy=[RangePartitionAssignor],
        heartbeat_interval_ms=100,
        session_timeout_ms=6000,
    )
    # It joins again when it first learns of the topic's partitions, and never hears of that join's end where a poll
    # ends meanwhile (with Apache Kafka too): here it learns of them before it joins.
    consumer.topics()

    def poll() -> list[int]:
        consumer.poll(50)
        return sorted(at.partition for at in consumer.assignment())

    return poll, consumer.close


async def members(cluster: Cluster, group: str) -> list[str]:
    view = (await GroupAdmin(cluster).describe([group]))[group]
    assert isinstance(view, GroupView)
    return [member.member_id for member in view.members]


async def committed(cluster: Cluster, group: str) -> dict[TopicPartition, int]:
    positions = (await GroupOffsetAdmin(cluster).committed([group]))[group]
    assert isinstance(positions, dict)
    return {at: position.offset for at, position in positions.items()}


async def until_assigned(consumer: GroupConsumer) -> None:
    while not consumer.assignment:
        await consumer.poll(0.05)
