"""Three real brokers: what is acknowledged is on every replica, and a replica that lacks it mends itself first."""

import shutil
import sqlite3
from collections import Counter

from confluent_kafka import Consumer, Producer, TopicPartition

from chronik.protocol.constants import DEBUGGING_CONSUMER_ID
from chronik.testing import ClusterProcess
from tests.cluster.conftest import StartCluster
from tests.cluster.replicas import (
    SETTLE_SECONDS_MAX,
    await_committed,
    await_in_sync,
    await_same_logs,
    flip_a_byte,
    leader_of,
    log_end,
    segments_of,
)
from tests.regressions.librdkafka import read_partition, send_all, values_read
from tests.regressions.processes import wait_until
from tests.regressions.wire import Wire, stored_records, values_of

VALUES = [b"value-%05d" % number for number in range(2_000)]


def read_all(cluster: ClusterProcess, topic: str, partition: int = 0) -> Counter[bytes]:
    """Read all that replicas hold, when it is committed: a reader is given no more."""
    await_committed(cluster, topic, partition)
    return values_read(read_partition(cluster.bootstrap_servers, topic, partition))


def test_what_is_acknowledged_by_all_is_on_every_replica_byte_for_byte(cluster: ClusterProcess) -> None:
    """Rules 9, 16, 17: every follower's log end advances, and the answer came after them."""
    cluster.create_topic("orders", 1)
    acknowledged = send_all(cluster.bootstrap_servers, "orders", VALUES)
    assert {log_end(cluster, node, "orders") for node in cluster.nodes} == {len(VALUES)}
    await_same_logs(cluster, "orders")
    assert sorted(acknowledged.values()) == list(range(len(VALUES)))
    assert read_all(cluster, "orders") == Counter(VALUES)
    follower = next(node for node in cluster.nodes if node != leader_of(cluster, "orders"))
    with Wire(cluster.address_of(follower)) as wire:
        stored = values_of(stored_records(wire.fetch("orders", 0, replica_id=DEBUGGING_CONSUMER_ID).records))
    assert stored == VALUES[: len(stored)]
    assert stored


def test_the_store_is_not_written_for_what_is_produced(start_cluster: StartCluster) -> None:
    """Rule 10, with three replicas; one broker is sent a million in ``test_store_writes``."""
    # What the store is told when a busy machine holds up a broker or a follower is not what is produced.
    cluster = start_cluster(3, {"broker.session.timeout.ms": 600_000, "replica.lag.time.max.ms": 600_000})
    cluster.create_topic("traffic", 3)
    send_all(cluster.bootstrap_servers, "traffic", VALUES)
    cluster.wait_ready(in_sync=True)
    before = _revision(cluster)
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all", "linger.ms": 20})
    failed: list[object] = []
    for _ in range(100_000):
        while True:
            try:
                producer.produce("traffic", b"x", on_delivery=lambda error, _: failed.append(error) if error else None)
                break
            except BufferError:
                producer.poll(0.05)
    assert producer.flush(120) == 0
    assert failed == []
    assert _revision(cluster) == before


def _revision(cluster: ClusterProcess) -> int:
    with sqlite3.connect(cluster.directory / "metadata.db") as store:
        revision: int = store.execute("SELECT revision FROM counters").fetchone()[0]
    return revision


def test_records_of_a_leader_that_nobody_copied_are_cut_when_it_follows_again(cluster: ClusterProcess) -> None:
    """KIP-101: acknowledged by the leader alone and lost with it, and no replica keeps them at offsets of others."""
    cluster.create_topic("orders", 1)
    send_all(cluster.bootstrap_servers, "orders", VALUES[:100])
    leader = leader_of(cluster, "orders")
    followers = [node for node in cluster.nodes if node != leader]
    for node in followers:
        cluster.pause(node)
    with Wire(cluster.address_of(leader)) as wire:
        # The first answers the fetches that hang on the partition, and may be copied when the followers wake.
        assert wire.append("orders", b"on its way", acks=1) == 100
        assert wire.append("orders", b"alone-1", b"alone-2", acks=1) == 101
    cluster.kill(leader)
    for node in followers:
        cluster.resume(node)
    wait_until(lambda: leader_of(cluster, "orders") in followers, SETTLE_SECONDS_MAX, "a follower leads")
    send_all(cluster.bootstrap_servers, "orders", VALUES[100:200])
    cluster.start(leader)
    await_in_sync(cluster, "orders", set(cluster.nodes))
    await_same_logs(cluster, "orders")
    found = read_all(cluster, "orders")
    del found[b"on its way"]
    assert found == Counter(VALUES[:200])
    assert "orders-0: truncating from offset 103 to 10" in cluster.brokers[leader].log_text


def test_a_broker_whose_disk_was_wiped_copies_everything_before_it_counts(cluster: ClusterProcess) -> None:
    """Rule 45: what it had promised to hold is gone, so it may not be counted on its old offsets."""
    cluster.create_topic("orders", 1)
    send_all(cluster.bootstrap_servers, "orders", VALUES[:1_000])
    wiped = leader_of(cluster, "orders")
    cluster.kill(wiped)
    shutil.rmtree(cluster.brokers[wiped].directory / "data")
    send_all(cluster.bootstrap_servers, "orders", VALUES[1_000:])
    cluster.start(wiped)
    await_in_sync(cluster, "orders", set(cluster.nodes))
    await_same_logs(cluster, "orders")
    others = [node for node in cluster.nodes if node != wiped]
    cluster.kill(*others)
    cluster.start(*others)
    cluster.wait_ready()
    assert read_all(cluster, "orders") == Counter(VALUES)


