"""The processes of a soak: started, ordered, killed and started again; none of them outlives it."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from soak.plan import Cast, Client
from soak.worker import to_argument

ROOT = Path(__file__).resolve().parent.parent
END_SECONDS_MAX = 75


class SoakError(Exception):
    """The soak itself has failed, and does not judge the broker."""


class Worker:
    """One process of clients."""

    def __init__(self, bootstrap: str, directory: Path, name: str, clients: tuple[Client, ...]) -> None:
        self.name = name
        self.clients = clients
        self._bootstrap = bootstrap
        self._directory = directory
        self._log = directory / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process."""
        arguments = [self._bootstrap, str(self._directory), *map(to_argument, self.clients)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "soak.worker", *arguments],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    @property
    def has_ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def order(self, line: str) -> None:
        """Send an order."""
        assert self._process is not None, "an order needs a running process"
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """End it as the kernel would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def end(self, deadline: float) -> str | None:
        """Wait until the process ends by itself; return the problem, or None."""
        assert self._process is not None, "only what was started can end"
        try:
            code = self._process.wait(max(deadline - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            self.kill()
            return f"{self.name} had to be killed at the end"
        return None if code == 0 else f"{self.name} ended with code {code}: {self._log.read_text()[-500:]}"


class Stage:
    """All workers of a soak."""

    def __init__(self, cast: Cast, bootstrap: str, directory: Path) -> None:
        self.producers = Worker(bootstrap, directory, "producers", cast.producers)
        self.steady = [
            Worker(bootstrap, directory, f"steady{number}", clients) for number, clients in enumerate(cast.steady)
        ]
        self.mortal = {
            client.name: Worker(bootstrap, directory, f"mortal-{client.group}", (client,)) for client in cast.mortal
        }

    @property
    def workers(self) -> list[Worker]:
        return [*self.steady, *self.mortal.values(), self.producers]

    def worker_of(self, client: Client) -> Worker:
        """The process a client lives in."""
        return next(worker for worker in self.workers if client in worker.clients)

    def end(self, workers: Iterable[Worker]) -> list[str]:
        """Order workers to end, and return the problems with that."""
        ending = list(workers)
        for worker in ending:
            if not worker.has_ended:
                worker.order("end")
        deadline = time.monotonic() + END_SECONDS_MAX
        return [problem for worker in ending if (problem := worker.end(deadline)) is not None]

    def kill_all(self) -> None:
        """End every process that still runs."""
        for worker in self.workers:
            if not worker.has_ended:
                worker.kill()
