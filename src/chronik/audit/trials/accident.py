"""The accident, replayed: three brokers, 5,000 messages, and on request one of the defects that could have been it.

A defect is a fault of the proxy in front of the cluster. Clients and the observer see its false answers; only what
replicas hold comes from behind it.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from chronik.audit.capture.paused_replica import PausedReplica
from chronik.audit.capture.run import OnProgress, Progress, run_audit
from chronik.audit.capture.settings import RunSettings
from chronik.audit.capture.tap import FILE_NAME, TapWriter
from chronik.client.admin import Admin, NewTopic
from chronik.client.cluster import Cluster
from chronik.client.groups.coordinators import coordinator_connection
from chronik.proxy.exchange import FOR_EVER_S, Fault, FaultTarget, SeenTopics
from chronik.proxy.faults.produce import OffsetTwice
from chronik.proxy.faults.responses import ListOneBroker
from chronik.proxy.faults.watermark import FallOnRepeat, HoldWatermark, LogEndAsWatermark
from chronik.proxy.server import Proxy
from chronik.testing.cluster import ClusterProcess

TOPIC: Final = "debug-large-batch"
MESSAGES: Final = 5000
BROKERS: Final = 3
PARTITIONS: Final = 3
ALL_SENT: Final = "final polls"
_KEYS: Final = 500
_RATE: Final = 1000.0
_PAUSED_AT: Final = 0.4
_LONG_MS: Final = 600_000
_SETTINGS: Final[Mapping[str, object]] = {"group.initial.rebalance.delay.ms": 0}
# A paused broker stays in sync: the cluster is not to notice within the run.
_PATIENT: Final[Mapping[str, object]] = {
    "broker.session.timeout.ms": _LONG_MS,
    "replica.lag.time.max.ms": _LONG_MS,
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 1,
    "min.insync.replicas": 1,
}


@dataclass(frozen=True, slots=True)
class Defect:
    """One thing that was wrong, or might have been; ``make`` gives its fault for a number of messages and a seed."""

    name: str
    does: str
    verdicts: tuple[str, ...]
    """What becomes of messages: at least one of these."""
    root: str
    evidence: str
    make: Callable[[int, int], Fault]
    settings: Mapping[str, object] = field(default_factory=dict)
    delivery_timeout_s: float | None = None
    pauses: bool = False


def _at_share(messages: int, share: float) -> int:
    """The offset of a partition at which about this share of all messages has been sent."""
    return int(messages * share / PARTITIONS)


DEFECTS: Final = (
    Defect(
        "hw-is-log-end",
        "a follower is paused; the log end is served as watermark, nothing above the true one",
        ("IN_LOG_ABOVE_HW",),
        "watermark-above-in-sync-end",
        "served watermark above an in-sync log end",
        lambda messages, seed: LogEndAsWatermark(FaultTarget(TOPIC)),
        _PATIENT,
        pauses=True,
    ),
    Defect(
        "hw-slow",
        "the watermark is held back, then released",
        ("+LATE",),
        "watermark-stands-still",
        "plateau while the log grows, then catch-up",
        lambda messages, seed: HoldWatermark(_at_share(messages, 0.4), FOR_EVER_S, FaultTarget(TOPIC)),
    ),
    Defect(
        "hw-falls",
        "the watermark is lowered on a repeated produce",
        ("IN_LOG_ABOVE_HW", "+LATE"),
        "watermark-moved-back",
        "a fall inside one epoch",
        lambda messages, seed: FallOnRepeat(_at_share(messages, 0.4), target=FaultTarget(TOPIC, frozenset({seed % 3}))),
    ),
    Defect(
        "one-broker",
        "one broker in the metadata, forwarding off",
        ("NOT_ACKED", "UNKNOWN"),
        "too-few-brokers",
        "leaders missing from the broker list, and refusals",
        lambda messages, seed: ListOneBroker(1),
        {"chronik.forward.produce": "false"},
        delivery_timeout_s=20.0,
    ),
    Defect(
        "offset-twice",
        "a second batch is answered with the first's offset and dropped",
        ("ACKED_NOT_IN_LOG",),
        "offset-given-twice",
        "two acknowledgements of one offset in one epoch",
        lambda messages, seed: OffsetTwice(seed, share=0.2, target=FaultTarget(TOPIC)),
    ),
)
BY_NAME: Final = {defect.name: defect for defect in DEFECTS}


@dataclass(frozen=True, slots=True)
class Replay:
    """How the accident is replayed."""

    directory: Path
    defect: Defect | None = None
    messages: int = MESSAGES
    client: str = "kafka-python"
    timeout_s: float = 60.0
    stall_s: float = 5.0
    delivery_timeout_s: float | None = None
    """How long a producer tries, where that is not what the defect asks for."""
    seed: int = 1

    def run_settings(self, bootstrap: str, through: str) -> RunSettings:
        """Return the accident's settings; with a defect messages go slowly, so that it strikes in the middle."""
        settings = RunSettings(
            bootstrap=bootstrap,
            topic=TOPIC,
            messages=self.messages,
            partitions=PARTITIONS,
            replication=BROKERS,
            client=self.client,
            timeout_s=self.timeout_s,
            stall_s=self.stall_s,
            label="the accident" if self.defect is None else f"the accident with {self.defect.name}",
            client_bootstrap=through,
            has_tap=True,
        )
        if self.defect is None:
            return settings
        patience = self.delivery_timeout_s or self.defect.delivery_timeout_s
        return replace(settings, keys=_KEYS, rate=_RATE, delivery_timeout_s=patience)


