"""Members of groups, of three libraries, with ledgers. A delivery is on the disk before its offset is committed."""

import asyncio
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import aiokafka  # type: ignore[import-untyped]
import kafka  # type: ignore[import-untyped]
from aiokafka.coordinator.assignors.range import (  # type: ignore[import-untyped]
    RangePartitionAssignor as AioRange,
)
from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from kafka.coordinator.assignors.range import RangePartitionAssignor  # type: ignore[import-untyped]
from kafka.structs import OffsetAndMetadata  # type: ignore[import-untyped]

from chronik.audit.ledger.consumer import ConsumerLedger
from chronik.audit.tables.schemas import EventKind
from soak.ledgers import run_directory
from soak.plan import SESSION_TIMEOUT_MS, Client, Library

HEARTBEAT_MS = 1_000
POLL_SECONDS = 0.5
COMMIT_EVERY_SECONDS = 1.0
WORDS_MAX = 200


class Offsets:
    """The offsets that a member has to commit, and the ledger that records its errors."""

    def __init__(self, client: Client, ledger: ConsumerLedger) -> None:
        self.client = client
        self.ledger = ledger
        self.next: dict[int, int] = {}
        self._committed_at = time.monotonic()

    def deliver(self, partition: int, offset: int) -> None:
        self.next[partition] = offset + 1

    def revoke(self, partitions: Iterable[int]) -> None:
        for partition in partitions:
            self.next.pop(partition, None)

    def complain(self, message: object) -> None:
        """Record an error of the library."""
        self.ledger.event(EventKind.ERROR, text=str(message)[:WORDS_MAX])

    def to_commit(self, partitions: Iterable[int]) -> dict[int, int]:
        """Return offsets to commit; the deliveries below them are on the disk."""
        self.ledger.flush()
        return {partition: self.next[partition] for partition in partitions if partition in self.next}

    def is_time_to_commit(self) -> bool:
        if not self.next or time.monotonic() - self._committed_at < COMMIT_EVERY_SECONDS:
            return False
        self._committed_at = time.monotonic()
        return True


def consume(client: Client, bootstrap: str, directory: Path, ending: threading.Event) -> None:
    """Be a member until it is time to leave."""
    assert client.group is not None
    run = run_directory(directory, client.topic)
    with ConsumerLedger(run, topic=client.topic, group=client.group) as ledger:
        offsets = Offsets(client, ledger)
        try:
            match client.library:
                case Library.CONFLUENT:
                    ConfluentMember(offsets, bootstrap).run(ending)
                case Library.KAFKA_PYTHON:
                    KafkaPythonMember(offsets, bootstrap).run(ending)
                case Library.AIOKAFKA:
                    asyncio.run(AiokafkaMember(offsets, bootstrap).run(ending))
        except Exception as error:
            offsets.complain(f"ended by {error!r}")
            raise


