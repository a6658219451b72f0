"""A run: real clients send and read, the observer watches, and all of it is on disk when it is over.

Consumers begin before producers. When the producers have ended, what they had acknowledged must come within the run's
time-out; then the consumers go on polling until nothing has come for a while, which separates late messages from
lost ones.
"""

import asyncio
import contextlib
import importlib.metadata
import platform
import socket
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from chronik import __version__
from chronik.audit.capture.log_dump import capture
from chronik.audit.capture.observer import Observer, observer_settings, reader_settings
from chronik.audit.capture.processes import ClientProcess
from chronik.audit.capture.settings import QUIET_S, ClientTask, RunSettings, shares
from chronik.audit.capture.topic import RunTopic, begin_group, brokers_of, configs_of, prepare_topic
from chronik.audit.capture.trace import TraceReach, traced
from chronik.audit.ledger.directory import default_directory, new_run_id, now_us, settle_facts
from chronik.client.cluster import Cluster

READY_S_MAX: Final = 15.0
_TICK_S: Final = 0.1
_LATE_QUIET_S_MAX: Final = 5.0
_OVERTIME_S: Final = 20.0
"""How much longer than a producer's own time-outs its process may take."""
_PACKAGES: Final = {"confluent": "confluent-kafka", "kafka-python": "kafka-python", "aiokafka": "aiokafka"}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come."""

    phase: str
    seconds: float
    sent: int
    acked: int
    failed: int
    delivered: int
    total: int | None


OnProgress = Callable[[Progress], None]


@dataclass(slots=True)
class RunRecord:
    """What ``run.json`` says."""

    run: int
    settings: RunSettings
    directory: Path
    begin_us: int
    facts: dict[str, Any] = field(default_factory=dict)

    def write(self, **facts: Any) -> None:
        """Put more into ``run.json``; it is whole at every moment."""
        self.facts.update(facts)
        settings = self.settings
        settle_facts(
            self.directory,
            {
                "run": f"{self.run:016x}",
                "label": settings.label,
                "topic": settings.topic,
                "begin_us": self.begin_us,
                "timeout_s": settings.timeout_s,
                "stall_s": settings.stall_s,
                "groups": [settings.group] if settings.consumers else [],
                "settings": settings.as_json(),
                **self.facts,
            },
        )


async def run_audit(
    settings: RunSettings,
    directory: Path | None = None,
    *,
    run: int | None = None,
    on_progress: OnProgress = lambda progress: None,
) -> Path:
    """Run, and give the directory that holds the evidence."""
    number = run or new_run_id()
    settings = settings.with_group(number)
    place = directory or default_directory(settings.topic, number)
    place.mkdir(parents=True, exist_ok=True)
    record = RunRecord(number, settings, place, now_us())
    record.write()
    async with Cluster(settings.bootstrap) as cluster:
        topic = await prepare_topic(cluster, settings)
        reset = await begin_group(cluster, settings.group, settings.topic, topic.starts)
        record.write(**await _surroundings(cluster, settings, topic))
        async with _trace_of(cluster, record) as reach:
            await _watched(record, _Clients(record, reset, on_progress), reach)
        record.write(configs_end=await configs_of(cluster, settings.topic), end_us=now_us())
    async with (
        Cluster(settings.seen_by_clients, reader_settings()) as seen,
        Cluster(settings.bootstrap, reader_settings()) as behind,
    ):
        await capture(place, settings.topic, seen, behind, starts=topic.starts)
    return place


async def _surroundings(cluster: Cluster, settings: RunSettings, topic: RunTopic) -> dict[str, Any]:
    return {
        "topic_id": str(topic.view.topic_id),
        "partitions": len(topic.view.partitions),
        "is_new_topic": topic.is_new,
        "starts": topic.starts,
        "configs_begin": await configs_of(cluster, settings.topic),
        "brokers": brokers_of(cluster),
        "hosts": [socket.gethostname()],
        "versions": {
            "chronik": __version__,
            "python": platform.python_version(),
            settings.client: importlib.metadata.version(_PACKAGES[settings.client]),
        },
    }


@contextlib.asynccontextmanager
async def _trace_of(cluster: Cluster, record: RunRecord) -> AsyncIterator[TraceReach]:
    """Trace the topic, where that was asked for."""
    if not record.settings.has_trace:
        yield TraceReach()
        return
    settings = record.settings
    async with traced(cluster, settings.topic, record.directory, settings.http) as reach:
        yield reach


async def _watched(record: RunRecord, clients: "_Clients", trace: TraceReach) -> None:
    """Let the clients run while the observer watches."""
    settings = record.settings
    async with (
        Cluster(settings.seen_by_clients, observer_settings()) as seen,
        Cluster(settings.bootstrap, observer_settings()) as behind,
    ):
        observer = Observer(record.directory, settings.topic, seen, behind)
        watching = asyncio.ensure_future(observer.run())
        try:
            await clients.run()
        finally:
            observer.stop()
            await watching
            await observer.close()
            reach = observer.reach
            seen_facts = {
                "replica_ends": reach.has_log_ends,
                "follower_watermarks": reach.has_follower_watermarks,
                "epochs": reach.has_epochs,
                "tap": settings.has_tap,
                "trace": trace.brokers > 0,
            }
            record.write(
                seen=seen_facts,
                samples=reach.samples,
                problems=[*clients.problems, *trace.problems],
                phases=clients.phases,
                clock_offsets_us={socket.gethostname(): 0, **trace.clock_offsets_us},
            )


class _Clients:
    """The client processes of a run, from the first to the last."""

    def __init__(self, record: RunRecord, reset: str, on_progress: OnProgress) -> None:
        self._settings = record.settings
        self._on_progress = on_progress
        self._began = time.monotonic()
        self.phases: dict[str, int] = {}
        """When each phase began."""
        self._phase = ""
        settings = record.settings
        share = shares(settings.messages, settings.producers)
        self._producers = [_process(record, "produce", n, messages=share[n]) for n in range(settings.producers)]
        self._consumers = [_process(record, "consume", n, reset=reset) for n in range(settings.consumers)]

    @property
    def problems(self) -> list[str]:
        """What went wrong with client processes."""
        return [f"{one.name}: {one.problem}" for one in (*self._producers, *self._consumers) if one.problem]

    async def run(self) -> None:
        """Start, wait, and end all of them, whatever happens."""
        try:
            self._enter("joining")
            await _start(self._consumers)
            _begin(self._consumers)
            await _start(self._producers)
            await self._until(READY_S_MAX, lambda: all(one.is_ready.is_set() for one in self._consumers))
            self._enter("sending")
            _begin(self._producers)
            await self._until(self._sending_s_max(), self._all_sent)
            await _stop(self._producers)
            self._enter("reading")
            has_all = await self._until(self._settings.timeout_s, self._has_all)
            self._enter("final polls")
            await self._until_quiet(has_all=has_all)
            await _stop(self._consumers)
            self._enter("ended")
        finally:
            for process in (*self._producers, *self._consumers):
                process.kill()

    def _sending_s_max(self) -> float | None:
        """Bound the sending, where its settings do; a rate that is too high for the cluster does not end a run."""
        settings = self._settings
        if settings.duration_s is None:
            return None
        return settings.duration_s + settings.delivery_s + _OVERTIME_S

    def _all_sent(self) -> bool:
        return all(one.has_ended.is_set() for one in self._producers)

    def _has_all(self) -> bool:
        """Whether the consumers' positions have passed everything that was acknowledged."""
        wanted, reached = _ends(self._producers), _ends(self._consumers)
        return all(reached.get(partition, 0) >= end for partition, end in wanted.items()) or self._all_readers_ended()

    def _all_readers_ended(self) -> bool:
        return all(one.has_ended.is_set() for one in self._consumers)

    async def _until_quiet(self, *, has_all: bool) -> None:
        """Go on polling until nothing has come for a while: longer where something is missing."""
        quiet_s = QUIET_S if has_all else max(QUIET_S, min(_LATE_QUIET_S_MAX, self._settings.timeout_s / 2))
        until = time.monotonic() + self._settings.timeout_s + quiet_s
        before, since = self._delivered(), time.monotonic()
        while time.monotonic() < until and time.monotonic() - since < quiet_s and not self._all_readers_ended():
            await asyncio.sleep(_TICK_S)
            self._show_progress()
            if (now := self._delivered()) != before:
                before, since = now, time.monotonic()

    async def _until(self, seconds: float | None, is_so: Callable[[], bool]) -> bool:
        until = None if seconds is None else time.monotonic() + seconds
        while not is_so():
            if until is not None and time.monotonic() >= until:
                return False
            await asyncio.sleep(_TICK_S)
            self._show_progress()
        return True

    def _enter(self, phase: str) -> None:
        self._phase = phase
        self.phases[phase] = now_us()
        self._show_progress()

    def _delivered(self) -> int:
        return sum(int(one.facts.get("delivered", 0)) for one in self._consumers)

    def _show_progress(self) -> None:
        def total(name: str) -> int:
            return sum(int(one.facts.get(name, 0)) for one in self._producers)

        seconds = time.monotonic() - self._began
        counts = (total("sent"), total("acked"), total("failed"), self._delivered())
        self._on_progress(Progress(self._phase, seconds, *counts, self._settings.messages))


def _process(record: RunRecord, role: str, number: int, **more: Any) -> ClientProcess:
    task = ClientTask(role, number, record.run, str(record.directory), record.settings.as_json(), **more)
    return ClientProcess(task, record.settings.client, record.directory / "logs" / f"{role}-{number}.log")


async def _start(processes: Sequence[ClientProcess]) -> None:
    for process in processes:
        await process.start()


def _begin(processes: Sequence[ClientProcess]) -> None:
    for process in processes:
        process.begin()


async def _stop(processes: Sequence[ClientProcess]) -> None:
    await asyncio.gather(*(process.stop() for process in processes))


def _ends(processes: Sequence[ClientProcess]) -> dict[int, int]:
    ends: dict[int, int] = {}
    for process in processes:
        for partition, end in process.facts.get("ends", {}).items():
            ends[int(partition)] = max(ends.get(int(partition), 0), int(end))
    return ends
