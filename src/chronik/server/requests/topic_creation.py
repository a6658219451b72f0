"""Creating topics and partitions: stored as one change, and answered when this broker has opened its partitions."""

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
"""The limit for many partitions. For fewer there is no limit, however long the disk or the machine stalls."""


async def create_topics(
    services: Services, topics: Sequence[TopicRequest], *, validate_only: bool = False
) -> dict[str, CreatedTopic | Refusal]:
    """Create the valid topics. Return when this broker has opened its partitions; for many partitions earlier."""

    def decide(image: Image) -> Plan[dict[str, CreatedTopic | Refusal]]:
        return plan_create_topics(image, topics, services.settings.cluster_rules, validate_only=validate_only)

    results = await services.catalog.carry_out(decide)
    assert not isinstance(results, Refusal), "each topic has its own result"
    await _opened(services, sum(made.partition_count for made in results.values() if isinstance(made, CreatedTopic)))
    return results


async def create_partitions(
    services: Services, request: NewPartitions, *, validate_only: bool = False
) -> Refusal | None:
    """Add partitions to a topic. Return when this broker has opened its partitions; for many partitions earlier."""

    def decide(image: Image) -> Plan[object] | Refusal:
        return plan_create_partitions(image, request, services.settings.cluster_rules, validate_only=validate_only)

    result = await services.catalog.carry_out(decide)
    if isinstance(result, Refusal):
        return result
    await _opened(services, request.total_count)
    return None


async def _opened(services: Services, partitions: int) -> None:
    """Wait until this broker's logs are open, so that the client may write at once; for many, only for a while."""
    seconds_max = OPENING_WAIT_S_MAX if partitions >= MANY_PARTITIONS else None
    with suppress(TimeoutError):
        await asyncio.wait_for(services.partitions.opened(), seconds_max)