class ConfluentMember:
    """A consumer of librdkafka, with manual or automatic commits."""

    def __init__(self, offsets: Offsets, bootstrap: str) -> None:
        self._offsets = offsets
        client = offsets.client
        self._topic = client.topic
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
            # A delivery is recorded before its offset may be committed.
            "enable.auto.offset.store": False,
            "on_commit": self._on_commit,
            "error_cb": offsets.complain,
        }
        if client.instance_id is not None:
            settings["group.instance.id"] = client.instance_id
        self._consumer = offsets.ledger.wrap(Consumer(settings), settings)

    def run(self, ending: threading.Event) -> None:
        """Poll and commit."""
        self._consumer.subscribe([self._topic], on_revoke=self._on_revoke, on_lost=self._on_lost)
        try:
            while not ending.is_set():
                message = self._consumer.poll(POLL_SECONDS)
                if message is not None and message.error() is None:
                    self._offsets.deliver(message.partition(), message.offset())
                if self._offsets.is_time_to_commit():
                    self._commit(list(self._offsets.next))
        finally:
            self._consumer.close()

    def _commit(self, partitions: Iterable[int]) -> None:
        offsets = [TopicPartition(self._topic, *each) for each in self._offsets.to_commit(partitions).items()]
        if not offsets:
            return
        try:
            if self._is_automatic:
                self._consumer.store_offsets(offsets=offsets)
            else:
                self._consumer.commit(offsets=offsets, asynchronous=False)
        except KafkaException as error:
            self._offsets.complain(error)

    def _on_commit(self, error: KafkaError | None, offsets: list[TopicPartition]) -> None:
        if error is not None:
            self._offsets.complain(error)
        for at in offsets if error is None and self._is_automatic else ():
            if at.error is None and at.offset >= 0:
                self._offsets.ledger.event(EventKind.COMMITTED, at.partition, at.offset)

    def _on_revoke(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        revoked = [each.partition for each in partitions]
        self._commit(revoked)
        self._offsets.revoke(revoked)

    def _on_lost(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        self._offsets.revoke(each.partition for each in partitions)


class KafkaPythonMember(kafka.ConsumerRebalanceListener):  # type: ignore[misc]
    """A consumer of kafka-python, with manual commits."""

    def __init__(self, offsets: Offsets, bootstrap: str) -> None:
        self._offsets = offsets
        client = offsets.client
        self._topic = client.topic
        self._consumer = offsets.ledger.wrap(
            kafka.KafkaConsumer(
                bootstrap_servers=bootstrap,
                client_id=client.name.replace("/", "-"),
                group_id=client.group,
                session_timeout_ms=SESSION_TIMEOUT_MS,
                heartbeat_interval_ms=HEARTBEAT_MS,
                auto_offset_reset="earliest",
                enable_auto_commit=False,
                partition_assignment_strategy=(RangePartitionAssignor,),
            )
        )

    def run(self, ending: threading.Event) -> None:
        """Poll and commit."""
        self._consumer.subscribe([self._topic], listener=self)
        # The library joins again when it first learns the topic's partitions, and never sees the end of that join if a
        # poll ends meanwhile (with Apache Kafka too): here it learns the partitions before it joins.
        self._consumer.topics()
        try:
            while not ending.is_set():
                self._take()
        finally:
            self._consumer.close()

    def _take(self) -> None:
        for records in self._consumer.poll(timeout_ms=int(POLL_SECONDS * 1000)).values():
            for record in records:
                self._offsets.deliver(record.partition, record.offset)
        if self._offsets.is_time_to_commit():
            self._commit()

    def _commit(self) -> None:
        offsets = {
            kafka.TopicPartition(self._topic, partition): OffsetAndMetadata(offset, "", -1)
            for partition, offset in self._offsets.to_commit(list(self._offsets.next)).items()
        }
        try:
            self._consumer.commit(offsets)
        except kafka.errors.KafkaError as error:
            self._offsets.complain(error)

    def on_partitions_assigned(self, assigned: Iterable[Any]) -> None:
        """Called by the library."""

    def on_partitions_revoked(self, revoked: Iterable[Any]) -> None:
        """Called by the library, in a thread that may not wait for a commit: uncommitted records are read again."""
        self._offsets.revoke(each.partition for each in revoked)


class AiokafkaMember(aiokafka.ConsumerRebalanceListener):  # type: ignore[misc]
    """A consumer of aiokafka, with manual commits."""

    def __init__(self, offsets: Offsets, bootstrap: str) -> None:
        self._offsets = offsets
        self._topic = offsets.client.topic
        self._bootstrap = bootstrap
        self._consumer: Any = None

    async def run(self, ending: threading.Event) -> None:
        """Poll and commit."""
        client = self._offsets.client
        self._consumer = self._offsets.ledger.wrap(
            aiokafka.AIOKafkaConsumer(
                bootstrap_servers=self._bootstrap,
                client_id=client.name.replace("/", "-"),
                group_id=client.group,
                session_timeout_ms=SESSION_TIMEOUT_MS,
                heartbeat_interval_ms=HEARTBEAT_MS,
                auto_offset_reset="earliest",
                enable_auto_commit=False,
                partition_assignment_strategy=(AioRange,),
            )
        )
        self._consumer.subscribe([self._topic], listener=self)
        await self._consumer.start()
        try:
            while not ending.is_set():
                await self._take()
        finally:
            await self._consumer.stop()

    async def _take(self) -> None:
        for records in (await self._consumer.getmany(timeout_ms=int(POLL_SECONDS * 1000))).values():
            for record in records:
                self._offsets.deliver(record.partition, record.offset)
        if self._offsets.is_time_to_commit():
            await self._commit()

    async def _commit(self) -> None:
        # A record may be counted just after its partition was revoked; committing it would set the group back.
        held = [each.partition for each in self._consumer.assignment()]
        offsets = {
            aiokafka.TopicPartition(self._topic, partition): offset
            for partition, offset in self._offsets.to_commit(held).items()
        }
        try:
            await self._consumer.commit(offsets)
        except (aiokafka.errors.KafkaError, ValueError) as error:
            self._offsets.complain(error)

    async def on_partitions_assigned(self, assigned: Iterable[Any]) -> None:
        """Called by the library."""

    async def on_partitions_revoked(self, revoked: Iterable[Any]) -> None:
        """Called by the library."""
        if self._offsets.next:
            await self._commit()
        self._offsets.revoke(each.partition for each in revoked)
