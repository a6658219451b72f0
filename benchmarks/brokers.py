"""The two contenders as processes: how each is prepared, started and stopped."""

import shutil
import socket
import subprocess
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from benchmarks.load import InvalidMeasurementError
from benchmarks.prerequisites import PEER_JARS, ROOT

START_SECONDS_MAX = 60
STOP_SECONDS_MAX = 60
# Deleted topics must leave the disk between rounds, and both brokers by default keep them for a minute.
SHARED_SETTINGS = {"log.segment.delete.delay.ms": "1000"}
# The options that Kafka's own start scripts give to its JVM, and the heap of the agreed comparison.
JVM_OPTIONS = (
    "-Xms1g",
    "-Xmx1g",
    "-server",
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35",
    "-XX:+ExplicitGCInvokesConcurrent",
    "-Djava.awt.headless=true",
)


class Contender(Protocol):
    """A kind of broker."""

    name: str

    def prepare(self, directory: Path, port: int, settings: Mapping[str, str]) -> list[str]:
        """Make a data directory ready and return the command that serves it."""


class Chronik:
    """Our own broker, as `chronik serve` starts it."""

    name = "chronik"

    def prepare(self, directory: Path, port: int, settings: Mapping[str, str]) -> list[str]:
        command = [str(ROOT / ".venv" / "bin" / "chronik"), "serve", "--json"]
        command += ["--listen", f"127.0.0.1:{port}", "--data", str(directory / "data")]
        # Nobody watches unless a measurement is about that.
        for name, value in {"chronik.http.listener": "", **SHARED_SETTINGS, **settings}.items():
            command += ["-X", f"{name}={value}"]
        return command


class Kafka:
    """Apache Kafka in KRaft combined mode, with its defaults wherever nothing else is said."""

    name = "kafka"

    def prepare(self, directory: Path, port: int, settings: Mapping[str, str]) -> list[str]:
        properties = directory / "server.properties"
        controller = _controller_port(properties) if properties.exists() else free_port()
        lines = {**self._basics(directory, port, controller), **SHARED_SETTINGS, **settings}
        properties.write_text("".join(f"{name}={value}\n" for name, value in lines.items()), encoding="ascii")
        if not (directory / "data" / "meta.properties").exists():
            self._format(properties)
        return [*self._java(), "kafka.Kafka", str(properties)]

    def _basics(self, directory: Path, port: int, controller: int) -> dict[str, str]:
        return {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
            "log.dirs": str(directory / "data"),
            "offsets.topic.replication.factor": "1",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
        }

    def _java(self) -> list[str]:
        quiet = f"-Dlog4j2.configurationFile={ROOT / 'benchmarks' / 'peer' / 'log4j2.properties'}"
        return ["java", *JVM_OPTIONS, quiet, "-cp", f"{PEER_JARS}/*"]

    def _format(self, properties: Path) -> None:
        cluster_id = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=").replace("-", "x")
        command = [*self._java(), "kafka.tools.StorageTool", "format", "-t", cluster_id, "-c", str(properties)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise InvalidMeasurementError(f"Kafka's storage could not be formatted: {done.stdout}{done.stderr}")


@dataclass
class Broker:
    """A running broker process."""

    name: str
    directory: Path
    port: int
    process: "subprocess.Popen[bytes]"

    @property
    def servers(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return self.process.pid

    def check_alive(self) -> None:
        if self.process.poll() is not None:
            raise InvalidMeasurementError(f"{self.name} ended with {self.process.returncode}: {self._last_words()}")

    def stop(self) -> None:
        """End the process in good order, or by force after a minute."""
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _last_words(self) -> str:
        return (self.directory / "broker.log").read_text(encoding="utf-8", errors="replace")[-1500:]


def spawn(contender: Contender, directory: Path, port: int, settings: Mapping[str, str]) -> Broker:
    """Start a broker and do not wait for it."""
    directory.mkdir(parents=True, exist_ok=True)
    command = contender.prepare(directory, port, settings)
    with (directory / "broker.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    return Broker(contender.name, directory, port, process)


@contextmanager
def running(contender: Contender, directory: Path, settings: Mapping[str, str]) -> Iterator[Broker]:
    """A broker that listens inside the block; its process and data are gone afterwards."""
    broker = spawn(contender, directory, free_port(), settings)
    try:
        await_listening(broker)
        yield broker
    finally:
        broker.stop()
        shutil.rmtree(directory, ignore_errors=True)


def await_listening(broker: Broker) -> None:
    """Return when the broker's port is open."""
    deadline = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < deadline:
        broker.check_alive()
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", broker.port)) == 0:
                return
        time.sleep(0.02)
    raise InvalidMeasurementError(f"{broker.name} does not listen after {START_SECONDS_MAX} s")


def free_port() -> int:
    """A port that is free now and, coming from the kernel's counter, stays so for a while."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _controller_port(properties: Path) -> int:
    """A formatted directory keeps its quorum's address over restarts."""
    for line in properties.read_text(encoding="ascii").splitlines():
        if line.startswith("controller.quorum.voters="):
            return int(line.rpartition(":")[2])
    raise LookupError(f"{properties} names no controller")
