"""What a broker process writes on standard error: JSON where that is asked for, state changes only, no secrets."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.brokers import CHRONIK, BrokerProcess
from tests.clients.commands import consumed, prepare, send

SECRET = "hunter2-is-no-password"


class JsonLogBroker(BrokerProcess):
    """A broker that logs JSON, at the lowest level that is on by default."""

    def command(self) -> list[str]:
        return [*super().command(), "--log-format", "json"]


def lines_of(text: str) -> list[dict[str, Any]]:
    """Take the JSON lines; the harness writes the command that it starts before them."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def serve(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(CHRONIK), "serve", *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_every_line_is_json_with_the_node_and_none_is_written_per_request(tmp_path: Path) -> None:
    broker = JsonLogBroker(tmp_path, {"node.id": "4"})
    broker.start()
    try:
        prepare(broker.bootstrap, "orders", "first\n")
        before = len(broker.log_text)
        for number in range(5):
            send(broker.bootstrap, "orders", f"{number}\n")
        assert len(consumed(["orders", "-n", "6"], broker.bootstrap)) == 6
        busy = [line for line in lines_of(broker.log_text[before:]) if "event loop" not in line["message"]]
        assert busy == []
    finally:
        broker.stop()
    told = lines_of(broker.log_text)
    assert {line["node"] for line in told} == {4}
    assert {"time", "level", "logger", "message"} <= set.intersection(*map(set, told))
    said = [line["message"] for line in told]
    assert any("serves 127.0.0.1:" in message for message in said), said
    assert "has stopped" in said[-1]
    others = [line for line in broker.log_text.splitlines() if not line.startswith(("{", "$", "---"))]
    assert others == []


def test_a_broker_that_cannot_start_says_so_in_its_last_json_line(tmp_path: Path) -> None:
    refused = serve("--log-format", "json", "--data", str(tmp_path), "-X", "log.segmant.bytes=1")
    [told] = lines_of(refused.stderr)
    assert refused.returncode == 3
    assert told["level"] == "critical"
    assert "log.segment.bytes" in told["message"]


def test_no_line_and_no_refusal_repeats_a_secret(tmp_path: Path) -> None:
    for settings in (
        [f"chronik.metadata.store=etcd://root:{SECRET}@127.0.0.1:1"],
        [f"ssl.keystore.password={SECRET}"],
        [f"listener.name.x.plain.sasl.jaas.config=password={SECRET}"],
    ):
        options = [part for setting in settings for part in ("-X", setting)]
        for form in ("text", "json"):
            told = serve("--log-format", form, "--data", str(tmp_path), "--listen", "127.0.0.1:0", *options)
            assert told.returncode != 0
            assert SECRET not in told.stderr + told.stdout


def test_brokers_of_a_cluster_log_as_they_were_started(tmp_path: Path) -> None:
    data = str(tmp_path / "cluster")
    start = ["cluster", "start", "-n", "1", "--data", data, "--port", "0", "--log-format", "json"]
    try:
        subprocess.run([str(CHRONIK), *start], capture_output=True, timeout=120, check=True)
    finally:
        subprocess.run([str(CHRONIK), "cluster", "stop", "--data", data], capture_output=True, timeout=120, check=True)
    told = (tmp_path / "cluster/broker-1/broker.log").read_text().splitlines()
    assert {json.loads(line)["node"] for line in told} == {1}
