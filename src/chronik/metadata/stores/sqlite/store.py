"""The engine ``sqlite:///path`` for one machine, with SQLite's own transactions.

Any number of processes may open the same file. Calls run in two threads of the store, so that a commit's fsync never
blocks the event loop, and a waiting writer never blocks readers. After a commit the other processes are woken through
their sockets; there is no polling. The file must be on a local file system: locks and shared memory of network file
systems are not reliable.
"""

import asyncio
import logging
import os
import sqlite3
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from chronik.metadata.stores.change_signal import ChangeSignal
from chronik.metadata.stores.port import (
    LEASE_MS_MIN,
    ChangeBatch,
    Compare,
    Conflict,
    LeaseId,
    Outcome,
    RangeResult,
    StoreClosedError,
    StoreEntry,
    StoreError,
    StoreUnavailable,
    Write,
    check_transaction,
)
from chronik.metadata.stores.sqlite.file import LeaseRow, StoreFile
from chronik.metadata.stores.sqlite.leases import Heart, SqliteLease
from chronik.metadata.stores.sqlite.locks import end_stopped_writer
from chronik.metadata.stores.sqlite.peers import PeerWatch
from chronik.metadata.stores.sqlite.presence import Members, Presence
from chronik.model.ids import Revision

log = logging.getLogger(__name__)

LOCKED_S_MAX: Final = 15.0
"""How long a writer waits for others: longer than a stopped one can block it."""
END_AGAIN_S: Final = 0.5

T = TypeVar("T")


