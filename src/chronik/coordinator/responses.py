"""The responses of a group's coordinator, and the result of a command that carries them."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from chronik.coordinator.commands import (
    Command,
    CommitOffsets,
    DeleteOffsets,
    DescribeGroup,
    FetchOffsets,
    JoinGroup,
    LeaveGroup,
    ListGroups,
    SyncGroup,
)
from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID, TopicPartition

RequestHandle = Hashable
"""Identifies a request that waits for its response; the core only hands it back."""


@dataclass(frozen=True, slots=True)
class JoinedMember:
    """A member as the leader of its generation sees it."""

    member_id: str
    instance_id: str | None
    metadata: bytes


@dataclass(frozen=True, slots=True)
class JoinResponse:
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
class SyncResponse:
    """To SyncGroup."""

    error: ErrorCode
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """To Heartbeat and DeleteGroup, and to any command whose coordinator is not available."""

    error: ErrorCode


@dataclass(frozen=True, slots=True)
class LeaveResponse:
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
    """A group's committed offset in one partition; -1 where there is none."""

    partition: TopicPartition
    offset: int = -1
    leader_epoch: int = -1
    metadata: str = ""
    topic_id: UUID = ZERO_TOPIC_ID


@dataclass(frozen=True, slots=True)
class OffsetsResponse:
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
class DescribeResponse:
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
class ListResponse:
    """To ListGroups."""

    error: ErrorCode
    groups: tuple[ListedGroup, ...] = ()


GroupResponse = (
    JoinResponse
    | SyncResponse
    | ErrorResponse
    | LeaveResponse
    | PartitionErrors
    | OffsetsResponse
    | DescribeResponse
    | ListResponse
)


class StateRecord(NamedTuple):
    """One record of ``__consumer_offsets``; without a value it removes what the key names."""

    key: bytes
    value: bytes | None


class GroupMove(NamedTuple):
    """A group's change of state, with its generation and number of members after it."""

    group_id: str
    state_before: str
    state: str
    generation: int
    members: int


class CoordinatorResult(NamedTuple):
    """The result of one command or event: records to append in one batch, and responses to requests.

    The records have been applied already. The responses may be sent when everything appended so far is committed. If
    the records cannot be appended, the shard must be dropped and loaded again, and the responses must not be sent.
    """

    records: tuple[StateRecord, ...] = ()
    responses: tuple[tuple[RequestHandle, GroupResponse], ...] = ()
    moves: tuple[GroupMove, ...] = ()
    """For the trace only."""


def refused(command: Command, error: ErrorCode) -> GroupResponse:
    """Return the response to ``command`` that carries the error only."""
    match command:
        case JoinGroup():
            return JoinResponse(error, command.member_id)
        case SyncGroup():
            return SyncResponse(error)
        case LeaveGroup():
            return LeaveResponse(
                error, tuple((leaving.member_id, leaving.instance_id, error) for leaving in command.members)
            )
        case CommitOffsets():
            return PartitionErrors(error, tuple((item.partition, error) for item in command.offsets))
        case DeleteOffsets():
            return PartitionErrors(error, tuple((partition, error) for partition in command.partitions))
        case FetchOffsets():
            return OffsetsResponse(error)
        case DescribeGroup():
            return DescribeResponse(error, command.group_id)
        case ListGroups():
            return ListResponse(error)
        case _:
            return ErrorResponse(error)
