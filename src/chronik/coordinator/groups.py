"""All groups of one partition of ``__consumer_offsets``, and the one way in which what is stored of them changes."""

from collections.abc import Iterator

from chronik.coordinator.group import Group
from chronik.coordinator.record_format import GroupRecord, OffsetRecord, Record
from chronik.coordinator.timers import Timers


class Groups:
    """The groups by their id. Applying a record never fails, and means the same live and while loading."""

    def __init__(self) -> None:
        self._by_id: dict[str, Group] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Group]:
        return iter(list(self._by_id.values()))

    def get(self, group_id: str) -> Group | None:
        return self._by_id.get(group_id)

    def get_or_make(self, group_id: str) -> Group:
        group = self._by_id.get(group_id)
        if group is None:
            group = self._by_id[group_id] = Group(group_id)
        return group

    def drop_if_void(self, group: Group) -> None:
        """Forget a group of which nothing is left. Its timers must not meet a later group of the same name."""
        if group.is_void:
            Timers.cancel(group.join_timer)
            Timers.cancel(group.sync_timer)
            self._by_id.pop(group.group_id, None)

    def apply(self, record: Record) -> None:
        group = self.get_or_make(record.group_id)
        if isinstance(record, OffsetRecord):
            self._apply_offset(group, record)
        else:
            self._apply_group(group, record)
        if record.value is None:
            self.drop_if_void(group)

    @staticmethod
    def _apply_offset(group: Group, record: OffsetRecord) -> None:
        if record.value is None:
            group.offsets.pop(record.partition, None)
        else:
            group.offsets[record.partition] = record.value

    @staticmethod
    def _apply_group(group: Group, record: GroupRecord) -> None:
        group.stored = record.value
        members = () if record.value is None else record.value.members
        group.assignments = {member.member_id: member.assignment for member in members}
