"""What replicas measure of their own work, once per batch, advance or answer."""

from chronik.observability.histograms import Histogram
from chronik.observability.topic_traffic import TopicTraffic


class ReplicaMeters:
    """The counters that all replicas of a broker share."""

    __slots__ = ("commits", "in_sync_expands", "in_sync_shrinks", "propagation", "traffic")

    def __init__(self) -> None:
        self.traffic = TopicTraffic()
        self.commits = Histogram()
        """From when records are written to when the watermark moves on, where that takes followers."""
        self.propagation = Histogram()
        """From when the watermark has moved to when a follower is told."""
        self.in_sync_shrinks = 0
        self.in_sync_expands = 0
