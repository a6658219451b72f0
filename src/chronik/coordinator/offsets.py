"""A group's committed offsets: commit, fetch and delete by command; expiry and deleted topics."""

from collections.abc import Callable
from uuid import UUID

from chronik.coordinator.commands import CommitOffsets, DeleteOffsets, FetchOffsets, OffsetToCommit
from chronik.coordinator.context import Context
from chronik.coordinator.group import ClassicGroup
from chronik.coordinator.record_format import GroupRecord, OffsetRecord, StoredOffset
from chronik.coordinator.responses import CommittedOffset, OffsetsResponse, PartitionErrors, RequestHandle
from chronik.coordinator.transitions import GroupState
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.constants import NO_GENERATION


def commit(context: Context, command: CommitOffsets, request: RequestHandle) -> None:
    """Store offsets. A commit of a member counts as a heartbeat."""
    group = context.groups.get(command.group_id)
    error = _refusal(group, command)
    if error is None:
        _keep_alive(context, group, command.member_id)
        error = _store(context, command)
    if error is not None:
        errors = tuple((item.partition, error) for item in command.offsets)
        context.respond(request, PartitionErrors(error, errors))
        return
    errors = tuple((item.partition, _error_of(context, item)) for item in command.offsets)
    context.respond(request, PartitionErrors(ErrorCode.NONE, errors))


def _refusal(group: ClassicGroup | None, command: CommitOffsets) -> ErrorCode | None:
    """Return the error of a commit, if any. An empty group accepts commits without a generation from every client."""
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


def _keep_alive(context: Context, group: ClassicGroup | None, member_id: str) -> None:
    if group is not None and member_id in group.members and member_id not in group.joining:
        context.keep_alive(group.members[member_id])


def _error_of(context: Context, item: OffsetToCommit) -> ErrorCode:
    is_too_large = _utf16_units(item.metadata) > context.settings.offset_metadata_bytes_max
    return ErrorCode.OFFSET_METADATA_TOO_LARGE if is_too_large else ErrorCode.NONE


def _utf16_units(text: str) -> int:
    """Return the length as Kafka counts it: in UTF-16 units, although its setting is named after bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _store(context: Context, command: CommitOffsets) -> ErrorCode | None:
    records = (
        OffsetRecord(command.group_id, item.partition, _stored(item, context.now))
        for item in command.offsets
        if _error_of(context, item) is ErrorCode.NONE
    )
    return None if context.write_if_it_fits(*records) else ErrorCode.INVALID_COMMIT_OFFSET_SIZE


def _stored(item: OffsetToCommit, now: int) -> StoredOffset:
    if item.expire_at_ms is not None:
        # The record version with an expiry has neither a leader epoch nor a topic id.
        return StoredOffset(item.offset, -1, item.metadata, now, item.expire_at_ms)
    return StoredOffset(item.offset, item.leader_epoch, item.metadata, now, None, item.topic_id)


def fetch(context: Context, command: FetchOffsets, request: RequestHandle) -> None:
    """Return committed offsets. An unknown group has none, which is no error."""
    group = context.groups.get(command.group_id)
    known = {} if group is None else group.offsets
    wanted = sorted(known) if command.partitions is None else command.partitions
    context.respond(
        request, OffsetsResponse(ErrorCode.NONE, tuple(_committed(item, known.get(item)) for item in wanted))
    )


def _committed(partition: TopicPartition, stored: StoredOffset | None) -> CommittedOffset:
    if stored is None:
        return CommittedOffset(partition)
    return CommittedOffset(partition, stored.offset, stored.leader_epoch, stored.metadata, stored.topic_id)


def delete(context: Context, command: DeleteOffsets, request: RequestHandle) -> None:
    """Remove committed offsets of topics that no member subscribes to."""
    group = context.groups.get(command.group_id)
    if not command.group_id:
        context.respond(request, PartitionErrors(ErrorCode.INVALID_GROUP_ID))
    elif group is None:
        context.respond(request, PartitionErrors(ErrorCode.GROUP_ID_NOT_FOUND))
    elif group.state is not GroupState.EMPTY and not group.is_of_consumers:
        context.respond(request, PartitionErrors(ErrorCode.NON_EMPTY_GROUP))
    else:
        subscribed = group.subscribed_topics()
        errors = tuple((item, _delete_one(context, group, item, subscribed)) for item in command.partitions)
        context.respond(request, PartitionErrors(ErrorCode.NONE, errors))


def _delete_one(
    context: Context, group: ClassicGroup, partition: TopicPartition, subscribed: frozenset[str] | None
) -> ErrorCode:
    # A member whose subscription cannot be read may read any topic.
    if subscribed is None or partition.topic in subscribed:
        return ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
    if partition in group.offsets:
        context.write(OffsetRecord(group.group_id, partition, None))
    return ErrorCode.NONE


def expire_group(context: Context, group: ClassicGroup) -> None:
    """Remove expired offsets, and an empty group without offsets."""
    if group.offsets and may_expire(group):
        _expire_offsets(context, group)
    if not group.offsets and not group.pending and group.state is GroupState.EMPTY and group.stored is not None:
        context.write(GroupRecord(group.group_id, None))


def may_expire(group: ClassicGroup) -> bool:
    """Return whether offsets may expire: not while members with unknown subscriptions may use them."""
    if group.protocol_type is None or group.state is GroupState.EMPTY:
        return True
    return group.is_of_consumers and group.state is GroupState.STABLE


def _expire_offsets(context: Context, group: ClassicGroup) -> None:
    old = [partition for partition, stored in group.offsets.items() if _is_old(context, group, stored)]
    if not old:
        return
    subscribed = group.subscribed_topics()
    if subscribed is None:
        return
    for partition in old:
        if partition.topic not in subscribed:
            context.write(OffsetRecord(group.group_id, partition, None))


def _is_old(context: Context, group: ClassicGroup, stored: StoredOffset) -> bool:
    """Return whether an offset has expired: since its commit, in an empty group since its last member left."""
    if stored.expire_at_ms is not None:
        return context.now >= stored.expire_at_ms
    since_ms = stored.committed_at_ms
    if group.protocol_type is not None and group.state is GroupState.EMPTY and group.since_ms is not None:
        since_ms = max(since_ms, group.since_ms)
    return context.now - since_ms >= context.settings.offsets_retention_ms


def forget_topics_of(context: Context, group: ClassicGroup, is_gone: Callable[[str, UUID], bool]) -> None:
    """Remove the committed offsets of deleted topics."""
    for partition, stored in list(group.offsets.items()):
        if is_gone(partition.topic, stored.topic_id):
            context.write(OffsetRecord(group.group_id, partition, None))
