"""One connection to one broker: negotiated versions, pipelined requests, responses in order.

Responses come in the order of the requests. A response out of order, too late or unreadable ends the connection,
because later ones could not be trusted.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Self, TypeVar

from chronik import __version__
from chronik.client.errors import (
    BrokenAnswerError,
    ClientError,
    ConnectionFailedError,
    RequestTimedOutError,
    UnsupportedByBrokerError,
)
from chronik.client.negotiation import Dialect, VersionRange
from chronik.client.receiving import FrameReceiver
from chronik.client.settings import ClientSettings
from chronik.model.errors import ErrorCode
from chronik.protocol import apis, frames
from chronik.protocol.errors import ProtocolError
from chronik.protocol.generated.api_versions import ApiVersionsRequest, ApiVersionsResponse
from chronik.protocol.wire import Message

_CORRELATION_ID_MAX: Final = 2**31 - 1
_FIRST_VERSIONS_QUESTION: Final = 3
"""The version of ApiVersions that current clients start with; later versions concern features only."""

R = TypeVar("R", bound=Message)

_apis: dict[type[Message], apis.Api] = {}


def _api_of(request: type[Message], response: type[Message]) -> apis.Api:
    api = _apis.get(request)
    if api is None:
        api = _apis[request] = apis.describe(request, response)
    return api


@dataclass(slots=True)
class _Waiting:
    """A request without its response yet."""

    correlation_id: int
    api: apis.Api
    version: int
    decode: Callable[[memoryview, int], Any]
    answer: asyncio.Future[Any]
    timer: asyncio.TimerHandle


class BrokerConnection:
    """A connection that was opened with :meth:`open`; a closed one stays closed."""

    def __init__(self, host: str, port: int, settings: ClientSettings) -> None:
        self.host = host
        self.port = port
        self.where = f"{host}:{port}"
        self.dialect = Dialect({})
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[_Waiting] = deque()
        self._correlation_id = 0
        self._transport: asyncio.Transport | None = None
        self._failure: ClientError | None = None
        self._receiver = FrameReceiver(settings.frame_bytes_max, self._on_frame, self._on_lost)

    @classmethod
    async def open(cls, host: str, port: int, settings: ClientSettings) -> Self:
        """Connect, and request the broker's API versions."""
        connection = cls(host, port, settings)
        await connection._connect()
        try:
            connection.dialect = await connection._ask_versions()
        except BaseException:
            connection.close()
            raise
        return connection

    @property
    def is_open(self) -> bool:
        """Whether requests can be sent."""
        return self._transport is not None and self._failure is None

    @property
    def in_flight(self) -> int:
        """The number of requests without a response."""
        return len(self._waiting)

    def version_of(self, request_class: type[Message], cap: int | None = None) -> int:
        """Return the highest version, at most ``cap``, that both sides support for this request."""
        ours = VersionRange(request_class.versions[0], request_class.versions[-1])
        version = self.dialect.version_for(request_class.api_key, ours, cap)
        if version is None:
            theirs = self.dialect.ranges.get(request_class.api_key)
            raise UnsupportedByBrokerError(
                f"{self.where}: no common version of {request_class.__name__.removesuffix('Request')} "
                f"(known here: {ours}, offered there: {theirs or 'none'})",
                advice="Use a newer broker, or do without this operation.",
            )
        return version

    async def call(
        self, request: Message, response: type[R], *, version: int | None = None, timeout_s: float | None = None
    ) -> R:
        """Send a request when the socket is writable, and return its response."""
        await self.writable()
        return await self.send(request, response, version=version, timeout_s=timeout_s)

    def send(
        self, request: Message, response: type[R], *, version: int | None = None, timeout_s: float | None = None
    ) -> "asyncio.Future[R]":
        """Send a request at once and return the future of its response; requests are sent in the order of the calls."""
        api = _api_of(type(request), response)
        chosen = self.version_of(type(request)) if version is None else version
        return self._submit(api, chosen, request, response.decode, timeout_s)

    async def writable(self) -> None:
        """Wait until the socket is writable, so that a slow broker does not fill the memory."""
        await self._receiver.writable.wait()

    def send_unanswered(self, request: Message, response: type[Message], *, version: int | None = None) -> None:
        """Send a request without a response (Produce with acks=0)."""
        chosen = self.version_of(type(request)) if version is None else version
        self._write(_api_of(type(request), response), chosen, request)

    def close(self) -> None:
        """Close the connection; waiting requests fail."""
        self._fail(ConnectionFailedError(f"{self.where}: the connection was closed by this client"))

    async def _connect(self) -> None:
        timeout_s = self._settings.connect_timeout_ms / 1000
        try:
            async with asyncio.timeout(timeout_s):
                transport, _ = await self._loop.create_connection(lambda: self._receiver, self.host, self.port)
        except TimeoutError:
            raise ConnectionFailedError(
                f"{self.where}: no connection within {timeout_s:g} s", advice=_REACH_ADVICE
            ) from None
        except OSError as error:
            raise ConnectionFailedError(f"{self.where}: {_plain(error)}", advice=_REACH_ADVICE) from error
        self._transport = transport

    async def _ask_versions(self) -> Dialect:
        highest = _FIRST_VERSIONS_QUESTION
        answer = await self._call_versions(highest)
        if answer.error_code == ErrorCode.UNSUPPORTED_VERSION:
            answer = await self._call_versions(_offered_version(answer, highest))
        if answer.error_code != ErrorCode.NONE:
            raise UnsupportedByBrokerError(f"{self.where}: ApiVersions: error code {answer.error_code}")
        return Dialect({key.api_key: VersionRange(key.min_version, key.max_version) for key in answer.api_keys})

    def _call_versions(self, version: int) -> "asyncio.Future[ApiVersionsResponse]":
        api = _api_of(ApiVersionsRequest, ApiVersionsResponse)
        request = ApiVersionsRequest(client_software_name="chronik", client_software_version=__version__)
        return self._submit(api, version, request, _decode_versions, None)

    def _submit(
        self,
        api: apis.Api,
        version: int,
        request: Message,
        decode: Callable[[memoryview, int], R],
        timeout_s: float | None,
    ) -> "asyncio.Future[R]":
        correlation_id = self._write(api, version, request)
        wait_s = self._settings.request_timeout_ms / 1000 if timeout_s is None else timeout_s
        answer: asyncio.Future[R] = self._loop.create_future()
        timer = self._loop.call_later(wait_s, self._expire, api.name, wait_s)
        self._waiting.append(_Waiting(correlation_id, api, version, decode, answer, timer))
        return answer

    def _write(self, api: apis.Api, version: int, request: Message) -> int:
        if self._failure is not None or self._transport is None:
            raise self._failure or ConnectionFailedError(f"{self.where}: not connected")
        correlation_id = self._correlation_id
        self._correlation_id = 0 if correlation_id == _CORRELATION_ID_MAX else correlation_id + 1
        chunks = frames.encode_request(api, version, correlation_id, self._settings.client_id, request)
        self._transport.writelines(chunks)
        return correlation_id

    def _on_frame(self, frame: memoryview) -> None:
        if not self._waiting:
            self._fail(BrokenAnswerError(f"{self.where}: a response without a request"))
            return
        waiting = self._waiting.popleft()
        waiting.timer.cancel()
        try:
            message = self._read(waiting, frame)
        except (ProtocolError, BrokenAnswerError) as error:
            broken = BrokenAnswerError(f"{self.where}: the answer to {waiting.api.name} v{waiting.version}: {error}")
            self._waiting.appendleft(waiting)
            self._fail(broken)
            return
        if not waiting.answer.done():
            waiting.answer.set_result(message)

    def _read(self, waiting: _Waiting, frame: memoryview) -> Any:
        correlation_id, position = frames.decode_response_header(waiting.api, waiting.version, frame)
        if correlation_id != waiting.correlation_id:
            raise BrokenAnswerError(f"correlation id {correlation_id} came where {waiting.correlation_id} was due")
        return waiting.decode(frame[position:], waiting.version)

    def _expire(self, api_name: str, wait_s: float) -> None:
        self._fail(
            RequestTimedOutError(
                f"{self.where}: no answer to {api_name} within {wait_s:g} s",
                advice="Check the broker's health, or raise -X request.timeout.ms=MS.",
            )
        )

    def _on_lost(self, error: Exception | None) -> None:
        if isinstance(error, ClientError):
            self._fail(BrokenAnswerError(f"{self.where}: {error.what}", advice=error.advice))
            return
        reason = _plain(error) if isinstance(error, OSError) else "the broker closed the connection"
        self._fail(ConnectionFailedError(f"{self.where}: {reason}", advice=_CLOSED_ADVICE))

    def _fail(self, failure: ClientError) -> None:
        if self._failure is not None:
            return
        self._failure = failure
        waiting, self._waiting = self._waiting, deque()
        for request in waiting:
            request.timer.cancel()
            if not request.answer.done():
                request.answer.set_exception(_same_failure(failure))
        if self._transport is not None:
            self._transport.abort()


