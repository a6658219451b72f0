"""From a frame to its handler and back: the header, the one table of APIs, and what becomes of what has no answer."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

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
        self._pending: dict[Connection, set[Pending]] = {}
        self._tasks: dict[Connection, set[asyncio.Task[None]]] = {}
        self.refused: Counter[tuple[int, int]] = Counter()

    def handle_frame(self, connection: Connection, frame: memoryview) -> None:
        """Handle one request of a connection."""
        try:
            api_key, version, correlation_id, client_id, body = decode_request_header(frame)
            route = self._routes.get(api_key)
            if route is None or not route.api.understands(version):
                self._refuse_version(connection, api_key, version, correlation_id)
                return
            request = route.api.request.decode(frame[body:], version)
        except ProtocolError as error:
            raise RefusedFrameError(f"a malformed request: {error}") from error
        context = RequestContext(version, client_id, connection.listener, connection.peer)
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
        if isinstance(reply, Pending):
            self._park(connection, reply, api, version, correlation_id)
        elif reply is not None:
            self._spawn(connection, reply, api, version, correlation_id)

    def _refuse_version(self, connection: Connection, api_key: int, version: int, correlation_id: int) -> None:
        self.refused[api_key, version] += 1
        if api_key == ApiKey.API_VERSIONS:
            api = SERVED[ApiKey.API_VERSIONS]
            connection.answer_now(encode_response(api, 0, correlation_id, unsupported_api_versions_response()))
            return
        name = ApiKey(api_key).name if api_key in ApiKey._value2member_map_ else "unknown"
        raise RefusedFrameError(f"API {api_key} ({name}) version {version} is not served")

    # --- answers that come later

    def _park(self, connection: Connection, pending: Pending, api: Api, version: int, correlation_id: int) -> None:
        answer = connection.promise()
        waiting = self._pending.setdefault(connection, set())
        waiting.add(pending)

        def deliver(outcome: Outcome) -> None:
            waiting.discard(pending)
            if connection.closed:
                return
            if isinstance(outcome, CloseConnection):
                connection.close(str(outcome), level=logging.WARNING)
            else:
                self._give(connection, answer, api, version, correlation_id, outcome)

        pending.bind(deliver)

    def _give(
        self,
        connection: Connection,
        answer: Answer,
        api: Api,
        version: int,
        correlation_id: int,
        response: Message | None,
    ) -> None:
        try:
            answer.give([] if response is None else encode_response(api, version, correlation_id, response))
        except ProtocolError as error:
            connection.close(
                f"the answer to {api.name} version {version} cannot be written: {error}", level=logging.ERROR
            )

    def _spawn(
        self,
        connection: Connection,
        work: Coroutine[Any, Any, Message],
        api: Api,
        version: int,
        correlation_id: int,
    ) -> None:
        answer = connection.promise()
        task = asyncio.create_task(self._answer(connection, answer, work, api, version, correlation_id))
        tasks = self._tasks.setdefault(connection, set())
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def _answer(
        self,
        connection: Connection,
        answer: Answer,
        work: Coroutine[Any, Any, Message],
        api: Api,
        version: int,
        correlation_id: int,
    ) -> None:
        try:
            response = await work
            if not connection.closed:
                self._give(connection, answer, api, version, correlation_id, response)
        except AssertionError as broken:
            self._supervisor.fail(broken)
        except Exception as error:
            log.exception("%s version %d from %s failed", api.name, version, connection.peer)
            connection.close(f"{api.name} failed: {error}", level=logging.ERROR)

    def end_of_read(self) -> None:
        """Write what the frames of this read event staged."""
        self._writes.write_all()

    def forget(self, connection: Connection) -> None:
        """Let go of what a closed connection waited for."""
        for pending in self._pending.pop(connection, ()):
            pending.abandon()
        for task in self._tasks.pop(connection, ()):
            task.cancel()
