"""The present offsets of a topic."""

from chronik.model.ids import TopicPartition
from chronik.spark.archive.coverage import TopicState
from chronik.spark.planning.cluster_lookup import ClusterLookup
from chronik.spark.planning.slices import ReadRules


def ask_topic(topic: str, rules: ReadRules) -> TopicState:
    """Look up the topic's id, and the start and the end of each partition."""
    with ClusterLookup.of(rules) as lookup:
        partitions = lookup.partitions([topic])
        starts, ends = lookup.earliest(partitions), lookup.latest(partitions)
    return TopicState(topic, next(iter(partitions.values()), ""), _by_number(starts), _by_number(ends))


def _by_number(offsets: dict[TopicPartition, int]) -> dict[int, int]:
    return {at.partition: offset for at, offset in sorted(offsets.items())}
