"""The two clusters of the race, by one interface, and what the kernel says of their processes."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from benchmarks import machine
from benchmarks.brokers import SHARED_SETTINGS
from benchmarks.cluster_kafka import KafkaCluster
from benchmarks.load import InvalidMeasurementError
from chronik.client.admin import Admin, NewTopic
from chronik.client.cluster import Cluster as Client
from chronik.client.cluster_view import ClusterView
from chronik.client.errors import ClientError
from chronik.client.settings import ClientSettings
from chronik.testing import ClusterProcess

BROKERS = 3
DELETION_SECONDS_MAX = 60
# A thousand partitions take their time, and that is a measurement and no failure.
PATIENT = ClientSettings(request_timeout_ms=120_000, retry_timeout_ms=120_000)
SETTINGS = {**SHARED_SETTINGS, "offsets.topic.num.partitions": "50"}


class Cluster(Protocol):
    """What a trial needs of a cluster."""

    directory: Path

    @property
    def running(self) -> list[int]: ...
    @property
    def bootstrap_servers(self) -> str: ...
    def address_of(self, node: int) -> str: ...
    def pid_of(self, node: int) -> int: ...
    def start(self, *nodes: int) -> object: ...
    def kill(self, *nodes: int) -> None: ...
    def wait_ready(self, seconds_max: float = ..., *, in_sync: bool = ...) -> object: ...
    def view(self, node: int | None = None) -> ClusterView: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Contender:
    """A kind of cluster; ``store`` is a URL where the cluster's facts are not in a file."""

    name: str
    store: str | None = None

    def cluster(self, directory: Path) -> Cluster:
        """Make one that is not started yet."""
        if self.name == "kafka":
            return KafkaCluster(BROKERS, SETTINGS, directory=directory)
        store: Mapping[str, object] = {} if self.store is None else {"chronik.metadata.store": self.store}
        return ClusterProcess(BROKERS, {**SETTINGS, **store}, directory=directory)


@contextmanager
def running(contender: Contender, directory: Path) -> Iterator[Cluster]:
    """A cluster that is ready inside the block."""
    cluster = contender.cluster(directory)
    try:
        cluster.start()
        cluster.wait_ready()
        yield cluster
    finally:
        cluster.close()


def cpu_seconds(cluster: Cluster) -> float:
    """Processor time of all brokers."""
    return sum(machine.cpu_seconds(cluster.pid_of(node)) for node in cluster.running)


def memory_mb(cluster: Cluster) -> float:
    """Anonymous memory of all brokers."""
    return sum(machine.anonymous_mb(cluster.pid_of(node)) for node in cluster.running)


class Cpu:
    """Processor time that a cluster uses inside a block in which none of its processes ends."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.seconds = 0.0

    def __enter__(self) -> "Cpu":
        self._before = cpu_seconds(self._cluster)
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = round(cpu_seconds(self._cluster) - self._before, 2)


@contextmanager
def topic(cluster: Cluster, partitions: int = 1, leader: int | None = None) -> Iterator[str]:
    """A topic with three replicas for the block; afterwards its files are gone. ``leader`` is who leads partition 0."""
    name = made_topic(cluster, partitions, leader)
    try:
        yield name
    finally:
        _administer(cluster, delete=name)
        _await_gone(cluster.directory, name)


def made_topic(cluster: Cluster, partitions: int = 1, leader: int | None = None) -> str:
    """Make a topic with three replicas, all of them in sync, and give its name."""
    name = f"bench-{time.monotonic_ns()}"
    order = sorted(cluster.running, key=lambda node: node != leader)
    _administer(
        cluster,
        create=NewTopic(name, partitions, BROKERS) if leader is None else NewTopic(name, assignment={0: order}),
    )
    cluster.wait_ready(in_sync=True)
    return name


def _administer(cluster: Cluster, *, create: NewTopic | None = None, delete: str | None = None) -> None:
    async def work() -> None:
        async with Client(cluster.bootstrap_servers, PATIENT) as client:
            admin = Admin(client)
            outcomes = await (admin.create_topics([create]) if create else admin.delete_topics([delete or ""]))
            for outcome in outcomes:
                outcome.raise_if_refused()

    try:
        asyncio.run(work())
    except ClientError as error:
        raise InvalidMeasurementError(error.what) from error


def _await_gone(directory: Path, name: str) -> None:
    deadline = time.monotonic() + DELETION_SECONDS_MAX
    while any(directory.glob(f"broker-*/data/{name}*")):
        if time.monotonic() > deadline:
            raise InvalidMeasurementError(f"the files of {name} are still there after {DELETION_SECONDS_MAX} s")
        time.sleep(0.05)
