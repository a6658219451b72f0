"""The client processes of a run: started with a task, followed by their reports, ended with the run."""

import asyncio
import contextlib
import json
import sys
from pathlib import Path
from typing import Any, Final

from chronik.audit.capture.settings import ClientTask

_MODULES: Final = {
    "confluent": "chronik.audit.capture.clients.confluent",
    "kafka-python": "chronik.audit.capture.clients.kafka_python",
    "aiokafka": "chronik.audit.capture.clients.aiokafka",
}
_END_S_MAX: Final = 15.0
_LINE_BYTES_MAX: Final = 1 << 20


class ClientProcess:
    """One client; ``facts`` is its last report."""

    def __init__(self, task: ClientTask, client: str, log: Path) -> None:
        self.task = task
        self.name = f"{task.role}r {task.number}"
        self.facts: dict[str, Any] = {}
        self.problem = ""
        """Why it ended before it was done, if so."""
        self.is_ready = asyncio.Event()
        self.has_ended = asyncio.Event()
        self._client = client
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self._following: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, "it was started"
        return self._process.pid

    async def start(self) -> None:
        """Start it; it ends by itself when this process does, because its input ends then."""
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                _MODULES[self._client],
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=_LINE_BYTES_MAX,
            )
        self._following = asyncio.ensure_future(self._follow())

    def begin(self) -> None:
        """Send the task, for which the process waits."""
        assert self._process is not None, "it was started"
        assert self._process.stdin is not None, "it is a pipe"
        self._process.stdin.write(json.dumps(self.task.as_json()).encode() + b"\n")

    async def stop(self) -> None:
        """Ask it to end, and end it where it does not."""
        assert self._process is not None, "it was started"
        if self._process.stdin is not None and not self.has_ended.is_set():
            self._process.stdin.write(b"stop\n")
            with contextlib.suppress(ConnectionError):
                await self._process.stdin.drain()
        try:
            async with asyncio.timeout(_END_S_MAX):
                await self.has_ended.wait()
        except TimeoutError:
            self.problem = self.problem or f"did not end within {_END_S_MAX:g} s"
            self.kill()
            await self.has_ended.wait()

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def _follow(self) -> None:
        assert self._process is not None, "it was started"
        assert self._process.stdout is not None, "it is a pipe"
        is_done = False
        async for line in self._process.stdout:
            is_done |= self._take(line)
        code = await self._process.wait()
        if not is_done:
            self.problem = self.problem or f"ended with code {code}: {_last_line(self._log)}"
        self.is_ready.set()
        self.has_ended.set()

    def _take(self, line: bytes) -> bool:
        try:
            report = json.loads(line)
        except ValueError:
            return False
        event = report.pop("event", "")
        self.facts.update(report)
        if event == "ready":
            self.is_ready.set()
        elif event == "failed":
            self.problem = str(report.get("error", ""))
        return bool(event == "done")


def _last_line(path: Path) -> str:
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    return lines[-1] if lines else "it said nothing"
