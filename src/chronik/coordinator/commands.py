"""Commands of members and administrators to a group's coordinator. Wire names and version quirks end in the handlers.

The frequent ones are named tuples, which cost half as much to create as frozen dataclasses.
"""

from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from chronik.model.ids import TopicPartition
from chronik.protocol.constants import NO_GENERATION

UNKNOWN_MEMBER_ID = ""


@dataclass(frozen=True, slots=True)
class JoinGroup:
    """A member joins the next generation."""

    group_id: str
    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    protocol_type: str
    protocols: tuple[tuple[str, bytes], ...]
    """Name and metadata, in the member's order of preference."""
    session_timeout_ms: int
    rebalance_timeout_ms: int
    requires_known_member_id: bool = False
    """Whether a member without an id gets one and must join again with it (version 4 and later)."""
    may_skip_assignment: bool = False
    """Whether the response can ask a returning static leader to skip the assignment (version 9 and later)."""


@dataclass(frozen=True, slots=True)
class SyncGroup:
    """A member asks for its assignment; the leader's request carries all assignments."""

    group_id: str
    generation: int
    member_id: str
    instance_id: str | None
    protocol_type: str | None
    protocol_name: str | None
    assignments: tuple[tuple[str, bytes], ...]
    """Member id and assignment; from the leader only."""


class Heartbeat(NamedTuple):
    """A member is alive."""

    group_id: str
    generation: int
    member_id: str
    instance_id: str | None


@dataclass(frozen=True, slots=True)
class Leaving:
    """One member that leaves; an administrator names a static member by its instance id only."""

    member_id: str
    instance_id: str | None


@dataclass(frozen=True, slots=True)
class LeaveGroup:
    """Members leave."""

    group_id: str
    members: tuple[Leaving, ...]


class OffsetToCommit(NamedTuple):
    """One partition's new committed offset."""

    topic_id: UUID
    partition: TopicPartition
    offset: int
    leader_epoch: int
    metadata: str
    expire_at_ms: int | None = None
    """Set by the old request versions that carry a retention time."""


class CommitOffsets(NamedTuple):
    """Offsets of a group; generation -1 comes from a client that uses the group for offsets only."""

    group_id: str
    generation: int
    member_id: str
    instance_id: str | None
    offsets: tuple[OffsetToCommit, ...]


@dataclass(frozen=True, slots=True)
class FetchOffsets:
    """Asks for committed offsets; without partitions, for all."""

    group_id: str
    partitions: tuple[TopicPartition, ...] | None
    member_id: str | None = None
    member_epoch: int = NO_GENERATION


@dataclass(frozen=True, slots=True)
class DeleteOffsets:
    """Removes committed offsets of topics that no member subscribes to."""

    group_id: str
    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class DeleteGroup:
    """Removes an empty group with its committed offsets."""

    group_id: str


@dataclass(frozen=True, slots=True)
class DescribeGroup:
    """Asks for a group's state and members."""

    group_id: str


@dataclass(frozen=True, slots=True)
class ListGroups:
    """Asks for the groups; an empty set means all states or all types. Names are compared without case."""

    states: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()


GroupCommand = (
    JoinGroup
    | SyncGroup
    | Heartbeat
    | LeaveGroup
    | CommitOffsets
    | FetchOffsets
    | DeleteOffsets
    | DeleteGroup
    | DescribeGroup
)
"""A command that names its group."""

Command = GroupCommand | ListGroups
