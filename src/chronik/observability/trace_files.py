"""Traces as files: one JSON document per line, in rotated files, within a limit on disk.

Every JSON reader can read them, Spark included. A process that dies may leave an incomplete last line.
"""

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Final

from chronik.observability.trace import TraceEntry, as_json

DIRECTORY: Final = "traces"
"""Below the data directory; no partition can have this name."""
PATTERN: Final = "trace-*.jsonl"
FILES: Final = 8
"""Into how many files the limit is divided: one of them is deleted at a time."""


class TraceFiles:
    """Writes the files of one broker; for one thread."""

    def __init__(self, directory: Path, node: int, bytes_max: int) -> None:
        self.bytes_max = bytes_max
        self._directory = directory
        self._node = node
        self._file: IO[bytes] | None = None
        self._size = 0

    def write(self, entries: Iterable[TraceEntry]) -> None:
        """Append events; raise OSError if that fails."""
        lines = [json.dumps(as_json(self._node, entry), separators=(",", ":")).encode() + b"\n" for entry in entries]
        data = b"".join(lines)
        if self._file is None or self._size + len(data) > self.bytes_max // FILES:
            self._begin_next()
        assert self._file is not None
        try:
            self._file.write(data)
            self._file.flush()
        except OSError:
            # A partly written file is left; the next file begins with whole lines.
            self.close()
            raise
        self._size += len(data)

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _begin_next(self) -> None:
        self.close()
        self._directory.mkdir(exist_ok=True)
        self._make_room()
        self._file = (self._directory / f"trace-{self._node}-{time.time_ns()}.jsonl").open("xb", buffering=0)
        self._size = 0

    def _make_room(self) -> None:
        """Remove the oldest files, so that one more stays within the limit."""
        files = sorted(self._directory.glob(PATTERN), key=lambda path: path.name.rpartition("-")[2])
        sizes = [path.stat().st_size for path in files]
        total = sum(sizes) + self.bytes_max // FILES
        for path, size in zip(files, sizes, strict=True):
            if total <= self.bytes_max:
                return
            path.unlink()
            total -= size
