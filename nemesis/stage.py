"""The cluster under test: brokers behind proxies, on small disks, on a store that can be killed."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from chronik.client.cluster_view import ClusterView
from chronik.testing import ClusterProcess
from chronik.testing.topics import delete_topic
from nemesis.etcd import EtcdMembers, free_ports

ROOT = Path(__file__).resolve().parent.parent
BROKERS = 3
TOPICS_KEPT = 2
DELETE_SECONDS_MAX = 60.0
DISK_MEBIBYTES = 160
SETTINGS = {
    "group.initial.rebalance.delay.ms": 0,
    "offsets.topic.num.partitions": 3,
    # What a round has left behind must be gone before the small disks are full of it.
    "log.segment.delete.delay.ms": 1000,
    "replica.lag.time.max.ms": 10_000,
}


class Cluster(Protocol):
    """The operations on a cluster of Chronik or of Apache Kafka."""

    @property
    def running(self) -> list[int]: ...
    @property
    def bootstrap_servers(self) -> str: ...
    def address_of(self, node: int) -> str: ...
    def pid_of(self, node: int) -> int: ...
    def start(self, *nodes: int) -> object: ...
    def kill(self, *nodes: int) -> None: ...
    def pause(self, node: int) -> None: ...
    def resume(self, node: int) -> None: ...
    def wait_ready(self, seconds_max: float = ..., *, in_sync: bool = ...) -> object: ...
    def view(self, node: int | None = None) -> ClusterView: ...
    def create_topic(
        self, name: str, partitions: int = 1, configs: Mapping[str, object] | None = None, replicas: int = -1
    ) -> str: ...
    def log_notes(self) -> str: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Scene:
    """The configuration of a stage."""

    product: str = "chronik"
    store: str = "sqlite"
    small_disks: bool = True


class Stage:
    """Three brokers; ``with Stage(scene, directory) as stage`` starts and ends everything."""

    def __init__(self, scene: Scene, directory: Path) -> None:
        self.scene = scene
        self.directory = directory
        self.nodes = list(range(1, BROKERS + 1))
        self.etcd = EtcdMembers(directory / "etcd") if scene.store == "etcd" else None
        self._retired: list[str] = []
        self._undo = contextlib.ExitStack()

    def __enter__(self) -> "Stage":
        try:
            self._build()
        except BaseException:
            self._undo.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    def start(self) -> None:
        """Start every broker that does not run."""
        self.cluster.start()
        self.send_pids()

    def send_pids(self) -> None:
        """Send the brokers' process ids to the proxy, which matches connections by them."""
        self._order("pids " + " ".join(f"{node}={self.cluster.pid_of(node)}" for node in self.cluster.running))

    def cut(self, node: int, way: str) -> None:
        self._order(f"cut {node} {way}")

    def heal(self, node: int) -> None:
        self._order(f"heal {node}")

    def retire(self, topic: str) -> None:
        """Keep the topics of the last rounds, which have no writers, and delete older ones: disks are small."""
        self._retired.append(topic)
        if len(self._retired) > TOPICS_KEPT:
            delete_topic(self.cluster.bootstrap_servers, self._retired.pop(0), DELETE_SECONDS_MAX)

    def fill_disk(self, node: int) -> None:
        """Take every byte that is left on a broker's disk."""
        path = self._data(node)
        with (path / "ballast").open("ab", buffering=0) as file:
            # The broker takes what is left at the same time.
            with contextlib.suppress(OSError):
                os.posix_fallocate(file.fileno(), 0, max(shutil.disk_usage(path).free - 65536, 1))
            file.seek(0, os.SEEK_END)
            with contextlib.suppress(OSError):
                while True:
                    file.write(bytes(4096))

    def empty_disk(self, node: int) -> None:
        (self._data(node) / "ballast").unlink(missing_ok=True)

    def _data(self, node: int) -> Path:
        return self.directory / "cluster" / f"broker-{node}" / "data"

    def _build(self) -> None:
        if self.etcd is not None:
            self._undo.callback(self.etcd.close)
            self.etcd.start()
        if self.scene.small_disks:
            for node in self.nodes:
                self._mount(self._data(node))
        ports = dict(zip(self.nodes, free_ports(len(self.nodes)), strict=True))
        addresses = self._start_proxy(ports)
        self.cluster = self._cluster(ports, addresses)
        self._undo.callback(self.cluster.close)
        self.start()
        self.cluster.wait_ready()

    def _mount(self, path: Path) -> None:
        path.mkdir(parents=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEBIBYTES}m", "chronik-nemesis", str(path)]
        subprocess.run(command, check=True)
        self._undo.callback(subprocess.run, ["umount", "--lazy", str(path)], check=False)

    def _start_proxy(self, ports: Mapping[int, int]) -> dict[int, str]:
        doors = [f"{node}=127.0.0.1:{port}" for node, port in ports.items()]
        self._proxy = subprocess.Popen(
            [sys.executable, "-m", "nemesis.proxy", *doors],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._undo.callback(self._end_proxy)
        assert self._proxy.stdout is not None
        return {int(node): address for node, address in json.loads(self._proxy.stdout.readline()).items()}

    def _end_proxy(self) -> None:
        self._proxy.kill()
        self._proxy.wait()

    def _order(self, words: str) -> None:
        assert self._proxy.stdin is not None
        self._proxy.stdin.write(words.encode() + b"\n")
        self._proxy.stdin.flush()

    def _cluster(self, ports: Mapping[int, int], addresses: Mapping[int, str]) -> Cluster:
        directory = self.directory / "cluster"
        advertised = {node: {"advertised.listeners": f"PLAINTEXT://{address}"} for node, address in addresses.items()}
        if self.scene.product == "kafka":
            from benchmarks.cluster_kafka import KafkaCluster

            return KafkaCluster(BROKERS, SETTINGS, directory=directory, of_node=advertised, ports=ports)
        listening = {
            node: {**advertised[node], "listeners": f"PLAINTEXT://127.0.0.1:{port}"} for node, port in ports.items()
        }
        store = {} if self.etcd is None else {"chronik.metadata.store": self.etcd.url}
        return ClusterProcess(BROKERS, {**SETTINGS, **store}, directory=directory, of_node=listening)
