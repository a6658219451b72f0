"""What disks do to simulated brokers: they refuse, fill up, write in pieces, and change what was written."""

import errno
from collections.abc import Callable
from random import Random
from typing import Final, Protocol

from chronik.model.ids import BrokerId
from chronik.simulation.disk_damage import IN_THE_RECORDS, damage_batch
from chronik.simulation.scheduler import Action
from chronik.simulation.simulated_broker import SimulatedBroker
from chronik.simulation.world import World

PLACES: Final = (0, 7, 8, 11, 16, 17, 23, 26, 57, IN_THE_RECORDS)
"""Bytes of a batch that may change: offset, length, magic, CRC, count, records.

Not the leader epoch, which no checksum covers: read from a running log it is found, but a broker that meets one above
the store's when it starts refuses to serve until somebody has looked."""


class Hand(Protocol):
    """What does harm, and undoes it."""

    world: World
    dice: Random

    def any(self) -> SimulatedBroker:
        """Choose a broker."""

    def later(self, delay_us: int, action: Action) -> None:
        """Do something later, unless all harm is over by then."""

    def kill(self, broker: SimulatedBroker, restart_us: int) -> None:
        """Kill a process and start it again later."""

    def may_lose(self, broker: BrokerId) -> bool:
        """Whether a broker may lose data."""


class DiskFaults:
    """Lets a disk fail for a while; then somebody mends it and restarts the broker."""

    def __init__(self, hand: Hand, *, may_damage: bool) -> None:
        self._hand = hand
        self._may_damage = may_damage
        self._dice = hand.dice

    def kinds(self) -> list[tuple[int, Callable[[], None]]]:
        return [
            (2, self.refuse_writes),
            (2, self.refuse_flushes),
            (1, self.fill_disk),
            (1, self.write_in_pieces),
            (2 * self._may_damage, self.flip_bits),
        ]

    def refuse_writes(self) -> None:
        """The next writes to log files fail."""
        self._refuse("write")

    def refuse_flushes(self) -> None:
        """The next flushes fail, and what they should have made durable never will be."""
        self._refuse("sync")

    def _refuse(self, operation: str) -> None:
        broker = self._hand.any()
        pattern = self._dice.choice(("*.log", "*.log", "*"))
        self._hand.world.note("nemesis", f"lets {broker.process.name}'s disk refuse to {operation} {pattern}")
        broker.machine.disk.fail_next(operation, errno.EIO, pattern, count=self._dice.randint(1, 3))
        self._mend_later(broker)

    def fill_disk(self) -> None:
        """Little can be written any more; the last write may be cut short."""
        broker = self._hand.any()
        self._hand.world.note("nemesis", f"fills {broker.process.name}'s disk")
        broker.machine.disk.space_bytes = self._dice.randint(0, 3_000)
        self._mend_later(broker)

    def _mend_later(self, broker: SimulatedBroker) -> None:
        def mend() -> None:
            broker.machine.disk.space_bytes = None
            broker.machine.disk.forgive()
            self._hand.kill(broker, self._dice.randint(10_000, 500_000))

        self._hand.later(self._dice.randint(100_000, 1_500_000), mend)

    def write_in_pieces(self) -> None:
        """Each call writes little, from now on."""
        self._hand.any().machine.disk.write_bytes_max = self._dice.choice((7, 64, 300))

    def flip_bits(self) -> None:
        """Some bytes of a log change, as lossy as a lost disk where nobody else has them."""
        broker = self._hand.any()
        if broker.table is None or not self._hand.may_lose(broker.id):
            return
        logs = [replica.log for replica in broker.table.all() if replica.log.log_end_offset > 0]
        if not logs:
            return
        log = self._dice.choice(logs)
        offset = self._dice.randrange(log.log_start_offset, log.log_end_offset)
        if log.offline is None and damage_batch(log, offset, self._dice.choice(PLACES)):
            self._hand.world.note("nemesis", f"flips bits of {broker.process.name} at offset {offset}")
            self._hand.world.judge.on_damage(broker.id)
