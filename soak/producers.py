"""Producers of three libraries with ledgers, at a steady pace."""

import asyncio
import itertools
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from aiokafka import AIOKafkaProducer  # type: ignore[import-untyped]
from confluent_kafka import Producer
from kafka import KafkaProducer  # type: ignore[import-untyped]

from chronik.audit.ledger.producer import ProducerLedger
from soak.ledgers import run_directory
from soak.plan import MESSAGES_PER_SECOND_EACH, PARTITIONS, Client, Library

VALUE_BYTES = 200
PAUSE_SECONDS = 1 / MESSAGES_PER_SECOND_EACH
FLUSH_SECONDS_MAX = 30


class Sending:
    """One producer's task."""

    def __init__(self, client: Client, bootstrap: str, ledger: ProducerLedger, ending: threading.Event) -> None:
        self.client = client
        self.bootstrap = bootstrap
        self.ledger = ledger
        self.ending = ending

    def messages(self) -> Iterator[tuple[bytes, int]]:
        """Yield values with their partitions, until it is time to end."""
        for number in itertools.count():
            if self.ending.is_set():
                return
            yield f"{self.client.name}-{number}".encode().ljust(VALUE_BYTES), number % PARTITIONS


def produce(client: Client, bootstrap: str, directory: Path, ending: threading.Event) -> None:
    """Send until it is time to end, and wait for the outcome of every message."""
    with ProducerLedger(run_directory(directory, client.topic), topic=client.topic) as ledger:
        sending = Sending(client, bootstrap, ledger, ending)
        match client.library:
            case Library.CONFLUENT:
                _produce_confluent(sending)
            case Library.KAFKA_PYTHON:
                _produce_kafka_python(sending)
            case Library.AIOKAFKA:
                asyncio.run(_produce_aiokafka(sending))


def _produce_confluent(sending: Sending) -> None:
    settings = {"bootstrap.servers": sending.bootstrap, "client.id": sending.client.name, "enable.idempotence": True}
    producer = sending.ledger.wrap(Producer(settings), settings)
    for value, partition in sending.messages():
        producer.produce(sending.client.topic, value, partition=partition)
        # Delivery reports are served meanwhile: poll returns at the first one.
        due = time.monotonic() + PAUSE_SECONDS
        while (left := due - time.monotonic()) > 0:
            producer.poll(left)
    producer.flush(FLUSH_SECONDS_MAX)


def _produce_kafka_python(sending: Sending) -> None:
    client = KafkaProducer(bootstrap_servers=sending.bootstrap, client_id=sending.client.name, linger_ms=5)
    producer = sending.ledger.wrap(client)
    for value, partition in sending.messages():
        producer.send(sending.client.topic, value, partition=partition)
        sending.ending.wait(PAUSE_SECONDS)
    producer.flush(FLUSH_SECONDS_MAX)
    producer.close(FLUSH_SECONDS_MAX)


async def _produce_aiokafka(sending: Sending) -> None:
    settings = {"client_id": sending.client.name, "enable_idempotence": True, "acks": "all"}
    client = AIOKafkaProducer(bootstrap_servers=sending.bootstrap, **settings)
    producer = sending.ledger.wrap(client, settings)
    await producer.start()
    try:
        for value, partition in sending.messages():
            await producer.send_and_wait(sending.client.topic, value, partition=partition)
            await asyncio.sleep(PAUSE_SECONDS)
    finally:
        await producer.stop()
