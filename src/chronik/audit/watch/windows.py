"""The windows of a continuous audit: which messages are judged together, and when that is final.

A window ends at a moment, for every producer behind the highest sequence that any side has shown by then. Whatever is
read later of these sequences still belongs to it, so that the sides of a window can be weighed like those of a run.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from chronik.audit.judge.balance.entries import Summary
from chronik.audit.ledger.tails import Tail, TailSplit
from chronik.audit.tables.columns import Ints

CLOSED: Final = -1
"""Stands for all windows whose verdicts are final."""
STRAY_SEQUENCES: Final = 1 << 26
"""A sequence so far ahead of what its producer reserved belongs to no message, and moves no bound."""

Range = tuple[int, int]


@dataclass(slots=True)
class AuditWindow:
    """Messages that are judged together, as sums; and where their rows are, if they must be looked at."""

    number: int
    begin_us: int
    end_us: int = -1
    bounds: dict[int, int] = field(default_factory=dict)
    """By producer: the first sequence that belongs to a later window. Known once it has ended."""
    entries: Summary = field(default_factory=Summary)
    since_us: int = -1
    """When its first message was sent; -1: not known."""
    places: dict[int, Range] = field(default_factory=dict)
    """By partition: the offsets between which its records lie."""
    sends: dict[str, TailSplit] = field(default_factory=dict)
    delivered: dict[str, TailSplit] = field(default_factory=dict)
    observed: dict[str, Tail] = field(default_factory=dict)
    """Where the observer's files ended one window before it began: the samples after that judge it."""

    @property
    def has_ended(self) -> bool:
        return self.end_us >= 0

    def add_places(self, places: Mapping[int, Range]) -> None:
        """Note where records of its messages lie."""
        for partition, (first, end) in places.items():
            known = self.places.get(partition, (first, end))
            self.places[partition] = (min(known[0], first), max(known[1], end))

    def begin_not_after(self, sent_us: int) -> None:
        """Note when a message of it was sent."""
        self.since_us = sent_us if self.since_us < 0 else min(self.since_us, sent_us)


def add_split(splits: dict[str, TailSplit], split: TailSplit) -> None:
    """Note that a file has rows of a window in this split."""
    known = splits.get(split.path)
    splits[split.path] = split if known is None else known.joined(split)


@dataclass(frozen=True, slots=True)
class Allotment:
    """Assigns messages to windows."""

    numbers: tuple[int, ...]
    """The open windows, the last of which has not ended."""
    bounds: Mapping[int, tuple[int, ...]]
    """By producer: where the closed windows end, and each of the open ones but the last."""
    reserved_ends: Mapping[int, int]

    def windows_of(self, producers: Ints, sequences: Ints) -> Ints:
        """Return the window of each message, ``CLOSED`` where its verdict is final."""
        table = np.array([CLOSED, *self.numbers], np.int64)
        found = np.full(len(producers), self.numbers[-1])
        for producer in np.unique(producers).tolist():
            bounds = self.bounds.get(producer)
            if bounds is not None:
                chosen = producers == producer
                found[chosen] = table[np.searchsorted(np.array(bounds, np.int64), sequences[chosen], side="right")]
        return found

    def highest(self, producers: Ints, sequences: Ints) -> dict[int, int]:
        """Return the highest sequence of each producer, strays aside."""
        found: dict[int, int] = {}
        for producer in np.unique(producers).tolist():
            own = sequences[producers == producer]
            reserved = self.reserved_ends.get(producer)
            own = own[own >= 0] if reserved is None else own[(own >= 0) & (own < reserved + STRAY_SEQUENCES)]
            if len(own):
                found[producer] = int(own.max())
        return found


def allot(windows: Iterable[AuditWindow], closed: Mapping[int, int], reserved_ends: Mapping[int, int]) -> Allotment:
    """Return which window messages belong to, of open ones in their order."""
    opened = tuple(windows)
    ended = [window for window in opened if window.has_ended]
    producers = {*closed, *(producer for window in ended for producer in window.bounds)}
    bounds = {
        producer: (closed.get(producer, 0), *(window.bounds.get(producer, 0) for window in ended))
        for producer in producers
    }
    return Allotment(tuple(window.number for window in opened), bounds, dict(reserved_ends))


def raise_all(into: dict[int, int], values: Mapping[int, int]) -> None:
    """Keep the higher number of each key."""
    for key, value in values.items():
        into[key] = max(into.get(key, value), value)
