"""What a test needs to look at replicas: who leads, what each broker's own log holds, how to damage it."""

from pathlib import Path

from chronik.client.errors import ClientError
from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.constants import DEBUGGING_CONSUMER_ID, LATEST_TIMESTAMP
from chronik.protocol.generated.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from chronik.testing import ClusterProcess
from tests.regressions.processes import wait_until
from tests.regressions.wire import Wire

SETTLE_SECONDS_MAX = 60.0


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
