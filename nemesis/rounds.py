"""One round: clients on a topic of their own, the faults, the recovery, and the audit of every message."""

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from chronik.audit.capture.recording import Recording
from chronik.audit.pipeline import judge_and_report
from chronik.audit.report.document import Report
from chronik.audit.report.exit_codes import ExitCode
from chronik.client.errors import ClientError
from chronik.testing import BrokerError
from nemesis.faults import TargetNotFoundError, inject
from nemesis.load import KINDS, MESSAGE_SECONDS_MAX, GroupReader, Sender
from nemesis.plan import PARTITIONS, Fault, Round
from nemesis.stage import Stage

FIRST_SECONDS_MAX = 60.0
PROGRESS_SECONDS_MAX = 45.0
RECOVERY_SECONDS_MAX = 120.0
CATCH_UP_SECONDS_MAX = 90.0
STEP_SECONDS = 0.05
WORDS_MAX = 1000


BY_SAMPLES: Final = frozenset({"+VISIBLE_ABOVE_HW"})
"""Flags that compare deliveries with the observer's samples. A round stops brokers and the metadata store, so that the
ISR in the observer's metadata may be old: such a flag alone breaks no promise of a round."""


@dataclass(slots=True)
class Outcome:
    """The result of a round."""

    round: Round
    report: Report | None = None
    findings: list[str] = field(default_factory=list)
    gaps: list[tuple[str, float]] = field(default_factory=list)
    """The longest time without an acknowledgement for a partition, for each fault."""
    seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        return not self.findings

    def total(self, column: str) -> int:
        """Sum up a column of the report's partitions."""
        return 0 if self.report is None else sum(row[column] for row in self.report.partitions.to_pylist())

    def allowed(self) -> Iterator[tuple[str, int]]:
        """Yield what is no plain delivery, and breaks no promise."""
        for rows in () if self.report is None else self.report.groups.values():
            yield from ((name, allowed) for name, (_, allowed) in rows.items() if allowed and name != "DELIVERED")


