"""A broker's membership as a core: which decisions the store must carry out, in which order, and when it is lost.

Joining is a generator of decisions. A driver carries each of them out at the store and sends the outcome back; where
the store does not answer, it drops the generator and joins again. The asyncio broker and the simulation drive the
same generator.
"""

from collections.abc import Callable, Generator
from functools import partial
from typing import Any, TypeVar

from chronik.metadata.decisions.brokers import (
    LeftPartition,
    plan_clear_lossy,
    plan_leave_sets,
    plan_register_broker,
)
from chronik.metadata.image.image import Image
from chronik.metadata.image.keys import Registration
from chronik.metadata.stores.plan import Plan, Refusal
from chronik.metadata.stores.port import LeaseEndedError, LeaseId
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerEpoch, BrokerId

T = TypeVar("T")

Decision = Callable[[Image], Plan[Any] | Refusal]


class MembershipCore:
    """The registration of one broker process, from joining on and again whenever it is lost."""

    def __init__(
        self,
        registration: Registration,
        image: Callable[[], Image],
        on_left: Callable[[tuple[LeftPartition, ...]], None],
        *,
        flushes_every_append: bool = False,
    ) -> None:
        self.registration = registration
        self._image = image
        self._on_left = on_left
        self._flushes_every_append = flushes_every_append
        self._has_damage = False
        self.broker_epoch: BrokerEpoch | None = None
        """The broker epoch that is registered now."""

    @property
    def broker_id(self) -> BrokerId:
        return self.registration.broker_id

    @property
    def has_damage(self) -> bool:
        """Return whether damage was reported since the last registration."""
        return self._has_damage

    # --- joining

    def join(self, lease: LeaseId, new_cluster_id: str) -> Generator[Decision, Any, None]:
        """Register on a lease, and leave every in-sync set first if the ends of this broker's logs may be lost.

        Raises LeaseEndedError where the registration is gone before it is complete.
        """
        registered = yield partial(self._plan_register, lease, new_cluster_id)
        assert not isinstance(registered, Refusal), "a broker may always register"
        if registered.is_lossy:
            yield from self._leave_sets()
        self.broker_epoch = self._registered_epoch()
        self._has_damage = False

    def _plan_register(self, lease: LeaseId, new_cluster_id: str, image: Image) -> Plan[Any]:
        return plan_register_broker(
            image,
            self.registration,
            new_cluster_id,
            lease,
            flushes_every_append=self._flushes_every_append and not _is_flushed_less(image),
            found_damage=self._has_damage,
        )

    def _leave_sets(self) -> Generator[Decision, Any, None]:
        """Leave every in-sync set: this broker may not count as a member that holds every committed record."""
        broker_epoch = self._registered_epoch()
        left = yield self.decide_as(broker_epoch, plan_leave_sets)
        if isinstance(left, Refusal):
            raise LeaseEndedError(left.message)
        self._on_left(left)
        cleared = yield self.decide_as(broker_epoch, plan_clear_lossy)
        if isinstance(cleared, Refusal):
            raise LeaseEndedError(cleared.message)

    def decide_as(
        self, broker_epoch: BrokerEpoch | None, decide: Callable[[Image, BrokerId], Plan[T] | Refusal]
    ) -> Callable[[Image], Plan[T] | Refusal]:
        """Decide only while this broker is registered with this epoch: a later registration decides for itself."""

        def decide_if_registered(image: Image) -> Plan[T] | Refusal:
            found = image.brokers.get(self.broker_id)
            if found is None or found.broker_epoch != broker_epoch:
                return Refusal(ErrorCode.STALE_BROKER_EPOCH, f"the registration of broker {self.broker_id} is gone")
            return decide(image, self.broker_id)

        return decide_if_registered

    def _registered_epoch(self) -> BrokerEpoch:
        image = self._image()
        found = image.brokers.get(self.broker_id)
        if found is None or self.namesake(image) is not None:
            raise LeaseEndedError(f"the registration of broker {self.broker_id} is gone")
        return found.broker_epoch

    def namesake(self, image: Image) -> Registration | None:
        """Return a registration under this broker's id that belongs to another data directory."""
        found = image.brokers.get(self.broker_id)
        if found is None or found.registration.directory_id == self.registration.directory_id:
            return None
        return found.registration

    # --- staying

    def is_lost(self, image: Image) -> bool:
        """Return whether the image does not have this broker's registration any more."""
        found = image.brokers.get(self.broker_id)
        return self.broker_epoch is not None and (found is None or found.broker_epoch != self.broker_epoch)

    def report_damage(self) -> None:
        """Take note of lost records that this broker had reported: the next registration leaves all sets."""
        self._has_damage = True

    def lose(self) -> None:
        """End the membership. The clean-shutdown mark closed an earlier broker epoch, not the one that is lost."""
        self.broker_epoch = None
        self.registration = self.registration._replace(closed_broker_epoch=None)


def _is_flushed_less(image: Image) -> bool:
    """Return whether some topic does not flush every append, although the broker's setting would."""
    return any(topic.configs.get("flush.messages", "1") != "1" for topic in image.topics.values())
