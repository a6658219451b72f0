"""How long nothing is acknowledged after a broker was killed: a producer with default settings and acks=all.

The gap is the longest time between two acknowledgements from just before the kill until all is well again.
"""

import itertools
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from confluent_kafka import Consumer, Producer

from benchmarks.cluster_contenders import Cluster, Contender, running, topic
from benchmarks.cluster_kafka import KafkaCluster, java
from benchmarks.load import InvalidMeasurementError
from benchmarks.trials import Sample
from nemesis.etcd import EtcdMembers
from nemesis.faults import coordinator_of

SEND_EVERY_SECONDS = 0.005
BEFORE_SECONDS = 2.0
# Long after any gap that would still be of interest.
RECOVERY_SECONDS_MAX = 60.0
QUIET_AFTER = 200
GROUPS_TRIED = 60


class Beat:
    """Sends a message every few milliseconds and notes when each is acknowledged."""

    def __init__(self, bootstrap: str, name: str) -> None:
        self.times: list[float] = []
        self.errors: list[str] = []
        self._topic = name
        self._producer = Producer({"bootstrap.servers": bootstrap, "acks": "all", "log_level": 0})
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Beat":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()
        self._producer.flush(RECOVERY_SECONDS_MAX)

    def _run(self) -> None:
        while not self._ending.is_set():
            self._producer.produce(self._topic, b"beat", partition=0, on_delivery=self._on_outcome)
            self._producer.poll(SEND_EVERY_SECONDS)

    def _on_outcome(self, error: object, _message: object) -> None:
        if error is None:
            self.times.append(time.monotonic())
        else:
            self.errors.append(str(error))

    def await_more(self, count: int, seconds_max: float) -> None:
        """Wait for so many further acknowledgements."""
        wanted, deadline = len(self.times) + count, time.monotonic() + seconds_max
        while len(self.times) < wanted:
            if time.monotonic() > deadline:
                raise InvalidMeasurementError(f"nothing was acknowledged for {seconds_max:.0f} s")
            time.sleep(0.02)

    def longest_gap(self, since: float) -> float:
        """The longest time without an acknowledgement since a moment."""
        later = [moment for moment in self.times if moment >= since]
        return max(after - before for before, after in itertools.pairwise([since, *later]))


def gaps(contender: Contender, directory: Path) -> list[Sample]:
    """Kill a follower, the leader, and whoever leads, controls and coordinates, each on a cluster that is whole."""
    suffix = "" if contender.store is None else "_etcd"
    with running(contender, directory) as cluster:
        controller = controller_of(cluster)
        other = next(node for node in sorted(cluster.running) if node != controller)
        return [
            Sample(f"gap_follower{suffix}", _gap(cluster, controller, other), 0.0),
            Sample(f"gap_leader{suffix}", _gap(cluster, other, other), 0.0),
            Sample(f"gap_all_roles{suffix}", _gap_of_all_roles(cluster), 0.0),
        ]


def gaps_on_etcd(directory: Path) -> list[Sample]:
    """The same on three members of etcd, and once with etcd's leader killed together with the partition's."""
    with _etcd(directory / "etcd") as etcd:
        samples = gaps(Contender("chronik", etcd.url), directory / "first")
        with running(Contender("chronik", etcd.url + "/second"), directory / "second") as cluster:
            leader = min(cluster.running)
            gap = _gap(cluster, leader, leader, lambda: etcd.kill([etcd.leader() or 0]))
    return [*samples, Sample("gap_etcds_leader_too", gap, 0.0)]


@contextmanager
def _etcd(directory: Path) -> Iterator[EtcdMembers]:
    etcd = EtcdMembers(directory)
    try:
        yield etcd.start()
    finally:
        etcd.close()


def _gap(cluster: Cluster, leader: int, victim: int, also: Callable[[], None] | None = None) -> float:
    """Kill one broker while another, or it, leads; give the gap, with the cluster whole again."""
    with topic(cluster, leader=leader) as name:
        with Beat(cluster.bootstrap_servers, name) as beat:
            beat.await_more(int(BEFORE_SECONDS / SEND_EVERY_SECONDS / 4), RECOVERY_SECONDS_MAX)
            killed = time.monotonic()
            cluster.kill(victim)
            if also is not None:
                also()
            beat.await_more(QUIET_AFTER, RECOVERY_SECONDS_MAX)
        if beat.errors:
            raise InvalidMeasurementError(f"{len(beat.errors)} sends failed: {beat.errors[0]}")
        cluster.start(victim)
        cluster.wait_ready(in_sync=True)
    return beat.longest_gap(killed)


def _gap_of_all_roles(cluster: Cluster) -> float:
    controller = controller_of(cluster)
    group = _group_of(cluster, controller)
    member = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": group, "log_level": 0})
    try:
        member.subscribe(["^bench-.*"])
        member.poll(1.0)
        return _gap(cluster, controller, controller)
    finally:
        member.close()


def _group_of(cluster: Cluster, node: int) -> str:
    """Find the name of a group that a broker coordinates."""
    for number in range(GROUPS_TRIED):
        if coordinator_of(cluster.bootstrap_servers, f"bench-{number}") == node:
            return f"bench-{number}"
    raise InvalidMeasurementError(f"broker {node} coordinates none of {GROUPS_TRIED} groups")


def controller_of(cluster: Cluster) -> int:
    """Who controls; Kafka tells clients any broker, and the truth to its own tool only."""
    if not isinstance(cluster, KafkaCluster):
        return cluster.view().controller_id
    command = ["org.apache.kafka.tools.MetadataQuorumCommand", "--bootstrap-server", cluster.bootstrap_servers]
    done = subprocess.run([*java(), *command, "describe", "--status"], capture_output=True, text=True, check=False)
    found = re.search(r"LeaderId:\s+(\d+)", done.stdout)
    if found is None:
        raise InvalidMeasurementError(f"Kafka's quorum has no leader: {done.stdout}{done.stderr}")
    return int(found[1])
