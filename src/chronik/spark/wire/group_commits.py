"""Positions committed to a consumer group that has no members. Blocking, on a thread of its own for each commit."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from chronik.client.cluster import Cluster
from chronik.client.groups.admin_offsets import GroupOffsetAdmin
from chronik.client.settings import client_settings
from chronik.model.ids import TopicPartition
from chronik.spark.options.bounds import LATEST_MARK


class CommitFailedError(RuntimeError):
    """A group's coordinator did not take the positions."""


class GroupCommits:
    """Commits to one group of one cluster."""

    def __init__(self, bootstrap: str, group: str, client_options: Mapping[str, str] | None = None) -> None:
        self._bootstrap = bootstrap
        self._group = group
        self._settings = client_settings(dict(client_options or {}))

    def commit(self, positions: Mapping[TopicPartition, int]) -> None:
        """Commit positions; marks of partitions that nothing was read of yet are left out."""
        known = {at: offset for at, offset in positions.items() if offset > LATEST_MARK}
        # The caller may run in an event loop of its own, as notebooks do.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, self._commit(known)).result()

    async def _commit(self, positions: Mapping[TopicPartition, int]) -> None:
        async with Cluster(self._bootstrap, self._settings) as cluster:
            outcomes = await GroupOffsetAdmin(cluster).commit(self._group, positions)
        refused = {at: error for at, error in outcomes.items() if error}
        if refused:
            named = ", ".join(str(error) for _, error in sorted(refused.items()))
            raise CommitFailedError(f"group {self._group} at {self._bootstrap} did not take all positions: {named}")
