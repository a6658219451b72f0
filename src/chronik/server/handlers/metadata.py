"""Metadata: brokers, topics and leaders, from the image; topics are created on demand if that is allowed."""

from collections.abc import Coroutine, Sequence
from typing import Any
from uuid import uuid4

from chronik.metadata.decisions.topics import TopicRequest
from chronik.metadata.image.image import TopicImage
from chronik.metadata.stores.plan import Refusal
from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID
from chronik.model.topics import INTERNAL_TOPICS, rejection_of_topic_name
from chronik.protocol.generated.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from chronik.server.requests.context import RequestContext, Services
from chronik.server.requests.topic_creation import create_topics
from chronik.server.views import authorized_operations
from chronik.server.views.cluster import brokers_of, controller_of
from chronik.server.views.topics import describe_partition

ALWAYS_CREATES_BELOW_VERSION = 4
"""Older requests have no field for whether a topic may be created."""
EMPTY_MEANS_ALL_VERSION = 0
KEPT_TOPICS_MIN = 8
"""For fewer topics a cache lookup takes as long as building the response."""
TOPIC_IDS_VERSION = 12
"""Requests have a place for ids from version 10 on, but may use it only from here: before, an answer needs a name."""


def handle(
    request: MetadataRequest, context: RequestContext, services: Services
) -> MetadataResponse | Coroutine[Any, Any, MetadataResponse]:
    """Respond at once, unless topics must be created first."""
    topics = request.topics
    if topics is None or (context.version == EMPTY_MEANS_ALL_VERSION and not topics):
        return _cached_response(request, None, context, services)
    missing = _to_create(request, topics, context, services)
    if missing:
        return _create_then_respond(missing, request, topics, context, services)
    if len(topics) >= KEPT_TOPICS_MIN:
        return _cached_response(request, topics, context, services)
    return _build(request, topics, context, services)


def _build(
    request: MetadataRequest,
    topics: Sequence[MetadataRequestTopic] | None,
    context: RequestContext,
    services: Services,
) -> MetadataResponse:
    if topics is None:
        described = [_describe(topic, services) for _, topic in sorted(services.catalog.image.topics.items())]
    else:
        described = [_look_up(asked, context, services) for asked in topics]
    return _response(request, described, context, services)


def _cached_response(
    request: MetadataRequest,
    topics: Sequence[MetadataRequestTopic] | None,
    context: RequestContext,
    services: Services,
) -> MetadataResponse:
    """Return the response from the cache, if nothing has changed since."""
    # A failed disk is not in the image.
    if services.partitions.has_offline():
        return _build(request, topics, context, services)
    image, cache = services.catalog.image, services.metadata_cache
    key = (
        context.version,
        context.listener,
        request.include_cluster_authorized_operations,
        request.include_topic_authorized_operations,
        None if topics is None else tuple((asked.name, asked.topic_id) for asked in topics),
    )
    found = cache.find(image, key)
    return found or cache.keep(image, key, context.version, _build(request, topics, context, services))


def _to_create(
    request: MetadataRequest, topics: Sequence[MetadataRequestTopic], context: RequestContext, services: Services
) -> list[str]:
    is_allowed = request.allow_auto_topic_creation or context.version < ALWAYS_CREATES_BELOW_VERSION
    if not is_allowed or not services.settings.auto_create_topics:
        return []
    existing = services.catalog.image.topics
    names = dict.fromkeys(topic.name for topic in topics if topic.name and topic.name not in existing)
    return [name for name in names if rejection_of_topic_name(name) is None and name not in INTERNAL_TOPICS]


async def _create_then_respond(
    names: list[str],
    request: MetadataRequest,
    topics: Sequence[MetadataRequestTopic],
    context: RequestContext,
    services: Services,
) -> MetadataResponse:
    results = await create_topics(services, [TopicRequest(name, uuid4()) for name in names])
    refused = {
        name: result.error
        for name, result in results.items()
        if isinstance(result, Refusal) and result.error is not ErrorCode.TOPIC_ALREADY_EXISTS
    }
    described = [
        MetadataResponseTopic(refused[asked.name], asked.name)
        if asked.name in refused
        else _look_up(asked, context, services)
        for asked in topics
    ]
    return _response(request, described, context, services)


def _look_up(asked: MetadataRequestTopic, context: RequestContext, services: Services) -> MetadataResponseTopic:
    image = services.catalog.image
    if context.version < TOPIC_IDS_VERSION and (asked.topic_id != ZERO_TOPIC_ID or asked.name is None):
        return MetadataResponseTopic(ErrorCode.INVALID_REQUEST, asked.name or "", asked.topic_id)
    if asked.topic_id != ZERO_TOPIC_ID:
        topic = image.topic_by_id(asked.topic_id)
        if topic is None:
            return MetadataResponseTopic(ErrorCode.UNKNOWN_TOPIC_ID, None, asked.topic_id)
        return _describe(topic, services)
    name = asked.name or ""
    topic = image.topics.get(name)
    if topic is not None:
        return _describe(topic, services)
    invalid = rejection_of_topic_name(name) is not None
    return MetadataResponseTopic(
        ErrorCode.INVALID_TOPIC_EXCEPTION if invalid else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, name
    )


def _describe(topic: TopicImage, services: Services) -> MetadataResponseTopic:
    return MetadataResponseTopic(
        ErrorCode.NONE,
        topic.name,
        topic.id,
        topic.name in INTERNAL_TOPICS,
        [_partition(topic, index, services) for index in range(len(topic.partitions))],
    )


def _partition(topic: TopicImage, index: int, services: Services) -> MetadataResponsePartition:
    view = describe_partition(services.catalog.image, services.partitions.is_offline, services.node_id, topic, index)
    return MetadataResponsePartition(
        view.error, index, view.leader, view.leader_epoch, view.replicas, view.isr, view.offline_replicas
    )


def _response(
    request: MetadataRequest, topics: list[MetadataResponseTopic], context: RequestContext, services: Services
) -> MetadataResponse:
    image = services.catalog.image
    response = MetadataResponse(
        brokers=[MetadataResponseBroker(*broker) for broker in brokers_of(image, context.listener)],
        cluster_id=image.cluster_id,
        controller_id=controller_of(image),
        topics=topics,
    )
    _add_operations(request, response)
    return response


def _add_operations(request: MetadataRequest, response: MetadataResponse) -> None:
    if request.include_cluster_authorized_operations:
        response.cluster_authorized_operations = authorized_operations.ON_CLUSTER
    if request.include_topic_authorized_operations:
        for topic in response.topics:
            if topic.error_code == ErrorCode.NONE:
                topic.topic_authorized_operations = authorized_operations.ON_TOPIC
