"""A connection to one broker without an event loop: pipelined requests, and responses in order.

A Spark task is a plain function in a worker process. Each response is received into a buffer of its own, in one copy.
"""

import socket
import time
from collections import deque
from typing import Any, Final, NamedTuple, Self, TypeVar

import numpy as np

from chronik import __version__
from chronik.client.errors import (
    BrokenAnswerError,
    ConnectionFailedError,
    RequestTimedOutError,
    UnsupportedByBrokerError,
)
from chronik.client.negotiation import Dialect, VersionRange
from chronik.client.settings import ClientSettings
from chronik.model.errors import ErrorCode
from chronik.protocol import apis, frames
from chronik.protocol.errors import ProtocolError
from chronik.protocol.generated.api_versions import ApiVersionsRequest, ApiVersionsResponse
from chronik.protocol.wire import Message

R = TypeVar("R", bound=Message)

_API_VERSIONS_VERSIONS: Final = (3, 0)
"""Version 3 for current brokers; a broker that does not know it supports version 0."""
_CORRELATION_ID_MAX: Final = 2**31 - 1


class _Asked(NamedTuple):
    correlation_id: int
    api: apis.Api
    version: int
    response: type[Message]


class BlockingConnection:
    """Made by :meth:`open`. Any error closes it, because the next bytes could not be trusted."""

    def __init__(self, host: str, port: int, settings: ClientSettings) -> None:
        self.where = f"{host}:{port}"
        self.round_trip_s = 0.0
        """The time of a small request."""
        self._settings = settings
        self._dialect = Dialect({})
        self._asked: deque[_Asked] = deque()
        self._next_id = 0
        timeout_s = settings.connect_timeout_ms / 1000
        try:
            self._socket = socket.create_connection((host, port), timeout=timeout_s)
        except OSError as error:
            raise ConnectionFailedError(f"{self.where}: {error.strerror or error}") from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.settimeout(settings.request_timeout_ms / 1000)

    @classmethod
    def open(cls, host: str, port: int, settings: ClientSettings) -> Self:
        """Connect, and negotiate versions."""
        connection = cls(host, port, settings)
        try:
            connection._ask_versions()
        except BaseException:
            connection.close()
            raise
        return connection

    @property
    def in_flight(self) -> int:
        """The number of requests without a response."""
        return len(self._asked)

    def version_of(self, request: type[Message], cap: int | None = None) -> int:
        """Return the highest common version of this request, at most ``cap``."""
        ours = VersionRange(request.versions[0], request.versions[-1])
        version = self._dialect.version_for(request.api_key, ours, cap)
        if version is None:
            raise UnsupportedByBrokerError(f"{self.where}: no common version of {request.__name__}")
        return version

    def call(self, request: Message, response: type[R], version: int | None = None) -> R:
        """Send a request and wait for its response; no other may be in flight."""
        self.send(request, response, version)
        answer = self.receive()
        assert isinstance(answer, response)
        return answer

    def send(self, request: Message, response: type[Message], version: int | None = None) -> None:
        """Send a request; responses come in the order of requests."""
        chosen = self.version_of(type(request)) if version is None else version
        api = apis.describe(type(request), response)
        self._next_id = 0 if self._next_id == _CORRELATION_ID_MAX else self._next_id + 1
        chunks = frames.encode_request(api, chosen, self._next_id, self._settings.client_id, request)
        try:
            self._socket.sendall(b"".join(chunks))
        except OSError as error:
            raise self._failed(error) from error
        self._asked.append(_Asked(self._next_id, api, chosen, response))

    def receive(self) -> Any:
        """Wait for the next response; its record batches are views of its own buffer."""
        asked = self._asked.popleft()
        try:
            frame = self._receive_frame()
            correlation_id, position = frames.decode_response_header(asked.api, asked.version, frame)
            if correlation_id != asked.correlation_id:
                raise ProtocolError(f"correlation id {correlation_id} instead of {asked.correlation_id}")
            return asked.response.decode(frame[position:], _version_of_answer(asked, frame[position:]))
        except OSError as error:
            raise self._failed(error) from error
        except ProtocolError as error:
            self.close()
            raise BrokenAnswerError(
                f"{self.where}: the response to {asked.api.name} v{asked.version}: {error}"
            ) from error

    def close(self) -> None:
        """Close the connection; a wait in another thread ends with an error."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._socket.close()

    def _ask_versions(self) -> None:
        for version in _API_VERSIONS_VERSIONS:
            began = time.monotonic()
            question = ApiVersionsRequest(client_software_name="chronik", client_software_version=__version__)
            answer = self.call(question, ApiVersionsResponse, version)
            self.round_trip_s = time.monotonic() - began
            if answer.error_code == ErrorCode.NONE:
                self._dialect = Dialect(
                    {k.api_key: VersionRange(k.min_version, k.max_version) for k in answer.api_keys}
                )
                return
        raise UnsupportedByBrokerError(f"{self.where}: ApiVersions: error code {answer.error_code}")

    def _receive_frame(self) -> memoryview:
        size = int.from_bytes(self._receive_exactly(4), "big", signed=True)
        if not 4 <= size <= self._settings.frame_bytes_max:
            raise ProtocolError(
                f"its size is {size} bytes, at most {self._settings.frame_bytes_max} are accepted "
                "(option kafka.receive.message.max.bytes); or the port serves TLS, or another protocol"
            )
        return self._receive_exactly(size)

    def _receive_exactly(self, size: int) -> memoryview:
        # Not a bytearray, which would be filled with zeros first.
        buffer = np.empty(size, np.uint8).data
        filled = 0
        while filled < size:
            received = self._socket.recv_into(buffer[filled:])
            if not received:
                raise ConnectionResetError("the broker closed the connection")
            filled += received
        return buffer

    def _failed(self, error: OSError) -> ConnectionFailedError | RequestTimedOutError:
        self.close()
        if isinstance(error, TimeoutError):
            return RequestTimedOutError(f"{self.where}: no response within {self._settings.request_timeout_ms} ms")
        return ConnectionFailedError(f"{self.where}: {error.strerror or error}")


def _version_of_answer(asked: _Asked, body: memoryview) -> int:
    """Return the version to decode: the response to an unsupported ApiVersions has version 0."""
    refused = int.from_bytes(body[:2], "big", signed=True) == ErrorCode.UNSUPPORTED_VERSION
    return 0 if asked.response is ApiVersionsResponse and refused else asked.version
