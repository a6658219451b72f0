"""ListOffsets requests to partition leaders: log start, high watermark, and by time."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from chronik.client.cluster import Cluster
from chronik.client.cluster_view import ClusterView
from chronik.client.errors import ClientError, RefusedError, UnreachableError, check
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.constants import CONSUMER_REPLICA_ID, EARLIEST_TIMESTAMP, LATEST_TIMESTAMP
from chronik.protocol.generated.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)

Wanted: TypeAlias = Mapping[TopicPartition, int]


class ListedOffset(NamedTuple):
    """A leader's result; -1 where no record matches."""

    offset: int
    timestamp_ms: int
    leader_epoch: int


async def list_offsets(cluster: Cluster, wanted: Wanted) -> dict[TopicPartition, ListedOffset]:
    """Request an offset of each partition, by time in ms or LATEST_TIMESTAMP, EARLIEST_TIMESTAMP, MAX_TIMESTAMP."""
    missing = dict(wanted)
    found: dict[TopicPartition, ListedOffset] = {}

    async def attempt() -> dict[TopicPartition, ListedOffset]:
        asked = [_ask(cluster, leader, group) for leader, group in (await by_leader(cluster, missing)).items()]
        results = await asyncio.gather(*asked, return_exceptions=True)
        for result in results:
            if not isinstance(result, BaseException):
                found.update(result)
        for at in found:
            missing.pop(at, None)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return found

    answers = await cluster.retrying(attempt)
    for at in missing:
        raise RefusedError(ErrorCode.UNKNOWN_SERVER_ERROR, str(at), "the leader's answer does not speak of it")
    return answers


async def by_leader(cluster: Cluster, wanted: Wanted) -> dict[int, dict[TopicPartition, int]]:
    """Group partitions by leader."""
    groups: dict[int, dict[TopicPartition, int]] = {}
    for at, timestamp in wanted.items():
        partition = await cluster.leader_of(at)
        groups.setdefault(partition.leader, {})[at] = timestamp
    return groups


async def _ask(cluster: Cluster, leader: int, wanted: Wanted) -> dict[TopicPartition, ListedOffset]:
    try:
        connection = await cluster.connection_to(leader)
        answer = await connection.call(_request(cluster, wanted), ListOffsetsResponse)
        return {at: _found(at, partition) for at, partition in _partitions(answer)}
    except (UnreachableError, RefusedError):
        _forget(cluster, wanted)
        raise


def _request(cluster: Cluster, wanted: Wanted) -> ListOffsetsRequest:
    topics: dict[str, list[ListOffsetsPartition]] = {}
    for at, timestamp in wanted.items():
        partition = ListOffsetsPartition(partition_index=at.partition, timestamp=timestamp)
        topics.setdefault(at.topic, []).append(partition)
    return ListOffsetsRequest(
        replica_id=CONSUMER_REPLICA_ID,
        isolation_level=int(cluster.settings.read_committed),
        topics=[ListOffsetsTopic(name=name, partitions=partitions) for name, partitions in topics.items()],
        timeout_ms=cluster.settings.request_timeout_ms,
    )


def _partitions(answer: ListOffsetsResponse) -> Iterable[tuple[TopicPartition, ListOffsetsPartitionResponse]]:
    for topic in answer.topics:
        for partition in topic.partitions:
            yield TopicPartition(topic.name, partition.partition_index), partition


def _found(at: TopicPartition, partition: ListOffsetsPartitionResponse) -> ListedOffset:
    check(partition.error_code, f"{at}: ListOffsets")
    return ListedOffset(partition.offset, partition.timestamp, partition.leader_epoch)


def _forget(cluster: Cluster, wanted: Wanted) -> None:
    for topic in {at.topic for at in wanted}:
        cluster.forget(topic)


async def offset_bounds(
    cluster: Cluster, partitions: Iterable[TopicPartition]
) -> dict[TopicPartition, tuple[int, int]]:
    """Return log start and high watermark of each partition."""
    wanted = list(partitions)
    starts, ends = await asyncio.gather(
        list_offsets(cluster, dict.fromkeys(wanted, EARLIEST_TIMESTAMP)),
        list_offsets(cluster, dict.fromkeys(wanted, LATEST_TIMESTAMP)),
    )
    return {at: (starts[at].offset, ends[at].offset) for at in wanted}


async def known_bounds(
    cluster: Cluster, partitions: Iterable[TopicPartition]
) -> dict[TopicPartition, tuple[int, int] | ClientError]:
    """Return log start and high watermark of each partition, or an error: its topic may be deleted."""
    wanted = sorted(set(partitions))
    if not wanted:
        return {}
    view = await cluster.retrying(lambda: cluster.refresh({at.topic for at in wanted}))
    found: dict[TopicPartition, tuple[int, int] | ClientError] = {}
    led: dict[str, list[TopicPartition]] = {}
    for at in wanted:
        problem = _rejection_of_led(view, at)
        if problem is None:
            led.setdefault(at.topic, []).append(at)
        else:
            found[at] = problem
    results = await asyncio.gather(*(_bounds_or_error(cluster, group) for group in led.values()))
    for result in results:
        found.update(result)
    return dict(sorted(found.items()))


def _rejection_of_led(view: ClusterView, at: TopicPartition) -> ClientError | None:
    topic = view.topics[at.topic]
    if topic.error or at.partition not in topic.partitions:
        return RefusedError(topic.error or ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, str(at))
    if topic.partitions[at.partition].leader not in view.brokers:
        return RefusedError(ErrorCode.LEADER_NOT_AVAILABLE, str(at))
    return None


async def _bounds_or_error(
    cluster: Cluster, partitions: list[TopicPartition]
) -> Mapping[TopicPartition, tuple[int, int] | ClientError]:
    try:
        return await offset_bounds(cluster, partitions)
    except ClientError as error:
        return dict.fromkeys(partitions, error)
