"""FindCoordinator: the broker that coordinates a group; there are no transactions yet.

The first one to ask for a group has ``__consumer_offsets`` made, and is answered when it can be used. A transactional
producer must hear at once, by an error that no client retries, that there is no coordinator for it.
"""

from collections.abc import Coroutine, Sequence
from typing import Any, Final

from chronik.metadata.stores.plan import Refusal
from chronik.model.errors import ErrorCode
from chronik.protocol.constants import FIND_COORDINATOR_FIRST_VERSION_WITH_KEYS
from chronik.protocol.generated.find_coordinator import Coordinator, FindCoordinatorRequest, FindCoordinatorResponse
from chronik.server.groups.placement import coordinator_of, leader_of, offsets_topic_in
from chronik.server.requests.context import RequestContext, Services
from chronik.server.requests.offsets_topic import ensure_offsets_topic

GROUP: Final = 0
TRANSACTION: Final = 1

_NO_TRANSACTIONS: Final = Refusal(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "transactions are not supported by this broker yet"
)
_UNKNOWN_KIND: Final = Refusal(ErrorCode.INVALID_REQUEST, "this broker coordinates consumer groups only")


def handle(
    request: FindCoordinatorRequest, context: RequestContext, services: Services
) -> FindCoordinatorResponse | Coroutine[Any, Any, FindCoordinatorResponse]:
    """Name the coordinators, at once where the offsets' topic is there."""
    keys = [request.key] if context.version < FIND_COORDINATOR_FIRST_VERSION_WITH_KEYS else request.coordinator_keys
    if request.key_type != GROUP:
        return _response([_refused(key, _why_not_kind(request, context, services)) for key in keys], context)
    if offsets_topic_in(services.catalog.image) is None or any(_is_being_opened(key, services) for key in keys):
        return _create_then_answer(keys, context, services)
    return _response([_find(key, context, services) for key in keys], context)


def _why_not_kind(request: FindCoordinatorRequest, context: RequestContext, services: Services) -> Refusal:
    if request.key_type != TRANSACTION:
        return _UNKNOWN_KIND
    services.notices.warn_once(f"client {context.client_id!r} asks for a coordinator: {_NO_TRANSACTIONS.message}")
    return _NO_TRANSACTIONS


async def _create_then_answer(
    keys: Sequence[str], context: RequestContext, services: Services
) -> FindCoordinatorResponse:
    refusal = await ensure_offsets_topic(services)
    if refusal is None:
        return _response([_find(key, context, services) for key in keys], context)
    services.notices.warn_once(f"groups cannot be served: {refusal.message}")
    return _response([_refused(key, refusal) for key in keys], context)


def _is_being_opened(group_id: str, services: Services) -> bool:
    """Whether this broker is to keep the group and cannot be asked yet: a client sent there now would be sent away."""
    leader = leader_of(services.catalog.image, group_id)
    return leader == services.node_id and not services.groups.keeps(group_id)


def _find(group_id: str, context: RequestContext, services: Services) -> Coordinator:
    found = coordinator_of(services.catalog.image, group_id, context.listener)
    if isinstance(found, Refusal):
        return _refused(group_id, found)
    return Coordinator(group_id, found.broker, found.endpoint.host, found.endpoint.port)


def _refused(key: str, refusal: Refusal) -> Coordinator:
    return Coordinator(key, -1, "", -1, refusal.error, refusal.message)


def _response(coordinators: list[Coordinator], context: RequestContext) -> FindCoordinatorResponse:
    if context.version >= FIND_COORDINATOR_FIRST_VERSION_WITH_KEYS:
        return FindCoordinatorResponse(coordinators=coordinators)
    one = coordinators[0]
    return FindCoordinatorResponse(
        error_code=one.error_code, error_message=one.error_message, node_id=one.node_id, host=one.host, port=one.port
    )
