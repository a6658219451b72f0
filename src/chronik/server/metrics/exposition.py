"""The response of ``/metrics``, collected and written in slices, so that Kafka's requests never wait for a scrape."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Final, NamedTuple

from prometheus_client import ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from chronik.metadata.image.image import Image
from chronik.model.ids import BrokerId
from chronik.server.metrics.broker_samples import add_broker, add_cluster, add_traffic
from chronik.server.metrics.families import Families
from chronik.server.metrics.partition_samples import PartitionSums, add_partition, add_sums
from chronik.server.metrics.request_samples import add_histograms, add_refusals, add_requests
from chronik.server.metrics.series_heads import SeriesHeads, written
from chronik.server.status.cluster import ClusterPoller, ClusterStatus
from chronik.server.status.lag import lag_of
from chronik.server.status.local import GroupStatus, group_statuses, replica_statuses
from chronik.server.status.pacing import Pace
from chronik.server.status.sources import Sources

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
PIECE_CHARS: Final = 64 * 1024

_PROCESS: Final = ProcessCollector(registry=None)


class LeaderOffsets(NamedTuple):
    """The offsets of a partition, as its leader reported them."""

    log_start: int
    high_watermark: int


LeaderOffsetsOf = Callable[[str, int], LeaderOffsets | None]
"""Returns the leader's offsets of a topic and partition; None if the leader was not polled."""


class Exposition:
    """Serves scrapes."""

    def __init__(self, sources: Sources, poller: ClusterPoller) -> None:
        self._sources = sources
        self._poller = poller
        self._heads = SeriesHeads()

    async def render(self) -> AsyncIterator[bytes]:
        """Return all metrics of this broker, in pieces that are large enough to send."""
        pace = Pace()
        self._heads.begin_scrape()
        families = Families(self._heads)
        await _collect(families, self._sources, self._poller, pace)
        parts = [written(family) for family in _PROCESS.collect()]
        size = 0
        for text in families.slices():
            parts.append(text)
            size += len(text)
            if size >= PIECE_CHARS:
                yield "".join(parts).encode()
                parts, size = [], 0
            await pace.keep()
        yield "".join(parts).encode()


async def _collect(families: Families, sources: Sources, poller: ClusterPoller, pace: Pace) -> None:
    add_broker(families, sources)
    await add_traffic(families, sources.metrics, pace)
    add_refusals(families, sources.metrics)
    add_histograms(families, sources.metrics)
    await pace.keep()
    for times in sources.metrics.all_requests():
        add_requests(families, times)
        await pace.keep()
    await add_cluster(families, sources, pace)
    sums = PartitionSums()
    for replica in replica_statuses(sources.partitions, sources.catalog.image, sources.stalled):
        add_partition(families, replica, sums)
        await pace.keep()
    add_sums(families, sums)
    await _collect_groups(families, sources, poller, pace)


async def _collect_groups(families: Families, sources: Sources, poller: ClusterPoller, pace: Pace) -> None:
    groups = []
    for group in group_statuses(sources.groups, sources.partitions):
        groups.append(group)
        await pace.keep()
    leader_offsets = await _leader_offsets(groups, sources, poller)
    for group in groups:
        _add_group(families, group, leader_offsets)
        await pace.keep()
    families.add("kafka_coordinator_group_groupmetadatamanager_numgroups", len(groups))
    count = sum(len(group.offsets) for group in groups)
    families.add("kafka_coordinator_group_groupmetadatamanager_numoffsets", count)


async def _leader_offsets(groups: list[GroupStatus], sources: Sources, poller: ClusterPoller) -> LeaderOffsetsOf:
    """Poll the leaders for their offsets, but only if this broker lacks an in-sync replica of a partition."""
    image, node_id = sources.catalog.image, sources.node_id
    partitions = {(offset.topic, offset.partition) for group in groups for offset in group.offsets}
    if all(_is_in_sync(image, node_id, *partition) for partition in partitions):
        return lambda topic, partition: None
    return _offsets_in(await poller.status())


def _is_in_sync(image: Image, node_id: BrokerId, topic: str, index: int) -> bool:
    found = image.topics.get(topic)
    # The lag of an offset in a deleted topic is unknown to all brokers.
    return found is None or index >= len(found.partitions) or node_id in found.partitions[index].isr


def _offsets_in(cluster: ClusterStatus) -> LeaderOffsetsOf:
    def offsets_of(topic: str, partition: int) -> LeaderOffsets | None:
        status = cluster.partitions.get((topic, partition))
        if status is None or status["log_start"] is None or status["high_watermark"] is None:
            return None
        return LeaderOffsets(status["log_start"], status["high_watermark"])

    return offsets_of


def _add_group(families: Families, group: GroupStatus, leader_offsets: LeaderOffsetsOf) -> None:
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
