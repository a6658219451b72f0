"""Frames: size, header and body, as chunks to write or as views of received bytes."""

from struct import Struct as Packing
from typing import Final, NamedTuple

from chronik.protocol.apis import SERVED, Api, request_header_version, response_header_version
from chronik.protocol.errors import ProtocolError
from chronik.protocol.wire import Chunk, Message, skip_tags

SIZE_BYTES: Final = 4
_HEADER: Final = Packing(">hhih")
_SIZE: Final = Packing(">i")
_ANSWER: Final = Packing(">ii")
_ANSWER_FLEXIBLE: Final = Packing(">iix")
_SIZE_MAX: Final = 0x7FFF_FFFF
_NEVER: Final = (1, 0)
# The versions of each API whose request header carries tagged fields.
_FLEXIBLE: Final = {
    key: _NEVER if api.first_flexible is None else (api.first_flexible, api.version_max) for key, api in SERVED.items()
}


class RequestHeader(NamedTuple):
    """The header of a request; the body begins at ``body_position`` of the frame."""

    api_key: int
    version: int
    correlation_id: int
    client_id: str | None
    body_position: int


def decode_request_header(view: memoryview) -> RequestHeader:
    """Decode the header of a request frame (without its size).

    For an API or version that is not served it is decoded up to the client id only: the format of the rest is unknown.
    """
    try:
        return _read_header(view)
    except (IndexError, ValueError) as error:
        raise ProtocolError(f"malformed request header: {error}") from error


def _read_header(view: memoryview) -> RequestHeader:
    size = len(view)
    if size < _HEADER.size:
        raise ProtocolError(f"a frame of {size} bytes is too short for a request header")
    api_key, version, correlation_id, length = _HEADER.unpack_from(view, 0)
    position = 10
    client_id = None
    if length >= 0:
        position += length
        if position > size:
            raise ProtocolError("the client id is longer than what is left of the frame")
        client_id = str(view[10:position], "utf-8")
    first_flexible, last = _FLEXIBLE.get(api_key, _NEVER)
    if first_flexible <= version <= last:
        tags = view[position]
        position += 1
        if tags:
            position = skip_tags(view, position, tags, size)
    return RequestHeader(api_key, version, correlation_id, client_id, position)


def encode_request(api: Api, version: int, correlation_id: int, client_id: str | None, request: Message) -> list[Chunk]:
    """Encode a whole request frame, its size first."""
    name = b"" if client_id is None else client_id.encode()
    head = _HEADER.pack(api.key, version, correlation_id, -1 if client_id is None else len(name)) + name
    if request_header_version(api, version) == 2:
        head += b"\0"
    body = request.encode(version)
    body[0] = _SIZE.pack(_checked(len(head) + sum(map(len, body)))) + head + body[0]
    return body


def encode_response(api: Api, version: int, correlation_id: int, response: Message) -> list[Chunk]:
    """Encode a whole response frame, its size first; the first chunk has everything before the first record batch."""
    body = response.encode(version)
    size = 4 + (len(body[0]) if len(body) == 1 else sum(map(len, body)))
    if version >= api.first_tagged_answer:
        head = _ANSWER_FLEXIBLE.pack(_checked(size + 1), correlation_id)
    else:
        head = _ANSWER.pack(_checked(size), correlation_id)
    body[0] = head + body[0]
    return body


def decode_response_header(api: Api, version: int, view: memoryview) -> tuple[int, int]:
    """Return the correlation id of a response frame (without its size), and where its body begins."""
    if len(view) < 4:
        raise ProtocolError(f"a frame of {len(view)} bytes is too short for a response header")
    correlation_id: int = _SIZE.unpack_from(view, 0)[0]
    if not response_header_version(api, version):
        return correlation_id, 4
    try:
        return correlation_id, skip_tags(view, 5, view[4], len(view))
    except IndexError as error:
        raise ProtocolError("malformed response header") from error


def _checked(size: int) -> int:
    if size > _SIZE_MAX:
        raise ProtocolError(f"a frame of {size} bytes is too long")
    return size