async def replay(
    plan: Replay, on_progress: OnProgress = lambda progress: None, judge: Callable[[str], None] = lambda bootstrap: None
) -> None:
    """Record the accident into the plan's directory, then judge it, in a thread, while the brokers still run."""
    settings = {**_SETTINGS, **(plan.defect.settings if plan.defect else {})}
    cluster = ClusterProcess(BROKERS, settings)
    try:
        await asyncio.to_thread(lambda: cluster.start().wait_ready())
        await _replay_on(cluster, plan, on_progress)
        await asyncio.to_thread(judge, cluster.bootstrap_servers)
    except BaseException as error:
        error.add_note(cluster.log_notes())
        raise
    finally:
        await asyncio.to_thread(cluster.close)


async def _replay_on(cluster: ClusterProcess, plan: Replay, on_progress: OnProgress) -> None:
    faults = [] if plan.defect is None else [plan.defect.make(plan.messages, plan.seed)]
    bootstrap = cluster.bootstrap_servers
    paused = await _chosen_to_pause(cluster, plan)
    with TapWriter(plan.directory / "tap" / FILE_NAME, TOPIC) as tap:
        async with Proxy(bootstrap, faults, tap) as proxy, _watching(paused, proxy.seen, plan.messages):
            script = _Script(faults, on_progress)
            through = proxy.address_of(1) if plan.defect and plan.defect.name == "one-broker" else ""
            settings = plan.run_settings(bootstrap, through or proxy.bootstrap_servers)
            await run_audit(settings, plan.directory, on_progress=script.on_progress)
    if paused is not None:
        paused.resume()


@dataclass(slots=True)
class _Script:
    """What happens in the course of a run: a watermark that was held back is released when the time is over."""

    faults: Sequence[Fault]
    report: OnProgress

    def on_progress(self, progress: Progress) -> None:
        if progress.phase == ALL_SENT:
            for fault in self.faults:
                if isinstance(fault, HoldWatermark):
                    fault.release()
        self.report(progress)


async def _chosen_to_pause(cluster: ClusterProcess, plan: Replay) -> PausedReplica | None:
    """Choose a broker that coordinates nothing, and make the topic such that it leads nothing."""
    if plan.defect is None or not plan.defect.pauses:
        return None
    async with Cluster(cluster.bootstrap_servers) as client:
        needed = {await _coordinator(client), client.view.controller_id}
        follower = next(node for node in reversed(cluster.nodes) if node not in needed)
        others = [node for node in cluster.nodes if node != follower]
        assignment = {partition: [*_turned(others, partition), follower] for partition in range(PARTITIONS)}
        for outcome in await Admin(client).create_topics([NewTopic(TOPIC, assignment=assignment)]):
            outcome.raise_if_refused()
    return PausedReplica(cluster, follower, TOPIC, plan.directory)


async def _coordinator(client: Cluster) -> int:
    """Return the broker that coordinates all groups: the offsets topic has one partition here."""
    connection = await coordinator_connection(client, "any")
    brokers = (await client.refresh(None)).brokers
    return next(node for node, broker in brokers.items() if broker.port == connection.port)


def _turned(nodes: Sequence[int], by: int) -> list[int]:
    return [nodes[(by + index) % len(nodes)] for index in range(len(nodes))]


@contextlib.asynccontextmanager
async def _watching(paused: PausedReplica | None, seen: SeenTopics, messages: int) -> AsyncIterator[None]:
    """Pause the replica when a part of the messages is written, and note what it holds."""
    if paused is None:
        yield
        return

    def look() -> None:
        # At once, before another batch is acknowledged: on a busy machine, later would be too late.
        if seen.acked_in(TOPIC) >= messages * _PAUSED_AT:
            seen.on_written = lambda: None
            paused.pause()

    seen.on_written = look
    following = asyncio.ensure_future(paused.watch())
    try:
        yield
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        paused.close()