def _decode_versions(view: memoryview, version: int) -> ApiVersionsResponse:
    """Decode the one response whose version the broker chooses: a refusal is always in version 0.

    A refusal that cannot be decoded (librdkafka's mock broker sends such) names no other version.
    """
    if int.from_bytes(view[:2], "big", signed=True) != ErrorCode.UNSUPPORTED_VERSION:
        return ApiVersionsResponse.decode(view, version)
    try:
        return ApiVersionsResponse.decode(view, 0)
    except ProtocolError:
        return ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)


def _offered_version(refusal: ApiVersionsResponse, refused: int) -> int:
    """Return the version to use after a refusal; an old broker that names none supports version 0."""
    key = ApiVersionsRequest.api_key
    offered = next((known.max_version for known in refusal.api_keys if known.api_key == key), 0)
    return max(0, min(offered, refused - 1))


def _same_failure(failure: ClientError) -> ClientError:
    """Copy an error for one waiter, because a raised exception collects the traceback of its awaiter."""
    copy = type(failure)(failure.what, advice=failure.advice)
    copy.__cause__ = failure.__cause__
    return copy


def _plain(error: OSError) -> str:
    return os.strerror(error.errno).lower() if error.errno and error.errno > 0 else str(error)


_REACH_ADVICE = "Check that a broker runs there ('chronik serve' starts one) and that --bootstrap names its address."
_CLOSED_ADVICE = "Look at the broker's log for the reason; the request may or may not have been carried out."
