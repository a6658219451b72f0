"""Where two logs part: found by the leader from a fetch's last epoch, and by a follower in its own log.

Logs that end in the same epoch at the same offset are the same below it, because an epoch has one leader and a leader
writes each offset once in its term.
"""

from typing import Final, Protocol

from chronik.model.ids import LeaderEpoch, Offset
from chronik.replication.events import Divergence, FetchAsk

NO_EPOCH: Final = LeaderEpoch(-1)


class Epochs(Protocol):
    """Which leader epoch wrote which offsets of a log."""

    latest: int

    def end_offset_for(self, leader_epoch: int, log_end_offset: int, /) -> tuple[int, int]:
        """Give the largest known epoch not above the asked one, and the offset at which it ends; (-1, -1) if none."""


def epoch_end(epochs: Epochs, log_end_offset: int, epoch: int) -> Divergence:
    """Say up to where a log holds records of epochs up to ``epoch``, and which is the last of these epochs."""
    if epochs.latest <= epoch:
        return Divergence(LeaderEpoch(epochs.latest), Offset(log_end_offset))
    known, end_offset = epochs.end_offset_for(epoch, log_end_offset)
    return Divergence(LeaderEpoch(known), Offset(end_offset))


def find_divergence(epochs: Epochs, log_start_offset: int, log_end_offset: int, ask: FetchAsk) -> Divergence | None:
    """Say where the log of a follower that sends ``ask`` leaves the leader's, or None where it does not."""
    if ask.fetch_offset <= log_start_offset:
        # Nothing below the leader's log start can be compared, or matters.
        return None
    if ask.last_fetched_epoch == NO_EPOCH:
        return Divergence(NO_EPOCH, Offset(log_end_offset)) if ask.fetch_offset > log_end_offset else None
    if ask.last_fetched_epoch == epochs.latest and ask.fetch_offset <= log_end_offset:
        return None
    held = epoch_end(epochs, log_end_offset, ask.last_fetched_epoch)
    return held if held.epoch < ask.last_fetched_epoch or held.end_offset < ask.fetch_offset else None
