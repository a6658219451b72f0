"""Refusals of requests other than Produce and Fetch, which tell their own: the API and the error, as the client hears.

They belong to no topic, so it is the broker's own rule that says whether they are told.
"""

from chronik.model.errors import ErrorCode
from chronik.observability.trace import Tracer
from chronik.observability.trace_events import NOBODY, RequestRefused
from chronik.protocol.apis import Api, ApiKey
from chronik.protocol.wire import Message
from chronik.server.requests.context import RequestContext
from chronik.server.requests.error_codes import Walk


class RefusalTrace:
    """Tells what the answer to one request refuses."""

    __slots__ = ("_api", "_client", "_tracer", "_walk")

    def __init__(self, tracer: Tracer, api: Api, walk: Walk, client: tuple[str | None, int]) -> None:
        self._tracer = tracer
        self._api = api
        self._walk = walk
        self._client = client

    @classmethod
    def of(cls, tracer: Tracer, api: Api, walk: Walk | None, context: RequestContext) -> "RefusalTrace | None":
        """Follow a request, if it can be refused and its client is followed."""
        if walk is None or api.key is ApiKey.PRODUCE or not tracer.broker_rule.covers(context.client_id):
            return None
        return cls(tracer, api, walk, (context.client_id, context.correlation_id))

    def tell(self, answer: Message) -> None:
        """Tell every error in the answer; of a fetch that of the whole request, since its partitions tell theirs."""
        if self._api.key is ApiKey.FETCH:
            if code := getattr(answer, "error_code", 0):
                self._tell_one(code)
        else:
            self._walk(answer, self._tell_one)

    def _tell_one(self, code: int) -> None:
        error = ErrorCode(code).name if code in ErrorCode._value2member_map_ else str(code)
        self._tracer.emit(RequestRefused, None, None, *self._client, self._api.name, error, NOBODY, None)
