"""The start offset of each leader epoch, stored in Kafka's ``leader-epoch-checkpoint``."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

from chronik.storage.checkpoints import parse_pairs, spell_pairs

FILE_NAME: Final = "leader-epoch-checkpoint"
NO_EPOCH: Final = -1


class EpochRange(NamedTuple):
    """The offsets of one epoch; the latest has no end yet."""

    leader_epoch: int
    start_offset: int
    end_offset: int | None


class LeaderEpochs:
    """Epochs with their start offsets, both rising."""

    __slots__ = ("_epochs", "_starts", "is_dirty", "latest")

    def __init__(self, entries: Iterable[tuple[int, int]] = ()) -> None:
        pairs = list(entries)
        self._epochs = [epoch for epoch, _ in pairs]
        self._starts = [start for _, start in pairs]
        self.latest = self._epochs[-1] if pairs else NO_EPOCH
        self.is_dirty = False

    @property
    def entries(self) -> list[tuple[int, int]]:
        """Pairs of epoch and start offset."""
        return list(zip(self._epochs, self._starts, strict=True))

    def assign(self, leader_epoch: int, start_offset: int) -> None:
        """Note that an epoch writes from an offset on; a known or older epoch changes nothing."""
        if leader_epoch <= self.latest:
            return
        while self._starts and self._starts[-1] >= start_offset:
            self._starts.pop()
            self._epochs.pop()
        self._epochs.append(leader_epoch)
        self._starts.append(start_offset)
        self.latest = leader_epoch
        self.is_dirty = True

    def range_at(self, offset: int) -> EpochRange | None:
        slot = bisect_right(self._starts, offset) - 1
        if slot < 0:
            return None
        end = self._starts[slot + 1] if slot + 1 < len(self._starts) else None
        return EpochRange(self._epochs[slot], self._starts[slot], end)

    def epoch_of(self, offset: int) -> int:
        """Return the epoch of an offset, or -1 if it is unknown."""
        slot = bisect_right(self._starts, offset) - 1
        return self._epochs[slot] if slot >= 0 else NO_EPOCH

    def end_offset_for(self, leader_epoch: int, log_end_offset: int) -> tuple[int, int]:
        """Return the largest known epoch not above the requested one, and its end offset; (-1, -1) if none."""
        if leader_epoch == self.latest and leader_epoch != NO_EPOCH:
            return leader_epoch, log_end_offset
        slot = bisect_right(self._epochs, leader_epoch)
        if slot == len(self._epochs):
            # A future epoch: its end is unknown.
            return NO_EPOCH, -1
        if slot == 0:
            # Older than all known epochs: it ended where the first of them begins.
            return leader_epoch, self._starts[0]
        return self._epochs[slot - 1], self._starts[slot]

    def truncate_from_end(self, end_offset: int) -> None:
        """Remove epochs that start at an offset or later."""
        while self._starts and self._starts[-1] >= end_offset:
            self._starts.pop()
            self._epochs.pop()
            self.is_dirty = True
        self.latest = self._epochs[-1] if self._epochs else NO_EPOCH

    def truncate_from_start(self, start_offset: int) -> None:
        """Remove epochs that ended before an offset; the one at the offset starts there."""
        slot = bisect_right(self._starts, start_offset) - 1
        if slot >= 0 and self._starts[slot] < start_offset:
            del self._starts[:slot], self._epochs[:slot]
            self._starts[0] = start_offset
            self.is_dirty = True

    def clear(self) -> None:
        """Remove everything: the log starts over."""
        self._epochs, self._starts, self.latest, self.is_dirty = [], [], NO_EPOCH, True

    def to_bytes(self) -> bytes:
        """Encode the checkpoint file."""
        return spell_pairs(self.entries)


def parse_leader_epochs(data: bytes) -> LeaderEpochs:
    """Decode the checkpoint file; raise ``ValueError`` if it is damaged or its numbers do not rise."""
    pairs = parse_pairs(data)
    rising = all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(pairs))
    if not rising or any(epoch < 0 or start < 0 for epoch, start in pairs):
        raise ValueError("epochs and their offsets must rise")
    return LeaderEpochs(pairs)
