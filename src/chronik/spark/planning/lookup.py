"""Where the planner's lookup come from: a cluster, or a directory of segment files."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chronik.spark.options.options import SourceOptions
from chronik.spark.planning.cluster_lookup import ClusterLookup
from chronik.spark.planning.resolution import TopicLookup
from chronik.spark.planning.segment_lookup import SegmentLookup


def cluster_lookup(options: SourceOptions) -> ClusterLookup:
    """Give the lookup of the cluster that the options name, to be used in a ``with`` block."""
    return ClusterLookup(
        options.bootstrap,
        options.client_options,
        read_committed=options.read_committed,
        retries=options.retries,
        retry_interval_ms=options.retry_interval_ms,
    )


@contextmanager
def open_lookup(options: SourceOptions) -> Iterator[TopicLookup]:
    """Give the lookup about what a batch query reads."""
    if options.path is not None:
        yield SegmentLookup(options.path, read_committed=options.read_committed)
        return
    with cluster_lookup(options) as lookup:
        yield lookup


class HeldLookup:
    """TopicLookup of a cluster over the life of a stream: one connection, opened anew after an error."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._open: ClusterLookup | None = None

    @contextmanager
    def ask(self) -> Iterator[TopicLookup]:
        """Give the lookup for one question."""
        if self._open is None:
            self._open = cluster_lookup(self._options).__enter__()
        try:
            yield self._open
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the connection, if there is one."""
        held, self._open = self._open, None
        if held is not None:
            held.__exit__(None, None, None)

    def __getstate__(self) -> dict[str, Any]:
        """Travel without the connection."""
        return {"_options": self._options, "_open": None}
