"""A connection to the file of the SQLite store, used by one thread only.

The file is in WAL mode with ``synchronous=FULL``: with NORMAL a power failure can undo a commit, and one leader epoch
could be used twice. The history table has the changes of the latest revisions for watchers. Current entries are in
another table, so that reads do not depend on the length of the history.
"""

import os
import sqlite3
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from chronik.metadata.stores.port import (
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
    StoreError,
    StoreReplacedError,
    Write,
    check_watch,
)
from chronik.model.ids import Revision

APPLICATION_ID: Final = 0x4348524B
SCHEMA_VERSION: Final = 2
LOCK_WAIT_S: Final = 0.25
"""How long SQLite waits for a lock; then the store looks for its holder."""
HISTORY_REVISIONS_MAX: Final = 4_096
COMPACT_EVERY_REVISIONS: Final = 256
WATCH_BATCHES_MAX: Final = 256
_PREFIX_END: Final = "\U0010ffff"

_SCHEMA_1: Final = """
CREATE TABLE counters (revision INTEGER NOT NULL, compacted_revision INTEGER NOT NULL);
INSERT INTO counters VALUES (0, 0);
CREATE TABLE entries (
    key TEXT PRIMARY KEY, value BLOB NOT NULL, create_revision INTEGER NOT NULL, mod_revision INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE history (
    revision INTEGER NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL, value BLOB, create_revision INTEGER,
    PRIMARY KEY (revision, position)
) WITHOUT ROWID;
"""
# AUTOINCREMENT never reuses an id: the end of an old lease must not hit a new one.
_SCHEMA_2: Final = """
CREATE TABLE leases (id INTEGER PRIMARY KEY AUTOINCREMENT, member TEXT NOT NULL, ttl_ms INTEGER NOT NULL);
ALTER TABLE entries ADD COLUMN lease INTEGER;
CREATE INDEX entries_by_lease ON entries (lease) WHERE lease IS NOT NULL;
"""
_STEPS: Final = (_SCHEMA_1, _SCHEMA_2)
_ENTRY: Final = "key, value, create_revision, mod_revision"


class LeaseRow(NamedTuple):
    """A live lease, and the open store that holds it."""

    id: LeaseId
    member: str
    ttl_ms: int


