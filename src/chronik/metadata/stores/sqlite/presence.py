"""How the processes that share a SQLite store find each other: a directory of lock files and sockets beside it.

Each open store has two files there. Its **lock file** is locked as long as the store is open: a free lock proves that
the holder is gone. It contains the process's id and start time, and a heartbeat in milliseconds of CLOCK_BOOTTIME. Its
**socket** receives a datagram for each change.

A lock file gets its name only after it is locked and written, so that every visible lock file is complete.
"""

import fcntl
import os
import secrets
import socket
import struct
from contextlib import suppress
from typing import Final, NamedTuple

from chronik.metadata.stores.boot_clock import boot_ms

_LOCK: Final = ".lock"
_WAKE: Final = ".wake"
_RECORD: Final = struct.Struct("<QQQ")
_BEAT: Final = struct.Struct("<Q")
_BEAT_AT: Final = _RECORD.size - _BEAT.size
_DATAGRAMS_MAX: Final = 1_024


class MemberRecord(NamedTuple):
    """The content of a lock file."""

    pid: int
    start_ticks: int
    beat_ms: int


class Members:
    """The directory of members."""

    def __init__(self, directory: str) -> None:
        with suppress(FileExistsError):
            os.mkdir(directory, mode=0o700)
        self.path = directory
        self._directory = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)

    def names(self) -> list[str]:
        """Return the names of all members that have not been removed, alive or dead."""
        return sorted(name.removesuffix(_LOCK) for name in self._files() if name.endswith(_LOCK))

    def _files(self) -> list[str]:
        """List the directory with a new descriptor: two threads that list one descriptor share its position, and miss
        files.
        """
        directory = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._directory)
        try:
            return os.listdir(directory)
        finally:
            os.close(directory)

    def record(self, name: str) -> MemberRecord | None:
        """Read a member's lock file; None without one."""
        try:
            file = os.open(name + _LOCK, os.O_RDONLY, dir_fd=self._directory)
        except FileNotFoundError:
            return None
        try:
            return MemberRecord._make(_RECORD.unpack(os.pread(file, _RECORD.size, 0)))
        finally:
            os.close(file)

    def is_held(self, name: str) -> bool:
        """Return whether the member is alive. Without a lock file, or with a free lock, it is gone for good."""
        try:
            file = os.open(name + _LOCK, os.O_RDONLY, dir_fd=self._directory)
        except FileNotFoundError:
            return False
        try:
            # A shared lock, so that two processes that check at the same time do not see each other as the holder.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(file)
        return False

    def remove(self, name: str) -> None:
        """Delete a member's files."""
        for suffix in (_WAKE, _LOCK):
            with suppress(FileNotFoundError):
                os.unlink(name + suffix, dir_fd=self._directory)

    def wake(self, sender: socket.socket, but: str) -> None:
        """Notify every other member of a change."""
        for found in self._files():
            if found.endswith(_WAKE) and found != but + _WAKE:
                self._send(sender, found)

    def address(self, file_name: str) -> str:
        # Through the descriptor, because the path of a socket may have at most 107 bytes.
        return f"/proc/self/fd/{self._directory}/{file_name}"

    def close(self) -> None:
        os.close(self._directory)

    def lock_new(self, name: str, record: MemberRecord) -> int:
        """Create a member's lock file and lock it; return the descriptor that holds the lock."""
        file = os.open(name + ".new", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=self._directory)
        fcntl.flock(file, fcntl.LOCK_EX)
        os.pwrite(file, _RECORD.pack(*record), 0)
        os.rename(name + ".new", name + _LOCK, src_dir_fd=self._directory, dst_dir_fd=self._directory)
        return file

    def bind_new(self, name: str) -> socket.socket:
        """Create a member's socket."""
        receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        receiver.bind(self.address(name + _WAKE))
        return receiver

    def _send(self, sender: socket.socket, file_name: str) -> None:
        # Its queue is full, so it wakes anyway; or it is gone.
        with suppress(BlockingIOError, ConnectionRefusedError, FileNotFoundError):
            sender.sendto(b"\0", self.address(file_name))


class Presence:
    """One open store as a member."""

    def __init__(self, members: Members) -> None:
        self.members = members
        self.pid = os.getpid()
        self.name = f"{self.pid}-{secrets.token_hex(4)}"
        self.beat_ms = boot_ms()
        self._lock = members.lock_new(self.name, MemberRecord(self.pid, start_ticks(self.pid) or 0, self.beat_ms))
        self._socket = members.bind_new(self.name)

    @property
    def wake_descriptor(self) -> int:
        """Readable when another member reports a change."""
        return self._socket.fileno()

    def others(self) -> list[str]:
        return [name for name in self.members.names() if name != self.name]

    def beat(self) -> None:
        """Write a heartbeat; ``beat_ms`` is a time before it was written."""
        now_ms = boot_ms()
        os.pwrite(self._lock, _BEAT.pack(now_ms), _BEAT_AT)
        self.beat_ms = now_ms

    def wake_others(self) -> None:
        self.members.wake(self._socket, but=self.name)

    def drain(self) -> None:
        """Read all datagrams from the socket."""
        for _ in range(_DATAGRAMS_MAX):
            try:
                self._socket.recv(16)
            except BlockingIOError:
                return

    def close(self) -> None:
        self.members.remove(self.name)
        self._socket.close()
        os.close(self._lock)


def start_ticks(pid: int) -> int | None:
    """Return a process's start time, which distinguishes it from a later one with the same id; None without one."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            # The name is in brackets and may contain any character.
            return int(stat.read().rpartition(b")")[2].split()[19])
    except (FileNotFoundError, ProcessLookupError):
        return None


def open_process(record: MemberRecord) -> int | None:
    """Open a descriptor of a member's process; None if it cannot be reached, as in another container."""
    try:
        process = os.pidfd_open(record.pid)
    except OSError:
        return None
    # Compared after opening: the descriptor stays with this process even if its id is reused.
    if start_ticks(record.pid) == record.start_ticks:
        return process
    os.close(process)
    return None
