"""What the observer saw of one partition, as series in time: watermarks, log ends and leaders."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from chronik.audit.tables.columns import Flags, Ints, integers
from chronik.audit.tables.schemas import AS_CLIENTS_SEE_IT

NO_BOUND: Final = np.iinfo(np.int64).max
OLD_US: Final = 2_000_000
"""A watermark that was seen longer ago says nothing of a time."""


@dataclass(frozen=True, slots=True)
class Series:
    """Samples in the order of time."""

    times: Ints
    log_starts: Ints
    watermarks: Ints
    stables: Ints
    log_ends: Ints
    epochs: Ints

    def __len__(self) -> int:
        return len(self.times)

    def at_or_after(self, at_us: int) -> int:
        """Return the first sample that is not older; the last one where all are."""
        return min(int(np.searchsorted(self.times, at_us)), len(self) - 1)


@dataclass(frozen=True, slots=True)
class Watched:
    """One partition: the leader's samples, each with its in-sync set, and every replica's own."""

    leader: Series
    in_sync: tuple[tuple[int, ...], ...]
    leaders: Ints
    replicas: dict[int, Series]

    def bound_at(self, at_us: int) -> int:
        """Return the lower of the served watermark and the smallest in-sync log end, at this time or right after it."""
        if not len(self.leader):
            return NO_BOUND
        number = self.leader.at_or_after(at_us)
        ends = [self._end_of(node, at_us) for node in self.in_sync[number]]
        # The last sample of a partition that answers no longer is old, and no bound now.
        is_old = self.leader.times[number] < at_us - OLD_US
        return min([NO_BOUND if is_old else _known(int(self.leader.watermarks[number])), *ends])

    def stable_at(self, at_us: int) -> int:
        """Return the last stable offset, at this time or at once after it."""
        return _known(int(self.leader.stables[self.leader.at_or_after(at_us)])) if len(self.leader) else NO_BOUND

    def log_start(self) -> int:
        """Return where the log began when it was seen last; -1 where it was not seen."""
        return int(self.leader.log_starts.max()) if len(self.leader) else -1

    def log_end(self) -> int:
        """Return where the leader's log ended when it was seen last; -1 where it was not seen."""
        known = self.leader.log_ends[self.leader.log_ends >= 0]
        return int(known[-1]) if len(known) else -1

    def last_leader(self) -> int:
        return int(self.leaders[-1]) if len(self.leaders) else AS_CLIENTS_SEE_IT

    def is_new_epoch_after(self, times_us: Ints) -> Flags:
        """Return whether the leader epoch rose after each time."""
        if not len(self.leader):
            return np.zeros(len(times_us), np.bool_)
        rose: Flags = self.leader.epochs.max() > self.epochs_at(times_us, 0)
        return rose

    def epochs_at(self, times_us: Ints, otherwise: int) -> Ints:
        """Return the leader epoch that was seen last at each time."""
        if not len(self.leader):
            return np.full(len(times_us), otherwise)
        before = np.maximum(np.searchsorted(self.leader.times, times_us, side="right") - 1, 0)
        return self.leader.epochs[before]

    def are_above(self, offsets: Ints, received_us: Ints) -> Flags:
        """Return which records were there before any watermark had passed them.

        The sample that follows a delivery may have been asked for before it; the one behind that was not. What it or
        any before it shows as readable could be read.
        """
        if len(self.leader) < 2:
            return np.zeros(len(offsets), np.bool_)
        bounds = np.maximum.accumulate(self._bounds())
        second = np.searchsorted(self.leader.times, received_us) + 1
        is_seen = second < len(self.leader)
        above: Flags = is_seen & (bounds[np.minimum(second, len(self.leader) - 1)] <= offsets)
        return above

    def _bounds(self) -> Ints:
        """Return the bound at each sample: a replica's log end counts by its own next sample, which is not lower."""
        bounds = np.where(self.leader.watermarks < 0, NO_BOUND, self.leader.watermarks)
        for node, series in self.replicas.items():
            following = np.searchsorted(series.times, self.leader.times)
            ends = series.log_ends[np.minimum(following, len(series) - 1)]
            is_counted = np.array([node in members for members in self.in_sync]) & (following < len(series))
            bounds = np.where(is_counted, np.minimum(bounds, ends), bounds)
        return bounds

    def _end_of(self, node: int, at_us: int) -> int:
        series = self.replicas.get(node)
        if series is None:
            return NO_BOUND
        number = series.at_or_after(at_us)
        return NO_BOUND if series.times[number] < at_us - OLD_US else _known(int(series.log_ends[number]))


def _known(number: int) -> int:
    return NO_BOUND if number < 0 else number


def watch(observed: pa.Table) -> dict[int, Watched]:
    """Sort the observer's samples by partition."""
    if not observed.num_rows:
        return {}
    ordered = observed.sort_by([("partition", "ascending"), ("at_us", "ascending"), ("node", "ascending")])
    partitions = _ints(ordered, "partition")
    names, starts = np.unique(partitions, return_index=True)
    ends = np.append(starts[1:], len(partitions)).tolist()
    return {
        name: _watched(ordered.slice(start, end - start))
        for name, start, end in zip(names.tolist(), starts.tolist(), ends, strict=True)
    }


def _watched(samples: pa.Table) -> Watched:
    nodes, leaders = _ints(samples, "node"), _ints(samples, "leader")
    is_leading = ((nodes == leaders) | (nodes == AS_CLIENTS_SEE_IT)) & (_ints(samples, "high_watermark") >= 0)
    leading = samples.filter(pa.array(is_leading))
    replicas = {
        node: _series(samples.filter(pa.array((nodes == node) & (_ints(samples, "log_end") >= 0))))
        for node in np.unique(nodes).tolist()
        if node != AS_CLIENTS_SEE_IT
    }
    return Watched(
        _series(leading),
        tuple(tuple(members or ()) for members in leading.column("isr").to_pylist()),
        _ints(leading, "leader"),
        {node: series for node, series in replicas.items() if len(series)},
    )


def _series(samples: pa.Table) -> Series:
    names = ("at_us", "log_start", "high_watermark", "last_stable", "log_end", "leader_epoch")
    return Series(*(_ints(samples, name) for name in names))


def _ints(table: pa.Table, name: str) -> Ints:
    return integers(table, name)
