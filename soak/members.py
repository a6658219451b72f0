"""Members of groups, of three libraries. Each writes down what it is handed before it commits it."""

import asyncio
import threading
from collections.abc import Iterable
from typing import Any

import aiokafka  # type: ignore[import-untyped]
import kafka  # type: ignore[import-untyped]
from aiokafka.coordinator.assignors.range import (  # type: ignore[import-untyped]
    RangePartitionAssignor as AioRange,
)
from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from kafka.coordinator.assignors.range import RangePartitionAssignor  # type: ignore[import-untyped]
from kafka.structs import OffsetAndMetadata  # type: ignore[import-untyped]

from soak.events import Assigned, Committed, Complained, Delivered, Revoked
from soak.journal import Journal, now
from soak.plan import SESSION_TIMEOUT_MS, Client, Library
from soak.producers import id_in

HEARTBEAT_MS = 1_000
POLL_SECONDS = 0.5
COMMIT_EVERY_SECONDS = 1.0


class Account:
    """What the members of all libraries do: write down, and know what is to be committed."""

    def __init__(self, client: Client, incarnation: str, journal: Journal) -> None:
        self.client = client
        self.name = f"{client.name}/{incarnation}"
        self.positions: dict[tuple[str, int], int] = {}
        self._journal = journal
        self._committed_at = now()

    def assigned(self, places: Iterable[tuple[str, int]]) -> None:
        """Write down what the member was given."""
        self._journal.write(*(Assigned(now(), self.name, *place) for place in places))

    def revoked(self, places: Iterable[tuple[str, int]], *, was_lost: bool = False) -> None:
        """Write down what was taken, and forget its position."""
        gone = list(places)
        for place in gone:
            self.positions.pop(place, None)
        self._journal.write(*(Revoked(now(), self.name, *place, was_lost) for place in gone))

    def delivered(self, topic: str, partition: int, offset: int, value: bytes | None) -> None:
        """Write down a message."""
        self._journal.write(Delivered(now(), self.name, topic, partition, offset, id_in(value)))
        self.positions[topic, partition] = offset + 1

    def committed(self, offsets: Iterable[tuple[str, int, int]]) -> None:
        """Write down what the broker has stored."""
        self._journal.write(*(Committed(now(), self.name, *offset) for offset in offsets))

    def complain(self, message: object) -> None:
        """Write down an error of the library."""
        self._journal.write(Complained(now(), self.name, str(message)[:200]))

    def is_time_to_commit(self) -> bool:
        """Whether positions have waited long enough."""
        if not self.positions or now() - self._committed_at < COMMIT_EVERY_SECONDS:
            return False
        self._committed_at = now()
        return True


def consume(client: Client, incarnation: str, bootstrap: str, journal: Journal, ending: threading.Event) -> None:
    """Be a member until told to leave."""
    account = Account(client, incarnation, journal)
    match client.library:
        case Library.CONFLUENT:
            ConfluentMember(account, bootstrap).run(ending)
        case Library.KAFKA_PYTHON:
            KafkaPythonMember(account, bootstrap).run(ending)
        case Library.AIOKAFKA:
            asyncio.run(AiokafkaMember(account, bootstrap).run(ending))


