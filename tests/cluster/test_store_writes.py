"""The metadata store's work grows with partitions and faults, not with traffic."""

import sqlite3
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer

from tests.brokers import BrokerProcess
from tests.conftest import StartBroker

MESSAGES = 1_000_000
WAIT_S = 100.0


class Traffic:
    """A producer and a group that reads what it sends."""

    def __init__(self, broker: BrokerProcess, topic: str) -> None:
        servers = {"bootstrap.servers": broker.bootstrap}
        self._topic = topic
        self._producer = Producer({**servers, "linger.ms": 20, "queue.buffering.max.messages": 200_000})
        self._consumer = Consumer({**servers, "group.id": topic, "auto.offset.reset": "earliest"})
        self._consumer.subscribe([topic])
        self.failed: list[object] = []

    def send(self, number: int) -> None:
        for _ in range(number):
            while not self._is_taken():
                self._producer.poll(0.05)
        assert self._producer.flush(WAIT_S) == 0

    def read(self, number: int) -> None:
        while number > 0:
            number -= sum(message.error() is None for message in self._consumer.consume(10_000, 1.0))
        self._consumer.commit(asynchronous=False)

    def close(self) -> None:
        self._consumer.close()

    def _is_taken(self) -> bool:
        try:
            self._producer.produce(self._topic, b"m", on_delivery=self._on_delivery)
        except BufferError:
            return False
        return True

    def _on_delivery(self, error: object, _message: object) -> None:
        if error is not None:
            self.failed.append(error)


def revision(store: Path) -> int:
    with sqlite3.connect(store) as sql:
        return int(sql.execute("SELECT revision FROM counters").fetchone()[0])


@pytest.mark.timeout(300)
def test_million_messages_and_a_group_that_reads_them_write_nothing_to_the_store(
    start_broker: StartBroker, topic_name: str
) -> None:
    broker = start_broker()
    traffic = Traffic(broker, topic_name)
    # The first message makes the topic, and the first commit that of the offsets.
    traffic.send(1)
    traffic.read(1)
    store = broker.data / "metadata.db"
    before = revision(store)
    assert before > 0
    traffic.send(MESSAGES)
    traffic.read(MESSAGES)
    assert traffic.failed == []
    assert revision(store) == before
    traffic.close()
