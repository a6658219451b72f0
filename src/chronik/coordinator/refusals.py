"""How a command is refused as a whole: every kind of answer can say so."""

from chronik.coordinator.answers import (
    Answer,
    DescribeAnswer,
    ErrorAnswer,
    JoinAnswer,
    LeaveAnswer,
    ListAnswer,
    OffsetsAnswer,
    PartitionErrors,
    SyncAnswer,
)
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


def refused(command: Command, error: ErrorCode) -> Answer:
    """The answer to ``command`` that says nothing but the error."""
    match command:
        case JoinGroup():
            return JoinAnswer(error, command.member_id)
        case SyncGroup():
            return SyncAnswer(error)
        case LeaveGroup():
            return LeaveAnswer(
                error, tuple((leaving.member_id, leaving.instance_id, error) for leaving in command.members)
            )
        case CommitOffsets():
            return PartitionErrors(error, tuple((item.partition, error) for item in command.offsets))
        case DeleteOffsets():
            return PartitionErrors(error, tuple((partition, error) for partition in command.partitions))
        case FetchOffsets():
            return OffsetsAnswer(error)
        case DescribeGroup():
            return DescribeAnswer(error, command.group_id)
        case ListGroups():
            return ListAnswer(error)
        case _:
            return ErrorAnswer(error)
