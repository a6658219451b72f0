"""Ledgers that are read while they grow: what is new in a stream file since it was read last, in any place.

A place is a directory, or an object store by its URL, into which ledgers are written or copied. A message of an Arrow
stream that is not whole yet is left for the next time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.fs as pafs

_BATCH: Final = "record batch"
_DICTIONARY: Final = "dictionary"
SPLIT_BYTES: Final = 64 * 1024 * 1024
"""How much of a file is held in memory at a time."""


@dataclass(frozen=True, slots=True)
class LedgerPlace:
    """Where ledgers lie. It travels to tasks, which open it themselves."""

    url: str

    @property
    def directory(self) -> Path | None:
        """The path of a directory; none for an object store."""
        parts = urlsplit(self.url)
        if parts.scheme == "file":
            return Path(unquote(parts.path))
        return None if "://" in self.url else Path(self.url)

    def files(self, folder: str, suffix: str) -> list[str]:
        """Name the files of a folder; none where there is no such folder."""
        system, base = self._opened()
        selector = pafs.FileSelector(f"{base}/{folder}", allow_not_found=True)
        found = [info.base_name for info in system.get_file_info(selector) if info.type == pafs.FileType.File]
        return sorted(f"{folder}/{name}" for name in found if name.endswith(suffix))

    def open(self, path: str) -> pa.NativeFile:
        """Open a file for reading anywhere in it."""
        directory = self.directory
        if directory is not None:
            return pa.memory_map(str(directory / path))
        system, base = self._opened()
        return system.open_input_file(f"{base}/{path}")

    def size(self, path: str) -> int:
        """Return how long a file is; -1 where there is none."""
        system, base = self._opened()
        info = system.get_file_info(f"{base}/{path}")
        return int(info.size) if info.type == pafs.FileType.File else -1

    def read(self, path: str) -> bytes:
        """Read a small file."""
        if self.size(path) == 0:
            return b""
        with self.open(path) as source:
            return bytes(source.read())

    def _opened(self) -> tuple[pafs.FileSystem, str]:
        directory = self.directory
        if directory is not None:
            return pafs.LocalFileSystem(), str(directory)
        system, base = pafs.FileSystem.from_uri(self.url)
        return system, base.rstrip("/")


@dataclass(frozen=True, slots=True)
class Tail:
    """How far a stream file was read, and what is needed to go on: its schema and the dictionary that holds there."""

    position: int = 0
    schema_end: int = 0
    dictionary: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class TailSplit:
    """The messages of a stream file from a tail up to a position; tables have one dictionary at most."""

    path: str
    tail: Tail
    end: int

    def batches(self, place: LedgerPlace) -> Iterator[pa.RecordBatch]:
        """Read the batches of the split."""
        with place.open(self.path) as source:
            begin = max(self.tail.position, self.tail.schema_end)
            parts = [(0, self.tail.schema_end), self.tail.dictionary, (begin, self.end)]
            content = b"".join(_bytes(source, first, end) for first, end in parts if end > first)
        with pa.ipc.open_stream(pa.py_buffer(content)) as reader:
            try:
                yield from reader
            except (EOFError, pa.ArrowInvalid):  # the split ends without the mark of an end
                return

    def joined(self, later: "TailSplit") -> "TailSplit":
        """Put the split of the same file that was read later to it, with what lies between."""
        return TailSplit(self.path, self.tail, max(self.end, later.end))


def new_splits(place: LedgerPlace, path: str, tail: Tail) -> tuple[list[TailSplit], Tail]:
    """Find all that is whole and new in a stream file, in splits of a bounded size, and where it was left."""
    splits: list[TailSplit] = []
    while True:
        split, ended = new_messages(place, path, tail)
        if split is not None:
            splits.append(split)
        if ended.position == tail.position or split is None:
            return splits, ended
        tail = ended


def new_messages(place: LedgerPlace, path: str, tail: Tail) -> tuple[TailSplit | None, Tail]:
    """Find what is whole and new in a stream file, up to a bounded size, and where the next reading begins."""
    if place.size(path) <= tail.position:
        return None, tail
    with place.open(path) as source:
        schema_end = tail.schema_end or _schema_end(source)
        if not schema_end:
            return None, tail
        begun = Tail(max(tail.position, schema_end), schema_end, tail.dictionary)
        ended, batches = _walked(source, begun)
    return (TailSplit(path, begun, ended.position) if batches else None), ended


def _schema_end(source: pa.NativeFile) -> int:
    """Find where the schema ends; 0 where it is not whole yet."""
    try:
        pa.ipc.read_message(source)
    except (EOFError, OSError, pa.ArrowInvalid):
        return 0
    return int(source.tell())


def _walked(source: pa.NativeFile, tail: Tail) -> tuple[Tail, int]:
    position, dictionary, batches = tail.position, tail.dictionary, 0
    source.seek(position)
    while position - tail.position < SPLIT_BYTES:
        try:
            message = pa.ipc.read_message(source)
        except (EOFError, OSError, pa.ArrowInvalid):
            break
        end = int(source.tell())
        if message.type == _DICTIONARY:
            dictionary = (position, end)
        batches += message.type == _BATCH
        position = end
    return Tail(position, tail.schema_end, dictionary), batches


def _bytes(source: pa.NativeFile, first: int, end: int) -> bytes:
    source.seek(first)
    return bytes(source.read(end - first))


def new_lines(place: LedgerPlace, path: str, position: int) -> tuple[list[str], int]:
    """Read the whole lines of a text file behind a position."""
    if place.size(path) <= position:
        return [], position
    content = place.read(path)[position:]
    whole = content[: content.rfind(b"\n") + 1]
    return whole.decode("ascii").splitlines(), position + len(whole)
