"""Counters of replicas and topics, updated once per batch, advance of the high watermark, or response."""

from collections import defaultdict
from collections.abc import Container

from chronik.observability.histograms import Histogram


class ReplicaMeters:
    """The counters that all replicas of a broker share."""

    __slots__ = ("commits", "in_sync_expands", "in_sync_shrinks", "propagation", "traffic")

    def __init__(self) -> None:
        self.traffic = TopicTraffic()
        self.commits = Histogram()
        """From the write of records to the advance of the high watermark, where followers are needed for it."""
        self.propagation = Histogram()
        """From the advance of the high watermark to the response that carries it to a follower."""
        self.in_sync_shrinks = 0
        self.in_sync_expands = 0


class Traffic:
    """The counters of one topic. Bytes are those of record batches, as in Kafka."""

    __slots__ = (
        "batches_in",
        "bytes_in",
        "bytes_out",
        "messages_in",
        "reads",
        "replication_bytes_in",
        "replication_bytes_out",
    )

    def __init__(self) -> None:
        self.batches_in = 0
        self.reads = 0
        """How often a partition was in the response of a fetch."""
        self.messages_in = 0
        self.bytes_in = 0
        self.bytes_out = 0
        self.replication_bytes_in = 0
        self.replication_bytes_out = 0


class TopicTraffic:
    """The counters of all topics with traffic on this broker."""

    def __init__(self) -> None:
        self._topics: defaultdict[str, Traffic] = defaultdict(Traffic)

    def of(self, topic: str) -> Traffic:
        """Return the counters of a topic, which are kept as long as the topic exists."""
        return self._topics[topic]

    def items(self) -> list[tuple[str, Traffic]]:
        return sorted(self._topics.items())

    def forget_others(self, topics: Container[str]) -> None:
        """Drop deleted topics."""
        for topic in [name for name in self._topics if name not in topics]:
            del self._topics[topic]

    def total(self) -> Traffic:
        """Return the sum of all topics."""
        whole = Traffic()
        for traffic in self._topics.values():
            whole.batches_in += traffic.batches_in
            whole.reads += traffic.reads
            whole.messages_in += traffic.messages_in
            whole.bytes_in += traffic.bytes_in
            whole.bytes_out += traffic.bytes_out
            whole.replication_bytes_in += traffic.replication_bytes_in
            whole.replication_bytes_out += traffic.replication_bytes_out
        return whole
