"""The broker process that other tests rely on reports failures of the broker instead of hiding them."""

import signal
import sys
from pathlib import Path

import pytest

from tests import brokers
from tests.brokers import BrokerError, BrokerProcess

STUB = """#!{python}
import json, signal, sys, time
def stop(number, frame):
    print("stopping", file=sys.stderr, flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, {on_term})
print("args " + " ".join(sys.argv[1:]), file=sys.stderr, flush=True)
{body}
while True:
    time.sleep(60)
"""
READY = 'print(json.dumps({"event": "ready", "node_id": 1, "kafka": "127.0.0.1:4711"}), flush=True)'


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "stub"
    monkeypatch.setattr(brokers, "CHRONIK", path)
    return path


def write(stub: Path, body: str, on_term: str = "stop") -> None:
    stub.write_text(STUB.format(python=sys.executable, body=body, on_term=on_term))
    stub.chmod(0o755)


def test_a_broker_is_ready_when_it_says_so_and_a_restart_keeps_its_address(stub: Path, tmp_path: Path) -> None:
    write(stub, READY)
    broker = BrokerProcess(tmp_path / "broker", {"log.segment.bytes": 1024}).start()
    assert broker.bootstrap == "127.0.0.1:4711"
    assert "--listen 127.0.0.1:0" in broker.log_text
    assert "-X log.segment.bytes=1024" in broker.log_text
    assert broker.restart().is_running
    assert "--listen 127.0.0.1:4711" in broker.log_text
    assert broker.stop() == 0
    assert "stopping" in broker.log_text


def test_kill_gives_the_broker_no_chance_to_say_anything(stub: Path, tmp_path: Path) -> None:
    write(stub, READY)
    broker = BrokerProcess(tmp_path / "broker").start()
    broker.kill()
    assert broker.exit_code == -signal.SIGKILL
    assert "stopping" not in broker.log_text


def test_a_broker_that_ends_at_once_fails_with_its_own_words(stub: Path, tmp_path: Path) -> None:
    write(stub, 'sys.exit("no such directory")')
    with pytest.raises(BrokerError, match=r"(?s)exit code 1.*no such directory"):
        BrokerProcess(tmp_path / "broker").start()


def test_a_broker_that_never_gets_ready_fails_within_the_bound(
    stub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(stub, 'print("waiting for the disk", file=sys.stderr, flush=True)')
    monkeypatch.setattr(brokers, "START_SECONDS_MAX", 1.0)
    broker = BrokerProcess(tmp_path / "broker")
    with pytest.raises(BrokerError, match="no ready line"):
        broker.start()
    assert not broker.is_running


def test_a_broker_that_ignores_sigterm_is_an_error_and_is_ended(stub: Path, tmp_path: Path) -> None:
    write(stub, READY, on_term="signal.SIG_IGN")
    broker = BrokerProcess(tmp_path / "broker").start()
    with pytest.raises(BrokerError, match="SIGTERM"):
        broker.stop(seconds_max=0.5)
    assert not broker.is_running
