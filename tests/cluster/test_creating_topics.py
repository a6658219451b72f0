"""Topics made together: each of their partitions has a leader that takes records, and the leaders are spread."""

from collections import Counter

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from chronik.testing import ClusterProcess

TOPICS = [f"made-{number:02d}" for number in range(12)]
PARTITIONS = 3


def test_topics_made_in_one_request_all_have_all_their_leaders(cluster: ClusterProcess) -> None:
    """Rule 39: N topics with P partitions give N × P leaders, each of which acknowledges what it is sent."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    made = admin.create_topics([NewTopic(name, PARTITIONS, 3) for name in TOPICS], request_timeout=60)
    assert [future.result(60) for future in made.values()] == [None] * len(TOPICS)
    expected = {(name, index) for name in TOPICS for index in range(PARTITIONS)}
    assert _acknowledged(cluster, expected) == expected
    cluster.wait_ready(in_sync=True)
    for node in cluster.nodes:
        topics = cluster.view(node).topics
        leaders = {(name, part.index): part.leader for name in TOPICS for part in topics[name].partitions.values()}
        assert set(leaders) == expected
        assert Counter(leaders.values()) == dict.fromkeys(cluster.nodes, len(expected) // len(cluster.nodes))


def _acknowledged(cluster: ClusterProcess, partitions: set[tuple[str, int]]) -> set[tuple[str, int]]:
    """Send one record to each partition, and give those that acknowledged it."""
    taken: set[tuple[str, int]] = set()

    def note(error: object, message: object) -> None:
        assert error is None
        taken.add((message.topic(), message.partition()))  # type: ignore[attr-defined]

    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all"})
    for name, index in sorted(partitions):
        producer.produce(name, b"first", partition=index, on_delivery=note)
    assert producer.flush(120) == 0
    return taken
