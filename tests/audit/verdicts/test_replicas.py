"""Two real brokers, one of which holds another record than its leader: found by a run, and by a look at the topic."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chronik.audit.capture.log_dump import recapture
from chronik.audit.capture.run import run_audit
from chronik.audit.capture.settings import RunSettings
from chronik.audit.diagnose.diagnosis import diagnose
from chronik.audit.judge.engine import audit
from chronik.audit.pipeline import judge_and_report
from chronik.audit.report.exit_codes import ExitCode, exit_code
from chronik.audit.tables.evidence import Evidence
from chronik.audit.topic.audit import TopicAudit, Weight, audit_topic
from chronik.client.cluster import Cluster
from chronik.records.batch import CRC, CRC_POSITION, crc_of, walk
from chronik.testing import ClusterProcess
from tests.conftest import BROKERS

TOPIC = "replicated"
MESSAGES = 60


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> Iterator[ClusterProcess]:
    with ClusterProcess(2, {"group.initial.rebalance.delay.ms": 0}) as started:
        request.node.stash.setdefault(BROKERS, []).extend(started.brokers.values())
        yield started


def test_record_that_only_one_replica_has_changed_is_found_with_and_without_ledgers(
    cluster: ClusterProcess, tmp_path: Path
) -> None:
    settings = RunSettings(
        cluster.bootstrap_servers,
        TOPIC,
        messages=MESSAGES,
        partitions=1,
        replication=2,
        acks="all",
        idempotent=True,
        timeout_s=60,
    )
    directory = asyncio.run(run_audit(settings, tmp_path / "run"))
    assert findings_of(directory) == (ExitCode.NOTHING_DISALLOWED, [])
    assert judge_and_report(directory).notes == []
    assert wrong_in(examined(cluster)) == []

    leader = cluster.view().topics[TOPIC].partitions[0].leader
    (follower,) = set(cluster.nodes) - {leader}
    cluster.stop(follower)
    batch_offset = change_last_record(cluster.brokers[follower].directory / "data" / f"{TOPIC}-0")
    cluster.start(follower)
    cluster.wait_ready(in_sync=True)

    asyncio.run(recapture(directory, Evidence(directory).facts, cluster.bootstrap_servers))
    code, found = findings_of(directory)
    assert (code, [row["kind"] for row in found]) == (ExitCode.DISALLOWED, ["replicas-differ"])
    assert f"broker {follower}, in sync, differs from the leader, broker {leader}" in found[0]["evidence"][0]
    last = MESSAGES - 1
    told = f"at {last} the leader has message p0-{last} of leader epoch 0, broker {follower} a damaged record"
    assert found[0]["evidence"][1] == told

    topic = examined(cluster)
    assert topic.exit_code == ExitCode.DISALLOWED
    assert [(kind, node) for kind, node, _ in wrong_in(topic)] == [("replicas-differ", follower)]
    assert f"at offset {batch_offset}: other bytes" in wrong_in(topic)[0][2]


def test_report_names_the_replica_that_did_not_answer(cluster: ClusterProcess, tmp_path: Path) -> None:
    settings = RunSettings(cluster.bootstrap_servers, TOPIC, messages=MESSAGES, partitions=3, replication=2)
    directory = asyncio.run(run_audit(settings, tmp_path / "run"))
    leader = cluster.view().topics[TOPIC].partitions[0].leader
    (follower,) = set(cluster.nodes) - {leader}
    cluster.stop(follower)
    asyncio.run(recapture(directory, Evidence(directory).facts, cluster.address_of(leader)))
    report = judge_and_report(directory)
    note = f"broker {follower} did not answer: its replicas of partitions 0-2 were not read"
    assert report.notes == [note]
    assert report.exit_code is ExitCode.NOTHING_DISALLOWED, "the leader's log decides"
    assert note[1:] in (directory / "report.html").read_text()


def findings_of(directory: Path) -> tuple[ExitCode, list[dict[str, Any]]]:
    results = audit(directory)
    findings = diagnose(results, Evidence(directory))
    return exit_code(results, findings), findings.to_pylist()


def examined(cluster: ClusterProcess) -> TopicAudit:
    async def work() -> TopicAudit:
        async with Cluster(cluster.bootstrap_servers) as connected:
            return await audit_topic(connected, TOPIC)

    return asyncio.run(work())


def wrong_in(topic: TopicAudit) -> list[tuple[str, int, str]]:
    return [(one.kind, one.node, one.text) for one in topic.findings if one.weight is Weight.WRONG]


def change_last_record(log: Path) -> int:
    """Change the last value, and its batch's checksum with it, as a bug would and a disk would not."""
    segment = max(log.glob("*.log"))
    data = bytearray(segment.read_bytes())
    position, header = list(walk(bytes(data)))[-1]
    at = data.index(b"0-%d " % (MESSAGES - 1), position)
    data[at] ^= 1
    CRC.pack_into(data, position + CRC_POSITION, crc_of(data, position, header.size_bytes))
    segment.write_bytes(data)
    return header.base_offset
