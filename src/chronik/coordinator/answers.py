"""What a group's coordinator answers, and the step in which it does."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID, TopicPartition

Ticket = Hashable
"""Names who waits for an answer; the core only hands it back."""


@dataclass(frozen=True, slots=True)
class JoinedMember:
    """A member as the leader of its generation sees it."""

    member_id: str
    instance_id: str | None
    metadata: bytes


@dataclass(frozen=True, slots=True)
class JoinAnswer:
    """To JoinGroup; the members are named to the leader only."""

    error: ErrorCode
    member_id: str
    generation: int = -1
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader: str = ""
    skip_assignment: bool = False
    members: tuple[JoinedMember, ...] = ()


@dataclass(frozen=True, slots=True)
class SyncAnswer:
    """To SyncGroup."""

    error: ErrorCode
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """To Heartbeat and DeleteGroup, and to any command whose group cannot be asked."""

    error: ErrorCode


@dataclass(frozen=True, slots=True)
class LeaveAnswer:
    """To LeaveGroup: the request's error, and one for each member in the order of the command."""

    error: ErrorCode
    members: tuple[tuple[str, str | None, ErrorCode], ...] = ()
    """Member id, instance id, error."""


@dataclass(frozen=True, slots=True)
class PartitionErrors:
    """To CommitOffsets and DeleteOffsets: the request's error, and one for each partition in the command's order."""

    error: ErrorCode
    partitions: tuple[tuple[TopicPartition, ErrorCode], ...] = ()


class CommittedOffset(NamedTuple):
    """A group's position in one partition; -1 where there is none."""

    partition: TopicPartition
    offset: int = -1
    leader_epoch: int = -1
    metadata: str = ""
    topic_id: UUID = ZERO_TOPIC_ID


@dataclass(frozen=True, slots=True)
class OffsetsAnswer:
    """To FetchOffsets."""

    error: ErrorCode
    offsets: tuple[CommittedOffset, ...] = ()


@dataclass(frozen=True, slots=True)
class DescribedMember:
    """A member as an administrator sees it."""

    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    metadata: bytes
    assignment: bytes


@dataclass(frozen=True, slots=True)
class DescribeAnswer:
    """To DescribeGroup; a group that is not known is Dead, with GROUP_ID_NOT_FOUND."""

    error: ErrorCode
    group_id: str
    state: str = "Dead"
    protocol_type: str = ""
    protocol_name: str = ""
    members: tuple[DescribedMember, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """A group in a list."""

    group_id: str
    protocol_type: str
    state: str
    type: str = "classic"


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """To ListGroups."""

    error: ErrorCode
    groups: tuple[ListedGroup, ...] = ()


Answer = (
    JoinAnswer | SyncAnswer | ErrorAnswer | LeaveAnswer | PartitionErrors | OffsetsAnswer | DescribeAnswer | ListAnswer
)


class StateRecord(NamedTuple):
    """One record of ``__consumer_offsets``; without a value it removes what the key names."""

    key: bytes
    value: bytes | None


class GroupMove(NamedTuple):
    """A group has come into another state, with this generation and so many members."""

    group_id: str
    state_before: str
    state: str
    generation: int
    members: int


class Step(NamedTuple):
    """What follows from one command or event: records to append in one batch, and who gets which answer.

    The records have been replayed already. The answers may leave when everything appended so far is committed; where
    the records cannot be appended, the shard must be dropped and loaded again, and nobody may see these answers.
    """

    records: tuple[StateRecord, ...] = ()
    answers: tuple[tuple[Ticket, Answer], ...] = ()
    moves: tuple[GroupMove, ...] = ()
    """For whoever watches; nothing follows from them."""
