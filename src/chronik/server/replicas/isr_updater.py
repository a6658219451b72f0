"""Writes the ISR changes that leaders propose to the store, and gives leaders the time."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final

from chronik.metadata.catalog import Catalog
from chronik.metadata.decisions.isr import plan_change_isr, plan_rewrite_unchanged
from chronik.metadata.image.image import Image
from chronik.metadata.stores.plan import Plan, Refusal
from chronik.metadata.stores.port import StoreError
from chronik.model.ids import BrokerId
from chronik.replication.events import (
    LeaderEvent,
    ProposalRefused,
    ProposalUnknown,
    ProposeIsr,
    RewriteUnchanged,
    Stalled,
    TimePassed,
)
from chronik.server.loop.clock import steady_ms
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.table import PartitionTable

log = logging.getLogger(__name__)

AT_ONCE_MAX: Final = 32
STALL_S: Final = 1.0
"""A loop that was delayed for longer has kept fetches waiting: no follower counts as lagging for that."""


class IsrUpdater:
    """The one place through which leaders' proposals go to the store."""

    def __init__(self, catalog: Catalog, broker_id: BrokerId, *, lag_ms_max: int) -> None:
        self._catalog = catalog
        self._broker_id = broker_id
        self._tick_s = max(0.05, min(lag_ms_max / 4000, 1.0))
        self._proposals: deque[tuple[LeaderReplica, ProposeIsr | RewriteUnchanged]] = deque()
        self._work = asyncio.Event()

    def propose(self, partition: LeaderReplica, effect: ProposeIsr | RewriteUnchanged) -> None:
        """Queue a proposal."""
        self._proposals.append((partition, effect))
        self._work.set()

    def duties(self, table: PartitionTable) -> dict[str, Callable[[], Coroutine[Any, Any, None]]]:
        """Return the tasks that run for as long as the broker does, by name."""
        return {"in-sync changes": self.run, "in-sync time": lambda: self.keep_time(table)}

    async def run(self) -> None:
        """Write the proposed changes, several at once, because most of the time is spent waiting for the store."""
        while True:
            await self._work.wait()
            self._work.clear()
            while self._proposals:
                some = [self._proposals.popleft() for _ in range(min(AT_ONCE_MAX, len(self._proposals)))]
                await asyncio.gather(*(self._carry_out(partition, effect) for partition, effect in some))

    async def keep_time(self, table: PartitionTable) -> None:
        """Let every leader look for lagging followers."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due = max(due + self._tick_s, loop.time())
            await asyncio.sleep(due - loop.time())
            now = steady_ms()
            event: LeaderEvent = Stalled(now) if loop.time() - due > STALL_S else TimePassed(now)
            for partition in table.led():
                partition.handle(event)

    async def _carry_out(self, partition: LeaderReplica, effect: ProposeIsr | RewriteUnchanged) -> None:
        if partition.is_closed:
            return
        try:
            outcome = await self._catalog.carry_out(
                lambda image: plan_proposal(image, self._broker_id, partition, effect)
            )
        except StoreError as error:
            log.warning("%s: the outcome of an ISR change is unknown: %s", partition.topic_partition, error)
            if isinstance(effect, ProposeIsr):
                partition.handle(ProposalUnknown(effect.base_revision, steady_ms()))
            return
        if isinstance(effect, RewriteUnchanged):
            return
        if isinstance(outcome, Refusal):
            log.info("%s: the ISR %s was refused: %s", partition.topic_partition, effect.isr, outcome.message)
            partition.handle(refused(self._catalog.image, partition, effect))
        else:
            log.info("%s: the ISR is now %s", partition.topic_partition, list(effect.isr))


def plan_proposal(
    image: Image, broker_id: BrokerId, partition: LeaderReplica, effect: ProposeIsr | RewriteUnchanged
) -> Plan[None] | Refusal:
    """Plan the change of an ISR that a leader proposes."""
    where = (partition.topic_id, partition.topic_partition.partition, broker_id, partition.leader.term.broker_epoch)
    if isinstance(effect, RewriteUnchanged):
        return plan_rewrite_unchanged(image, *where, partition_revision=effect.base_revision)
    added = dict(effect.added)
    return plan_change_isr(image, *where, isr=effect.isr, added=added, partition_revision=effect.base_revision)


def refused(image: Image, partition: LeaderReplica, effect: ProposeIsr) -> ProposalRefused:
    """Return the event of a refused proposal."""
    state = image.partition(*partition.topic_partition)
    return ProposalRefused(effect.base_revision, None if state is None else state.revision)
