"""Administration of committed offsets: read, change, delete."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from chronik.client.cluster import Cluster
from chronik.client.connection import BrokerConnection
from chronik.client.errors import ClientError, RefusedError, error_of, refusal
from chronik.client.groups.coordinators import ask_coordinators
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.constants import BROKER_DEFAULT, NO_GENERATION, OFFSET_FETCH_FIRST_VERSION_WITH_GROUPS
from chronik.protocol.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponseTopic,
)
from chronik.protocol.generated.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
    OffsetDeleteResponse,
    OffsetDeleteResponseTopic,
)
from chronik.protocol.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchResponse,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)

_NO_OFFSET: Final = -1

_ABOUT_THE_COORDINATOR: Final = frozenset(
    {ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS}
)


@dataclass(frozen=True, slots=True)
class GroupOffset:
    """A group's committed offset in one partition, with its metadata."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""


CommittedOffsets: TypeAlias = dict[TopicPartition, GroupOffset]
Outcomes: TypeAlias = dict[TopicPartition, RefusedError | None]
"""The error of each partition, or None where the change was made."""


class GroupOffsetAdmin:
    """Reads and changes the committed offsets of groups of one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    async def committed(self, groups: Iterable[str]) -> dict[str, CommittedOffsets | ClientError]:
        """Return every committed offset of each group; an unknown group has none."""
        return await ask_coordinators(self._cluster, groups, _fetch)

    async def commit(self, group: str, offsets: Mapping[TopicPartition, int]) -> Outcomes:
        """Commit offsets of a group without members; other partitions keep theirs."""
        request = commit_request(group, offsets)

        async def ask(connection: BrokerConnection, _: list[str]) -> Mapping[str, Outcomes | RefusedError]:
            answer = await connection.call(request, OffsetCommitResponse)
            return {group: _settled(group, codes_of(answer.topics))}

        return _or_raise(await ask_coordinators(self._cluster, [group], ask), group)

    async def delete(self, group: str, partitions: Iterable[TopicPartition]) -> Outcomes:
        """Delete committed offsets of topics that no member of the group subscribes to."""
        request = _delete_request(group, partitions)

        async def ask(connection: BrokerConnection, _: list[str]) -> Mapping[str, Outcomes | RefusedError]:
            answer = await connection.call(request, OffsetDeleteResponse)
            refused = refusal(answer.error_code, f"group {group}")
            return {group: _settled(group, codes_of(answer.topics)) if refused is None else refused}

        return _or_raise(await ask_coordinators(self._cluster, [group], ask), group)


def _or_raise(results: Mapping[str, Outcomes | ClientError], group: str) -> Outcomes:
    result = results[group]
    if isinstance(result, ClientError):
        raise result
    return result


async def _fetch(connection: BrokerConnection, groups: list[str]) -> Mapping[str, CommittedOffsets | RefusedError]:
    if connection.version_of(OffsetFetchRequest) < OFFSET_FETCH_FIRST_VERSION_WITH_GROUPS:
        return {group: await _fetch_one(connection, group) for group in groups}
    wanted = [OffsetFetchRequestGroup(group_id=group, topics=None) for group in groups]
    answer = await connection.call(OffsetFetchRequest(groups=wanted), OffsetFetchResponse)
    return {found.group_id: _positions(found.group_id, found.error_code, found.topics) for found in answer.groups}


async def _fetch_one(connection: BrokerConnection, group: str) -> CommittedOffsets | RefusedError:
    answer = await connection.call(OffsetFetchRequest(group_id=group, topics=None), OffsetFetchResponse)
    return _positions(group, answer.error_code, answer.topics)


def _positions(
    group: str, code: int, topics: Iterable[OffsetFetchResponseTopic | OffsetFetchResponseTopics]
) -> CommittedOffsets | RefusedError:
    refused = refusal(code, f"group {group}")
    if refused is not None:
        return refused
    found: CommittedOffsets = {}
    for topic in topics:
        for partition in topic.partitions:
            at = TopicPartition(topic.name, partition.partition_index)
            refused = refusal(partition.error_code, f"group {group}, {at}")
            if refused is not None:
                return refused
            if partition.committed_offset != _NO_OFFSET:
                found[at] = GroupOffset(
                    partition.committed_offset, partition.committed_leader_epoch, partition.metadata or ""
                )
    return dict(sorted(found.items()))


def codes_of(topics: Iterable[OffsetCommitResponseTopic | OffsetDeleteResponseTopic]) -> dict[TopicPartition, int]:
    """Return the error code of each partition of a response."""
    return {
        TopicPartition(topic.name, partition.partition_index): partition.error_code
        for topic in topics
        for partition in topic.partitions
    }


def _settled(group: str, codes: Mapping[TopicPartition, int]) -> Outcomes | RefusedError:
    """Return the result of each partition; raise if the coordinator has moved, which concerns the whole group."""
    for code in codes.values():
        if code in _ABOUT_THE_COORDINATOR:
            return RefusedError(error_of(code), f"group {group}")
    return {at: refusal(code, f"group {group}, {at}") for at, code in sorted(codes.items())}


def commit_request(
    group: str,
    offsets: Mapping[TopicPartition, int],
    *,
    member_id: str = "",
    generation: int = NO_GENERATION,
    instance_id: str | None = None,
) -> OffsetCommitRequest:
    """Return a commit request of a member, or of an administrator if the group has no members."""
    topics: dict[str, list[OffsetCommitRequestPartition]] = {}
    for at, offset in sorted(offsets.items()):
        partition = OffsetCommitRequestPartition(
            partition_index=at.partition, committed_offset=offset, committed_leader_epoch=-1, committed_metadata=""
        )
        topics.setdefault(at.topic, []).append(partition)
    return OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=generation,
        member_id=member_id,
        group_instance_id=instance_id,
        retention_time_ms=BROKER_DEFAULT,
        topics=[OffsetCommitRequestTopic(name=name, partitions=partitions) for name, partitions in topics.items()],
    )


def _delete_request(group: str, partitions: Iterable[TopicPartition]) -> OffsetDeleteRequest:
    topics: dict[str, list[OffsetDeleteRequestPartition]] = {}
    for at in sorted(partitions):
        topics.setdefault(at.topic, []).append(OffsetDeleteRequestPartition(partition_index=at.partition))
    return OffsetDeleteRequest(
        group_id=group,
        topics=[OffsetDeleteRequestTopic(name=name, partitions=indexes) for name, indexes in topics.items()],
    )
