"""While nobody traces, a request asks one attribute and calls nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from chronik.client.admin import Admin, NewTopic
from chronik.client.cluster import Cluster
from chronik.client.connection import BrokerConnection
from chronik.client.errors import ClientError
from chronik.client.settings import ClientSettings
from chronik.observability.trace import Tracer
from chronik.protocol.generated.fetch import FetchResponse
from chronik.protocol.generated.produce import ProduceResponse
from chronik.server.broker import BrokerServer
from chronik.server.fetch.trace import FetchTrace
from chronik.server.produce.trace import TracedOutcome
from chronik.server.settings.server import load_settings
from tests.regressions.wire import batch_of, fetch_request, produce_request

VERSION = 12


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What of the trace was called; each of these calls fails."""
    names: list[str] = []

    def forbid(owner: type, name: str) -> None:
        def refuse(*args: object, **others: object) -> None:
            names.append(name)
            raise RuntimeError(f"{name} was called")

        monkeypatch.setattr(owner, name, refuse)

    for name in ("emit", "record", "record_all", "follows", "follows_client", "rule_of", "events"):
        forbid(Tracer, name)
    forbid(FetchTrace, "__init__")
    forbid(TracedOutcome, "__init__")
    return names


def with_broker(tmp_path: Path, work: Callable[[BrokerServer, BrokerConnection], Awaitable[None]]) -> None:
    """Run a broker in this process, and work with it."""
    overrides = {
        "listeners": "PLAINTEXT://127.0.0.1:0",
        "log.dirs": str(tmp_path / "data"),
        "chronik.http.listener": "",
    }

    async def run() -> None:
        broker = BrokerServer(load_settings(overrides=overrides))
        await broker.start()
        where = broker.endpoints[0]
        try:
            async with Cluster(f"{where.host}:{where.port}") as cluster:
                await Admin(cluster).create_topics([NewTopic("orders", 1, 1)])
            connection = await BrokerConnection.open(where.host, where.port, ClientSettings())
            await work(broker, connection)
            connection.close()
        finally:
            await broker.stop()

    asyncio.run(run())


async def send_and_read(connection: BrokerConnection) -> None:
    """A produce of each kind, a fetch that is answered, one that waits, one that is refused."""
    for acks in (-1, 1):
        batch = bytearray(batch_of(b"value"))
        await connection.call(produce_request("orders", bytes(batch), acks=acks), ProduceResponse, version=VERSION)
    for offset, wait_ms in ((0, 0), (2, 20), (77, 0)):
        asked = fetch_request("orders", offset, max_wait_ms=wait_ms)
        await connection.call(asked, FetchResponse, version=VERSION)


def test_nothing_of_the_trace_is_called_by_a_request_while_it_is_off(tmp_path: Path, called: list[str]) -> None:
    async def work(broker: BrokerServer, connection: BrokerConnection) -> None:
        await send_and_read(connection)
        assert broker.tracer.next_seq == 0

    with_broker(tmp_path, work)
    assert called == []


@pytest.mark.parametrize("asks", ["produce", "fetch"])
def test_the_same_requests_do_call_it_while_it_is_on(tmp_path: Path, called: list[str], asks: str) -> None:
    request, kind = {
        "produce": (produce_request("orders", batch_of(b"value")), ProduceResponse),
        "fetch": (fetch_request("orders", 0), FetchResponse),
    }[asks]

    async def work(broker: BrokerServer, connection: BrokerConnection) -> None:
        broker.tracer.on = True
        with pytest.raises(ClientError):
            await connection.call(request, kind, version=VERSION)
        broker.tracer.on = False

    with_broker(tmp_path, work)
    assert called != []