def test_a_replica_with_a_damaged_log_mends_itself_from_its_peers(start_cluster: StartCluster) -> None:
    """Rule 45: damage above the recovery point, found at the start; in the store it still passes for in sync."""
    cluster = start_cluster()
    cluster.create_topic("orders", 1)
    send_all(cluster.bootstrap_servers, "orders", VALUES)
    damaged = leader_of(cluster, "orders")
    cluster.kill()
    path = segments_of(cluster, damaged, "orders")[0]
    flip_a_byte(path, path.stat().st_size // 2)
    # Before the others, who would take it out of the sets as dead: then nobody counts on what it has lost.
    cluster.start(damaged)
    cluster.start()
    await_in_sync(cluster, "orders", set(cluster.nodes))
    await_same_logs(cluster, "orders")
    assert read_all(cluster, "orders") == Counter(VALUES)
    assert "it had reported" in cluster.brokers[damaged].log_text


def test_a_leader_that_finds_damage_lets_another_lead_and_copies_it_anew(cluster: ClusterProcess) -> None:
    """Rule 45: damage in what is being served; the consumer reads on from somebody else."""
    cluster.create_topic("orders", 1)
    send_all(cluster.bootstrap_servers, "orders", VALUES)
    # Whoever leads next gives the consumer all of it at once.
    await_committed(cluster, "orders", everywhere=True)
    damaged = leader_of(cluster, "orders")
    path = segments_of(cluster, damaged, "orders")[0]
    flip_a_byte(path, path.stat().st_size // 2)
    assert values_read(read_partition(cluster.bootstrap_servers, "orders")) == Counter(VALUES)
    await_in_sync(cluster, "orders", set(cluster.nodes))
    await_same_logs(cluster, "orders")


def test_a_topic_deleted_and_made_again_is_another_one_on_every_broker(cluster: ClusterProcess) -> None:
    """Rule 58."""
    cluster.create_topic("orders", 3)
    send_all(cluster.bootstrap_servers, "orders", VALUES[:300])
    victim = cluster.nodes[-1]
    cluster.kill(victim)
    with Wire(cluster.address_of(cluster.nodes[0])) as wire:
        wire.delete_topic("orders")
    wait_until(lambda: "orders" not in cluster.view().topics, SETTLE_SECONDS_MAX, "the topic is gone")
    cluster.start(victim)
    cluster.wait_ready()
    cluster.create_topic("orders", 3)
    send_all(cluster.bootstrap_servers, "orders", VALUES[300:600])
    cluster.wait_ready(in_sync=True)
    assert sum((read_all(cluster, "orders", index) for index in range(3)), Counter()) == Counter(VALUES[300:600])


def test_positions_of_groups_move_with_their_coordinator(cluster: ClusterProcess) -> None:
    """Rule 47: all brokers name the same coordinator, and what was committed outlives it."""
    cluster.create_topic("orders", 1)
    send_all(cluster.bootstrap_servers, "orders", VALUES[:100])
    settings = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "readers", "enable.auto.commit": False}
    consumer = Consumer(settings)
    consumer.commit(offsets=[TopicPartition("orders", 0, 42)], asynchronous=False)
    consumer.close()
    everybody = cluster.nodes
    wait_until(
        lambda: _coordinator(cluster, "readers", everybody) in everybody, SETTLE_SECONDS_MAX, "all name the same"
    )
    coordinator = _coordinator(cluster, "readers", everybody)
    cluster.kill(coordinator)
    left = [node for node in cluster.nodes if node != coordinator]
    wait_until(lambda: _coordinator(cluster, "readers", left) in left, SETTLE_SECONDS_MAX, "another coordinates")
    consumer = Consumer(settings)
    assert consumer.committed([TopicPartition("orders", 0)], timeout=60)[0].offset == 42
    consumer.commit(offsets=[TopicPartition("orders", 0, 43)], asynchronous=False)
    consumer.close()


def _coordinator(cluster: ClusterProcess, group: str, nodes: list[int]) -> int:
    named = set()
    for node in nodes:
        with Wire(cluster.address_of(node)) as wire:
            named.add(wire.coordinator_of(group))
    return named.pop() if len(named) == 1 else -1


def test_an_idempotent_producer_goes_on_across_changes_of_the_leader_without_a_second_offset(
    cluster: ClusterProcess,
) -> None:
    """Rules 51, 52: the sequence state moves with the partition."""
    cluster.create_topic("orders", 1)
    acknowledged: dict[bytes, int] = {}
    errors: list[object] = []

    def delivered(error: object, message: object) -> None:
        if error is not None:
            errors.append(error)
        else:
            acknowledged[message.value()] = message.offset()  # type: ignore[attr-defined]

    producer = Producer(
        {"bootstrap.servers": cluster.bootstrap_servers, "enable.idempotence": True, "linger.ms": 1, "acks": "all"}
    )
    for number, value in enumerate(VALUES):
        producer.produce("orders", value, on_delivery=delivered)
        producer.poll(0.001)
        if number in (500, 1_200):
            leader = leader_of(cluster, "orders")
            cluster.restart(leader, kill=True)
    assert producer.flush(90) == 0
    assert errors == []
    assert sorted(acknowledged.values()) == list(range(len(VALUES)))
    assert read_all(cluster, "orders") == Counter(VALUES)
    await_in_sync(cluster, "orders", set(cluster.nodes))
    await_same_logs(cluster, "orders")
