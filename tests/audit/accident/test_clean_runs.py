"""Runs on real clusters that look as if something were lost, and are as they should be: the audit finds nothing.

Records are compacted away and expire, members of groups come and go, leaders move; clients are processes, and
brokers have three replicas of everything, each of which compacts and deletes by itself.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError

from chronik.audit import ConsumerLedger
from chronik.audit.capture.settings import RunSettings
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.schemas import EventKind
from chronik.testing import ClusterProcess
from tests.audit.accident.group_members import CLIENTS, Member
from tests.audit.accident.real_runs import (
    GROUP,
    MESSAGES,
    RUN,
    WAIT_S_MAX,
    Running,
    ends_of,
    judged,
    settings_for,
    stored_now,
)
from tests.cluster.test_in_flight_batches import move
from tests.conftest import BROKERS

LATE_GROUP = "latecomers"
SLOWLY = 150.0
MOVES_MIN = 4
CLUSTER = {
    "group.initial.rebalance.delay.ms": 0,
    "log.cleaner.backoff.ms": 100,
    "log.retention.check.interval.ms": 100,
    "log.segment.delete.delay.ms": 0,
}
SMALL_SEGMENTS = {"internal.segment.bytes": "4000"}
SOON_COMPACTED = {**SMALL_SEGMENTS, "cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.01"}
SOON_DELETED = {**SMALL_SEGMENTS, "retention.ms": "800"}
IN_A_CHANGE_OF_LEADER = {"DELIVERED", "ACKED_NOT_IN_LOG", "+DUPLICATED", "+REORDERED"}
"""What may become of messages with acks=1, and no more."""

pytestmark = [pytest.mark.xdist_group("clean runs"), pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def shared_cluster() -> Iterator[ClusterProcess]:
    with ClusterProcess(3, CLUSTER) as cluster:
        yield cluster


@pytest.fixture
def cluster(request: pytest.FixtureRequest, shared_cluster: ClusterProcess) -> ClusterProcess:
    request.node.stash.setdefault(BROKERS, []).extend(shared_cluster.brokers.values())
    return shared_cluster


def read_late(settings: RunSettings, directory: Path) -> None:
    """Read all that is there now in a group of its own, whose client is hooked into the run."""
    own = {
        "bootstrap.servers": settings.bootstrap,
        "group.id": LATE_GROUP,
        "auto.offset.reset": "earliest",
        "enable.partition.eof": True,
    }
    with ConsumerLedger(directory, consumer=9, group=LATE_GROUP, run=RUN) as ledger:
        consumer = ledger.wrap(Consumer(own), own)
        consumer.subscribe([settings.topic])
        ended: set[int] = set()
        deadline = time.monotonic() + WAIT_S_MAX
        while len(ended) < settings.partitions:
            assert time.monotonic() < deadline, f"only the ends of {ended} were reached"
            for message in consumer.consume(500, 0.2):
                if message.error() and message.error().code() == KafkaError._PARTITION_EOF:
                    ended.add(message.partition())
        consumer.close()


async def nothing_else(running: Running) -> None:
    """Let the run go by itself."""


def test_what_compaction_removes_is_no_loss(cluster: ClusterProcess, tmp_path: Path) -> None:
    settings = settings_for(cluster.bootstrap_servers, "compacted", topic_configs=SOON_COMPACTED)
    asyncio.run(Running(settings, tmp_path).during(nothing_else))
    assert stored_now(tmp_path) < MESSAGES / 2, "it was compacted while messages went"
    assert judged(tmp_path) == {GROUP: {"DELIVERED": MESSAGES}}
    read_late(settings, tmp_path)
    both = judged(tmp_path, "--bootstrap", settings.bootstrap)
    assert both[GROUP] == {"DELIVERED": MESSAGES}
    assert both[LATE_GROUP]["COMPACTED"] > MESSAGES / 2


def test_what_retention_removes_is_no_loss(cluster: ClusterProcess, tmp_path: Path) -> None:
    settings = settings_for(cluster.bootstrap_servers, "expiring", topic_configs=SOON_DELETED)
    asyncio.run(Running(settings, tmp_path).during(nothing_else))
    assert stored_now(tmp_path) < MESSAGES, "segments were deleted while messages went"
    assert judged(tmp_path) == {GROUP: {"DELIVERED": MESSAGES}}
    read_late(settings, tmp_path)
    both = judged(tmp_path, "--bootstrap", settings.bootstrap)
    assert both[GROUP] == {"DELIVERED": MESSAGES}
    assert both[LATE_GROUP]["EXPIRED"] > 0


@pytest.mark.parametrize("client", list(CLIENTS))
def test_members_that_come_and_go_lose_nothing(cluster: ClusterProcess, client: str, tmp_path: Path) -> None:
    settings = settings_for(cluster.bootstrap_servers, f"rebalancing-{client}", client=client, consumers=0, rate=SLOWLY)

    async def come_and_go(running: Running) -> None:
        with ExitStack() as members:
            first = await joined(running, 0, members)
            for number in (1, 2):
                passing = await joined(running, number, members)
                await asyncio.to_thread(passing.leave)
            await running.until(lambda: running.progress[-1].phase == "ended", "all is sent")
            wanted, reached = ends_of(tmp_path), first.ledger.end_offsets
            await running.until(lambda: wanted.items() <= reached.items(), "the first reads on to the end")

    asyncio.run(Running(settings, tmp_path).during(come_and_go))
    groups = judged(tmp_path)
    assert groups.keys() == {GROUP}
    assert groups[GROUP].keys() <= {"DELIVERED", "+REDELIVERED"}
    assert groups[GROUP]["DELIVERED"] == MESSAGES
    events = Evidence(tmp_path).events.to_pylist()
    assert {row["consumer"] for row in events if row["kind"] == EventKind.ASSIGNED} == {0, 1, 2}
    assert len([row for row in events if row["consumer"] == 0 and row["kind"] == EventKind.REVOKED]) > 1


async def joined(running: Running, number: int, members: ExitStack) -> Member:
    """Bring another member into the group, and wait until it reads; it leaves with the stack, if not before."""
    member = Member(running.settings, ConsumerLedger(running.directory, consumer=number, group=GROUP, run=RUN))
    members.callback(member.leave)
    await running.until(lambda: member.ledger.delivered > 0, "the new member reads")
    assert running.is_sending, "there is something to read for whoever comes next"
    return member


@pytest.mark.parametrize("promise", [{}, {"acks": "1", "idempotent": False}], ids=["idempotent", "acks-1"])
def test_leaders_that_move_lose_nothing_that_was_promised(
    cluster: ClusterProcess, promise: dict[str, Any], tmp_path: Path
) -> None:
    settings = settings_for(cluster.bootstrap_servers, f"moving-{len(promise)}", partitions=1, **promise)

    async def move_leaders(running: Running) -> None:
        for node in cycle(cluster.nodes):
            others = [other for other in cluster.nodes if other != node]
            await move(cluster.address_of(cluster.nodes[0]), settings.topic, [node, *others])
            await running.until_acked(running.acked + 1)
            if not running.is_sending:
                return

    asyncio.run(Running(settings, tmp_path).during(move_leaders))
    verdicts = judged(tmp_path)[GROUP]
    epochs = set(Evidence(tmp_path).stored["leader_epoch"].to_pylist())
    assert len(epochs) > MOVES_MIN, "leaders have moved while messages went"
    assert verdicts.keys() <= (IN_A_CHANGE_OF_LEADER if promise else {"DELIVERED"})
