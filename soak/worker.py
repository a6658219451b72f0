"""A process of clients: ``python -m soak.worker BOOTSTRAP DIRECTORY CLIENT...``, each client as JSON.

It takes orders on standard input, one per line: ``leave NAME``, ``join NAME``, and ``end``. When the input ends without
``end``, the conductor is gone, and this process ends too.
"""

import json
import os
import sys
import threading
from dataclasses import asdict
from pathlib import Path

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
    """One client in a thread; it can leave and join again."""

    def __init__(self, client: Client, bootstrap: str, directory: Path) -> None:
        self._client = client
        self._bootstrap = bootstrap
        self._directory = directory
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def join(self) -> None:
        """Start, once an earlier run of the client has ended."""
        self.leave()
        self.wait()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(self._ending,), daemon=True)
        self._thread.start()

    def leave(self) -> None:
        """Ask the client to close."""
        self._ending.set()

    def wait(self) -> None:
        """Wait until the client has closed."""
        if self._thread is not None:
            self._thread.join(END_SECONDS_MAX)

    def _run(self, ending: threading.Event) -> None:
        # Imported here, so that a process loads no more libraries than its clients need.
        if self._client.is_producer:
            from soak.producers import produce

            produce(self._client, self._bootstrap, self._directory, ending)
        else:
            from soak.members import consume

            consume(self._client, self._bootstrap, self._directory, ending)


def main(bootstrap: str, directory: str, *clients: str) -> None:
    """Let the clients act until the order to end."""
    actors = {client.name: Actor(client, bootstrap, Path(directory)) for client in map(from_argument, clients)}
    for actor in actors.values():
        actor.join()
    for line in sys.stdin:
        order, _, name = line.strip().partition(" ")
        match order:
            case "leave":
                actors[name].leave()
            case "join":
                actors[name].join()
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
