"""The broker as a process: its listeners, its refusals to start, its signals, and what it tells a service manager."""

import socket
import subprocess
from pathlib import Path

import pytest

from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.metadata import MetadataRequest
from tests.brokers import CHRONIK, BrokerProcess
from tests.conftest import StartBroker
from tests.regressions.processes import wait_until
from tests.regressions.wire import Wire, values_of


def serve(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a broker that is expected to refuse."""
    return subprocess.run([str(CHRONIK), "serve", *arguments], capture_output=True, text=True, timeout=60, check=False)


class ListeningBroker(BrokerProcess):
    """A broker whose listeners are settings of the test."""

    def command(self) -> list[str]:
        settings = [part for name, value in self.settings.items() for part in ("-X", f"{name}={value}")]
        return [str(CHRONIK), "serve", "--data", str(self.data), "--json", *settings]


def test_metadata_shows_the_advertised_address_of_the_listener_that_was_asked(tmp_path: Path) -> None:
    broker = ListeningBroker(
        tmp_path,
        {
            "listeners": "INSIDE://127.0.0.1:0,OUTSIDE://127.0.0.1:0,PLAIN://127.0.0.1:0",
            "advertised.listeners": "INSIDE://broker.inside:19092,OUTSIDE://broker.example.org:29092",
            "listener.security.protocol.map": "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,PLAIN:PLAINTEXT",
            "inter.broker.listener.name": "INSIDE",
        },
    )
    broker.start()
    try:
        bound = listening_ports(broker.pid)
        seen = set()
        for port in bound:
            with Wire(f"127.0.0.1:{port}") as wire:
                brokers = wire.call(ApiKey.METADATA, 9, MetadataRequest([])).brokers
            seen |= {(one.host, one.port if one.host.startswith("broker") else one.port == port) for one in brokers}
        assert {("broker.inside", 19_092), ("broker.example.org", 29_092)} <= seen
        assert len(bound) == 3
    finally:
        broker.kill()


def listening_ports(pid: int) -> list[int]:
    """Ports on which a process listens."""
    inodes = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            inodes.add(str(descriptor.readlink()))
        except FileNotFoundError:
            continue
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    return [int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in inodes]


def test_a_second_start_on_one_data_directory_is_refused(shared_broker: BrokerProcess) -> None:
    second = serve("--listen", "127.0.0.1:0", "--data", str(shared_broker.data))
    assert second.returncode != 0
    assert str(shared_broker.data) in second.stderr
    assert "Traceback" not in second.stderr
    with Wire(shared_broker.bootstrap) as wire:
        assert wire.call(ApiKey.METADATA, 9, MetadataRequest([])).brokers


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]"])
def test_a_wildcard_address_is_not_advertised(tmp_path: Path, host: str) -> None:
    refused = serve("--data", str(tmp_path), "-X", f"advertised.listeners=PLAINTEXT://{host}:9092")
    assert refused.returncode != 0
    assert "advertised.listeners" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_sigterm_ends_the_broker_cleanly_and_the_next_start_recovers_nothing(
    broker: BrokerProcess, topic_name: str
) -> None:
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name, 3)
        for index in range(3):
            wire.append(topic_name, b"kept", partition=index)
    assert broker.stop() == 0
    assert (broker.data / ".kafka_cleanshutdown").exists()
    told = len(broker.log_text)
    broker.start()
    assert not (broker.data / ".kafka_cleanshutdown").exists(), "the mark holds for one start"
    later = broker.log_text[told:]
    assert "recover" not in later.lower()
    assert [line for line in later.splitlines() if "WARNING" in line and "loop stood still" not in line] == []
    with Wire(broker.bootstrap) as wire:
        assert [values_of(wire.read_all(topic_name, partition=index)) for index in range(3)] == [[b"kept"]] * 3


def test_sigterm_closes_connections_that_wait(start_broker: StartBroker, topic_name: str) -> None:
    broker = start_broker()
    with Wire(broker.bootstrap) as waiting:
        waiting.create_topic(topic_name)
        assert broker.stop() == 0
        assert waiting.is_closed_by_broker()


def test_the_service_manager_is_told_of_readiness_and_of_stopping(
    tmp_path: Path, start_broker: StartBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        broker = start_broker()
        assert b"READY=1" in manager.recv(1_000).splitlines()
        assert broker.stop() == 0
        assert b"STOPPING=1" in manager.recv(1_000).splitlines()


def test_idle_connections_are_closed_as_configured(start_broker: StartBroker) -> None:
    broker = start_broker({"connections.max.idle.ms": 1_000})
    with Wire(broker.bootstrap) as idle:
        assert idle.is_closed_by_broker()
    wait_until(lambda: answers(broker), 60, "the broker serves")


def answers(broker: BrokerProcess) -> bool:
    """Whether who asks is answered; on a busy machine even that may take so long that the connection was idle."""
    try:
        with Wire(broker.bootstrap) as busy:
            return bool(busy.call(ApiKey.METADATA, 9, MetadataRequest([])).brokers)
    except (EOFError, ConnectionError):
        return False
