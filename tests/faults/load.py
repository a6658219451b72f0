"""Producers that never stop sending, and the account of what they were told: who survives what is judged by it."""

import threading
import time
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from confluent_kafka import KafkaError, Message, Producer

from chronik.records.iterate import StoredRecord
from tests.regressions.wire import Wire

PATIENT = {
    "reconnect.backoff.ms": 10,
    "reconnect.backoff.max.ms": 100,
    "retry.backoff.ms": 20,
    "retry.backoff.max.ms": 200,
    "message.timeout.ms": 60_000,
    "linger.ms": 1,
    "batch.num.messages": 50,
}
"""A producer that lives through a restart of the broker, in batches so small that a kill falls between many."""
IN_FLIGHT_MAX = 300
PAUSE_SECONDS = 0.01


class SendingProducer:
    """One producer in a thread of its own, with an id in each value."""

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        partitions: int,
        name: str,
        settings: Mapping[str, Any],
        *,
        value_bytes_max: int,
        seed: int,
    ) -> None:
        self.name = name
        self.is_idempotent = bool(settings.get("enable.idempotence", False))
        self.sent: set[bytes] = set()
        self.acknowledged: dict[bytes, tuple[int, int]] = {}
        self.failed: list[str] = []
        self._topic = topic
        self._partitions = partitions
        self._value_bytes_max = value_bytes_max
        self._dice = Random(seed)
        self._producer = Producer({"bootstrap.servers": bootstrap, **PATIENT, **settings})
        self._is_ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name)

    def start(self) -> None:
        self._thread.start()

    def end(self, seconds_max: float) -> None:
        """Stop sending, and wait until everything that was sent has its outcome."""
        self._is_ending.set()
        self._thread.join()
        assert self._producer.flush(seconds_max) == 0, f"{self.name}: not everything has an outcome"
        assert self.failed == [], f"{self.name}: {self.failed[:3]}"

    def _run(self) -> None:
        number = 0
        while not self._is_ending.is_set():
            for _ in range(20):
                value = f"{self.name}-{number}".encode().ljust(self._dice.randrange(20, self._value_bytes_max), b".")
                number += 1
                self.sent.add(value)
                self._producer.produce(
                    self._topic, value, partition=self._dice.randrange(self._partitions), on_delivery=self._on_outcome
                )
            self._producer.poll(PAUSE_SECONDS)
            while len(self._producer) > IN_FLIGHT_MAX and not self._is_ending.is_set():
                self._producer.poll(0.05)

    def _on_outcome(self, error: KafkaError | None, message: Message) -> None:
        value = message.value()
        assert value is not None
        if error is not None:
            self.failed.append(str(error))
            return
        partition, offset = message.partition(), message.offset()
        assert partition is not None
        assert offset is not None
        self.acknowledged[value] = (partition, offset)


class Load:
    """Several producers on one topic."""

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        partitions: int,
        kinds: list[Mapping[str, Any]],
        *,
        value_bytes_max: int = 400,
        seed: int,
    ) -> None:
        self.topic = topic
        self.partitions = partitions
        self.producers = [
            SendingProducer(
                bootstrap, topic, partitions, f"p{index}", kind, value_bytes_max=value_bytes_max, seed=seed + index
            )
            for index, kind in enumerate(kinds)
        ]

    def __enter__(self) -> "Load":
        for producer in self.producers:
            producer.start()
        return self

    def __exit__(self, *_: object) -> None:
        for producer in self.producers:
            producer._is_ending.set()
            producer._thread.join()

    def end(self, seconds_max: float = 60.0) -> None:
        for producer in self.producers:
            producer.end(seconds_max)

    def await_progress(self, messages: int, seconds_max: float = 60.0) -> None:
        """Wait until each producer has had so many more acknowledgements."""
        goals = [(producer, len(producer.acknowledged) + messages) for producer in self.producers]
        deadline = time.monotonic() + seconds_max
        for producer, goal in goals:
            while len(producer.acknowledged) < goal:
                assert time.monotonic() < deadline, (
                    f"{producer.name}: no {messages} acknowledgements in {seconds_max} s"
                )
                time.sleep(0.005)

    def check(self, wire: Wire) -> int:
        """Compare the account with what the broker has, by identity and offset; gives the number of records."""
        stored = {partition: wire.read_all(self.topic, partition=partition) for partition in range(self.partitions)}
        for partition, records in stored.items():
            assert [record.offset for record in records] == list(range(len(records))), f"partition {partition}"
        for producer in self.producers:
            _check_producer(producer, stored)
        known = set().union(*(producer.sent for producer in self.producers))
        read = {record.value for records in stored.values() for record in records}
        assert read <= known, f"never sent: {sorted(map(str, read - known))[:3]}"
        return sum(map(len, stored.values()))


def _check_producer(producer: SendingProducer, stored: Mapping[int, list[StoredRecord]]) -> None:
    for value, (partition, offset) in producer.acknowledged.items():
        records = stored[partition]
        assert offset < len(records), f"{value!r} was acknowledged at {partition}:{offset}; the log ends there"
        # Without idempotence a retry whose first try was written is told the offset of its second.
        assert records[offset].value == value, f"{value!r} was acknowledged at {partition}:{offset}"
    if producer.is_idempotent:
        counts = Counter(record.value for records in stored.values() for record in records)
        wrong = {value: counts[value] for value in producer.sent if counts[value] != 1}
        assert not wrong, f"{producer.name} is idempotent; not exactly once: {list(wrong.items())[:3]}"
