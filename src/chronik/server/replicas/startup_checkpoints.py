"""What the last run of a broker left on disk about its partitions: where each began, was flushed and was committed."""

from collections.abc import Container
from dataclasses import dataclass, field

from chronik.model.ids import TopicPartition


@dataclass(frozen=True, slots=True)
class StartupCheckpoints:
    """What the last run left on disk about its partitions."""

    was_clean: bool
    log_starts: dict[TopicPartition, int] = field(default_factory=dict)
    recovery_points: dict[TopicPartition, int] = field(default_factory=dict)
    high_watermarks: dict[TopicPartition, int] = field(default_factory=dict)

    def forget(self, topic_partition: TopicPartition) -> None:
        for offsets in (self.log_starts, self.recovery_points, self.high_watermarks):
            offsets.pop(topic_partition, None)

    def known(self) -> set[TopicPartition]:
        """The partitions of which anything is known."""
        return {*self.log_starts, *self.recovery_points, *self.high_watermarks}

    def only(self, kept: Container[TopicPartition]) -> "StartupCheckpoints":
        """What is known of some partitions."""
        starts, points, watermarks = (
            {topic_partition: offset for topic_partition, offset in offsets.items() if topic_partition in kept}
            for offsets in (self.log_starts, self.recovery_points, self.high_watermarks)
        )
        return StartupCheckpoints(self.was_clean, starts, points, watermarks)
