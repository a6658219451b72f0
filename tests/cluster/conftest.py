"""Fixtures of clusters: a test's own, which may be killed, or one that many tests of a module share."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from chronik.testing import ClusterProcess
from tests.conftest import BROKERS

StartCluster = Callable[..., ClusterProcess]


@pytest.fixture
def start_cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StartCluster]:
    """Start clusters of the test's own: ``start_cluster(3, {"log.segment.bytes": 1048576})``."""
    clusters: list[ClusterProcess] = []
    shown = request.node.stash.setdefault(BROKERS, [])

    def start(brokers: int = 3, settings: Mapping[str, object] | None = None) -> ClusterProcess:
        cluster = ClusterProcess(brokers, settings, directory=tmp_path / f"cluster-{len(clusters)}")
        clusters.append(cluster)
        shown.extend(cluster.brokers.values())
        return cluster.start().wait_ready()

    yield start
    for cluster in clusters:
        cluster.close()


@pytest.fixture
def cluster(start_cluster: StartCluster) -> ClusterProcess:
    """Three brokers with default settings for this test alone: they may be killed and restarted."""
    return start_cluster()
