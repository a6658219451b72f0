"""What disks do to simulated brokers: they refuse, fill up, write in pieces, and change what was written."""

import errno
from collections.abc import Callable
from random import Random
from typing import Final, Protocol

from chronik.model.ids import BrokerId
from chronik.records.batch import HEADER_BYTES
from chronik.simulation.scheduler import Action
from chronik.simulation.simulated_broker import SimulatedBroker
from chronik.simulation.world import World
from chronik.storage.errors import CorruptBatchError
from chronik.storage.faulty_disk import FaultyDisk
from chronik.storage.log import Log
from chronik.storage.reading import FoundBatch, locate

IN_THE_RECORDS: Final = HEADER_BYTES + 4
"""A place in a batch that only its CRC speaks for."""


PLACES: Final = (0, 7, 8, 11, 16, 17, 23, 26, 57, IN_THE_RECORDS)
"""Bytes of a batch that may change: offset, length, magic, CRC, count, records.

Not the leader epoch, which no checksum covers: read from a running log it is found, but a broker that meets one above
the store's when it starts refuses to serve until an operator has looked."""


class Hand(Protocol):
    """What does harm, and undoes it."""

    world: World
    rng: Random

    def any(self) -> SimulatedBroker:
        """Choose a broker."""

    def later(self, delay_us: int, action: Action) -> None:
        """Do something later, unless all harm is over by then."""

    def kill(self, broker: SimulatedBroker, restart_us: int) -> None:
        """Kill a process and start it again later."""

    def may_lose(self, broker: BrokerId) -> bool:
        """Whether a broker may lose data."""


class DiskFaults:
    """Lets a disk fail for a while; then the disk is repaired and the broker is restarted."""

    def __init__(self, hand: Hand, *, may_damage: bool) -> None:
        self._hand = hand
        self._may_damage = may_damage
        self._rng = hand.rng

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
        pattern = self._rng.choice(("*.log", "*.log", "*"))
        self._hand.world.note("nemesis", f"lets {broker.process.name}'s disk refuse to {operation} {pattern}")
        broker.machine.disk.fail_next(operation, errno.EIO, pattern, count=self._rng.randint(1, 3))
        self._mend_later(broker)

    def fill_disk(self) -> None:
        """Little can be written any more; the last write may be cut short."""
        broker = self._hand.any()
        self._hand.world.note("nemesis", f"fills {broker.process.name}'s disk")
        broker.machine.disk.space_bytes = self._rng.randint(0, 3_000)
        self._mend_later(broker)

    def _mend_later(self, broker: SimulatedBroker) -> None:
        def mend() -> None:
            broker.machine.disk.space_bytes = None
            broker.machine.disk.forgive()
            self._hand.kill(broker, self._rng.randint(10_000, 500_000))

        self._hand.later(self._rng.randint(100_000, 1_500_000), mend)

    def write_in_pieces(self) -> None:
        """Each call writes little, from now on."""
        self._hand.any().machine.disk.write_bytes_max = self._rng.choice((7, 64, 300))

    def flip_bits(self) -> None:
        """Some bytes of a log change, which loses them where no other replica has them."""
        broker = self._hand.any()
        if broker.table is None or not self._hand.may_lose(broker.id):
            return
        logs = [replica.log for replica in broker.table.all() if replica.log.log_end_offset > 0]
        if not logs:
            return
        log = self._rng.choice(logs)
        offset = self._rng.randrange(log.log_start_offset, log.log_end_offset)
        if log.offline is None and damage_batch(log, offset, self._rng.choice(PLACES)):
            self._hand.world.note("nemesis", f"flips bits of {broker.process.name} at offset {offset}")
            self._hand.world.judge.on_damage(broker.id)


def damage_batch(log: Log, offset: int, place: int = IN_THE_RECORDS) -> bool:
    """Flip bits of the batch that holds an offset; False where it was damaged before."""
    disk, segment = log.disk, log._segments[log._segments.slot_of(offset)]
    assert isinstance(disk, FaultyDisk)
    try:
        found = locate(segment, offset, is_dense=True)
    except CorruptBatchError:
        return False
    if not isinstance(found, FoundBatch):
        return False
    position = found.position + place
    before = disk.read_bytes(segment.path)[position]
    disk.damage(segment.path, position, bytes([before ^ 0x55]))
    return True
