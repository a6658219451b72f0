"""Carries a soak through: topics, clients, the timetable of departures and crashes, the end, and the account."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from soak.ledger import Ledger
from soak.plan import PARTITIONS, TOPICS, Action, Cast, Deed, the_cast, timetable
from soak.stage import ROOT, SoakError, Stage
from soak.vital_signs import Sample, VitalSigns, sum_up
from soak.watch import read_samples

PROGRESS_EVERY_SECONDS = 10.0
STEP_SECONDS = 0.2
START_SECONDS_MAX = 90.0
DRAIN_SECONDS_MAX = 90.0
# Segments are rolled and removed while the soak runs, long after everybody has read them.
TOPIC_SETTINGS = {"segment.bytes": "1048576", "retention.bytes": "4194304"}


@dataclass(frozen=True, slots=True)
class Target:
    """The broker; its process and data are looked at where they are ours."""

    bootstrap: str
    pid: int | None = None
    data: Path | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a soak has shown."""

    seconds: float
    seed: int
    ledger: Ledger
    signs: VitalSigns
    actions: int
    findings: tuple[str, ...]


class Conductor:
    """One soak, from its beginning to its account."""

    def __init__(self, target: Target, directory: Path, seconds: float, seed: int, say: Callable[[str], None]) -> None:
        self._target = target
        self._directory = directory
        self._seconds = seconds
        self._seed = seed
        self._say = say
        self._cast: Cast = the_cast()
        self._stage = Stage(self._cast, target.bootstrap, directory)
        self._ledger = Ledger(self._cast.topic_of_group)
        self._problems: list[str] = []
        self._returns: list[tuple[float, Action]] = []
        self._watcher: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._said_at = 0.0

    def run(self) -> Outcome:
        """Run it all; no process is left behind."""
        create_topics(self._target.bootstrap)
        actions = timetable(self._cast, self._seconds, self._seed)
        try:
            with watching(self._target, self._directory / "samples") as self._watcher:
                self._start()
                self._act(actions)
                self._drain()
                self._problems += self._stage.end([*self._stage.steady, *self._stage.mortal.values()])
                self._read_journals()
        finally:
            self._stage.kill_all()
        return self._conclude(len(actions))

    def _start(self) -> None:
        """Start everybody; the clock runs from the moment when all are there."""
        for worker in self._stage.workers:
            worker.start()
        deadline = time.monotonic() + START_SECONDS_MAX
        while len(self._ledger.running) < len(self._cast.all):
            if time.monotonic() > deadline:
                raise SoakError(f"only {len(self._ledger.running)} clients after {START_SECONDS_MAX:.0f} s")
            time.sleep(STEP_SECONDS)
            self._read_journals()
        self._started = self._said_at = time.monotonic()

    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _act(self, actions: tuple[Action, ...]) -> None:
        """Follow the timetable until the time is over, and have everybody back."""
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
            self._read_journals()
            self._ledger.died(f"{action.client.name}/")
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
        """Read what was written, see that nobody has ended unasked, say where we are."""
        self._read_journals()
        if self._watcher is not None and self._watcher.poll() is not None:
            raise SoakError("the broker no longer answers")
        away = {action.client.name for _, action in self._returns if action.deed is Deed.KILL}
        for worker in self._stage.workers:
            if worker.has_ended and not away.intersection(client.name for client in worker.clients):
                raise SoakError(f"{worker.name} has ended by itself; its log is in {self._directory}")
        if time.monotonic() - self._said_at >= PROGRESS_EVERY_SECONDS:
            self._said_at = time.monotonic()
            self._say(self._progress())

    def _read_journals(self) -> None:
        for event in self._stage.news():
            self._ledger.record(event)

    def _progress(self) -> str:
        counts, lag, recent = self._ledger.counts, self._ledger.lag(), self._samples()
        worst = max((sample.delay_seconds for sample in recent), default=0.0)
        memory = next((sample.memory_bytes for sample in reversed(recent) if sample.memory_bytes), 0)
        return (
            f"[{self._elapsed():>5.0f} s] {len(self._ledger.running)} clients, "
            f"{counts['Acknowledged']:,} acknowledged, {counts['Delivered']:,} delivered, {lag:,} to come, "
            f"{counts['Assigned']:,} assignments, "
            f"longest answer {worst * 1000:.0f} ms, memory {memory / 1e6:.0f} MB"
        )

    def _samples(self) -> list[Sample]:
        return read_samples(self._directory / "samples")

    def _drain(self) -> None:
        """No more is sent; every group is given time to read what there is."""
        self._problems += self._stage.end([self._stage.producers])
        deadline = time.monotonic() + DRAIN_SECONDS_MAX
        self._read_journals()
        while self._ledger.lag() and time.monotonic() < deadline:
            time.sleep(STEP_SECONDS)
            self._read_journals()

    def _conclude(self, actions: int) -> Outcome:
        samples = self._samples()
        signs = sum_up(samples)
        silent = [client.name for client in self._cast.producers if not self._has_sent(client.name)]
        mute = [f"{name} has sent nothing" for name in silent]
        findings = (*self._ledger.findings(), *signs.findings(), *self._problems, *mute)
        return Outcome(self._elapsed(), self._seed, self._ledger, signs, actions, findings)

    def _has_sent(self, producer: str) -> bool:
        return self._ledger.acknowledged_by[producer] > 0


def create_topics(bootstrap: str) -> None:
    """Make the topics, and wait until they are there."""
    topics = [
        NewTopic(f"topic{number}", num_partitions=PARTITIONS, replication_factor=1, config=TOPIC_SETTINGS)
        for number in range(TOPICS)
    ]
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for created in admin.create_topics(topics).values():
        created.result(30)


@contextmanager
def watching(target: Target, output: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Have the broker watched by a process."""
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
