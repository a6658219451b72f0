"""The lookup for a query: of a cluster, or of a directory of segment files."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chronik.spark.options.options import SourceOptions
from chronik.spark.planning.cluster_lookup import ClusterLookup
from chronik.spark.planning.resolution import TopicLookup
from chronik.spark.planning.segment_lookup import SegmentLookup


@contextmanager
def open_lookup(options: SourceOptions) -> Iterator[TopicLookup]:
    """Open the lookup of a batch query."""
    if options.path is not None:
        yield SegmentLookup(options.path, read_committed=options.read_committed)
        return
    with ClusterLookup.of(options) as lookup:
        yield lookup


class HeldLookup:
    """A cluster's lookup for the life of a stream: one connection, opened again after an error."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._open: ClusterLookup | None = None

    @contextmanager
    def ask(self) -> Iterator[TopicLookup]:
        """Return the open lookup; an error within the block closes it."""
        if self._open is None:
            self._open = ClusterLookup.of(self._options).__enter__()
        try:
            yield self._open
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        held, self._open = self._open, None
        if held is not None:
            held.__exit__(None, None, None)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the connection."""
        return {"_options": self._options, "_open": None}
