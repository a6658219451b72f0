"""Blocks of sequences that are durable before they are used, so that no message carries an unreserved one.

Lines of a text file: ``reserve PRODUCER INCARNATION FIRST END`` and ``close PRODUCER INCARNATION END``. A line
without its end covers no used sequence, because a block is used only after its line is on the disk.
"""

import os
import time
from pathlib import Path
from typing import Final

BLOCK_MIN: Final = 4_096
BLOCK_MAX: Final = 65_536
_BLOCK_S: Final = 0.5
"""How long a block should last: its unused sequences are unknown messages if the process is killed."""


class Reservation:
    """The blocks of one incarnation of a producer; ``end`` is behind the last sequence that may be used."""

    def __init__(self, path: Path, producer: int) -> None:
        self._producer = producer
        self.incarnation, self.first = _continued(path)
        self.end = self.first
        self._block = BLOCK_MIN
        self._reserved_at = time.monotonic()
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        _end_torn_line(path, self._file)
        self.reserve()

    def reserve(self) -> None:
        """Take the next block; it is on the disk when this returns."""
        now = time.monotonic()
        self._block = next_block(self._block, now - self._reserved_at)
        self._reserved_at = now
        end = self.end + self._block
        self._write(f"reserve {self._producer} {self.incarnation} {self.end} {end}\n")
        self.end = end

    @property
    def soon(self) -> int:
        """The sequence from which on the next block should be taken."""
        return self.end - self._block // 2

    def may_soon_run_out(self, next_sequence: int) -> bool:
        """Whether no more than half a block is left."""
        return next_sequence >= self.soon

    def close(self, next_sequence: int) -> None:
        """Record the first unused sequence: sequences from there on were never begun."""
        self._write(f"close {self._producer} {self.incarnation} {next_sequence}\n")
        os.close(self._file)

    def _write(self, line: str) -> None:
        os.write(self._file, line.encode("ascii"))
        os.fdatasync(self._file)


def next_block(block: int, lasted_s: float) -> int:
    """Double a block that was used up too soon, halve one that lasted long."""
    if lasted_s < _BLOCK_S:
        return min(block * 2, BLOCK_MAX)
    return max(block // 2, BLOCK_MIN) if lasted_s > 4 * _BLOCK_S else block


def _continued(path: Path) -> tuple[int, int]:
    """Find which incarnation this is, and the first sequence that none before it reserved."""
    incarnation = first = 0
    if path.exists():
        whole, _, _torn = path.read_text(encoding="ascii").rpartition("\n")
        for line in whole.splitlines():
            word, _producer, number, *bounds = line.split()
            if word == "reserve":
                incarnation = max(incarnation, int(number) + 1)
                first = max(first, int(bounds[1]))
    return incarnation, first


def _end_torn_line(path: Path, file: int) -> None:
    """Cut off the torn line of a process that was killed."""
    content = path.read_bytes()
    if content and not content.endswith(b"\n"):
        os.ftruncate(file, content.rfind(b"\n") + 1)
