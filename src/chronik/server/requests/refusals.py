"""Trace events of errors in responses. Produce and Fetch have their own.

Such a request belongs to no topic, so the broker's own trace rule decides whether it is traced.
"""

from chronik.model.errors import ErrorCode
from chronik.observability.trace import Tracer
from chronik.observability.trace_events import NOBODY, RequestRefused
from chronik.protocol.apis import Api, ApiKey
from chronik.protocol.wire import Message
from chronik.server.requests.context import RequestContext
from chronik.server.requests.error_codes import Walk


class RefusalTrace:
    """Emits an event for every error in the response to one request."""

    __slots__ = ("_api", "_client", "_tracer", "_walk")

    def __init__(self, tracer: Tracer, api: Api, walk: Walk, client: tuple[str | None, int]) -> None:
        self._tracer = tracer
        self._api = api
        self._walk = walk
        self._client = client

    @classmethod
    def of(cls, tracer: Tracer, api: Api, walk: Walk | None, context: RequestContext) -> "RefusalTrace | None":
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
        error = ErrorCode(code).name if code in ErrorCode._value2member_map_ else str(code)
        self._tracer.emit(RequestRefused, None, None, *self._client, self._api.name, error, NOBODY, None)
