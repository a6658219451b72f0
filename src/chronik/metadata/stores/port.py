"""The store port: the few things that Chronik asks of whatever keeps the cluster's facts.

A store is a map of keys to bytes with one revision counter. Every transaction that changes anything raises the
counter by one, all its changes carry the new revision, and watchers see the transactions in that order, each exactly
once. The port knows nothing of brokers or topics, so that an engine is small and every engine passes one conformance
suite.

What every engine promises:

- A transaction is all or nothing, and durable when ``transact`` returns ``Committed`` (``memory:`` excepted).
- ``range`` is one consistent snapshot, and its revision is where a watch may take over: ``watch(revision + 1)``.
- A transaction names no key twice in its writes, and holds at most ``TRANSACTION_OPS_MAX`` compares and as many writes:
  etcd refuses more.
- Deleting what is absent is no change; a transaction without a change commits at the current revision.
- When ``transact`` raises ``StoreUnavailable``, or is cancelled, its outcome is unknown, and a read that shows no
  change settles nothing: the transaction may still be on its way. Any other error means that nothing was written.
- A key written with a lease is deleted when the lease ends: all keys of one lease in one transaction of its own, which
  watchers see like any other. Writing the key again, without that lease, detaches it.
- The engine renews a lease until it is revoked or the store is closed. Leases are for liveness: whoever was paused may
  find that its lease ended a while ago.
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
    """The store could not do what was asked; the environment is at fault."""


class CompactedError(StoreError):
    """The history that a watch asks for is gone: read a new snapshot and watch from there."""

    def __init__(self, asked: Revision, oldest: Revision) -> None:
        super().__init__(f"revision {asked} was compacted; the oldest that can be watched is {oldest}")
        self.oldest = oldest


class StoreClosedError(StoreError):
    """The store was closed by this process."""


class StoreUnavailable(StoreError):  # noqa: N818 -- a state of the world, and not of a call
    """The store did not answer; whether what was asked has happened, or will, is unknown."""


class StoreReplacedError(StoreError):
    """Another store, or an older copy of the right one, stands in its place: this process must not go on."""


class LeaseEndedError(StoreError):
    """A transaction named a lease that has ended, and wrote nothing."""


class StoreEntry(NamedTuple):
    """A key that exists."""

    key: str
    value: bytes
    create_revision: Revision
    mod_revision: Revision


class RangeResult(NamedTuple):
    """All keys under a prefix as they were at one revision, in key order."""

    entries: tuple[StoreEntry, ...]
    revision: Revision


class CompareTarget(Enum):
    """Which of a key's revisions a compare looks at."""

    MOD = "mod"
    CREATE = "create"


class Compare(NamedTuple):
    """A condition of a transaction: the key's revision is exactly this one (0: the key is absent)."""

    key: str
    revision: Revision
    target: CompareTarget = CompareTarget.MOD

    def holds(self, entry: StoreEntry | None) -> bool:
        """Ask whether the key's present state fulfils the condition."""
        if entry is None:
            return self.revision == ABSENT
        if self.target is CompareTarget.MOD:
            return self.revision == entry.mod_revision
        return self.revision == entry.create_revision


class Put(NamedTuple):
    """Write a key, whether or not it exists. With a lease, the key goes when the lease ends."""

    key: str
    value: bytes
    lease: LeaseId | None = None


class Delete(NamedTuple):
    """Remove a key, if it exists."""

    key: str


Write = Put | Delete


class Committed(NamedTuple):
    """The transaction happened, at this revision."""

    revision: Revision


class Conflict(NamedTuple):
    """A compare did not hold and nothing was written; ``revision`` is the store's at that moment."""

    revision: Revision


Outcome = Committed | Conflict


class Change(NamedTuple):
    """What a transaction made of one key: its new entry, or None where it was deleted."""

    key: str
    entry: StoreEntry | None


class ChangeBatch(NamedTuple):
    """All changes of one transaction, in the order of its writes."""

    revision: Revision
    changes: tuple[Change, ...]


class Lease(Protocol):
    """A claim to be alive, renewed by the engine that gave it."""

    @property
    def id(self) -> LeaseId: ...

    @property
    def ttl_ms(self) -> int:
        """How long the claim outlives its last renewal: what the store gave, which may be more than was asked."""
        ...

    @property
    def deadline_ms(self) -> int:
        """Until when the lease surely holds, in milliseconds of CLOCK_BOOTTIME.

        It counts from before the last renewal that succeeded was sent, and never moves after the lease has ended.
        """
        ...

    async def lost(self) -> None:
        """Return when the lease is known to have ended: expired, revoked, or ended by others."""
        ...

    async def revoke(self) -> None:
        """End the lease: its keys go at once. Ending what has ended does nothing."""
        ...


class Store(Protocol):
    """Where the cluster's facts are kept. Used from one event loop."""

    async def get(self, key: str) -> StoreEntry | None:
        """Read one key."""
        ...

    async def range(self, prefix: str) -> RangeResult:
        """Read every key that begins with the prefix, as one snapshot."""
        ...

    async def transact(self, compares: Sequence[Compare], writes: Sequence[Write]) -> Outcome:
        """Write everything if every compare holds, and nothing otherwise."""
        ...

    def watch(self, from_revision: Revision) -> AsyncGenerator[ChangeBatch, None]:
        """Yield every transaction from this revision on, in order, none lost or repeated, until the store is closed.

        Raises CompactedError where the history from that revision on is no longer whole, StoreReplacedError where the
        store has not even reached the revision before it, and StoreUnavailable where the store does not answer:
        the watch may then be taken up again from the revision after the last that was seen.
        """
        ...

    async def lease(self, ttl_ms: int) -> Lease:
        """Take a lease that the engine renews from now on. Closing the store revokes it."""
        ...

    async def compact(self, revision: Revision) -> None:
        """Forget the history up to and including this revision; what keys hold now is untouched."""
        ...

    async def close(self) -> None:
        """Finish what was begun and let go. A second close does nothing."""
        ...


def check_transaction(compares: Sequence[Compare], writes: Sequence[Write]) -> None:
    """Assert what every engine may rely on."""
    assert len(compares) <= TRANSACTION_OPS_MAX, f"{len(compares)} compares in one transaction"
    assert len(writes) <= TRANSACTION_OPS_MAX, f"{len(writes)} writes in one transaction"
    assert len({write.key for write in writes}) == len(writes), "a transaction writes one key twice"
    assert all(write.key for write in writes), "a key may not be empty"


def check_watch(from_revision: Revision, current: Revision) -> None:
    """Refuse to watch a store that is behind what its watcher has already seen."""
    if from_revision > current + 1:
        raise StoreReplacedError(
            f"the metadata store is at revision {current}, but revision {from_revision - 1} was already seen in it: "
            "it is another store, or an older copy"
        )
