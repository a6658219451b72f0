"""Requests and answers of the HTTP side as plain data, and JSON that is written piece by piece."""

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
class Request:
    """What is asked for."""

    path: str
    """As it was sent: what is quoted in it may hold any character, also the one that divides it."""
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered; a body that is made while it is sent is given as an iterator."""

    status: int
    body: bytes | AsyncIterator[bytes]
    content_type: str = JSON_TYPE
    headers: tuple[tuple[str, str], ...] = _FRESH


Responder = Callable[[Request], Awaitable[Answer]]


class RefusedError(Exception):
    """A request that cannot be answered as it was asked: what is wrong, and what to do."""

    def __init__(self, status: HTTPStatus, error: str, what_to_do: str) -> None:
        super().__init__(error)
        self.status = status
        self.error = error
        self.what_to_do = what_to_do

    def answer(self) -> Answer:
        return error_answer(self.status, self.error, self.what_to_do)


def error_answer(status: HTTPStatus, error: str, what_to_do: str, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    """Say what is wrong, in the one form that all errors have."""
    return Answer(status, encoded({"error": error, "what_to_do": what_to_do}), headers=(*_FRESH, *headers))


def encoded(value: object) -> bytes:
    return _ENCODER.encode(value).encode()


def json_answer(document: Mapping[str, object], status: HTTPStatus = HTTPStatus.OK) -> Answer:
    """Answer with a document. Values that are iterators become lists, made while they are sent."""
    if any(isinstance(value, Iterator) for value in document.values()):
        return Answer(status, _document_in_pieces(document))
    return Answer(status, encoded(document))


def lines_answer(lines: Iterable[Mapping[str, object]]) -> Answer:
    """Answer with one JSON object in each line, so that the reader can take them one by one."""
    return Answer(HTTPStatus.OK, _in_pieces(encoded(line) + b"\n" for line in lines), LINES_TYPE)


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
    """Join small parts to pieces that are worth a send."""
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
