"""Injecting a fault, and undoing it."""

import time
from collections.abc import Callable, Mapping
from random import Random

from confluent_kafka.admin import AdminClient

from chronik.client.cluster_view import PartitionInfo
from chronik.client.errors import ClientError
from nemesis.plan import Fault, FaultKind, Target
from nemesis.stage import Stage

LOOK_SECONDS_MAX = 40.0
STEP_SECONDS = 0.1


class TargetNotFoundError(Exception):
    """No broker has the wanted role, or no broker answers."""


def inject(stage: Stage, fault: Fault, topic: str, group: str, rng: Random) -> Callable[[], None]:
    """Inject a fault, and return the function that undoes it."""
    if fault.kind is FaultKind.ALL:
        stage.cluster.kill()
        return stage.start
    if fault.kind is FaultKind.STORE:
        return _kill_store(stage, rng)
    node = node_for(stage, fault, topic, group, rng)
    match fault.kind:
        case FaultKind.KILL:
            stage.cluster.kill(node)
            return stage.start
        case FaultKind.PAUSE:
            stage.cluster.pause(node)
            return lambda: _resume(stage, node)
        case FaultKind.CUT:
            stage.cut(node, fault.way)
            return lambda: stage.heal(node)
        case _:
            stage.fill_disk(node)
            return lambda: _free_disk(stage, node)


def _resume(stage: Stage, node: int) -> None:
    """Resume a broker; the other brokers have killed one that was paused while it held the store's write lock."""
    if node in stage.cluster.running:
        stage.cluster.resume(node)
    stage.start()


def _free_disk(stage: Stage, node: int) -> None:
    """Restart the broker: logs that could not be written stay offline until then."""
    stage.empty_disk(node)
    if node in stage.cluster.running:
        stage.cluster.kill(node)
    stage.start()


def _kill_store(stage: Stage, rng: Random) -> Callable[[], None]:
    etcd = stage.etcd
    assert etcd is not None, "this store has no process of its own"
    leader = etcd.leader()
    members = [leader] if leader is not None and rng.random() < 0.7 else None
    etcd.kill(members)
    return lambda: _start_store(stage)


def _start_store(stage: Stage) -> None:
    assert stage.etcd is not None
    stage.etcd.start()


def node_for(stage: Stage, fault: Fault, topic: str, group: str, rng: Random) -> int:
    """Look up the broker with the wanted role, with retries."""
    deadline = time.monotonic() + LOOK_SECONDS_MAX
    while True:
        node = _found(stage, fault, topic, group, rng)
        if node in stage.cluster.running:
            return node
        if time.monotonic() > deadline:
            raise TargetNotFoundError(f"no {fault.target.value} was found in {LOOK_SECONDS_MAX:.0f} s")
        time.sleep(STEP_SECONDS)


def _found(stage: Stage, fault: Fault, topic: str, group: str, rng: Random) -> int | None:
    try:
        view = stage.cluster.view()
    except ClientError:
        return None
    if fault.target is Target.CONTROLLER:
        return view.controller_id
    if fault.target is Target.COORDINATOR:
        return coordinator_of(stage.cluster.bootstrap_servers, group)
    partitions: Mapping[int, PartitionInfo] = view.topics[topic].partitions if topic in view.topics else {}
    partition = partitions.get(fault.partition)
    if partition is None or fault.target is Target.LEADER:
        return None if partition is None else partition.leader
    followers = sorted(set(partition.isr) - {partition.leader})
    return rng.choice(followers) if followers else None


def coordinator_of(bootstrap: str, group: str) -> int | None:
    """Return the coordinator of a group; None where no broker answers."""
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    try:
        described = admin.describe_consumer_groups([group], request_timeout=5)[group].result(6)
    except Exception:  # noqa: BLE001 -- the caller retries after any error
        return None
    return int(described.coordinator.id)
