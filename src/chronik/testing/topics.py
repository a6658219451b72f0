"""Creating and deleting topics from code that may or may not run in an event loop."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from chronik.client.admin import Admin, NewTopic, TopicOutcome
from chronik.client.cluster import Cluster


def create_topic(
    bootstrap_servers: str,
    name: str,
    partitions: int,
    configs: Mapping[str, str],
    seconds_max: float,
    replicas: int = -1,
) -> None:
    """Create a topic, or raise what is in the way."""
    topic = NewTopic(name, partitions, replicas, configs=configs)
    _carry_out(bootstrap_servers, lambda admin: admin.create_topics([topic]), seconds_max)


def delete_topic(bootstrap_servers: str, name: str, seconds_max: float) -> None:
    """Delete a topic, or raise what is in the way."""
    _carry_out(bootstrap_servers, lambda admin: admin.delete_topics([name]), seconds_max)


def _carry_out(
    bootstrap_servers: str, work: Callable[[Admin], Awaitable[list[TopicOutcome]]], seconds_max: float
) -> None:
    async def session() -> None:
        async with asyncio.timeout(seconds_max), Cluster(bootstrap_servers) as cluster:
            for outcome in await work(Admin(cluster)):
                outcome.raise_if_refused()

    # A thread may have a loop of its own, whatever runs in the caller's.
    with ThreadPoolExecutor(1, "chronik-topics") as thread:
        thread.submit(asyncio.run, session()).result()
