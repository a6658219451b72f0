"""Runs a soak: topics, clients, the timetable of departures and crashes, the end, and the audit."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from chronik.audit.capture.recording import Recording
from chronik.audit.pipeline import judge_and_report
from chronik.audit.report.exit_codes import ExitCode
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.schemas import EventKind, SendOutcome
from soak.group_rules import group_findings
from soak.ledgers import Ledgers
from soak.plan import PARTITIONS, PRODUCERS, TOPICS, Action, Cast, Deed, the_cast, timetable
from soak.stage import ROOT, SoakError, Stage
from soak.vital_signs import Sample, VitalSigns, sum_up
from soak.watch import read_samples

PROGRESS_EVERY_SECONDS = 10.0
STEP_SECONDS = 0.2
START_SECONDS_MAX = 90.0
DRAIN_SECONDS_MAX = 90.0
PRODUCERS_PER_TOPIC = PRODUCERS // TOPICS
# Segments are rolled and removed while the soak runs, long after all groups have read them.
TOPIC_SETTINGS = {"segment.bytes": "1048576", "retention.bytes": "4194304"}


@dataclass(frozen=True, slots=True)
class Target:
    """The broker; process id and data directory are known if the soak started it."""

    bootstrap: str
    pid: int | None = None
    data: Path | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a soak."""

    seconds: float
    seed: int
    counts: Counter[str]
    """Sends by outcome, deliveries, and events of consumers by kind."""
    redelivered: int
    complaints: Counter[str]
    signs: VitalSigns
    actions: int
    findings: tuple[str, ...]


