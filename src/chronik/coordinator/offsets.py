"""CommitOffsets, FetchOffsets and DeleteOffsets: a group's positions."""

from chronik.coordinator.answers import CommittedOffset, OffsetsAnswer, PartitionErrors, Ticket
from chronik.coordinator.commands import CommitOffsets, DeleteOffsets, FetchOffsets, OffsetToCommit
from chronik.coordinator.group import Group
from chronik.coordinator.record_format import OffsetRecord, StoredOffset
from chronik.coordinator.transitions import GroupState
from chronik.coordinator.turn import Turn
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.constants import NO_GENERATION


def commit(turn: Turn, command: CommitOffsets, ticket: Ticket) -> None:
    """Store positions; from a member this counts as a heartbeat."""
    group = turn.groups.get(command.group_id)
    error = _refusal(group, command)
    if error is None:
        _keep_alive(turn, group, command.member_id)
        error = _store(turn, command)
    if error is not None:
        errors = tuple((item.partition, error) for item in command.offsets)
        turn.answer(ticket, PartitionErrors(error, errors))
        return
    errors = tuple((item.partition, _error_of(turn, item)) for item in command.offsets)
    turn.answer(ticket, PartitionErrors(ErrorCode.NONE, errors))


def _refusal(group: Group | None, command: CommitOffsets) -> ErrorCode | None:
    """Why nothing may be committed, if so. An empty group takes positions from anybody who claims no generation."""
    has_generation = command.generation > NO_GENERATION
    if group is None:
        return ErrorCode.GROUP_ID_NOT_FOUND if has_generation else None
    if not has_generation and group.state is GroupState.EMPTY:
        return None
    error = group.refusal_of(command.member_id, command.instance_id)
    if error is not None:
        return error
    if command.generation != group.generation:
        return ErrorCode.ILLEGAL_GENERATION
    is_unassigned = group.state is GroupState.COMPLETING_REBALANCE
    return ErrorCode.REBALANCE_IN_PROGRESS if is_unassigned else None


def _keep_alive(turn: Turn, group: Group | None, member_id: str) -> None:
    if group is not None and member_id in group.members and member_id not in group.joining:
        turn.keep_alive(group.members[member_id])


def _error_of(turn: Turn, item: OffsetToCommit) -> ErrorCode:
    is_too_large = _utf16_units(item.metadata) > turn.settings.offset_metadata_bytes_max
    return ErrorCode.OFFSET_METADATA_TOO_LARGE if is_too_large else ErrorCode.NONE


def _utf16_units(text: str) -> int:
    """The length of a text as Kafka counts it, whatever its setting is called."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _store(turn: Turn, command: CommitOffsets) -> ErrorCode | None:
    records = (
        OffsetRecord(command.group_id, item.partition, _stored(item, turn.now))
        for item in command.offsets
        if _error_of(turn, item) is ErrorCode.NONE
    )
    return None if turn.write_if_it_fits(*records) else ErrorCode.INVALID_COMMIT_OFFSET_SIZE


def _stored(item: OffsetToCommit, now: int) -> StoredOffset:
    if item.expire_at_ms is not None:
        # The form with an expiry has room for neither the epoch nor the id.
        return StoredOffset(item.offset, -1, item.metadata, now, item.expire_at_ms)
    return StoredOffset(item.offset, item.leader_epoch, item.metadata, now, None, item.topic_id)


def fetch(turn: Turn, command: FetchOffsets, ticket: Ticket) -> None:
    """Say where a group stands; one that was never seen stands nowhere, which is no error."""
    group = turn.groups.get(command.group_id)
    known = {} if group is None else group.offsets
    wanted = sorted(known) if command.partitions is None else command.partitions
    turn.answer(ticket, OffsetsAnswer(ErrorCode.NONE, tuple(_committed(item, known.get(item)) for item in wanted)))


def _committed(partition: TopicPartition, stored: StoredOffset | None) -> CommittedOffset:
    if stored is None:
        return CommittedOffset(partition)
    return CommittedOffset(partition, stored.offset, stored.leader_epoch, stored.metadata, stored.topic_id)


def delete(turn: Turn, command: DeleteOffsets, ticket: Ticket) -> None:
    """Remove positions of topics that nobody in the group reads."""
    group = turn.groups.get(command.group_id)
    if not command.group_id:
        turn.answer(ticket, PartitionErrors(ErrorCode.INVALID_GROUP_ID))
    elif group is None:
        turn.answer(ticket, PartitionErrors(ErrorCode.GROUP_ID_NOT_FOUND))
    elif group.state is not GroupState.EMPTY and not group.is_of_consumers:
        turn.answer(ticket, PartitionErrors(ErrorCode.NON_EMPTY_GROUP))
    else:
        subscribed = group.subscribed_topics()
        errors = tuple((item, _delete_one(turn, group, item, subscribed)) for item in command.partitions)
        turn.answer(ticket, PartitionErrors(ErrorCode.NONE, errors))


def _delete_one(turn: Turn, group: Group, partition: TopicPartition, subscribed: frozenset[str] | None) -> ErrorCode:
    # Whose subscriptions cannot be read may read any topic.
    if subscribed is None or partition.topic in subscribed:
        return ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
    if partition in group.offsets:
        turn.write(OffsetRecord(group.group_id, partition, None))
    return ErrorCode.NONE
