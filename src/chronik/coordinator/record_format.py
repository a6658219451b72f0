"""The records of ``__consumer_offsets`` in Kafka's format.

A key begins with the number of its kind, a value with its version.
"""

from dataclasses import dataclass
from functools import lru_cache
from struct import Struct
from struct import error as PackingError  # noqa: N812 - the module's own name says nothing at the place of use
from typing import Final, NamedTuple
from uuid import UUID

from chronik.coordinator.responses import StateRecord
from chronik.model.ids import ZERO_TOPIC_ID, TopicPartition
from chronik.protocol.errors import ProtocolError
from chronik.protocol.generated.group_metadata_record import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from chronik.protocol.generated.offset_commit_record import OffsetCommitKey, OffsetCommitValue
from chronik.protocol.wire import Message, varint

_INT16: Final = Struct(">h")
_OFFSET_KINDS: Final = (0, OffsetCommitKey.api_key)
"""Kind 0 is an old number of the same key."""
_OFFSET_VERSION: Final = 4
"""The version that carries the topic id."""
_EXPIRING_OFFSET_VERSION: Final = 1
"""The only version that carries an expiry."""
_GROUP_VERSION: Final = 3
_HEAD: Final = Struct(">hqi")
_TIME: Final = Struct(">q")
_NO_TAGS: Final = b"\0"
_TOPIC_ID_TAG: Final = b"\x01\x00\x10"
"""One tagged field, the first of its kind, of sixteen bytes."""
_NONE_MS: Final = -1
_REMEMBERED_KEYS_MAX: Final = 16_384


class StoredOffset(NamedTuple):
    """A committed offset."""

    offset: int
    leader_epoch: int
    metadata: str
    committed_at_ms: int
    expire_at_ms: int | None = None
    topic_id: UUID = ZERO_TOPIC_ID


@dataclass(frozen=True, slots=True)
class StoredMember:
    """A member of a generation with its assignment."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    subscription: bytes
    assignment: bytes


@dataclass(frozen=True, slots=True)
class StoredGroup:
    """A generation."""

    generation: int
    protocol_type: str
    protocol_name: str | None
    leader: str | None
    since_ms: int | None
    """When the group entered its state; unknown in records of old coordinators."""
    members: tuple[StoredMember, ...]

    def assignment_of(self, member_id: str) -> bytes:
        return next((member.assignment for member in self.members if member.member_id == member_id), b"")


class OffsetRecord(NamedTuple):
    """A committed offset, or with None its removal."""

    group_id: str
    partition: TopicPartition
    value: StoredOffset | None


class GroupRecord(NamedTuple):
    """A generation, or with None the removal of its group."""

    group_id: str
    value: StoredGroup | None


Record = OffsetRecord | GroupRecord


def encode(record: Record) -> StateRecord:
    """Return the record in Kafka's format."""
    if isinstance(record, OffsetRecord):
        key = _offset_key(record.group_id, record.partition)
        return StateRecord(key, None if record.value is None else _offset_value(record.value))
    key = _numbered(GroupMetadataKey.api_key, GroupMetadataKey(record.group_id), 0)
    return StateRecord(key, None if record.value is None else _group_value(record.value))


def decode(key: bytes, value: bytes | None) -> Record | None:
    """Return the record of these bytes; None where its kind, version or format is unknown."""
    try:
        (kind,) = _INT16.unpack_from(key)
        rest = memoryview(key)[_INT16.size :]
        if kind in _OFFSET_KINDS:
            offset_key = OffsetCommitKey.decode(rest, 0)
            partition = TopicPartition(offset_key.topic, offset_key.partition)
            return OffsetRecord(offset_key.group, partition, None if value is None else _read_offset(value))
        if kind == GroupMetadataKey.api_key:
            group_id = GroupMetadataKey.decode(rest, 0).group
            return GroupRecord(group_id, None if value is None else _read_group(value))
    except (ProtocolError, ValueError, IndexError, PackingError):
        return None
    return None


def _numbered(number: int, message: Message, version: int) -> bytes:
    return _INT16.pack(number) + b"".join(message.encode(version))


@lru_cache(_REMEMBERED_KEYS_MAX)
def _offset_key(group_id: str, partition: TopicPartition) -> bytes:
    """Return a cached key: a group commits the same partitions again and again."""
    return _numbered(OffsetCommitKey.api_key, OffsetCommitKey(group_id, partition.topic, partition.partition), 0)


def _offset_value(offset: StoredOffset) -> bytes:
    """Return the version with the topic id, or the older version where the offset has an expiry.

    Packed by hand: the generated codec would take a quarter of the time of a commit.
    """
    if offset.expire_at_ms is not None:
        return _expiring_offset_value(offset, offset.expire_at_ms)
    metadata = offset.metadata.encode()
    topic_id = offset.topic_id
    return b"".join(
        (
            _HEAD.pack(_OFFSET_VERSION, offset.offset, offset.leader_epoch),
            varint(len(metadata) + 1),
            metadata,
            _TIME.pack(offset.committed_at_ms),
            _TOPIC_ID_TAG + topic_id.bytes if topic_id.int else _NO_TAGS,
        )
    )


def _expiring_offset_value(offset: StoredOffset, expire_at_ms: int) -> bytes:
    value = OffsetCommitValue(
        offset=offset.offset,
        metadata=offset.metadata,
        commit_timestamp=offset.committed_at_ms,
        expire_timestamp=expire_at_ms,
    )
    return _numbered(_EXPIRING_OFFSET_VERSION, value, _EXPIRING_OFFSET_VERSION)


def _read_offset(data: bytes) -> StoredOffset:
    (version,) = _INT16.unpack_from(data)
    value = OffsetCommitValue.decode(memoryview(data)[_INT16.size :], version)
    expire_at_ms = None if value.expire_timestamp == _NONE_MS else value.expire_timestamp
    return StoredOffset(
        value.offset, value.leader_epoch, value.metadata, value.commit_timestamp, expire_at_ms, value.topic_id
    )


def _group_value(group: StoredGroup) -> bytes:
    value = GroupMetadataValue(
        protocol_type=group.protocol_type,
        generation=group.generation,
        protocol=group.protocol_name,
        leader=group.leader,
        current_state_timestamp=_NONE_MS if group.since_ms is None else group.since_ms,
        members=[_member_value(member) for member in group.members],
    )
    return _numbered(_GROUP_VERSION, value, _GROUP_VERSION)


def _member_value(member: StoredMember) -> MemberMetadata:
    return MemberMetadata(
        member_id=member.member_id,
        group_instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout=member.rebalance_timeout_ms,
        session_timeout=member.session_timeout_ms,
        subscription=member.subscription,
        assignment=member.assignment,
    )


def _read_group(data: bytes) -> StoredGroup:
    (version,) = _INT16.unpack_from(data)
    value = GroupMetadataValue.decode(memoryview(data)[_INT16.size :], version)
    since_ms = None if value.current_state_timestamp == _NONE_MS else value.current_state_timestamp
    members = tuple(_read_member(member) for member in value.members)
    return StoredGroup(value.generation, value.protocol_type, value.protocol, value.leader, since_ms, members)


def _read_member(value: MemberMetadata) -> StoredMember:
    # Before version 1 there was only one time-out.
    rebalance_timeout_ms = value.session_timeout if value.rebalance_timeout == -1 else value.rebalance_timeout
    return StoredMember(
        value.member_id,
        value.group_instance_id,
        value.client_id,
        value.client_host,
        rebalance_timeout_ms,
        value.session_timeout,
        value.subscription,
        value.assignment,
    )
