"""One client's connection through the proxy: requests to the broker behind it, answers back in their order.

Known messages are decoded, may be changed, and are encoded again; everything else passes as bytes.
"""

import asyncio
import contextlib
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Final

from chronik.protocol.apis import SERVED, Api, ApiKey, unsupported_api_versions_response
from chronik.protocol.errors import ProtocolError
from chronik.protocol.frames import (
    SIZE_BYTES,
    RequestHeader,
    decode_request_header,
    decode_response_header,
    encode_request,
    encode_response,
)
from chronik.protocol.generated.api_versions import ApiVersionsResponse
from chronik.protocol.generated.fetch import FetchRequest
from chronik.protocol.generated.produce import ProduceResponse, TopicProduceResponse
from chronik.protocol.wire import Chunk, Message
from chronik.proxy.addresses import Place, rewrite, without_session
from chronik.proxy.exchange import FOR_EVER_S, Fault, ProxiedExchange, SeenTopics, note_answer
from chronik.proxy.tap import ANSWER, CONNECTED, DISCONNECTED, REQUEST, Tap, connection_row, rows

_FRAME_BYTES_MAX: Final = 256 * 1024 * 1024
# Responses that are encoded again: they name brokers, offer versions, or carry what faults change.
_REWRITTEN: Final = frozenset(
    {
        ApiKey.PRODUCE,
        ApiKey.FETCH,
        ApiKey.LIST_OFFSETS,
        ApiKey.METADATA,
        ApiKey.FIND_COORDINATOR,
        ApiKey.API_VERSIONS,
        ApiKey.DESCRIBE_CLUSTER,
    }
)
# Responses that are decoded for the tap, and passed on unchanged.
_READ: Final = _REWRITTEN | {
    ApiKey.OFFSET_COMMIT,
    ApiKey.OFFSET_FETCH,
    ApiKey.OFFSET_FOR_LEADER_EPOCH,
    ApiKey.DELETE_RECORDS,
    ApiKey.JOIN_GROUP,
    ApiKey.SYNC_GROUP,
    ApiKey.HEARTBEAT,
    ApiKey.LEAVE_GROUP,
    ApiKey.INIT_PRODUCER_ID,
}


@dataclass(frozen=True, slots=True)
class Passage:
    """What all connections of a proxy share."""

    seen: SeenTopics
    faults: Sequence[Fault]
    tap: Tap | None
    place: Place


class BrokenLinkError(Exception):
    """One of the two ends is gone, or sent what is no frame."""


class Link:
    """A connection; :meth:`run` carries it until one of its ends closes."""

    def __init__(
        self, number: int, node: int, passage: Passage, near: asyncio.StreamReader, back: asyncio.StreamWriter
    ) -> None:
        self._number = number
        self._node = node
        self._passage = passage
        self._near, self._back = near, back
        self._waiting: asyncio.Queue[ProxiedExchange] = asyncio.Queue()

    async def run(self, host: str, port: int) -> None:
        """Connect to the broker and carry both directions."""
        self._tell(CONNECTED)
        try:
            far, onward = await asyncio.open_connection(host, port)
        except OSError:
            self._back.close()
            self._tell(DISCONNECTED)
            return
        try:
            await _first_to_end(self._carry_requests(onward), self._carry_answers(far))
        finally:
            onward.close()
            self._back.close()
            self._tell(DISCONNECTED)

    async def _carry_requests(self, onward: asyncio.StreamWriter) -> None:
        while True:
            exchange = self._understood(await _read_frame(self._near))
            self._record(exchange, REQUEST, exchange.request, len(exchange.frame))
            if exchange.request is not None:
                for fault in self._passage.faults:
                    fault.on_request(exchange)
            if not exchange.is_local:
                for _ in range(exchange.copies):
                    onward.writelines(_request_chunks(exchange))
                await onward.drain()
            if exchange.is_answered:
                self._waiting.put_nowait(exchange)

    def _understood(self, frame: bytes) -> ProxiedExchange:
        view = memoryview(frame)
        try:
            header = decode_request_header(view)
        except ProtocolError as error:
            raise BrokenLinkError(str(error)) from error
        api = SERVED.get(header.api_key)
        exchange = ProxiedExchange(self._number, self._node, header, api, frame, self._passage.seen)
        if api is None or header.api_key not in _READ:
            return exchange
        if not api.understands(header.version):
            exchange.api = None
            exchange.is_local = header.api_key == ApiKey.API_VERSIONS
            return exchange
        _read_request(exchange, api, view[header.body_position :])
        return exchange

    async def _carry_answers(self, far: asyncio.StreamReader) -> None:
        while True:
            exchange = await self._waiting.get()
            chunks, answer = await self._answer(exchange, far)
            if exchange.wait_s:
                await _wait(exchange.wait_s)
            if exchange.is_disconnected:
                raise BrokenLinkError("cut before the answer, on purpose")
            # Only now does the client get it: what is held back has not been answered.
            self._record(exchange, ANSWER, answer, sum(map(len, chunks)) - SIZE_BYTES)
            self._back.writelines(chunks)
            await self._back.drain()

    async def _answer(self, exchange: ProxiedExchange, far: asyncio.StreamReader) -> tuple[list[Chunk], Message | None]:
        """Return the frame for the client, and the decoded response if it is understood."""
        if exchange.api is None:
            return await _unread_answer(exchange, far), None
        api, header = exchange.api, exchange.header
        if exchange.is_local:
            return self._rewritten(exchange, api, ProduceResponse())
        frame = await _read_frame(far)
        for _ in range(exchange.copies - 1):
            await _read_frame(far)
        answer = None if exchange.request is None else _read_answer(api, header, frame)
        if answer is None or header.api_key not in _REWRITTEN:
            return [_size_of(frame), frame], answer
        note_answer(exchange, answer)
        return self._rewritten(exchange, api, answer)

    def _rewritten(self, exchange: ProxiedExchange, api: Api, answer: Message) -> tuple[list[Chunk], Message]:
        _give_back_taken(exchange, answer)
        for fault in self._passage.faults:
            fault.on_answer(exchange, answer)
        rewrite(answer, self._passage.place)
        version = 0 if _is_refusal_of_version(answer) else exchange.header.version
        return encode_response(api, version, exchange.header.correlation_id, answer), answer

    def _record(self, exchange: ProxiedExchange, direction: str, message: Message | None, size: int) -> None:
        tap = self._passage.tap
        if tap is not None:
            for row in rows(exchange, direction, message, size):
                tap.add(row)

    def _tell(self, name: str) -> None:
        if self._passage.tap is not None:
            self._passage.tap.add(connection_row(self._number, self._node, name))


