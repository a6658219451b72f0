"""Requests to the HTTP servers of other brokers, limited in time and size. Long responses are read line by line."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import h11

from chronik.model.limits import HTTP_PEER_BYTES_MAX, HTTP_PEER_S_MAX
from chronik.server.settings.listeners import parse_address
from chronik.server.status.pacing import Pace

Json = dict[str, Any]
_READ_BYTES: Final = 64 * 1024


class PeerError(Exception):
    """Another broker did not answer, or not as expected; the message says how."""


@dataclass(frozen=True, slots=True)
class PeerAnswer:
    """The response of another broker, unparsed."""

    status: int
    content_type: str
    body: bytes


async def ask(address: str, target: str, seconds_max: float = HTTP_PEER_S_MAX) -> PeerAnswer:
    """Get ``target`` from the broker at ``address``; raise PeerError if no complete response comes in time."""
    taken: list[bytes] = []
    try:
        async with asyncio.timeout(seconds_max):
            head = await _exchange(address, target, taken.append)
    except TimeoutError:
        raise PeerError(f"no answer from {address} within {seconds_max:g} s") from None
    except (OSError, ValueError, h11.ProtocolError) as error:
        raise PeerError(f"no answer from {address}: {error or type(error).__name__}") from error
    return PeerAnswer(head.status_code, _content_type(head), b"".join(taken))


async def ask_lines(address: str, target: str, seconds_max: float = HTTP_PEER_S_MAX) -> list[Json]:
    """Get a response with one JSON object in each line, parsed in slices."""
    answer = await ask(address, target, seconds_max)
    if answer.status != HTTPStatus.OK:
        raise PeerError(f"{address} answered with status {answer.status}")
    pace = Pace()
    documents: list[Json] = []
    for line in answer.body.split(b"\n"):
        if line:
            documents.append(_parsed(line, address))
        await pace.keep()
    return documents


def _parsed(line: bytes, address: str) -> Json:
    try:
        document = json.loads(line)
    except ValueError as error:
        raise PeerError(f"{address} answered with invalid JSON: {error}") from error
    if not isinstance(document, dict):
        raise PeerError(f"{address} answered with JSON that is not an object")
    return document


async def _exchange(address: str, target: str, take: Callable[[bytes], None]) -> h11.Response:
    where = parse_address(address)
    reader, writer = await asyncio.open_connection(where.host, where.port)
    try:
        protocol = h11.Connection(h11.CLIENT)
        headers = [("Host", address), ("Connection", "close")]
        writer.write(protocol.send(h11.Request(method="GET", target=target, headers=headers)) or b"")
        writer.write(protocol.send(h11.EndOfMessage()) or b"")
        await writer.drain()
        return await _receive(protocol, reader, take)
    finally:
        writer.close()


async def _receive(
    protocol: h11.Connection, reader: asyncio.StreamReader, take: Callable[[bytes], None]
) -> h11.Response:
    head: h11.Response | None = None
    left = HTTP_PEER_BYTES_MAX
    while True:
        event = protocol.next_event()
        if event is h11.NEED_DATA:
            protocol.receive_data(await reader.read(_READ_BYTES))
        elif isinstance(event, h11.Response):
            head = event
        elif isinstance(event, h11.Data):
            left -= len(event.data)
            if left < 0:
                raise ValueError(f"more than {HTTP_PEER_BYTES_MAX} bytes")
            take(bytes(event.data))
        elif isinstance(event, h11.EndOfMessage) and head is not None:
            return head
        else:
            raise ConnectionResetError("the connection was closed")


def _content_type(head: h11.Response) -> str:
    return next((value.decode("latin-1") for name, value in head.headers if name == b"content-type"), "")
