"""A real Apache Kafka with one broker, from the jars that `make test` fetches: the judge of what a group does."""

import signal
import socket
import subprocess
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from chronik.testing.process import end
from tests.kafka_tools import LIBS

START_SECONDS_MAX = 180.0
STOP_SECONDS_MAX = 20.0
_JAVA = ("java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx384m", "-cp", f"{LIBS}/*")


@contextmanager
def running_kafka(directory: Path, settings: Mapping[str, object]) -> Iterator[str]:
    """Start Kafka, give where it is reached, and end it whatever happens."""
    directory.mkdir(parents=True)
    port, properties = _prepare(directory, settings)
    log_path = directory / "kafka.log"
    with log_path.open("wb") as log:
        process = subprocess.Popen([*_JAVA, "kafka.Kafka", str(properties)], stdout=log, stderr=log)
    try:
        _await_listening(process, port, log_path)
        yield f"127.0.0.1:{port}"
    finally:
        if end(process, signal.SIGKILL, STOP_SECONDS_MAX) is None:
            raise AssertionError(f"Kafka (pid {process.pid}) does not end")


def _prepare(directory: Path, settings: Mapping[str, object]) -> tuple[int, Path]:
    port, controller = _free_ports(2)
    values = {
        "process.roles": "broker,controller",
        "node.id": 1,
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
        "log.dirs": directory / "data",
        "offsets.topic.replication.factor": 1,
        **settings,
    }
    properties = directory / "server.properties"
    properties.write_text("".join(f"{name}={value}\n" for name, value in values.items()), encoding="ascii")
    cluster_id = urlsafe_b64encode(uuid4().bytes).decode().rstrip("=").replace("-", "x")
    command = [*_JAVA, "kafka.tools.StorageTool", "format", "-t", cluster_id, "-c", str(properties)]
    subprocess.run(command, check=True, capture_output=True, timeout=START_SECONDS_MAX)
    return port, properties


def _free_ports(count: int) -> list[int]:
    """Ports that are free now; held together, so that they differ."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(listener.getsockname()[1]) for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


def _await_listening(process: "subprocess.Popen[bytes]", port: int, log_path: Path) -> None:
    deadline = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"Kafka does not listen:\n{log_path.read_text(errors='replace')[-3000:]}")
