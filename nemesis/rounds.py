"""One round: clients on a topic of their own, the blows, the recovery, and the account of every message."""

import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from chronik.client.errors import ClientError
from chronik.testing import BrokerError
from nemesis.account import Account, Producer, account_of
from nemesis.blows import NobodyFoundError, strike
from nemesis.load import KINDS, GroupReader, Sender, Stored, read_all
from nemesis.plan import PARTITIONS, Blow, Round
from nemesis.replicas import contents_of, copies, differences
from nemesis.stage import Stage

FIRST_SECONDS_MAX = 60.0
PROGRESS_SECONDS_MAX = 45.0
RECOVERY_SECONDS_MAX = 120.0
CATCH_UP_SECONDS_MAX = 90.0
STEP_SECONDS = 0.05
WORDS_MAX = 1000
COPIES_SHOWN_MAX = 20


@dataclass(slots=True)
class Outcome:
    """What a round has shown."""

    round: Round
    account: Account = field(default_factory=Account)
    findings: list[str] = field(default_factory=list)
    gaps: list[tuple[str, float]] = field(default_factory=list)
    """The longest time without an acknowledgement for a partition, for each blow."""
    seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        return not self.findings


class Performance:
    """One round on a stage."""

    def __init__(self, stage: Stage, plan: Round, seed: int) -> None:
        self._stage = stage
        self._plan = plan
        self._dice = Random(f"{seed}/{plan.number}/blows")
        self._topic = f"nemesis-{plan.number}-{time.monotonic_ns()}"
        self._outcome = Outcome(plan)
        self._seed = f"{seed}/{plan.number}"

    def run(self) -> Outcome:
        """Carry it through; whatever goes wrong is a finding."""
        began = time.monotonic()
        try:
            self._perform()
        except (BrokerError, ClientError, NobodyFoundError, AssertionError, TimeoutError) as error:
            self._find(f"{type(error).__name__}: {str(error)[:WORDS_MAX]}")
        self._outcome.seconds = time.monotonic() - began
        return self._outcome

    def _find(self, what: str) -> None:
        self._outcome.findings.append(what)

    def _perform(self) -> None:
        stage, bootstrap = self._stage, self._stage.cluster.bootstrap_servers
        stage.cluster.create_topic(self._topic, PARTITIONS, replicas=len(stage.nodes))
        senders = [Sender(bootstrap, self._topic, kind, self._seed) for kind in KINDS]
        reader = GroupReader(bootstrap, self._topic, self._topic)
        reader.start()
        for sender in senders:
            sender.start()
        try:
            self._await_progress(senders, 0.0, FIRST_SECONDS_MAX, "before anything was done to it")
            for blow in self._plan.blows:
                self._strike(blow, senders)
            self._await_progress(senders, time.monotonic(), RECOVERY_SECONDS_MAX, "after everything was healed")
        finally:
            self._end(senders)
            self._settle(reader, senders)

    def _strike(self, blow: Blow, senders: Sequence[Sender]) -> None:
        undo = strike(self._stage, blow, self._topic, self._topic, self._dice)
        struck = time.monotonic()
        try:
            if blow.fault.owes_progress:
                self._await_progress(senders, struck, PROGRESS_SECONDS_MAX, f"during {blow}")
            time.sleep(max(blow.seconds - (time.monotonic() - struck), 0))
        finally:
            undo()
        self._stage.tell_pids()
        self._outcome.gaps.append((str(blow), longest_gap(senders, struck, time.monotonic())))

    def _await_progress(self, senders: Sequence[Sender], since: float, seconds_max: float, when: str) -> None:
        """Wait until every producer for which all replicas count was acknowledged something new in every partition."""
        if not _await(lambda: not _standing(senders, since), seconds_max):
            self._find(f"no progress {when}, {seconds_max:.0f} s long: {', '.join(_standing(senders, since))}")

    def _end(self, senders: Sequence[Sender]) -> None:
        for sender in senders:
            left = sender.end(RECOVERY_SECONDS_MAX)
            if left:
                self._find(f"{sender.kind}: {left} messages have no outcome")
            if sender.failed:
                reasons = sorted(set(sender.failed.values()))
                self._outcome.account.allowed[f"{sender.kind}: failed ({', '.join(reasons)})"] += len(sender.failed)

    def _settle(self, reader: GroupReader, senders: Sequence[Sender]) -> None:
        """Wait until all replicas are in sync and the group has read everything, then account for it all."""
        try:
            self._stage.cluster.wait_ready(RECOVERY_SECONDS_MAX, in_sync=True)
            stored = read_all(self._stage.cluster.bootstrap_servers, self._topic)
            self._await_reader(reader, stored)
        finally:
            reader.end()
        failures = self._outcome.account.allowed
        self._outcome.account = account_of([_known(sender) for sender in senders], stored, reader.read)
        self._outcome.account.allowed.update(failures)
        self._outcome.findings += self._outcome.account.findings
        self._compare_replicas()
        self._stage.retire(self._topic)

    def _await_reader(self, reader: GroupReader, stored: Iterable[Stored]) -> None:
        wanted = {(each.partition, each.offset) for each in stored}

        def missing() -> set[tuple[int, int]]:
            return wanted - {(each.partition, each.offset) for each in list(reader.read)}

        if not _await(lambda: not missing(), CATCH_UP_SECONDS_MAX):
            left = missing()
            self._find(f"the group has not read {len(left)} of {len(wanted)} messages, from {min(left)} on")

    def _compare_replicas(self) -> None:
        """Nobody writes any more: what only the leader has acknowledged is copied when its followers come for it."""
        addresses = {node: self._stage.cluster.address_of(node) for node in self._stage.cluster.running}

        def differ(partition: int) -> list[str]:
            return differences(contents_of(addresses, self._topic, partition), partition)

        for partition in range(PARTITIONS):
            if not _await(lambda partition=partition: not differ(partition), CATCH_UP_SECONDS_MAX):  # type: ignore[misc]
                self._outcome.findings += differ(partition)
            if repeated := self._outcome.account.repeated[:COPIES_SHOWN_MAX]:
                self._outcome.findings += copies(contents_of(addresses, self._topic, partition), partition, repeated)


def _known(sender: Sender) -> Producer:
    return Producer(sender.kind, sender.is_for_all, sender.is_idempotent, sender.sent, sender.acknowledged)


def _standing(senders: Sequence[Sender], since: float) -> list[str]:
    """Name who has had nothing acknowledged that it sent after a moment, and in which partition."""
    return [
        f"{sender.kind} in partition {partition}"
        for sender in senders
        if sender.is_for_all
        for partition in sorted(
            set(range(PARTITIONS))
            - {ack.partition for ack in list(sender.acknowledged.values()) if ack.sent_at >= since}
        )
    ]


def longest_gap(senders: Sequence[Sender], since: float, until: float) -> float:
    """The longest time in which no message sent with acks=all was acknowledged in some partition."""
    return max(_gap(senders, partition, since, until) for partition in range(PARTITIONS))


def _gap(senders: Sequence[Sender], partition: int, since: float, until: float) -> float:
    times = sorted(
        ack.at
        for sender in senders
        if sender.is_for_all
        for ack in list(sender.acknowledged.values())
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
