"""What is forgotten in time: positions nobody has used for long, positions of deleted topics, groups without any."""

from collections.abc import Callable
from uuid import UUID

from chronik.coordinator.group import Group
from chronik.coordinator.record_format import GroupRecord, OffsetRecord, StoredOffset
from chronik.coordinator.transitions import GroupState
from chronik.coordinator.turn import Turn


def expire_group(turn: Turn, group: Group) -> None:
    """Remove the positions that are kept no longer, and an empty group that has none left."""
    if group.offsets and may_expire(group):
        _expire_offsets(turn, group)
    if not group.offsets and not group.pending and group.state is GroupState.EMPTY and group.stored is not None:
        turn.write(GroupRecord(group.group_id, None))


def may_expire(group: Group) -> bool:
    """Whether time runs for its positions: not while members without known subscriptions may use them all."""
    if group.protocol_type is None or group.state is GroupState.EMPTY:
        return True
    return group.is_of_consumers and group.state is GroupState.STABLE


def _expire_offsets(turn: Turn, group: Group) -> None:
    old = [partition for partition, stored in group.offsets.items() if _is_old(turn, group, stored)]
    if not old:
        return
    subscribed = group.subscribed_topics()
    if subscribed is None:
        return
    for partition in old:
        if partition.topic not in subscribed:
            turn.write(OffsetRecord(group.group_id, partition, None))


def _is_old(turn: Turn, group: Group, stored: StoredOffset) -> bool:
    """An empty group's positions are kept from when its last member left, all others from their commit."""
    if stored.expire_at_ms is not None:
        return turn.now >= stored.expire_at_ms
    since_ms = stored.committed_at_ms
    if group.protocol_type is not None and group.state is GroupState.EMPTY and group.since_ms is not None:
        since_ms = max(since_ms, group.since_ms)
    return turn.now - since_ms >= turn.settings.offsets_retention_ms


def forget_topics_of(turn: Turn, group: Group, is_gone: Callable[[str, UUID], bool]) -> None:
    """Remove the positions in topics that are no more."""
    for partition, stored in list(group.offsets.items()):
        if is_gone(partition.topic, stored.topic_id):
            turn.write(OffsetRecord(group.group_id, partition, None))
