"""The observer: samples every replica of a topic every 200 ms during a run.

Watermarks are asked first, of all brokers, and log ends only when all have answered: a log end of an in-sync replica
that was read after a watermark is never below it, unless something is wrong. For the same reason a member counts as in
sync only if it was before and after.
"""

import asyncio
import time
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from chronik.audit.capture.observer_wire import (
    ANSWER_S_MAX,
    Ends,
    EpochEnd,
    Served,
    ask_epochs,
    ask_log_ends,
    ask_served,
    problem_text,
)
from chronik.audit.ledger.directory import now_us
from chronik.audit.ledger.writing import RowStream
from chronik.audit.tables.schemas import EPOCHS, OBSERVED
from chronik.client.cluster import Cluster
from chronik.client.cluster_view import PartitionInfo
from chronik.client.errors import ClientError
from chronik.client.settings import ClientSettings
from chronik.protocol.constants import CONSUMER_REPLICA_ID, DEBUGGING_CONSUMER_ID

PERIOD_S: Final = 0.2
CLIENT_ID: Final = "chronik-observer"
"""Marks the observer's requests in taps and traces."""
_WRITE_S: Final = 0.5
_EPOCH_TRIES_MAX: Final = 5
_ANSWERS_S_MAX: Final = 0.5
"""How long a sample waits for a slow broker; a broker without a response by then is silent in this sample."""

T = TypeVar("T")
Partitions = Mapping[int, PartitionInfo]


def observer_settings() -> ClientSettings:
    """Settings of a client that gives up soon: a silent broker is recorded, not awaited.

    Each question has a shorter time-out of its own; opening a connection takes longer on a machine with much to do.
    """
    return ClientSettings(client_id=CLIENT_ID, connect_timeout_ms=5000, request_timeout_ms=5000, retry_timeout_ms=3000)


def reader_settings() -> ClientSettings:
    """Settings of the observer's last look, at the log itself, which must not fail for a moment's silence."""
    return replace(observer_settings(), retry_timeout_ms=30_000)


@dataclass(slots=True)
class Reach:
    """Which evidence the brokers returned to the observer."""

    has_log_ends: bool = False
    has_follower_watermarks: bool = False
    has_epochs: bool = False
    samples: int = 0


@dataclass(slots=True)
class Sample:
    """One look at all replicas."""

    at_us: int
    mono_us: int
    partitions: Partitions
    served: dict[tuple[int, int], Served] = field(default_factory=dict)
    ends: dict[tuple[int, int], Ends] = field(default_factory=dict)
    problems: dict[int, str] = field(default_factory=dict)

    def rows(self, after: Partitions | None) -> Iterable[tuple[Any, ...]]:
        """Yield a row for each replica; ``after`` is the metadata when all brokers had answered.

        Without it the ISR of the sample is unknown: the ISR before the sample may have shrunk meanwhile.
        """
        for index, partition in sorted(self.partitions.items()):
            in_sync = [] if after is None else _in_sync_throughout(partition, after.get(index))
            for node in partition.replicas:
                served = self.served.get((node, index), Served(error=self.problems.get(node, "no answer")))
                ends = self.ends.get((node, index), Ends())
                yield (
                    self.at_us,
                    self.mono_us,
                    node,
                    index,
                    served.log_start,
                    served.high_watermark,
                    served.last_stable,
                    ends.log_end,
                    partition.leader,
                    partition.leader_epoch,
                    in_sync,
                    served.error or ends.error,
                )


def _in_sync_throughout(before: PartitionInfo, after: PartitionInfo | None) -> list[int]:
    if after is None or after.leader_epoch != before.leader_epoch:
        return sorted(before.isr)
    return sorted({*before.isr} & {*after.isr})


