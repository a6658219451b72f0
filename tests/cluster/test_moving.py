"""Replicas and leaderships that Kafka's own tools move from broker to broker, with all that was acknowledged."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from chronik.client.cluster_view import PartitionInfo
from chronik.testing import ClusterProcess
from tests.cluster.replicas import await_committed, leader_of, segments_of
from tests.regressions.processes import wait_until
from tests.regressions.wire import Wire, values_of

REASSIGN = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"
ELECT = "org.apache.kafka.tools.LeaderElectionCommand"
WAIT_S = 60.0
VALUES = [b"%d" % number for number in range(20)]

RunTool = Callable[..., CompletedProcess[str]]


def partition(cluster: ClusterProcess, topic: str) -> PartitionInfo:
    return cluster.view().topics[topic].partitions[0]


def read(cluster: ClusterProcess, topic: str) -> list[bytes | None]:
    await_committed(cluster, topic)
    with Wire(cluster.address_of(leader_of(cluster, topic))) as wire:
        return values_of(wire.read_all(topic))


def test_kafkas_tools_move_replicas_and_leaders_with_all_that_they_hold(
    cluster: ClusterProcess, topic_name: str, tmp_path: Path, run_kafka_tool: RunTool
) -> None:
    cluster.create_topic(topic_name, replicas=2)
    cluster.wait_ready(in_sync=True)
    leaving, staying = partition(cluster, topic_name).replicas
    (coming,) = set(cluster.nodes) - {leaving, staying}
    with Wire(cluster.address_of(leader_of(cluster, topic_name))) as wire:
        for value in VALUES:
            wire.append(topic_name, value, acks=-1)

    wish = tmp_path / "wish.json"
    moved = {"topic": topic_name, "partition": 0, "replicas": [coming, staying]}
    wish.write_text(json.dumps({"version": 1, "partitions": [moved]}))
    where = ("--bootstrap-server", cluster.bootstrap_servers)
    begun = run_kafka_tool(REASSIGN, *where, "--reassignment-json-file", str(wish), "--execute")
    assert "Successfully started partition reassignment" in begun.stdout, begun.stdout + begun.stderr

    wait_until(lambda: partition(cluster, topic_name).replicas == (coming, staying), WAIT_S, "the replicas have moved")
    wait_until(lambda: set(partition(cluster, topic_name).isr) == {coming, staying}, WAIT_S, "both are in sync")
    assert read(cluster, topic_name) == VALUES
    wait_until(lambda: not segments_of(cluster, leaving, topic_name), WAIT_S, "who gave it up has removed it")
    seen = run_kafka_tool(REASSIGN, *where, "--reassignment-json-file", str(wish), "--verify")
    assert f"Reassignment of partition {topic_name}-0 is completed" in seen.stdout, seen.stdout + seen.stderr

    chosen = ("--topic", topic_name, "--partition", "0", "--election-type", "preferred")
    elected = run_kafka_tool(ELECT, *where, *chosen)
    assert elected.returncode == 0, elected.stdout + elected.stderr
    wait_until(lambda: leader_of(cluster, topic_name) == coming, WAIT_S, "the preferred replica leads")
    assert read(cluster, topic_name) == VALUES
