"""The disk port: what storage asks of a file system, and nothing more.

``OsDisk`` is the real one; ``FaultyDisk`` lives in memory and loses, tears and refuses writes on demand. The methods
of ``File`` are the system calls themselves, so that an append costs a call and no wrapping.
"""

from collections.abc import Sequence
from typing import Protocol

from chronik.records.batch import Buffer


class File(Protocol):
    """An open file, read and written at explicit positions; safe to use from several threads."""

    def pwritev(self, buffers: Sequence[Buffer], position: int, /) -> int:
        """Write the buffers at a position and give the bytes written, which may be fewer than asked."""
        ...

    def pread(self, size: int, position: int, /) -> bytes:
        """Read up to ``size`` bytes; fewer only at the end of the file."""
        ...

    def sync(self) -> None:
        """Return when content and size are on the device (``fdatasync``)."""
        ...

    def start_writeback(self, position: int, size: int, /) -> None:
        """Ask the system to begin writing a range out; promises nothing."""
        ...

    def truncate(self, size: int, /) -> None:
        """Set the file's size."""
        ...

    def size(self) -> int:
        """Give the file's size."""
        ...

    def close(self) -> None:
        """Give the handle back."""
        ...


class Lock(Protocol):
    """A held lock; it ends with ``release`` or with the process."""

    def release(self) -> None:
        """Let another process have it."""
        ...


class Disk(Protocol):
    """A file system. Paths are strings; every failure is an ``OSError``."""

    def open(self, path: str, /, *, create: bool = False) -> File:
        """Open a file for reading and writing."""
        ...

    def read_bytes(self, path: str, /) -> bytes:
        """Give a whole small file."""
        ...

    def list_directory(self, path: str, /) -> list[str]:
        """Give the names in a directory, sorted."""
        ...

    def is_directory(self, path: str, /) -> bool:
        """Say whether a directory of that name exists."""
        ...

    def exists(self, path: str, /) -> bool:
        """Say whether anything of that name exists."""
        ...

    def file_size(self, path: str, /) -> int:
        """Give the size of a file that need not be open."""
        ...

    def modified_ms(self, path: str, /) -> int:
        """Give the time of the last change in milliseconds."""
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
        """Remove a directory and all that is in it; a missing one is fine."""
        ...

    def sync_directory(self, path: str, /) -> None:
        """Return when the names in a directory are on the device."""
        ...

    def free_bytes(self, path: str, /) -> int:
        """Give the bytes that may still be written."""
        ...

    def total_bytes(self, path: str, /) -> int:
        """Give the capacity."""
        ...

    def lock(self, path: str, holder: str, /) -> "Lock | str":
        """Take an exclusive lock, leaving ``holder`` as its label; or give the label of who has it."""
        ...


def write_all(file: File, data: Buffer, position: int = 0) -> None:
    """Write one buffer whole, however often the system writes less than asked."""
    rest = memoryview(data)
    while rest:
        written = file.pwritev([rest], position)
        position += written
        rest = rest[written:]


def write_file(disk: Disk, path: str, data: Buffer) -> None:
    """Make a file hold exactly ``data``, durably, without care for a crash in between."""
    file = disk.open(path, create=True)
    try:
        write_all(file, data)
        file.truncate(memoryview(data).nbytes)
        file.sync()
    finally:
        file.close()


def write_atomically(disk: Disk, path: str, data: Buffer) -> None:
    """Replace a file durably: after a crash it holds either the old content or the new."""
    temporary = path + ".tmp"
    write_file(disk, temporary, data)
    disk.rename(temporary, path)
    disk.sync_directory(path.rpartition("/")[0])
