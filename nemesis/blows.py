"""Carrying out a fault, and undoing it."""

import time
from collections.abc import Callable, Mapping
from random import Random

from confluent_kafka.admin import AdminClient

from chronik.client.cluster_view import PartitionInfo
from chronik.client.errors import ClientError
from nemesis.plan import Blow, Fault, Target
from nemesis.stage import Stage

LOOK_SECONDS_MAX = 40.0
STEP_SECONDS = 0.1


class NobodyFoundError(Exception):
    """Whoever is meant could not be found in time: nobody leads, or nobody says so."""


def strike(stage: Stage, blow: Blow, topic: str, group: str, dice: Random) -> Callable[[], None]:
    """Do it, and give what undoes it."""
    if blow.fault is Fault.ALL:
        stage.cluster.kill()
        return stage.start
    if blow.fault is Fault.STORE:
        return _strike_store(stage, dice)
    node = node_for(stage, blow, topic, group, dice)
    match blow.fault:
        case Fault.KILL:
            stage.cluster.kill(node)
            return stage.start
        case Fault.PAUSE:
            stage.cluster.pause(node)
            return lambda: _resume(stage, node)
        case Fault.CUT:
            stage.cut(node, blow.way)
            return lambda: stage.mend(node)
        case _:
            stage.fill_disk(node)
            return lambda: _free_disk(stage, node)


def _resume(stage: Stage, node: int) -> None:
    """Let it go on; one that was stopped while it held the store's write lock has been ended by the others."""
    if node in stage.cluster.running:
        stage.cluster.resume(node)
    stage.start()


def _free_disk(stage: Stage, node: int) -> None:
    """What could not be written is offline until the broker is started again."""
    stage.empty_disk(node)
    if node in stage.cluster.running:
        stage.cluster.kill(node)
    stage.start()


def _strike_store(stage: Stage, dice: Random) -> Callable[[], None]:
    etcd = stage.etcd
    assert etcd is not None, "this store has no process of its own"
    leader = etcd.leader()
    members = [leader] if leader is not None and dice.random() < 0.7 else None
    etcd.kill(members)
    return lambda: _start_store(stage)


def _start_store(stage: Stage) -> None:
    assert stage.etcd is not None
    stage.etcd.start()


def node_for(stage: Stage, blow: Blow, topic: str, group: str, dice: Random) -> int:
    """Look up who is meant, asking again while there is none."""
    deadline = time.monotonic() + LOOK_SECONDS_MAX
    while True:
        node = _found(stage, blow, topic, group, dice)
        if node in stage.cluster.running:
            return node
        if time.monotonic() > deadline:
            raise NobodyFoundError(f"no {blow.target.value} was found in {LOOK_SECONDS_MAX:.0f} s")
        time.sleep(STEP_SECONDS)


def _found(stage: Stage, blow: Blow, topic: str, group: str, dice: Random) -> int | None:
    try:
        view = stage.cluster.view()
    except ClientError:
        return None
    if blow.target is Target.CONTROLLER:
        return view.controller_id
    if blow.target is Target.COORDINATOR:
        return coordinator_of(stage.cluster.bootstrap_servers, group)
    partitions: Mapping[int, PartitionInfo] = view.topics[topic].partitions if topic in view.topics else {}
    partition = partitions.get(blow.partition)
    if partition is None or blow.target is Target.LEADER:
        return None if partition is None else partition.leader
    followers = sorted(set(partition.isr) - {partition.leader})
    return dice.choice(followers) if followers else None


def coordinator_of(bootstrap: str, group: str) -> int | None:
    """Ask who coordinates a group; None where nobody says."""
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    try:
        described = admin.describe_consumer_groups([group], request_timeout=5)[group].result(6)
    except Exception:  # noqa: BLE001 -- whatever is wrong, the question is asked again
        return None
    return int(described.coordinator.id)