class Observer:
    """Samples a topic into a run's directory; ``behind`` is where log ends are asked, past any proxy."""

    def __init__(self, directory: Path, topic: str, cluster: Cluster, behind: Cluster | None = None) -> None:
        folder = directory / "observer"
        folder.mkdir(parents=True, exist_ok=True)
        self._topic = topic
        self._cluster = cluster
        self._behind = behind or cluster
        self._samples = RowStream(folder / "samples.arrows", OBSERVED)
        self._epochs = RowStream(folder / "epochs.arrows", EPOCHS)
        self.log_ends: dict[tuple[int, int], int] = {}
        self._partitions: Partitions = {}
        self._busy: dict[tuple[str, int], asyncio.Task[Any]] = {}
        self._is_ending = asyncio.Event()
        self.reach = Reach()

    async def run(self) -> None:
        """Sample until ``stop`` is called; whatever goes wrong on the way is in the rows."""
        written = time.monotonic()
        while not self._is_ending.is_set():
            began = time.monotonic()
            await self.sample()
            if began - written >= _WRITE_S:
                self._samples.write_waiting()
                written = began
            await self._rest(PERIOD_S - (time.monotonic() - began))

    def stop(self) -> None:
        """Let ``run`` come to its end."""
        self._is_ending.set()

    async def close(self) -> None:
        """Look a last time, ask for the history of leaders, and close the files."""
        await self.sample()
        for index, partition in sorted(self._partitions.items()):
            await self._note_epochs(index, partition)
        for task in self._busy.values():
            task.cancel()
        await asyncio.gather(*self._busy.values(), return_exceptions=True)
        self._samples.close()
        self._epochs.close()

    async def sample(self) -> None:
        """Look at every replica once."""
        if not self._partitions:
            self._partitions = await self._view() or {}
        sample = Sample(now_us(), time.monotonic_ns() // 1000, self._partitions)
        nodes = sorted({node for partition in self._partitions.values() for node in partition.replicas})
        await self._each(sample, nodes, "served", self._ask_served)
        # A broker that does not return its watermark may return its log end: a fetch alone can hang.
        await self._each(sample, nodes, "ends", self._ask_ends)
        after = await self._view()
        self._samples.rows.extend(sample.rows(after))
        self._note_reach(sample)
        self._partitions = after or self._partitions

    async def _view(self) -> Partitions | None:
        try:
            async with asyncio.timeout(ANSWER_S_MAX):
                view = await self._cluster.refresh([self._topic])
        except (ClientError, TimeoutError):
            return None
        if self._behind is not self._cluster:
            await self._refresh_behind()
        return view.topics[self._topic].partitions or None

    async def _refresh_behind(self) -> None:
        try:
            async with asyncio.timeout(ANSWER_S_MAX):
                await self._behind.refresh([self._topic])
        except (ClientError, TimeoutError):
            return

    async def _each(self, sample: Sample, nodes: Iterable[int], what: str, ask: Any) -> None:
        """Ask brokers at once; one that is still busy with the same question is silent."""
        asked: dict[int, asyncio.Task[None]] = {}
        for node in nodes:
            earlier = self._busy.get((what, node))
            if earlier is not None and not earlier.done():
                sample.problems[node] = "no answer"
                continue
            asked[node] = self._busy[what, node] = asyncio.ensure_future(ask(sample, node))
            # A late response is not awaited, and its failure is recorded already.
            asked[node].add_done_callback(lambda task: task.cancelled() or task.exception())
        if asked:
            await asyncio.wait(asked.values(), timeout=_ANSWERS_S_MAX)
        for node, task in asked.items():
            if not task.done():
                sample.problems[node] = "no answer"
            elif (error := task.exception()) is not None:
                sample.problems[node] = problem_text(error)

    async def _ask_served(self, sample: Sample, node: int) -> None:
        led = {p: v for p, v in sample.partitions.items() if v.leader == node}
        followed = {p: v for p, v in sample.partitions.items() if node in v.replicas and v.leader != node}
        if led:
            self._take(sample, node, await self._served(self._cluster, node, led, CONSUMER_REPLICA_ID))
        if followed:
            self._take(sample, node, await self._served(self._behind, node, followed, DEBUGGING_CONSUMER_ID))

    async def _served(self, cluster: Cluster, node: int, held: Partitions, replica_id: int) -> dict[int, Served]:
        offsets = {index: max(self.log_ends.get((node, index), 0), 0) for index in held}
        return await ask_served(cluster, node, self._topic, offsets, replica_id)

    def _take(self, sample: Sample, node: int, served: Mapping[int, Served]) -> None:
        # A watermark that comes after log ends were asked for could be above them with nothing wrong.
        if node in sample.problems:
            return
        for index, said in served.items():
            sample.served[node, index] = said

    async def _ask_ends(self, sample: Sample, node: int) -> None:
        held = [index for index, partition in sample.partitions.items() if node in partition.replicas]
        for index, said in (await ask_log_ends(self._behind, node, self._topic, held)).items():
            sample.ends[node, index] = said
            if said.log_end >= 0:
                self.log_ends[node, index] = said.log_end

    def _note_reach(self, sample: Sample) -> None:
        self.reach.samples += 1
        for (node, index), said in sample.served.items():
            if said.high_watermark >= 0 and sample.partitions[index].leader != node:
                self.reach.has_follower_watermarks = True
        self.reach.has_log_ends |= any(said.log_end >= 0 for said in sample.ends.values())

    async def _note_epochs(self, index: int, partition: PartitionInfo) -> None:
        found = await self._asked_epochs(index, partition)
        self.reach.has_epochs |= bool(found)
        starts = [later.end_offset for later in found[1:]] + [self._log_start(index, partition)]
        for epoch, start in zip(found, starts, strict=True):
            self._epochs.rows.append((index, epoch.leader_epoch, start, epoch.end_offset))

    async def _asked_epochs(self, index: int, partition: PartitionInfo) -> list[EpochEnd]:
        """Ask for the leader epochs, with retries: without them, losses cannot be dated."""
        for _ in range(_EPOCH_TRIES_MAX):
            try:
                return await ask_epochs(self._behind, partition.leader, self._topic, index, partition.leader_epoch)
            except ClientError:
                await asyncio.sleep(PERIOD_S)
        return []

    def _log_start(self, index: int, partition: PartitionInfo) -> int:
        starts = [row[4] for row in self._samples.rows if row[2] == partition.leader and row[3] == index]
        return int(starts[-1]) if starts else -1

    async def _rest(self, seconds: float) -> None:
        await _within(self._is_ending.wait(), max(seconds, 0.01))


async def _within(awaited: Awaitable[T], seconds: float) -> T | None:
    try:
        async with asyncio.timeout(seconds):
            return await awaited
    except TimeoutError:
        return None
