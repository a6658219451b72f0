"""The state of the engine ``memory:``: entries, history and leases, changed by plain calls.

It never waits and has no clock of its own, so that a simulation can drive it event by event.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from chronik.metadata.stores.boot_clock import BootClock, boot_ms
from chronik.metadata.stores.port import (
    ABSENT,
    LEASE_MS_MIN,
    Change,
    ChangeBatch,
    Committed,
    CompactedError,
    Compare,
    Conflict,
    Delete,
    LeaseEndedError,
    LeaseId,
    Outcome,
    Put,
    RangeResult,
    StoreEntry,
    Write,
    check_transaction,
    check_watch,
)
from chronik.model.ids import Revision


class LeaseState(NamedTuple):
    """A live lease and its deadline."""

    ttl_ms: int
    deadline_ms: int


class MemoryState:
    """The content of a store. ``on_change`` is called after every transaction with changes and every end of a lease."""

    def __init__(self, now_ms: BootClock = boot_ms) -> None:
        self.now_ms = now_ms
        self.revision = ABSENT
        self.leases: dict[LeaseId, LeaseState] = {}
        self.on_change: list[Callable[[], None]] = []
        self._entries: dict[str, StoreEntry] = {}
        self._lease_of: dict[str, LeaseId] = {}
        self._history: list[ChangeBatch] = []
        self._compacted = ABSENT
        self._last_lease = LeaseId(0)

    # --- facts

    def get(self, key: str) -> StoreEntry | None:
        return self._entries.get(key)

    def range(self, prefix: str) -> RangeResult:
        found = sorted(entry for key, entry in self._entries.items() if key.startswith(prefix))
        return RangeResult(tuple(found), self.revision)

    def transact(self, compares: Sequence[Compare], writes: Sequence[Write]) -> Outcome:
        check_transaction(compares, writes)
        self._check_leases(writes)
        if not all(compare.holds(self._entries.get(compare.key)) for compare in compares):
            return Conflict(self.revision)
        self._write(writes)
        return Committed(self.revision)

    def batch_at(self, revision: Revision) -> ChangeBatch | None:
        """Return the transaction of this revision, or None if it is the next one."""
        if revision <= self._compacted:
            raise CompactedError(revision, Revision(self._compacted + 1))
        check_watch(revision, self.revision)
        position = revision - self._compacted - 1
        return self._history[position] if position < len(self._history) else None

    def compact(self, revision: Revision) -> None:
        self._compacted = max(self._compacted, min(revision, self.revision))
        self._history = [batch for batch in self._history if batch.revision > self._compacted]

    # --- leases

    def grant(self, ttl_ms: int) -> LeaseId:
        self._last_lease = LeaseId(self._last_lease + 1)
        ttl_ms = max(ttl_ms, LEASE_MS_MIN)
        self.leases[self._last_lease] = LeaseState(ttl_ms, self.now_ms() + ttl_ms)
        return self._last_lease

    def renew(self, lease: LeaseId) -> int | None:
        """Extend the lease and return its deadline; None if it has ended, or ends now because it is late."""
        self.expire_due()
        if lease not in self.leases:
            return None
        ttl_ms = self.leases[lease].ttl_ms
        self.leases[lease] = LeaseState(ttl_ms, self.now_ms() + ttl_ms)
        return self.leases[lease].deadline_ms

    def end(self, lease: LeaseId) -> None:
        """End a lease and delete its keys in one transaction. An ended lease is no error."""
        if self.leases.pop(lease, None) is None:
            return
        keys = sorted(key for key, holder in self._lease_of.items() if holder == lease)
        self._write([Delete(key) for key in keys])
        self._tell()

    def expire_due(self) -> None:
        """End every lease whose deadline has passed, the earliest first."""
        now_ms = self.now_ms()
        due = sorted((state.deadline_ms, lease) for lease, state in self.leases.items() if state.deadline_ms <= now_ms)
        for _, lease in due:
            self.end(lease)

    @property
    def next_deadline_ms(self) -> int | None:
        """The earliest deadline of all leases."""
        return min((state.deadline_ms for state in self.leases.values()), default=None)

    # --- writing

    def _check_leases(self, writes: Sequence[Write]) -> None:
        for write in writes:
            if isinstance(write, Put) and write.lease is not None and write.lease not in self.leases:
                raise LeaseEndedError(f"the lease {write.lease} of {write.key} has ended")

    def _write(self, writes: Sequence[Write]) -> None:
        revision = Revision(self.revision + 1)
        changes = tuple(change for write in writes if (change := self._apply(write, revision)))
        if changes:
            self.revision = revision
            self._history.append(ChangeBatch(revision, changes))
            self._tell()

    def _apply(self, write: Write, revision: Revision) -> Change | None:
        before = self._entries.get(write.key)
        self._lease_of.pop(write.key, None)
        if isinstance(write, Delete):
            self._entries.pop(write.key, None)
            return Change(write.key, None) if before else None
        if write.lease is not None:
            self._lease_of[write.key] = write.lease
        created = before.create_revision if before else revision
        entry = StoreEntry(write.key, bytes(write.value), created, revision)
        self._entries[write.key] = entry
        return Change(write.key, entry)

    def _tell(self) -> None:
        for listener in tuple(self.on_change):
            listener()
