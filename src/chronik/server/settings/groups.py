"""The settings of groups and of the offsets topic."""

from typing import NamedTuple, Protocol

from chronik.coordinator.context import GroupSettings

MILLIS_PER_MINUTE = 60_000


class OffsetsTopicSettings(NamedTuple):
    """The settings with which the offsets topic is created."""

    partition_count: int
    replication_factor: int
    segment_bytes: int


class CoordinatorSettings(NamedTuple):
    """The settings of the group coordinator."""

    core: GroupSettings
    topic: OffsetsTopicSettings
    expiry_check_interval_ms: int


class Numbers(Protocol):
    """Settings by name."""

    def number(self, name: str) -> int:
        """Return the effective value."""


def coordinator_settings(values: Numbers) -> CoordinatorSettings:
    """Return the settings of groups."""
    return CoordinatorSettings(
        GroupSettings(
            session_timeout_ms_min=values.number("group.min.session.timeout.ms"),
            session_timeout_ms_max=values.number("group.max.session.timeout.ms"),
            group_size_max=values.number("group.max.size"),
            initial_rebalance_delay_ms=values.number("group.initial.rebalance.delay.ms"),
            offsets_retention_ms=values.number("offsets.retention.minutes") * MILLIS_PER_MINUTE,
            offset_metadata_bytes_max=values.number("offset.metadata.max.bytes"),
            record_bytes_max=values.number("message.max.bytes"),
        ),
        OffsetsTopicSettings(
            values.number("offsets.topic.num.partitions"),
            values.number("offsets.topic.replication.factor"),
            values.number("offsets.topic.segment.bytes"),
        ),
        values.number("offsets.retention.check.interval.ms"),
    )
