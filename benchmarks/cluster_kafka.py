"""Three brokers of Apache Kafka in KRaft combined mode, as processes that can be killed, paused and started again.

It answers to the same calls as `chronik.testing.ClusterProcess`, so that harnesses can be tried on Kafka first:
what then fails on Chronik only is Chronik's fault.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.brokers import free_port
from benchmarks.prerequisites import PEER_JARS, ROOT
from chronik.client.cluster_view import ClusterView
from chronik.testing.process import BrokerError
from chronik.testing.settling import await_settled, view_of
from chronik.testing.topics import create_topic

START_SECONDS_MAX = 90.0
STOP_SECONDS_MAX = 60.0
VIEW_SECONDS_MAX = 30.0
# Three of them share a machine with the clients.
JVM_OPTIONS = ("-Xms400m", "-Xmx400m", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-Djava.awt.headless=true")


class KafkaClusterError(BrokerError):
    """A broker of Kafka did not do what was asked of it."""


class KafkaCluster:
    """Brokers numbered from 1, each with a directory of its own."""

    def __init__(
        self,
        brokers: int = 3,
        settings: Mapping[str, object] | None = None,
        *,
        directory: Path,
        of_node: Mapping[int, Mapping[str, object]] | None = None,
        ports: Mapping[int, int] | None = None,
    ) -> None:
        self.directory = directory
        self.nodes = list(range(1, brokers + 1))
        self._ports = dict(ports or {node: free_port() for node in self.nodes})
        self._controllers = {node: free_port() for node in self.nodes}
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._settings = dict(settings or {})
        self._of_node = {node: dict(own) for node, own in (of_node or {}).items()}
        self._cluster_id = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=").replace("-", "x")

    @property
    def running(self) -> list[int]:
        """The numbers of those whose process is there."""
        return [node for node, process in self._processes.items() if process.poll() is None]

    @property
    def bootstrap_servers(self) -> str:
        return ",".join(map(self.address_of, self.nodes))

    def address_of(self, node: int) -> str:
        listeners = self._of_node.get(node, {}).get(
            "advertised.listeners", f"PLAINTEXT://127.0.0.1:{self._ports[node]}"
        )
        return str(listeners).removeprefix("PLAINTEXT://")

    def pid_of(self, node: int) -> int:
        return self._processes[node].pid

    def start(self, *nodes: int) -> Self:
        """Start these brokers, or all that do not run, and return when they know each other."""
        for node in nodes or [node for node in self.nodes if node not in self.running]:
            self._spawn(node)
        return self.wait_ready()

    def stop(self, *nodes: int) -> None:
        self._end(nodes or self.running, signal.SIGTERM)

    def kill(self, *nodes: int) -> None:
        self._end(nodes or self.running, signal.SIGKILL)

    def pause(self, node: int) -> None:
        os.kill(self.pid_of(node), signal.SIGSTOP)

    def resume(self, node: int) -> None:
        os.kill(self.pid_of(node), signal.SIGCONT)

    def wait_ready(self, seconds_max: float = START_SECONDS_MAX, *, in_sync: bool = False) -> Self:
        """Wait until every running broker tells of all of them and of leaders."""
        addresses = {node: self.address_of(node) for node in sorted(self.running)}
        missing = asyncio.run(await_settled(addresses, seconds_max, in_sync=in_sync))
        if missing is not None:
            raise KafkaClusterError(f"Kafka is not ready after {seconds_max:.0f} s: {missing}")
        return self

    def view(self, node: int | None = None) -> ClusterView:
        return asyncio.run(view_of(self.bootstrap_servers if node is None else self.address_of(node), VIEW_SECONDS_MAX))

    def create_topic(
        self, name: str, partitions: int = 1, configs: Mapping[str, object] | None = None, replicas: int = -1
    ) -> str:
        texts = {key: str(value) for key, value in (configs or {}).items()}
        create_topic(self.bootstrap_servers, name, partitions, texts, START_SECONDS_MAX, replicas)
        return name

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def log_notes(self) -> str:
        return "\n".join(
            f"broker {node}: {(self.directory / f'broker-{node}' / 'broker.log').read_text(errors='replace')[-1500:]}"
            for node in self.nodes
        )

    def prepare(self) -> None:
        """Write and format the directories of all, as `start` otherwise does."""
        for node in self.nodes:
            self._prepare(node)

    def _prepare(self, node: int) -> Path:
        home = self.directory / f"broker-{node}"
        home.mkdir(parents=True, exist_ok=True)
        properties = home / "server.properties"
        lines = {**self._basics(node, home), **self._settings, **self._of_node.get(node, {})}
        properties.write_text("".join(f"{name}={value}\n" for name, value in lines.items()), encoding="ascii")
        if not (home / "data" / "meta.properties").exists():
            command = [*java(), "kafka.tools.StorageTool", "format", "-t", self._cluster_id, "-c", str(properties)]
            subprocess.run(command, capture_output=True, check=True)
        return properties

    def _spawn(self, node: int) -> None:
        properties = self._prepare(node)
        with (properties.parent / "broker.log").open("ab") as log:
            self._processes[node] = subprocess.Popen(
                [*java(), "kafka.Kafka", str(properties)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _basics(self, node: int, home: Path) -> dict[str, object]:
        copies = min(len(self.nodes), 3)
        return {
            "process.roles": "broker,controller",
            "node.id": node,
            "controller.quorum.voters": ",".join(f"{n}@127.0.0.1:{p}" for n, p in self._controllers.items()),
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "listeners": f"PLAINTEXT://127.0.0.1:{self._ports[node]},CONTROLLER://127.0.0.1:{self._controllers[node]}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self._ports[node]}",
            "log.dirs": str(home / "data"),
            "default.replication.factor": copies,
            "offsets.topic.replication.factor": copies,
            "min.insync.replicas": min(len(self.nodes), 2),
            "log.segment.delete.delay.ms": 1000,
        }

    def _end(self, nodes: Iterable[int], number: signal.Signals) -> None:
        ending = [self._processes[node] for node in nodes]
        for process in ending:
            process.send_signal(number)
        for process in ending:
            try:
                process.wait(STOP_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def java() -> list[str]:
    """Begin a command that runs a class of Kafka's."""
    quiet = f"-Dlog4j2.configurationFile={ROOT / 'benchmarks' / 'peer' / 'log4j2.properties'}"
    return ["java", *JVM_OPTIONS, quiet, "-cp", f"{PEER_JARS}/*"]
