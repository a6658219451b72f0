"""The broker and the clients of the matrix: started once for all tests of a worker."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.brokers import BrokerProcess
from tests.conftest import BROKERS
from tests.matrix import clients
from tests.matrix.capabilities import Client
from tests.matrix.program import MatrixClient

OTHER_BROKER: Final = os.environ.get("CHRONIK_TEST_BOOTSTRAP")
"""The address of another broker that is judged by the same tests, such as Apache Kafka itself."""

SETTINGS: Final = {"group.min.session.timeout.ms": 500, "group.initial.rebalance.delay.ms": 0}


@pytest.fixture(scope="session")
def matrix_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess | None]:
    """One broker for the whole matrix, unless another one is named."""
    if OTHER_BROKER is not None:
        yield None
        return
    broker = BrokerProcess(tmp_path_factory.mktemp("matrix-broker"), SETTINGS)
    yield broker.start()
    broker.kill()


@pytest.fixture
def bootstrap(request: pytest.FixtureRequest, matrix_process: BrokerProcess | None) -> str:
    """Where the broker of the matrix is reached; its log is shown beside a failure."""
    if matrix_process is None:
        assert OTHER_BROKER is not None
        return OTHER_BROKER
    request.node.stash.setdefault(BROKERS, []).append(matrix_process)
    return matrix_process.bootstrap


class RunningClients:
    """The programs that run, one of each client, and a new one in the place of one that ended."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._running: dict[Client, MatrixClient] = {}

    def get(self, client: Client, bootstrap: str) -> MatrixClient:
        if client not in self._running:
            self._running[client] = self.start(client, bootstrap)
        return self._running[client]

    def start(self, client: Client, bootstrap: str) -> MatrixClient:
        return clients.start(client, bootstrap, self._directory)

    def end(self, client: Client) -> None:
        """End a client whose test failed: what it left behind must not disturb the next one."""
        if (program := self._running.pop(client, None)) is not None:
            program.close()

    def end_all(self) -> None:
        for client in list(self._running):
            self.end(client)


def require(client: Client) -> None:
    """Skip what needs a client that is not installed; where nothing may be missing, fail."""
    if (missing := clients.RECIPES[client].missing()) is not None:
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)


@pytest.fixture(scope="session")
def running_clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningClients]:
    running = RunningClients(tmp_path_factory.mktemp("matrix-clients"))
    yield running
    running.end_all()
