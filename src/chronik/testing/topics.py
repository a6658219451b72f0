"""Creating a topic from code that may or may not run in an event loop."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from chronik.client.admin import Admin, NewTopic
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
    creation = _create(bootstrap_servers, NewTopic(name, partitions, replicas, configs=configs), seconds_max)
    # A thread may have a loop of its own, whatever runs in the caller's.
    with ThreadPoolExecutor(1, "chronik-create-topic") as thread:
        thread.submit(asyncio.run, creation).result()


async def _create(bootstrap_servers: str, topic: NewTopic, seconds_max: float) -> None:
    async with asyncio.timeout(seconds_max), Cluster(bootstrap_servers) as cluster:
        for outcome in await Admin(cluster).create_topics([topic]):
            outcome.raise_if_refused()
