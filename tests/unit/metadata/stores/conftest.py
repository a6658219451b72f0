"""The engines that every test of the store port runs on."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

from chronik.metadata.stores.etcd import wire as etcd_wire
from tests.conftest import missing
from tests.etcd_servers import ETCD, EtcdServers
from tests.unit.metadata.stores.store_engines import Engine, EtcdEngine, MemoryEngine, Scenario, SqliteEngine, run_on

Run = Callable[[Scenario], None]


@pytest.fixture(scope="session")
def etcd_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EtcdServers]:
    """One member of etcd for all tests of this process."""
    if ETCD is None:
        missing("etcd is not installed: apt-get install etcd-server")
    with EtcdServers(tmp_path_factory.mktemp("etcd")) as servers:
        yield servers


@pytest.fixture(params=["memory", "sqlite", "etcd"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """An empty store of each engine."""
    if request.param == "memory":
        return MemoryEngine()
    if request.param == "sqlite":
        return SqliteEngine(tmp_path)
    servers: EtcdServers = request.getfixturevalue("etcd_server")
    servers.start()
    # Under a prefix of its own, and counted from where etcd stands now, it looks like an empty one.
    monkeypatch.setattr(etcd_wire, "FIRST", servers.revision())
    return EtcdEngine(servers, uuid4().hex)


@pytest.fixture
def run(engine: Engine) -> Run:
    """Run a scenario with one handle on an empty store of each engine, within a bound of time."""
    return partial(run_on, engine)
