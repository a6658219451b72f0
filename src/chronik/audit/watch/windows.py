"""The periods of a continuous audit: which messages are judged together, and when that is final.

A period ends at a moment, for every producer behind the highest sequence that any side has shown by then. Whatever is
read later of these sequences still belongs to it, so that the sides of a period can be weighed like those of a run.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from chronik.audit.judge.balance.cells import Summary
from chronik.audit.ledger.tails import Tail, TailPiece
from chronik.audit.tables.columns import Ints

CLOSED: Final = -1
"""Stands for all periods whose verdicts are final."""
STRAY_SEQUENCES: Final = 1 << 26
"""A sequence that lies so far ahead of what its producer reserved is nobody's, and moves no bound."""

Range = tuple[int, int]


@dataclass(slots=True)
class Period:
    """Messages that are judged together, as sums; and where their rows are, if they must be looked at."""

    number: int
    begin_us: int
    end_us: int = -1
    bounds: dict[int, int] = field(default_factory=dict)
    """By producer: the first sequence that belongs to a later period. Known once it has ended."""
    cells: Summary = field(default_factory=Summary)
    since_us: int = -1
    """When its first message was sent; -1: not known."""
    places: dict[int, Range] = field(default_factory=dict)
    """By partition: the offsets between which its records lie."""
    sends: dict[str, TailPiece] = field(default_factory=dict)
    delivered: dict[str, TailPiece] = field(default_factory=dict)
    observed: dict[str, Tail] = field(default_factory=dict)
    """Where the observer's files ended a period before it began: what it is judged by stands behind."""

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


def add_piece(pieces: dict[str, TailPiece], piece: TailPiece) -> None:
    """Note that a file has rows of a period in this piece."""
    known = pieces.get(piece.path)
    pieces[piece.path] = piece if known is None else known.joined(piece)


@dataclass(frozen=True, slots=True)
class Allotment:
    """Says which period each message belongs to."""

    numbers: tuple[int, ...]
    """The open periods, the last of which has not ended."""
    bounds: Mapping[int, tuple[int, ...]]
    """By producer: where the closed periods end, and each of the open ones but the last."""
    reserved_ends: Mapping[int, int]

    def periods_of(self, producers: Ints, sequences: Ints) -> Ints:
        """Give the period of each message, ``CLOSED`` where its verdict is final."""
        table = np.array([CLOSED, *self.numbers], np.int64)
        found = np.full(len(producers), self.numbers[-1])
        for producer in np.unique(producers).tolist():
            bounds = self.bounds.get(producer)
            if bounds is not None:
                chosen = producers == producer
                found[chosen] = table[np.searchsorted(np.array(bounds, np.int64), sequences[chosen], side="right")]
        return found

    def highest(self, producers: Ints, sequences: Ints) -> dict[int, int]:
        """Give the highest sequence of each producer, strays aside."""
        found: dict[int, int] = {}
        for producer in np.unique(producers).tolist():
            own = sequences[producers == producer]
            reserved = self.reserved_ends.get(producer)
            own = own[own >= 0] if reserved is None else own[(own >= 0) & (own < reserved + STRAY_SEQUENCES)]
            if len(own):
                found[producer] = int(own.max())
        return found


def allot(periods: Iterable[Period], closed: Mapping[int, int], reserved_ends: Mapping[int, int]) -> Allotment:
    """Say which period messages belong to, of open ones in their order."""
    opened = tuple(periods)
    ended = [period for period in opened if period.has_ended]
    producers = {*closed, *(producer for period in ended for producer in period.bounds)}
    bounds = {
        producer: (closed.get(producer, 0), *(period.bounds.get(producer, 0) for period in ended))
        for producer in producers
    }
    return Allotment(tuple(period.number for period in opened), bounds, dict(reserved_ends))


def raise_all(into: dict[int, int], values: Mapping[int, int]) -> None:
    """Keep the higher number of each key."""
    for key, value in values.items():
        into[key] = max(into.get(key, value), value)
