"""Rows as runs: neighbours of one producer in one partition whose sequences and offsets both rise by one.

Producers fill batches and brokers append them whole, so that a run is as long as a batch. Sums over a bucket are
made of runs, at a cost that does not grow with their length; rows in any other order are runs of one row.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from chronik.audit.judge.balance.bucketing import mixed
from chronik.audit.tables.bitmaps import BUCKET_BITS, BUCKET_SIZE, LOW_MASK
from chronik.audit.tables.columns import Flags, Hashes, Ints


@dataclass(frozen=True, slots=True)
class RowRuns:
    """Runs in the order of rows; together they are all rows."""

    starts: Ints
    """The number of the first row of each."""
    lengths: Ints
    producers: Ints
    sequences: Ints
    """Of the first row."""
    partitions: Ints
    offsets: Ints
    """Of the first row."""

    def __len__(self) -> int:
        return len(self.starts)

    def count(self, chosen: Flags | None) -> Ints:
        """Count the chosen rows of each run; all of them where nothing is said."""
        if chosen is None:
            return self.lengths
        return np.add.reduceat(chosen, self.starts, dtype=np.int64) if len(self) else self.lengths


def runs_of(producers: Any, sequences: Any, partitions: Any, offsets: Any) -> RowRuns:
    """Find the runs of rows, whose columns may have integers of any width."""
    if not len(producers):
        nothing = np.empty(0, np.int64)
        return RowRuns(nothing, nothing, nothing, nothing, nothing, nothing)
    is_new = np.empty(len(producers), np.bool_)
    is_new[0] = True
    ends = is_new[1:]
    np.not_equal(np.diff(sequences), 1, out=ends)
    ends |= np.diff(offsets) != 1
    ends |= producers[1:] != producers[:-1]
    ends |= partitions[1:] != partitions[:-1]
    starts = np.flatnonzero(is_new)
    return RowRuns(
        starts,
        np.diff(np.append(starts, len(producers))),
        producers[starts].astype(np.int64),
        sequences[starts].astype(np.int64),
        partitions[starts].astype(np.int64),
        offsets[starts].astype(np.int64),
    )


@dataclass(frozen=True, slots=True)
class RunParts:
    """Runs cut where their numbers pass into another block, or sub-bucket: each part lies in one."""

    of: Ints
    """The run that each part belongs to."""
    begins: Ints
    """How far from the begin of its run a part begins."""
    lengths: Ints
    buckets: Ints
    lows: Ints
    """The first number within the block."""


def cut(firsts: Ints, lengths: Ints, bits: int = BUCKET_BITS) -> RunParts:
    """Cut runs that begin with these numbers wherever the lower bits of a number begin again."""
    splits = firsts >> bits
    counts = ((firsts + lengths - 1) >> bits) - splits + 1
    if (counts == 1).all():
        nothing = np.zeros(len(firsts), np.int64)
        return RunParts(np.arange(len(firsts)), nothing, lengths, firsts >> BUCKET_BITS, firsts & LOW_MASK)
    of = np.repeat(np.arange(len(firsts)), counts)
    splits = splits[of] + np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    begins = np.maximum((splits << bits) - firsts[of], 0)
    ends = np.minimum(((splits + 1) << bits) - firsts[of], lengths[of])
    numbers = firsts[of] + begins
    return RunParts(of, begins, ends - begins, numbers >> BUCKET_BITS, numbers & LOW_MASK)


# -- hashes of places -------------------------------------------------------------------------------------------------


def place_hashes(runs: RowRuns, parts: RunParts) -> Hashes:
    """Return for each part the sum over its messages of (64 bits for the id) x (64 bits for its place).

    The place of a message is its partition and the distance of its offset from its sequence, the same for all
    messages of a run; so the sum is a difference of two sums over ids, which are known beforehand. With factors
    that are as good as random, equal sums over a bucket mean that every message is at its place.
    """
    ids = _ID_SUMS[parts.lows + parts.lengths] - _ID_SUMS[parts.lows]
    ahead = (runs.offsets - runs.sequences).view(np.uint64)
    places = mixed(ahead * np.uint64(0x9E3779B97F4A7C15) + runs.partitions.view(np.uint64))
    found: Hashes = ids * mixed(places * np.uint64(0xC2B2AE3D27D4EB4F) + runs.producers.view(np.uint64))[parts.of]
    return found


def _id_sums() -> Hashes:
    ids = mixed(np.arange(1, BUCKET_SIZE + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    # Unsigned numbers add up modulo 2**64.
    return np.append(np.uint64(0), np.cumsum(ids))


_ID_SUMS: Final = _id_sums()
"""The sum of the ids' hashes below each number of a block."""
