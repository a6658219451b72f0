"""The store port: what Chronik needs from a metadata store.

A store is a map of keys to bytes with one revision counter. Every transaction with a change raises the counter by one,
all its changes carry the new revision, and watchers see the transactions in that order, each exactly once. The port
knows no brokers or topics, so that an engine is small and every engine passes one conformance suite.

What every engine promises:

- A transaction is all or nothing, and durable when ``transact`` returns ``Committed`` (except for ``memory:``).
- ``range`` is one consistent snapshot, and a watch continues after its revision: ``watch(revision + 1)``.
- A transaction writes a key only once, and has at most ``TRANSACTION_OPS_MAX`` compares and as many writes, which is
  etcd's limit.
- Deleting an absent key is no change; a transaction without a change commits at the current revision.
- When ``transact`` raises ``StoreUnavailable`` or is cancelled, its outcome is unknown. A read that shows no change
  proves nothing: the transaction may still arrive. Any other error means that nothing was written.
- A key written with a lease is deleted when the lease ends: all keys of one lease in one transaction of its own, which
  watchers see like any other. Writing the key again without that lease detaches it.
- The engine renews a lease until it is revoked or the store is closed. Leases are for liveness only: a process that
  was paused may find that its lease ended a while ago.
"""

from collections.abc import AsyncGenerator, Sequence
from enum import Enum
from typing import Final, NamedTuple, NewType, Protocol

from chronik.model.ids import Revision

TRANSACTION_OPS_MAX: Final = 100
ABSENT: Final = Revision(0)
LEASE_MS_MIN: Final = 100

LeaseId = NewType("LeaseId", int)


class StoreError(Exception):
    """The store could not carry out a request; the environment is at fault."""


class CompactedError(StoreError):
    """The requested history is compacted: read a new snapshot and watch from there."""

    def __init__(self, asked: Revision, oldest: Revision) -> None:
        super().__init__(f"revision {asked} was compacted; the oldest that can be watched is {oldest}")
        self.oldest = oldest


class StoreClosedError(StoreError):
    """The store was closed by this process."""


class StoreUnavailable(StoreError):  # noqa: N818 -- a state of the world, and not of a call
    """The store did not answer; whether the request was or will be carried out is unknown."""


class StoreReplacedError(StoreError):
    """Another store, or an older copy of this one, is in its place: this process must stop."""


class LeaseEndedError(StoreError):
    """A transaction used an ended lease, and wrote nothing."""


class StoreEntry(NamedTuple):
    """An existing key."""

    key: str
    value: bytes
    create_revision: Revision
    mod_revision: Revision


class RangeResult(NamedTuple):
    """All keys with a prefix at one revision, in key order."""

    entries: tuple[StoreEntry, ...]
    revision: Revision


class CompareTarget(Enum):
    """The revision of a key that a compare uses."""

    MOD = "mod"
    CREATE = "create"


class Compare(NamedTuple):
    """A condition of a transaction: the key's revision is exactly this one (0: the key is absent)."""

    key: str
    revision: Revision
    target: CompareTarget = CompareTarget.MOD

    def holds(self, entry: StoreEntry | None) -> bool:
        """Return whether the key's current entry fulfils the condition."""
        if entry is None:
            return self.revision == ABSENT
        if self.target is CompareTarget.MOD:
            return self.revision == entry.mod_revision
        return self.revision == entry.create_revision


class Put(NamedTuple):
    """Write a key, existing or not. With a lease, the key is deleted when the lease ends."""

    key: str
    value: bytes
    lease: LeaseId | None = None


class Delete(NamedTuple):
    """Delete a key, if it exists."""

    key: str


Write = Put | Delete


class Committed(NamedTuple):
    """The transaction was committed at this revision."""

    revision: Revision


class Conflict(NamedTuple):
    """A compare failed and nothing was written; ``revision`` is the store's at that moment."""

    revision: Revision


Outcome = Committed | Conflict


class Change(NamedTuple):
    """The result of a transaction for one key: its new entry, or None if it was deleted."""

    key: str
    entry: StoreEntry | None


class ChangeBatch(NamedTuple):
    """All changes of one transaction, in the order of its writes."""

    revision: Revision
    changes: tuple[Change, ...]


class Lease(Protocol):
    """A lease, renewed by its engine."""

    @property
    def id(self) -> LeaseId: ...

    @property
    def ttl_ms(self) -> int:
        """How long the lease outlives its last renewal: the store's value, which may be more than requested."""
        ...

    @property
    def deadline_ms(self) -> int:
        """Until when the lease surely lasts, in milliseconds of CLOCK_BOOTTIME.

        It counts from the time before the last successful renewal was sent, and never moves after the lease has ended.
        """
        ...

    async def lost(self) -> None:
        """Wait until the lease is known to have ended: expired, revoked, or ended by another process."""
        ...

    async def revoke(self) -> None:
        """End the lease and delete its keys. An ended lease is no error."""
        ...


class Store(Protocol):
    """The metadata store. Used from one event loop."""

    async def get(self, key: str) -> StoreEntry | None: ...

    async def range(self, prefix: str) -> RangeResult:
        """Read all keys with the prefix in one snapshot."""
        ...

    async def transact(self, compares: Sequence[Compare], writes: Sequence[Write]) -> Outcome:
        """Write everything if every compare holds, and nothing otherwise."""
        ...

    def watch(self, from_revision: Revision) -> AsyncGenerator[ChangeBatch, None]:
        """Yield every transaction from this revision on, in order and exactly once, until the store is closed.

        Raises CompactedError if the history from that revision on is incomplete, StoreReplacedError if the store has
        not even reached the revision before it, and StoreUnavailable if the store does not answer: the watch may then
        be resumed after the last revision that was seen.
        """
        ...

    async def lease(self, ttl_ms: int) -> Lease:
        """Take a lease, which the engine renews. Closing the store revokes it."""
        ...

    async def compact(self, revision: Revision) -> None:
        """Remove the history up to and including this revision; current entries stay."""
        ...

    async def close(self) -> None:
        """Finish pending work and close. A second close does nothing."""
        ...


def check_transaction(compares: Sequence[Compare], writes: Sequence[Write]) -> None:
    """Assert what every engine may rely on."""
    assert len(compares) <= TRANSACTION_OPS_MAX, f"{len(compares)} compares in one transaction"
    assert len(writes) <= TRANSACTION_OPS_MAX, f"{len(writes)} writes in one transaction"
    assert len({write.key for write in writes}) == len(writes), "a transaction writes one key twice"
    assert all(write.key for write in writes), "a key may not be empty"


def check_watch(from_revision: Revision, current: Revision) -> None:
    """Raise if the store is behind the revisions that its watcher has seen."""
    if from_revision > current + 1:
        raise StoreReplacedError(
            f"the metadata store is at revision {current}, but revision {from_revision - 1} was already seen in it: "
            "it is another store, or an older copy"
        )