class RoundRun:
    """Runs one round on a stage."""

    def __init__(self, stage: Stage, plan: Round, seed: int) -> None:
        self._stage = stage
        self._plan = plan
        self._rng = Random(f"{seed}/{plan.number}/faults")
        self._topic = f"nemesis-{plan.number}-{time.monotonic_ns()}"
        self._directory = stage.directory / "audit" / self._topic
        self._outcome = Outcome(plan)
        self._seed = f"{seed}/{plan.number}"

    def run(self) -> Outcome:
        """Run the round; everything that goes wrong is a finding."""
        began = time.monotonic()
        try:
            self._perform()
        except (BrokerError, ClientError, TargetNotFoundError, AssertionError, TimeoutError) as error:
            self._find(f"{type(error).__name__}: {str(error)[:WORDS_MAX]}")
        self._outcome.seconds = time.monotonic() - began
        return self._outcome

    def _find(self, what: str) -> None:
        self._outcome.findings.append(what)

    def _perform(self) -> None:
        stage, bootstrap = self._stage, self._stage.cluster.bootstrap_servers
        stage.cluster.create_topic(self._topic, PARTITIONS, replicas=len(stage.nodes))
        timeout_s = MESSAGE_SECONDS_MAX + RECOVERY_SECONDS_MAX + CATCH_UP_SECONDS_MAX
        recording = Recording(self._directory, bootstrap, self._topic, timeout_s=timeout_s, label=str(self._plan))
        recording.start()
        senders = [Sender(self._directory, bootstrap, self._topic, kind, self._seed) for kind in KINDS]
        reader = GroupReader(self._directory, bootstrap, self._topic, self._topic)
        reader.start()
        for sender in senders:
            sender.start()
        try:
            self._await_progress(senders, 0.0, FIRST_SECONDS_MAX, "before the first fault")
            for fault in self._plan.faults:
                self._inject(fault, senders)
            self._await_progress(senders, time.monotonic(), RECOVERY_SECONDS_MAX, "after the last fault was undone")
        finally:
            self._end(senders)
            self._settle(reader, recording)

    def _inject(self, fault: Fault, senders: Sequence[Sender]) -> None:
        undo = inject(self._stage, fault, self._topic, self._topic, self._rng)
        since = time.monotonic()
        try:
            if fault.kind.owes_progress:
                self._await_progress(senders, since, PROGRESS_SECONDS_MAX, f"during {fault}")
            time.sleep(max(fault.seconds - (time.monotonic() - since), 0))
        finally:
            undo()
        self._stage.send_pids()
        self._outcome.gaps.append((str(fault), longest_gap(senders, since, time.monotonic())))

    def _await_progress(self, senders: Sequence[Sender], since: float, seconds_max: float, when: str) -> None:
        """Wait until every acks=all producer has a message sent since then acknowledged in every partition."""
        if not _await(lambda: not _without_progress(senders, since), seconds_max):
            names = ", ".join(_without_progress(senders, since))
            self._find(f"no progress {when}, {seconds_max:.0f} s long: {names}")

    def _end(self, senders: Sequence[Sender]) -> None:
        for sender in senders:
            if left := sender.end(RECOVERY_SECONDS_MAX):
                self._find(f"{sender.kind}: {left} messages have no outcome")

    def _settle(self, reader: GroupReader, recording: Recording) -> None:
        """Wait until all replicas are in sync and the group has read everything, then let the audit judge."""
        try:
            self._stage.cluster.wait_ready(RECOVERY_SECONDS_MAX, in_sync=True)
            self._await_reader(reader, recording)
        finally:
            reader.end()
            recording.stop()
        recording.finish()
        self._judge()
        self._stage.retire(self._topic)

    def _await_reader(self, reader: GroupReader, recording: Recording) -> None:
        """Wait until all replicas of a partition have the same log end, and the group has reached it."""

        def behind() -> list[str]:
            ends = recording.log_ends()
            return [
                f"partition {partition}: log ends {own}, group at {reached}"
                for partition in range(PARTITIONS)
                if (own := sorted({end for (_, at), end in ends.items() if at == partition}))
                != [reached := reader.ledger.end_offsets.get(partition, 0)]
            ]

        if not _await(lambda: not behind(), CATCH_UP_SECONDS_MAX):
            self._find(f"not caught up in {CATCH_UP_SECONDS_MAX:.0f} s: {'; '.join(behind())}")

    def _judge(self) -> None:
        """Judge the recorded round as any other run; messages without a known outcome break no promise."""
        report = self._outcome.report = judge_and_report(self._directory)
        self._outcome.findings += [f"not judged: {note}" for note in report.notes]
        if report.exit_code is ExitCode.DISALLOWED and _breaks_a_promise(report):
            self._outcome.findings += report.breaches()


def _breaks_a_promise(report: Report) -> bool:
    """Return whether ledgers and logs show a breach, not the observer's samples alone."""
    counts = ((name, count > allowed) for rows in report.groups.values() for name, (count, allowed) in rows.items())
    names = {name for name, is_broken in counts if is_broken}
    kinds = {row["kind"] for row in report.finding_rows if not row["is_allowed"]}
    return bool((names - BY_SAMPLES - {"UNKNOWN", "*FOREIGN"}) or "replicas-differ" in kinds)


def _without_progress(senders: Sequence[Sender], since: float) -> list[str]:
    """Return the producers and partitions without an acknowledged message that was sent since then."""
    return [
        f"{sender.kind} in partition {partition}"
        for sender in senders
        if sender.needs_all
        for partition in sorted(
            set(range(PARTITIONS)) - {ack.partition for ack in list(sender.acks) if ack.sent_at >= since}
        )
    ]


def longest_gap(senders: Sequence[Sender], since: float, until: float) -> float:
    """The longest time in which no message sent with acks=all was acknowledged in some partition."""
    return max(_gap(senders, partition, since, until) for partition in range(PARTITIONS))


def _gap(senders: Sequence[Sender], partition: int, since: float, until: float) -> float:
    times = sorted(
        ack.at
        for sender in senders
        if sender.needs_all
        for ack in list(sender.acks)
        if ack.partition == partition and since <= ack.at <= until
    )
    edges = [since, *times, until]
    return max(later - earlier for earlier, later in itertools.pairwise(edges))


def _await(is_so: Callable[[], bool], seconds_max: float) -> bool:
    deadline = time.monotonic() + seconds_max
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(STEP_SECONDS)
    return True
