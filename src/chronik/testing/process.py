"""A broker as a child process: its settings, its sign that it is ready, and its end, each with a time limit."""

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Self


class BrokerError(Exception):
    """The broker process did not do what was asked of it; the message holds its log."""


@dataclass(frozen=True, slots=True)
class Job:
    """The settings that the starting process sends to the child."""

    parent: int
    settings: dict[str, str]
    temporary: str | None = None
    """A directory to remove if the parent is no longer there to do it."""

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what ``to_json`` wrote."""
        return cls(**json.loads(text))

    def to_json(self) -> str:
        """Write it as one argument of a command."""
        return json.dumps(asdict(self))


def ready_event(output: IO[bytes], seconds_max: float) -> dict[str, Any] | None:
    """Wait for the line ``{"event": "ready", ...}``; None where the output ends, or the time does, without one."""
    for line in _lines(output, time.monotonic() + seconds_max):
        event = json.loads(line)
        if event.get("event") == "ready":
            return dict(event)
    return None


def await_end(process: "subprocess.Popen[bytes]", seconds_max: float) -> int | None:
    """Wait for the process to end by itself and give its exit code; None where it does not."""
    try:
        return process.wait(seconds_max)
    except subprocess.TimeoutExpired:
        return None


def await_stopped(pid: int, seconds_max: float) -> None:
    """Wait until SIGSTOP has reached every thread of a process: until then the others do what they were at."""
    deadline = time.monotonic() + seconds_max
    while not all(map(_is_stopped, Path(f"/proc/{pid}/task").iterdir())):
        if time.monotonic() > deadline:
            raise BrokerError(f"process {pid} has not stopped after {seconds_max} s")
        time.sleep(0.001)


def _is_stopped(task: Path) -> bool:
    try:
        return (task / "stat").read_text().rpartition(")")[2].split()[0] in "TZX"
    except FileNotFoundError:
        return True


def end(process: "subprocess.Popen[bytes]", number: signal.Signals, seconds_max: float) -> int | None:
    """Send a signal and give the exit code; None where it had to be killed because it did not end in time."""
    if process.poll() is None:
        process.send_signal(number)
    code = await_end(process, seconds_max)
    if code is None:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
    return code


def _lines(output: IO[bytes], deadline: float) -> Iterator[bytes]:
    """Lines of a pipe as they come, until it ends or the deadline has passed."""
    pending = b""
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0 and selector.select(left):
            chunk = os.read(output.fileno(), 65536)
            if not chunk:
                return
            *lines, pending = (pending + chunk).split(b"\n")
            yield from (line for line in lines if line.strip())
