"""The faults of the proxy, each through real processes: a cluster, a proxy that misbehaves, clients, verdicts."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from chronik.audit.capture.run import run_audit
from chronik.audit.capture.settings import RunSettings
from chronik.audit.capture.tap import FILE_NAME, TapWriter
from chronik.audit.diagnose.diagnosis import diagnose
from chronik.audit.judge.engine import audit
from chronik.audit.tables.evidence import Evidence
from chronik.protocol.apis import ApiKey
from chronik.proxy.exchange import Fault, FaultTarget
from chronik.proxy.faults.produce import AckWithoutWrite, CutBeforeAnswer, RefuseAsNotLeader, WriteTwice
from chronik.proxy.faults.responses import Delay, HangFetches, Harm, HarmBatches, StarvePartition
from chronik.proxy.faults.watermark import CapWatermark
from chronik.proxy.server import Proxy
from chronik.testing import ClusterProcess
from tests.conftest import BROKERS

MESSAGES = 600
RATE = 400.0
TIMEOUT_S = 2.0
STALL_S = 1.0
RETRY_S = 20.0
"""How long a producer tries, where it is to succeed in the end."""
SEED = 11

pytestmark = [pytest.mark.xdist_group("proxy faults"), pytest.mark.timeout(240)]


@dataclass(frozen=True, slots=True)
class Case:
    """A fault, the verdicts or flags of which one must occur, and the root; no root: nothing may be disallowed."""

    name: str
    make: Callable[[str], Fault]
    verdicts: tuple[str, ...]
    roots: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)


def one(topic: str) -> FaultTarget:
    return FaultTarget(topic, frozenset({1}))


def harm(kind: Harm) -> Callable[[str], Fault]:
    return lambda topic: HarmBatches(kind, SEED, share=0.3, after=2, target=FaultTarget(topic))


CASES = (
    Case(
        "success without a write",
        lambda topic: AckWithoutWrite(50, one(topic)),
        ("ACKED_NOT_IN_LOG",),
        ("acked-never-written",),
    ),
    Case(
        "written twice", lambda topic: WriteTwice(SEED, 0.3, FaultTarget(topic)), ("+DUPLICATED",), ("written-twice",)
    ),
    Case(
        "always refused as not leader",
        lambda topic: RefuseAsNotLeader(SEED, 1.0, one(topic)),
        ("NOT_ACKED", "UNKNOWN"),
        ("not-leader-loop",),
        {"delivery_timeout_s": TIMEOUT_S},
    ),
    Case("a share refused as not leader", lambda topic: RefuseAsNotLeader(SEED, 0.2, FaultTarget(topic)), (), ()),
    Case("cut before the answer", lambda topic: CutBeforeAnswer(SEED, 0.5, one(topic), 2), ("+DUPLICATED",), ()),
    Case(
        "watermark capped",
        lambda topic: CapWatermark(60, FaultTarget(topic)),
        ("IN_LOG_ABOVE_HW",),
        ("watermark-stands-still",),
    ),
    Case(
        "records served above the watermark",
        lambda topic: CapWatermark(60, FaultTarget(topic), hides=False),
        ("+VISIBLE_ABOVE_HW",),
        ("records-above-watermark",),
    ),
    Case("fetches hang", lambda topic: HangFetches(one(topic), 20), ("NOT_REACHED",), ("fetch-not-answered",)),
    Case(
        "fetches come back empty",
        lambda topic: StarvePartition(one(topic), 20),
        ("NOT_REACHED",),
        ("answers-without-records",),
    ),
    Case("batches lost on the way", harm(Harm.LOSE), ("SKIPPED",), ("records-skipped",)),
    Case("batches damaged under their checksum", harm(Harm.DAMAGE_UNDER_CRC), ("+CORRUPTED",), ("damaged",)),
    Case("batches repeated in an answer", harm(Harm.REPEAT), ("+REDELIVERED",), ("handed-out-again",)),
    Case(
        "answers late",
        lambda topic: Delay(SEED, 0.25, 0.35, frozenset({ApiKey.FETCH})),
        ("+LATE", "NOT_REACHED"),
        ("answers-late",),
        # A machine that stands still for a second is no fetch that hangs.
        {"fetch_max_bytes": 200, "stall_s": 10.0},
    ),
)


@pytest.fixture(scope="module")
def shared_cluster() -> Iterator[ClusterProcess]:
    with ClusterProcess(3, {"group.initial.rebalance.delay.ms": 0}) as cluster:
        yield cluster


@pytest.fixture
def cluster(request: pytest.FixtureRequest, shared_cluster: ClusterProcess) -> ClusterProcess:
    request.node.stash.setdefault(BROKERS, []).extend(shared_cluster.brokers.values())
    return shared_cluster


async def record(cluster: ClusterProcess, case: Case, topic: str, directory: Path) -> None:
    """Run clients through the proxy that misbehaves."""
    with TapWriter(directory / "tap" / FILE_NAME, topic) as tap:
        async with Proxy(cluster.bootstrap_servers, [case.make(topic)], tap) as proxy:
            settings = RunSettings(
                bootstrap=cluster.bootstrap_servers,
                topic=topic,
                messages=MESSAGES,
                keys=60,
                rate=RATE,
                timeout_s=TIMEOUT_S,
                client_bootstrap=proxy.bootstrap_servers,
                has_tap=True,
                **{"delivery_timeout_s": RETRY_S, "stall_s": STALL_S, **case.settings},
            )
            await run_audit(settings, directory)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_fault_is_named(case: Case, cluster: ClusterProcess, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    asyncio.run(record(cluster, case, f"faulty-{CASES.index(case)}", directory))
    results = audit(directory)
    verdicts = {row["verdict"]: (row["count"], row["allowed_count"]) for row in results.verdicts.to_pylist()}
    findings = diagnose(results, Evidence(directory)).to_pylist()
    told = {name: pair for name, pair in verdicts.items() if pair[0]}, [row["sentence"] for row in findings]
    assert sum(pair[0] for name, pair in verdicts.items() if name[0] not in "+*") == MESSAGES, told
    assert not case.verdicts or any(verdicts.get(name, (0, 0))[0] for name in case.verdicts), told
    roots = tuple(row["kind"] for row in findings if row["is_root"] and not row["is_allowed"])
    assert roots == case.roots, told
    if not case.roots:
        assert all(count == allowed for count, allowed in verdicts.values()), told
