"""Brokers and clusters with an HTTP server."""

from collections.abc import Iterator

import pytest

from chronik.testing import ClusterProcess
from tests.brokers import BrokerProcess

SETTINGS = {"offsets.topic.num.partitions": 1, "group.initial.rebalance.delay.ms": 0}
# Who is paused stays a member and in sync, for as long as a test may take to see what that holds up.
PATIENT = {"broker.session.timeout.ms": 120_000, "replica.lag.time.max.ms": 120_000}
HTTP = {"chronik.http.listener": "127.0.0.1:0", **PATIENT}


@pytest.fixture(scope="session")
def http_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """One broker with an HTTP server for many tests. It must be left running."""
    broker = BrokerProcess(tmp_path_factory.mktemp("http-broker"), SETTINGS, http=True)
    yield broker.start()
    broker.kill()


@pytest.fixture
def http_cluster(request: pytest.FixtureRequest) -> Iterator[ClusterProcess]:
    """Three brokers with HTTP servers for this test alone; one that is paused is resumed at the end."""
    with ClusterProcess(3, HTTP) as cluster:
        yield cluster


def http_of(cluster: ClusterProcess, node: int) -> str:
    """Where a broker's HTTP server is."""
    address = cluster.brokers[node].http_address
    assert address is not None, "the cluster was started without HTTP"
    return address
