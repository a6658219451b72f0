"""Listeners of streaming queries: commit offsets to a consumer group, and report progress with lag.

Spark calls a listener after each micro-batch, also after the last one of ``availableNow``, for which it never calls the
source's ``commit``. Committed offsets are therefore processed; after a crash they may lag behind.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener

from chronik.client.cluster import Cluster
from chronik.client.groups.admin_offsets import GroupOffsetAdmin
from chronik.client.settings import ClientSettings, client_settings
from chronik.model.ids import TopicPartition
from chronik.spark.options.bounds import LATEST_MARK
from chronik.spark.source.progress import TopicProgress, topic_progress

_log = logging.getLogger(__name__)


class ProgressListener(StreamingQueryListener):
    """Calls a function with the progress of every micro-batch that read topics."""

    def __init__(self, report: Callable[[TopicProgress], None], query: str | None = None) -> None:
        self._report = report
        self._query = query

    def onQueryStarted(self, event: Any) -> None: ...

    def onQueryProgress(self, event: Any) -> None:
        progress = topic_progress(event.progress)
        if progress is None or (self._query not in (None, progress.query_id, progress.query_name)):
            return
        try:
            self._report(progress)
        except Exception:  # noqa: BLE001 - Spark would drop it silently
            _log.exception("The listener of query %s failed", progress.query_name or progress.query_id)

    def onQueryIdle(self, event: Any) -> None: ...

    def onQueryTerminated(self, event: Any) -> None: ...


class CommitFailedError(RuntimeError):
    """A group's coordinator has refused offsets."""


async def _commit(bootstrap: str, group: str, settings: ClientSettings, offsets: Mapping[TopicPartition, int]) -> None:
    async with Cluster(bootstrap, settings) as cluster:
        outcomes = await GroupOffsetAdmin(cluster).commit(group, offsets)
    refused = ", ".join(str(error) for _, error in sorted(outcomes.items()) if error)
    if refused:
        raise CommitFailedError(f"group {group} at {bootstrap} refused offsets: {refused}")


def report_progress(
    spark: SparkSession, tell: Callable[[TopicProgress], None], *, query: str | None = None
) -> ProgressListener:
    """Call a function with offsets, lag, rates and losses after every micro-batch. ``query`` is a name or an id."""
    listener = ProgressListener(tell, query)
    spark.streams.addListener(listener)
    return listener


def commit_offsets(
    spark: SparkSession,
    *,
    bootstrap: str,
    group: str,
    query: str | None = None,
    client_options: Mapping[str, str] | None = None,
) -> ProgressListener:
    """Commit the offsets of queries to a consumer group, so that lag tools see them.

    The group must have no members. A restarted query continues from its checkpoint, not from the group.
    """
    settings = client_settings(dict(client_options or {}))

    def commit(progress: TopicProgress) -> None:
        known = {at: offset for at, offset in progress.positions.items() if offset > LATEST_MARK}
        # The caller may run in an event loop of its own, as notebooks do.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, _commit(bootstrap, group, settings, known)).result()

    return report_progress(spark, commit, query=query)
