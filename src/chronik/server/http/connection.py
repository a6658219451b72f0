"""One HTTP connection: requests one after the other, each with time limits, and errors with a message.

h11 implements the protocol. This module adds input and output, the time limits and the restrictions: only GET and HEAD,
no request bodies.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import h11

from chronik import __version__
from chronik.model import limits
from chronik.observability.logs import PER_REQUEST
from chronik.server.http.responses import HttpError, HttpRequest, HttpResponse, Responder, error_response

log = logging.getLogger(__name__)

_READ_BYTES: Final = 8 * 1024
_LINGER_BYTES_MAX: Final = 256 * 1024
_FIELDS_MAX: Final = 32
_METHODS: Final = (b"GET", b"HEAD")
_COMMON_HEADERS: Final = (
    ("Server", f"chronik/{__version__}"),
    ("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)
_VERSIONS: Final = (b"1.0", b"1.1")
_WRONG_VERSION: Final = error_response(
    HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "only HTTP/1.0 and HTTP/1.1 are supported", "Use one of them."
)
_NO_BODY: Final = error_response(
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "requests with a body are not supported", "Send GET or HEAD without a body."
)
_WRONG_METHOD: Final = error_response(
    HTTPStatus.METHOD_NOT_ALLOWED,
    "the HTTP API is read-only",
    "Use GET or HEAD. To change something, use Kafka's protocol, for example with the chronik command.",
    headers=(("Allow", "GET, HEAD"),),
)
_FAILED: Final = error_response(
    HTTPStatus.INTERNAL_SERVER_ERROR, "the request failed", "See the broker's log for the reason."
)


@dataclass(frozen=True, slots=True)
class TimeBounds:
    """The time limits of a connection."""

    head_s: float = limits.HTTP_HEAD_S_MAX
    idle_s: float = limits.HTTP_IDLE_S_MAX
    answer_s: float = limits.HTTP_ANSWER_S_MAX
    linger_s: float = limits.HTTP_LINGER_S_MAX


class HttpConnection:
    """Serves one client until it disconnects, is too slow, or sends an invalid request."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        responder: Responder,
        reject_host: Callable[[str], str | None],
        bounds: TimeBounds,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._responder = responder
        self._reject_host = reject_host
        self._bounds = bounds
        self.idle_since: float | None = None
        """Since when it waits for its next request, by the loop's clock; None before the first and during a request."""
        self._is_head_request = False
        self._protocol = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.HTTP_HEAD_BYTES_MAX)
        # With a limit of 0 a send ends when the kernel has all bytes, so that a slow client runs into the time limit.
        writer.transport.set_write_buffer_limits(0)

    async def serve(self) -> None:
        """Serve requests until the connection ends; no error of a client is passed on."""
        try:
            while await self._exchange():
                pass
        except (TimeoutError, OSError, h11.LocalProtocolError):
            self._writer.transport.abort()
        finally:
            self._writer.close()

    async def refuse(self, response: HttpResponse) -> None:
        """Send an error response, and close."""
        try:
            await self._send(response)
            await self._linger()
        except (TimeoutError, OSError, h11.LocalProtocolError):
            self._writer.transport.abort()
        finally:
            self._writer.close()

    async def _exchange(self) -> bool:
        """Receive one request and send its response; return whether another request may follow."""
        try:
            request = await self._receive()
            if request is None:
                return False
            refusal = self._rejection_of(request)
        except h11.RemoteProtocolError as error:
            request, refusal = None, _malformed(error)
        if request is None or refusal is not None:
            await self._send(refusal or _FAILED)
            await self._linger()
            return False
        await self._send(await self._response(request))
        # Other work may run between pipelined requests.
        await asyncio.sleep(0)
        if self._protocol.our_state is not h11.DONE or self._protocol.their_state is not h11.DONE:
            return False
        self._protocol.start_next_cycle()
        return True

    # --- receiving

    async def _receive(self) -> h11.Request | None:
        """Return the head of the next request; None if the client has disconnected."""
        event = self._protocol.next_event()
        if event is h11.NEED_DATA and not self._protocol.trailing_data[0]:
            await self._await_first_byte()
            event = self._protocol.next_event()
        async with asyncio.timeout(self._bounds.head_s):
            while event is h11.NEED_DATA:
                await self._read()
                event = self._protocol.next_event()
        if not isinstance(event, h11.Request):
            return None
        self._is_head_request = event.method == b"HEAD"
        return event

    async def _await_first_byte(self) -> None:
        is_new = self._protocol.their_http_version is None
        self.idle_since = None if is_new else asyncio.get_running_loop().time()
        async with asyncio.timeout(self._bounds.head_s if is_new else self._bounds.idle_s):
            await self._read()
        self.idle_since = None

    async def _read(self) -> None:
        self._protocol.receive_data(await self._reader.read(_READ_BYTES))

    def _rejection_of(self, request: h11.Request) -> HttpResponse | None:
        if request.http_version not in _VERSIONS:
            return _WRONG_VERSION
        if request.method not in _METHODS:
            return _WRONG_METHOD
        if not isinstance(self._protocol.next_event(), h11.EndOfMessage):
            return _NO_BODY
        host = next((value for name, value in request.headers if name == b"host"), b"").decode("latin-1")
        problem = self._reject_host(host) if host else None
        if problem is not None:
            return error_response(
                HTTPStatus.MISDIRECTED_REQUEST,
                problem,
                "Use the address itself, or set chronik.http.listener to an address with that name.",
            )
        return None

    # --- responding

    async def _response(self, request: h11.Request) -> HttpResponse:
        try:
            return await self._responder(_request(request.target))
        except HttpError as refused:
            return refused.response()
        except Exception:
            # An HTTP request must not be able to stop the broker.
            log.exception("the HTTP request %r failed", request.target.decode("latin-1"), extra=PER_REQUEST)
            return _FAILED

    async def _send(self, response: HttpResponse) -> None:
        async with asyncio.timeout(self._bounds.answer_s):
            await self._write(self._head(response))
            if not self._is_head_request:
                await self._send_body(response.body)
            await self._write(h11.EndOfMessage())

    async def _send_body(self, body: bytes | AsyncIterator[bytes]) -> None:
        if isinstance(body, bytes):
            await self._write(h11.Data(body))
            return
        try:
            async for piece in body:
                await self._write(h11.Data(piece))
        except (TimeoutError, OSError, asyncio.CancelledError):
            raise
        except Exception as error:
            log.exception("an HTTP response failed while it was sent")
            raise ConnectionAbortedError from error

    def _head(self, response: HttpResponse) -> h11.Response:
        headers = [("Content-Type", response.content_type), *_COMMON_HEADERS, *response.headers]
        if isinstance(response.body, bytes):
            headers.append(("Content-Length", str(len(response.body))))
        if self._protocol.their_state is not h11.DONE:
            headers.append(("Connection", "close"))
        return h11.Response(
            status_code=response.status, headers=headers, reason=HTTPStatus(response.status).phrase.encode()
        )

    async def _write(self, event: h11.Response | h11.Data | h11.EndOfMessage) -> None:
        data = self._protocol.send(event)
        if data:
            self._writer.write(data)
            await self._writer.drain()

    async def _linger(self) -> None:
        """Discard what the client still sends, for a moment: an earlier close would make it lose the response."""
        left = _LINGER_BYTES_MAX
        if self._writer.can_write_eof():
            self._writer.write_eof()
        async with asyncio.timeout(self._bounds.linger_s):
            while left > 0 and (taken := await self._reader.read(_READ_BYTES)):
                left -= len(taken)


def _malformed(error: h11.RemoteProtocolError) -> HttpResponse:
    status = HTTPStatus(error.error_status_hint or HTTPStatus.BAD_REQUEST)
    if status is HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
        return error_response(
            status,
            f"the head of the request is longer than {limits.HTTP_HEAD_BYTES_MAX} bytes",
            "Send fewer or shorter header fields.",
        )
    return error_response(status, f"not an HTTP/1.1 request: {error}", "Use an HTTP client, such as curl.")


def _request(target: bytes) -> HttpRequest:
    try:
        parts = urlsplit(target.decode("ascii"))
        query = dict(parse_qsl(parts.query, keep_blank_values=True, max_num_fields=_FIELDS_MAX))
    except ValueError as error:
        raise HttpError(
            HTTPStatus.BAD_REQUEST, f"the URL cannot be parsed: {error}", "See /api/openapi.json for the routes."
        ) from error
    return HttpRequest(parts.path, query)
