"""Where the planner's facts come from: a cluster, or a directory of segment files."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chronik.spark.options.options import SourceOptions
from chronik.spark.planning.cluster_facts import ClusterFacts
from chronik.spark.planning.file_facts import FileFacts
from chronik.spark.planning.resolution import Facts


def cluster_facts(options: SourceOptions) -> ClusterFacts:
    """Give the facts of the cluster that the options name, to be used in a ``with`` block."""
    return ClusterFacts(
        options.bootstrap,
        options.client_options,
        read_committed=options.read_committed,
        retries=options.retries,
        retry_interval_ms=options.retry_interval_ms,
    )


@contextmanager
def open_facts(options: SourceOptions) -> Iterator[Facts]:
    """Give the facts about what a batch query reads."""
    if options.path is not None:
        yield FileFacts(options.path, read_committed=options.read_committed)
        return
    with cluster_facts(options) as facts:
        yield facts


class HeldFacts:
    """Facts of a cluster over the life of a stream: one connection, opened anew after an error."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._open: ClusterFacts | None = None

    @contextmanager
    def asked(self) -> Iterator[Facts]:
        """Give the facts for one question."""
        if self._open is None:
            self._open = cluster_facts(self._options).__enter__()
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
