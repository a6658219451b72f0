"""Where reading begins and ends, and offsets as JSON in the form of Spark's Kafka source."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from chronik.model.ids import TopicPartition

EARLIEST_MARK: Final = -2
LATEST_MARK: Final = -1

Offsets: TypeAlias = dict[TopicPartition, int]
OffsetJson: TypeAlias = dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Earliest:
    """The first offset that each partition still has."""


@dataclass(frozen=True, slots=True)
class Latest:
    """The end of each partition."""


@dataclass(frozen=True, slots=True)
class AtOffsets:
    """An offset for every partition, or a mark for the earliest or the latest."""

    offsets: Mapping[TopicPartition, int]


@dataclass(frozen=True, slots=True)
class AtTimes:
    """A time in milliseconds for every partition that is named."""

    times_ms: Mapping[TopicPartition, int]


@dataclass(frozen=True, slots=True)
class AtTime:
    """One time in milliseconds for all partitions."""

    time_ms: int


Bound: TypeAlias = Earliest | Latest | AtOffsets | AtTimes | AtTime


def parse_partition_numbers(text: str, lowest: int) -> Offsets:
    """Read ``{"topic": {"0": 23}}``; a ValueError names the fault."""
    found: Offsets = {}
    for topic, partitions in _json_object(text, '{"topic": {"0": 23, "1": -2}}').items():
        if not isinstance(partitions, dict):
            raise ValueError(f'topic {topic!r} needs an object such as {{"0": 23}}')
        for partition, number in partitions.items():
            found[_partition(topic, partition)] = _number(topic, partition, number, lowest)
    if not found:
        raise ValueError("no partition is named")
    return found


def parse_assignment(text: str) -> frozenset[TopicPartition]:
    """Read ``{"topic": [0, 1]}``; a ValueError names the fault."""
    found: set[TopicPartition] = set()
    for topic, partitions in _json_object(text, '{"topic": [0, 1]}').items():
        if not isinstance(partitions, list) or not partitions:
            raise ValueError(f"topic {topic!r} needs a list of partitions such as [0, 1]")
        found |= {_partition(topic, partition) for partition in partitions}
    if not found:
        raise ValueError("no partition is named")
    return frozenset(found)


def _json_object(text: str, example: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ValueError(f"not JSON ({error}); write it as {example}") from None
    if not isinstance(value, dict):
        raise ValueError(f"write it as {example}")
    return value


def _partition(topic: str, partition: object) -> TopicPartition:
    try:
        number = int(str(partition))
    except ValueError:
        number = -1
    if number < 0:
        raise ValueError(f"topic {topic!r}: {partition!r} is not a partition")
    return TopicPartition(topic, number)


def _number(topic: str, partition: str, number: object, lowest: int) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or number < lowest:
        raise ValueError(f"{topic}-{partition}: {number!r} is not a whole number of at least {lowest}")
    return number


def to_json(offsets: Mapping[TopicPartition, int]) -> OffsetJson:
    """Write offsets as JSON, always in the same order: Spark compares them as text."""
    written: OffsetJson = {}
    for at in sorted(offsets):
        written.setdefault(at.topic, {})[str(at.partition)] = offsets[at]
    return written


def from_json(written: Mapping[str, Mapping[str, int]]) -> Offsets:
    """Read offsets back."""
    return {
        TopicPartition(topic, int(partition)): int(offset)
        for topic, partitions in written.items()
        for partition, offset in partitions.items()
    }
