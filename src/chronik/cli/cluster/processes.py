"""The broker processes of a cluster's directory: started, found again by other commands, and ended.

Who runs is read from the kernel and from the lock of the data directory, never from what an earlier command wrote
down, so that a broker that was killed, or started by other means with the same file, is seen as it is.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from chronik.cli import exits
from chronik.cli.cluster.layout import LaidOutBroker
from chronik.observability.logs import LogFormat
from chronik.storage.directory import LOCK
from chronik.testing.process import ready_event

START_S_MAX: Final = 60.0
STOP_S_MAX: Final = 60.0
_LOG_CHARACTERS_SHOWN: Final = 2000
_NOT_FOR_BROKERS: Final = ("KAFKA_", "CHRONIK_")
"""Settings from the environment would make three brokers of one, and be forgotten at the next start."""


class Process:
    """A broker's process; it outlives the command that starts it."""

    def __init__(self, node: LaidOutBroker, log_format: LogFormat = "text") -> None:
        self.node = node
        serve = ["serve", "--json", "--log-format", log_format, "--config", str(node.config)]
        with node.log.open("ab") as log:
            self._popen = subprocess.Popen(
                [sys.executable, "-m", "chronik.cli.main", *serve],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=_environment(os.environ),
                cwd=node.directory,
                # Ctrl-C is for the parent process, which then stops the broker in order.
                start_new_session=True,
            )

    @property
    def exit_code(self) -> int | None:
        """How it ended; None while it runs."""
        return self._popen.poll()

    def await_ready(self, deadline: float) -> None:
        """Return when it serves; raises with the end of its log where it does not."""
        assert self._popen.stdout is not None
        with self._popen.stdout as output:
            ready = ready_event(output, deadline - time.monotonic())
        if ready is None:
            raise exits.Failure(f"broker {self.node.node_id} did not start:\n{_last_words(self.node)}")

    def kill(self) -> None:
        """End it as the kernel would."""
        self._popen.kill()
        self._popen.wait()


def start_all(nodes: Sequence[LaidOutBroker], log_format: LogFormat = "text") -> list[Process]:
    """Start brokers at once and return when all serve; where one does not, none of them is left running."""
    began: list[Process] = []
    deadline = time.monotonic() + START_S_MAX
    try:
        began.extend(Process(node, log_format) for node in nodes)
        for process in began:
            process.await_ready(deadline)
    except BaseException:
        for process in began:
            process.kill()
        raise
    return began


def pid_of(node: LaidOutBroker) -> int | None:
    """Find the process that serves a node; None where there is none."""
    try:
        pid = int((node.data / LOCK).read_text(encoding="ascii").split()[0])
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (OSError, ValueError, IndexError):
        return None
    # A number is given to another process in time; a process that has ended and is not yet reaped has no command.
    return pid if os.fsencode(node.config) in command else None


def is_paused(pid: int) -> bool:
    """Return whether a process was stopped by a signal and not continued."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state in "Tt"


def end_all(nodes: Iterable[LaidOutBroker], number: signal.Signals = signal.SIGTERM) -> list[LaidOutBroker]:
    """Send a signal to the brokers that run and wait for their end; give those that had not ended in time."""
    descriptors: dict[int, LaidOutBroker] = {}
    for node in nodes:
        descriptor = _signalled(node, number)
        if descriptor is not None:
            descriptors[descriptor] = node
    return _await_ends(descriptors, time.monotonic() + STOP_S_MAX)


def _signalled(node: LaidOutBroker, number: signal.Signals) -> int | None:
    """Signal a broker through a descriptor, which cannot come to mean another process."""
    pid = pid_of(node)
    if pid is None:
        return None
    try:
        descriptor = os.pidfd_open(pid)
        signal.pidfd_send_signal(descriptor, number)
    except ProcessLookupError:
        return None
    return descriptor


def _await_ends(waiting: dict[int, LaidOutBroker], deadline: float) -> list[LaidOutBroker]:
    poll = select.poll()
    for descriptor in waiting:
        poll.register(descriptor, select.POLLIN)
    while waiting and (left := deadline - time.monotonic()) > 0:
        for descriptor, _ in poll.poll(left * 1000):
            poll.unregister(descriptor)
            os.close(descriptor)
            del waiting[descriptor]
    for descriptor in waiting:
        os.close(descriptor)
    return list(waiting.values())


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if not name.startswith(_NOT_FOR_BROKERS)}


def _last_words(node: LaidOutBroker) -> str:
    text = node.log.read_text(encoding="utf-8", errors="replace") if node.log.exists() else ""
    return text[-_LOG_CHARACTERS_SHOWN:].rstrip() or f"it said nothing in {node.log}"
