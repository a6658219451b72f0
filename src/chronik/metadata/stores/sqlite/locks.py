"""Find the holder of a SQLite store's write lock, and end a process that was stopped while holding it.

The kernel's lock table is read, because any other check does harm: closing a descriptor of a file drops all POSIX locks
that this process has on it, including SQLite's.
"""

import logging
import os
import select
import signal
import sqlite3
from contextlib import closing
from typing import Final

from chronik.metadata.stores.boot_clock import boot_ms
from chronik.metadata.stores.sqlite.presence import MemberRecord, Presence, open_process

log = logging.getLogger(__name__)

KERNEL_LOCKS: Final = "/proc/locks"
EXIT_MS_MAX: Final = 2_000
SILENT_MS_MAX: Final = 9_000
"""For a member without a lease, or with a longer one."""


def writers(path: str) -> set[int]:
    """Return the processes with an exclusive lock on the database or its WAL index."""
    inodes = {inode for suffix in ("", "-shm") if (inode := _inode(path + suffix)) is not None}
    with open(KERNEL_LOCKS) as table:
        return {pid for pid, inode in map(_exclusive, table) if inode in inodes}


def end_stopped_writer(path: str, presence: Presence) -> bool:
    """End a member that holds the write lock and was silent for too long; return whether there was one."""
    holders = writers(path) - {presence.pid, 0}
    for name in presence.others() if holders else ():
        record = presence.members.record(name)
        if record is None or record.pid not in holders or not presence.members.is_held(name):
            continue
        silent_ms = boot_ms() - record.beat_ms
        if silent_ms > silence_ms_max(path, name) and _end(record):
            log.warning("ended process %d, which was silent for %d ms and held %s locked", record.pid, silent_ms, path)
            return True
    return False


def silence_ms_max(path: str, member: str) -> int:
    """How long a member may be silent before it is ended: as long as its shortest lease."""
    try:
        # With its own connection, because any thread may call this; reading needs no lock.
        with closing(sqlite3.connect(path, timeout=0.0)) as sql:
            ((ttl_ms,),) = sql.execute("SELECT min(ttl_ms) FROM leases WHERE member = ?", (member,))
    except sqlite3.Error:
        return SILENT_MS_MAX
    return SILENT_MS_MAX if ttl_ms is None else min(int(ttl_ms), SILENT_MS_MAX)


def _end(record: MemberRecord) -> bool:
    process = open_process(record)
    if process is None:
        return False
    try:
        signal.pidfd_send_signal(process, signal.SIGKILL)
        exited = select.poll()
        exited.register(process, select.POLLIN)
        return bool(exited.poll(EXIT_MS_MAX))
    except ProcessLookupError:
        return True
    finally:
        os.close(process)


def _exclusive(line: str) -> tuple[int, int | None]:
    """Return process and inode of a line such as ``4: POSIX  ADVISORY  WRITE 771 fe:00:5126 120 120``."""
    fields = line.split()
    if len(fields) < 8 or fields[1] != "POSIX" or fields[3] != "WRITE":
        return 0, None
    return int(fields[4]), int(fields[5].rpartition(":")[2])


def _inode(path: str) -> int | None:
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return None
