"""The file that a process of clients writes its events to. What was written survives the process, however it ends."""

import os
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from soak.events import Event, from_line, to_line


def now() -> float:
    """The clock that all processes of a machine share."""
    return time.monotonic()


class Journal:
    """Appends events, from any thread."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._lock = threading.Lock()

    def write(self, *events: Event) -> None:
        """Write whole lines with one call, so that they are in the file or not."""
        data = b"".join(map(to_line, events))
        with self._lock:
            while data:
                data = data[os.write(self._descriptor, data) :]


class JournalReader:
    """Follows a journal while it is written."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._rest = b""

    def read(self) -> Iterable[Event]:
        """The events that were written since the last call."""
        *lines, self._rest = (self._rest + self._file.read()).split(b"\n")
        return [from_line(line) for line in lines]

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
