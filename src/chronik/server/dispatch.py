"""From a frame to its handler and back: the header, the one table of APIs, and what becomes of what has no answer."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Final

from chronik.metadata.store import StoreError
from chronik.protocol.apis import SERVED, Api, ApiKey, unsupported_api_versions_response
from chronik.protocol.errors import ProtocolError
from chronik.protocol.frames import decode_request_header, encode_response
from chronik.protocol.wire import Message
from chronik.server.connection import Answer, Connection, RefusedFrameError
from chronik.server.context import Reply, RequestContext, Services
from chronik.server.pending import CloseConnection, Outcome, Pending
from chronik.server.supervision import Supervisor
from chronik.server.writes import StagedWrites

log = logging.getLogger(__name__)

_NULL_OF_FOUR_BYTES: Final = bytes(4)
"""How librdkafka (its issue 5049) asks for all topics, where a flexible version has one byte; Kafka reads past it."""

_NO_TAGS: Final = bytes(1)
"""What librdkafka writes once too often at the end of AlterUserScramCredentials; Kafka leaves it unread."""

Handler = Callable[[Any, RequestContext, Services], Reply]


@dataclass(frozen=True, slots=True)
class _Route:
    api: Api
    handler: Handler


class Dispatcher:
    """Routes frames; it owns no state but counters and the requests that are under way."""

    def __init__(
        self, services: Services, handlers: Mapping[ApiKey, Handler], writes: StagedWrites, supervisor: Supervisor
    ) -> None:
        assert set(map(int, handlers)) == set(SERVED), "what the table serves has a handler, and the reverse"
        self._services = services
        self._writes = writes
        self._supervisor = supervisor
        self._routes = {int(key): _Route(SERVED[key], handler) for key, handler in handlers.items()}
        self.refused: Counter[tuple[int, int]] = Counter()

    def handle_frame(self, connection: Connection, frame: memoryview) -> None:
        """Handle one request of a connection."""
        try:
            api_key, version, correlation_id, client_id, body = decode_request_header(frame)
            route = self._routes.get(api_key)
            if route is None or not route.api.understands(version):
                self._refuse_version(connection, api_key, version, correlation_id)
                return
            request = _decode(route.api, version, frame[body:])
        except ProtocolError as error:
            raise RefusedFrameError(f"a malformed request: {error}") from error
        context = RequestContext(version, client_id, connection.listener, connection.peer, correlation_id)
        self._handle(connection, route, request, context, correlation_id)

    def _handle(
        self, connection: Connection, route: _Route, request: Message, context: RequestContext, correlation_id: int
    ) -> None:
        api, version = route.api, context.version
        try:
            reply = route.handler(request, context, self._services)
            if isinstance(reply, Message):
                connection.answer_now(encode_response(api, version, correlation_id, reply))
                return
        except CloseConnection as order:
            raise RefusedFrameError(str(order)) from order
        except AssertionError as broken:
            # A broken promise of our own code: going on could lose data.
            self._supervisor.fail(broken)
            raise
        except Exception as error:
            log.exception("%s version %d from %s failed", route.api.name, context.version, context.peer)
            raise RefusedFrameError(f"{route.api.name} failed: {error}") from error
        place = connection.promise(_Place(connection, api, version, correlation_id))
        if isinstance(reply, Pending):
            place.work = reply
            reply.bind(place)
        else:
            place.work = asyncio.create_task(self._work_out(place, reply))

    def _refuse_version(self, connection: Connection, api_key: int, version: int, correlation_id: int) -> None:
        self.refused[api_key, version] += 1
        if api_key == ApiKey.API_VERSIONS:
            api = SERVED[ApiKey.API_VERSIONS]
            connection.answer_now(encode_response(api, 0, correlation_id, unsupported_api_versions_response()))
            return
        name = ApiKey(api_key).name if api_key in ApiKey._value2member_map_ else "unknown"
        raise RefusedFrameError(f"API {api_key} ({name}) version {version} is not served")

    def end_of_read(self) -> None:
        """Write what the frames of this read event staged."""
        self._writes.write_all()

    async def _work_out(self, place: "_Place", work: Coroutine[Any, Any, Message]) -> None:
        try:
            place.deliver(await work)
        except AssertionError as broken:
            self._supervisor.fail(broken)
        except StoreError as error:
            # What was asked may or may not come to be, and most answers have no word for that.
            place.connection.close(f"{place.api.name} cannot be answered: {error}", level=logging.WARNING)
        except Exception as error:
            log.exception("%s version %d from %s failed", place.api.name, place.version, place.connection.peer)
            place.connection.close(f"{place.api.name} failed: {error}", level=logging.ERROR)


class _Place(Answer):
    """The place of an answer that comes later, and what it must be encoded as."""

    __slots__ = ("api", "correlation_id", "version", "work")

    def __init__(self, connection: Connection, api: Api, version: int, correlation_id: int) -> None:
        super().__init__(connection)
        self.api = api
        self.version = version
        self.correlation_id = correlation_id
        self.work: Pending | asyncio.Task[None] | None = None

    def deliver(self, outcome: Outcome) -> None:
        """Give the outcome to the connection, unless it has been closed."""
        self.work = None
        if self.connection.closed:
            return
        if isinstance(outcome, CloseConnection):
            self.connection.close(str(outcome), level=logging.WARNING)
            return
        try:
            chunks = [] if outcome is None else encode_response(self.api, self.version, self.correlation_id, outcome)
        except ProtocolError as error:
            reason = f"the answer to {self.api.name} version {self.version} cannot be written: {error}"
            self.connection.close(reason, level=logging.ERROR)
            return
        self.give(chunks)

    def drop(self) -> None:
        # Let go of, so that no cycle keeps the connection until the garbage collector comes by.
        work, self.work = self.work, None
        if isinstance(work, Pending):
            work.abandon()
        elif work is not None:
            work.cancel()


def _decode(api: Api, version: int, body: memoryview) -> Message:
    try:
        return api.request.decode(body, version)
    except ProtocolError:
        if api.key is ApiKey.METADATA and api.is_flexible(version) and body[:4] == _NULL_OF_FOUR_BYTES:
            return api.request.decode(body[3:], version)
        if api.key is ApiKey.ALTER_USER_SCRAM_CREDENTIALS and body[-1:] == _NO_TAGS:
            return api.request.decode(body[:-1], version)
        raise
