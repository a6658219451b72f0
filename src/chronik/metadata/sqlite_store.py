"""The engine ``sqlite:///path``: one machine, no quorum needed, SQLite's own transactions.

All calls run in one thread of the store's own, so that a commit's fsync never holds the event loop. The file is in
WAL mode with ``synchronous=FULL``: with NORMAL a power cut can take back a commit, and one leader epoch could be
given out twice. The history table holds the changes of the latest revisions for watchers; what keys hold now stands
apart, so that reading it does not depend on the length of the history.
"""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import Final, TypeVar

from chronik.metadata.change_signal import ChangeSignal
from chronik.metadata.store import (
    Change,
    ChangeBatch,
    Committed,
    CompactedError,
    Compare,
    Conflict,
    Delete,
    Entry,
    Lease,
    Outcome,
    RangeResult,
    StoreClosedError,
    StoreError,
    Write,
    check_transaction,
)
from chronik.model.ids import Revision

APPLICATION_ID: Final = 0x4348524B
SCHEMA_VERSION: Final = 1
BUSY_TIMEOUT_S: Final = 5.0
HISTORY_REVISIONS_MAX: Final = 4_096
COMPACT_EVERY_REVISIONS: Final = 256
WATCH_BATCHES_MAX: Final = 256
_PREFIX_END: Final = "\U0010ffff"

_SCHEMA: Final = f"""
BEGIN IMMEDIATE;
CREATE TABLE counters (revision INTEGER NOT NULL, compacted_revision INTEGER NOT NULL);
INSERT INTO counters VALUES (0, 0);
CREATE TABLE entries (
    key TEXT PRIMARY KEY, value BLOB NOT NULL, create_revision INTEGER NOT NULL, mod_revision INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE history (
    revision INTEGER NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL, value BLOB, create_revision INTEGER,
    PRIMARY KEY (revision, position)
) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""

T = TypeVar("T")


class SqliteStore:
    """A store in one SQLite file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._signal = ChangeSignal()
        self._loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="metadata-store")
        self._file: _StoreFile
        self._closed = False

    @classmethod
    async def open(cls, path: str) -> "SqliteStore":
        """Open the file, or make it where it is missing."""
        store = cls(path)
        try:
            store._file = await store._call(lambda: _StoreFile(path))
        except BaseException:
            store._thread.shutdown(wait=False)
            raise
        return store

    async def get(self, key: str) -> Entry | None:
        return await self._call(lambda: self._file.get(key))

    async def range(self, prefix: str) -> RangeResult:
        return await self._call(lambda: self._file.range(prefix))

    async def transact(self, compares: Sequence[Compare], writes: Sequence[Write]) -> Outcome:
        check_transaction(compares, writes)
        return await self._call(lambda: self._transact_and_wake(compares, writes))

    async def watch(self, from_revision: Revision) -> AsyncGenerator[ChangeBatch, None]:
        next_revision = from_revision
        while not self._closed:
            changed = self._signal.next_change
            batches = await self._call(lambda first=next_revision: self._file.history(first))  # type: ignore[misc]
            if not batches:
                await changed.wait()
            for batch in batches:
                next_revision = Revision(batch.revision + 1)
                yield batch

    async def lease(self, ttl_ms: int) -> Lease:
        raise StoreError("the SQLite store gives no leases")

    async def compact(self, revision: Revision) -> None:
        await self._call(lambda: self._file.compact(revision))

    async def close(self) -> None:
        if self._closed:
            return
        closing = asyncio.wrap_future(self._thread.submit(self._file.close))
        self._closed = True
        self._signal.notify()
        try:
            await closing
        finally:
            self._thread.shutdown(wait=False)

    def _transact_and_wake(self, compares: Sequence[Compare], writes: Sequence[Write]) -> Outcome:
        outcome = self._file.transact(compares, writes)
        # Woken from here and not by the caller, who may have been cancelled while the commit went on.
        self._loop.call_soon_threadsafe(self._signal.notify)
        return outcome

    async def _call(self, work: Callable[[], T]) -> T:
        if self._closed:
            raise StoreClosedError("the metadata store is closed")
        try:
            return await asyncio.wrap_future(self._thread.submit(work))
        except sqlite3.Error as error:
            raise StoreError(f"the metadata store {self._path} failed: {error}") from error


