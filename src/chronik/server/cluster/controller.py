"""The controller: one broker at a time carries out the decisions that the image calls for.

The broker that holds the ``controller`` key, which depends on its lease, elects leaders, removes dead brokers from
ISRs and completes reassignments. ``metadata.decisions`` decides; this module carries the decisions out on every new
image, and decides again after each conflict. Nothing is kept between two images, so that a new controller misses
nothing.
"""

import asyncio
import logging
from time import monotonic_ns
from typing import Final, NamedTuple

from chronik.metadata.catalog import Catalog
from chronik.metadata.decisions.elections import (
    ControllerReport,
    ElectionRules,
    next_controller_work,
    plan_take_control,
)
from chronik.metadata.decisions.leaders import (
    plan_rebalance_preferred,
)
from chronik.metadata.image.image import Image
from chronik.metadata.stores.plan import Plan, Refusal
from chronik.metadata.stores.port import Lease, StoreError
from chronik.model.ids import NO_BROKER
from chronik.observability.histograms import Histogram
from chronik.server.cluster.membership import Membership
from chronik.server.views.cluster import controller_of

log = logging.getLogger(__name__)

RETRY_S: Final = 0.2


class ControllerRules(NamedTuple):
    """The settings of the controller."""

    elections: ElectionRules
    is_rebalancing: bool = True
    rebalance_interval_s: float = 300.0
    imbalance_percent_max: int = 10


class Controller:
    """Takes the controller key when it is free, and carries out the controller's decisions."""

    def __init__(self, catalog: Catalog, membership: Membership, rules: ControllerRules) -> None:
        self._catalog = catalog
        self._membership = membership
        self._rules = rules
        self.elections = Histogram()
        """The time from an election's decision to its commit, once per elected leader."""
        self.unclean_elections = 0
        self._wake = asyncio.Event()
        self._wake.set()
        catalog.subscribe(self._on_image)

    @property
    def is_controller(self) -> bool:
        """Return whether this broker is the controller in its image."""
        return controller_of(self._catalog.image) == self._membership.broker_id

    async def run(self) -> None:
        """Work on each new image while the broker runs."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                await self.work()
            except StoreError as error:
                log.warning("the controller's work waits for the metadata store: %s", error)
                await asyncio.sleep(RETRY_S)
                self._wake.set()

    async def work(self) -> None:
        """Take the controller key if it is free, and carry out decisions until the image calls for none."""
        lease = self._membership.lease
        if lease is None:
            return
        if self._catalog.image.controller is None:
            await self._take_control(lease)
        while self.is_controller and await self._do_next():
            pass

    async def rebalance(self) -> None:
        """Move leaderships back to the preferred replicas at each interval."""
        while self._rules.is_rebalancing:
            await asyncio.sleep(self._rules.rebalance_interval_s)
            if self.is_controller:
                await self._rebalance_now()

    async def _take_control(self, lease: Lease) -> None:
        taken = await self._catalog.carry_out(
            lambda image: plan_take_control(image, self._membership.broker_id, lease.id)
        )
        if not isinstance(taken, Refusal):
            log.info("broker %d is the controller", self._membership.broker_id)

    async def _do_next(self) -> bool:
        """Carry out one decision; return False if there is none."""
        began_ns = monotonic_ns()
        report = await self._catalog.carry_out(self._decide)
        if not isinstance(report, ControllerReport):
            return False
        self._count(report, monotonic_ns() - began_ns)
        _log_report(report)
        return True

    def _count(self, report: ControllerReport, took_ns: int) -> None:
        for elected in report.elected:
            self.elections.observe(took_ns)
            self.unclean_elections += elected.kind.may_lose

    def _decide(self, image: Image) -> Plan[ControllerReport | None]:
        if controller_of(image) != self._membership.broker_id:
            return Plan((), None)
        return next_controller_work(image, self._membership.broker_id, self._rules.elections) or Plan((), None)

    async def _rebalance_now(self) -> None:
        broker_id, percent_max = self._membership.broker_id, self._rules.imbalance_percent_max
        try:
            moved = await self._catalog.carry_out(lambda image: plan_rebalance_preferred(image, broker_id, percent_max))
        except StoreError as error:
            log.warning("leaderships were not moved to their preferred replicas: %s", error)
            return
        if moved:
            log.info("%d leaderships moved to their preferred replicas", len(moved))

    def _on_image(self, before: Image, after: Image) -> None:
        self._wake.set()


def _log_report(report: ControllerReport) -> None:
    for elected in report.elected:
        if elected.kind.may_lose:
            text = "%s: broker %d leads in epoch %d, and may lack acknowledged records (%s election)"
            log.error(text, elected.partition, elected.leader, elected.leader_epoch, elected.kind.value)
        elif elected.leader == NO_BROKER:
            log.error("%s has no leader: no live broker is in its ISR or ELR", elected.partition)
    log.info(
        "the controller elected %d leaders, removed dead brokers from %d more ISRs, completed %d reassignments",
        *map(len, report),
    )
