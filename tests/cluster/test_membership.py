"""Who is a member: brokers that are killed, stopped for a while, stopped in order, or mistaken for one another.

The session is so long where a death must be noticed that no time limit can have done it, and short where one must.
"""

import asyncio
import os
import signal
import time
from collections.abc import Callable

import pytest

from chronik.client.cluster_view import ClusterView, PartitionInfo
from chronik.client.connection import BrokerConnection
from chronik.client.errors import ClientError
from chronik.client.settings import ClientSettings
from chronik.protocol.generated.metadata import MetadataRequest, MetadataResponse
from chronik.testing import BrokerError, ClusterProcess
from chronik.testing.broker import Broker
from tests.cluster.conftest import StartCluster

WAIT_S = 60.0
LONG = {"broker.session.timeout.ms": 600_000}
SEND_SIGNAL = os.kill
SHORT = {"broker.session.timeout.ms": 6_000}


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + WAIT_S
    while not _holds(condition):
        assert time.monotonic() < end, f"not within {WAIT_S} s: {what}"
        time.sleep(0.02)


def _holds(condition: Callable[[], bool]) -> bool:
    try:
        return condition()
    except ClientError:
        # A busy machine may keep a broker from answering for a while.
        return False


def metadata_bytes(address: str) -> bytes:
    """What a node answers when it is asked for everything."""

    async def ask() -> bytes:
        host, _, port = address.rpartition(":")
        connection = await BrokerConnection.open(host, int(port), ClientSettings())
        try:
            answer = await connection.call(MetadataRequest(topics=None), MetadataResponse, version=12)
            return b"".join(map(bytes, answer.encode(12)))
        finally:
            connection.close()

    return asyncio.run(ask())


def tell_the_same(cluster: ClusterProcess) -> bool:
    return len({metadata_bytes(cluster.address_of(node)) for node in cluster.running}) == 1


def partitions(view: ClusterView, topic: str) -> list[PartitionInfo]:
    return list(view.topics[topic].partitions.values())


def members(cluster: ClusterProcess, node: int) -> set[int]:
    return {broker.node_id for broker in cluster.view(node).brokers.values()}


def leaders(cluster: ClusterProcess, node: int, topic: str) -> set[int]:
    return {partition.leader for partition in partitions(cluster.view(node), topic)}


def test_every_node_tells_the_same_of_brokers_controller_and_leaders(start_cluster: StartCluster) -> None:
    cluster = start_cluster(3, LONG)
    cluster.create_topic("t", 3)
    cluster.wait_ready(in_sync=True)
    until(lambda: tell_the_same(cluster), "the same metadata on all nodes")
    view = cluster.view(1)
    assert members(cluster, 1) == {1, 2, 3}
    assert view.controller_id in {1, 2, 3}
    assert leaders(cluster, 1, "t") == {1, 2, 3}


def test_who_is_killed_is_fenced_without_waiting_and_takes_its_own_place_again(start_cluster: StartCluster) -> None:
    cluster = start_cluster(3, LONG)
    cluster.create_topic("t", 3)
    cluster.wait_ready(in_sync=True)
    controller = cluster.view().controller_id
    victim, witness = (node for node in cluster.nodes if node != controller)
    cluster.kill(victim)
    until(lambda: leaders(cluster, witness, "t") == {controller, witness}, "others lead")
    assert members(cluster, witness) == {controller, witness}
    until(
        lambda: all(victim not in one.isr for one in partitions(cluster.view(witness), "t")), "in-sync sets without it"
    )
    cluster.start(victim).wait_ready(in_sync=True)
    until(lambda: tell_the_same(cluster), "the same metadata on all nodes")
    assert members(cluster, victim) == {1, 2, 3}


def test_who_are_killed_together_see_nothing_of_each_others_end(
    start_cluster: StartCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where whoever kills them is held up between one and the next for longer than a death takes to be noticed."""
    cluster = start_cluster(3, LONG)

    def kill_and_be_held_up(pid: int, number: int) -> None:
        SEND_SIGNAL(pid, number)
        if number == signal.SIGKILL:
            time.sleep(1)

    monkeypatch.setattr("os.kill", kill_and_be_held_up)
    cluster.kill()
    assert [broker for broker in cluster.brokers.values() if "gone or silent" in broker.log_text] == []


def test_a_killed_controller_that_led_is_replaced_in_both_offices(start_cluster: StartCluster) -> None:
    cluster = start_cluster(3, LONG)
    cluster.create_topic("t", 3)
    cluster.wait_ready(in_sync=True)
    first = cluster.view().controller_id
    rest = [node for node in cluster.nodes if node != first]
    cluster.kill(first)
    until(lambda: cluster.view(rest[0]).controller_id in rest, "another controller")
    until(lambda: leaders(cluster, rest[1], "t") == set(rest), "others lead")
    until(lambda: tell_the_same(cluster), "the same metadata on both nodes")


def test_who_is_paused_for_longer_than_its_session_is_fenced_and_registers_anew(start_cluster: StartCluster) -> None:
    cluster = start_cluster(3, SHORT)
    cluster.create_topic("t", 3)
    cluster.wait_ready(in_sync=True)
    paused = cluster.view().controller_id
    rest = [node for node in cluster.nodes if node != paused]
    cluster.pause(paused)
    until(lambda: members(cluster, rest[0]) == set(rest), "the paused broker is fenced")
    until(lambda: leaders(cluster, rest[0], "t") <= set(rest), "others lead")
    cluster.resume(paused)
    cluster.wait_ready(in_sync=True)
    until(lambda: "is registered again" in cluster.brokers[paused].log_text, "it says so")
    assert cluster.brokers[paused].is_running
    until(lambda: tell_the_same(cluster), "the same metadata on all nodes")


def test_who_stops_in_order_has_handed_over_when_it_is_gone(start_cluster: StartCluster) -> None:
    cluster = start_cluster(3, LONG)
    cluster.create_topic("t", 3)
    cluster.wait_ready(in_sync=True)
    until(lambda: leaders(cluster, 2, "t") == {1, 2, 3}, "all lead")
    cluster.stop(1)
    # That was done before the process ended; the others hear of it in their own time.
    assert "broker 1 handed over 1 leaderships" in cluster.brokers[1].log_text
    until(lambda: leaders(cluster, 2, "t") == {2, 3}, "others lead")
    until(lambda: all(1 not in one.isr for one in partitions(cluster.view(2), "t")), "in-sync sets without it")
    until(lambda: members(cluster, 2) == {2, 3}, "the registration is gone")


def test_another_broker_of_the_same_id_is_refused_with_the_reason(start_cluster: StartCluster) -> None:
    cluster = start_cluster(1, SHORT)
    settings = dict(cluster.brokers[1].settings)
    other = Broker(settings, directory=cluster.directory / "another")
    with pytest.raises(
        BrokerError, match=f"broker 1 also runs at {cluster.address_of(1)}, with another data directory"
    ):
        other.start()
    other.close()
    assert members(cluster, 1) == {1}
