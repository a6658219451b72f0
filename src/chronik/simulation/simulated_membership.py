"""A simulated broker's place in the cluster: its lease, its registration, and the controller's duty if it holds it."""

from collections.abc import Callable
from typing import Final, Protocol

from chronik.metadata.decisions.brokers import Registered, plan_clear_lossy, plan_leave_sets, plan_register_broker
from chronik.metadata.decisions.controlled_shutdown import plan_hand_over
from chronik.metadata.decisions.elections import ElectionRules, next_controller_work, plan_take_control
from chronik.metadata.image.image import Image
from chronik.metadata.image.keys import Registration
from chronik.metadata.stores.plan import Plan, Refusal
from chronik.metadata.stores.port import LeaseId
from chronik.model.ids import BrokerEpoch, BrokerId, TopicPartition
from chronik.simulation.network import LOST
from chronik.simulation.process import Process
from chronik.simulation.scheduler import Scheduler
from chronik.simulation.simulated_store import UNKNOWN, Decide, Hold

RETRY_US: Final = 100_000
CLUSTER_ID: Final = "simulated"


class Tenant(Protocol):
    """The broker that the membership is of."""

    def serve(self) -> None:
        """The broker is a member, and out of every set that it might disgrace."""

    def end_all_terms(self) -> None:
        """The membership is lost."""

    def note(self, text: str) -> None:
        """Put a line into the trace."""

    def report(self, partition: TopicPartition) -> None:
        """Say that acknowledged records of a partition may be lost."""

    def look_for_stranded(self, image: Image) -> None:
        """As the controller, elect where everybody in sync may have lost data."""


class Membership:
    """One life's membership: from joining on, a member again whenever it is lost."""

    def __init__(
        self,
        tenant: Tenant,
        hold: Hold,
        process: Process,
        scheduler: Scheduler,
        registration: Registration,
        lease_ms: int,
    ) -> None:
        self._lease_ms = lease_ms
        self._tenant = tenant
        self._hold = hold
        self._process = process
        self._scheduler = scheduler
        self._registration = registration
        self.lease: LeaseId | None = None
        self._deadline_ms = 0
        self._is_on_duty = False
        self._has_damage = False
        self.broker_epoch: BrokerEpoch | None = None

    @property
    def broker(self) -> BrokerId:
        return self._registration.broker_id

    @property
    def image(self) -> Image:
        return self._hold.image

    def may_acknowledge_alone(self) -> bool:
        """Whether nobody else can have been elected yet."""
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
            self._register(lease)

        self._hold.lease(self._lease_ms, granted)

    def _join_later(self) -> None:
        self.lease = None
        self._process.later(RETRY_US, self.join)

    def _register(self, lease: LeaseId) -> None:
        def decide(image: Image) -> Plan[object]:
            return plan_register_broker(
                image,
                self._registration,
                CLUSTER_ID,
                lease,
                flushes_every_append=False,
                found_damage=self._has_damage,
            )

        def registered(result: object) -> None:
            if not isinstance(result, Registered):
                self._join_later()
            elif result.is_lossy:
                self._tenant.note("may have lost its tail, and leaves the sets")
                self._leave_sets()
            else:
                self._begin()

        self._hold.carry_out(decide, registered)

    def _leave_sets(self) -> None:
        def left(result: object) -> None:
            if result is UNKNOWN or isinstance(result, Refusal):
                self._join_later()
            else:
                self._tell_left(result)
                self._hold.carry_out(lambda image: plan_clear_lossy(image, self.broker), cleared)

        def cleared(result: object) -> None:
            if result is None:
                self._begin()
            else:
                self._join_later()

        self._hold.carry_out(lambda image: plan_leave_sets(image, self.broker), left)

    def _tell_left(self, left: object) -> None:
        assert isinstance(left, tuple)
        for one in left:
            if one.was_last:
                self._tenant.report(one.partition)

    def _begin(self) -> None:
        own = self._hold.image.brokers.get(self.broker)
        if own is None or self.lease is None:
            self._join_later()
            return
        self.broker_epoch = own.broker_epoch
        self._has_damage = False
        self._tenant.note(f"serves as broker epoch {own.broker_epoch}")
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
        own = image.brokers.get(self.broker)
        if self.broker_epoch is not None and (own is None or own.broker_epoch != self.broker_epoch):
            self._lose("it is not registered any more")
        else:
            self.work()

    def report_damage(self, what: str) -> None:
        """Say that what this broker had reported cannot be read: it leaves all sets under a new broker epoch."""
        self._has_damage = True
        self._process.later(0, lambda: self._leave_for_damage(what))

    def _leave_for_damage(self, what: str) -> None:
        if self._has_damage and self.broker_epoch is not None:
            self.revoke()
            self._lose(f"it found damage in {what}")

    def _lose(self, why: str) -> None:
        was_serving, self.broker_epoch = self.broker_epoch is not None, None
        self._registration = self._registration._replace(closed_broker_epoch=None)
        if was_serving:
            self._tenant.note(f"is no member any more: {why}")
            self._tenant.end_all_terms()
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
            self._tenant.look_for_stranded(image)

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
        self._hold.carry_out(lambda image: plan_hand_over(image, self.broker), handed)

    def revoke(self) -> None:
        if self.lease is not None:
            self._hold.revoke(self.lease)


class _Once:
    """A call that happens once, whoever asks first."""

    def __init__(self, action: Callable[[], None]) -> None:
        self._action: Callable[[], None] | None = action

    def call(self) -> None:
        action, self._action = self._action, None
        if action is not None:
            action()
