"""From offsets to tasks: the arithmetic of what a query or a micro-batch reads, and how it is split."""

import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from chronik.model.ids import TopicPartition
from chronik.spark.options.bounds import LATEST_MARK, Offsets
from chronik.spark.options.table import TASKS_PER_CORE
from chronik.spark.planning.slices import Slice
from chronik.spark.source.problems import DataLostError

_log = logging.getLogger(__name__)

_SHOWN_MAX: Final = 5
SLICE_RECORDS_MIN: Final = 100_000
"""A smaller task costs more than it saves: it takes 50 ms to start, in which another task reads as much."""


@dataclass(frozen=True, slots=True)
class Span:
    """Offsets ``[start, end)`` of one partition that are read."""

    at: TopicPartition
    start: int
    end: int

    @property
    def size(self) -> int:
        return max(0, self.end - self.start)


@dataclass(frozen=True, slots=True)
class Loss:
    """Offsets ``[start, end)`` that are gone before they were read; empty where their number is unknown."""

    at: TopicPartition
    start: int
    end: int
    reason: str

    def __str__(self) -> str:
        """Return one line."""
        which = f"offsets {self.start} to {self.end - 1}" if self.end > self.start else f"from offset {self.start}"
        return f"{self.at} {which}: {self.reason}"


def spans(starts: Mapping[TopicPartition, int], ends: Mapping[TopicPartition, int]) -> list[Span]:
    """Return the spans from starts to ends, in order, without empty ones."""
    both = (Span(at, starts[at], ends[at]) for at in sorted(starts.keys() & ends.keys()))
    return [span for span in both if span.size]


def clip(wanted: Iterable[Span], earliest: Mapping[TopicPartition, int]) -> tuple[list[Span], list[Loss]]:
    """Remove the offsets below the log start, and return them as losses."""
    kept: list[Span] = []
    losses: list[Loss] = []
    for span in wanted:
        first = earliest.get(span.at, span.start)
        if first > span.start:
            gone = min(first, span.end)
            losses.append(Loss(span.at, span.start, gone, f"the partition now begins at {first}"))
        kept.append(Span(span.at, max(span.start, first), span.end))
    return [span for span in kept if span.size], losses


def cut(
    whole: Iterable[Span], *, tasks_aimed_at: int, tasks_min: int | None = None, records_max: int | None = None
) -> list[Span]:
    """Split spans for the tasks: into the wanted number, and none larger than allowed."""
    known = [span for span in whole if span.size]
    total = sum(span.size for span in known)
    size = _piece_size(total, tasks_aimed_at, tasks_min)
    if records_max is not None:
        size = min(size, records_max)
    return [piece for span in known for piece in _pieces(span, math.ceil(span.size / size))]


def _piece_size(total: int, tasks_aimed_at: int, tasks_min: int | None) -> int:
    if tasks_min is not None:
        return max(1, total // tasks_min)
    return max(SLICE_RECORDS_MIN, math.ceil(total / tasks_aimed_at))


def _pieces(span: Span, count: int) -> Iterator[Span]:
    borders = [span.start + span.size * number // count for number in range(count + 1)]
    for number in range(count):
        yield Span(span.at, borders[number], borders[number + 1])


def slices(pieces: Iterable[Span], topic_ids: Mapping[str, str], path: str | None = None) -> list[Slice]:
    """Return the slices of these spans."""
    return [
        Slice(piece.at.topic, topic_ids.get(piece.at.topic, ""), piece.at.partition, piece.start, piece.end, path)
        for piece in pieces
    ]


def bundles(pieces: Iterable[Slice], *, tasks_aimed_at: int) -> list[tuple[Slice, ...]]:
    """Group small slices, in order, so that a task is worth its start: one or two groups for each core."""
    known = list(pieces)
    cores = max(1, tasks_aimed_at // TASKS_PER_CORE)
    size_max = min(SLICE_RECORDS_MIN, math.ceil(sum(_size(piece) for piece in known) / cores))
    found: list[list[Slice]] = []
    room = 0
    for piece in known:
        if not found or _size(piece) > room:
            found.append([])
            room = size_max
        found[-1].append(piece)
        room -= _size(piece)
    return [tuple(bundle) for bundle in found]


def _size(piece: Slice) -> int:
    return piece.end_offset - piece.start_offset


def batch_ends(starts: Mapping[TopicPartition, int], ends: Mapping[TopicPartition, int], records_max: int) -> Offsets:
    """Return the ends of a micro-batch of at most ``records_max``, shared among partitions by their backlog."""
    offered = {at: ends[at] - starts[at] for at in ends if at in starts and ends[at] > starts[at]}
    total = sum(offered.values())
    if total <= records_max:
        return dict(ends)
    return {at: starts[at] + _share(offered[at], total, records_max) if at in offered else ends[at] for at in ends}


def _share(size: int, total: int, records_max: int) -> int:
    share = records_max * size / total
    # A small partition must not starve.
    return min(size, math.ceil(share) if share < 1 else math.floor(share))


def offered(starts: Mapping[TopicPartition, int], ends: Mapping[TopicPartition, int]) -> int:
    """Return the number of offsets between starts and ends."""
    return sum(max(0, ends[at] - starts.get(at, 0)) for at in ends)


def started(starts: Mapping[TopicPartition, int], ends: Mapping[TopicPartition, int]) -> Offsets:
    """Replace the mark of the latest offset by the end: the first batch of that partition is empty."""
    return {at: ends[at] if start == LATEST_MARK and at in ends else start for at, start in starts.items()}


def truncations(starts: Mapping[TopicPartition, int], ends: Mapping[TopicPartition, int]) -> list[Loss]:
    """Return a loss for each partition that is gone, or that ends before the offsets read of it."""
    gone = [
        Loss(at, start, start, "the partition no longer exists")
        for at, start in sorted(starts.items())
        if at not in ends
    ]
    shorter = [
        Loss(
            at,
            ends[at],
            starts[at],
            f"the partition ends at {ends[at]}: it was truncated or its topic created again",
        )
        for at in sorted(starts.keys() & ends.keys())
        if ends[at] < starts[at]
    ]
    return gone + shorter


def refuse_losses(losses: Sequence[Loss], *, fail: bool) -> None:
    """Raise for losses if ``fail``; otherwise log them."""
    if not losses:
        return
    if fail:
        raise DataLostError(
            f"{describe(losses)}. Records were deleted before they were read, or the offsets are of another topic. "
            "To go on without them: option failOnDataLoss=false"
        )
    _log.warning("Skipped lost records (failOnDataLoss=false): %s", describe(losses))


def describe(losses: Sequence[Loss]) -> str:
    """Return the losses as text, the first ones where there are many."""
    shown = "; ".join(str(loss) for loss in losses[:_SHOWN_MAX])
    return shown if len(losses) <= _SHOWN_MAX else f"{shown}; and {len(losses) - _SHOWN_MAX} more"
