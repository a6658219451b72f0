"""Zigzag variable-length integers of many records at once: one numpy step for each byte that they have in common."""

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]
Ints: TypeAlias = npt.NDArray[np.int64]

BITS_PER_BYTE: Final = 7
VARINT_BITS_MAX: Final = 70
NOWHERE: Final = 2**62
"""Where a number ends that has no end: behind every bound that it is compared with."""

_CONTINUED: Final = 0x80
_PAYLOAD: Final = 0x7F


def read_varints(data: Bytes, positions: Ints) -> tuple[Ints, Ints]:
    """Read the number at each position; give the numbers, and where the byte behind each of them is.

    Positions behind the data read its last byte again: whoever has lengths compares what comes out with them.
    """
    first = data.take(positions, mode="clip")
    if not len(first) or int(first.max()) < _CONTINUED:
        return _zigzag_of_bytes(first), positions + 1
    values = (first & _PAYLOAD).astype(np.uint64)
    ends = positions + 1
    _read_continued(data, values, ends, np.flatnonzero(first >= _CONTINUED))
    return zigzag(values), ends


def zigzag(values: npt.NDArray[np.uint64]) -> Ints:
    """Undo the zigzag, which puts the sign into the lowest bit."""
    return (values >> 1).view(np.int64) ^ -((values & 1).view(np.int64))


def _zigzag_of_bytes(first: Bytes) -> Ints:
    return ((first >> 1) ^ (0 - (first & 1))).view(np.int8).astype(np.int64)


def _read_continued(data: Bytes, values: npt.NDArray[np.uint64], ends: Ints, more: npt.NDArray[np.intp]) -> None:
    for shift in range(BITS_PER_BYTE, VARINT_BITS_MAX, BITS_PER_BYTE):
        at = ends[more]
        byte = data.take(at, mode="clip")
        values[more] |= (byte & _PAYLOAD).astype(np.uint64) << np.uint64(shift)
        ends[more] = at + 1
        more = more[byte >= _CONTINUED]
        if not len(more):
            return
    ends[more] = NOWHERE
