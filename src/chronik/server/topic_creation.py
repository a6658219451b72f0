"""Making topics: decided by the controller, carried out in the store, and answered when their leaders are open."""

from collections.abc import Sequence

from chronik.metadata.image import Image
from chronik.metadata.plan import Plan, Refusal
from chronik.metadata.topic_decisions import (
    CreatedTopic,
    MorePartitions,
    NewTopic,
    plan_create_partitions,
    plan_create_topics,
)
from chronik.server.context import Services


async def create_topics(
    services: Services, topics: Sequence[NewTopic], *, validate_only: bool = False
) -> dict[str, CreatedTopic | Refusal]:
    """Make the topics that may be made; returns when this broker's part of them is open."""

    def decide(image: Image) -> Plan[dict[str, CreatedTopic | Refusal]]:
        return plan_create_topics(image, topics, services.settings.cluster_rules, validate_only=validate_only)

    results = await services.catalog.carry_out(decide)
    assert not isinstance(results, Refusal), "each topic has its own answer"
    await services.partitions.opened()
    return results


async def create_partitions(services: Services, wish: MorePartitions, *, validate_only: bool = False) -> Refusal | None:
    """Add partitions to a topic; returns when this broker's part of them is open."""

    def decide(image: Image) -> Plan[object] | Refusal:
        return plan_create_partitions(image, wish, services.settings.cluster_rules, validate_only=validate_only)

    result = await services.catalog.carry_out(decide)
    if isinstance(result, Refusal):
        return result
    await services.partitions.opened()
    return None
