"""One Fetch request and its response, as bytes of whole batches, without decoding records."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from chronik.client.cluster import Cluster
from chronik.client.connection import BrokerConnection
from chronik.client.errors import check, error_of
from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID, TopicPartition
from chronik.protocol.constants import (
    CONSUMER_REPLICA_ID,
    FETCH_LAST_VERSION_BY_NAME,
    FINAL_FETCH_EPOCH,
    NO_FETCH_SESSION,
)
from chronik.protocol.generated.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic, PartitionData


class FetchedPartition(NamedTuple):
    """The response for one partition; ``data`` is a view of the receive buffer, which it keeps alive."""

    topic_partition: TopicPartition
    error: ErrorCode
    data: memoryview
    high_watermark: int
    log_start_offset: int
    aborted: Sequence[tuple[int, int]]


async def fetch(
    cluster: Cluster, connection: BrokerConnection, wanted: Mapping[TopicPartition, int]
) -> list[FetchedPartition]:
    """Fetch once from these offsets; the broker waits as long as the settings say."""
    names = {cluster.topic_id(topic): topic for topic in {at.topic for at in wanted}}
    cap = FETCH_LAST_VERSION_BY_NAME if ZERO_TOPIC_ID in names else None
    version = connection.version_of(FetchRequest, cap)
    settings = cluster.settings
    timeout_s = (settings.fetch_wait_ms_max + settings.request_timeout_ms) / 1000
    answer = await connection.call(_request(cluster, wanted), FetchResponse, version=version, timeout_s=timeout_s)
    check(answer.error_code, f"{connection.where}: Fetch")
    return list(_partitions(answer, names))


def _request(cluster: Cluster, wanted: Mapping[TopicPartition, int]) -> FetchRequest:
    settings = cluster.settings
    topics: dict[str, FetchTopic] = {}
    for at, offset in wanted.items():
        topic = topics.get(at.topic)
        if topic is None:
            topic = topics[at.topic] = FetchTopic(topic=at.topic, topic_id=cluster.topic_id(at.topic), partitions=[])
        topic.partitions.append(
            FetchPartition(
                partition=at.partition, fetch_offset=offset, partition_max_bytes=settings.partition_fetch_bytes_max
            )
        )
    return FetchRequest(
        replica_id=CONSUMER_REPLICA_ID,
        max_wait_ms=settings.fetch_wait_ms_max,
        min_bytes=settings.fetch_min_bytes,
        max_bytes=settings.fetch_bytes_max,
        isolation_level=int(settings.read_committed),
        session_id=NO_FETCH_SESSION,
        session_epoch=FINAL_FETCH_EPOCH,
        topics=list(topics.values()),
    )


def _partitions(answer: FetchResponse, names: Mapping[UUID, str]) -> Iterator[FetchedPartition]:
    for topic in answer.responses:
        name = topic.topic or names.get(topic.topic_id)
        if name is not None:
            for partition in topic.partitions:
                yield _partition(TopicPartition(name, partition.partition_index), partition)


def _partition(at: TopicPartition, partition: PartitionData) -> FetchedPartition:
    records = partition.records
    return FetchedPartition(
        topic_partition=at,
        error=error_of(partition.error_code),
        data=memoryview(b"") if records is None else memoryview(records),
        high_watermark=partition.high_watermark,
        log_start_offset=partition.log_start_offset,
        aborted=[(aborted.first_offset, aborted.producer_id) for aborted in partition.aborted_transactions or ()],
    )
