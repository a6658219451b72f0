"""A process of clients: ``python -m soak.worker BOOTSTRAP JOURNAL CLIENT...``, each client as JSON.

It takes orders on standard input, one per line: ``leave NAME``, ``join NAME``, and ``end``. When the input ends without
that, whoever gave the orders is gone, and so is this process.
"""

import json
import os
import sys
import threading
from dataclasses import asdict
from pathlib import Path

from soak.events import Came, Complained, Went
from soak.journal import Journal, now
from soak.plan import Client, Library

END_SECONDS_MAX = 60


def to_argument(client: Client) -> str:
    """A client, for the command line."""
    return json.dumps(asdict(client))


def from_argument(text: str) -> Client:
    """A client, from the command line."""
    fields = json.loads(text)
    return Client(**(fields | {"library": Library(fields["library"])}))


class Actor:
    """One client in a thread; it can leave and come again."""

    def __init__(self, client: Client, bootstrap: str, journal: Journal) -> None:
        self._client = client
        self._bootstrap = bootstrap
        self._journal = journal
        self._times = 0
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def come(self) -> None:
        """Start, once whatever it did before has ended."""
        self.leave()
        self.wait()
        self._ending = threading.Event()
        self._times += 1
        self._thread = threading.Thread(target=self._run, args=(self._ending,), daemon=True)
        self._thread.start()

    def leave(self) -> None:
        """Ask it to end in an orderly way."""
        self._ending.set()

    def wait(self) -> None:
        """Wait until it has ended."""
        if self._thread is not None:
            self._thread.join(END_SECONDS_MAX)

    def _run(self, ending: threading.Event) -> None:
        incarnation = f"{os.getpid()}.{self._times}"
        name = self._client.name if self._client.is_producer else f"{self._client.name}/{incarnation}"
        self._journal.write(Came(now(), name))
        try:
            self._act(incarnation, ending)
        except Exception as error:  # noqa: BLE001 -- whatever ends a client early belongs into the account
            self._journal.write(Complained(now(), name, f"ended by {error!r}"[:300]))
        self._journal.write(Went(now(), name))

    def _act(self, incarnation: str, ending: threading.Event) -> None:
        # Imported here, so that a process loads no more libraries than its clients need.
        if self._client.is_producer:
            from soak.producers import produce

            produce(self._client, self._bootstrap, self._journal, ending)
        else:
            from soak.members import consume

            consume(self._client, incarnation, self._bootstrap, self._journal, ending)


def main(bootstrap: str, journal_path: str, *clients: str) -> None:
    """Let the clients act until told to end."""
    journal = Journal(Path(journal_path))
    actors = {client.name: Actor(client, bootstrap, journal) for client in map(from_argument, clients)}
    for actor in actors.values():
        actor.come()
    for line in sys.stdin:
        order, _, name = line.strip().partition(" ")
        match order:
            case "leave":
                actors[name].leave()
            case "join":
                actors[name].come()
            case "end":
                _end(list(actors.values()))
                return
    os._exit(1)


def _end(actors: list[Actor]) -> None:
    for actor in actors:
        actor.leave()
    for actor in actors:
        actor.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
