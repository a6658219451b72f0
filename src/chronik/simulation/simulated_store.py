"""The metadata store of the simulation: the engine ``memory:`` behind a network that loses requests and responses.

A transaction travels. It may be judged long after its sender gave up waiting, or never.
"""

from collections.abc import Callable
from typing import Any, Final

from chronik.metadata.image.image import Image
from chronik.metadata.stores.memory.state import MemoryState
from chronik.metadata.stores.plan import Plan, Refusal, Transaction
from chronik.metadata.stores.port import Conflict, LeaseEndedError, LeaseId, Outcome, RangeResult
from chronik.model.ids import Revision
from chronik.simulation.network import LOST, Network, Reply
from chronik.simulation.process import SimulatedProcess
from chronik.simulation.scheduler import Scheduler

STORE: Final = "store"
TIMEOUT_US: Final = 400_000
EXPIRY_US: Final = 20_000
RETRY_US: Final = 150_000
UNKNOWN: Final = object()
"""The result of a decision whose outcome is unknown."""
Decide = Callable[[Image], Plan[Any] | Refusal]


class SimulatedStore:
    """The one store of a cluster. Its process can be stopped and killed; what was committed stays."""

    def __init__(self, scheduler: Scheduler, network: Network) -> None:
        self.scheduler = scheduler
        self.network = network
        self.process = SimulatedProcess(STORE, scheduler)
        self.process.start()
        self.state = MemoryState(lambda: scheduler.now_ms)
        self._expire()

    def _expire(self) -> None:
        if self.process.is_running and not self.process.is_paused:
            self.state.expire_due()
        self.scheduler.after(EXPIRY_US, self._expire)

    def stop(self) -> None:
        self.process.end()

    def restart(self) -> None:
        """Start again; every lease is renewed, as by a new leader of etcd."""
        self.process.start()
        for lease in tuple(self.state.leases):
            kept = self.state.leases[lease]
            self.state.leases[lease] = kept._replace(deadline_ms=self.scheduler.now_ms + kept.ttl_ms)


class Hold:
    """The store client of one life of a broker: its image, leases and decisions."""

    def __init__(
        self, store: SimulatedStore, process: SimulatedProcess, on_image: Callable[[Image, Image], None]
    ) -> None:
        self._store = store
        self._process = process
        self._on_image = on_image
        self._waiting: list[tuple[Revision, Callable[[], None]]] = []
        self._is_asking = False
        self.image = Image()

    def _ask(self, handle: Callable[[Reply], None], done: Callable[[object], None]) -> None:
        self._store.network.call(self._process, self._store.process, handle, done, timeout_us=TIMEOUT_US)

    # --- the image

    def open(self, then: Callable[[], None]) -> None:
        """Read the whole store, then follow it."""

        def read(answer: object) -> None:
            if not isinstance(answer, RangeResult):
                self._process.later(RETRY_US, lambda: self.open(then))
                return
            self.image = Image.load(answer)
            self._store.state.on_change.append(self._process.guarded(self._look))
            self._look_again()
            then()

        self._ask(lambda reply: reply(self._store.state.range("")), read)

    def _look_again(self) -> None:
        """Poll from time to time: a notification may have been lost."""
        self._look()
        self._process.later(RETRY_US, self._look_again)

    def _look(self) -> None:
        if self._is_asking or self._store.state.revision <= self.image.revision:
            return
        self._is_asking = True
        revision = self.image.next_revision
        self._ask(lambda reply: reply(self._store.state.batch_at(revision)), self._on_batch)

    def _on_batch(self, batch: object) -> None:
        self._is_asking = False
        if batch is LOST or batch is None:
            return
        before = self.image
        self.image = before.replay(batch)  # type: ignore[arg-type]
        self._on_image(before, self.image)
        due = [then for revision, then in self._waiting if revision <= self.image.revision]
        self._waiting = [one for one in self._waiting if one[0] > self.image.revision]
        for then in due:
            then()
        self._look()

    def when_reached(self, revision: Revision, then: Callable[[], None]) -> None:
        if revision <= self.image.revision:
            then()
        else:
            self._waiting.append((revision, then))
            self._look()

    # --- leases

    def lease(self, ttl_ms: int, done: Callable[[LeaseId | None], None]) -> None:
        def given(answer: object) -> None:
            done(None if answer is LOST else answer)  # type: ignore[arg-type]

        self._ask(lambda reply: reply(self._store.state.grant(ttl_ms)), given)

    def renew(self, lease: LeaseId, done: Callable[[object], None]) -> None:
        self._ask(lambda reply: reply(self._store.state.renew(lease)), done)

    def revoke(self, lease: LeaseId) -> None:
        self._ask(lambda reply: self._store.state.end(lease), lambda answer: None)

    # --- decisions

    def transact(self, transaction: Transaction, done: Callable[[Outcome | None], None]) -> None:
        """Send a transaction; None where its outcome is unknown, or where it failed for a lease that has ended."""

        def judge(reply: Reply) -> None:
            state = self._store.state
            try:
                reply(state.transact(*transaction))
            except LeaseEndedError:
                reply(LOST)

        self._ask(judge, lambda answer: done(None if answer is LOST else answer))  # type: ignore[arg-type]

    def carry_out(self, decide: Decide, done: Callable[[object], None]) -> None:
        """Carry out a decision; after a conflict decide again. ``done`` gets the result, a refusal, or ``UNKNOWN``."""
        plan = decide(self.image)
        if isinstance(plan, Refusal):
            done(plan)
        else:
            self._do(plan, 0, decide, done)

    def _do(self, plan: Plan[Any], number: int, decide: Decide, done: Callable[[object], None]) -> None:
        if number == len(plan.transactions):
            done(plan.result)
            return

        def judged(outcome: Outcome | None) -> None:
            if outcome is None:
                done(UNKNOWN)
            elif isinstance(outcome, Conflict):
                self.when_reached(outcome.revision, lambda: self.carry_out(decide, done))
            else:
                self.when_reached(outcome.revision, lambda: self._do(plan, number + 1, decide, done))

        self.transact(plan.transactions[number], judged)
