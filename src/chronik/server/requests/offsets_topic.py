"""Making ``__consumer_offsets``: when somebody first looks for a group's coordinator, and only then."""

import asyncio
from typing import Final
from uuid import uuid4

from chronik.metadata.decisions.topics import NewTopic
from chronik.metadata.image.image import Image
from chronik.metadata.stores.plan import Refusal
from chronik.model.errors import ErrorCode
from chronik.model.topics import OFFSETS_TOPIC
from chronik.server.groups.placement import not_available
from chronik.server.requests.context import Services
from chronik.server.requests.topic_creation import create_topics
from chronik.server.settings.server import Settings

REPLICATION_FACTOR: Final = "offsets.topic.replication.factor"
CREATION_S_MAX: Final = 5.0
"""How long a client may wait for the topic; after that it is told to come back, and finds it then."""


async def ensure_offsets_topic(services: Services) -> Refusal | None:
    """Make the topic unless it is there; returns when this broker's part of it can be asked, or says why not."""
    try:
        async with asyncio.timeout(CREATION_S_MAX):
            results = await create_topics(services, [_wish(services.settings, services.catalog.image)])
    except TimeoutError:
        return not_available(f"{OFFSETS_TOPIC} was not made within {CREATION_S_MAX:g} s")
    refusal = results[OFFSETS_TOPIC]
    if not isinstance(refusal, Refusal) or refusal.error is ErrorCode.TOPIC_ALREADY_EXISTS:
        return None
    return not_available(f"{OFFSETS_TOPIC} cannot be made: {refusal.message}")


def _wish(settings: Settings, image: Image) -> NewTopic:
    topic = settings.groups.topic
    factor = topic.replication_factor
    # Kafka's default of three must not keep one broker from having groups; what somebody chose holds.
    if REPLICATION_FACTOR not in settings.static:
        factor = min(factor, len(image.brokers))
    configs = {
        "cleanup.policy": "compact",
        "compression.type": "producer",
        "segment.bytes": str(topic.segment_bytes),
    }
    return NewTopic(OFFSETS_TOPIC, uuid4(), topic.partition_count, factor, configs=configs)
