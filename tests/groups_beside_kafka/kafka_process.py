"""A real Apache Kafka, of one broker or several, from the jars that `make test` fetches: the judge of what is right."""

import signal
import socket
import subprocess
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
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
    with running_kafka_cluster(directory, settings, brokers=1) as kafka:
        yield kafka.bootstrap


@dataclass(frozen=True, slots=True)
class KafkaBrokers:
    """Where brokers are reached, and their processes by node."""

    bootstrap: str
    pids: Mapping[int, int]


@contextmanager
def running_kafka_cluster(directory: Path, settings: Mapping[str, object], brokers: int) -> Iterator[KafkaBrokers]:
    """Start brokers of Kafka that are controllers, too; they listen, and need not know of each other yet."""
    directory.mkdir(parents=True)
    ports = _free_ports(2 * brokers)
    homes = _prepare(directory, settings, ports[:brokers], ports[brokers:])
    with ExitStack() as stack:
        started = [stack.enter_context(_running(home)) for home in homes]
        for process, home, port in zip(started, homes, ports, strict=False):
            _await_listening(process, port, home / "kafka.log")
        bootstrap = ",".join(f"127.0.0.1:{port}" for port in ports[:brokers])
        yield KafkaBrokers(bootstrap, {node: process.pid for node, process in enumerate(started, 1)})


@contextmanager
def _running(home: Path) -> Iterator["subprocess.Popen[bytes]"]:
    with (home / "kafka.log").open("wb") as log:
        command = [*_JAVA, "kafka.Kafka", str(home / "server.properties")]
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield process
    finally:
        if end(process, signal.SIGKILL, STOP_SECONDS_MAX) is None:
            raise AssertionError(f"Kafka (pid {process.pid}) does not end")


def _prepare(
    directory: Path, settings: Mapping[str, object], ports: Sequence[int], controllers: Sequence[int]
) -> list[Path]:
    """Write and format a directory for each broker."""
    cluster_id = urlsafe_b64encode(uuid4().bytes).decode().rstrip("=").replace("-", "x")
    voters = ",".join(f"{node}@127.0.0.1:{port}" for node, port in enumerate(controllers, 1))
    homes = []
    for node, (port, controller) in enumerate(zip(ports, controllers, strict=True), 1):
        home = directory / f"broker-{node}"
        home.mkdir()
        values = {
            "process.roles": "broker,controller",
            "node.id": node,
            "controller.quorum.voters": voters,
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
            "log.dirs": home / "data",
            "offsets.topic.replication.factor": 1,
            **settings,
        }
        properties = home / "server.properties"
        properties.write_text("".join(f"{name}={value}\n" for name, value in values.items()), encoding="ascii")
        command = [*_JAVA, "kafka.tools.StorageTool", "format", "-t", cluster_id, "-c", str(properties)]
        subprocess.run(command, check=True, capture_output=True, timeout=START_SECONDS_MAX)
        homes.append(home)
    return homes


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
