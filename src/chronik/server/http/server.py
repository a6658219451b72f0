"""The HTTP side's socket: it listens from the broker's start to its end, within a bound of connections.

Before the broker is built, and when it stops, it says that it lives, and nothing else.
"""

import asyncio
import logging
import socket
from collections.abc import Coroutine
from http import HTTPStatus
from typing import Any, Final

from chronik.model import limits
from chronik.server.http.connection import HttpConnection, TimeBounds
from chronik.server.http.responses import Answer, RefusedError, Request, Responder, error_answer, json_answer
from chronik.server.network.listeners import ListenError, listen
from chronik.server.settings.listeners import Address, is_loopback

log = logging.getLogger(__name__)

_BACKLOG: Final = 64
_ACCEPTS_PER_EVENT_MAX: Final = 16
_ACCEPT_PAUSE_S: Final = 0.5
_WILDCARDS: Final = frozenset({"", "*", "0.0.0.0", "::"})
_FULL: Final = error_answer(
    HTTPStatus.SERVICE_UNAVAILABLE,
    f"{limits.HTTP_CONNECTIONS_MAX} connections are open already",
    "Close some, or let several readers share one connection.",
    headers=(("Retry-After", "5"),),
)


class HttpSide:
    """Takes connections and hands their requests to whoever answers now."""

    def __init__(self, listening: socket.socket, host: str, bounds: TimeBounds | None = None) -> None:
        self._listening = listening
        self._host = host
        self._bounds = bounds or TimeBounds()
        self._responder: Responder = _not_yet
        self._loop: asyncio.AbstractEventLoop | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self._served: dict[asyncio.Task[None], HttpConnection] = {}
        self._refusing: set[asyncio.Task[None]] = set()

    @classmethod
    def listen(cls, address: Address, bounds: TimeBounds | None = None) -> "HttpSide":
        """Open the socket; ListenError names the setting where that cannot be done."""
        host = "" if address.host == "*" else address.host
        try:
            listening = listen(host, address.port, _BACKLOG)
        except ListenError as error:
            raise ListenError(
                f"the HTTP side {error} The setting is chronik.http.listener: give each broker of a machine another "
                "port there, or leave it empty to serve no HTTP."
            ) from error
        return cls(listening, host, bounds)

    @property
    def port(self) -> int:
        """The port that is bound."""
        return int(self._listening.getsockname()[1])

    def address_for_others(self, host_instead_of_any: str) -> Address:
        """Where other brokers reach it; a listener on every address is reached as the broker itself is."""
        return Address(host_instead_of_any if self._host in _WILDCARDS else self._host, self.port)

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self._serving)

    def answer_with(self, responder: Responder) -> None:
        """Let somebody else answer from now on."""
        self._responder = responder

    def say_stopping(self) -> None:
        """Live, and nothing else, until the end."""
        self._responder = _no_more

    async def start(self) -> None:
        """Take connections."""
        self._loop = asyncio.get_running_loop()
        self._accept_again()

    def release(self) -> None:
        """Let go of the socket."""
        if self._loop is not None and self._listening.fileno() >= 0:
            self._loop.remove_reader(self._listening.fileno())
        self._listening.close()

    async def close(self) -> None:
        """Take no more connections, and end those that are open."""
        self.release()
        tasks = [*self._serving, *self._refusing]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- accepting

    # The loop's own way to accept would tell the broker's supervisor when there are no descriptors left, and that takes
    # the broker down: here nothing may.

    def _accept_again(self) -> None:
        if self._loop is not None and self._listening.fileno() >= 0:
            self._loop.add_reader(self._listening.fileno(), self._on_acceptable)

    def _on_acceptable(self) -> None:
        for _ in range(_ACCEPTS_PER_EVENT_MAX):
            try:
                accepted, _ = self._listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._pause_accepting(error)
                return
            self._take(accepted)

    def _pause_accepting(self, error: OSError) -> None:
        log.error("cannot accept an HTTP connection: %s. Raise the limit of open files (ulimit -n).", error.strerror)
        assert self._loop is not None, "nothing is accepted before the start"
        self._loop.remove_reader(self._listening.fileno())
        self._loop.call_later(_ACCEPT_PAUSE_S, self._accept_again)

    def _take(self, accepted: socket.socket) -> None:
        if len(self._serving) < limits.HTTP_CONNECTIONS_MAX or self._give_up_idle():
            self._run(self._serving, self._serve(accepted))
        elif len(self._refusing) < limits.HTTP_CONNECTIONS_MAX:
            self._run(self._refusing, self._refuse(accepted))
        else:
            accepted.close()

    def _give_up_idle(self) -> bool:
        """Close whoever has waited longest without asking anything more, so that the idle keep nobody out."""
        idle = [(each.idle_since, task) for task, each in self._served.items() if each.idle_since is not None]
        if not idle:
            return False
        task = min(idle, key=lambda one: one[0])[1]
        self._forget(task)
        task.cancel()
        return True

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._serving.discard(task)
        self._served.pop(task, None)

    def _run(self, tasks: set[asyncio.Task[None]], work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="HTTP connection")
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        task.add_done_callback(_tell_failure)

    async def _serve(self, accepted: socket.socket) -> None:
        connection = await self._connection(accepted)
        task = asyncio.current_task()
        assert task is not None
        self._served[task] = connection
        task.add_done_callback(self._forget)
        await connection.serve()

    async def _refuse(self, accepted: socket.socket) -> None:
        await (await self._connection(accepted)).refuse(_FULL)

    async def _connection(self, accepted: socket.socket) -> HttpConnection:
        reader, writer = await asyncio.open_connection(sock=accepted, limit=limits.HTTP_HEAD_BYTES_MAX)
        return HttpConnection(reader, writer, self._respond, self._why_not_host, self._bounds)

    async def _respond(self, request: Request) -> Answer:
        return await self._responder(request)

    def _why_not_host(self, host: str) -> str | None:
        """Refuse names that are not ours where only this machine may ask.

        A page from elsewhere could have its own name point here, and would then read the answers as its own.
        """
        if not is_loopback(self._listening.getsockname()[0]):
            return None
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        name = name.strip("[]").lower()
        if name in ("localhost", self._host.lower()) or is_loopback(name):
            return None
        return f"this listener is for this machine only, and {host!r} is not a name of it"


def _tell_failure(task: asyncio.Task[None]) -> None:
    """Nobody waits for these tasks: what one met that it did not expect stands in the log."""
    if not task.cancelled() and task.exception() is not None:
        log.error("an HTTP connection ended with an error", exc_info=task.exception())


def live() -> Answer:
    """The process runs, and its loop turns."""
    return json_answer({"live": True})


async def _not_yet(request: Request) -> Answer:
    return _live_only(request, "the broker is starting", "Ask again: it serves when /ready says so.")


async def _no_more(request: Request) -> Answer:
    return _live_only(request, "the broker is stopping", "Ask another broker.")


def _live_only(request: Request, error: str, what_to_do: str) -> Answer:
    if request.path == "/live":
        return live()
    raise RefusedError(HTTPStatus.SERVICE_UNAVAILABLE, error, what_to_do)
