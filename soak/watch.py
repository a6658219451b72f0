"""Looks at the broker ten times a second, from a process of its own.

``python -m soak.watch BOOTSTRAP OUTPUT [PID DATA]``. Every answer that it waits for has passed through the broker's
event loop, so the longest one bounds how long that stood still.
"""

import json
import os
import socket
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from struct import Struct

from soak.vital_signs import Sample

PAUSE_SECONDS = 0.1
DISK_EVERY = 50
ANSWER_SECONDS_MAX = 60
_SIZE = Struct(">i")
# ApiVersions, version 0, correlation id 1, client id "watch".
_REQUEST = Struct(">hhih5s").pack(18, 0, 1, 5, b"watch")


class Pulse:
    """A connection that asks and waits."""

    def __init__(self, bootstrap: str) -> None:
        host, _, port = bootstrap.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), timeout=ANSWER_SECONDS_MAX)

    def ask(self) -> float:
        """How long an answer takes, in seconds."""
        started = time.perf_counter()
        self._socket.sendall(_SIZE.pack(len(_REQUEST)) + _REQUEST)
        (size,) = _SIZE.unpack(self._receive(_SIZE.size))
        self._receive(size)
        return time.perf_counter() - started

    def _receive(self, size: int) -> bytes:
        data = self._socket.recv(size, socket.MSG_WAITALL)
        if len(data) != size:
            raise ConnectionError("the broker has closed the connection")
        return data


def memory_bytes(pid: int) -> int:
    """Resident memory without pages of files."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise ValueError("the kernel does not report RssAnon")


def cpu_wait_seconds(pid: int | str) -> float:
    """How long the main threads of the broker and of this process have waited for a CPU so far."""
    waits = (Path(f"/proc/{each}/schedstat").read_text(encoding="ascii").split()[1] for each in (pid, "self") if each)
    return sum(map(int, waits)) / 1e9


def disk_bytes(directory: Path) -> int:
    """What the files below a directory occupy; those that vanish meanwhile do not count."""
    total = 0
    for parent, _, names in os.walk(directory):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_blocks * 512
            except FileNotFoundError:
                continue
    return total


def main(bootstrap: str, output: str, pid: str = "", data: str = "") -> None:
    """Look until standard input ends."""
    ending = threading.Event()
    threading.Thread(target=_set_at_end_of_input, args=(ending,), daemon=True).start()
    pulse, number = Pulse(bootstrap), 0
    with open(output, "a", buffering=1, encoding="ascii") as file:
        while not ending.is_set():
            waited, answer = cpu_wait_seconds(pid), pulse.ask()
            sample = Sample(
                time.monotonic(),
                answer,
                cpu_wait_seconds(pid) - waited,
                memory_bytes(int(pid)) if pid else None,
                disk_bytes(Path(data)) if data and number % DISK_EVERY == 0 else None,
            )
            file.write(json.dumps(list(asdict(sample).values())) + "\n")
            number += 1
            ending.wait(PAUSE_SECONDS)


def _set_at_end_of_input(ending: threading.Event) -> None:
    sys.stdin.read()
    ending.set()


def read_samples(path: Path) -> list[Sample]:
    """Everything that was seen so far."""
    *lines, _ = path.read_text(encoding="ascii").split("\n") if path.exists() else [""]
    return [Sample(*json.loads(line)) for line in lines]


if __name__ == "__main__":
    main(*sys.argv[1:])
