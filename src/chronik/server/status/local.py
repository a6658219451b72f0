"""The status of this broker's replicas, with their offsets and followers, and of the groups that it coordinates.

Each status is a snapshot of live state, taken without an await. The caller may let other work run between two of them,
so two snapshots need not be of the same moment.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from chronik.client.groups.assignment import PROTOCOL_TYPE, assigned_partitions
from chronik.coordinator.group import ClassicGroup, Member
from chronik.metadata.image.image import Image, PartitionImage, TopicImage
from chronik.model.ids import TopicPartition
from chronik.protocol.errors import ProtocolError
from chronik.server.groups.coordinator import GroupCoordinatorService
from chronik.server.loop.clock import steady_ms
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.replica import Replica
from chronik.server.replicas.table import PartitionTable
from chronik.server.status.lag import lag_of
from chronik.server.status.stalled import StalledWatermarks

Json = dict[str, Any]


class FollowerStatus(NamedTuple):
    """A follower, as its leader knows it. The fields are those of the JSON."""

    node: int
    log_end: int | None
    """Unknown until its first fetch in this term."""
    in_sync: bool
    caught_up_ms_ago: int
    fetched_ms_ago: int


@dataclass(frozen=True, slots=True)
class ReplicaStatus:
    """One replica of this broker. Offsets are None if its log could not be opened."""

    topic: str
    topic_id: str
    partition: int
    role: str
    """leader, follower or offline"""
    leader: int
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    elr: tuple[int, ...]
    required_in_sync: int
    log_start: int | None
    high_watermark: int | None
    last_stable_offset: int | None
    log_end: int | None
    size_bytes: int | None
    stalled_ms: int = 0
    followers: tuple[FollowerStatus, ...] = ()
    why_offline: str | None = None

    @property
    def lag(self) -> int | None:
        """The number of records that are written and not committed."""
        if self.log_end is None or self.high_watermark is None:
            return None
        return max(0, self.log_end - self.high_watermark)

    def as_json(self) -> Json:
        return {
            "topic": self.topic,
            "topic_id": self.topic_id,
            "partition": self.partition,
            "role": self.role,
            "leader": self.leader,
            "leader_epoch": self.leader_epoch,
            "replicas": self.replicas,
            "isr": self.isr,
            "elr": self.elr,
            "required_in_sync": self.required_in_sync,
            "log_start": self.log_start,
            "high_watermark": self.high_watermark,
            "last_stable_offset": self.last_stable_offset,
            "log_end": self.log_end,
            "lag": self.lag,
            "size_bytes": self.size_bytes,
            "stands_for_ms": self.stalled_ms,
            "followers": [follower._asdict() for follower in self.followers],
            "why_offline": self.why_offline,
        }


@dataclass(frozen=True, slots=True)
class MemberStatus:
    """A member of a group, with its assigned partitions."""

    id: str
    client_id: str
    host: str
    partitions: tuple[TopicPartition, ...]

    def as_json(self) -> Json:
        partitions = [f"{each.topic}-{each.partition}" for each in self.partitions]
        return {"id": self.id, "client_id": self.client_id, "host": self.host, "partitions": partitions}


class CommittedOffsetStatus(NamedTuple):
    """A committed offset of a group, with the fields of the JSON. Log offsets are None without a replica here."""

    topic: str
    partition: int
    committed: int
    log_start: int | None
    end: int | None
    """The high watermark, as the replica of this broker knows it."""
    lag: int | None
    why: str | None


@dataclass(frozen=True, slots=True)
class GroupStatus:
    """A group that this broker coordinates."""

    group: str
    state: str
    protocol: str | None
    generation: int
    members: tuple[MemberStatus, ...]
    offsets: tuple[CommittedOffsetStatus, ...]

    @property
    def lag(self) -> int:
        """The sum of the known lags of its partitions."""
        return sum(offset.lag or 0 for offset in self.offsets)

    def as_json(self) -> Json:
        return {
            "group": self.group,
            "state": self.state,
            "protocol": self.protocol,
            "generation": self.generation,
            "members": [member.as_json() for member in self.members],
            "offsets": [offset._asdict() for offset in self.offsets],
            "lag": self.lag,
        }


# --- partitions


def replica_statuses(
    partitions: PartitionTable, image: Image, stalled: StalledWatermarks, now: int | None = None
) -> Iterator[ReplicaStatus]:
    """Iterate over the status of every replica of this broker; ``now`` is a time of the steady clock, None: now."""
    for replica in partitions.all():
        topic = image.topic_by_id(replica.topic_id)
        index = replica.topic_partition.partition
        if topic is not None and index < len(topic.partitions):
            yield _of_replica(replica, topic, topic.partitions[index], stalled, steady_ms() if now is None else now)
    for (name, index), why in partitions.failed().items():
        topic = image.topics.get(name)
        if topic is not None and index < len(topic.partitions):
            yield _of_failed(topic, index, topic.partitions[index], why)


def _of_replica(
    replica: Replica, topic: TopicImage, state: PartitionImage, stalled: StalledWatermarks, now: int
) -> ReplicaStatus:
    led = replica.role if isinstance(replica.role, LeaderReplica) else None
    leads = led is not None and not replica.is_closed
    high_watermark = replica.high_watermark
    return ReplicaStatus(
        topic=topic.name,
        topic_id=str(topic.id),
        partition=replica.topic_partition.partition,
        role="offline" if replica.is_offline else "leader" if leads else "follower",
        leader=state.leader,
        leader_epoch=replica.leader_epoch,
        replicas=state.replicas,
        isr=state.isr,
        elr=state.elr,
        required_in_sync=state.required_in_sync,
        log_start=replica.log_start_offset,
        high_watermark=high_watermark,
        last_stable_offset=high_watermark,
        log_end=replica.log_end_offset,
        size_bytes=replica.log.size_bytes,
        stalled_ms=0 if led is None else stalled.stalled_ms(led, now),
        followers=_followers(led, now) if led is not None and leads else (),
        why_offline=str(replica.log.offline) if replica.is_offline else None,
    )


def _followers(partition: LeaderReplica, now: int) -> tuple[FollowerStatus, ...]:
    leader = partition.leader
    return tuple(
        FollowerStatus(
            node=each.follower,
            log_end=each.log_end_offset,
            in_sync=each.follower in leader.isr,
            caught_up_ms_ago=max(0, now - each.caught_up_ms),
            fetched_ms_ago=max(0, now - each.fetched_ms),
        )
        for each in leader.followers
    )


def _of_failed(topic: TopicImage, index: int, state: PartitionImage, why: str) -> ReplicaStatus:
    return ReplicaStatus(
        topic=topic.name,
        topic_id=str(topic.id),
        partition=index,
        role="offline",
        leader=state.leader,
        leader_epoch=state.leader_epoch,
        replicas=state.replicas,
        isr=state.isr,
        elr=state.elr,
        required_in_sync=state.required_in_sync,
        log_start=None,
        high_watermark=None,
        last_stable_offset=None,
        log_end=None,
        size_bytes=None,
        why_offline=why,
    )


# --- groups


def group_statuses(groups: GroupCoordinatorService, partitions: PartitionTable) -> Iterator[GroupStatus]:
    """Iterate over the status of every group that this broker coordinates."""
    for group in groups.groups():
        yield _of_group(group, partitions)


def _of_group(group: ClassicGroup, partitions: PartitionTable) -> GroupStatus:
    return GroupStatus(
        group=group.group_id,
        state=group.state.value,
        protocol=group.protocol_name,
        generation=group.generation,
        members=tuple(_of_member(group, member) for member in tuple(group.members.values())),
        offsets=tuple(_of_offset(where, stored.offset, partitions) for where, stored in sorted(group.offsets.items())),
    )


def _of_member(group: ClassicGroup, member: Member) -> MemberStatus:
    host = member.client_host.removeprefix("/")
    return MemberStatus(member.member_id, member.client_id, host, _assigned(group, member.member_id))


def _assigned(group: ClassicGroup, member_id: str) -> tuple[TopicPartition, ...]:
    if group.protocol_type != PROTOCOL_TYPE:
        return ()
    try:
        return tuple(assigned_partitions(group.assignments.get(member_id, b"")))
    except ProtocolError:
        # An assignment may have any content: only the clients of the group interpret it.
        return ()


def _of_offset(where: TopicPartition, committed: int, partitions: PartitionTable) -> CommittedOffsetStatus:
    replica = partitions.replica_by_name(where.topic, where.partition)
    if not isinstance(replica, Replica):
        return CommittedOffsetStatus(where.topic, where.partition, committed, None, None, None, None)
    start, end = replica.log_start_offset, replica.high_watermark
    lag = lag_of(committed, start, end)
    return CommittedOffsetStatus(where.topic, where.partition, committed, start, end, lag.messages, lag.why)
