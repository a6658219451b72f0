"""A broker's membership of the cluster: its lease and its registration.

A broker is alive while it is registered. The registration depends on a lease that the store's engine renews. A process
that lost its lease (a pause, or an outage of the store) registers again with a new broker epoch, and leads only the
partitions that it is elected for. Its old terms end when the image shows the next leader epochs.

Leases are for liveness only: no record that was acknowledged with acks=all depends on them. They decide whether this
broker may acknowledge alone (acks 0 and 1, and a coordinator's own writes): after the lease's deadline another broker
may lead.
"""

import asyncio
import logging
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any, Final, NamedTuple

from chronik.metadata.catalog import Catalog
from chronik.metadata.decisions.brokers import ControlledShutdown, LeftPartition, plan_controlled_shutdown
from chronik.metadata.decisions.membership import Decision, MembershipCore
from chronik.metadata.image.image import Image
from chronik.metadata.image.keys import Registration
from chronik.metadata.stores.boot_clock import boot_ms
from chronik.metadata.stores.plan import Refusal
from chronik.metadata.stores.port import Lease, LeaseEndedError, Store, StoreError
from chronik.model.ids import BrokerEpoch, BrokerId

log = logging.getLogger(__name__)

RETRY_S: Final = 0.2
NAMED_PARTITIONS_MAX: Final = 10
LEASES_WAITED: Final = 2
"""How many lease times a start waits for another broker with the same id to end."""


class DuplicateBrokerError(StoreError):
    """Another process with another data directory has this broker's id."""


class MembershipRules(NamedTuple):
    """The settings of the membership."""

    session_ms: int
    flushes_every_append: bool = False
    controlled_shutdown_s_max: float = 15.0
    """Moving a thousand leaderships takes some seconds on a busy machine; the broker serves them meanwhile."""


