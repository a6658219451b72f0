"""What a test needs to look at replicas: who leads, what each broker's own log holds, how to damage it."""

import asyncio
from pathlib import Path
from typing import NamedTuple

from chronik.client.connection import BrokerConnection
from chronik.client.errors import ClientError
from chronik.client.settings import ClientSettings
from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.constants import DEBUGGING_CONSUMER_ID, FETCH_LAST_VERSION_BY_NAME, LATEST_TIMESTAMP
from chronik.protocol.generated.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from chronik.protocol.generated.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from chronik.records.batch import walk
from chronik.records.iterate import records_of
from chronik.testing import ClusterProcess
from tests.regressions.processes import wait_until
from tests.regressions.wire import Wire

SETTLE_SECONDS_MAX = 60.0
FETCH_BYTES_MAX = 4 * 1024 * 1024


def leader_of(cluster: ClusterProcess, topic: str, partition: int = 0) -> int:
    """Name the broker that leads, as any of them tells."""
    leader: int = cluster.view().topics[topic].partitions[partition].leader
    return leader


def in_sync(cluster: ClusterProcess, topic: str, partition: int = 0) -> set[int]:
    """Name the brokers that are in sync."""
    return set(cluster.view().topics[topic].partitions[partition].isr)


def log_end(cluster: ClusterProcess, node: int, topic: str, partition: int = 0) -> int:
    """Give the end of one broker's own log, whoever leads."""
    asked = ListOffsetsTopic(topic, [ListOffsetsPartition(partition, timestamp=LATEST_TIMESTAMP)])
    with Wire(cluster.address_of(node)) as wire:
        answer = wire.call(ApiKey.LIST_OFFSETS, 7, ListOffsetsRequest(DEBUGGING_CONSUMER_ID, 0, [asked]))
    found = answer.topics[0].partitions[0]
    assert found.error_code == ErrorCode.NONE, found
    end: int = found.offset
    return end


def high_watermark(cluster: ClusterProcess, node: int, topic: str, partition: int = 0) -> int:
    """Give the end of what one broker knows as committed, whoever leads."""
    with Wire(cluster.address_of(node)) as wire:
        found = wire.fetch(topic, 0, partition=partition, replica_id=DEBUGGING_CONSUMER_ID, partition_max_bytes=1)
    assert found.error_code == ErrorCode.NONE, found
    return found.high_watermark


def await_committed(cluster: ClusterProcess, topic: str, partition: int = 0, *, everywhere: bool = False) -> None:
    """Wait until the leader, or every running broker, knows all that the leader holds as committed.

    A new leader hears of it with the next fetches of its followers; until then readers are given less.
    """

    def is_committed() -> bool:
        try:
            leader = leader_of(cluster, topic, partition)
            asked = cluster.running if everywhere else [leader]
            end = log_end(cluster, leader, topic, partition)
            return all(high_watermark(cluster, node, topic, partition) == end for node in asked)
        except (AssertionError, ClientError, EOFError, KeyError, OSError):
            # Nobody leads, or whoever should has not heard of it yet.
            return False

    wait_until(is_committed, SETTLE_SECONDS_MAX, f"all of {topic}-{partition} is known as committed")


def segments_of(cluster: ClusterProcess, node: int, topic: str, partition: int = 0) -> list[Path]:
    """Give the segment files of one broker's replica, in order."""
    directory = cluster.brokers[node].directory / "data" / f"{topic}-{partition}"
    return sorted(directory.glob("*.log"))


def stored_bytes(cluster: ClusterProcess, node: int, topic: str, partition: int = 0) -> bytes:
    """Give all that one broker has stored of a partition."""
    return b"".join(path.read_bytes() for path in segments_of(cluster, node, topic, partition))


def await_same_logs(cluster: ClusterProcess, topic: str, partition: int = 0) -> bytes:
    """Wait until every running broker holds the same bytes, and give them."""

    def are_same() -> bool:
        return len({stored_bytes(cluster, node, topic, partition) for node in cluster.running}) == 1

    wait_until(are_same, SETTLE_SECONDS_MAX, f"all replicas of {topic}-{partition} hold the same bytes")
    return stored_bytes(cluster, cluster.running[0], topic, partition)


def await_in_sync(cluster: ClusterProcess, topic: str, nodes: set[int], partition: int = 0) -> None:
    """Wait until exactly these brokers are in sync."""
    wait_until(
        lambda: in_sync(cluster, topic, partition) == nodes, SETTLE_SECONDS_MAX, f"{nodes} are in sync of {topic}"
    )


def flip_a_byte(path: Path, position: int) -> None:
    """Damage one byte of a file."""
    with path.open("r+b") as file:
        file.seek(position)
        byte = file.read(1)
        file.seek(position)
        file.write(bytes([byte[0] ^ 0xFF]))


class HeldRecord(NamedTuple):
    """A record as a replica holds it, with its producer and the leader epoch that wrote it."""

    value: bytes
    producer: int
    producer_epoch: int
    sequence: int
    leader_epoch: int


def contents_of(cluster: ClusterProcess, node: int, topic: str, partition: int = 0) -> dict[int, HeldRecord]:
    """Read one broker's own log by offset, whichever broker leads."""
    return asyncio.run(_contents(cluster.address_of(node), topic, partition))


async def _contents(address: str, topic: str, partition: int) -> dict[int, HeldRecord]:
    host, _, port = address.rpartition(":")
    connection = await BrokerConnection.open(host, int(port), ClientSettings(request_timeout_ms=10_000))
    try:
        found: dict[int, HeldRecord] = {}
        while batch := await _fetch(connection, topic, partition, max(found, default=-1) + 1):
            found.update(batch)
        return found
    finally:
        connection.close()


async def _fetch(connection: BrokerConnection, topic: str, partition: int, offset: int) -> dict[int, HeldRecord]:
    asked = FetchPartition(partition=partition, fetch_offset=offset, partition_max_bytes=FETCH_BYTES_MAX)
    request = FetchRequest(
        replica_id=DEBUGGING_CONSUMER_ID,
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=FETCH_BYTES_MAX,
        session_epoch=-1,
        topics=[FetchTopic(topic=topic, partitions=[asked])],
    )
    answer = await connection.call(request, FetchResponse, version=FETCH_LAST_VERSION_BY_NAME)
    (found,) = answer.responses[0].partitions
    assert found.error_code == 0, f"{connection.where} refuses {topic}-{partition}: {found.error_code}"
    data = memoryview(found.records or b"")
    return {
        record.offset: HeldRecord(
            record.value or b"",
            header.producer_id,
            header.producer_epoch,
            header.base_sequence + record.offset - header.base_offset if header.producer_id >= 0 else -1,
            header.partition_leader_epoch,
        )
        for position, header in walk(data)
        for record in records_of(data[position : position + header.size_bytes])
        if record.offset >= offset
    }
