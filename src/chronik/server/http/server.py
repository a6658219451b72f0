"""The HTTP server: it listens from the broker's start to its end, with a limited number of connections.

Before the broker is built, and while it stops, only /live is served.
"""

import asyncio
import logging
import socket
from collections.abc import Coroutine
from http import HTTPStatus
from typing import Any, Final

from chronik.model import limits
from chronik.server.http.connection import HttpConnection, TimeBounds
from chronik.server.http.responses import HttpError, HttpRequest, HttpResponse, Responder, error_response, json_response
from chronik.server.network.listeners import ListenError, listen
from chronik.server.settings.listeners import Address, is_loopback

log = logging.getLogger(__name__)

_BACKLOG: Final = 64
_ACCEPTS_PER_EVENT_MAX: Final = 16
_ACCEPT_PAUSE_S: Final = 0.5
_WILDCARDS: Final = frozenset({"", "*", "0.0.0.0", "::"})
_FULL: Final = error_response(
    HTTPStatus.SERVICE_UNAVAILABLE,
    f"the maximum of {limits.HTTP_CONNECTIONS_MAX} connections is reached",
    "Close some connections, or share one.",
    headers=(("Retry-After", "5"),),
)


class HttpServer:
    """Accepts connections, and passes their requests to the current responder."""

    def __init__(self, listening: socket.socket, host: str, bounds: TimeBounds | None = None) -> None:
        self._listening = listening
        self._host = host
        self._bounds = bounds or TimeBounds()
        self._responder: Responder = _starting
        self._loop: asyncio.AbstractEventLoop | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self._served: dict[asyncio.Task[None], HttpConnection] = {}
        self._refusing: set[asyncio.Task[None]] = set()

    @classmethod
    def listen(cls, address: Address, bounds: TimeBounds | None = None) -> "HttpServer":
        """Open the listening socket; raise ListenError, with the name of the setting, if that fails."""
        host = "" if address.host == "*" else address.host
        try:
            listening = listen(host, address.port, _BACKLOG)
        except ListenError as error:
            raise ListenError(
                f"the HTTP server {error} The setting is chronik.http.listener: every broker of a machine needs "
                "its own port; leave it empty for no HTTP server."
            ) from error
        return cls(listening, host, bounds)

    @property
    def port(self) -> int:
        """The bound port."""
        return int(self._listening.getsockname()[1])

    def address_for_others(self, host_instead_of_any: str) -> Address:
        """Return the address for other brokers; with ``host_instead_of_any`` if it listens on all addresses."""
        return Address(host_instead_of_any if self._host in _WILDCARDS else self._host, self.port)

    @property
    def connections(self) -> int:
        """The number of open connections."""
        return len(self._serving)

    def respond_with(self, responder: Responder) -> None:
        """Use another responder from now on."""
        self._responder = responder

    def begin_stop(self) -> None:
        """Serve only /live from now on."""
        self._responder = _stopping

    async def start(self) -> None:
        """Start to accept connections."""
        self._loop = asyncio.get_running_loop()
        self._accept_again()

    def release(self) -> None:
        """Close the listening socket."""
        if self._loop is not None and self._listening.fileno() >= 0:
            self._loop.remove_reader(self._listening.fileno())
        self._listening.close()

    async def close(self) -> None:
        """Accept no more connections, and close the open ones."""
        self.release()
        tasks = [*self._serving, *self._refusing]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- accepting

    # asyncio's own server reports a lack of file descriptors to the loop's exception handler, which would stop the
    # broker. Here a lack of descriptors only pauses the HTTP server.

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
        if len(self._serving) < limits.HTTP_CONNECTIONS_MAX or self._close_longest_idle():
            self._run(self._serving, self._serve(accepted))
        elif len(self._refusing) < limits.HTTP_CONNECTIONS_MAX:
            self._run(self._refusing, self._refuse(accepted))
        else:
            accepted.close()

    def _close_longest_idle(self) -> bool:
        """Close the connection that has been idle for longest, so that idle connections do not block new ones."""
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
        task.add_done_callback(_log_failure)

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
        return HttpConnection(reader, writer, self._responded, self._reject_host, self._bounds)

    async def _responded(self, request: HttpRequest) -> HttpResponse:
        return await self._responder(request)

    def _reject_host(self, host: str) -> str | None:
        """Reject requests with a foreign host name if the listener is for this machine only.

        Otherwise a web page could let its own name resolve to this address, and read the responses (DNS rebinding).
        """
        if not is_loopback(self._listening.getsockname()[0]):
            return None
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        name = name.strip("[]").lower()
        if name in ("localhost", self._host.lower()) or is_loopback(name):
            return None
        return f"this listener is for this machine only, and {host!r} is not a name of it"


def _log_failure(task: asyncio.Task[None]) -> None:
    """Log an unexpected error of a connection: no other task awaits it."""
    if not task.cancelled() and task.exception() is not None:
        log.error("an HTTP connection ended with an error", exc_info=task.exception())


def live() -> HttpResponse:
    """Return the response of /live."""
    return json_response({"live": True})


async def _starting(request: HttpRequest) -> HttpResponse:
    return _live_only(request, "the broker is starting", "Wait until /ready responds with 200.")


async def _stopping(request: HttpRequest) -> HttpResponse:
    return _live_only(request, "the broker is stopping", "Ask another broker.")


def _live_only(request: HttpRequest, error: str, what_to_do: str) -> HttpResponse:
    if request.path == "/live":
        return live()
    raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, error, what_to_do)
