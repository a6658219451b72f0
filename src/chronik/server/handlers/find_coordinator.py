"""FindCoordinator: the broker that coordinates a group; there are no transactions yet.

The first request for a group creates ``__consumer_offsets``, and is answered when the topic can be used. A
transactional producer gets an error that no client retries: there is no coordinator for it.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Final
from uuid import uuid4

from chronik.metadata.decisions.topics import TopicRequest
from chronik.metadata.image.image import Image
from chronik.metadata.stores.plan import Refusal
from chronik.model.errors import ErrorCode
from chronik.model.topics import OFFSETS_TOPIC
from chronik.protocol.constants import FIND_COORDINATOR_FIRST_VERSION_WITH_KEYS
from chronik.protocol.generated.find_coordinator import Coordinator, FindCoordinatorRequest, FindCoordinatorResponse
from chronik.server.groups.placement import coordinator_of, leader_of, not_available, offsets_topic_in
from chronik.server.requests.context import RequestContext, Services
from chronik.server.requests.topic_creation import create_topics
from chronik.server.settings.server import Settings

GROUP: Final = 0
TRANSACTION: Final = 1

REPLICATION_FACTOR: Final = "offsets.topic.replication.factor"
CREATION_S_MAX: Final = 5.0
"""How long a client waits for the topic. After that it gets a retriable error, and finds the topic on a retry."""
_NO_TRANSACTIONS: Final = Refusal(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "transactions are not supported by this broker yet"
)
_UNKNOWN_TYPE: Final = Refusal(ErrorCode.INVALID_REQUEST, "this broker coordinates consumer groups only")


def handle(
    request: FindCoordinatorRequest, context: RequestContext, services: Services
) -> FindCoordinatorResponse | Coroutine[Any, Any, FindCoordinatorResponse]:
    """Return the coordinators; at once if the offsets topic exists."""
    keys = [request.key] if context.version < FIND_COORDINATOR_FIRST_VERSION_WITH_KEYS else request.coordinator_keys
    if request.key_type != GROUP:
        return _response([_refused(key, _rejection_of_kind(request, context, services)) for key in keys], context)
    if offsets_topic_in(services.catalog.image) is None or any(_is_being_opened(key, services) for key in keys):
        return _create_then_respond(keys, context, services)
    return _response([_find(key, context, services) for key in keys], context)


def _rejection_of_kind(request: FindCoordinatorRequest, context: RequestContext, services: Services) -> Refusal:
    if request.key_type != TRANSACTION:
        return _UNKNOWN_TYPE
    services.notices.warn_once(f"client {context.client_id!r} asks for a coordinator: {_NO_TRANSACTIONS.message}")
    return _NO_TRANSACTIONS


async def _create_then_respond(
    keys: Sequence[str], context: RequestContext, services: Services
) -> FindCoordinatorResponse:
    refusal = await _ensure_offsets_topic(services)
    if refusal is None:
        return _response([_find(key, context, services) for key in keys], context)
    services.notices.warn_once(f"groups cannot be served: {refusal.message}")
    return _response([_refused(key, refusal) for key in keys], context)


async def _ensure_offsets_topic(services: Services) -> Refusal | None:
    """Create the topic unless it exists. Return when this broker's partitions of it are open, or why that failed."""
    try:
        async with asyncio.timeout(CREATION_S_MAX):
            results = await create_topics(services, [_offsets_topic(services.settings, services.catalog.image)])
    except TimeoutError:
        return not_available(f"{OFFSETS_TOPIC} was not created within {CREATION_S_MAX:g} s")
    refusal = results[OFFSETS_TOPIC]
    if not isinstance(refusal, Refusal) or refusal.error is ErrorCode.TOPIC_ALREADY_EXISTS:
        return None
    return not_available(f"{OFFSETS_TOPIC} cannot be created: {refusal.message}")


def _offsets_topic(settings: Settings, image: Image) -> TopicRequest:
    topic = settings.groups.topic
    factor = topic.replication_factor
    # Kafka's default of three must not prevent groups on a single broker; a factor from the settings is kept.
    if REPLICATION_FACTOR not in settings.static:
        factor = min(factor, len(image.brokers))
    configs = {
        "cleanup.policy": "compact",
        "compression.type": "producer",
        "segment.bytes": str(topic.segment_bytes),
    }
    return TopicRequest(OFFSETS_TOPIC, uuid4(), topic.partition_count, factor, configs=configs)


def _is_being_opened(group_id: str, services: Services) -> bool:
    """Whether this broker leads the group's partition, but has not opened it yet: it would reject the client."""
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
