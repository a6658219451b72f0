"""A run with the trace of a real cluster: gathered from every broker, told by explain, used by the diagnosis."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chronik.audit.capture.run import Progress, run_audit
from chronik.audit.capture.settings import RunSettings
from chronik.audit.diagnose.diagnosis import diagnose
from chronik.audit.diagnose.trace import Trace, request_of
from chronik.audit.judge.engine import audit
from chronik.audit.report.explain import explain
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.ids import AuditId
from chronik.client.admin import Admin, NewTopic
from chronik.client.admin_configs import ConfigAdmin
from chronik.client.cluster import Cluster
from chronik.client.groups.coordinators import coordinator_connection
from chronik.protocol.config_resources import ConfigSource, ResourceType
from chronik.testing import ClusterProcess
from tests.conftest import BROKERS

MESSAGES = 150
pytestmark = [pytest.mark.xdist_group("audit with trace"), pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def shared_cluster() -> Iterator[ClusterProcess]:
    settings = {
        "group.initial.rebalance.delay.ms": 0,
        "offsets.topic.num.partitions": 1,
        "chronik.http.listener": "127.0.0.1:0",
        # A follower that is paused stays in sync for longer than a run.
        "replica.lag.time.max.ms": 120_000,
        "broker.session.timeout.ms": 120_000,
    }
    with ClusterProcess(3, settings) as cluster:
        yield cluster


@pytest.fixture
def cluster(request: pytest.FixtureRequest, shared_cluster: ClusterProcess) -> ClusterProcess:
    request.node.stash.setdefault(BROKERS, []).extend(shared_cluster.brokers.values())
    return shared_cluster


def test_trace_of_every_broker_is_kept_and_tells_a_messages_story(cluster: ClusterProcess, tmp_path: Path) -> None:
    settings = RunSettings(
        cluster.bootstrap_servers, "traced", messages=MESSAGES, acks="all", timeout_s=60, **with_trace(cluster)
    )
    directory = asyncio.run(run_audit(settings, tmp_path / "run"))
    evidence = Evidence(directory)
    assert (evidence.facts.seen.has_trace, evidence.facts.raw["problems"]) == (True, [])
    assert {path.stem for path in evidence.trace_files()} == {"1", "2", "3"}
    assert asyncio.run(own_rule(cluster.bootstrap_servers, "traced")) is None, "the topic is as it was before"

    trace = Trace.read(evidence.trace_files(), "traced")
    offsets = {
        (row["partition"], offset)
        for row in trace.named("produce_appended")
        for offset in range(row["first_offset"], row["last_offset"] + 1)
    }
    sends = evidence.sends.to_pylist()
    assert {(row["partition"], row["offset"]) for row in sends} == offsets
    answered = {request_of(row) for row in trace.named("fetch_answered")}
    assert {request_of(row) for row in trace.named("data_found")} <= answered

    story = explain(directory, AuditId(evidence.facts.run, 0, sends[0]["sequence"]))
    traced = [step.text for step in story.steps if step.source == "trace"]
    assert any("appended offsets" in text for text in traced), traced
    assert any("moved the watermark" in text for text in traced), traced
    results = audit(directory)
    assert diagnose(results, evidence).num_rows == 0
    assert results.count(results.groups()[0], "DELIVERED") == MESSAGES


def test_trace_names_the_replica_that_holds_the_watermark(cluster: ClusterProcess, tmp_path: Path) -> None:
    leader, follower, other = asyncio.run(made_topic(cluster, "held"))
    settings = RunSettings(
        cluster.bootstrap_servers,
        "held",
        messages=MESSAGES,
        **with_trace(cluster),
        timeout_s=2.0,
        stall_s=1.0,
        delivery_timeout_s=60.0,
    )
    is_paused = False

    def pause_before_the_first(progress: Progress) -> None:
        nonlocal is_paused
        if not is_paused and progress.phase == "sending":
            is_paused = True
            cluster.pause(follower)

    try:
        directory = asyncio.run(run_audit(settings, tmp_path / "run", on_progress=pause_before_the_first))
    finally:
        cluster.resume(follower)
    findings = diagnose(audit(directory), Evidence(directory)).to_pylist()
    root = next((row for row in findings if row["is_root"]), {"kind": "nothing"})
    assert root["kind"] == "watermark-stands-still", [row["sentence"] for row in findings]
    told = [line for line in root["evidence"] if line.startswith(f"the trace of broker {leader} shows")]
    assert told, root["evidence"]
    assert told[0].endswith(f"that it waited for broker {follower}")
    assert other not in (leader, follower)


def with_trace(cluster: ClusterProcess) -> dict[str, Any]:
    """Any broker's HTTP server knows the others'; its port was free when it started, and no setting tells it."""
    return {"has_trace": True, "http": cluster.brokers[1].http_address}


async def own_rule(bootstrap: str, topic: str) -> str | None:
    async with Cluster(bootstrap) as cluster:
        views = await ConfigAdmin(cluster).describe(ResourceType.TOPIC, topic, ["chronik.trace"])
        return next((view.value for view in views if view.source is ConfigSource.TOPIC), None)


async def made_topic(cluster: ClusterProcess, topic: str) -> tuple[int, int, int]:
    """Make a topic of one partition, and give its leader, who also coordinates groups, and its followers."""
    async with Cluster(cluster.bootstrap_servers) as client:
        await coordinator_connection(client, "any")
        view = (await client.refresh(["__consumer_offsets"])).topics["__consumer_offsets"]
        leader = view.partitions[0].leader
        others = [node for node in cluster.nodes if node not in (leader, client.view.controller_id)]
        follower = others[0]
        (other,) = set(cluster.nodes) - {leader, follower}
        for outcome in await Admin(client).create_topics([NewTopic(topic, assignment={0: [leader, other, follower]})]):
            outcome.raise_if_refused()
    return leader, follower, other
