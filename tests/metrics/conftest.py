"""A cluster that has done some of everything, and the programs that judge what it tells of itself."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from chronik.testing import ClusterProcess
from tests.conftest import _program

HTTP = {"chronik.http.listener": "127.0.0.1:0", "offsets.topic.num.partitions": 3}
QUIET = {"log_level": 0}
TOPIC, GROUP = "orders", "readers"
SENT = {0: 60, 1: 100, 2: 7}
COMMITTED = {0: 60, 1: 40, 2: 2}
LOG_STARTS = {0: 0, 1: 0, 2: 5}
"""Of partition 2 the first five records are deleted, so the committed position there has expired."""
LAGS = {0: 0, 1: 60, 2: 2}


class Watched(NamedTuple):
    """A running cluster, and which of its brokers is not the leader of partition 0."""

    cluster: ClusterProcess
    topic: str
    group: str

    @property
    def addresses(self) -> list[str]:
        return [str(broker.http_address) for broker in self.cluster.brokers.values()]


@pytest.fixture(scope="session")
def promtool() -> str:
    return _program("promtool", "apt-get install prometheus")


@pytest.fixture(scope="session")
def prometheus_program() -> str:
    return _program("prometheus", "apt-get install prometheus")


@pytest.fixture(scope="package")
def watched() -> Iterator[Watched]:
    """Three brokers with a topic, a group, and a refusal or two. It must be left running."""
    with ClusterProcess(3, HTTP) as cluster:
        cluster.create_topic(TOPIC, len(SENT), {"flush.messages": 1})
        fill(cluster)
        commit(cluster)
        expire(cluster)
        yield Watched(cluster, TOPIC, GROUP)


def fill(cluster: ClusterProcess) -> None:
    outcomes: list[object] = []
    producer = Producer({**QUIET, "bootstrap.servers": cluster.bootstrap_servers, "acks": "all"})
    for partition, count in SENT.items():
        for number in range(count):
            producer.produce(
                TOPIC, f"{number}".encode(), partition=partition, on_delivery=lambda error, _: outcomes.append(error)
            )
    producer.flush(60)
    assert outcomes == [None] * sum(SENT.values())


def commit(cluster: ClusterProcess) -> None:
    reading = {"group.id": GROUP, "auto.offset.reset": "earliest", "enable.auto.commit": False}
    consumer = Consumer({**QUIET, "bootstrap.servers": cluster.bootstrap_servers, **reading})
    try:
        consumer.subscribe([TOPIC])
        assert consumer.poll(60) is not None
        consumer.commit(
            offsets=[TopicPartition(TOPIC, each, offset) for each, offset in COMMITTED.items()], asynchronous=False
        )
        with pytest.raises(KafkaException):
            consumer.get_watermark_offsets(TopicPartition("no-such-topic", 0), timeout=10)
    finally:
        consumer.close()


def expire(cluster: ClusterProcess) -> None:
    admin = AdminClient({**QUIET, "bootstrap.servers": cluster.bootstrap_servers})
    wanted = [TopicPartition(TOPIC, each, offset) for each, offset in LOG_STARTS.items() if offset]
    for done in admin.delete_records(wanted).values():
        done.result(60)
