"""Making topics: decided by the controller, carried out in the store, and answered when their leaders are open."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from chronik.metadata.decisions.topics import (
    CreatedTopic,
    NewPartitions,
    TopicRequest,
    plan_create_partitions,
    plan_create_topics,
)
from chronik.metadata.image.image import Image
from chronik.metadata.stores.plan import Plan, Refusal
from chronik.server.requests.context import Services

MANY_PARTITIONS: Final = 500
OPENING_WAIT_S_MAX: Final = 1.0
"""For many; fewer are waited for, however long a disk or a machine stands still."""


async def create_topics(
    services: Services, topics: Sequence[TopicRequest], *, validate_only: bool = False
) -> dict[str, CreatedTopic | Refusal]:
    """Make the topics that may be made; returns when this broker's part of them is open, or of many will be soon."""

    def decide(image: Image) -> Plan[dict[str, CreatedTopic | Refusal]]:
        return plan_create_topics(image, topics, services.settings.cluster_rules, validate_only=validate_only)

    results = await services.catalog.carry_out(decide)
    assert not isinstance(results, Refusal), "each topic has its own answer"
    await _opened(services, sum(made.partition_count for made in results.values() if isinstance(made, CreatedTopic)))
    return results


async def create_partitions(services: Services, wish: NewPartitions, *, validate_only: bool = False) -> Refusal | None:
    """Add partitions to a topic; returns when this broker's part of them is open, or of many will be soon."""

    def decide(image: Image) -> Plan[object] | Refusal:
        return plan_create_partitions(image, wish, services.settings.cluster_rules, validate_only=validate_only)

    result = await services.catalog.carry_out(decide)
    if isinstance(result, Refusal):
        return result
    await _opened(services, wish.total_count)
    return None


async def _opened(services: Services, partitions: int) -> None:
    """Wait for this broker's logs, so that who is answered may write at once; for a thousand, not to the end."""
    seconds_max = OPENING_WAIT_S_MAX if partitions >= MANY_PARTITIONS else None
    with suppress(TimeoutError):
        await asyncio.wait_for(services.partitions.opened(), seconds_max)
