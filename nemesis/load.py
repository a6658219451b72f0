"""Clients of one round: producers that never stop sending, a group that reads along, and what each was told."""

import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from nemesis.plan import PARTITIONS

PATIENT = {
    "reconnect.backoff.ms": 20,
    "reconnect.backoff.max.ms": 500,
    # A broker that is cut off or paused is given up in seconds, not in a minute.
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
READ_SECONDS_MAX = 60.0
LEAVE_SECONDS_MAX = 30.0


@dataclass(frozen=True, slots=True)
class Sent:
    """A message and the moment in which it was handed to the client."""

    id: bytes
    partition: int
    at: float


UNTOLD = -1


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """Where a message lies, as the broker said, and when it said so.

    The offset is untold where librdkafka takes the answer to a later request for an answer to this one.
    """

    partition: int
    offset: int
    sent_at: float
    at: float


@dataclass(frozen=True, slots=True)
class Stored:
    """A message as a reader found it."""

    partition: int
    offset: int
    id: bytes


class Sender:
    """One producer in a thread of its own, with an id in each value."""

    def __init__(self, bootstrap: str, topic: str, kind: str, seed: str) -> None:
        self.kind = kind
        self.sent: dict[bytes, Sent] = {}
        self.acknowledged: dict[bytes, Acknowledged] = {}
        self.failed: dict[bytes, str] = {}
        self._topic = topic
        self._dice = Random(f"{seed}/{kind}")
        settings = {"bootstrap.servers": bootstrap, "linger.ms": 2, "message.timeout.ms": MESSAGE_SECONDS_MAX * 1000}
        self._producer = Producer({**PATIENT, **settings, **KINDS[kind]})
        self._is_ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=kind, daemon=True)

    @property
    def is_for_all(self) -> bool:
        """Whether its acknowledgements are promises of the cluster, and not of one broker."""
        return bool(KINDS[self.kind]["acks"] == "all")

    @property
    def is_idempotent(self) -> bool:
        return bool(KINDS[self.kind].get("enable.idempotence", False))

    def start(self) -> None:
        self._thread.start()

    def end(self, seconds_max: float) -> int:
        """Stop sending, wait until everything has its outcome, and give how many have none."""
        self._is_ending.set()
        self._thread.join()
        return self._producer.flush(seconds_max)

    def _run(self) -> None:
        while not self._is_ending.is_set():
            for _ in range(SEND_EACH):
                self._send()
            self._producer.poll(PAUSE_SECONDS)
            while len(self._producer) > IN_FLIGHT_MAX and not self._is_ending.is_set():
                self._producer.poll(PAUSE_SECONDS)

    def _send(self) -> None:
        partition = self._dice.randrange(PARTITIONS)
        value = f"{self.kind}-{len(self.sent)}-".encode().ljust(self._dice.randrange(24, 400), b".")
        self.sent[value] = Sent(value, partition, time.monotonic())
        self._producer.produce(self._topic, value, partition=partition, on_delivery=self._on_outcome)

    def _on_outcome(self, error: KafkaError | None, message: Message) -> None:
        value = message.value()
        assert value is not None
        if error is not None:
            self.failed[value] = error.name()
            return
        partition, offset = message.partition(), message.offset()
        assert partition is not None
        offset = UNTOLD if offset is None else offset
        self.acknowledged[value] = Acknowledged(partition, offset, self.sent[value].at, time.monotonic())


class GroupReader:
    """A member of a group that reads along, whatever happens."""

    def __init__(self, bootstrap: str, topic: str, group: str) -> None:
        self.read: list[Stored] = []
        self.complaints: dict[str, int] = defaultdict(int)
        settings = {"group.id": group, "auto.offset.reset": "earliest", "session.timeout.ms": 6_000}
        self._consumer = Consumer({"bootstrap.servers": bootstrap, **PATIENT, **settings})
        self._consumer.subscribe([topic])
        self._is_ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=group, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Stop reading, and leave the group if anybody answers: without a broker that would wait for ever."""
        self._is_ending.set()
        self._thread.join()
        leaving = threading.Thread(target=self._consumer.close, name="leaving", daemon=True)
        leaving.start()
        leaving.join(LEAVE_SECONDS_MAX)

    def _run(self) -> None:
        while not self._is_ending.is_set():
            try:
                messages = self._consumer.consume(500, timeout=0.2)
            except KafkaException as error:
                self.complaints[str(error)] += 1
                continue
            for message in messages:
                problem = message.error()
                if problem is not None:
                    self.complaints[problem.name()] += 1
                else:
                    self.read.append(_stored(message))


def read_all(bootstrap: str, topic: str) -> list[Stored]:
    """Read every partition from its start to the watermark that it has now."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "account", "enable.auto.commit": False, **PATIENT})
    try:
        ends = {index: _end_of(consumer, topic, index) for index in range(PARTITIONS)}
        consumer.assign([TopicPartition(topic, index, 0) for index in range(PARTITIONS)])
        return _read_to(consumer, ends)
    finally:
        consumer.close()


def _end_of(consumer: Consumer, topic: str, index: int) -> int:
    bounds = consumer.get_watermark_offsets(TopicPartition(topic, index), timeout=READ_SECONDS_MAX)
    assert bounds is not None, f"nobody tells the watermark of {topic}-{index}"
    return int(bounds[1])


def _read_to(consumer: Consumer, ends: Mapping[int, int]) -> list[Stored]:
    found: list[Stored] = []
    positions = dict.fromkeys(ends, 0)
    deadline = time.monotonic() + READ_SECONDS_MAX
    while any(positions[index] < end for index, end in ends.items()) and time.monotonic() < deadline:
        for message in consumer.consume(1_000, timeout=0.5):
            if message.error() is None:
                stored = _stored(message)
                found.append(stored)
                positions[stored.partition] = stored.offset + 1
    return found


def _stored(message: Message) -> Stored:
    partition, offset, value = message.partition(), message.offset(), message.value()
    assert partition is not None
    assert offset is not None
    return Stored(partition, offset, value or b"")
