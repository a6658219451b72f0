"""From a frame to its handler and back: the request header, the table of APIs, and requests that get no response."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from time import monotonic_ns
from typing import Any, Final

from chronik.metadata.stores.port import StoreError
from chronik.model.errors import ErrorCode
from chronik.observability.logs import PER_REQUEST
from chronik.observability.metrics import UNKNOWN_API, BrokerMetrics
from chronik.observability.request_times import RequestTimes, Timing, note_sent
from chronik.observability.trace import Tracer
from chronik.observability.trace_events import NOBODY, RequestRefused
from chronik.protocol.apis import SERVED, Api, ApiKey, unsupported_api_versions_response
from chronik.protocol.constants import FETCH_FIRST_VERSION_WITH_REPLICA_STATE
from chronik.protocol.errors import ProtocolError
from chronik.protocol.frames import decode_request_header, encode_response
from chronik.protocol.wire import Message
from chronik.server.loop.supervision import Supervisor
from chronik.server.network.connection import KafkaConnection, RefusedFrameError, ResponseSlot
from chronik.server.network.pending_responses import CloseConnection, Outcome, Pending
from chronik.server.replicas.writes import StagedWrites
from chronik.server.requests.context import Reply, RequestContext, Services
from chronik.server.requests.error_codes import Walk, error_walk

log = logging.getLogger(__name__)

_FAILED: Final = "%s version %d from %s failed"

_NULL_OF_FOUR_BYTES: Final = bytes(4)
"""How librdkafka (its issue 5049) encodes "all topics", where a flexible version has one byte; Kafka accepts it."""

_NO_TAGS: Final = bytes(1)
"""The tag section that librdkafka writes twice at the end of AlterUserScramCredentials; Kafka ignores the second."""


Handler = Callable[[Any, RequestContext, Services], Reply]


@dataclass(frozen=True, slots=True)
class _Route:
    api: Api
    handler: Handler
    times: RequestTimes
    walk_errors: Walk | None
    refuse: Callable[[int], None]

    def count_errors(self, response: Message) -> None:
        """Count the error codes of a response."""
        if self.walk_errors is not None:
            self.walk_errors(response, self.refuse)


class Dispatcher:
    """Routes frames to handlers, and measures them. Its only state are the requests in progress."""

    def __init__(
        self,
        services: Services,
        handlers: Mapping[ApiKey, Handler],
        writes: StagedWrites,
        supervisor: Supervisor,
        metrics: BrokerMetrics,
    ) -> None:
        assert set(map(int, handlers)) == set(SERVED), "every API of the table has a handler, and every handler an API"
        self._services = services
        self._writes = writes
        self._supervisor = supervisor
        self._metrics = metrics
        self._routes = {int(key): _route(SERVED[key], handler, metrics) for key, handler in handlers.items()}
        self._follower_fetches = _follower_route(self._routes[ApiKey.FETCH], metrics)
        # When the previous frame of the same read event was finished; 0 before the first frame.
        self._free_at_ns = 0
        self._waiting: list[Timing] = []

    def handle_frame(self, connection: KafkaConnection, frame: memoryview) -> None:
        """Handle one request of a connection."""
        started_ns = self._free_at_ns or monotonic_ns()
        try:
            api_key, version, correlation_id, client_id, body = decode_request_header(frame)
            route = self._routes.get(api_key)
            if route is None or not route.api.understands(version):
                self._refuse_version(connection, api_key, version, correlation_id)
                return
            request = _decode(route.api, version, frame[body:])
        except ProtocolError as error:
            self._metrics.refuse(_name_of(frame), ErrorCode.INVALID_REQUEST.name)
            raise RefusedFrameError(f"a malformed request: {error}") from error
        context = RequestContext(version, client_id, connection.listener, connection.peer, correlation_id)
        if api_key == ApiKey.FETCH and _is_of_follower(request, version):
            route = self._follower_fetches
        timing = Timing(route.times, connection.received_ns, started_ns)
        self._handle(connection, route, request, context, correlation_id, timing)

    def _handle(
        self,
        connection: KafkaConnection,
        route: _Route,
        request: Message,
        context: RequestContext,
        correlation_id: int,
        timing: Timing,
    ) -> None:
        api, version = route.api, context.version
        try:
            reply = route.handler(request, context, self._services)
            if isinstance(reply, Message):
                chunks = encode_response(api, version, correlation_id, reply)
                route.count_errors(reply)
                if self._services.tracer.on_everywhere and (trace := self._refusal_trace(route, context)) is not None:
                    trace.emit(reply)
                timing.delivered_ns = self._free_at_ns = monotonic_ns()
                connection.respond(chunks, timing)
                return
        except CloseConnection as order:
            route.refuse(order.error)
            raise RefusedFrameError(str(order)) from order
        except AssertionError as broken:
            # A broken invariant of our own code: going on could lose data.
            self._supervisor.fail(broken)
            raise
        except Exception as error:
            log.exception(_FAILED, route.api.name, context.version, context.peer, extra=PER_REQUEST)
            raise RefusedFrameError(f"{route.api.name} failed: {error}") from error
        deferred = connection.reserve(_DeferredResponse(connection, route, version, correlation_id, timing))
        if self._services.tracer.on_everywhere:
            deferred.refusal_trace = self._refusal_trace(route, context)
        if isinstance(reply, Pending):
            deferred.work = reply
            reply.bind(deferred)
        else:
            deferred.work = asyncio.create_task(self._await_response(deferred, reply))
        self._free_at_ns = monotonic_ns()
        if not timing.delivered_ns:
            self._waiting.append(timing)

    def _refusal_trace(self, route: _Route, context: RequestContext) -> "_RefusalTrace | None":
        return _RefusalTrace.of(self._services.tracer, route.api, route.walk_errors, context)

    def _refuse_version(self, connection: KafkaConnection, api_key: int, version: int, correlation_id: int) -> None:
        name = ApiKey(api_key).name if api_key in ApiKey._value2member_map_ else "unknown"
        self._metrics.refuse(_api_name(api_key), ErrorCode.UNSUPPORTED_VERSION.name)
        if api_key == ApiKey.API_VERSIONS:
            api = SERVED[ApiKey.API_VERSIONS]
            connection.respond(encode_response(api, 0, correlation_id, unsupported_api_versions_response()))
            return
        raise RefusedFrameError(f"API {api_key} ({name}) version {version} is not served")

    def end_of_read(self) -> None:
        """Write the batches that the frames of this read event staged."""
        self._writes.write_all()
        self._free_at_ns = 0
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            now_ns = monotonic_ns()
            for timing in waiting:
                timing.local_end_ns = 0 if timing.delivered_ns else now_ns

    def responses_sent(self, timings: list[Timing]) -> None:
        """Record the times of requests whose responses have been sent."""
        note_sent(timings, monotonic_ns())

    async def _await_response(self, deferred: "_DeferredResponse", work: Coroutine[Any, Any, Message]) -> None:
        try:
            deferred.deliver(await work)
        except AssertionError as broken:
            self._supervisor.fail(broken)
        except StoreError as error:
            # The change may or may not have been stored, and most responses have no error code for that.
            self._metrics.refuse(deferred.api.name, ErrorCode.UNKNOWN_SERVER_ERROR.name)
            deferred.connection.close(f"{deferred.api.name} cannot be answered: {error}", level=logging.WARNING)
        except Exception as error:
            log.exception(_FAILED, deferred.api.name, deferred.version, deferred.connection.peer, extra=PER_REQUEST)
            deferred.connection.close(f"{deferred.api.name} failed: {error}", level=logging.ERROR)


class _DeferredResponse(ResponseSlot):
    """The slot of a response that comes later, with the version in which it is encoded."""

    __slots__ = ("_route", "_timing", "api", "correlation_id", "refusal_trace", "version", "work")

    def __init__(
        self, connection: KafkaConnection, route: _Route, version: int, correlation_id: int, timing: Timing
    ) -> None:
        super().__init__(connection, timing)
        self._route = route
        self._timing = timing
        self.api = route.api
        self.version = version
        self.correlation_id = correlation_id
        self.work: Pending | asyncio.Task[None] | None = None
        self.refusal_trace: _RefusalTrace | None = None
        """Set if this client is traced."""

    def deliver(self, outcome: Outcome) -> None:
        """Pass the outcome to the connection, unless it is closed."""
        self.work = None
        self._timing.delivered_ns = monotonic_ns()
        if self.connection.closed:
            return
        if isinstance(outcome, CloseConnection):
            self._route.refuse(outcome.error)
            self.connection.close(str(outcome), level=logging.WARNING)
            return
        try:
            chunks = [] if outcome is None else encode_response(self.api, self.version, self.correlation_id, outcome)
        except ProtocolError as error:
            reason = f"the response to {self.api.name} version {self.version} cannot be encoded: {error}"
            self.connection.close(reason, level=logging.ERROR)
            return
        if outcome is not None:
            self._route.count_errors(outcome)
            if self.refusal_trace is not None:
                self.refusal_trace.emit(outcome)
        self.fill(chunks)

    def drop(self) -> None:
        # The reference is dropped, so that no cycle keeps the connection until the garbage collector runs.
        work, self.work = self.work, None
        if isinstance(work, Pending):
            work.abandon()
        elif work is not None:
            work.cancel()


class _RefusalTrace:
    """Emits a trace event for every error in the response to one request. Produce and Fetch have traces of their own.

    Such a request belongs to no topic, so the broker's own trace rule decides whether it is traced.
    """

    __slots__ = ("_api", "_client", "_tracer", "_walk")

    def __init__(self, tracer: Tracer, api: Api, walk: Walk, client: tuple[str | None, int]) -> None:
        self._tracer = tracer
        self._api = api
        self._walk = walk
        self._client = client

    @classmethod
    def of(cls, tracer: Tracer, api: Api, walk: Walk | None, context: RequestContext) -> "_RefusalTrace | None":
        """Return the trace of a request, or None if its response has no errors or its client is not traced."""
        if walk is None or api.key is ApiKey.PRODUCE or not tracer.broker_rule.covers(context.client_id):
            return None
        return cls(tracer, api, walk, (context.client_id, context.correlation_id))

    def emit(self, response: Message) -> None:
        """Emit every error in the response. Of a fetch only the top-level error: the fetch traces its partitions."""
        if self._api.key is ApiKey.FETCH:
            if code := getattr(response, "error_code", 0):
                self._emit_one(code)
        else:
            self._walk(response, self._emit_one)

    def _emit_one(self, code: int) -> None:
        error = _error_name(code)
        self._tracer.emit(RequestRefused, None, None, *self._client, self._api.name, error, NOBODY, None)


def _route(api: Api, handler: Handler, metrics: BrokerMetrics) -> _Route:
    refuse = metrics.refuser(api.name, _error_name)
    return _Route(api, handler, metrics.requests[api.key], error_walk(api.response), refuse)


def _follower_route(fetch: _Route, metrics: BrokerMetrics) -> _Route:
    times = metrics.follower_fetches
    return replace(fetch, times=times, refuse=metrics.refuser(times.name, _error_name))


def _error_name(code: int) -> str:
    return ErrorCode(code).name if code in ErrorCode._value2member_map_ else str(code)


def _api_name(api_key: int) -> str:
    return SERVED[api_key].name if api_key in SERVED else UNKNOWN_API


def _name_of(frame: memoryview) -> str:
    return _api_name(int.from_bytes(frame[:2], "big")) if len(frame) >= 2 else UNKNOWN_API


def _is_of_follower(request: Any, version: int) -> bool:
    if version < FETCH_FIRST_VERSION_WITH_REPLICA_STATE:
        return bool(request.replica_id >= 0)
    return request.replica_state is not None and bool(request.replica_state.replica_id >= 0)


def _decode(api: Api, version: int, body: memoryview) -> Message:
    try:
        return api.request.decode(body, version)
    except ProtocolError:
        if api.key is ApiKey.METADATA and api.is_flexible(version) and body[:4] == _NULL_OF_FOUR_BYTES:
            return api.request.decode(body[3:], version)
        if api.key is ApiKey.ALTER_USER_SCRAM_CREDENTIALS and body[-1:] == _NO_TAGS:
            return api.request.decode(body[:-1], version)
        raise