class _StoreFile:
    """The SQLite connection; lives in the store's thread alone."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._sql = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, cached_statements=32)
        try:
            self._prepare()
        except BaseException:
            self._sql.close()
            raise

    def close(self) -> None:
        self._sql.close()

    def get(self, key: str) -> Entry | None:
        row = self._sql.execute("SELECT * FROM entries WHERE key = ?", (key,)).fetchone()
        return Entry._make(row) if row else None

    def range(self, prefix: str) -> RangeResult:
        with _Transaction(self._sql, "BEGIN"):
            rows = self._sql.execute(
                "SELECT * FROM entries WHERE key >= ? AND key < ? ORDER BY key", (prefix, prefix + _PREFIX_END)
            ).fetchall()
            return RangeResult(tuple(map(Entry._make, rows)), self._counters()[0])

    def transact(self, compares: Sequence[Compare], writes: Sequence[Write]) -> Outcome:
        # IMMEDIATE takes the write lock before the compares are read, so that nobody writes in between.
        with _Transaction(self._sql, "BEGIN IMMEDIATE"):
            revision = self._counters()[0]
            if not all(compare.holds(self.get(compare.key)) for compare in compares):
                return Conflict(revision)
            return Committed(self._write(writes, revision))

    def history(self, from_revision: Revision) -> list[ChangeBatch]:
        """Read the next few transactions from a revision on."""
        with _Transaction(self._sql, "BEGIN"):
            compacted = self._counters()[1]
            if from_revision <= compacted:
                raise CompactedError(from_revision, Revision(compacted + 1))
            rows = self._sql.execute(
                "SELECT revision, key, value, create_revision FROM history"
                " WHERE revision >= ? AND revision < ? ORDER BY revision, position",
                (from_revision, from_revision + WATCH_BATCHES_MAX),
            ).fetchall()
        return [
            ChangeBatch(Revision(revision), tuple(_change(*row) for row in batch))
            for revision, batch in groupby(rows, key=lambda row: int(row[0]))
        ]

    def compact(self, revision: Revision) -> None:
        with _Transaction(self._sql, "BEGIN IMMEDIATE"):
            self._forget_history(revision)

    def _prepare(self) -> None:
        self._sql.execute("PRAGMA journal_mode = WAL")
        self._sql.execute("PRAGMA synchronous = FULL")
        application, version = self._pragma("application_id"), self._pragma("user_version")
        if (application, version) == (0, 0) and self._is_empty():
            self._create()
        elif application != APPLICATION_ID:
            raise StoreError(f"{self._path} is a database, but not a metadata store of Chronik")
        elif version != SCHEMA_VERSION:
            raise StoreError(f"{self._path} has schema version {version}; this Chronik knows version {SCHEMA_VERSION}")

    def _create(self) -> None:
        try:
            self._sql.executescript(_SCHEMA)
        except sqlite3.OperationalError:
            # Another process may have made the same tables a moment earlier.
            if self._sql.in_transaction:
                self._sql.execute("ROLLBACK")
            if self._pragma("application_id") != APPLICATION_ID:
                raise

    def _pragma(self, name: str) -> int:
        return int(self._sql.execute(f"PRAGMA {name}").fetchone()[0])

    def _is_empty(self) -> bool:
        return not self._sql.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]

    def _counters(self) -> tuple[Revision, Revision]:
        revision, compacted = self._sql.execute("SELECT revision, compacted_revision FROM counters").fetchone()
        return revision, compacted

    def _write(self, writes: Sequence[Write], current: Revision) -> Revision:
        revision = Revision(current + 1)
        changed = [self._apply(write, revision, position) for position, write in enumerate(writes)]
        if not any(changed):
            return current
        self._sql.execute("UPDATE counters SET revision = ?", (revision,))
        if revision % COMPACT_EVERY_REVISIONS == 0:
            self._forget_history(Revision(revision - HISTORY_REVISIONS_MAX))
        return revision

    def _apply(self, write: Write, revision: Revision, position: int) -> bool:
        if isinstance(write, Delete):
            if not self._sql.execute("DELETE FROM entries WHERE key = ?", (write.key,)).rowcount:
                return False
            self._remember(revision, position, write.key, None, None)
            return True
        row = self._sql.execute(
            "INSERT INTO entries VALUES (?, ?, ?, ?) ON CONFLICT (key)"
            " DO UPDATE SET value = excluded.value, mod_revision = excluded.mod_revision RETURNING create_revision",
            (write.key, write.value, revision, revision),
        ).fetchone()
        self._remember(revision, position, write.key, write.value, row[0])
        return True

    def _remember(self, revision: Revision, position: int, key: str, value: bytes | None, created: int | None) -> None:
        self._sql.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?)", (revision, position, key, value, created))

    def _forget_history(self, up_to: Revision) -> None:
        revision, compacted = self._counters()
        up_to = min(up_to, revision)
        if up_to > compacted:
            self._sql.execute("DELETE FROM history WHERE revision <= ?", (up_to,))
            self._sql.execute("UPDATE counters SET compacted_revision = ?", (up_to,))


class _Transaction:
    """BEGIN and COMMIT around a block, ROLLBACK where it raises."""

    def __init__(self, sql: sqlite3.Connection, begin: str) -> None:
        self._sql = sql
        self._begin = begin

    def __enter__(self) -> None:
        self._sql.execute(self._begin)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if error is None:
                self._sql.execute("COMMIT")
        finally:
            # Also after a COMMIT that failed, or the next BEGIN would find this transaction still open.
            if self._sql.in_transaction:
                self._sql.execute("ROLLBACK")


def _change(revision: int, key: str, value: bytes | None, created: int | None) -> Change:
    if value is None or created is None:
        return Change(key, None)
    return Change(key, Entry(key, value, Revision(created), Revision(revision)))
