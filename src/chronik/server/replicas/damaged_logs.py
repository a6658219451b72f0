"""Logs of this broker that lack records which it had reported to a leader, and when they may serve and be repaired.

Such a log must not count as one that holds every committed record. The broker leaves the ISR and ELR with a new broker
epoch. When another broker leads, it truncates the log at the damage and fetches the rest again. Where no other broker
is in sync, nothing is truncated: the readable part of the last copy stays.
"""

from chronik.metadata.image.image import Image, PartitionImage
from chronik.model.ids import NO_BROKER, BrokerEpoch, BrokerId
from chronik.storage.log import Log

Key = tuple[str, int]


class DamagedLogs:
    """Damage of logs, until it is repaired."""

    def __init__(self, broker_id: BrokerId) -> None:
        self._broker_id = broker_id
        self._damaged_from: dict[Key, int] = {}
        self.held: dict[Key, Log] = {}
        """Logs that serve only after the broker has registered again."""
        self._found_in: dict[Key, BrokerEpoch | None] = {}

    def record(self, key: Key, state: PartitionImage, offset: int) -> bool:
        """Record damage; return whether the broker must leave the ISR and ELR, whose others hold the records."""
        known = self._damaged_from.get(key)
        if not self._others(state) or (known is not None and known <= offset):
            return False
        self._damaged_from[key] = offset
        return self._broker_id in (*state.isr, *state.elr)

    def is_accounted_for(self, state: PartitionImage) -> bool:
        """Return whether the loss is already accounted for: no ISR or ELR with other members contains this broker."""
        return self._broker_id not in (*state.isr, *state.elr) or not self._others(state)

    def _others(self, state: PartitionImage) -> list[BrokerId]:
        return [member for member in (*state.isr, *state.elr) if member != self._broker_id]

    def is_recorded(self, key: Key) -> bool:
        """Whether there is damage that is repaired from another replica."""
        return key in self._damaged_from

    def hold(self, key: Key, opened: Log, image: Image) -> None:
        """Keep a log from serving until the broker has registered again."""
        self.held[key] = opened
        self._found_in[key] = self._broker_epoch(image)

    def may_resume(self, key: Key, image: Image) -> bool:
        """Whether the broker has registered again since the damage was found."""
        now = self._broker_epoch(image)
        found_in = self._found_in[key]
        return now is not None and (found_in is None or now > found_in)

    def is_repairable(self, key: Key, state: PartitionImage) -> bool:
        """Whether there is damage, another broker leads, and this broker is neither in the ISR nor in the ELR."""
        if key not in self._damaged_from or state.leader in (NO_BROKER, self._broker_id):
            return False
        return self._broker_id not in state.isr and self._broker_id not in state.elr

    def take_repairable(self, key: Key, state: PartitionImage) -> int | None:
        """Return the offset to truncate to and forget the damage, or None while it is not repairable."""
        return self._damaged_from.pop(key) if self.is_repairable(key, state) else None

    def forget_led(self, key: Key) -> None:
        """Forget damage of a partition that is led here after all: the next read finds it again."""
        self._damaged_from.pop(key, None)

    def forget(self, key: Key) -> Log | None:
        """Forget a deleted partition; return its held log, which must be closed."""
        self._damaged_from.pop(key, None)
        self._found_in.pop(key, None)
        return self.held.pop(key, None)

    def _broker_epoch(self, image: Image) -> BrokerEpoch | None:
        own = image.brokers.get(self._broker_id)
        return None if own is None else own.broker_epoch
