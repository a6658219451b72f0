"""The engine ``memory:`` for simulation and unit tests, with the semantics of the real ones.

Several handles may share one state, like the processes of a cluster: ``store.sibling()``. A disconnected handle
(``is_disconnected``) behaves as if the store did not answer.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from chronik.metadata.stores.change_signal import ChangeSignal
from chronik.metadata.stores.memory.state import MemoryState
from chronik.metadata.stores.port import (
    ChangeBatch,
    Compare,
    LeaseId,
    Outcome,
    RangeResult,
    StoreClosedError,
    StoreEntry,
    StoreUnavailable,
    Write,
)
from chronik.model.ids import Revision


class MemoryLease:
    """A lease of one handle. Its deadline is that of the last successful renewal."""

    def __init__(self, store: "MemoryStore", lease_id: LeaseId) -> None:
        self._store = store
        self.id = lease_id
        self.ttl_ms = store.state.leases[lease_id].ttl_ms
        self.deadline_ms = store.state.leases[lease_id].deadline_ms
        self._ended = asyncio.Event()

    @property
    def is_lost(self) -> bool:
        return self._ended.is_set()

    def renew(self) -> None:
        """Renew once, unless the handle is disconnected."""
        if self._store.is_disconnected or self.is_lost:
            return
        deadline_ms = self._store.state.renew(self.id)
        if deadline_ms is not None:
            self.deadline_ms = deadline_ms
        self.look()

    def look(self) -> None:
        """Check whether the lease has ended."""
        if self.id not in self._store.state.leases and not self._store.is_disconnected:
            self._ended.set()

    async def lost(self) -> None:
        await self._ended.wait()

    async def revoke(self) -> None:
        self._store.check_usable()
        self._store.state.end(self.id)
        self._ended.set()


class MemoryStore:
    """One handle on a state.

    With ``renews=False`` leases are neither renewed nor expired automatically: the test or simulation calls
    ``lease.renew()`` and ``state.expire_due()``.
    """

    def __init__(self, state: MemoryState | None = None, *, renews: bool = True) -> None:
        self.state = state or MemoryState()
        self._renews = renews
        self._is_disconnected = False
        self._closed = False
        self._signal = ChangeSignal()
        self._leases: list[MemoryLease] = []
        self._renewing: asyncio.Task[None] | None = None
        self.state.on_change.append(self._on_change)

    def sibling(self) -> "MemoryStore":
        """Return another handle on the same state."""
        return MemoryStore(self.state, renews=self._renews)

    # --- the port

    async def get(self, key: str) -> StoreEntry | None:
        self.check_usable()
        return self.state.get(key)

    async def range(self, prefix: str) -> RangeResult:
        self.check_usable()
        return self.state.range(prefix)

    async def transact(self, compares: Sequence[Compare], writes: Sequence[Write]) -> Outcome:
        self.check_usable()
        return self.state.transact(compares, writes)

    async def watch(self, from_revision: Revision) -> AsyncGenerator[ChangeBatch, None]:
        next_revision = from_revision
        while not self._closed:
            self.check_usable()
            changed = self._signal.next_change
            batch = self.state.batch_at(next_revision)
            if batch is None:
                await changed.wait()
                continue
            next_revision = Revision(batch.revision + 1)
            yield batch

    async def lease(self, ttl_ms: int) -> MemoryLease:
        self.check_usable()
        lease = MemoryLease(self, self.state.grant(ttl_ms))
        self._leases.append(lease)
        if self._renews and self._renewing is None:
            self._renewing = asyncio.ensure_future(self._renew_all())
        return lease

    async def compact(self, revision: Revision) -> None:
        self.check_usable()
        self.state.compact(revision)

    async def close(self) -> None:
        if self._closed:
            return
        if not self._is_disconnected:
            for lease in self._leases:
                self.state.end(lease.id)
        self._closed = True
        self.state.on_change.remove(self._on_change)
        if self._renewing is not None:
            self._renewing.cancel()
        self._signal.notify()

    # --- what tests and simulations do to it

    @property
    def is_disconnected(self) -> bool:
        """Whether this handle cannot reach the store: calls and watches fail, and leases are not renewed."""
        return self._is_disconnected

    @is_disconnected.setter
    def is_disconnected(self, value: bool) -> None:
        self._is_disconnected = value
        self._on_change()

    def expire(self, lease: MemoryLease) -> None:
        """End a lease as if its holder had been silent for too long."""
        self.state.end(lease.id)

    def check_usable(self) -> None:
        if self._closed:
            raise StoreClosedError("the metadata store is closed")
        if self._is_disconnected:
            raise StoreUnavailable("the metadata store does not answer")

    def _on_change(self) -> None:
        self._signal.notify()
        for lease in self._leases:
            lease.look()

    async def _renew_all(self) -> None:
        while live := [lease for lease in self._leases if not lease.is_lost]:
            await asyncio.sleep(min(lease.ttl_ms for lease in live) / 3000)
            for lease in live:
                lease.renew()
            self.state.expire_due()
        self._renewing = None
