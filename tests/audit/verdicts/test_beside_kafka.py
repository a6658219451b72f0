"""The audit against Apache Kafka with three brokers: what it can see there, how far, and what it says of that."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from chronik.audit import ConsumerLedger
from chronik.audit.capture.run import Progress, run_audit
from chronik.audit.capture.settings import RunSettings
from chronik.audit.judge.engine import audit
from chronik.audit.pipeline import report_results
from chronik.audit.report.exit_codes import ExitCode
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.schemas import AS_CLIENTS_SEE_IT
from chronik.audit.tables.spans import read_spans
from chronik.audit.topic.audit import TopicAudit, Weight, audit_topic
from chronik.client.admin import Admin, NewTopic
from chronik.client.cluster import Cluster
from chronik.client.groups.coordinators import coordinator_connection
from chronik.testing.settling import await_settled
from tests.audit.accident.group_members import Member
from tests.audit.accident.real_runs import RUN, Running, ends_of, judged, settings_for
from tests.audit.accident.transactions import PRODUCER, Transacted, transact
from tests.groups_beside_kafka.kafka_process import START_SECONDS_MAX, KafkaBrokers, running_kafka_cluster

BROKERS = 3
MESSAGES = 300
ISOLATION = ("read_committed", "read_uncommitted")
pytestmark = [pytest.mark.xdist_group("audit beside Kafka"), pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def kafka(kafka_clients_jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBrokers]:
    assert kafka_clients_jar.exists()
    settings = {
        "group.initial.rebalance.delay.ms": 0,
        "offsets.topic.num.partitions": 1,
        "transaction.state.log.num.partitions": 1,
        "transaction.state.log.replication.factor": 1,
        "transaction.state.log.min.isr": 1,
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
    report = report_results(directory, results)
    assert results.count(results.groups()[0], "DELIVERED") == MESSAGES
    assert (report.exit_code, report.finding_rows) == (ExitCode.NOTHING_DISALLOWED, [])
    spans = [span for span in read_spans(Evidence(directory)) if span.node != AS_CLIENTS_SEE_IT]
    assert {(span.node, span.partition) for span in spans} == {(n, p) for n in (1, 2, 3) for p in (0, 1, 2)}
    assert all(span.end_offset == span.log_end for span in spans)

    topic = asyncio.run(examined(kafka.bootstrap, "audited"))
    assert [one for one in topic.findings if one.weight is not Weight.SHOWN] == []
    assert (topic.exit_code, len(topic.replicas)) == (ExitCode.NOTHING_DISALLOWED, 9)


def test_transactions_that_are_committed_and_aborted_break_no_promise(kafka: KafkaBrokers, tmp_path: Path) -> None:
    settings = settings_for(kafka.bootstrap, "transactions", messages=MESSAGES, consumers=0)
    ended: list[Transacted] = []

    async def transact_and_read(running: Running) -> None:
        with ExitStack() as members:
            reading = [reader(running, number, group, members) for number, group in enumerate(ISOLATION)]
            ended.append(await asyncio.to_thread(transact, settings, tmp_path, RUN))
            await running.until(lambda: running.progress[-1].phase == "ended", "all is sent")
            wanted = ends_of(tmp_path)
            await running.until(lambda: all(has_read(wanted, one) for one in reading), "both groups have all")

    asyncio.run(Running(settings, tmp_path).during(transact_and_read))
    (done,) = ended
    groups = judged(tmp_path, "--bootstrap", kafka.bootstrap, messages=MESSAGES + done.total)
    assert groups.keys() == set(ISOLATION)
    assert groups["read_committed"].keys() == {"DELIVERED", "ABORTED"}
    assert sequences_of(tmp_path, "read_committed") == done.aborted | done.dropped
    assert groups["read_uncommitted"].keys() == {"DELIVERED", "ABORTED", "+ABORTED_VISIBLE"}
    assert sequences_of(tmp_path, "read_uncommitted") == done.aborted | done.dropped
    assert groups["read_uncommitted"]["+ABORTED_VISIBLE"] >= len(done.aborted)


def reader(running: Running, number: int, group: str, members: ExitStack) -> Member:
    """Let somebody read everything in a group that is named by its isolation."""
    settings = replace(running.settings, group=group, isolation=group)
    member = Member(settings, ConsumerLedger(running.directory, consumer=number, group=group, run=RUN))
    members.callback(member.leave)
    return member


def has_read(wanted: dict[int, int], member: Member) -> bool:
    return bool(wanted.items() <= member.ledger.end_offsets.items())


def sequences_of(directory: Path, group: str) -> set[int]:
    """Return what the producer with transactions sent and what is not plainly delivered."""
    rows = pq.read_table(directory / "results" / "messages.parquet").to_pylist()
    assert {row["producer"] for row in rows} == {PRODUCER}
    return {row["sequence"] for row in rows if row["group"] == group}


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
    report = report_results(directory, audit(directory))
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
