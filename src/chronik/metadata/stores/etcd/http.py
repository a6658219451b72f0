"""A small HTTP client for etcd's JSON gateway: requests on kept connections, and streamed responses.

``NotSentError`` means that the server cannot have received the request.
"""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

CONNECT_S_MAX: Final = 1.0
IDLE_MAX: Final = 4
ANSWER_BYTES_MAX: Final = 1 << 30
HTTP_OK: Final = 200

Json = dict[str, Any]


class NotSentError(Exception):
    """There was no connection to send the request on."""


class NoAnswerError(Exception):
    """The request was sent, perhaps in part, and no complete response came."""


class _Head(NamedTuple):
    status: int
    headers: Mapping[str, str]


class EtcdResponse(NamedTuple):
    """A response: its status and the JSON of its body."""

    status: int
    body: Json


class EtcdEndpoint:
    """One member of etcd, by its client address."""

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.port = port
        self._idle: list[_Connection] = []
        self._streams: set[_Connection] = set()
        self._closed = False

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    async def post(self, path: str, payload: Json, timeout_s: float) -> EtcdResponse:
        """Send a request and return the complete response."""
        connection = self._kept() or await self._connect()
        try:
            async with asyncio.timeout(timeout_s):
                connection.send(self._request(path, payload))
                answer = await connection.receive()
        except TimeoutError as error:
            connection.abort()
            raise NoAnswerError(f"{self} did not answer in {timeout_s} s") from error
        except BaseException:
            connection.abort()
            raise
        self._keep(connection)
        return answer

    async def stream(self, path: str, payload: Json) -> AsyncGenerator[EtcdResponse, None]:
        """Send a request and yield each line of the response until one side ends it."""
        connection = await self._connect()
        self._streams.add(connection)
        try:
            connection.send(self._request(path, payload))
            async for answer in connection.receive_lines():
                yield answer
        finally:
            self._streams.discard(connection)
            connection.abort()

    def end_streams(self) -> None:
        """Abort the responses that are still being read; their readers get NoAnswerError."""
        for connection in self._streams:
            connection.abort()

    def close(self) -> None:
        self._closed = True
        self.end_streams()
        for connection in self._idle:
            connection.abort()
        self._idle.clear()

    def _request(self, path: str, payload: Json) -> bytes:
        body = json.dumps(payload).encode()
        # Without a leader etcd would keep a silent stream open.
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self}\r\nContent-Type: application/json\r\n"
            f"Grpc-Metadata-hasleader: true\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    async def _connect(self) -> "_Connection":
        try:
            async with asyncio.timeout(CONNECT_S_MAX):
                reader, writer = await asyncio.open_connection(self.host, self.port)
        except (OSError, TimeoutError) as error:
            raise NotSentError(f"{self} cannot be reached: {error or 'no answer'}") from error
        if self._closed:
            writer.transport.abort()
            raise NotSentError("closed")
        _notice_silence(writer.get_extra_info("socket"))
        return _Connection(reader, writer)

    def _kept(self) -> "_Connection | None":
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open:
                return connection
            connection.abort()
        return None

    def _keep(self, connection: "_Connection") -> None:
        if len(self._idle) < IDLE_MAX and connection.is_open:
            self._idle.append(connection)
        else:
            connection.abort()


class _Connection:
    """One TCP connection with at most one request under way."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @property
    def is_open(self) -> bool:
        return not self._reader.at_eof() and not self._writer.is_closing()

    def abort(self) -> None:
        self._writer.transport.abort()

    def send(self, request: bytes) -> None:
        self._writer.write(request)

    async def receive(self) -> EtcdResponse:
        try:
            head = await self._head()
            body = b"".join([part async for part in self._body(head)])
            return EtcdResponse(head.status, _parse(body))
        except (OSError, EOFError, ValueError) as error:
            raise NoAnswerError(f"the connection failed: {error or type(error).__name__}") from error

    async def receive_lines(self) -> AsyncGenerator[EtcdResponse, None]:
        try:
            head = await self._head()
            begun: list[bytes] = []
            async for part in self._body(head):
                *ends, rest = part.split(b"\n")
                for end in ends:
                    yield EtcdResponse(head.status, _parse(b"".join([*begun, end])))
                    begun.clear()
                begun.append(rest)
            if any(begun):
                yield EtcdResponse(head.status, _parse(b"".join(begun)))
        except (OSError, EOFError, ValueError) as error:
            raise NoAnswerError(f"the connection failed: {error or type(error).__name__}") from error

    async def _head(self) -> _Head:
        _, status, *_ = (await self._line()).split(" ", 2)
        headers = {}
        while line := await self._line():
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip().lower()
        return _Head(int(status), headers)

    async def _line(self) -> str:
        line = await self._reader.readline()
        if not line.endswith(b"\n"):
            raise EOFError("it was closed")
        return line.decode("latin-1").strip()

    async def _body(self, head: _Head) -> AsyncGenerator[bytes, None]:
        if head.headers.get("transfer-encoding") != "chunked":
            yield await self._reader.readexactly(_bounded(int(head.headers.get("content-length", "0"))))
            return
        while size := _bounded(int((await self._line()).partition(";")[0], 16)):
            yield await self._reader.readexactly(size)
            await self._line()
        while await self._line():
            pass


def _parse(body: bytes) -> Json:
    parsed = json.loads(body) if body.strip() else {}
    if not isinstance(parsed, dict):
        raise ValueError("the answer is no JSON object")
    return parsed


def _bounded(size: int) -> int:
    if not 0 <= size <= ANSWER_BYTES_MAX:
        raise ValueError(f"an answer of {size} bytes")
    return size


def _notice_silence(connected: socket.socket) -> None:
    """Let the kernel end a connection whose peer has disappeared."""
    options = (
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
        (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 3),
        (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1),
        (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
        (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 6_000),
    )
    for level, option, value in options:
        with suppress(OSError):
            connected.setsockopt(level, option, value)
