"""The audit against Apache Kafka with three brokers: what it can see there, how far, and what it says of that."""

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from chronik.audit.engine_local import audit
from chronik.audit.evidence import Evidence
from chronik.audit.exit_codes import ExitCode
from chronik.audit.report_files import conclude
from chronik.audit.run import Progress, run_audit
from chronik.audit.run_settings import RunSettings
from chronik.audit.schemas import AS_CLIENTS_SEE_IT
from chronik.audit.spans import read_spans
from chronik.audit.topic_audit import TopicAudit, Weight, audit_topic
from chronik.client.admin import Admin, NewTopic
from chronik.client.cluster import Cluster
from chronik.client.coordinators import coordinator_connection
from chronik.testing.settling import await_settled
from tests.groups_beside_kafka.kafka_process import START_SECONDS_MAX, KafkaBrokers, running_kafka_cluster

BROKERS = 3
MESSAGES = 300
pytestmark = [pytest.mark.xdist_group("audit beside Kafka"), pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def kafka(kafka_clients_jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBrokers]:
    assert kafka_clients_jar.exists()
    settings = {
        "group.initial.rebalance.delay.ms": 0,
        "offsets.topic.num.partitions": 1,
        # A follower that is paused stays in sync for longer than a run.
        "replica.lag.time.max.ms": 300_000,
        "broker.session.timeout.ms": 300_000,
    }
    with running_kafka_cluster(tmp_path_factory.mktemp("audited") / "kafka", settings, BROKERS) as brokers:
        addresses = dict(enumerate(brokers.bootstrap.split(","), 1))
        assert asyncio.run(await_settled(addresses, START_SECONDS_MAX)) is None
        yield brokers


def test_every_replica_is_read_and_held_against_the_others(kafka: KafkaBrokers, tmp_path: Path) -> None:
    settings = RunSettings(kafka.bootstrap, "audited", messages=MESSAGES, acks="all", idempotent=True, timeout_s=60)
    directory = asyncio.run(run_audit(settings, tmp_path / "run"))
    results = audit(directory)
    report = conclude(directory, results)
    assert results.count(results.groups()[0], "DELIVERED") == MESSAGES
    assert (report.exit_code, report.finding_rows) == (ExitCode.NOTHING_DISALLOWED, [])
    spans = [span for span in read_spans(Evidence(directory)) if span.node != AS_CLIENTS_SEE_IT]
    assert {(span.node, span.partition) for span in spans} == {(n, p) for n in (1, 2, 3) for p in (0, 1, 2)}
    assert all(span.end_offset == span.log_end for span in spans)

    topic = asyncio.run(examined(kafka.bootstrap, "audited"))
    assert [one for one in topic.findings if one.weight is not Weight.SHOWN] == []
    assert (topic.exit_code, len(topic.replicas)) == (ExitCode.NOTHING_DISALLOWED, 9)


def test_what_lies_above_the_watermark_is_not_shown_and_the_report_says_so(kafka: KafkaBrokers, tmp_path: Path) -> None:
    """A follower is paused, so that the log grows and the watermark does not: Kafka shows nobody what is above it."""
    follower = asyncio.run(made_topic(kafka.bootstrap, "held"))
    settings = RunSettings(kafka.bootstrap, "held", messages=MESSAGES, timeout_s=2, stall_s=1, delivery_timeout_s=60)
    is_paused = False

    def pause_before_the_first(progress: Progress) -> None:
        nonlocal is_paused
        if not is_paused and progress.phase == "sending":
            is_paused = True
            os.kill(kafka.pids[follower], signal.SIGSTOP)

    try:
        directory = asyncio.run(run_audit(settings, tmp_path / "run", on_progress=pause_before_the_first))
    finally:
        os.kill(kafka.pids[follower], signal.SIGCONT)
    report = conclude(directory, audit(directory))
    counts = {name: count for name, (count, _) in report.groups[report.worst_group].items() if count}
    assert sum(counts.values()) == counts["IN_LOG_ABOVE_HW"] + counts.get("DELIVERED", 0) == MESSAGES
    root = report.root
    assert root is not None
    assert root["kind"] == "watermark-stands-still"
    leader = next(span for span in read_spans(Evidence(directory)) if span.is_leader)
    assert leader.end_offset < leader.log_end == MESSAGES
    assert f"of partition 0 at broker {leader.node}, {leader.log_end - leader.end_offset} offsets" in report.sight[0]


async def made_topic(bootstrap: str, topic: str) -> int:
    """Make a topic of one partition that is led by who coordinates groups, and give a follower."""
    async with Cluster(bootstrap) as client:
        await coordinator_connection(client, "any")
        view = (await client.refresh(["__consumer_offsets"])).topics["__consumer_offsets"]
        leader = view.partitions[0].leader
        followers = [node for node in range(1, BROKERS + 1) if node != leader]
        for outcome in await Admin(client).create_topics([NewTopic(topic, assignment={0: [leader, *followers]})]):
            outcome.raise_if_refused()
    return followers[-1]


async def examined(bootstrap: str, topic: str) -> TopicAudit:
    async with Cluster(bootstrap) as cluster:
        return await audit_topic(cluster, topic)
