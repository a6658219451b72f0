"""Disk work that a log prepares on the event loop and any thread may run: it uses files and nothing else."""

import os
from collections.abc import Callable
from typing import Final

from chronik.records.batch import Buffer
from chronik.storage.disk import Disk, File, write_atomically, write_file
from chronik.storage.segment import DELETED_SUFFIX, Segment

_IOV_MAX: Final = min(os.sysconf("SC_IOV_MAX") if "SC_IOV_MAX" in os.sysconf_names else 1024, 1024)


class WriteRun:
    """Staged batches that are contiguous in one file."""

    __slots__ = ("buffers", "file", "position", "segment", "size_bytes")

    def __init__(self, segment: Segment, position: int, buffers: list[Buffer], size_bytes: int) -> None:
        self.segment = segment
        self.file = segment.file
        self.position = position
        self.buffers = buffers
        self.size_bytes = size_bytes

    def write(self) -> None:
        """Write everything, in as few calls as possible."""
        buffers = self.buffers
        if len(buffers) <= _IOV_MAX:
            written = self.file.pwritev(buffers, self.position)
            if written == self.size_bytes:
                return
        else:
            written = 0
        self._write_rest(written)

    def _write_rest(self, written: int) -> None:
        rest = [memoryview(buffer) for buffer in self.buffers]
        skipped = written
        while rest:
            while rest and skipped >= len(rest[0]):
                skipped -= len(rest.pop(0))
            if not rest:
                return
            rest[0] = rest[0][skipped:]
            skipped = self.file.pwritev(rest[:_IOV_MAX], self.position + written)
            written += skipped

    def own(self) -> None:
        """Copy the bytes, so that their buffers may be reused."""
        self.buffers = [b"".join(self.buffers)]


class WriteJob:
    """The staged batches of one log, in offset order."""

    __slots__ = ("_is_dead", "end_offset", "runs", "size_bytes")

    def __init__(self, runs: list[WriteRun], end_offset: int, size_bytes: int, is_dead: Callable[[], bool]) -> None:
        self.runs = runs
        self.end_offset = end_offset
        self.size_bytes = size_bytes
        self._is_dead = is_dead

    def write(self) -> None:
        """Write; raise ``OSError`` on failure, after which the caller must call ``fail_write``."""
        if self._is_dead():
            # After a failed job, later ones must not write behind the gap.
            raise OSError("the log went offline before this write")
        for run in self.runs:
            run.write()


class FlushJob:
    """The syncs after which everything below ``end_offset`` survives a power failure."""

    __slots__ = ("_directory", "_disk", "_epochs", "_files", "_snapshots", "closed", "end_offset")

    def __init__(
        self,
        disk: Disk,
        files: list[File],
        closed: list[Segment],
        end_offset: int,
        *,
        snapshots: list[tuple[str, bytes]],
        epochs: tuple[str, bytes] | None,
        directory: str | None,
    ) -> None:
        self._disk = disk
        self._files = files
        self._snapshots = snapshots
        self._epochs = epochs
        self._directory = directory
        self.closed = closed
        self.end_offset = end_offset

    @property
    def syncs_names(self) -> bool:
        """Whether the names of the files become durable too."""
        return self._directory is not None

    def run(self) -> None:
        """Sync; raise ``OSError`` on failure, after which the caller must call ``fail_flush``."""
        for file in self._files:
            file.sync()
        # Torn indexes and snapshots are detected and rebuilt, so they need no atomic write.
        for segment in self.closed:
            for path, image in segment.index_images():
                write_file(self._disk, path, image)
        for path, image in self._snapshots:
            write_file(self._disk, path, image)
        if self._epochs is not None:
            write_atomically(self._disk, *self._epochs)
        if self._directory is not None:
            self._disk.sync_directory(self._directory)


class WritebackJob:
    """A range of a file to write back early, so that dirty pages never pile up."""

    __slots__ = ("_file", "_position", "_size")

    def __init__(self, file: File, position: int, size: int) -> None:
        self._file = file
        self._position = position
        self._size = size

    def run(self) -> None:
        self._file.start_writeback(self._position, self._size)


class DeletedSegment:
    """Files of a removed segment: renamed first, and unlinked when no reader can use them."""

    __slots__ = ("_disk", "_paths", "base_offset", "delete_after_ms", "end_offset", "reason", "size_bytes")

    def __init__(
        self,
        disk: Disk,
        paths: list[str],
        base_offset: int,
        end_offset: int,
        size_bytes: int,
        delete_after_ms: int,
        reason: str,
    ) -> None:
        self._disk = disk
        self._paths = paths
        self.base_offset = base_offset
        self.end_offset = end_offset
        self.size_bytes = size_bytes
        self.delete_after_ms = delete_after_ms
        self.reason = reason

    def rename(self) -> None:
        """Rename the files, so that no restart takes them for a part of the log."""
        for path in self._paths:
            try:
                self._disk.rename(path, path + DELETED_SUFFIX)
            except FileNotFoundError:
                pass

    def unlink(self) -> None:
        """Unlink the files."""
        for path in self._paths:
            self._disk.unlink(path + DELETED_SUFFIX)
