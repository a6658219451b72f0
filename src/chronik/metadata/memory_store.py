"""The engine ``memory:``, for simulation and unit tests: a dict, with the semantics of the real ones."""

from collections.abc import AsyncGenerator, Sequence

from chronik.metadata.change_signal import ChangeSignal
from chronik.metadata.store import (
    ABSENT,
    Change,
    ChangeBatch,
    Committed,
    CompactedError,
    Compare,
    Conflict,
    Delete,
    Entry,
    Outcome,
    RangeResult,
    StoreClosedError,
    Write,
    check_transaction,
)
from chronik.model.ids import Revision


class MemoryStore:
    """A store that lives as long as the object; several brokers of one process may share it."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._history: list[ChangeBatch] = []
        self._compacted = ABSENT
        self._revision = ABSENT
        self._signal = ChangeSignal()
        self._closed = False

    async def get(self, key: str) -> Entry | None:
        self._check_open()
        return self._entries.get(key)

    async def range(self, prefix: str) -> RangeResult:
        self._check_open()
        found = sorted(entry for key, entry in self._entries.items() if key.startswith(prefix))
        return RangeResult(tuple(found), self._revision)

    async def transact(self, compares: Sequence[Compare], writes: Sequence[Write]) -> Outcome:
        self._check_open()
        check_transaction(compares, writes)
        if not all(compare.holds(self._entries.get(compare.key)) for compare in compares):
            return Conflict(self._revision)
        revision = Revision(self._revision + 1)
        changes = tuple(change for write in writes if (change := self._apply(write, revision)))
        if changes:
            self._commit(ChangeBatch(revision, changes))
        return Committed(self._revision)

    async def watch(self, from_revision: Revision) -> AsyncGenerator[ChangeBatch, None]:
        next_revision = from_revision
        while not self._closed:
            changed = self._signal.next_change
            batch = self._batch_at(next_revision)
            if batch is None:
                await changed.wait()
                continue
            next_revision = Revision(batch.revision + 1)
            yield batch

    async def compact(self, revision: Revision) -> None:
        self._check_open()
        self._compacted = max(self._compacted, min(revision, self._revision))
        self._history = [batch for batch in self._history if batch.revision > self._compacted]

    async def close(self) -> None:
        self._closed = True
        self._signal.notify()

    def _apply(self, write: Write, revision: Revision) -> Change | None:
        before = self._entries.get(write.key)
        if isinstance(write, Delete):
            self._entries.pop(write.key, None)
            return Change(write.key, None) if before else None
        created = before.create_revision if before else revision
        entry = Entry(write.key, bytes(write.value), created, revision)
        self._entries[write.key] = entry
        return Change(write.key, entry)

    def _commit(self, batch: ChangeBatch) -> None:
        self._revision = batch.revision
        self._history.append(batch)
        self._signal.notify()

    def _batch_at(self, revision: Revision) -> ChangeBatch | None:
        if revision <= self._compacted:
            raise CompactedError(revision, Revision(self._compacted + 1))
        position = revision - self._compacted - 1
        return self._history[position] if position < len(self._history) else None

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosedError("the metadata store is closed")