class ConfluentMember:
    """A consumer of librdkafka, with commits by hand or by itself."""

    def __init__(self, account: Account, bootstrap: str) -> None:
        self._account = account
        client = account.client
        self._is_automatic = client.auto_commit
        settings: dict[str, Any] = {
            "bootstrap.servers": bootstrap,
            "client.id": client.name.replace("/", "-"),
            "group.id": client.group,
            "session.timeout.ms": SESSION_TIMEOUT_MS,
            "heartbeat.interval.ms": HEARTBEAT_MS,
            "auto.offset.reset": "earliest",
            "partition.assignment.strategy": client.strategy,
            "enable.auto.commit": client.auto_commit,
            "auto.commit.interval.ms": int(COMMIT_EVERY_SECONDS * 1000),
            # A message is written down before its position may be committed.
            "enable.auto.offset.store": False,
            "on_commit": self._on_commit,
            "error_cb": account.complain,
        }
        if client.instance_id is not None:
            settings["group.instance.id"] = client.instance_id
        self._consumer = Consumer(settings)

    def run(self, ending: threading.Event) -> None:
        """Poll, write down, commit."""
        self._consumer.subscribe(
            [self._account.client.topic], on_assign=self._on_assign, on_revoke=self._on_revoke, on_lost=self._on_lost
        )
        try:
            while not ending.is_set():
                self._take(self._consumer.poll(POLL_SECONDS))
                if not self._is_automatic and self._account.is_time_to_commit():
                    self._commit(self._account.positions)
        finally:
            self._consumer.close()

    def _take(self, message: Any) -> None:
        if message is None:
            return
        if message.error() is not None:
            self._account.complain(message.error())
            return
        self._account.delivered(message.topic(), message.partition(), message.offset(), message.value())
        if self._is_automatic:
            self._consumer.store_offsets(message)

    def _commit(self, positions: dict[tuple[str, int], int]) -> None:
        offsets = [TopicPartition(*place, offset) for place, offset in positions.items()]
        if not offsets:
            return
        try:
            self._on_commit(None, self._consumer.commit(offsets=offsets, asynchronous=False) or [])
        except KafkaException as error:
            self._account.complain(error)

    def _on_commit(self, error: KafkaError | None, offsets: list[TopicPartition]) -> None:
        if error is not None:
            self._account.complain(error)
            return
        stored = [each for each in offsets if each.error is None and each.offset >= 0]
        self._account.committed((each.topic, each.partition, each.offset) for each in stored)

    def _on_assign(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        self._account.assigned((each.topic, each.partition) for each in partitions)

    def _on_revoke(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        places = [(each.topic, each.partition) for each in partitions]
        if not self._is_automatic:
            positions = self._account.positions
            self._commit({place: positions[place] for place in places if place in positions})
        self._account.revoked(places)

    def _on_lost(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        self._account.revoked(((each.topic, each.partition) for each in partitions), was_lost=True)


class KafkaPythonMember(kafka.ConsumerRebalanceListener):  # type: ignore[misc]
    """A consumer of kafka-python, with commits by hand."""

    def __init__(self, account: Account, bootstrap: str) -> None:
        self._account = account
        self._consumer = kafka.KafkaConsumer(
            bootstrap_servers=bootstrap,
            client_id=account.client.name.replace("/", "-"),
            group_id=account.client.group,
            session_timeout_ms=SESSION_TIMEOUT_MS,
            heartbeat_interval_ms=HEARTBEAT_MS,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            partition_assignment_strategy=(RangePartitionAssignor,),
        )

    def run(self, ending: threading.Event) -> None:
        """Poll, write down, commit."""
        self._consumer.subscribe([self._account.client.topic], listener=self)
        # The library joins again when it first learns of the topic's partitions, and never hears of that join's end
        # where a poll ends meanwhile (with Apache Kafka too): here it learns of them before it joins.
        self._consumer.topics()
        try:
            while not ending.is_set():
                self._take()
        finally:
            self._consumer.close()

    def _take(self) -> None:
        for records in self._consumer.poll(timeout_ms=int(POLL_SECONDS * 1000)).values():
            for record in records:
                self._account.delivered(record.topic, record.partition, record.offset, record.value)
        if self._account.is_time_to_commit():
            self._commit()

    def _commit(self) -> None:
        positions = dict(self._account.positions)
        offsets = {
            kafka.TopicPartition(*place): OffsetAndMetadata(offset, "", -1) for place, offset in positions.items()
        }
        try:
            self._consumer.commit(offsets)
        except kafka.errors.KafkaError as error:
            self._account.complain(error)
        else:
            self._account.committed((*place, offset) for place, offset in positions.items())

    def on_partitions_assigned(self, assigned: Iterable[Any]) -> None:
        """Called by the library."""
        self._account.assigned((each.topic, each.partition) for each in assigned)

    def on_partitions_revoked(self, revoked: Iterable[Any]) -> None:
        """Called by the library, in a thread that may not wait for a commit: what is open is read again."""
        self._account.revoked((each.topic, each.partition) for each in revoked)

    def on_partitions_lost(self, lost: Iterable[Any]) -> None:
        """Called by the library."""
        self._account.revoked(((each.topic, each.partition) for each in lost), was_lost=True)


class AiokafkaMember(aiokafka.ConsumerRebalanceListener):  # type: ignore[misc]
    """A consumer of aiokafka, with commits by hand."""

    def __init__(self, account: Account, bootstrap: str) -> None:
        self._account = account
        self._bootstrap = bootstrap
        self._consumer: Any = None

    async def run(self, ending: threading.Event) -> None:
        """Poll, write down, commit."""
        client = self._account.client
        self._consumer = aiokafka.AIOKafkaConsumer(
            bootstrap_servers=self._bootstrap,
            client_id=client.name.replace("/", "-"),
            group_id=client.group,
            session_timeout_ms=SESSION_TIMEOUT_MS,
            heartbeat_interval_ms=HEARTBEAT_MS,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            partition_assignment_strategy=(AioRange,),
        )
        self._consumer.subscribe([client.topic], listener=self)
        await self._consumer.start()
        try:
            while not ending.is_set():
                await self._take()
        finally:
            await self._consumer.stop()

    async def _take(self) -> None:
        for records in (await self._consumer.getmany(timeout_ms=int(POLL_SECONDS * 1000))).values():
            for record in records:
                self._account.delivered(record.topic, record.partition, record.offset, record.value)
        if self._account.is_time_to_commit():
            await self._commit()

    async def _commit(self) -> None:
        # A message may be written down just after its partition was taken away; its commit would set the group back.
        held = {(each.topic, each.partition) for each in self._consumer.assignment()}
        positions = {place: offset for place, offset in self._account.positions.items() if place in held}
        try:
            await self._consumer.commit(
                {aiokafka.TopicPartition(*place): offset for place, offset in positions.items()}
            )
        except (aiokafka.errors.KafkaError, ValueError) as error:
            self._account.complain(error)
        else:
            self._account.committed((*place, offset) for place, offset in positions.items())

    async def on_partitions_assigned(self, assigned: Iterable[Any]) -> None:
        """Called by the library."""
        self._account.assigned((each.topic, each.partition) for each in assigned)

    async def on_partitions_revoked(self, revoked: Iterable[Any]) -> None:
        """Called by the library."""
        if self._account.positions:
            await self._commit()
        self._account.revoked((each.topic, each.partition) for each in revoked)
