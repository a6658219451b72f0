"""Which logs of this broker lack records that it had reported, and when they may serve and be mended.

Such a log must not pass for one that holds every committed record. The broker leaves the in-sync sets under a new
broker epoch, and when others lead, it cuts from the damage on and copies the rest anew. Where nobody else is in sync
nothing is cut: what can be read of the last copy stays.
"""

from chronik.metadata.image.image import Image, PartitionImage
from chronik.model.ids import NO_BROKER, BrokerEpoch, BrokerId
from chronik.storage.log import Log

Key = tuple[str, int]


class DamagedLogs:
    """Remembers damage until it is mended."""

    def __init__(self, broker_id: BrokerId) -> None:
        self._broker_id = broker_id
        self._damaged_from: dict[Key, int] = {}
        self.held: dict[Key, Log] = {}
        """Logs that wait for the broker's next epoch before they serve."""
        self._found_in: dict[Key, BrokerEpoch | None] = {}

    def record(self, key: Key, state: PartitionImage, offset: int) -> bool:
        """Note damage; True where the broker must leave the sets for it, because others hold what is lost here."""
        known = self._damaged_from.get(key)
        if not self._others(state) or (known is not None and known <= offset):
            return False
        self._damaged_from[key] = offset
        return self._broker_id in (*state.isr, *state.elr)

    def is_accounted_for(self, state: PartitionImage) -> bool:
        """Whether what is lost here need not be told: nobody takes this broker for one of several who hold it."""
        return self._broker_id not in (*state.isr, *state.elr) or not self._others(state)

    def _others(self, state: PartitionImage) -> list[BrokerId]:
        return [member for member in (*state.isr, *state.elr) if member != self._broker_id]

    def is_recorded(self, key: Key) -> bool:
        """Whether there is damage that others will mend."""
        return key in self._damaged_from

    def hold(self, key: Key, opened: Log, image: Image) -> None:
        """Keep a log from serving until the broker is registered anew."""
        self.held[key] = opened
        self._found_in[key] = self._broker_epoch(image)

    def may_resume(self, key: Key, image: Image) -> bool:
        """Whether the broker has been registered anew since the damage was found."""
        now = self._broker_epoch(image)
        found_in = self._found_in[key]
        return now is not None and (found_in is None or now > found_in)

    def is_repairable(self, key: Key, state: PartitionImage) -> bool:
        """Whether there is damage, somebody else leads, and this broker is in no set that vouches for its log."""
        if key not in self._damaged_from or state.leader in (NO_BROKER, self._broker_id):
            return False
        return self._broker_id not in state.isr and self._broker_id not in state.elr

    def take_repairable(self, key: Key, state: PartitionImage) -> int | None:
        """Give the offset to cut from, once that may be done; it is then forgotten."""
        return self._damaged_from.pop(key) if self.is_repairable(key, state) else None

    def leads(self, key: Key) -> None:
        """Forget damage of what is led here after all: it is found again when it is read."""
        self._damaged_from.pop(key, None)

    def forget(self, key: Key) -> Log | None:
        """Let go of a partition that is deleted; gives the log that was held, to be closed."""
        self._damaged_from.pop(key, None)
        self._found_in.pop(key, None)
        return self.held.pop(key, None)

    def _broker_epoch(self, image: Image) -> BrokerEpoch | None:
        own = image.brokers.get(self._broker_id)
        return None if own is None else own.broker_epoch
