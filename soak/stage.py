"""The processes of a soak: started, given orders, killed and started again; none of them outlives it."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from soak.events import Event
from soak.journal import JournalReader
from soak.plan import Cast, Client
from soak.worker import to_argument

ROOT = Path(__file__).resolve().parent.parent
END_SECONDS_MAX = 75


class SoakError(Exception):
    """The soak itself has failed, so that nothing can be said about the broker's account."""


class Worker:
    """One process of clients. Each start has a journal of its own: a killed process may leave half a line behind."""

    def __init__(self, bootstrap: str, directory: Path, name: str, clients: tuple[Client, ...]) -> None:
        self.name = name
        self.clients = clients
        self._bootstrap = bootstrap
        self._directory = directory
        self._log = directory / f"{name}.log"
        self._readers: list[JournalReader] = []
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process."""
        journal = self._directory / f"{self.name}.{len(self._readers)}.journal"
        journal.touch()
        self._readers.append(JournalReader(journal))
        arguments = [self._bootstrap, str(journal), *map(to_argument, self.clients)]
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
        """Give an order."""
        assert self._process is not None, "an order needs somebody who hears it"
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """End it as the kernel would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def end(self, deadline: float) -> str | None:
        """Wait for an orderly end; what was wrong with it, in words, or None."""
        assert self._process is not None, "only what was started can end"
        try:
            code = self._process.wait(max(deadline - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            self.kill()
            return f"{self.name} had to be killed at the end"
        return None if code == 0 else f"{self.name} ended with code {code}: {self._log.read_text()[-500:]}"

    def news(self) -> Iterable[Event]:
        """The events since the last call."""
        return [event for reader in self._readers for event in reader.read()]


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

    def news(self) -> Iterable[Event]:
        """What all clients have written since the last call."""
        for worker in self.workers:
            yield from worker.news()

    def end(self, workers: Iterable[Worker]) -> list[str]:
        """Have workers end in an orderly way, and say what was wrong with that."""
        ending = list(workers)
        for worker in ending:
            if not worker.has_ended:
                worker.order("end")
        deadline = time.monotonic() + END_SECONDS_MAX
        return [problem for worker in ending if (problem := worker.end(deadline)) is not None]

    def kill_all(self) -> None:
        """End whatever still runs."""
        for worker in self.workers:
            if not worker.has_ended:
                worker.kill()
