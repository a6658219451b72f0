"""The samples of consumer groups, from their coordinator, under kafka_exporter's names."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from chronik.server.metrics.families import Families
from chronik.server.status.lag import lag_of
from chronik.server.status.local import GroupStatus


class LeaderOffsets(NamedTuple):
    """The offsets of a partition, as its leader reported them."""

    log_start: int
    high_watermark: int


LeaderOffsetsOf = Callable[[str, int], LeaderOffsets | None]
"""Returns the leader's offsets of a topic and partition; None if the leader was not polled."""


def add_group(families: Families, group: GroupStatus, leader_offsets: LeaderOffsetsOf) -> None:
    """Add a group that this broker coordinates."""
    families.add("kafka_consumergroup_members", len(group.members), group.group)
    families.add("chronik_group_state", 1, group.group, group.state)
    committed: Counter[str] = Counter()
    lags: Counter[str] = Counter()
    for offset in group.offsets:
        where = (group.group, offset.topic, offset.partition)
        families.add("kafka_consumergroup_current_offset", offset.committed, *where)
        committed[offset.topic] += offset.committed
        found = leader_offsets(offset.topic, offset.partition)
        lag = offset.lag if found is None else lag_of(offset.committed, *found).messages
        if lag is not None:
            families.add("kafka_consumergroup_lag", lag, *where)
            lags[offset.topic] += lag
    _add_sums(families, "kafka_consumergroup_current_offset_sum", group.group, committed)
    _add_sums(families, "kafka_consumergroup_lag_sum", group.group, lags)


def _add_sums(families: Families, name: str, group: str, sums: Mapping[str, int]) -> None:
    for topic, value in sorted(sums.items()):
        families.add(name, value, group, topic)
