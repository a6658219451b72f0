"""How the processes that share a SQLite store know of each other: a directory of lock files and sockets beside it.

Each open store keeps two files there. Its **lock file** is locked for as long as the store is open, so that a free lock
proves that the holder is gone; it holds the process's id and start time, and a heartbeat in milliseconds of
CLOCK_BOOTTIME. Its **socket** takes datagrams whose arrival says that something changed.

A lock file gets its name only after it is locked and written: whatever can be seen is complete.
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
    """What a lock file says of its holder."""

    pid: int
    start_ticks: int
    beat_ms: int


class Members:
    """The directory, as anybody who may read it sees it."""

    def __init__(self, directory: str) -> None:
        with suppress(FileExistsError):
            os.mkdir(directory, mode=0o700)
        self.path = directory
        self._directory = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)

    def names(self) -> list[str]:
        """Name all members that have not been taken out, living or dead."""
        return sorted(name.removesuffix(_LOCK) for name in self._files() if name.endswith(_LOCK))

    def _files(self) -> list[str]:
        """List the directory, opened anew: two threads that list one descriptor share its place, and miss files."""
        directory = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._directory)
        try:
            return os.listdir(directory)
        finally:
            os.close(directory)

    def record(self, name: str) -> MemberRecord | None:
        """Read a member's lock file; None where it has none."""
        try:
            file = os.open(name + _LOCK, os.O_RDONLY, dir_fd=self._directory)
        except FileNotFoundError:
            return None
        try:
            return MemberRecord._make(_RECORD.unpack(os.pread(file, _RECORD.size, 0)))
        finally:
            os.close(file)

    def is_held(self, name: str) -> bool:
        """Ask whether the member lives. One that has no lock file, or whose lock is free, is gone for good."""
        try:
            file = os.open(name + _LOCK, os.O_RDONLY, dir_fd=self._directory)
        except FileNotFoundError:
            return False
        try:
            # Shared, so that two who look at the same moment do not take each other for the holder.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(file)
        return False

    def remove(self, name: str) -> None:
        """Take a member's files away."""
        for suffix in (_WAKE, _LOCK):
            with suppress(FileNotFoundError):
                os.unlink(name + suffix, dir_fd=self._directory)

    def wake(self, sender: socket.socket, but: str) -> None:
        """Tell every member but one that something changed."""
        for found in self._files():
            if found.endswith(_WAKE) and found != but + _WAKE:
                self._send(sender, found)

    def address(self, file_name: str) -> str:
        # Through the descriptor, because a socket's path may have 107 bytes at most.
        return f"/proc/self/fd/{self._directory}/{file_name}"

    def close(self) -> None:
        os.close(self._directory)

    def lock_new(self, name: str, record: MemberRecord) -> int:
        """Make a member's lock file and hold it; gives the descriptor that holds the lock."""
        file = os.open(name + ".new", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=self._directory)
        fcntl.flock(file, fcntl.LOCK_EX)
        os.pwrite(file, _RECORD.pack(*record), 0)
        os.rename(name + ".new", name + _LOCK, src_dir_fd=self._directory, dst_dir_fd=self._directory)
        return file

    def bind_new(self, name: str) -> socket.socket:
        """Make a member's socket."""
        receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        receiver.bind(self.address(name + _WAKE))
        return receiver

    def _send(self, sender: socket.socket, file_name: str) -> None:
        # Its queue is full, so it will wake anyway; or it is gone.
        with suppress(BlockingIOError, ConnectionRefusedError, FileNotFoundError):
            sender.sendto(b"\0", self.address(file_name))


class Presence:
    """The place of one open store among the members."""

    def __init__(self, members: Members) -> None:
        self.members = members
        self.pid = os.getpid()
        self.name = f"{self.pid}-{secrets.token_hex(4)}"
        self.beat_ms = boot_ms()
        self._lock = members.lock_new(self.name, MemberRecord(self.pid, start_ticks(self.pid) or 0, self.beat_ms))
        self._socket = members.bind_new(self.name)

    @property
    def wake_descriptor(self) -> int:
        """Readable when another member says that something changed."""
        return self._socket.fileno()

    def others(self) -> list[str]:
        return [name for name in self.members.names() if name != self.name]

    def beat(self) -> None:
        """Say that this process lives; ``beat_ms`` is a moment before that was said."""
        now_ms = boot_ms()
        os.pwrite(self._lock, _BEAT.pack(now_ms), _BEAT_AT)
        self.beat_ms = now_ms

    def wake_others(self) -> None:
        self.members.wake(self._socket, but=self.name)

    def drain(self) -> None:
        """Take what has arrived off the socket."""
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
    """Read when a process started, which tells it from a later one with the same id; None where there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            # The name stands in brackets and may itself hold any character.
            return int(stat.read().rpartition(b")")[2].split()[19])
    except (FileNotFoundError, ProcessLookupError):
        return None


def open_process(record: MemberRecord) -> int | None:
    """Open a descriptor of a member's process; None where it cannot be reached, as in another container."""
    try:
        process = os.pidfd_open(record.pid)
    except OSError:
        return None
    # Compared after opening: the descriptor stays with this process, whatever becomes of its id.
    if start_ticks(record.pid) == record.start_ticks:
        return process
    os.close(process)
    return None
