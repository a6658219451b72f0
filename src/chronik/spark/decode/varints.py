"""Zigzag varints of many records at once: one numpy step for each byte."""

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]
Ints: TypeAlias = npt.NDArray[np.int64]

BITS_PER_BYTE: Final = 7
VARINT_BITS_MAX: Final = 70
NOWHERE: Final = 2**62
"""The end of a varint that does not end: after every bound that it is compared with."""

_CONTINUED: Final = 0x80
_PAYLOAD: Final = 0x7F


def read_varints(data: Bytes, positions: Ints) -> tuple[Ints, Ints]:
    """Read the varint at each position; return the numbers, and the position after each of them.

    A position after the data reads its last byte, so that the caller must compare the results with its bounds.
    """
    first = data.take(positions, mode="clip")
    if not len(first) or int(first.max()) < _CONTINUED:
        return _signed(first, np.int8), positions + 1
    ends = positions + 1
    second = data.take(ends, mode="clip")
    # Most numbers have one byte or two, for which sixteen bits are enough.
    is_longer = first >= _CONTINUED
    second[~is_longer] = 0
    if int(second.max()) >= _CONTINUED:
        return _read_long(data, first, ends)
    ends += is_longer
    return _signed((first & _PAYLOAD) | second.astype(np.uint16) << BITS_PER_BYTE, np.int16), ends


def _signed(values: npt.NDArray[Any], signed: type) -> Ints:
    """Undo the zigzag, which puts the sign into the lowest bit."""
    whole: Ints = ((values >> 1) ^ (0 - (values & 1))).view(signed).astype(np.int64, copy=False)
    return whole


def _read_long(data: Bytes, first: Bytes, ends: Ints) -> tuple[Ints, Ints]:
    values = (first & _PAYLOAD).astype(np.uint64)
    _read_continued(data, values, ends, np.flatnonzero(first >= _CONTINUED))
    return _signed(values, np.int64), ends


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
