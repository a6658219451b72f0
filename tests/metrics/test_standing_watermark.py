"""The accident, seen from outside: a follower stops, the log grows, the watermark stands, and the alert says so."""

from pathlib import Path

from confluent_kafka import Producer

from chronik.testing import ClusterProcess
from tests.metrics.conftest import HTTP, QUIET
from tests.metrics.scraping import running_prometheus, wait_for
from tests.metrics.test_prometheus import RULES

# Long enough that the cluster does not help itself by leaving the follower out.
PATIENT = {**HTTP, "broker.session.timeout.ms": 120_000, "replica.lag.time.max.ms": 120_000}
ALERT = "ChronikWatermarkStandsStill"


def test_a_watermark_that_stands_while_its_log_grows_raises_the_alert_until_it_moves(
    prometheus_program: str, tmp_path: Path
) -> None:
    with ClusterProcess(3, PATIENT) as cluster:
        topic = cluster.create_topic("orders", 1)
        leader = cluster.view().topics[topic].partitions[0].leader
        (follower, *_) = [node for node in cluster.nodes if node != leader]
        targets = [str(cluster.brokers[node].http_address) for node in cluster.nodes]
        with running_prometheus(prometheus_program, tmp_path, targets, RULES) as prometheus:
            cluster.pause(follower)
            try:
                send(cluster, leader, topic)
                wait_for(lambda: prometheus.alerts().get(ALERT) == "firing", "the alert fires")
                (told,) = prometheus.query(f'ALERTS{{alertname="{ALERT}", alertstate="firing"}}')
                assert (told["metric"]["topic"], told["metric"]["partition"]) == (topic, "0")
                silent = prometheus.query(f'topk(1, chronik_follower_fetched_seconds{{topic="{topic}"}})')
                assert silent[0]["metric"]["follower"] == str(follower)
            finally:
                cluster.resume(follower)
            wait_for(lambda: ALERT not in prometheus.alerts(), "the alert has gone")


def send(cluster: ClusterProcess, leader: int, topic: str) -> None:
    """Send what the leader acknowledges alone, so that its log grows."""
    outcomes: list[object] = []
    producer = Producer({**QUIET, "bootstrap.servers": cluster.address_of(leader), "acks": "1"})
    for number in range(78):
        producer.produce(topic, f"{number}".encode(), on_delivery=lambda error, _: outcomes.append(error))
    producer.flush(60)
    assert outcomes == [None] * 78
