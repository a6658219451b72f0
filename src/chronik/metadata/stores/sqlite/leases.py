"""The leases of one open SQLite store, kept alive by its heartbeat.

A renewal is a heartbeat that was completed before the old deadline. Other processes end a lease only after that
deadline, by the same clock, so that they and the holder never disagree.
"""

import asyncio
import logging
from collections.abc import Collection
from concurrent.futures import Executor
from contextlib import suppress
from typing import Final, Protocol

from chronik.metadata.stores.boot_clock import boot_ms
from chronik.metadata.stores.port import LeaseId
from chronik.metadata.stores.sqlite.presence import Presence

log = logging.getLogger(__name__)

BEAT_MS_MAX: Final = 1_000
BEATS_PER_LEASE: Final = 4


class LeaseEnds(Protocol):
    """What leases need from the store."""

    async def end(self, lease: LeaseId) -> None:
        """Delete the lease and its keys from the store."""
        ...

    def end_soon(self, lease: LeaseId) -> None:
        """The same, as soon as the store can do it."""
        ...


class SqliteLease:
    """A lease of this process."""

    def __init__(self, lease_id: LeaseId, ttl_ms: int, beat_ms: int, table: LeaseEnds) -> None:
        self.id = lease_id
        self.ttl_ms = ttl_ms
        self.deadline_ms = beat_ms + ttl_ms
        self._table = table
        self._ended = asyncio.Event()

    @property
    def is_lost(self) -> bool:
        return self._ended.is_set()

    def renew(self, beat_ms: int, now_ms: int) -> None:
        """Note a heartbeat that was sent at ``beat_ms`` and completed at ``now_ms``."""
        if now_ms >= self.deadline_ms:
            self.lose("no heartbeat for %d ms", now_ms - self.deadline_ms + self.ttl_ms)
        else:
            self.deadline_ms = beat_ms + self.ttl_ms

    def lose(self, reason: str, *values: object) -> None:
        if not self.is_lost:
            log.warning("the lease %d is lost: " + reason, self.id, *values)
            self._ended.set()
            # The heartbeat continues with the process, so no other process would expire this lease.
            self._table.end_soon(self.id)

    async def lost(self) -> None:
        await self._ended.wait()

    async def revoke(self) -> None:
        self._ended.set()
        await self._table.end(self.id)


class Heart:
    """Beats at the pace of the event loop: a process with a blocked loop counts as stopped.

    The file is written in a thread, because the file system may delay even eight bytes until its journal is written.
    """

    def __init__(self, presence: Presence, loop: asyncio.AbstractEventLoop, thread: Executor) -> None:
        self._presence = presence
        self._loop = loop
        self._thread = thread
        self._leases: list[SqliteLease] = []
        self._interval_ms = BEAT_MS_MAX
        self._quickened = asyncio.Event()
        self._beating: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._beating = self._loop.create_task(self._beat_on())

    async def stop(self) -> None:
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.wait([self._beating])

    @property
    def leases(self) -> list[SqliteLease]:
        """The leases that are not known to have ended."""
        self._leases = [lease for lease in self._leases if not lease.is_lost]
        return self._leases

    async def quicken(self, ttl_ms: int) -> None:
        """Beat now, and from now on often enough for a new lease."""
        self._interval_ms = min(self._interval_ms, ttl_ms // BEATS_PER_LEASE)
        await self._beat()
        self._quickened.set()

    def keep(self, lease: SqliteLease) -> None:
        self._leases.append(lease)

    def lose_all_but(self, ids: Collection[LeaseId], known: Collection[SqliteLease]) -> None:
        """Mark those known leases as lost that are no longer in the store."""
        for lease in known:
            if lease.id not in ids:
                lease.lose("it was ended by another process")

    async def _beat_on(self) -> None:
        while True:
            self._quickened.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._quickened.wait(), self._interval_ms / 1000)
            await self._beat()

    async def _beat(self) -> None:
        try:
            await self._loop.run_in_executor(self._thread, self._presence.beat)
        except (OSError, RuntimeError) as error:
            for lease in self.leases:
                lease.lose("the heartbeat failed: %s", error)
            return
        now_ms = boot_ms()
        for lease in self.leases:
            lease.renew(self._presence.beat_ms, now_ms)
