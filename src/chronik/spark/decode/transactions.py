"""Which batches are visible: no control batches, and with ``read_committed`` no aborted ones."""

import heapq
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from chronik.records.iterate import records_of
from chronik.spark.decode.batch_table import BatchTable, Flags

Aborted: TypeAlias = Sequence[tuple[int, int]]
"""Aborted transactions as (first offset, producer id)."""

_ABORT: Final = 0


class Visibility(NamedTuple):
    """The control and the aborted batches of a table; all others are visible."""

    is_control: Flags
    is_aborted: Flags

    def only(self, chosen: Flags) -> "Visibility":
        return Visibility(self.is_control[chosen], self.is_aborted[chosen])

    @property
    def is_visible(self) -> Flags:
        return ~(self.is_control | self.is_aborted)


def visibility_of(table: BatchTable, aborted: Aborted) -> Visibility:
    """Return the visibility of the batches.

    ``aborted`` holds only transactions whose marker is in the table or after it: a transaction whose marker is before
    the table would hide the producer's next one.
    """
    is_control = table.is_control
    is_aborted = np.zeros(len(table), np.bool_)
    if aborted:
        is_aborted[_aborted_batches(table, aborted)] = True
    return Visibility(is_control, is_aborted)


def _aborted_batches(table: BatchTable, aborted: Aborted) -> list[int]:
    """Return the batches of each producer from the start of its aborted transaction to the marker."""
    upcoming = list(aborted)
    heapq.heapify(upcoming)
    aborting: set[int] = set()
    found: list[int] = []
    is_control, is_transactional = table.is_control.tolist(), table.is_transactional.tolist()
    last_offsets, producers = (table.next_offsets - 1).tolist(), table.column("producer_id").tolist()
    for number, producer_id in enumerate(producers):
        while upcoming and upcoming[0][0] <= last_offsets[number]:
            aborting.add(heapq.heappop(upcoming)[1])
        if is_control[number]:
            if marker_of(table, number) == _ABORT:
                aborting.discard(producer_id)
        elif is_transactional[number] and producer_id in aborting:
            found.append(number)
    return found


def marker_of(table: BatchTable, number: int) -> int:
    """Return the type in a control record's key (version, then type, two bytes each); -1 without one."""
    start = int(table.positions[number])
    batch = table.data[start : start + int(table.sizes[number])].tobytes()
    try:
        return int.from_bytes((next(records_of(batch)).key or b"")[2:4], "big", signed=True)
    except (StopIteration, ValueError):
        return -1
