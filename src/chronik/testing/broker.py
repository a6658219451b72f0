"""A broker process of a test's own: fresh data, a free port, and gone without a trace when the test is over."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from chronik.testing.process import BrokerError, Job, await_end, end, ready_event

TEST_SETTINGS: Final = {
    # A group waits for more members before its first assignment; in a test there are none.
    "group.initial.rebalance.delay.ms": "0",
    # Fifty logs of positions are made when the first group comes, which a test would wait for.
    "offsets.topic.num.partitions": "1",
    "node.id": "1",
    # The brokers of many tests run at once, and its port is a fixed one: "127.0.0.1:0" asks for any.
    "chronik.http.listener": "",
}
START_SECONDS_MAX: Final = 60.0
STOP_SECONDS_MAX: Final = 60.0
TOPIC_SECONDS_MAX: Final = 60.0
_LAST_MOMENT_S: Final = 10.0
_NOTED_LOG_LINES: Final = 40
_ANY_FREE_PORT: Final = "PLAINTEXT://127.0.0.1:0"


class Broker:
    """One broker process; ``with Broker({"log.segment.bytes": 1048576}) as broker`` starts and ends it.

    ``settings`` are Kafka's, by their names in ``server.properties``. The data lies in a temporary directory which is
    removed at the end, or in ``directory``, which is kept. The process ends with the one that started it, even
    if that is killed, and then removes ``orphaned``, a directory that it shares with others.
    """

    def __init__(
        self,
        settings: Mapping[str, object] | None = None,
        *,
        directory: str | Path | None = None,
        orphaned: str | Path | None = None,
    ) -> None:
        self.settings: dict[str, object] = {**TEST_SETTINGS, **(settings or {})}
        self._given_directory = None if directory is None else Path(directory)
        self._orphaned = orphaned
        self._directory: Path | None = None
        self._listeners = _ANY_FREE_PORT
        self._process: subprocess.Popen[bytes] | None = None
        self._ready: dict[str, Any] = {}

    @property
    def bootstrap_servers(self) -> str:
        """Where clients reach it, as ``host:port``."""
        if not self._ready:
            raise BrokerError("the broker was not started")
        return str(self._ready["kafka"])

    @property
    def http_address(self) -> str | None:
        """Where its HTTP server is, as ``host:port``; None unless ``chronik.http.listener`` asked for one."""
        return None if (address := self._ready.get("http")) is None else str(address)

    def properties(self, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Settings of a client of this broker, as librdkafka and Java clients spell them, with ``more`` added."""
        return {"bootstrap.servers": self.bootstrap_servers, **(more or {})}

    @property
    def pid(self) -> int:
        """The number of the running, or last, process."""
        if self._process is None:
            raise BrokerError("the broker was not started")
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """How the last process ended; None while it runs."""
        return None if self._process is None else self._process.poll()

    @property
    def directory(self) -> Path:
        """Where data and log lie; made when it is first asked for."""
        if self._directory is None:
            self._directory = self._given_directory or Path(tempfile.mkdtemp(prefix="chronik-test-"))
            self._directory.mkdir(parents=True, exist_ok=True)
        return self._directory

    @property
    def log_path(self) -> Path:
        """The file that holds what the process wrote on standard error, over all of its starts."""
        return self.directory / "broker.log"

    @property
    def log_text(self) -> str:
        """What the process wrote on standard error, over all of its starts."""
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def start(self) -> Self:
        """Start the process and return when it serves; raises BrokerError with its log where it does not."""
        if self.is_running:
            raise BrokerError("the broker runs already")
        with self.log_path.open("ab") as log:
            # In a session of its own it does not get the Ctrl-C that is meant for a debugger in the test.
            self._process = subprocess.Popen(
                self._command(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        self._ready = self._await_ready(self._process)
        # Clients look for a restarted broker where it was before.
        self._listeners = f"PLAINTEXT://{self.bootstrap_servers}"
        if self.http_address is not None:
            self.settings["chronik.http.listener"] = self.http_address
        return self

    def stop(self) -> int:
        """End the process in good order (SIGTERM) and give its exit code; the data stays."""
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End the process as a crash would (SIGKILL); the data stays."""
        self._end(signal.SIGKILL)

    def restart(self, settings: Mapping[str, object] | None = None, *, kill: bool = False) -> Self:
        """Stop (or kill) it and start it again on the same data and address, with ``settings`` changed."""
        if self.is_running:
            self._end(signal.SIGKILL if kill else signal.SIGTERM)
        self.settings.update(settings or {})
        return self.start()

    def close(self) -> None:
        """End the process and remove the temporary directory; may be called again."""
        if self._process is not None:
            self._end(signal.SIGKILL)
        if self._directory is not None and self._given_directory is None:
            shutil.rmtree(self._directory, ignore_errors=True)
            self._directory = None

    def create_topic(self, name: str, partitions: int = 1, configs: Mapping[str, object] | None = None) -> str:
        """Create a topic and give its name; it can be written to at once. May be called where an event loop runs."""
        from chronik.testing.topics import create_topic

        texts = {key: _text(value) for key, value in (configs or {}).items()}
        create_topic(self.bootstrap_servers, name, partitions, texts, TOPIC_SECONDS_MAX)
        return name

    def __enter__(self) -> Self:
        """Start it; where that fails, nothing is left of it."""
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it; an error that passes through takes the end of the broker's log along."""
        if error is not None:
            error.add_note(self.log_note())
        self.close()

    async def __aenter__(self) -> Self:
        """Start it without holding up the event loop."""
        import asyncio

        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it without holding up the event loop."""
        import asyncio

        await asyncio.to_thread(self.__exit__, kind, error, trace)

    def log_note(self, lines_max: int = _NOTED_LOG_LINES) -> str:
        """Return the last lines of the log under a title, for people."""
        tail = "\n".join(self.log_text.splitlines()[-lines_max:])
        return f"The end of the broker's log:\n{tail}"

    def __repr__(self) -> str:
        state = f"on {self.bootstrap_servers}" if self.is_running else "not running"
        return f"<chronik.testing.Broker {state}>"

    def _command(self) -> list[str]:
        places = {"listeners": self._listeners, "log.dirs": str(self.directory / "data")}
        settings = {name: _text(value) for name, value in {**places, **self.settings}.items()}
        removed = self.directory if self._given_directory is None else self._orphaned
        temporary = None if removed is None else str(removed)
        # -P: modules in the directory that the tests run in must not stand in for the broker's.
        return [sys.executable, "-P", "-m", "chronik.testing.served", Job(os.getpid(), settings, temporary).to_json()]

    def _await_ready(self, process: "subprocess.Popen[bytes]") -> dict[str, Any]:
        assert process.stdout is not None
        deadline = time.monotonic() + START_SECONDS_MAX
        ready = ready_event(process.stdout, START_SECONDS_MAX)
        if ready is None:
            # Its output ends a moment before the process does.
            code = await_end(process, _LAST_MOMENT_S if time.monotonic() < deadline else 0)
            end(process, signal.SIGKILL, STOP_SECONDS_MAX)
            why = "was not ready in time" if code is None else f"ended with code {code} instead of serving"
            raise BrokerError(f"the broker {why}. {self.log_note()}")
        return ready

    def _end(self, number: signal.Signals) -> int:
        if self._process is None:
            raise BrokerError("the broker was not started")
        code = end(self._process, number, STOP_SECONDS_MAX)
        if code is None:
            raise BrokerError(f"the broker had not ended {STOP_SECONDS_MAX} s after {number.name}. {self.log_note()}")
        return code


def _text(value: object) -> str:
    """Write a value as a properties file would."""
    return str(value).lower() if isinstance(value, bool) else str(value)
