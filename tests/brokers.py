"""A real `chronik serve` for tests and benchmarks: started, watched, killed, started again.

Every wait has a bound, and a broker that does not come up says why, with its own words. It is the command as an
operator runs it; `chronik.testing.Broker` is for tests to which the broker is only a means.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from chronik.testing.process import await_end, end, ready_event

CHRONIK = Path(sys.executable).with_name("chronik")
START_SECONDS_MAX = 60.0
STOP_SECONDS_MAX = 60.0
LAST_MOMENT_S = 10.0


class BrokerError(AssertionError):
    """The broker process did not do what was asked of it; the message holds its log."""


class BrokerProcess:
    """One `chronik serve` on its own data directory; a restart keeps directory and settings.

    It has no HTTP server unless ``http`` asks for one: many run at once, and the port is a fixed one.
    """

    def __init__(
        self,
        directory: Path,
        settings: Mapping[str, object] | None = None,
        *,
        node_id: int | None = None,
        http: bool = False,
    ):
        self.directory = directory
        self.data = directory / "data"
        self.log_path = directory / "broker.log"
        self.settings = {"chronik.http.listener": "127.0.0.1:0" if http else "", **(settings or {})}
        self.node_id = node_id
        self.ready: dict[str, Any] = {}
        self._listen = "127.0.0.1:0"
        self._process: subprocess.Popen[bytes] | None = None
        directory.mkdir(parents=True, exist_ok=True)

    @property
    def bootstrap(self) -> str:
        """Where clients reach it, as host:port."""
        return str(self.ready["kafka"])

    @property
    def http(self) -> str:
        """Where its HTTP server is, as host:port."""
        return str(self.ready["http"])

    @property
    def pid(self) -> int:
        assert self._process is not None, "the broker was not started"
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        return None if self._process is None else self._process.poll()

    @property
    def log_text(self) -> str:
        """All that it wrote on standard error, over all of its starts."""
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def command(self) -> list[str]:
        node = [] if self.node_id is None else ["--node-id", str(self.node_id)]
        settings = [part for name, value in self.settings.items() for part in ("-X", f"{name}={value}")]
        return [str(CHRONIK), "serve", "--listen", self._listen, "--data", str(self.data), "--json", *node, *settings]

    def start(self) -> "BrokerProcess":
        """Start the process and wait for its ready line."""
        assert not self.is_running, "the broker runs already"
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=log)
        assert self._process.stdout is not None
        self.ready = self._await_ready(self._process.stdout)
        # A restart must be found where clients already look for it.
        self._listen = self.bootstrap
        if self.ready.get("http") is not None:
            self.settings["chronik.http.listener"] = self.http
        return self

    def stop(self, seconds_max: float = STOP_SECONDS_MAX) -> int:
        """End it as an operator would (SIGTERM) and give its exit code."""
        return self._end(signal.SIGTERM, seconds_max)

    def kill(self) -> None:
        """End it as the kernel would (SIGKILL): nothing of it runs any more."""
        self._end(signal.SIGKILL, STOP_SECONDS_MAX)

    def restart(self, *, kill: bool = False, settings: Mapping[str, object] | None = None) -> "BrokerProcess":
        """Stop (or kill) it and start it again on the same data and address."""
        if self.is_running:
            self.kill() if kill else self.stop()
        self.settings.update(settings or {})
        return self.start()

    def _await_ready(self, output: IO[bytes]) -> dict[str, Any]:
        deadline = time.monotonic() + START_SECONDS_MAX
        ready = ready_event(output, START_SECONDS_MAX)
        if ready is not None:
            return ready
        assert self._process is not None
        # Its output ends a moment before the process does.
        ended = await_end(self._process, LAST_MOMENT_S if time.monotonic() < deadline else 0)
        self.kill()
        raise BrokerError(f"no ready line from {' '.join(self.command())} (exit code {ended}):\n{self.log_text}")

    def _end(self, number: signal.Signals, seconds_max: float) -> int:
        assert self._process is not None, "the broker was not started"
        code = end(self._process, number, seconds_max)
        if code is None:
            raise BrokerError(f"not ended {seconds_max} s after {number.name}:\n{self.log_text}")
        return code


@contextmanager
def running_broker(directory: Path, settings: Mapping[str, object] | None = None) -> Iterator[BrokerProcess]:
    """Give a started broker, and end it whatever happens."""
    broker = BrokerProcess(directory, settings)
    try:
        yield broker.start()
    finally:
        if broker.is_running:
            broker.kill()
