"""A disk in memory that loses, tears and refuses writes, on demand and from a seed.

Each file has two contents: the *volatile* one, which every reader sees, and the *durable* one, which a sync updates. A
process crash keeps the volatile content. A power failure keeps the durable one plus any part of what was not synced:
pages whole, torn at sectors, zeroed or lost, sizes old or new, and any of the names that were created, renamed or
removed since their directory was synced. A failed sync drops its pages, as Linux does: a later sync succeeds and does
not bring them back.
"""

import errno
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from random import Random
from typing import Final

from chronik.records.batch import Buffer
from chronik.storage.disk import File, Lock

PAGE_BYTES: Final = 4096
SECTOR_BYTES: Final = 512


class _Node:
    """A file's two contents, and the pages that differ."""

    __slots__ = ("dirty", "durable", "modified_ms", "volatile")

    def __init__(self) -> None:
        self.volatile = bytearray()
        self.durable = bytearray()
        self.dirty: set[int] = set()
        self.modified_ms = 0

    def write(self, data: Buffer, position: int) -> None:
        end = position + len(data)
        if position > len(self.volatile):
            self.volatile.extend(bytes(position - len(self.volatile)))
        self.volatile[position:end] = data
        self.dirty.update(range(position // PAGE_BYTES, -(-end // PAGE_BYTES)))

    def truncate(self, size: int) -> None:
        del self.volatile[size:]
        if size > len(self.volatile):
            self.volatile.extend(bytes(size - len(self.volatile)))
        self.dirty.add(size // PAGE_BYTES)

    def sync(self) -> None:
        _resize(self.durable, len(self.volatile))
        for page in self.dirty:
            span = slice(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
            self.durable[span] = self.volatile[span]
        self.dirty.clear()

    def lose_power(self, dice: Random) -> None:
        """Apply a power failure."""
        if self.dirty:
            image = bytearray(self.durable)
            sizes = sorted((len(self.durable), len(self.volatile)))
            _resize(image, dice.choice([*sizes, dice.randint(*sizes)]))
            for page in sorted(self.dirty):
                self._tear(image, page, dice)
            self.durable = image
        self.volatile = bytearray(self.durable)
        self.dirty.clear()

    def _tear(self, image: bytearray, page: int, dice: Random) -> None:
        fate = dice.choice(("kept", "kept", "torn", "zeroed", "lost"))
        for start in range(page * PAGE_BYTES, (page + 1) * PAGE_BYTES, SECTOR_BYTES):
            new = self.volatile[start : start + SECTOR_BYTES]
            size = min(len(new), max(len(image) - start, 0))
            if fate == "kept" or (fate == "torn" and dice.random() < 0.5):
                image[start : start + size] = new[:size]
            elif fate == "zeroed" and start >= len(self.durable):
                image[start : start + size] = bytes(size)


def _resize(content: bytearray, size: int) -> None:
    del content[size:]
    content.extend(bytes(size - len(content)))


@dataclass(frozen=True, slots=True)
class _NameChange:
    """A change of names that was not synced; no node means removal."""

    directory: str
    path: str
    node: _Node | None
    renamed_from: str | None = None

    def moved(self, source: str, target: str) -> "_NameChange":
        """Return the same change within a renamed directory."""
        if self.directory != source:
            return self
        start = len(source)
        before = None if self.renamed_from is None else target + self.renamed_from[start:]
        return _NameChange(target, target + self.path[start:], self.node, before)


@dataclass(slots=True)
class _Fault:
    operation: str
    error: int
    pattern: str
    remaining: int


@dataclass(slots=True)
class FaultyDisk:
    """A file system with ``fail_next``, ``space_bytes``, ``process_crash`` and ``power_cut``."""

    space_bytes: int | None = None
    """The bytes that may be written before ENOSPC; None means no limit."""
    write_bytes_max: int | None = None
    """The most that one call writes, to test short writes."""
    now_ms: int = 0
    _files: dict[str, _Node] = field(default_factory=dict)
    _durable_files: dict[str, _Node] = field(default_factory=dict)
    _directories: set[str] = field(default_factory=lambda: {""})
    _changes: list[_NameChange] = field(default_factory=list)
    _faults: list[_Fault] = field(default_factory=list)
    _locks: dict[str, str] = field(default_factory=dict)
    _life: int = 0

    # -- faults --------------------------------------------------------------------------------------------------

    def fail_next(self, operation: str, error: int = errno.EIO, pattern: str = "*", count: int = 1) -> None:
        """Fail the next calls of an operation (``write``, ``sync``, ``read``, …) on matching paths."""
        self._faults.append(_Fault(operation, error, pattern, count))

    def forgive(self) -> None:
        """Remove the failures that no call has met."""
        self._faults.clear()

    def process_crash(self) -> None:
        """End the process: handles and locks are gone, all written bytes stay."""
        self._life += 1
        self._locks.clear()
        self._faults.clear()

    def power_cut(self, dice: Random) -> None:
        """Lose any part of the unsynced bytes and names."""
        self.process_crash()
        self._replay_names(dice)
        self._files = dict(self._durable_files)
        for path in sorted(self._files):
            self._files[path].lose_power(dice)

    def damage(self, path: str, position: int, data: bytes) -> None:
        """Change bytes, also the durable ones."""
        node = self._node(path)
        node.volatile[position : position + len(data)] = data
        node.durable[position : position + len(data)] = data

    def check(self, operation: str, path: str) -> None:
        """Raise if a failure was set for this operation."""
        for fault in self._faults:
            if fault.remaining and fault.operation == operation and fnmatchcase(path, fault.pattern):
                fault.remaining -= 1
                raise OSError(fault.error, os.strerror(fault.error), path)

    def _replay_names(self, dice: Random) -> None:
        """Keep either the first changes of names, as a journal does, or any of them."""
        kept = dice.randint(0, len(self._changes)) if dice.random() < 0.5 else None
        for slot, change in enumerate(self._changes):
            if slot < kept if kept is not None else dice.random() < 0.5:
                self._make_durable(change)
        self._changes.clear()

    def _make_durable(self, change: _NameChange) -> None:
        if change.renamed_from is not None:
            moved = self._durable_files.pop(change.renamed_from, None)
            if moved is not None:
                self._durable_files[change.path] = moved
        elif change.node is not None:
            self._durable_files[change.path] = change.node
        else:
            self._durable_files.pop(change.path, None)

    # -- the port ------------------------------------------------------------------------------------------------

    def open(self, path: str, /, *, create: bool = False) -> File:
        self.check("open", path)
        if path not in self._files and create:
            self._files[path] = _Node()
            self._note(path, self._files[path])
        return FaultyFile(self, path, self._node(path))

    def read_bytes(self, path: str, /) -> bytes:
        self.check("read", path)
        return bytes(self._node(path).volatile)

    def list_directory(self, path: str, /) -> list[str]:
        if path not in self._directories:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        known = [*self._files, *self._directories]
        return sorted(name.rpartition("/")[2] for name in known if name and name.rpartition("/")[0] == path)

    def is_directory(self, path: str, /) -> bool:
        return path in self._directories

    def exists(self, path: str, /) -> bool:
        return path in self._files or path in self._directories

    def file_size(self, path: str, /) -> int:
        return len(self._node(path).volatile)

    def modified_ms(self, path: str, /) -> int:
        return self._node(path).modified_ms

    def make_directory(self, path: str, /) -> None:
        """Create a directory; it is durable at once, since partitions are created before they have content."""
        while path:
            self._directories.add(path)
            path = path.rpartition("/")[0]

    def rename(self, source: str, target: str, /) -> None:
        self.check("rename", source)
        if source in self._directories:
            self._rename_directory(source, target)
        else:
            self._move(source, target)

    def unlink(self, path: str, /) -> None:
        self.check("unlink", path)
        if self._files.pop(path, None) is not None:
            self._note(path, None)

    def remove_directory(self, path: str, /) -> None:
        for each in list(self._below(path)):
            self.unlink(each)
        self._directories.discard(path)

    def sync_directory(self, path: str, /) -> None:
        self.check("sync_directory", path)
        settled = [change for change in self._changes if change.directory == path]
        self._changes = [change for change in self._changes if change.directory != path]
        for change in settled:
            self._make_durable(change)

    def free_bytes(self, path: str, /) -> int:
        return 2**40 if self.space_bytes is None else self.space_bytes

    def total_bytes(self, path: str, /) -> int:
        return self.free_bytes(path) + sum(len(node.volatile) for node in self._files.values())

    def lock(self, path: str, holder: str, /) -> Lock | str:
        if path in self._locks:
            return self._locks[path]
        self._locks[path] = holder
        return FaultyLock(self._locks, path)

    @property
    def life(self) -> int:
        """The number of the process; handles of an earlier one are dead."""
        return self._life

    def _below(self, path: str) -> list[str]:
        return [each for each in self._files if each.startswith(path + "/")]

    def _node(self, path: str) -> _Node:
        try:
            return self._files[path]
        except KeyError:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path) from None

    def _move(self, source: str, target: str) -> None:
        node = self._node(source)
        del self._files[source]
        self._files[target] = node
        self._changes.append(_NameChange(target.rpartition("/")[0], target, node, renamed_from=source))

    def _rename_directory(self, source: str, target: str) -> None:
        """Move everything below at once: durable when the parent is synced, independent of the names within."""
        self._directories.remove(source)
        self._directories.add(target)
        self._changes = [change.moved(source, target) for change in self._changes]
        parent, start = target.rpartition("/")[0], len(source)
        for path in [path for path in self._durable_files if path.startswith(source + "/")]:
            moved = _NameChange(parent, target + path[start:], self._durable_files[path], renamed_from=path)
            self._changes.append(moved)
        for path in self._below(source):
            self._files[target + path[start:]] = self._files.pop(path)

    def _note(self, path: str, node: _Node | None) -> None:
        self._changes.append(_NameChange(path.rpartition("/")[0], path, node))


class FaultyFile:
    """A handle that dies with its process."""

    def __init__(self, disk: FaultyDisk, path: str, node: _Node) -> None:
        self._disk = disk
        self._path = path
        self._node = node
        self._life = disk.life

    def pwritev(self, buffers: Sequence[Buffer], position: int, /) -> int:
        self._check("write")
        written = 0
        for piece in self._that_fit(buffers):
            self._node.write(piece, position + written)
            written += len(piece)
        self._node.modified_ms = self._disk.now_ms
        return written

    def pread(self, size: int, position: int, /) -> bytes:
        self._check("read")
        return bytes(self._node.volatile[position : position + size])

    def sync(self) -> None:
        try:
            self._check("sync")
        except OSError:
            self._node.dirty.clear()
            raise
        self._node.sync()

    def start_writeback(self, position: int, size: int, /) -> None:
        self._check("writeback")

    def truncate(self, size: int, /) -> None:
        self._check("truncate")
        self._node.truncate(size)

    def size(self) -> int:
        return len(self._node.volatile)

    def close(self) -> None:
        self._life = -1

    def _check(self, operation: str) -> None:
        if self._life != self._disk.life:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), self._path)
        self._disk.check(operation, self._path)

    def _that_fit(self, buffers: Sequence[Buffer]) -> Iterator[memoryview]:
        disk = self._disk
        room = sum(len(buffer) for buffer in buffers)
        if disk.write_bytes_max is not None:
            room = min(room, disk.write_bytes_max)
        if disk.space_bytes is not None:
            if room and not disk.space_bytes:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._path)
            room = min(room, disk.space_bytes)
            disk.space_bytes -= room
        for buffer in buffers:
            piece = memoryview(buffer)[:room]
            room -= len(piece)
            yield piece


class FaultyLock:
    """A lock within one disk."""

    def __init__(self, locks: dict[str, str], path: str) -> None:
        self._locks = locks
        self._path = path

    def release(self) -> None:
        self._locks.pop(self._path, None)
