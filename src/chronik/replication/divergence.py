"""The offset from which two logs differ: a leader finds it from a fetch's last epoch, a follower in its own log.

Logs that end in the same epoch at the same offset are equal below it, because an epoch has one leader, and a leader
writes each offset once in its term.
"""

from typing import Final, Protocol

from chronik.model.ids import LeaderEpoch, Offset
from chronik.replication.events import Divergence, FetchAsk

NO_EPOCH: Final = LeaderEpoch(-1)


class Epochs(Protocol):
    """The leader epochs of a log, with their offsets."""

    latest: int

    def end_offset_for(self, leader_epoch: int, log_end_offset: int, /) -> tuple[int, int]:
        """Return the largest known epoch not above the given one, and its end offset; (-1, -1) if there is none."""


def epoch_end(epochs: Epochs, log_end_offset: int, epoch: int) -> Divergence:
    """Return the last epoch of a log up to ``epoch``, and where its records end."""
    if epochs.latest <= epoch:
        return Divergence(LeaderEpoch(epochs.latest), Offset(log_end_offset))
    known, end_offset = epochs.end_offset_for(epoch, log_end_offset)
    return Divergence(LeaderEpoch(known), Offset(end_offset))


def find_divergence(epochs: Epochs, log_start_offset: int, log_end_offset: int, ask: FetchAsk) -> Divergence | None:
    """Return where the log of a follower that sends ``ask`` diverges from the leader's, or None."""
    if ask.fetch_offset <= log_start_offset:
        # Records below the leader's log start cannot be compared, and do not matter.
        return None
    if ask.last_fetched_epoch == NO_EPOCH:
        return Divergence(NO_EPOCH, Offset(log_end_offset)) if ask.fetch_offset > log_end_offset else None
    if ask.last_fetched_epoch == epochs.latest and ask.fetch_offset <= log_end_offset:
        return None
    held = epoch_end(epochs, log_end_offset, ask.last_fetched_epoch)
    return held if held.epoch < ask.last_fetched_epoch or held.end_offset < ask.fetch_offset else None
