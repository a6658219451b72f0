"""The disk port: all that storage needs from a file system; and ``OsDisk``, the operating system's.

``FaultyDisk`` is in memory and loses, tears and refuses writes on demand. The methods of ``File`` are the system calls
themselves, so that an append costs no wrapper.
"""

import ctypes
import fcntl
import os
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol

from chronik.records.batch import Buffer


class File(Protocol):
    """An open file, read and written at explicit positions; safe to use from several threads."""

    def pwritev(self, buffers: Sequence[Buffer], position: int, /) -> int:
        """Write the buffers at a position and return the bytes written, which may be fewer."""
        ...

    def pread(self, size: int, position: int, /) -> bytes:
        """Read up to ``size`` bytes; fewer only at the end of the file."""
        ...

    def sync(self) -> None:
        """Sync content and size (``fdatasync``)."""
        ...

    def start_writeback(self, position: int, size: int, /) -> None:
        """Ask the system to start writing a range; promises nothing."""
        ...

    def truncate(self, size: int, /) -> None:
        """Set the file's size."""
        ...

    def size(self) -> int:
        """Return the file's size."""
        ...

    def close(self) -> None: ...


class Lock(Protocol):
    """A lock, held until ``release`` or the end of the process."""

    def release(self) -> None: ...


class Disk(Protocol):
    """A file system. Paths are strings; every failure is an ``OSError``."""

    def open(self, path: str, /, *, create: bool = False) -> File:
        """Open a file for reading and writing."""
        ...

    def read_bytes(self, path: str, /) -> bytes:
        """Read a whole small file."""
        ...

    def list_directory(self, path: str, /) -> list[str]:
        """Return the names in a directory, sorted."""
        ...

    def is_directory(self, path: str, /) -> bool: ...

    def exists(self, path: str, /) -> bool: ...

    def file_size(self, path: str, /) -> int:
        """Return the size of a file that need not be open."""
        ...

    def modified_ms(self, path: str, /) -> int:
        """Return the time of the last change in milliseconds."""
        ...

    def make_directory(self, path: str, /) -> None:
        """Create a directory and its missing parents; an existing one is fine."""
        ...

    def rename(self, source: str, target: str, /) -> None:
        """Rename a file or directory, replacing a file of the target's name."""
        ...

    def unlink(self, path: str, /) -> None:
        """Remove a file; a missing one is fine."""
        ...

    def remove_directory(self, path: str, /) -> None:
        """Remove a directory with its content; a missing one is fine."""
        ...

    def sync_directory(self, path: str, /) -> None:
        """Sync the names in a directory."""
        ...

    def free_bytes(self, path: str, /) -> int:
        """Return the bytes that may still be written."""
        ...

    def total_bytes(self, path: str, /) -> int:
        """Return the capacity."""
        ...

    def lock(self, path: str, holder: str, /) -> "Lock | str":
        """Take an exclusive lock with ``holder`` as its label; return the label of the other holder if it is taken."""
        ...


def write_all(file: File, data: Buffer, position: int = 0) -> None:
    """Write one buffer completely, in several calls if necessary."""
    rest = memoryview(data)
    while rest:
        written = file.pwritev([rest], position)
        position += written
        rest = rest[written:]


def write_file(disk: Disk, path: str, data: Buffer) -> None:
    """Write and sync a whole file; a crash may leave it incomplete."""
    file = disk.open(path, create=True)
    try:
        write_all(file, data)
        file.truncate(memoryview(data).nbytes)
        file.sync()
    finally:
        file.close()


def write_atomically(disk: Disk, path: str, data: Buffer) -> None:
    """Replace a file durably: after a crash it has either the old content or the new."""
    temporary = path + ".tmp"
    write_file(disk, temporary, data)
    disk.rename(temporary, path)
    disk.sync_directory(path.rpartition("/")[0])


_SYNC_FILE_RANGE_WRITE: Final = 2


def _find_sync_file_range() -> "Callable[[int, int, int, int], int] | None":
    function = getattr(ctypes.CDLL(None), "sync_file_range", None)
    if function is None:
        return None
    function.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]
    function.restype = ctypes.c_int
    found: Callable[[int, int, int, int], int] = function
    return found


_sync_file_range = _find_sync_file_range()


class OsFile:
    """A file descriptor whose methods are the system calls, bound once."""

    __slots__ = ("_fd", "pread", "pwritev", "sync", "truncate")

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.pwritev: Callable[[Sequence[Buffer], int], int] = partial(os.pwritev, fd)
        self.sync: Callable[[], None] = partial(os.fdatasync, fd)
        self.truncate: Callable[[int], None] = partial(os.ftruncate, fd)
        self.pread: Callable[[int, int], bytes] = partial(os.pread, fd)

    def start_writeback(self, position: int, size: int, /) -> None:
        if _sync_file_range is not None:
            _sync_file_range(self._fd, position, size, _SYNC_FILE_RANGE_WRITE)

    def size(self) -> int:
        return os.fstat(self._fd).st_size

    def close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            # The number of a closed descriptor is reused at once: a stale bound call must fail, not hit another file.
            self.pwritev = partial(os.pwritev, -1)
            self.sync = partial(os.fdatasync, -1)
            self.truncate = partial(os.ftruncate, -1)
            self.pread = partial(os.pread, -1)
            os.close(fd)


class OsLock:
    """An ``flock`` held through an open descriptor."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def release(self) -> None:
        os.close(self._fd)


class OsDisk:
    """The machine's file system."""

    def open(self, path: str, /, *, create: bool = False) -> File:
        flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        return OsFile(os.open(path, flags, 0o644))

    def read_bytes(self, path: str, /) -> bytes:
        with open(path, "rb") as file:
            return file.read()

    def list_directory(self, path: str, /) -> list[str]:
        return sorted(os.listdir(path))

    def is_directory(self, path: str, /) -> bool:
        return os.path.isdir(path)

    def exists(self, path: str, /) -> bool:
        return os.path.exists(path)

    def file_size(self, path: str, /) -> int:
        return os.stat(path).st_size

    def modified_ms(self, path: str, /) -> int:
        return os.stat(path).st_mtime_ns // 1_000_000

    def make_directory(self, path: str, /) -> None:
        os.makedirs(path, exist_ok=True)

    def rename(self, source: str, target: str, /) -> None:
        os.rename(source, target)

    def unlink(self, path: str, /) -> None:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass

    def remove_directory(self, path: str, /) -> None:
        try:
            shutil.rmtree(path)
        except FileNotFoundError:
            pass

    def sync_directory(self, path: str, /) -> None:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def free_bytes(self, path: str, /) -> int:
        status = os.statvfs(path)
        return status.f_bavail * status.f_frsize

    def total_bytes(self, path: str, /) -> int:
        status = os.statvfs(path)
        return status.f_blocks * status.f_frsize

    def lock(self, path: str, holder: str, /) -> Lock | str:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            label = os.pread(fd, 100, 0).decode(errors="replace").strip()
            os.close(fd)
            return label or "unknown"
        os.ftruncate(fd, 0)
        os.pwrite(fd, holder.encode() + b"\n", 0)
        return OsLock(fd)