async def _unread_answer(exchange: ProxiedExchange, far: asyncio.StreamReader) -> list[Chunk]:
    """Answer what is not understood: with the broker's bytes, or by saying which versions are."""
    header = exchange.header
    if exchange.is_local:
        refusal = unsupported_api_versions_response()
        return encode_response(SERVED[header.api_key], 0, header.correlation_id, refusal)
    frame = await _read_frame(far)
    return [_size_of(frame), frame]


def _read_request(exchange: ProxiedExchange, api: Api, body: memoryview) -> None:
    try:
        exchange.request = api.request.decode(body, exchange.header.version)
    except ProtocolError:
        # The broker is to refuse what is malformed, in its own way.
        exchange.api = None
        return
    if isinstance(exchange.request, FetchRequest):
        without_session(exchange.request)
        exchange.is_changed = True


def _request_chunks(exchange: ProxiedExchange) -> list[Chunk]:
    if exchange.is_changed and exchange.api is not None and exchange.request is not None:
        header = exchange.header
        return encode_request(exchange.api, header.version, header.correlation_id, header.client_id, exchange.request)
    return [_size_of(exchange.frame), exchange.frame]


def _read_answer(api: Api, header: RequestHeader, frame: bytes) -> Message:
    view = memoryview(frame)
    try:
        _, position = decode_response_header(api, header.version, view)
        body = view[position:]
        version = 0 if api.key == ApiKey.API_VERSIONS and _says_unsupported(body) else header.version
        return api.response.decode(body, version)
    except ProtocolError as error:
        raise BrokenLinkError(str(error)) from error


def _says_unsupported(body: memoryview) -> bool:
    return bytes(body[:2]) == b"\x00\x23"


def _is_refusal_of_version(answer: Message) -> bool:
    return isinstance(answer, ApiVersionsResponse) and answer.error_code == 0x23


def _give_back_taken(exchange: ProxiedExchange, answer: Message) -> None:
    """Put the answers for what was kept from the broker beside those for what was not."""
    if not isinstance(answer, ProduceResponse):
        return
    topics = {(topic.name, topic.topic_id): topic for topic in answer.responses}
    for taken in exchange.taken:
        topic = topics.get((taken.name, taken.topic_id))
        if topic is None:
            topic = TopicProduceResponse(name=taken.name, topic_id=taken.topic_id)
            topics[taken.name, taken.topic_id] = topic
            answer.responses.append(topic)
        topic.partition_responses.append(taken.answer())


async def _wait(seconds: float) -> None:
    if seconds == FOR_EVER_S:
        await asyncio.Event().wait()
    await asyncio.sleep(seconds)


async def _read_frame(reader: asyncio.StreamReader) -> bytes:
    try:
        size = int.from_bytes(await reader.readexactly(SIZE_BYTES), "big", signed=True)
        if not 0 <= size <= _FRAME_BYTES_MAX:
            raise BrokenLinkError(f"a frame of {size} bytes")
        return await reader.readexactly(size)
    except (asyncio.IncompleteReadError, OSError) as error:
        raise BrokenLinkError(str(error)) from error


def _size_of(frame: bytes) -> bytes:
    return len(frame).to_bytes(SIZE_BYTES, "big")


async def _first_to_end(*works: Coroutine[Any, Any, None]) -> None:
    """Run all until one ends, then end the others; a broken link is an end like any other."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        if not task.cancelled():
            with contextlib.suppress(BrokenLinkError, OSError):
                task.result()
