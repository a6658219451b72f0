"""The subscription of a member: topics by name, or by a pattern; and how it changes."""

import re
from collections.abc import Iterable

from chronik.client.cluster import Cluster
from chronik.client.cluster_view import ClusterView


class Subscription:
    """Topics by name, or by a pattern for the whole name; internal topics only by name."""

    def __init__(self, topics: Iterable[str] = (), pattern: str | None = None) -> None:
        self._topics = frozenset(topics)
        self._pattern = None if pattern is None else re.compile(pattern)

    async def topics(self, cluster: Cluster, *, allow_creation: bool) -> frozenset[str]:
        """Return the subscribed names, whether the topics exist or not."""
        if self._pattern is None:
            await cluster.refresh(sorted(self._topics), allow_creation=allow_creation)
            return self._topics
        view = await cluster.refresh(None)
        return self._topics | self._matching(view)

    def _matching(self, view: ClusterView) -> frozenset[str]:
        assert self._pattern is not None
        pattern = self._pattern
        names = (name for name, topic in view.topics.items() if not topic.is_internal and not topic.error)
        return frozenset(name for name in names if pattern.fullmatch(name))


async def partition_counts(cluster: Cluster, topics: Iterable[str]) -> dict[str, int]:
    """Return the partition count of each topic; missing topics are left out."""
    view = await cluster.refresh(sorted(topics))
    return {name: len(topic.partitions) for name, topic in view.topics.items() if not topic.error}
