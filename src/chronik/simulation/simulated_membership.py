"""A simulated broker's membership: the real core, driven by callbacks in simulated time, and the controller's work."""

from collections.abc import Callable, Generator
from typing import Any, Final, Protocol

from chronik.metadata.decisions.brokers import LeftPartition, plan_controlled_shutdown
from chronik.metadata.decisions.elections import ElectionRules, next_controller_work, plan_take_control
from chronik.metadata.decisions.membership import Decision, MembershipCore
from chronik.metadata.image.image import Image
from chronik.metadata.image.keys import Registration
from chronik.metadata.stores.plan import Plan
from chronik.metadata.stores.port import LeaseEndedError, LeaseId
from chronik.model.ids import BrokerEpoch, BrokerId, TopicPartition
from chronik.simulation.network import LOST
from chronik.simulation.process import SimulatedProcess
from chronik.simulation.scheduler import Scheduler
from chronik.simulation.simulated_store import UNKNOWN, Decide, Hold

RETRY_US: Final = 100_000
CLUSTER_ID: Final = "simulated"


class Tenant(Protocol):
    """The broker that the membership is of."""

    def serve(self) -> None:
        """The broker is a member, and out of every set that it might disgrace."""

    def note(self, text: str) -> None:
        """Put a line into the trace."""

    def report(self, partition: TopicPartition) -> None:
        """Report that acknowledged records of a partition may be lost."""

    def look_for_leaderless(self, image: Image) -> None:
        """As the controller, elect where everybody in sync may have lost data."""


class SimulatedMembership:
    """One life's membership: from joining on, a member again whenever it is lost."""

    def __init__(
        self,
        tenant: Tenant,
        hold: Hold,
        process: SimulatedProcess,
        scheduler: Scheduler,
        registration: Registration,
        lease_ms: int,
    ) -> None:
        self._lease_ms = lease_ms
        self._tenant = tenant
        self._hold = hold
        self._process = process
        self._scheduler = scheduler
        self._core = MembershipCore(registration, lambda: hold.image, self._report_left)
        self.lease: LeaseId | None = None
        self._deadline_ms = 0
        self._is_on_duty = False

    @property
    def broker(self) -> BrokerId:
        return self._core.broker_id

    @property
    def broker_epoch(self) -> BrokerEpoch | None:
        return self._core.broker_epoch

    @property
    def image(self) -> Image:
        return self._hold.image

    def may_acknowledge_alone(self) -> bool:
        """Return whether no other broker can have been elected."""
        return self.broker_epoch is not None and self._scheduler.now_ms < self._deadline_ms

    # --- joining

    def join(self) -> None:
        asked_ms = self._scheduler.now_ms

        def granted(lease: LeaseId | None) -> None:
            if lease is None:
                self._join_later()
                return
            self.lease = lease
            self._deadline_ms = asked_ms + self._lease_ms
            self._renew_later(lease)
            self._join_on(self._core.join(lease, CLUSTER_ID), None)

        self._hold.lease(self._lease_ms, granted)

    def _join_later(self) -> None:
        self.revoke()
        self.lease = None
        self._process.later(RETRY_US, self.join)

    def _join_on(self, decisions: Generator[Decision, Any, None], outcome: object) -> None:
        if outcome is UNKNOWN:
            self._join_later()
            return
        try:
            decide = decisions.send(outcome)
        except LeaseEndedError:
            self._join_later()
        except StopIteration:
            self._serve()
        else:
            self._hold.carry_out(decide, lambda result: self._join_on(decisions, result))

    def _report_left(self, left: tuple[LeftPartition, ...]) -> None:
        self._tenant.note("may have lost its tail, and leaves the sets")
        for one in left:
            if one.was_last:
                self._tenant.report(one.partition)

    def _serve(self) -> None:
        self._tenant.note(f"serves as broker epoch {self.broker_epoch}")
        self._tenant.serve()
        self.work()

    # --- staying

    def _renew_later(self, lease: LeaseId) -> None:
        self._process.later(self._lease_ms * 1000 // 3, lambda: self._renew(lease))

    def _renew(self, lease: LeaseId) -> None:
        if lease != self.lease:
            return
        asked_ms = self._scheduler.now_ms

        def renewed(answer: object) -> None:
            if lease != self.lease:
                return
            if answer is None:
                self._lose("its lease has ended")
                return
            if answer is not LOST:
                self._deadline_ms = asked_ms + self._lease_ms
            self._renew_later(lease)

        self._hold.renew(lease, renewed)

    def on_image(self, image: Image) -> None:
        """See whether this broker is still registered, and do the controller's work."""
        if self._core.is_lost(image):
            self._lose("it is not registered any more")
        else:
            self.work()

    def report_damage(self, what: str) -> None:
        """Report damage: this broker registers again and leaves all in-sync sets."""
        self._core.report_damage()
        self._process.later(0, lambda: self._leave_for_damage(what))

    def _leave_for_damage(self, what: str) -> None:
        if self._core.has_damage and self.broker_epoch is not None:
            self._lose(f"it found damage in {what}")

    def _lose(self, why: str) -> None:
        was_serving = self.broker_epoch is not None
        self._core.lose()
        if was_serving:
            self._tenant.note(f"is no member any more: {why}")
            self._join_later()

    # --- the controller's duty

    def work(self) -> None:
        """Take the office if it is free, and do what the image calls for."""
        image, lease = self._hold.image, self.lease
        if self._is_on_duty or self.broker_epoch is None or lease is None or self.broker not in image.brokers:
            return
        if image.controller is None:
            self._carry_out(lambda now: plan_take_control(now, self.broker, lease))
        elif next_controller_work(image, self.broker, ElectionRules()) is not None:
            self._carry_out(lambda now: next_controller_work(now, self.broker, ElectionRules()) or Plan((), None))
        elif image.controller.broker_id == self.broker:
            self._tenant.look_for_leaderless(image)

    def _carry_out(self, decide: Decide) -> None:
        self._is_on_duty = True

        def worked(result: object) -> None:
            self._is_on_duty = False
            delay_us = RETRY_US if result is UNKNOWN else 0
            self._process.later(delay_us, self.work)

        self._hold.carry_out(decide, worked)

    # --- going

    def hand_over(self, then: Callable[[], None]) -> None:
        """Let others lead, then revoke the lease and call back; bounded, as a stop must be."""
        done = _Once(then)

        def handed(result: object) -> None:
            done.call()

        if self.broker_epoch is None:
            done.call()
            return
        self._process.later(1_000_000, done.call)
        self._hold.carry_out(self._core.decide_as(self.broker_epoch, plan_controlled_shutdown), handed)

    def revoke(self) -> None:
        if self.lease is not None:
            self._hold.revoke(self.lease)


class _Once:
    """A call that happens once."""

    def __init__(self, action: Callable[[], None]) -> None:
        self._action: Callable[[], None] | None = action

    def call(self) -> None:
        action, self._action = self._action, None
        if action is not None:
            action()
