"""Through a proxy without faults clients see the cluster as it is, and the tap sees all that they do."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from chronik.audit.capture.tap import TapWriter
from chronik.audit.tables import schemas
from chronik.audit.tables.evidence import read_streams
from chronik.proxy.server import ProxyThread
from chronik.testing import ClusterProcess
from chronik.testing.topics import create_topic
from tests.audit.proxy.client_programs import PROGRAMS
from tests.groups_beside_kafka.kafka_process import running_kafka

VALUES = [b"message %d" % number for number in range(600)]
NODES = 3


@pytest.fixture(scope="module")
def cluster() -> Iterator[ClusterProcess]:
    with ClusterProcess(NODES, {"group.initial.rebalance.delay.ms": 0}) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def kafka(kafka_clients_jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    assert kafka_clients_jar.exists()
    settings = {"group.initial.rebalance.delay.ms": 0}
    with running_kafka(tmp_path_factory.mktemp("kafka") / "broker", settings) as bootstrap:
        yield bootstrap


@pytest.mark.xdist_group("proxy before our cluster")
@pytest.mark.parametrize("client", PROGRAMS)
def test_before_our_cluster_every_message_passes_and_nobody_leaves(
    cluster: ClusterProcess, tmp_path: Path, topic_name: str, client: str
) -> None:
    cluster.create_topic(topic_name, 3, replicas=3)
    seen = exchange(cluster.address_of(1), topic_name, client, tmp_path)
    assert {row["node"] for row in seen if row["api"] == "Produce"} == set(cluster.nodes)


@pytest.mark.xdist_group("proxy before Kafka")
@pytest.mark.parametrize("client", PROGRAMS)
def test_before_kafka_every_message_passes_and_nobody_leaves(
    kafka: str, tmp_path: Path, topic_name: str, client: str
) -> None:
    create_topic(kafka, topic_name, 3, {}, 60, -1)
    exchange(kafka, topic_name, client, tmp_path)


def exchange(upstream: str, topic: str, client: str, directory: Path) -> list[dict[str, object]]:
    """Send and read all messages through a proxy; the tap must have the whole story."""
    path = directory / "tap.arrows"
    with TapWriter(path, topic) as tap, ProxyThread(upstream, [], tap) as proxy:
        acks, got = PROGRAMS[client](proxy.bootstrap_servers, topic, f"group of {topic}", VALUES)
        assert proxy.seen.acked_in(topic) == len(VALUES)
    assert Counter(got) == Counter(VALUES)
    assert set(acks) == set(VALUES)
    rows: list[dict[str, object]] = read_streams([path], schemas.TAP).to_pylist()
    assert covered(rows, "Produce", "request") >= len(VALUES), "what a new topic's leader did not take is sent again"
    assert acknowledged(rows) == sorted(acks.values())
    assert covered(rows, "Fetch", "answer") >= len(VALUES)
    return rows


def covered(rows: list[dict[str, object]], api: str, direction: str) -> int:
    own = [row for row in rows if row["api"] == api and row["direction"] == direction]
    assert all(json.loads(str(row["text"]))["topic"] for row in own)
    return sum(int(str(row["count"])) for row in own)


def acknowledged(rows: list[dict[str, object]]) -> list[tuple[int, int]]:
    """Partition and offset of each message, from requests and answers that belong together."""
    counts = {}
    for row in rows:
        if row["api"] == "Produce" and row["direction"] == "request":
            counts[row["connection"], row["correlation"], row["partition"]] = int(str(row["count"]))
    places = []
    for row in rows:
        if row["api"] == "Produce" and row["direction"] == "answer" and row["error"] in ("", "NONE"):
            count = counts[row["connection"], row["correlation"], row["partition"]]
            base = int(str(row["offset"]))
            places += [(int(str(row["partition"])), base + index) for index in range(count)]
    return sorted(places)