class StoreFile:
    """The content of the file, and the transactions that change it."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._sql = sqlite3.connect(path, timeout=LOCK_WAIT_S, isolation_level=None, cached_statements=32)
        try:
            self._prepare()
            self._inode = self._inode_at_path()
        except BaseException:
            self._sql.close()
            raise

    def close(self) -> None:
        self._sql.close()

    # --- facts

    def get(self, key: str) -> StoreEntry | None:
        row = self._sql.execute(f"SELECT {_ENTRY} FROM entries WHERE key = ?", (key,)).fetchone()
        return StoreEntry._make(row) if row else None

    def range(self, prefix: str) -> RangeResult:
        with _Transaction(self._sql, "BEGIN"):
            rows = self._sql.execute(
                f"SELECT {_ENTRY} FROM entries WHERE key >= ? AND key < ? ORDER BY key", (prefix, prefix + _PREFIX_END)
            ).fetchall()
            return RangeResult(tuple(map(StoreEntry._make, rows)), self._counters()[0])

    def transact(self, compares: Sequence[Compare], writes: Sequence[Write]) -> Outcome:
        # IMMEDIATE takes the write lock before the compares are read, so that no other writer comes in between.
        with _Transaction(self._sql, "BEGIN IMMEDIATE"):
            self._check_place()
            self._check_leases(writes)
            revision = self._counters()[0]
            if not all(compare.holds(self.get(compare.key)) for compare in compares):
                return Conflict(revision)
            return Committed(self._write(writes, revision))

    def history(self, from_revision: Revision) -> list[ChangeBatch]:
        """Read the next transactions from a revision on."""
        with _Transaction(self._sql, "BEGIN"):
            self._check_place()
            revision, compacted = self._counters()
            if from_revision <= compacted:
                raise CompactedError(from_revision, Revision(compacted + 1))
            check_watch(from_revision, revision)
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

    # --- leases

    def grant(self, member: str, ttl_ms: int) -> LeaseId:
        with _Transaction(self._sql, "BEGIN IMMEDIATE"):
            self._check_place()
            row = self._sql.execute(
                "INSERT INTO leases (member, ttl_ms) VALUES (?, ?) RETURNING id", (member, ttl_ms)
            ).fetchone()
            return LeaseId(row[0])

    def leases(self) -> list[LeaseRow]:
        return [LeaseRow._make(row) for row in self._sql.execute("SELECT id, member, ttl_ms FROM leases ORDER BY id")]

    def end_lease(self, lease: LeaseId, is_due: Callable[[], bool]) -> bool:
        """Delete a lease and its keys, if it is still there and still due under the write lock."""
        with _Transaction(self._sql, "BEGIN IMMEDIATE"):
            if not is_due() or not self._sql.execute("DELETE FROM leases WHERE id = ?", (lease,)).rowcount:
                return False
            keys = self._sql.execute("SELECT key FROM entries WHERE lease = ? ORDER BY key", (lease,)).fetchall()
            self._write([Delete(key) for (key,) in keys], self._counters()[0])
            return True

    # --- opening

    def _prepare(self) -> None:
        self._sql.execute("PRAGMA journal_mode = WAL")
        self._sql.execute("PRAGMA synchronous = FULL")
        application, version = self._pragma("application_id"), self._pragma("user_version")
        if application != APPLICATION_ID and not ((application, version) == (0, 0) and self._is_empty()):
            raise StoreError(f"{self._path} is a database, but not a metadata store of Chronik")
        if version > SCHEMA_VERSION:
            raise StoreError(f"{self._path} has schema version {version}; this Chronik knows version {SCHEMA_VERSION}")
        if version < SCHEMA_VERSION:
            self._build()

    def _build(self) -> None:
        """Create missing tables; another process may have created some at the same time."""
        with _Transaction(self._sql, "BEGIN IMMEDIATE"):
            for step in _STEPS[self._pragma("user_version") :]:
                for statement in step.split(";"):
                    self._sql.execute(statement)
            self._sql.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._sql.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _pragma(self, name: str) -> int:
        return int(self._sql.execute(f"PRAGMA {name}").fetchone()[0])

    def _is_empty(self) -> bool:
        return not self._sql.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]

    # --- writing

    def _check_place(self) -> None:
        # A process that opens the path again would write to another file than this one, and neither would notice.
        if self._inode_at_path() != self._inode:
            raise StoreReplacedError(f"{self._path} is no longer the file that was opened: it was moved or replaced")

    def _inode_at_path(self) -> tuple[int, int] | None:
        try:
            stat = os.stat(self._path)
        except FileNotFoundError:
            return None
        return stat.st_dev, stat.st_ino

    def _check_leases(self, writes: Sequence[Write]) -> None:
        for lease in {write.lease for write in writes if isinstance(write, Put) and write.lease is not None}:
            if not self._sql.execute("SELECT 1 FROM leases WHERE id = ?", (lease,)).fetchone():
                raise LeaseEndedError(f"the lease {lease} has ended")

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
            f"INSERT INTO entries ({_ENTRY}, lease) VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET"
            " value = excluded.value, mod_revision = excluded.mod_revision, lease = excluded.lease"
            " RETURNING create_revision",
            (write.key, write.value, revision, revision, write.lease),
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
    """BEGIN and COMMIT around a block, ROLLBACK if it raises."""

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
            # Also after a failed COMMIT, or the next BEGIN would find this transaction still open.
            if self._sql.in_transaction:
                self._sql.execute("ROLLBACK")


def _change(revision: int, key: str, value: bytes | None, created: int | None) -> Change:
    if value is None or created is None:
        return Change(key, None)
    return Change(key, StoreEntry(key, value, Revision(created), Revision(revision)))
