"""Decode the fields of many records at once, to columns of numbers and of byte spans.

Nothing happens per record in Python. Lengths and counts are checked against the bytes: an inconsistent body is reported
and left out, and never read past its end.
"""

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from chronik.spark.decode.record_walk import walk_records
from chronik.spark.decode.varints import Bytes, Ints, read_varints

_ATTRIBUTES_BYTES: Final = 1
_HEADER_BYTES_MIN: Final = 2
_LENGTH_MAX: Final = 2**61
"""Longer than any body, without overflow when it is added to a position."""


class Depth(IntEnum):
    """How far each record is decoded; every level includes the ones before it."""

    TIMES = 0
    KEYS = 1
    VALUES = 2
    HEADERS = 3


@dataclass(frozen=True, slots=True)
class Bodies:
    """The decompressed records of batches in ``data``, in the order of offsets."""

    data: Bytes
    starts: Ints
    ends: Ints
    counts: Ints

    def only(self, chosen: npt.NDArray[np.bool_]) -> "Bodies":
        return Bodies(self.data, self.starts[chosen], self.ends[chosen], self.counts[chosen])


@dataclass(frozen=True, slots=True)
class Spans:
    """A start and a length in ``Bodies.data`` for each record; length -1 is null."""

    starts: Ints
    lengths: Ints

    def only(self, chosen: npt.NDArray[np.bool_]) -> "Spans":
        return Spans(self.starts[chosen], self.lengths[chosen])

    def part(self, begin: int, end: int) -> "Spans":
        return Spans(self.starts[begin:end], self.lengths[begin:end])


@dataclass(frozen=True, slots=True)
class HeaderColumns:
    """The headers of all records: the number for each record, and the spans of names and values."""

    counts: Ints
    names: Spans
    values: Spans

    def part(self, begin: int, end: int) -> "HeaderColumns":
        """Return the headers of some records."""
        first = int(self.counts[:begin].sum())
        last = first + int(self.counts[begin:end].sum())
        return HeaderColumns(self.counts[begin:end], self.names.part(first, last), self.values.part(first, last))


@dataclass(frozen=True, slots=True)
class RecordColumns:
    """Decoded records; ``is_broken`` marks the bodies that are left out as inconsistent."""

    is_broken: npt.NDArray[np.bool_]
    timestamp_deltas: Ints
    offset_deltas: Ints
    sizes: Ints
    keys: Spans | None = None
    values: Spans | None = None
    headers: HeaderColumns | None = None


def decode_records(bodies: Bodies, depth: Depth) -> RecordColumns:
    """Decode the records of all bodies down to a depth."""
    columns = _Decoding(bodies).read(depth)
    if columns is None:
        return _decode_sound_ones(bodies, depth)
    return columns


def _decode_sound_ones(bodies: Bodies, depth: Depth) -> RecordColumns:
    """Check the bodies one by one, then decode the sound ones together."""
    one_by_one = (bodies.only(np.arange(len(bodies.starts)) == number) for number in range(len(bodies.starts)))
    is_sound = np.array([_Decoding(one).read(depth) is not None for one in one_by_one], np.bool_)
    columns = _Decoding(bodies.only(is_sound)).read(depth)
    assert columns is not None, "each of these bodies was read by itself"
    return replace(columns, is_broken=~is_sound)


class _Decoding:
    """One pass over the records; ``read`` returns None for inconsistent bytes."""

    def __init__(self, bodies: Bodies) -> None:
        self._data = bodies.data
        self._bodies = bodies
        self._ends: Ints = np.empty(0, np.int64)

    def read(self, depth: Depth) -> RecordColumns | None:
        bodies = self._bodies
        walked = walk_records(bodies.data, bodies.starts, bodies.ends, bodies.counts)
        if walked.is_broken.any():
            return None
        self._ends = walked.ends
        deltas, at = read_varints(self._data, walked.fields + _ATTRIBUTES_BYTES)
        offset_deltas, at = read_varints(self._data, at)
        keys = values = headers = None
        is_sound = self._is_within(at)
        if is_sound and depth >= Depth.KEYS:
            keys, at = self._spans(at)
            is_sound = self._is_within(at)
        if is_sound and depth >= Depth.VALUES:
            values, at = self._spans(at)
            is_sound = self._is_within(at)
        if is_sound and depth >= Depth.HEADERS:
            headers = self._headers(at)
            is_sound = headers is not None
        if not is_sound:
            return None
        return RecordColumns(walked.is_broken, deltas, offset_deltas, self._ends - walked.fields, keys, values, headers)

    def _is_within(self, at: Ints) -> bool:
        """Return whether every record has a byte left for the next field."""
        return bool((at < self._ends).all())

    def _spans(self, at: Ints) -> tuple[Spans, Ints]:
        lengths, starts = read_varints(self._data, at)
        return Spans(starts, lengths), starts + np.clip(lengths, 0, _LENGTH_MAX)

    def _headers(self, at: Ints) -> HeaderColumns | None:
        counts, at = read_varints(self._data, at)
        if (counts < 0).any() or (counts > (self._ends - at) // _HEADER_BYTES_MIN).any():
            return None
        return self._walk_headers(counts, at)

    def _walk_headers(self, counts: Ints, at: Ints) -> HeaderColumns | None:
        """Decode the n-th headers of all records in one step."""
        total = int(counts.sum())
        names, values = (Spans(np.empty(total, np.int64), np.empty(total, np.int64)) for _ in range(2))
        slots, ends, left = np.cumsum(counts) - counts, self._ends, counts
        while True:
            goes_on = left > 0
            if not goes_on.all():
                if not (at == ends)[~goes_on].all():
                    return None
                slots, at, ends, left = (a[goes_on] for a in (slots, at, ends, left))
            if not len(slots):
                return HeaderColumns(counts, names, values)
            name, behind = self._spans(at)
            value, behind = self._spans(np.minimum(behind, ends))
            if (name.lengths < 0).any() or (behind > ends).any():
                return None
            names.starts[slots], names.lengths[slots] = name.starts, name.lengths
            values.starts[slots], values.lengths[slots] = value.starts, value.lengths
            slots, at, left = slots + 1, behind, left - 1
