"""An HTTP server in the test's own process, with bounds that a test can wait for, on a loop in a thread."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from chronik.server.http.connection import TimeBounds
from chronik.server.http.responses import HttpError, HttpRequest, HttpResponse, json_response
from chronik.server.http.server import HttpServer
from chronik.server.settings.listeners import Address

T = TypeVar("T")

PATIENT = TimeBounds(head_s=20, idle_s=20, answer_s=20, linger_s=5)
JOIN_S_MAX = 30.0
PIECE_BYTES = 65_536
LONG_BYTES = 400 * PIECE_BYTES


class RunningServer:
    """Serves ``/live``, ``/long?`` (an answer of many megabytes) and ``/broken`` (whose making fails)."""

    def __init__(self, bounds: TimeBounds = PATIENT, host: str = "127.0.0.1") -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self.server = self.run(_started(Address(host, 0), bounds))
        self.asked: list[str] = []
        self.made_bytes = 0
        self.server.respond_with(self._respond)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    @property
    def connections(self) -> int:
        """How many are open, as the loop sees it."""
        return self.run(_value(self.server))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(JOIN_S_MAX)

    async def _respond(self, request: HttpRequest) -> HttpResponse:
        self.asked.append(request.path)
        if request.path == "/long":
            return HttpResponse(200, self._long())
        if request.path == "/broken":
            raise KeyError("a mistake")
        if request.path == "/broken-later":
            return HttpResponse(200, _broken_later())
        if request.path != "/live":
            raise HttpError(404, "nothing there", "ask for something else")  # type: ignore[arg-type]
        return json_response({"live": True})

    async def _long(self) -> Any:
        for _ in range(LONG_BYTES // PIECE_BYTES):
            self.made_bytes += PIECE_BYTES
            yield bytes(PIECE_BYTES)

    def close(self) -> None:
        self.run(self.server.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(JOIN_S_MAX)
        self.loop.close()

    def __enter__(self) -> "RunningServer":
        return self

    def __exit__(self, *why: object) -> None:
        self.close()


async def _started(address: Address, bounds: TimeBounds) -> HttpServer:
    server = HttpServer.listen(address, bounds)
    await server.start()
    return server


async def _value(server: HttpServer) -> int:
    return server.connections


async def _broken_later() -> Any:
    yield b"begun"
    raise KeyError("a mistake")
