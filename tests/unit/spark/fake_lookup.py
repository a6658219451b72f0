"""A cluster for the planner's tests: partitions with a first offset, an end, and the times of their records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from chronik.model.ids import TopicPartition
from chronik.spark.source.problems import TopicMissingError


@dataclass
class FakeLookup:
    """Times are those of the records from the first offset on."""

    firsts: dict[TopicPartition, int] = field(default_factory=dict)
    ends: dict[TopicPartition, int] = field(default_factory=dict)
    times: dict[TopicPartition, list[int]] = field(default_factory=dict)

    def topics(self) -> list[str]:
        return sorted({at.topic for at in self.ends})

    def partitions(self, topics: Iterable[str]) -> dict[TopicPartition, str]:
        wanted = list(topics)
        if set(wanted) - set(self.topics()):
            raise TopicMissingError(f"no {wanted}")
        return {at: f"id of {at.topic}" for at in self.ends if at.topic in wanted}

    def earliest(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        return {at: self.firsts.get(at, 0) for at in partitions}

    def latest(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        return {at: self.ends[at] for at in partitions}

    def at_times(self, times_ms: Mapping[TopicPartition, int]) -> dict[TopicPartition, int | None]:
        return {at: self._at_time(at, time) for at, time in times_ms.items()}

    def _at_time(self, at: TopicPartition, time: int) -> int | None:
        found = (index for index, mine in enumerate(self.times.get(at, [])) if mine >= time)
        index = next(found, None)
        return None if index is None else self.firsts.get(at, 0) + index
