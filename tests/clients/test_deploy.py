"""What is in ``deploy/`` holds: the unit's command, readiness and both signals as a process, the Dockerfile's parts."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chronik.server.settings.server import load_settings
from tests.brokers import CHRONIK, BrokerProcess

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "deploy" / "chronik.service"
DOCKERFILE = ROOT / "deploy" / "Dockerfile"
INSTALLED = "/opt/chronik/bin/chronik"
STOP_SECONDS_MAX = 30.0


def unit_values(key: str) -> list[str]:
    found = re.findall(rf"^{key}=(.*)$", UNIT.read_text(), re.MULTILINE)
    assert found, f"the unit has no {key}"
    return found


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, lines that go on joined."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    parts = (line.split(None, 1) for line in text.splitlines() if line.strip())
    return [(word, " ".join(rest.split())) for word, rest in parts]


def instruction(word: str) -> str:
    return next(rest for found, rest in reversed(instructions()) if found == word)


# --- the unit


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """A socket in the place of systemd's."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiving:
        receiving.bind(str(tmp_path / "notify"))
        receiving.settimeout(60)
        yield receiving


def unit_command(tmp_path: Path) -> list[str]:
    """The command of the unit, on this machine's paths and any free port."""
    (tmp_path / "server.properties").write_text(
        "listeners=PLAINTEXT://127.0.0.1:0\nchronik.http.listener=127.0.0.1:0\n"
    )
    command = unit_values("ExecStart")[0]
    for theirs, ours in (
        (INSTALLED, str(CHRONIK)),
        ("/etc/chronik", str(tmp_path)),
        ("/var/lib/chronik", str(tmp_path / "data")),
    ):
        assert theirs in command
        command = command.replace(theirs, ours)
    return shlex.split(command)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_unit_s_command_tells_of_readiness_and_ends_cleanly_by_either_signal(
    tmp_path: Path, manager: socket.socket, number: signal.Signals
) -> None:
    environ = {**os.environ, "NOTIFY_SOCKET": manager.getsockname()}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(unit_command(tmp_path), stdout=log, stderr=log, env=environ)
    try:
        assert b"READY=1" in manager.recv(1_000).splitlines()
        process.send_signal(number)
        started = time.monotonic()
        assert b"STOPPING=1" in manager.recv(1_000).splitlines()
        assert process.wait(STOP_SECONDS_MAX) == 0, (tmp_path / "log").read_text()
        assert time.monotonic() - started < STOP_SECONDS_MAX
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    assert (tmp_path / "data" / ".kafka_cleanshutdown").exists()
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_unit_asks_for_what_the_broker_does() -> None:
    assert unit_values("Type") == ["notify"]
    assert unit_values("KillSignal") == ["SIGTERM"]
    assert unit_values("Restart") == ["on-failure"]
    assert unit_values("RestartPreventExitStatus") == ["3"]
    defaults = load_settings(overrides={"log.dirs": "/data"})
    assert int(unit_values("LimitNOFILE")[0]) > defaults.connections_max


def test_settings_that_cannot_be_used_end_with_the_code_that_is_not_restarted(tmp_path: Path) -> None:
    command = unit_command(tmp_path)
    (tmp_path / "server.properties").write_text("no.such.setting=1\n")
    assert subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 3


def test_doctor_before_the_start_does_not_keep_the_broker_from_starting(tmp_path: Path) -> None:
    (command,) = unit_values("ExecStartPre")
    assert command.startswith(f"-{INSTALLED} doctor ")
    replaced = command[1:].replace(INSTALLED, str(CHRONIK)).replace("/var/lib/chronik", str(tmp_path))
    ended = subprocess.run(
        shlex.split(replaced.replace("/etc/chronik", str(tmp_path))), capture_output=True, timeout=60, check=False
    )
    assert ended.returncode == 1, "the settings file is missing, and the doctor says so"


def test_unit_is_one_that_systemd_understands(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None and os.environ.get("CI") == "true":
        pytest.fail("systemd-analyze is not installed: apt-get install systemd")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed: apt-get install systemd")
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace(INSTALLED, str(CHRONIK)))
    done = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, timeout=60, check=False)
    # Only what concerns this unit: a machine may have others that are wrong. Unknown keys are told, not failed.
    told = [line for line in (done.stdout + done.stderr).splitlines() if UNIT.name in line]
    assert (done.returncode, told) == (0, [])


# --- the Dockerfile


def test_image_is_built_in_two_stages_from_a_base_that_anybody_can_pull() -> None:
    stages = [rest for word, rest in instructions() if word == "FROM"]
    assert stages == ["${PYTHON_IMAGE} AS build", "${PYTHON_IMAGE}"]
    base = instruction("ARG").removeprefix("PYTHON_IMAGE=")
    assert re.fullmatch(r"python:3\.1[1-9]-slim", base)


def test_every_file_that_the_image_takes_is_in_the_repository_and_sent_to_the_builder() -> None:
    copied = [
        source
        for word, rest in instructions()
        if word == "COPY" and "--from" not in rest
        for source in rest.split()[:-1]
    ]
    assert set(copied) == {"requirements/runtime.txt", "pyproject.toml", "README.md", "LICENSE", "src"}
    sent = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text().splitlines()
    assert {f"!{source}" for source in copied} <= set(sent)
    assert all((ROOT / source).exists() for source in copied)


def test_broker_of_the_image_is_not_root_and_gets_signals_itself() -> None:
    uid, _, gid = instruction("USER").partition(":")
    assert int(uid) > 0
    assert int(gid) > 0
    made = " ".join(rest for word, rest in instructions() if word == "RUN")
    assert f"--uid {uid}" in made
    assert f"--gid {gid}" in made
    # In the form of a list there is no shell between the signal and the broker.
    assert json.loads(instruction("ENTRYPOINT")) + json.loads(instruction("CMD")) == ["chronik", "serve"]
    assert instruction("STOPSIGNAL") == "SIGTERM"


def test_settings_of_the_image_serve_its_port_and_keep_data_in_its_volume() -> None:
    pairs = [pair.partition("=") for pair in shlex.split(instruction("ENV"))]
    settings = load_settings(environ={name: value for name, _, value in pairs}, hostname="a-container")
    (listener,) = settings.listeners
    assert settings.http_listener is not None
    assert settings.http_listener.host == listener.host == ""
    assert [listener.port, settings.http_listener.port] == list(map(int, instruction("EXPOSE").split()))
    assert (listener.advertised_host, listener.advertised_port) == ("a-container", listener.port)
    assert [settings.data_dir] == json.loads(instruction("VOLUME"))
    assert settings.warnings == ()


def test_health_check_tells_a_broker_that_serves_from_one_that_does_not(shared_broker: BrokerProcess) -> None:
    command = instruction("HEALTHCHECK").partition(" CMD ")[2]

    def exit_code(bootstrap: str) -> int:
        path = f"{CHRONIK.parent}{os.pathsep}{os.environ['PATH']}"
        environ = {**os.environ, "PATH": path, "CHRONIK_BOOTSTRAP": bootstrap}
        return subprocess.run(
            ["sh", "-c", command], env=environ, capture_output=True, timeout=60, check=False
        ).returncode

    assert exit_code(shared_broker.bootstrap) == 0
    # Docker keeps every code but 0 and 1 for itself.
    assert exit_code("127.0.0.1:1") == 1
