"""What the kernel says of a broker process: its CPU time, memory, descriptors and bytes read."""

import os
import time
from collections.abc import Callable
from pathlib import Path

_TICK_SECONDS = 1 / os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    """User and system time so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_SECONDS


def memory_bytes(pid: int) -> int:
    """Resident memory without pages of files."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("the kernel does not tell RssAnon")


def open_descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def bytes_read(pid: int) -> int:
    """Bytes that the process took by read calls, from sockets too."""
    return int(Path(f"/proc/{pid}/io").read_text().split()[1])


def page_faults(pid: int) -> int:
    """Pages that were mapped on first touch, those of mapped files included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[7]) + int(fields[9])


def wait_until(condition: Callable[[], bool], seconds_max: float, what: str) -> None:
    """Wait for a condition, within a bound."""
    deadline = time.monotonic() + seconds_max
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds_max} s: {what}"
        time.sleep(0.02)
