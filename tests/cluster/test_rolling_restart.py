"""Each broker in turn is stopped in good order and started again, under load: clients with defaults notice nothing."""

import threading
import time
from collections import Counter

from confluent_kafka import Consumer, Producer

from chronik.testing import ClusterProcess
from tests.cluster.replicas import SETTLE_SECONDS_MAX
from tests.regressions.processes import wait_until

PARTITIONS = 3


class Sender(threading.Thread):
    """Sends numbered values until it is told to stop, and keeps what became of each."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        super().__init__(daemon=True)
        self.acknowledged: list[bytes] = []
        self.failed: list[object] = []
        self.sent = 0
        self._topic = topic
        self._producer = Producer({"bootstrap.servers": bootstrap})
        self._is_over = threading.Event()

    def run(self) -> None:
        while not self._is_over.is_set():
            self._producer.produce(self._topic, b"%d" % self.sent, on_delivery=self._note)
            self.sent += 1
            self._producer.poll(0)
            time.sleep(0.002)
        self._producer.flush(60)

    def stop(self) -> None:
        self._is_over.set()
        self.join()

    def _note(self, error: object, message: object) -> None:
        if error is not None:
            self.failed.append(error)
        else:
            self.acknowledged.append(message.value())  # type: ignore[attr-defined]


def test_a_rolling_restart_fails_no_send_and_loses_nothing(cluster: ClusterProcess) -> None:
    cluster.create_topic("orders", PARTITIONS)
    sender = Sender(cluster.bootstrap_servers, "orders")
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": "readers",
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe(["orders"])
    read: Counter[bytes] = Counter()

    def read_more() -> None:
        for message in consumer.consume(500, timeout=0.2):
            if message.error() is None:
                read[message.value()] += 1

    sender.start()
    try:
        for node in cluster.nodes:
            before = len(sender.acknowledged)
            cluster.restart(node)
            cluster.wait_ready(in_sync=True)
            wait_until(lambda b=before: len(sender.acknowledged) > b, SETTLE_SECONDS_MAX, "sending goes on")  # type: ignore[misc]
            seen = len(read)
            deadline = time.monotonic() + SETTLE_SECONDS_MAX
            while len(read) == seen:
                assert time.monotonic() < deadline, "reading has stopped"
                read_more()
    finally:
        sender.stop()
    assert sender.failed == []
    assert len(sender.acknowledged) == sender.sent
    deadline = time.monotonic() + SETTLE_SECONDS_MAX
    while len(read) < sender.sent:
        assert time.monotonic() < deadline, f"{sender.sent - len(read)} messages were never read"
        read_more()
    consumer.close()
    assert set(read) == set(sender.acknowledged)
