"""Any broker's HTTP server tells of the whole cluster, of those that are silent or gone too."""

import os
import signal
import time
from collections.abc import Callable
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition

from chronik.testing import ClusterProcess
from tests.http.asking import document, get
from tests.http.conftest import http_of

SECONDS_MAX = 60.0


def await_told(address: str, target: str, condition: Callable[[Any], bool]) -> Any:
    """Ask until what is told is so; a broker that passes a question on may not get an answer in time."""
    deadline = time.monotonic() + SECONDS_MAX
    while not ((told := get(address, target)).status == 200 and condition(told.document)):
        assert time.monotonic() < deadline, told
        time.sleep(0.1)
    return told.document


def produce(cluster: ClusterProcess, topic: str, count: int, acks: str = "all", partitions: int = 3) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": acks})
    for number in range(count):
        producer.produce(topic, f"message {number}".encode(), partition=number % partitions)
    assert producer.flush(SECONDS_MAX) == 0


def test_every_broker_tells_the_same_of_the_whole_cluster(http_cluster: ClusterProcess) -> None:
    topic = http_cluster.create_topic("orders", 3)
    produce(http_cluster, topic, 30)
    consumer = Consumer({"bootstrap.servers": http_cluster.bootstrap_servers, "group.id": "readers"})
    consumer.commit(offsets=[TopicPartition(topic, index, 4) for index in range(3)], asynchronous=False)
    consumer.close()
    for node in http_cluster.nodes:
        address = http_of(http_cluster, node)
        told = await_told(
            address, "/api/cluster", lambda told: is_calm(told) and all_answer(told) and lags_of(told) == [18]
        )
        assert told["asked"] == node
        assert [(each["node_id"], each["up"], each["state"]) for each in told["brokers"]] == [
            (1, True, "serving"),
            (2, True, "serving"),
            (3, True, "serving"),
        ]
        assert sum(each["leads"] for each in told["brokers"]) == told["totals"]["partitions"]
        for index in range(3):
            assert_settled(
                await_told(address, f"/api/topics/orders/{index}", lambda told: len(told["replica_ends"]) == 3)
            )
            history = document(address, f"/api/topics/orders/{index}/watermarks")
            assert history["advances"][-1]["to"] == 10
        for other in (1, 2, 3):
            await_told(address, f"/api/requests?node={other}", lambda told: told["node_id"] == other)  # noqa: B023


def is_calm(told: Any) -> bool:
    """Whether nothing is wrong that clients would feel; a busy machine holds a loop up now and then."""
    return critical(told) == []


def all_answer(told: Any) -> bool:
    """Whether all brokers have answered whoever is asked; one that the machine holds up is not up for a moment."""
    return all(each["up"] for each in told["brokers"])


def lags_of(told: Any) -> list[int]:
    return [group["lag"] for group in told["groups"]]


def assert_settled(partition: Any) -> None:
    assert (partition["log_start"], partition["high_watermark"], partition["log_end"]) == (0, 10, 10)
    assert partition["replica_ends"] == {"1": 10, "2": 10, "3": 10}
    assert partition["seen_by"] == partition["leader"]
    followers = {each["node"]: each for each in partition["followers"]}
    assert set(followers) | {partition["leader"]} == {1, 2, 3}
    assert all(each["log_end"] == 10 and each["in_sync"] for each in followers.values())


def test_a_paused_follower_is_named_as_the_one_that_holds_the_watermark(http_cluster: ClusterProcess) -> None:
    topic = http_cluster.create_topic("orders", 3)
    produce(http_cluster, topic, 3)
    address = http_of(http_cluster, 1)
    await_told(address, "/api/cluster", lambda told: told["totals"]["lag"] == 0)
    led = next(each for each in document(address, "/api/partitions?topic=orders")["partitions"] if each["leader"] != 3)
    http_cluster.pause(3)
    try:
        produce_to(http_cluster, topic, led["partition"], led["leader"])
        name = f"orders-{led['partition']}"
        told = await_told(address, "/api/cluster", lambda told: has_fault(told, name, "follower 3 has not fetched for"))
        (text,) = [fault["text"] for fault in told["faults"] if fault["subject"] == name]
        assert text.startswith(f"partition {name}: watermark at {led['log_end']} for ")
    finally:
        http_cluster.resume(3)
    await_told(address, "/api/cluster", is_calm)


def produce_to(cluster: ClusterProcess, topic: str, partition: int, leader: int) -> None:
    """Write to one partition without waiting for those that follow."""
    producer = Producer({"bootstrap.servers": cluster.address_of(leader), "acks": "1"})
    producer.produce(topic, b"not committed yet", partition=partition)
    assert producer.flush(SECONDS_MAX) == 0


def has_fault(told: Any, subject: str, words: str) -> bool:
    return any(fault["subject"] == subject and words in fault["text"] for fault in told["faults"])


def critical(told: Any) -> list[str]:
    return [fault["text"] for fault in told["faults"] if fault["severity"] == "critical"]


def test_a_broker_that_is_gone_is_told_and_what_the_store_knows_of_it_stays(http_cluster: ClusterProcess) -> None:
    topic = http_cluster.create_topic("orders", 3)
    produce(http_cluster, topic, 30)
    http_cluster.kill(2)
    for node in (1, 3):
        # The in-sync sets shrink one after the other, and a while after the broker is known to be gone.
        told = await_told(
            http_of(http_cluster, node),
            "/api/cluster",
            lambda told: has_fault(told, "broker 2", "and holds") and is_under_replicated_everywhere(told),
        )
        (gone,) = [each for each in told["brokers"] if each["node_id"] == 2]
        assert (gone["up"], gone["state"], gone["memory_bytes"]) == (False, "gone", None)
        assert gone["replicas"] == told["totals"]["partitions"] == 3
        faulty = document(http_of(http_cluster, node), "/api/partitions?fault=1&topic=orders")
        assert faulty["total"] == 3
        assert get(http_of(http_cluster, node), "/api/requests?node=2").status == 404


def is_under_replicated_everywhere(told: Any) -> bool:
    return bool(told["totals"]["under_replicated"] == told["totals"]["partitions"])


def test_a_broker_that_hangs_holds_nobody_up_and_is_told_as_silent(http_cluster: ClusterProcess) -> None:
    """Its socket still takes connections, and nobody answers them."""
    os.kill(http_cluster.pid_of(3), signal.SIGSTOP)
    try:
        told = await_told(
            http_of(http_cluster, 1), "/api/cluster", lambda told: any("broker 3" in text for text in critical(told))
        )
        assert [each["node_id"] for each in told["brokers"] if not each["up"]] == [3]
        assert document(http_of(http_cluster, 1), "/live") == {"live": True}
    finally:
        os.kill(http_cluster.pid_of(3), signal.SIGCONT)


def test_partitions_of_a_silent_leader_are_counted_at_their_topic(http_cluster: ClusterProcess) -> None:
    def has_silent_leaders(told: Any) -> bool:
        return any(each["leader_silent"] for each in told["topics"])

    address = http_of(http_cluster, 1)
    http_cluster.create_topic("led-by-all", partitions=6)
    await_told(address, "/api/cluster", lambda told: told["brokers"][2]["leads"] > 0 and not has_silent_leaders(told))
    os.kill(http_cluster.pid_of(3), signal.SIGSTOP)
    try:
        told = await_told(address, "/api/cluster", has_silent_leaders)
        assert sum(each["leader_silent"] for each in told["topics"]) == told["brokers"][2]["leads"]
    finally:
        os.kill(http_cluster.pid_of(3), signal.SIGCONT)