class SqliteStore:
    """A store in one SQLite file."""

    def __init__(self, path: str, presence: Presence) -> None:
        self._path = path
        self._presence = presence
        self._signal = ChangeSignal()
        self._loop = asyncio.get_running_loop()
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="metadata-writer")
        self._reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="metadata-reader")
        self._heart = Heart(presence, self._loop, self._reader)
        self._peers = PeerWatch(presence, self._loop, self)
        self._ending: set[asyncio.Task[None]] = set()
        self._file: StoreFile
        self._read_file: StoreFile
        self._closed = False

    @classmethod
    async def open(cls, path: str) -> "SqliteStore":
        """Open or create the file, and end the leases of members that died unnoticed."""
        check_local(path)
        try:
            store = cls(path, Presence(Members(path + "-members")))
        except OSError as error:
            raise StoreError(f"the metadata store {path} cannot be opened: {error}") from error
        try:
            await store._open()
        except BaseException:
            await store._let_go()
            raise
        return store

    async def _open(self) -> None:
        self._file = await self._on(self._writer, lambda: self._with_retries(lambda: StoreFile(self._path)))
        self._read_file = await self._on(self._reader, lambda: self._with_retries(lambda: StoreFile(self._path)))
        self._heart.start()
        await self._peers.start()

    # --- the port

    async def get(self, key: str) -> StoreEntry | None:
        return await self._read(lambda: self._read_file.get(key))

    async def range(self, prefix: str) -> RangeResult:
        return await self._read(lambda: self._read_file.range(prefix))

    async def transact(self, compares: Sequence[Compare], writes: Sequence[Write]) -> Outcome:
        check_transaction(compares, writes)
        return await self._write(lambda: self._file.transact(compares, writes))

    async def watch(self, from_revision: Revision) -> AsyncGenerator[ChangeBatch, None]:
        next_revision = from_revision
        while not self._closed:
            changed = self._signal.next_change
            batches = await self._read(lambda first=next_revision: self._read_file.history(first))  # type: ignore[misc]
            if not batches:
                await changed.wait()
            for batch in batches:
                next_revision = Revision(batch.revision + 1)
                yield batch

    async def lease(self, ttl_ms: int) -> SqliteLease:
        ttl_ms = max(ttl_ms, LEASE_MS_MIN)
        await self._heart.quicken(ttl_ms)
        lease_id = await self._write(lambda: self._file.grant(self._presence.name, ttl_ms))
        lease = SqliteLease(lease_id, ttl_ms, self._presence.beat_ms, self)
        self._heart.keep(lease)
        return lease

    async def compact(self, revision: Revision) -> None:
        await self._write(lambda: self._file.compact(revision))

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._signal.notify()
        try:
            await self._on(self._writer, self._end_own)
        except StoreError as error:
            log.warning("the leases were left to expire: %s", error)
        finally:
            await self._let_go()

    # --- leases

    def on_peer_change(self) -> None:
        self._signal.notify()

    async def read_leases(self) -> list[LeaseRow]:
        known = tuple(self._heart.leases)
        rows = await self._read(lambda: self._read_file.leases())
        self._heart.lose_all_but({row.id for row in rows}, known)
        return rows

    async def end_due(self, row: LeaseRow, is_due: Callable[[], bool]) -> None:
        if await self._write(lambda: self._file.end_lease(row.id, is_due)):
            log.info("ended the lease %d of member %s, which is gone or silent", row.id, row.member)

    async def end(self, lease: LeaseId) -> None:
        await self._write(lambda: self._file.end_lease(lease, lambda: True))

    def end_soon(self, lease: LeaseId) -> None:
        task = self._loop.create_task(self._end_at_last(lease))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _end_at_last(self, lease: LeaseId) -> None:
        while not self._closed:
            try:
                await self.end(lease)
                return
            except StoreError as error:
                log.warning("could not end the lease %d: %s", lease, error)
                await asyncio.sleep(END_AGAIN_S)

    def _end_own(self) -> None:
        for row in self._file.leases():
            if row.member == self._presence.name:
                self._with_retries(lambda row=row: self._file.end_lease(row.id, lambda: True))  # type: ignore[misc]
        self._presence.wake_others()

    # --- threads

    async def _read(self, work: Callable[[], T]) -> T:
        self._check_open()
        return await self._on(self._reader, work)

    async def _write(self, work: Callable[[], T]) -> T:
        self._check_open()
        return await self._on(self._writer, lambda: self._write_and_wake(work))

    def _write_and_wake(self, work: Callable[[], T]) -> T:
        result = self._with_retries(work)
        if isinstance(result, Conflict) or result is False:
            return result
        # Woken here and not by the caller, which may have been cancelled during the commit.
        self._presence.wake_others()
        self._loop.call_soon_threadsafe(self._signal.notify)
        return result

    def _with_retries(self, work: Callable[[], T]) -> T:
        """Retry while the lock is held.

        A call that failed because of the lock has done nothing, so it is safe to repeat.
        """
        began = time.monotonic()
        while True:
            try:
                return work()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                if time.monotonic() - began > LOCKED_S_MAX:
                    raise
                end_stopped_writer(self._path, self._presence)

    async def _on(self, thread: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        try:
            return await asyncio.wrap_future(thread.submit(work))
        except sqlite3.Error as error:
            raise StoreUnavailable(f"the metadata store {self._path} failed: {error}") from error

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosedError("the metadata store is closed")

    async def _let_go(self) -> None:
        self._closed = True
        for task in self._ending:
            task.cancel()
        await self._heart.stop()
        await self._peers.stop()
        for thread, name in ((self._reader, "_read_file"), (self._writer, "_file")):
            file: StoreFile | None = getattr(self, name, None)
            if file is not None:
                await self._on(thread, file.close)
            thread.shutdown(wait=False)
        self._presence.close()
        self._presence.members.close()


MOUNTS: Final = "/proc/self/mountinfo"
REMOTE: Final = frozenset(
    {"afs", "ceph", "cifs", "fuse.ceph", "fuse.glusterfs", "fuse.s3fs", "fuse.sshfs", "glusterfs", "gpfs", "lustre"}
    | {"nfs", "nfs4", "smb3", "smbfs"}
)


def check_local(path: str) -> None:
    """Raise for a file on a network file system."""
    kind = file_system_of(os.path.dirname(os.path.realpath(path)))
    if kind in REMOTE:
        raise StoreError(
            f"the metadata store {path} is on a network file system ({kind}), where SQLite's locks cannot be trusted: "
            "put it on a local disk, or use etcd://"
        )


def file_system_of(directory: str) -> str:
    """Return the file system type of a directory; empty if unknown."""
    best, kind = "", ""
    for mounted_at, found in _mounts():
        is_above = directory == mounted_at or directory.startswith(mounted_at.rstrip("/") + "/")
        # Of two mounts at the same place the later one hides the earlier.
        if is_above and len(mounted_at) >= len(best):
            best, kind = mounted_at, found
    return kind


def _mounts() -> list[tuple[str, str]]:
    try:
        with open(MOUNTS, encoding="utf-8", errors="surrogateescape") as table:
            lines = [line.partition(" - ") for line in table]
    except OSError:
        return []
    return [(_unescaped(left.split()[4]), right.split()[0]) for left, _, right in lines if right]


def _unescaped(path: str) -> str:
    """Decode the four characters that the kernel writes in octal."""
    for escaped, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        path = path.replace(escaped, character)
    return path
