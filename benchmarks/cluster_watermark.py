"""How long a follower takes to learn of a new watermark, while other topics are written to."""

import asyncio
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from confluent_kafka import Producer

from benchmarks.cluster_contenders import Cluster, Cpu, made_topic, topic
from benchmarks.load import InvalidMeasurementError
from benchmarks.trials import Sample
from chronik.client.connection import BrokerConnection
from chronik.client.settings import ClientSettings
from chronik.model.ids import TopicId
from chronik.protocol.constants import DEBUGGING_CONSUMER_ID
from chronik.protocol.generated.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic, ReplicaState

LEADER, FOLLOWER = 1, 2
BURST, PAUSE_S = 200, 0.01
LEARNED_S_MAX: Final = 10.0


def watermark(cluster: Cluster, samples: int) -> list[Sample]:
    """From the acknowledgement of a message by all replicas until a follower names a watermark behind it."""
    with topic(cluster, leader=LEADER) as name, _others_write(cluster), Cpu(cluster) as cpu:
        topic_id = cluster.view().topics[name].topic_id
        delays = asyncio.run(_delays(cluster, name, topic_id, samples))
    return [Sample("watermark_p50", statistics.median(delays) * 1000, cpu.seconds)]


@contextmanager
def _others_write(cluster: Cluster) -> Iterator[None]:
    """About 20,000 messages of 100 bytes per second to a topic of three partitions."""
    name, is_over = made_topic(cluster, 3), threading.Event()
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all", "linger.ms": 5})

    def write() -> None:
        while not is_over.wait(PAUSE_S):
            for _ in range(BURST):
                producer.produce(name, b"x" * 100)
            producer.poll(0)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        is_over.set()
        writer.join()
        producer.flush(30)


async def _delays(cluster: Cluster, name: str, topic_id: TopicId, samples: int) -> list[float]:
    host, _, port = cluster.address_of(FOLLOWER).rpartition(":")
    connection = await BrokerConnection.open(host, int(port), ClientSettings(client_id="bench"))
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all", "linger.ms": 0})
    try:
        return [await _delay(connection, producer, name, topic_id, number + 1) for number in range(samples)]
    finally:
        connection.close()


async def _delay(connection: BrokerConnection, producer: Producer, name: str, topic_id: TopicId, end: int) -> float:
    producer.produce(name, b"x" * 100, partition=0)
    if producer.flush(LEARNED_S_MAX):
        raise InvalidMeasurementError("a message was not acknowledged")
    acknowledged = time.monotonic()
    while await _watermark_of(connection, topic_id, end) < end:
        if time.monotonic() - acknowledged > LEARNED_S_MAX:
            raise InvalidMeasurementError(f"the follower does not know of offset {end - 1}")
    return time.monotonic() - acknowledged


async def _watermark_of(connection: BrokerConnection, topic_id: TopicId, end: int) -> int:
    asked = FetchPartition(partition=0, fetch_offset=end - 1, partition_max_bytes=1)
    request = FetchRequest(
        replica_state=ReplicaState(DEBUGGING_CONSUMER_ID),
        max_wait_ms=0,
        session_epoch=-1,
        topics=[FetchTopic(topic_id=topic_id, partitions=[asked])],
    )
    response = await connection.call(request, FetchResponse)
    return response.responses[0].partitions[0].high_watermark
