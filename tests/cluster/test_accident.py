"""The accident: 5,000 messages with kafka-python, as fast as it can, and every one of them is read."""

import os
from collections import Counter
from collections.abc import Iterator

import pytest

from chronik.testing import ClusterProcess
from tests.cluster.exchange import MESSAGES, PARTITIONS, TOPIC, exchange
from tests.conftest import BROKERS

TIMES = int(os.environ.get("CHRONIK_ACCIDENT_TIMES", "1"))
SETTINGS = {"group.initial.rebalance.delay.ms": 0}
SENT = [b"message %d" % number for number in range(MESSAGES)]


def forwarding(switch: str, name: str) -> object:
    """One cluster for all cells of a kind: they are kept together in one worker."""
    return pytest.param(switch, id=name, marks=pytest.mark.xdist_group(f"accident {name}"))


@pytest.fixture(scope="module", params=[forwarding("true", "forwarding"), forwarding("false", "no-forwarding")])
def shared_cluster(request: pytest.FixtureRequest) -> Iterator[ClusterProcess]:
    settings = {**SETTINGS, "chronik.forward.produce": request.param}
    with ClusterProcess(3, settings) as cluster:
        yield cluster


@pytest.fixture
def cluster(request: pytest.FixtureRequest, shared_cluster: ClusterProcess) -> ClusterProcess:
    request.node.stash.setdefault(BROKERS, []).extend(shared_cluster.brokers.values())
    return shared_cluster


@pytest.mark.timeout(120 * TIMES)
@pytest.mark.parametrize("addresses", ["one", "three"])
@pytest.mark.parametrize("in_flight", [1, 5])
@pytest.mark.parametrize("acks", [0, 1, "all"])
def test_5000_messages_are_5000_distinct_messages_read(
    cluster: ClusterProcess, topic_name: str, acks: int | str, in_flight: int, addresses: str
) -> None:
    for turn in range(TIMES):
        topic = cluster.create_topic(f"{TOPIC}-{topic_name[-8:]}-{turn}", PARTITIONS, replicas=3)
        first = cluster.address_of(cluster.nodes[turn % len(cluster.nodes)])
        bootstrap = [first] if addresses == "one" else cluster.bootstrap_servers.split(",")
        done = exchange(bootstrap, topic, SENT, acks=acks, in_flight=in_flight)
        assert done.failed == {}, f"turn {turn}"
        assert Counter(value for _, _, value in done.read) == Counter(SENT), f"turn {turn}"
        if acks != 0:
            assert {value: (partition, offset) for partition, offset, value in done.read} == done.acknowledged
        assert_tiled(done.read)


def assert_tiled(read: list[tuple[int, int, bytes]]) -> None:
    """Offsets of each partition begin with 0, and none is missing or taken twice."""
    for partition in range(PARTITIONS):
        offsets = [offset for at, offset, _ in read if at == partition]
        assert offsets == list(range(len(offsets))), f"partition {partition}"
