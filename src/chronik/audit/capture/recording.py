"""Recording a run around clients that the caller runs, with ledgers in the same directory.

The observer samples the topic while the clients run. At the end the topic's settings and every replica's log are read.
"""

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path

from chronik.audit.capture.log_dump import capture
from chronik.audit.capture.observer import Observer, observer_settings, reader_settings
from chronik.audit.capture.topic import brokers_of, configs_of
from chronik.audit.ledger.directory import note_facts, now_us, run_of
from chronik.client.cluster import Cluster


class Recording:
    """Records one new topic, from ``start`` to ``finish``; ``timeout_s`` is the longest time to a delivery."""

    def __init__(
        self,
        directory: Path,
        bootstrap: str,
        topic: str,
        *,
        timeout_s: float,
        label: str = "",
        has_observer: bool = True,
    ) -> None:
        self.directory = directory
        self._bootstrap = bootstrap
        self._topic = topic
        run_of(directory, None)
        note_facts(directory, topic=topic, label=label, timeout_s=timeout_s, is_new_topic=True)
        self._has_observer = has_observer
        self._observer: Observer | None = None
        self._is_started: Future[None] = Future()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=f"record {topic}", daemon=True)

    def start(self) -> None:
        """Read the topic's settings, and start the observer in a thread."""
        self._thread.start()
        self._is_started.result()

    def log_ends(self) -> Mapping[tuple[int, int], int]:
        """Return the last known log end of each replica, by node and partition."""
        return {} if self._observer is None else dict(self._observer.log_ends)

    def finish(self) -> None:
        """Stop the observer and read the log of every replica; the clients' ledgers are closed before."""
        self.stop()
        asyncio.run(self._read_log())

    def stop(self) -> None:
        """Stop the observer; may be called again."""
        if self._observer is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._observer.stop)
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._observe())
        except BaseException as error:
            if self._is_started.done():
                raise
            self._is_started.set_exception(error)
        finally:
            self._loop.close()

    async def _observe(self) -> None:
        async with Cluster(self._bootstrap, observer_settings()) as cluster:
            view = (await cluster.refresh([self._topic])).topics[self._topic]
            note_facts(
                self.directory,
                topic_id=str(view.topic_id),
                partitions=len(view.partitions),
                starts=dict.fromkeys(map(str, view.partitions), 0),
                configs_begin=await configs_of(cluster, self._topic),
                brokers=brokers_of(cluster),
            )
            if self._has_observer:
                await self._sample(cluster)
            else:
                self._is_started.set_result(None)

    async def _sample(self, cluster: Cluster) -> None:
        observer = Observer(self.directory, self._topic, cluster)
        await observer.sample()
        self._observer = observer
        self._is_started.set_result(None)
        await observer.run()
        await observer.close()
        reach = observer.reach
        seen = {
            "replica_ends": reach.has_log_ends,
            "follower_watermarks": reach.has_follower_watermarks,
            "epochs": reach.has_epochs,
        }
        note_facts(self.directory, seen=seen, samples=reach.samples)

    async def _read_log(self) -> None:
        async with Cluster(self._bootstrap, reader_settings()) as cluster:
            note_facts(self.directory, configs_end=await configs_of(cluster, self._topic), end_us=now_us())
            await capture(self.directory, self._topic, cluster)
