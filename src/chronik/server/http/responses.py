"""HTTP requests and responses as plain data, and JSON that is written piece by piece."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from chronik.server.status.pacing import Pace

Json = dict[str, Any]

JSON_TYPE: Final = "application/json"
LINES_TYPE: Final = "application/x-ndjson"
_PIECE_BYTES: Final = 32 * 1024
_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))
_FRESH: Final = (("Cache-Control", "no-store"),)


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request."""

    path: str
    """Percent-encoded, as it was sent: an encoded part may contain a slash."""
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response. A body that is computed while it is sent is an iterator."""

    status: int
    body: bytes | AsyncIterator[bytes]
    content_type: str = JSON_TYPE
    headers: tuple[tuple[str, str], ...] = _FRESH


Responder = Callable[[HttpRequest], Awaitable[HttpResponse]]


class HttpError(Exception):
    """A request with an error response: what is wrong, and what to do."""

    def __init__(self, status: HTTPStatus, error: str, what_to_do: str) -> None:
        super().__init__(error)
        self.status = status
        self.error = error
        self.what_to_do = what_to_do

    def response(self) -> HttpResponse:
        return error_response(self.status, self.error, self.what_to_do)


def error_response(
    status: HTTPStatus, error: str, what_to_do: str, headers: tuple[tuple[str, str], ...] = ()
) -> HttpResponse:
    """Return an error response, in the one form that all errors have."""
    return HttpResponse(status, encoded({"error": error, "what_to_do": what_to_do}), headers=(*_FRESH, *headers))


def encoded(value: object) -> bytes:
    return _ENCODER.encode(value).encode()


def json_response(document: Mapping[str, object], status: HTTPStatus = HTTPStatus.OK) -> HttpResponse:
    """Return a JSON document. Values that are iterators become lists, computed while they are sent."""
    if any(isinstance(value, Iterator) for value in document.values()):
        return HttpResponse(status, _document_in_pieces(document))
    return HttpResponse(status, encoded(document))


def lines_response(lines: Iterable[Mapping[str, object]]) -> HttpResponse:
    """Return one JSON object in each line, so that the client can parse them one by one."""
    return HttpResponse(HTTPStatus.OK, _in_pieces(encoded(line) + b"\n" for line in lines), LINES_TYPE)


def _document_in_pieces(document: Mapping[str, object]) -> AsyncIterator[bytes]:
    return _in_pieces(_document_parts(document))


def _document_parts(document: Mapping[str, object]) -> Iterator[bytes]:
    separator = b"{"
    for name, value in document.items():
        yield separator + encoded(name) + b":"
        if isinstance(value, Iterator):
            yield from _list_parts(value)
        else:
            yield encoded(value)
        separator = b","
    yield b"}"


def _list_parts(items: Iterator[object]) -> Iterator[bytes]:
    separator = b"["
    for item in items:
        yield separator + encoded(item)
        separator = b","
    yield b"]" if separator == b"," else b"[]"


async def _in_pieces(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Join small parts to pieces that are large enough to send."""
    pace = Pace()
    gathered: list[bytes] = []
    size = 0
    for part in parts:
        gathered.append(part)
        size += len(part)
        if size >= _PIECE_BYTES:
            yield b"".join(gathered)
            gathered, size = [], 0
        await pace.keep()
    yield b"".join(gathered)
