"""A cluster of brokers whose facts live in a real etcd of three members."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from chronik.testing import ClusterProcess
from tests.cluster.conftest import StartCluster
from tests.cluster.test_membership import leaders, members, until
from tests.conftest import missing
from tests.etcd_servers import ETCD, EtcdServers

WAIT_S = 90.0
TOPIC = "t"
PARTITIONS = 3

StartOnEtcd = Callable[[], ClusterProcess]


@pytest.fixture
def etcd(tmp_path: Path) -> Iterator[EtcdServers]:
    if ETCD is None:
        missing("etcd is not installed: apt-get install etcd-server")
    (tmp_path / "etcd").mkdir()
    with EtcdServers(tmp_path / "etcd", 3, election_ms=1_000) as servers:
        yield servers


@pytest.fixture
def cluster(etcd: EtcdServers, start_cluster: StartCluster) -> ClusterProcess:
    cluster = start_cluster(3, {"chronik.metadata.store": etcd.url})
    cluster.create_topic(TOPIC, PARTITIONS)
    return cluster.wait_ready(in_sync=True)


class Sent:
    """Messages by their ids, and which of them were acknowledged by all in-sync replicas."""

    def __init__(self, cluster: ClusterProcess) -> None:
        self._producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all", "linger.ms": 1})
        self.acknowledged: list[bytes] = []

    def send(self, ids: range) -> None:
        for number in ids:
            self._producer.produce(TOPIC, b"%d" % number, on_delivery=self._on_delivery)
        assert self._producer.flush(WAIT_S) == 0

    def _on_delivery(self, error: object, message: object) -> None:
        if error is None:
            self.acknowledged.append(message.value())  # type: ignore[attr-defined]


def await_read(cluster: ClusterProcess, wanted: list[bytes]) -> None:
    """Read until all that is wanted has come: a new leader hears from its followers what is committed."""
    # Without commits, because the topic of the groups' offsets cannot be made while a broker is missing.
    settings = {"group.id": "reader", "enable.auto.commit": False}
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, **settings})
    consumer.assign([TopicPartition(TOPIC, partition, 0) for partition in range(PARTITIONS)])
    missing, deadline = set(wanted), time.monotonic() + WAIT_S
    while missing:
        assert time.monotonic() < deadline, f"never read: {sorted(missing)[:10]}"
        missing -= {message.value() for message in consumer.consume(500, 0.5) if message.error() is None}
    consumer.close()


def test_killed_broker_is_replaced_as_leader_and_no_acknowledged_message_is_lost(cluster: ClusterProcess) -> None:
    sent = Sent(cluster)
    sent.send(range(300))
    cluster.kill(1)
    until(lambda: members(cluster, 2) == {2, 3}, "broker 1 is gone from the members")
    until(lambda: leaders(cluster, 2, TOPIC) == {2, 3}, "others lead")
    sent.send(range(300, 600))
    assert sorted(sent.acknowledged) == sorted(b"%d" % n for n in range(600))
    await_read(cluster, sent.acknowledged)


def test_brokers_serve_reads_and_acks_all_while_etcd_s_leader_is_replaced_and_elect_afterwards(
    cluster: ClusterProcess, etcd: EtcdServers
) -> None:
    sent = Sent(cluster)
    sent.send(range(100))
    etcd.kill(etcd.leader())
    sent.send(range(100, 200))
    cluster.kill(3)
    until(lambda: members(cluster, 1) == {1, 2}, "broker 3 is gone from the members")
    until(lambda: leaders(cluster, 1, TOPIC) <= {1, 2}, "others lead")
    sent.send(range(200, 300))
    assert set(sent.acknowledged) == {b"%d" % n for n in range(300)}
    await_read(cluster, sent.acknowledged)


def test_outage_of_all_etcd_leaves_reads_and_acks_all_and_ends_with_etcd_s_return(
    cluster: ClusterProcess, etcd: EtcdServers
) -> None:
    sent = Sent(cluster)
    sent.send(range(100))
    for member in range(3):
        etcd.kill(member)
    sent.send(range(100, 200))
    assert set(sent.acknowledged) == {b"%d" % n for n in range(200)}
    await_read(cluster, sent.acknowledged)
    etcd.start()
    cluster.create_topic("after")
    until(lambda: members(cluster, 1) == {1, 2, 3}, "all are members")
