"""`chronik cluster start|status|stop`: brokers as processes, found again by whoever asks, and what is told of them."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chronik.testing.topics import create_topic
from tests.brokers import CHRONIK

SECONDS_MAX = 90
# The machine's ports are shared with other tests.
FREE_PORTS = ("--port", "0")


def run(*arguments: str, code: int = 0, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(CHRONIK), "cluster", *arguments],
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
        env={**os.environ, **(env or {})},
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def document(*arguments: str, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json", code=code).stdout)
    return found


def is_there(pid: int) -> bool:
    return command_line(pid) != b""


def command_line(pid: int) -> bytes:
    """What runs there; nothing where the process has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def states(data: str) -> dict[int, str]:
    return {broker["node_id"]: broker["state"] for broker in document("status", "--data", data)["brokers"]}


@pytest.fixture
def data(tmp_path: Path) -> Iterator[str]:
    """The directory of a cluster, whose brokers are gone after the test."""
    directory = tmp_path / "cluster with a space"
    yield str(directory)
    for lock in directory.glob("broker-*/data/.lock"):
        pid = int(lock.read_text())
        if str(directory).encode() in command_line(pid):
            os.kill(pid, signal.SIGKILL)


def test_a_started_cluster_is_ready_and_is_told_of_and_stops(data: str) -> None:
    started = document("start", "--data", data, *FREE_PORTS)
    assert [broker["node_id"] for broker in started["brokers"]] == [1, 2, 3]
    assert {broker["state"] for broker in started["brokers"]} == {"running"}
    assert started["controller"] in (1, 2, 3)
    create_topic(started["bootstrap"], "orders", 3, {}, SECONDS_MAX)
    told = await_told(data)
    assert [broker["pid"] for broker in told["brokers"]] == [broker["pid"] for broker in started["brokers"]]
    assert (told["under_replicated"], told["offline"]) == ([], [])
    for partition in told["partitions"]:
        assert sorted(partition["isr"]) == sorted(partition["replicas"]) == [1, 2, 3]
        assert partition["leader"] in (1, 2, 3)
        assert (partition["log_end"], partition["high_watermark"], partition["lag"]) == (0, 0, 0)
        assert partition["log_ends"] == {"1": 0, "2": 0, "3": 0}
    assert "orders" in run("status", "--data", data, "--check").stdout
    assert document("stop", "--data", data) == {"stopped": [1, 2, 3], "not_ended": []}
    assert not any(is_there(broker["pid"]) for broker in started["brokers"])
    nobody = document("status", "--data", data)
    assert {broker["state"] for broker in nobody["brokers"]} == {"stopped"}
    assert nobody["partitions"] is nobody["offline"] is None


def test_a_cluster_has_three_replicas_of_which_two_acknowledge(data: str) -> None:
    run("start", "--data", data, *FREE_PORTS, "-X", "log.segment.bytes=1048576")
    for node in (1, 2, 3):
        properties = Path(data, f"broker-{node}", "server.properties").read_text().splitlines()
        assert f"node.id={node}" in properties
        assert {"default.replication.factor=3", "offsets.topic.replication.factor=3"} <= set(properties)
        assert {"min.insync.replicas=2", "log.segment.bytes=1048576"} <= set(properties)


def test_starting_again_starts_whichever_brokers_do_not_run_with_their_settings(data: str) -> None:
    first = document("start", "--data", data, *FREE_PORTS, "-X", "log.segment.bytes=1048576")
    pids = {broker["node_id"]: broker["pid"] for broker in first["brokers"]}
    os.kill(pids[1], signal.SIGKILL)
    await_state(data, 1, "stopped")
    assert document("stop", "--data", data, "--node", "3")["stopped"] == [3]
    assert states(data) == {1: "stopped", 2: "running", 3: "stopped"}
    # Given again or not, the settings are those of the files.
    again = document("start", "-n", "3", "--data", data, "-X", "log.segment.bytes=1048576")
    assert [broker["kafka"] for broker in again["brokers"]] == [broker["kafka"] for broker in first["brokers"]]
    after = {broker["node_id"]: broker["pid"] for broker in again["brokers"]}
    assert after[2] == pids[2]
    assert len({after[1], after[3], pids[1], pids[3]}) == 4
    assert (
        "has log.segment.bytes=1048576, not 2"
        in run("start", "--data", data, "-X", "log.segment.bytes=2", code=3).stderr
    )
    assert "holds 3 brokers" in run("start", "-n", "2", "--data", data, code=3).stderr


def test_a_paused_broker_is_told_of_as_paused(data: str) -> None:
    (broker,) = document("start", "-n", "1", "--data", data, *FREE_PORTS)["brokers"]
    os.kill(broker["pid"], signal.SIGSTOP)
    assert states(data) == {1: "paused"}
    run("status", "--data", data, "--check", code=1)
    os.kill(broker["pid"], signal.SIGCONT)
    await_state(data, 1, "running")


def test_a_larger_number_adds_brokers(data: str) -> None:
    document("start", "-n", "1", "--data", data, *FREE_PORTS)
    grown = document("start", "-n", "2", "--data", data, *FREE_PORTS)
    assert [(broker["node_id"], broker["state"]) for broker in grown["brokers"]] == [(1, "running"), (2, "running")]


def test_a_broker_that_cannot_start_leaves_none_running_and_says_why(data: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        failed = run("start", "-n", "2", "--data", data, "--port", str(port), code=1)
    assert f"127.0.0.1:{port}" in failed.stderr
    assert set(states(data).values()) == {"stopped"}


def test_the_environment_does_not_reach_the_brokers_of_a_cluster(data: str) -> None:
    run("start", "-n", "1", "--data", data, *FREE_PORTS, env={"KAFKA_LISTENERS": "PLAINTEXT://127.0.0.1:1"})


def test_settings_that_only_one_broker_can_have_are_refused(data: str) -> None:
    refused = run("start", "--data", data, "-X", "node.id=7", "-X", "listeners=PLAINTEXT://:1", code=3)
    assert "node.id: brokers are numbered" in refused.stderr
    assert "listeners: --port" in refused.stderr


def test_without_a_cluster_there_is_nothing_to_tell_or_stop(data: str) -> None:
    run("status", "--data", data, code=2)
    run("stop", "--data", data, code=3)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_in_the_foreground_all_brokers_end_with_the_command(data: str, number: signal.Signals) -> None:
    command = [str(CHRONIK), "cluster", "start", "-n", "2", "--data", data, *FREE_PORTS, "--foreground", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        pids = [broker["pid"] for broker in json.loads(process.stdout.readline())["brokers"]]
        assert all(map(is_there, pids))
        process.send_signal(number)
        assert process.wait(SECONDS_MAX) == 0
    assert not any(map(is_there, pids))


def await_told(data: str) -> dict[str, Any]:
    """Wait until every broker has heard of every partition and tells of it, and give what they tell."""
    deadline = time.monotonic() + SECONDS_MAX
    while True:
        told = document("status", "--data", data)
        found = told["partitions"] or []
        if found and all(len(one["log_ends"]) == 3 for one in found):
            return told
        assert time.monotonic() < deadline, told
        time.sleep(0.05)


def await_state(data: str, node: int, wanted: str) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while (state := states(data)[node]) != wanted:
        assert time.monotonic() < deadline, f"broker {node} is {state}"
        time.sleep(0.05)
