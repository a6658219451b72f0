"""The clients of one round, which record ledgers: producers that never stop sending, and a group that reads along."""

import threading
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer

from chronik.audit.ledger.consumer import ConsumerLedger
from chronik.audit.ledger.producer import ProducerLedger
from nemesis.plan import PARTITIONS

RETRIES = {
    "reconnect.backoff.ms": 20,
    "reconnect.backoff.max.ms": 500,
    # Clients give up a paused or unreachable broker in seconds, not in a minute.
    "socket.timeout.ms": 8_000,
    "request.timeout.ms": 6_000,
    "socket.connection.setup.timeout.ms": 3_000,
    "topic.metadata.refresh.interval.ms": 2_000,
    "log_level": 0,
}
KINDS: Mapping[str, Mapping[str, Any]] = {
    "idempotent": {"acks": "all", "enable.idempotence": True},
    "plain": {"acks": "all"},
    "leader-only": {"acks": "1"},
}
SEND_EACH = 10
PAUSE_SECONDS = 0.04
IN_FLIGHT_MAX = 2_000
MESSAGE_SECONDS_MAX = 180
LEAVE_SECONDS_MAX = 30.0


class Ack(NamedTuple):
    """The times at which a message was sent and acknowledged."""

    partition: int
    sent_at: float
    at: float


class Sender:
    """One producer with its ledger, in a thread of its own."""

    def __init__(self, directory: Path, bootstrap: str, topic: str, kind: str, seed: str) -> None:
        self.kind = kind
        self.acks: list[Ack] = []
        self._topic = topic
        self._rng = Random(f"{seed}/{kind}")
        self._count = 0
        settings = {
            **RETRIES,
            "bootstrap.servers": bootstrap,
            "linger.ms": 2,
            "message.timeout.ms": MESSAGE_SECONDS_MAX * 1000,
            **KINDS[kind],
        }
        self._ledger = ProducerLedger(directory, topic=topic)
        self._producer = self._ledger.wrap(Producer(settings), settings)
        self._is_ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=kind, daemon=True)

    @property
    def needs_all(self) -> bool:
        """Whether the whole ISR acknowledges its messages."""
        return bool(KINDS[self.kind]["acks"] == "all")

    def start(self) -> None:
        self._thread.start()

    def end(self, seconds_max: float) -> int:
        """Stop sending, wait for the outcome of every message, and return how many have none."""
        self._is_ending.set()
        self._thread.join()
        left = int(self._producer.flush(seconds_max))
        self._ledger.close()
        return left

    def _run(self) -> None:
        while not self._is_ending.is_set():
            for _ in range(SEND_EACH):
                self._send()
            self._producer.poll(PAUSE_SECONDS)
            while len(self._producer) > IN_FLIGHT_MAX and not self._is_ending.is_set():
                self._producer.poll(PAUSE_SECONDS)

    def _send(self) -> None:
        partition = self._rng.randrange(PARTITIONS)
        value = f"{self.kind}-{self._count}-".encode().ljust(self._rng.randrange(24, 400), b".")
        self._count += 1
        on_delivery = partial(self._on_outcome, time.monotonic())
        self._producer.produce(self._topic, value, partition=partition, on_delivery=on_delivery)

    def _on_outcome(self, sent_at: float, error: KafkaError | None, message: Message) -> None:
        partition = message.partition()
        if error is None and partition is not None:
            self.acks.append(Ack(partition, sent_at, time.monotonic()))


class GroupReader:
    """A member of a group with its ledger, which reads while the faults happen."""

    def __init__(self, directory: Path, bootstrap: str, topic: str, group: str) -> None:
        settings = {
            **RETRIES,
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "session.timeout.ms": 6_000,
        }
        self.ledger = ConsumerLedger(directory, topic=topic, group=group)
        self._consumer = self.ledger.wrap(Consumer(settings), settings)
        self._consumer.subscribe([topic])
        self._is_ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=group, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Stop reading, and leave the group if a broker answers: without one, leaving waits for ever."""
        self._is_ending.set()
        self._thread.join()
        leaving = threading.Thread(target=self._consumer.close, name="leaving", daemon=True)
        leaving.start()
        leaving.join(LEAVE_SECONDS_MAX)
        self.ledger.close()

    def _run(self) -> None:
        while not self._is_ending.is_set():
            try:
                # One record at a time: the ledger stamps a delivery when the call returns, and a rebalance inside a
                # call for many records would lie before deliveries that came before it.
                self._consumer.poll(0.2)
            except KafkaException:
                # The ledger records the errors of messages; the reader goes on.
                continue
