"""Detect other members of a SQLite store that die or fall silent, and end their leases.

Death is seen at once without polling: the kernel makes a descriptor of the process readable, and the free lock is the
proof. The silence of a stopped process is seen when its lease's time has passed since its last heartbeat.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from chronik.metadata.stores.boot_clock import boot_ms
from chronik.metadata.stores.port import StoreClosedError, StoreError
from chronik.metadata.stores.sqlite.file import LeaseRow
from chronik.metadata.stores.sqlite.presence import Presence, open_process

log = logging.getLogger(__name__)

SLACK_MS: Final = 10
LATE_MS_MAX: Final = 500
GRACE_MS: Final = 2_000
RETRY_MS: Final = 500


class LeaseTable(Protocol):
    """What the watch needs from the store."""

    def on_peer_change(self) -> None:
        """Another member changed something, or died and may have changed something before."""
        ...

    async def read_leases(self) -> list[LeaseRow]:
        """Read all leases, and mark those of this store that are gone."""
        ...

    async def end_due(self, row: LeaseRow, is_due: Callable[[], bool]) -> None:
        """End the lease, if it is still due under the write lock."""
        ...


class PeerWatch:
    """Watches the other members for one open store."""

    def __init__(self, presence: Presence, loop: asyncio.AbstractEventLoop, table: LeaseTable) -> None:
        self._presence = presence
        self._loop = loop
        self._table = table
        self._processes: dict[str, int | None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._due_ms: int | None = None
        self._judge_from_ms = 0
        self._looking: asyncio.Task[None] | None = None
        self._look_again = False

    def start(self) -> Awaitable[None]:
        """Start; the result is done after the first check of all members."""
        self._loop.add_reader(self._presence.wake_descriptor, self._on_wake)
        self._presence.wake_others()
        self._look()
        assert self._looking is not None
        return self._looking

    async def stop(self) -> None:
        self._loop.remove_reader(self._presence.wake_descriptor)
        self._set_timer(None)
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])
        for name in tuple(self._processes):
            self._forget(name)

    # --- what makes it look

    def _on_wake(self) -> None:
        self._presence.drain()
        self._table.on_peer_change()
        self._look()

    def _on_exit(self, name: str) -> None:
        self._forget(name)
        # It may have died between its last commit and its notification.
        self._table.on_peer_change()
        self._look()

    def _look(self) -> None:
        self._look_again = True
        if self._looking is None or self._looking.done():
            self._looking = self._loop.create_task(self._look_around())

    # --- looking

    async def _look_around(self) -> None:
        while self._look_again:
            self._look_again = False
            try:
                await self._judge_all()
            except StoreClosedError:
                return
            except (StoreError, OSError) as error:
                log.warning("could not look after the other members' leases: %s", error)
                self._set_timer(boot_ms() + RETRY_MS)

    async def _judge_all(self) -> None:
        self._notice_own_stall()
        self._meet()
        rows = [row for row in await self._table.read_leases() if row.member != self._presence.name]
        for row in rows:
            if self._is_due(row):
                await self._table.end_due(row, lambda row=row: self._is_due(row))  # type: ignore[misc]
        self._remove_the_dead()
        self._set_timer(min((self._deadline_ms(row) for row in rows), default=None))

    def _notice_own_stall(self) -> None:
        # A process that was itself paused cannot judge the silence of others: perhaps the whole machine was suspended.
        now_ms = boot_ms()
        if self._due_ms is not None and now_ms > self._due_ms + LATE_MS_MAX:
            self._judge_from_ms = now_ms + GRACE_MS

    def _is_due(self, row: LeaseRow) -> bool:
        return not self._presence.members.is_held(row.member) or boot_ms() >= self._deadline_ms(row)

    def _deadline_ms(self, row: LeaseRow) -> int:
        record = self._presence.members.record(row.member)
        return max(record.beat_ms + row.ttl_ms if record else 0, self._judge_from_ms)

    def _set_timer(self, due_ms: int | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._due_ms = None, due_ms
        if due_ms is not None:
            delay_ms = max(0, due_ms - boot_ms()) + SLACK_MS
            self._timer = self._loop.call_later(delay_ms / 1000, self._look)

    # --- the processes

    def _meet(self) -> None:
        names = set(self._presence.others())
        for name in names - self._processes.keys():
            self._follow(name)
        for name in self._processes.keys() - names:
            self._forget(name)

    def _follow(self, name: str) -> None:
        record = self._presence.members.record(name)
        process = open_process(record) if record else None
        self._processes[name] = process
        if process is not None:
            self._loop.add_reader(process, self._on_exit, name)
        elif self._presence.members.is_held(name):
            log.warning("the process of member %s cannot be seen: its death will be noticed by its silence only", name)

    def _forget(self, name: str) -> None:
        process = self._processes.pop(name, None)
        if process is not None:
            self._loop.remove_reader(process)
            os.close(process)

    def _remove_the_dead(self) -> None:
        for name in self._presence.others():
            if not self._presence.members.is_held(name):
                self._presence.members.remove(name)
                self._forget(name)
