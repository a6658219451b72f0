"""The answer of ``/metrics``: samples are collected and written in slices; requests never wait for a scraper."""

from collections.abc import AsyncIterator
from typing import Final

from prometheus_client import ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from chronik.metadata.image.image import Image
from chronik.model.ids import BrokerId
from chronik.server.metrics.broker_samples import add_broker, add_cluster, add_traffic
from chronik.server.metrics.families import Families
from chronik.server.metrics.group_samples import Bounds, Elsewhere, add_group
from chronik.server.metrics.partition_samples import PartitionSums, add_partition, add_sums
from chronik.server.metrics.request_samples import add_histograms, add_refusals, add_requests
from chronik.server.metrics.series_heads import SeriesHeads, written
from chronik.server.status.cluster import ClusterFacts, ClusterWatch
from chronik.server.status.local import GroupFacts, group_facts, partition_facts
from chronik.server.status.pacing import Pace
from chronik.server.status.sources import Sources

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
PIECE_CHARS: Final = 64 * 1024

_PROCESS: Final = ProcessCollector(registry=None)


class Exposition:
    """Answers scrapers."""

    def __init__(self, sources: Sources, watch: ClusterWatch) -> None:
        self._sources = sources
        self._watch = watch
        self._heads = SeriesHeads()

    async def render(self) -> AsyncIterator[bytes]:
        """Give everything that this broker tells Prometheus, in pieces that are worth a send."""
        pace = Pace()
        self._heads.begin_scrape()
        families = Families(self._heads)
        await _collect(families, self._sources, self._watch, pace)
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


async def _collect(families: Families, sources: Sources, watch: ClusterWatch, pace: Pace) -> None:
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
    for facts in partition_facts(sources.partitions, sources.catalog.image, sources.standing):
        add_partition(families, facts, sums)
        await pace.keep()
    add_sums(families, sums)
    await _collect_groups(families, sources, watch, pace)


async def _collect_groups(families: Families, sources: Sources, watch: ClusterWatch, pace: Pace) -> None:
    groups = []
    for facts in group_facts(sources.groups, sources.partitions):
        groups.append(facts)
        await pace.keep()
    elsewhere = await _elsewhere(groups, sources, watch)
    for group in groups:
        add_group(families, group, elsewhere)
        await pace.keep()
    families.add("kafka_coordinator_group_groupmetadatamanager_numgroups", len(groups))
    positions = sum(len(group.offsets) for group in groups)
    families.add("kafka_coordinator_group_groupmetadatamanager_numoffsets", positions)


async def _elsewhere(groups: list[GroupFacts], sources: Sources, watch: ClusterWatch) -> Elsewhere:
    """Ask the leaders for the bounds of their partitions, but only where no copy in sync is here to tell."""
    image, node_id = sources.catalog.image, sources.node_id
    positions = {(position.topic, position.partition) for group in groups for position in group.offsets}
    if all(_is_in_sync(image, node_id, *position) for position in positions):
        return lambda topic, partition: None
    return _told(await watch.facts())


def _is_in_sync(image: Image, node_id: BrokerId, topic: str, index: int) -> bool:
    found = image.topics.get(topic)
    # A position of a topic that is gone has no lag, and nobody can tell more.
    return found is None or index >= len(found.partitions) or node_id in found.partitions[index].isr


def _told(cluster: ClusterFacts) -> Elsewhere:
    def bounds(topic: str, partition: int) -> Bounds | None:
        facts = cluster.partitions.get((topic, partition))
        if facts is None or facts["log_start"] is None or facts["high_watermark"] is None:
            return None
        return Bounds(facts["log_start"], facts["high_watermark"])

    return bounds
