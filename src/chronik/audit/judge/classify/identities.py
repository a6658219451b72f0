"""Ids as numbers that can be sorted and searched, and the rows of each side by the message they belong to."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from chronik.audit.tables.columns import Flags, Ints, booleans, integers
from chronik.audit.tables.schemas import SendOutcome

_SEQUENCE_BITS: Final = 47
_RANKS: Final = np.array([0, 2, 1, 3], np.int64)
"""By outcome, which row speaks for a message that has several: acknowledged, unknown, refused, not sent."""
NOBODY: Final = -1

assert [int(outcome) for outcome in SendOutcome] == [0, 1, 2, 3], "the ranks are by number"


@dataclass(frozen=True, slots=True)
class Messages:
    """The messages that are looked at, sorted by id, with what their producers know."""

    producers: Ints
    sequences: Ints
    outcomes: Ints
    partitions: Ints
    offsets: Ints
    sent_us: Ints
    done_us: Ints
    key_hashes: Ints
    is_null: Flags
    errors: pa.ChunkedArray
    names: Ints
    """The producers, each once."""
    codes: Ints

    def __len__(self) -> int:
        return len(self.codes)

    def find(self, producers: Ints, sequences: Ints) -> Ints:
        """Return the index of each id, -1 where it is none of these."""
        codes = encode(self.names, producers, sequences)
        if not len(self):
            return np.full(len(codes), NOBODY)
        places = np.minimum(np.searchsorted(self.codes, codes), len(self) - 1)
        return np.where(self.codes[places] == codes, places, NOBODY)

    def by_position(self) -> dict[tuple[int, int], list[int]]:
        """Return the messages by where they were acknowledged; where offsets were given twice there are several."""
        found: dict[tuple[int, int], list[int]] = {}
        placed = np.flatnonzero((self.outcomes == SendOutcome.ACKED) & (self.offsets >= 0)).tolist()
        for at in placed:
            found.setdefault((int(self.partitions[at]), int(self.offsets[at])), []).append(at)
        return found


def encode(names: Ints, producers: Ints, sequences: Ints) -> Ints:
    """Make one number of each id; -1 for what cannot be one of these."""
    if not len(names):
        return np.full(len(producers), NOBODY)
    places = np.minimum(np.searchsorted(names, producers), len(names) - 1)
    is_possible = (names[places] == producers) & (sequences >= 0) & (sequences < 1 << _SEQUENCE_BITS)
    return np.where(is_possible, (places << _SEQUENCE_BITS) + sequences, NOBODY)


def messages_of(sends: pa.Table) -> Messages:
    """Sort sends by id, one row for each."""
    producers, sequences = integers(sends, "producer"), integers(sends, "sequence")
    names = np.unique(producers)
    codes = encode(names, producers, sequences)
    order = np.lexsort((_RANKS[integers(sends, "outcome")], codes))
    order = order[np.append(True, codes[order][1:] != codes[order][:-1])[: len(order)]]
    return Messages(
        producers[order],
        sequences[order],
        integers(sends, "outcome")[order],
        integers(sends, "partition")[order],
        integers(sends, "offset")[order],
        integers(sends, "sent_us")[order],
        integers(sends, "done_us")[order],
        integers(sends, "key_hash")[order],
        booleans(sends, "is_null")[order],
        sends.column("error").take(pa.array(order)),
        names,
        codes[order],
    )


@dataclass(frozen=True, slots=True)
class Copies:
    """Records that belong to messages, sorted by message, partition and offset (and time, where they have one)."""

    owners: Ints
    partitions: Ints
    offsets: Ints
    is_intact: Flags
    rows: pa.Table

    def __len__(self) -> int:
        return len(self.owners)

    def counts(self, total: int) -> Ints:
        """Count the records of each message."""
        return np.bincount(self.owners, minlength=total)

    def any_of(self, chosen: Flags, total: int) -> Flags:
        """Return which messages have a record among the chosen."""
        found = np.zeros(total, np.bool_)
        found[self.owners[chosen]] = True
        return found

    def is_repeated(self) -> Flags:
        """Return which records stand where the one before them does, of the same message."""
        same = np.zeros(len(self), np.bool_)
        if len(self):
            same[1:] = (
                (self.owners[1:] == self.owners[:-1])
                & (self.partitions[1:] == self.partitions[:-1])
                & (self.offsets[1:] == self.offsets[:-1])
            )
        return same

    def firsts(self) -> tuple[Ints, Ints]:
        """Return the messages that have records, and the place of the first record of each."""
        owners, places = np.unique(self.owners, return_index=True)
        return owners, places


def copies_of(rows: pa.Table, owners: Ints, time_column: str | None = None) -> Copies:
    """Sort records by the message that they belong to; those that belong to none are left out."""
    known = np.flatnonzero(owners >= 0)
    partitions, offsets = integers(rows, "partition"), integers(rows, "offset")
    keys = (offsets[known], partitions[known], owners[known])
    order = known[np.lexsort(keys if time_column is None else (integers(rows, time_column)[known], *keys))]
    chosen = rows.take(pa.array(order))
    return Copies(owners[order], partitions[order], offsets[order], booleans(rows, "is_intact")[order], chosen)