class Conductor:
    """One soak, from its start to the audit."""

    def __init__(self, target: Target, directory: Path, seconds: float, seed: int, say: Callable[[str], None]) -> None:
        self._target = target
        self._directory = directory
        self._seconds = seconds
        self._seed = seed
        self._say = say
        self._cast: Cast = the_cast()
        self._stage = Stage(self._cast, target.bootstrap, directory)
        self._ledgers = Ledgers(directory, self._cast.topic_of_group)
        self._recordings = [
            Recording(run, target.bootstrap, run.name, timeout_s=seconds + DRAIN_SECONDS_MAX, has_observer=False)
            for run in self._ledgers.runs
        ]
        self._problems: list[str] = []
        self._returns: list[tuple[float, Action]] = []
        self._watcher: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._said_at = 0.0

    def run(self) -> Outcome:
        """Run the soak; no process outlives it."""
        create_topics(self._target.bootstrap)
        for recording in self._recordings:
            recording.start()
        actions = timetable(self._cast, self._seconds, self._seed)
        try:
            with watching(self._target, self._directory / "samples") as self._watcher:
                self._start()
                self._act(actions)
                self._drain()
                self._problems += self._stage.end([*self._stage.steady, *self._stage.mortal.values()])
        finally:
            self._stage.kill_all()
        return self._conclude(len(actions), self._elapsed())

    def _start(self) -> None:
        """Start all clients; the clock runs from the moment when all have started."""
        for worker in self._stage.workers:
            worker.start()
        deadline = time.monotonic() + START_SECONDS_MAX
        while (started := self._ledgers.started()) < len(self._cast.all):
            if time.monotonic() > deadline:
                raise SoakError(f"only {started} clients after {START_SECONDS_MAX:.0f} s")
            time.sleep(STEP_SECONDS)
        self._started = self._said_at = time.monotonic()

    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _act(self, actions: tuple[Action, ...]) -> None:
        """Follow the timetable until the time is over and all clients are back."""
        waiting = list(actions)
        while self._elapsed() < self._seconds or self._returns:
            while waiting and waiting[0].at_seconds <= self._elapsed():
                self._send_away(waiting.pop(0))
            self._bring_back()
            self._look()
            time.sleep(STEP_SECONDS)

    def _send_away(self, action: Action) -> None:
        worker = self._stage.worker_of(action.client)
        if action.deed is Deed.KILL:
            worker.kill()
        else:
            worker.order(f"leave {action.client.name}")
        self._returns.append((self._elapsed() + action.away_seconds, action))

    def _bring_back(self) -> None:
        due = [action for at, action in self._returns if at <= self._elapsed()]
        self._returns = [(at, action) for at, action in self._returns if at > self._elapsed()]
        for action in due:
            worker = self._stage.worker_of(action.client)
            worker.start() if action.deed is Deed.KILL else worker.order(f"join {action.client.name}")

    def _look(self) -> None:
        """Check that no process has ended by itself, and print the progress."""
        if self._watcher is not None and self._watcher.poll() is not None:
            raise SoakError("the broker no longer answers")
        away = {action.client.name for _, action in self._returns if action.deed is Deed.KILL}
        for worker in self._stage.workers:
            if worker.has_ended and not away.intersection(client.name for client in worker.clients):
                raise SoakError(f"{worker.name} has ended by itself; its log is in {self._directory}")
        if time.monotonic() - self._said_at >= PROGRESS_EVERY_SECONDS:
            self._said_at = time.monotonic()
            self._say(self._progress())

    def _progress(self) -> str:
        self._ledgers.read()
        counts, recent = self._ledgers.counts, self._samples()
        worst = max((sample.delay_seconds for sample in recent), default=0.0)
        memory = next((sample.memory_bytes for sample in reversed(recent) if sample.memory_bytes), 0)
        return (
            f"[{self._elapsed():>5.0f} s] {counts[SendOutcome.ACKED.name]:,} acknowledged, "
            f"{counts['delivered']:,} delivered, {self._ledgers.missing():,} to come, "
            f"{counts[EventKind.ASSIGNED]:,} assignments, "
            f"longest answer {worst * 1000:.0f} ms, memory {memory / 1e6:.0f} MB"
        )

    def _samples(self) -> list[Sample]:
        return read_samples(self._directory / "samples")

    def _drain(self) -> None:
        """End the producers, and wait until every group has read all messages."""
        self._problems += self._stage.end([self._stage.producers])
        deadline = time.monotonic() + DRAIN_SECONDS_MAX
        while True:
            self._ledgers.read()
            if not self._ledgers.missing() or time.monotonic() > deadline:
                return
            time.sleep(STEP_SECONDS)

    def _conclude(self, actions: int, seconds: float) -> Outcome:
        for recording in self._recordings:
            recording.finish()
        self._ledgers.read()
        signs = sum_up(self._samples())
        judged = [finding for run in self._ledgers.runs for finding in audit_findings(run)]
        return Outcome(
            seconds,
            self._seed,
            self._ledgers.counts,
            self._ledgers.redelivered(),
            self._ledgers.complaints,
            signs,
            actions,
            (*judged, *signs.findings(), *self._problems),
        )


def audit_findings(run: Path) -> list[str]:
    """Judge the run of one topic: by the audit, and by the rules of its groups."""
    report = judge_and_report(run)
    found = [] if report.exit_code is ExitCode.NOTHING_DISALLOWED else report.breaches()
    silent = PRODUCERS_PER_TOPIC - len(set(report.evidence.sends["producer"].to_pylist()))
    found += [f"{silent} producers have sent nothing"] if silent else []
    return [f"{run.name}: {finding}" for finding in (*found, *group_findings(Evidence(run)))]


def create_topics(bootstrap: str) -> None:
    """Create the topics."""
    topics = [
        NewTopic(f"topic{number}", num_partitions=PARTITIONS, replication_factor=1, config=TOPIC_SETTINGS)
        for number in range(TOPICS)
    ]
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for created in admin.create_topics(topics).values():
        created.result(30)


@contextmanager
def watching(target: Target, output: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Sample the broker from another process."""
    ours = [] if target.pid is None or target.data is None else [str(target.pid), str(target.data)]
    command = [sys.executable, "-m", "soak.watch", target.bootstrap, str(output), *ours]
    watcher = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE)
    try:
        yield watcher
    finally:
        assert watcher.stdin is not None
        watcher.stdin.close()
        try:
            watcher.wait(10)
        except subprocess.TimeoutExpired:
            watcher.kill()
            watcher.wait()
