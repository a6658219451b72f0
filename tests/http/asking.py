"""Asking an HTTP server as clients do: politely with the standard library, or byte by byte over a socket."""

import http.client
import json
import select
import socket
from typing import Any, NamedTuple

SECONDS_MAX = 30.0


class Told(NamedTuple):
    """An answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)


def get(address: str, target: str, method: str = "GET", headers: dict[str, str] | None = None) -> Told:
    """Ask once, on a connection of its own."""
    connection = http.client.HTTPConnection(address, timeout=SECONDS_MAX)
    try:
        connection.request(method, target, headers=headers or {})
        answer = connection.getresponse()
        return Told(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    finally:
        connection.close()


def document(address: str, target: str) -> Any:
    """Ask for something that is there."""
    told = get(address, target)
    assert told.status == 200, told
    return told.document


class RawConnection:
    """A socket that sends what it is told, right or wrong."""

    def __init__(self, address: str, receive_bytes: int | None = None) -> None:
        host, _, port = address.rpartition(":")
        self.socket = socket.socket()
        self.socket.settimeout(SECONDS_MAX)
        if receive_bytes is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.connect((host, int(port)))

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def is_told(self, seconds_max: float) -> bool:
        """Wait until there is something to read."""
        return bool(select.select([self.socket], [], [], seconds_max)[0])

    def answers(self, count: int, method: str = "GET") -> list[Told]:
        """Read so many answers, one after the other."""
        with self.socket.makefile("rb") as file:
            return [_answer(file, method) for _ in range(count)]

    def read_to_end(self) -> bytes:
        """Read until the other side closes; a reset counts as that."""
        taken = []
        try:
            while some := self.socket.recv(65_536):
                taken.append(some)
        except ConnectionError:
            pass
        return b"".join(taken)

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> "RawConnection":
        return self

    def __exit__(self, *why: object) -> None:
        self.close()


def _answer(file: Any, method: str) -> Told:
    answer = http.client.HTTPResponse(_Reading(file), method=method)  # type: ignore[arg-type]
    answer.begin()
    headers = {name.lower(): value for name, value in answer.getheaders()}
    return Told(answer.status, headers, answer.read())


class _Reading:
    """What the standard library takes for a socket."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def makefile(self, mode: str) -> Any:
        return _Shared(self._file)


class _Shared:
    """A file that several answers are read from, so that the first does not close it."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def close(self) -> None:
        """Stay open for the next answer."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
