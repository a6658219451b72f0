"""An idempotent producer with several requests under way while leaders move: stored once, in order, in one epoch.

librdkafka begins a new epoch when it is told of a gap, and sends again what it has no answer for: what stood in the log
by then stands there twice. And it takes an answer for one to all requests before it, whose offsets it never learns.
"""

import asyncio
import threading
from collections import Counter
from itertools import cycle

import pytest
from confluent_kafka import KafkaError, Message, Producer

from chronik.client.connection import BrokerConnection
from chronik.client.settings import ClientSettings
from chronik.protocol.generated.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignableTopic,
)
from chronik.protocol.generated.elect_leaders import ElectLeadersRequest, ElectLeadersResponse, TopicPartitions
from chronik.testing import ClusterProcess
from tests.cluster.conftest import StartCluster
from tests.cluster.replicas import contents_of, leader_of
from tests.regressions.processes import wait_until

MOVES = 40
TIMEOUT_MS = 30_000
WAIT_S = 60.0
PREFERRED = 0
SIZE_BYTES = 20_000
"""So large that a flight takes the broker several reads, between which it may come to lead."""
SETTINGS = {
    "enable.idempotence": True,
    # One record to a request: only then does librdkafka keep several requests under way.
    "batch.num.messages": 1,
    "linger.ms": 0,
    "retry.backoff.ms": 20,
    "topic.metadata.refresh.fast.interval.ms": 20,
}


class Sending:
    """A producer in a thread, and what it was told."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self.sent: list[bytes] = []
        self.acknowledged: list[tuple[bytes, int | None]] = []
        """Each message with its offset, which librdkafka does not know where it took another answer for its own."""
        self.failed: list[str] = []
        self._topic = topic
        self._producer = Producer({"bootstrap.servers": bootstrap, **SETTINGS})
        self._is_ending = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._is_ending.is_set():
            while len(self._producer) < 100:
                self.sent.append(b"%d-" % len(self.sent))
                value = self.sent[-1].ljust(SIZE_BYTES, b".")
                self._producer.produce(self._topic, value, on_delivery=self._on_outcome)
            self._producer.poll(0.01)

    def _on_outcome(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            self.acknowledged.append(((message.value() or b"").rstrip(b"."), message.offset()))
        else:
            self.failed.append(error.name())

    def end(self) -> None:
        self._is_ending.set()
        self._thread.join()
        assert self._producer.flush(WAIT_S) == 0


async def move(address: str, topic: str, replicas: list[int]) -> None:
    """Make the first of the replicas the preferred one, and elect it."""
    host, _, port = address.rpartition(":")
    connection = await BrokerConnection.open(host, int(port), ClientSettings(request_timeout_ms=TIMEOUT_MS))
    try:
        wish = ReassignableTopic(topic, [ReassignablePartition(0, replicas)])
        reassign = AlterPartitionReassignmentsRequest(timeout_ms=TIMEOUT_MS, topics=[wish])
        await connection.call(reassign, AlterPartitionReassignmentsResponse)
        chosen = [TopicPartitions(topic, [0])]
        elect = ElectLeadersRequest(election_type=PREFERRED, topic_partitions=chosen, timeout_ms=TIMEOUT_MS)
        await connection.call(elect, ElectLeadersResponse)
    finally:
        connection.close()


def move_leader(cluster: ClusterProcess, topic: str, sending: Sending, to: int) -> None:
    nodes = list(cluster.nodes)
    known = len(sending.acknowledged)
    others = [node for node in nodes if node != to]
    asyncio.run(move(cluster.address_of(nodes[0]), topic, [to, *others]))
    wait_until(lambda: leader_of(cluster, topic) == to, WAIT_S, "the preferred replica leads")
    wait_until(lambda: len(sending.acknowledged) > known, WAIT_S, "it takes what is sent")


@pytest.mark.parametrize("forwards", [True, False], ids=["forwarding", "refusing"])
def test_leaders_that_move_cost_an_idempotent_producer_neither_copies_nor_its_epoch(
    start_cluster: StartCluster, topic_name: str, *, forwards: bool
) -> None:
    cluster = start_cluster(3, {"chronik.forward.produce": str(forwards).lower()})
    cluster.create_topic(topic_name, 1, replicas=3)
    cluster.wait_ready(in_sync=True)
    sending = Sending(cluster.bootstrap_servers, topic_name)
    try:
        for _, node in zip(range(MOVES), cycle(cluster.nodes), strict=False):
            move_leader(cluster, topic_name, sending, node)
    finally:
        sending.end()
    cluster.wait_ready(in_sync=True)

    leader = leader_of(cluster, topic_name)
    held = contents_of(cluster, leader, topic_name)
    stored = [held[offset].value.rstrip(b".") for offset in sorted(held)]
    assert not sending.failed
    assert {one: count for one, count in Counter(stored).items() if count > 1} == {}
    assert stored == sending.sent
    assert sorted(sending.acknowledged) == sorted((one, offset) for offset, one in enumerate(sending.sent))
    assert {one.producer_epoch for one in held.values()} == {0}
    # A leader may have lost its place again before anything was written in its term.
    assert len({one.leader_epoch for one in held.values()}) > MOVES // 4, "leaders have moved"