class Membership:
    """Holds the lease and the registration of this broker; ``keep`` must run as a task once ``join`` has returned."""

    def __init__(self, store: Store, catalog: Catalog, registration: Registration, rules: MembershipRules) -> None:
        self._store = store
        self._catalog = catalog
        self._rules = rules
        self._core = MembershipCore(
            registration,
            lambda: catalog.image,
            self._log_left,
            flushes_every_append=rules.flushes_every_append,
        )
        self._lease: Lease | None = None
        self._is_gone = asyncio.Event()
        self.on_lost: Callable[[], None] = lambda: None
        """Called when the membership is lost, before it is sought again."""
        catalog.subscribe(self._on_image)

    @property
    def broker_id(self) -> BrokerId:
        return self._core.broker_id

    @property
    def lease(self) -> Lease | None:
        """The lease of the registration, or None while this broker is not registered."""
        return self._lease if self._core.broker_epoch is not None else None

    @property
    def broker_epoch(self) -> BrokerEpoch | None:
        """The broker epoch that is registered now."""
        return self._core.broker_epoch

    def may_acknowledge_alone(self) -> bool:
        """Return whether the lease still holds, so that no other broker can have been elected."""
        lease = self.lease
        return lease is not None and boot_ms() < lease.deadline_ms

    # --- joining

    async def join(self) -> None:
        """Register; return when this broker is a member, and has left the ISRs if its logs may be incomplete."""
        while True:
            await self._wait_for_namesake()
            lease = await self._store.lease(self._rules.session_ms)
            try:
                await self._join_on(lease)
            except LeaseEndedError as error:
                log.warning("broker %d was not registered in time, and tries again: %s", self.broker_id, error)
            else:
                return

    async def _join_on(self, lease: Lease) -> None:
        new_cluster_id = urlsafe_b64encode(secrets.token_bytes(16)).rstrip(b"=").decode()
        try:
            await self._carry_out_all(self._core.join(lease.id, new_cluster_id))
        except BaseException:
            with suppress(StoreError):
                await lease.revoke()
            raise
        self._lease = lease
        self._is_gone.clear()

    async def _carry_out_all(self, decisions: Generator[Decision, Any, None]) -> None:
        outcome: Any = None
        while True:
            try:
                decide = decisions.send(outcome)
            except StopIteration:
                return
            outcome = await self._catalog.carry_out(decide)

    def _log_left(self, left: tuple[LeftPartition, ...]) -> None:
        log.warning(
            "broker %d may have lost records (another directory, damage, or a machine that went down): "
            "it left the in-sync sets of %d partitions, and copies the records from their leaders%s",
            self.broker_id,
            len(left),
            _listed([str(one.partition) for one in left]),
        )
        last = [str(one.partition) for one in left if one.was_last]
        if last:
            log.error("acknowledged records of %d partitions may be lost%s", len(last), _listed(last))

    async def _wait_for_namesake(self) -> None:
        """Wait until another broker with this id is not registered any more: its lease may outlive it for a while."""
        wait_s = LEASES_WAITED * self._rules.session_ms / 1000
        try:
            async with asyncio.timeout(wait_s):
                while self._core.namesake(self._catalog.image) is not None:
                    await self._catalog.reached(self._catalog.image.next_revision)
        except TimeoutError:
            raise DuplicateBrokerError(self._duplicate_text(self._catalog.image)) from None

    def _duplicate_text(self, image: Image) -> str:
        other = self._core.namesake(image)
        where = ", ".join(f"{one.host}:{one.port}" for one in other.endpoints) if other is not None else "elsewhere"
        return (
            f"broker {self.broker_id} also runs at {where}, with another data directory. "
            "Give each broker a node.id of its own; nothing was changed here."
        )

    # --- staying

    def report_damage(self, what: str) -> None:
        """Report lost records that this broker had reported to others: it registers again and leaves all ISRs."""
        log.error("broker %d has lost records that it had reported: %s", self.broker_id, what)
        self._core.report_damage()
        self._is_gone.set()

    async def keep(self) -> None:
        """Register again whenever the membership is lost, for as long as the broker runs."""
        while True:
            await self._until_lost()
            log.warning("broker %d is no longer a member of the cluster: it registers again", self.broker_id)
            await self._give_up()
            await self._join_again()
            log.warning("broker %d is registered again, with broker epoch %d", self.broker_id, self.broker_epoch)

    async def _until_lost(self) -> None:
        assert self._lease is not None, "a broker joins before it stays"
        ends = {asyncio.ensure_future(self._lease.lost()), asyncio.ensure_future(self._is_gone.wait())}
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()

    async def _give_up(self) -> None:
        lease, self._lease = self._lease, None
        self._core.lose()
        self.on_lost()
        if self._core.namesake(self._catalog.image) is not None:
            raise DuplicateBrokerError(self._duplicate_text(self._catalog.image))
        if lease is not None:
            with suppress(StoreError):
                await lease.revoke()

    async def _join_again(self) -> None:
        while True:
            try:
                await self.join()
            except DuplicateBrokerError:
                raise
            except StoreError as error:
                log.warning(
                    "broker %d cannot register yet, and tries again: %s. See whether the metadata store answers.",
                    self.broker_id,
                    error,
                )
                await asyncio.sleep(RETRY_S)
            else:
                return

    def _on_image(self, before: Image, after: Image) -> None:
        if self._core.is_lost(after):
            self._is_gone.set()

    # --- going

    async def hand_over(self) -> None:
        """Move this broker's leaderships to others and leave the ISRs, within a time limit."""
        try:
            async with asyncio.timeout(self._rules.controlled_shutdown_s_max):
                handed = await self._catalog.carry_out(
                    self._core.decide_as(self.broker_epoch, plan_controlled_shutdown)
                )
        except (StoreError, TimeoutError) as error:
            log.warning("broker %d could not hand over what it leads: %s", self.broker_id, error or "no time left")
            return
        if not isinstance(handed, Refusal):
            self._log_controlled_shutdown(handed)

    def _log_controlled_shutdown(self, handed: ControlledShutdown) -> None:
        log.info("broker %d handed over %d leaderships", self.broker_id, len(handed.moved))
        if handed.kept and len(self._catalog.image.brokers) > 1:
            names = _listed([str(partition) for partition in handed.kept])
            log.warning(
                "no other broker could lead %d partitions, which are offline until this broker is back%s",
                len(handed.kept),
                names,
            )


def _listed(names: list[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - NAMED_PARTITIONS_MAX} more" if len(names) > NAMED_PARTITIONS_MAX else ""
    return f": {', '.join(names[:NAMED_PARTITIONS_MAX])}{more}"
