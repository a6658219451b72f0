"""Which of many messages fit the checksum in their header, by one sum over many of them instead of one for each.

A CRC is linear: the sum over messages that are put in a row follows from the sum of each and its length. So the sums
that a block of messages claims are joined and compared with the sum over their bytes. One message that does not fit
always shows, as it would by itself; that several hide each other is as likely as that a CRC does not see damage. Only
where a block does not fit, its messages are summed up one by one.
"""

from functools import cache
from typing import Final
from zlib import crc32

import numpy as np
import numpy.typing as npt

from chronik.audit.tables.arrow_arrays import numbers
from chronik.spark.decode.batch_table import Flags
from chronik.spark.decode.columnar import Spans
from chronik.spark.decode.varints import Bytes, Ints
from chronik.spark.source.arrow_rows import pieces_of

Sums = npt.NDArray[np.uint32]

BLOCK: Final = 1024
"""How many messages are judged together; a power of two."""

_SUM_BITS: Final = 32
_DIGIT_BITS: Final = 4
_DIGITS: Final = 1 << _DIGIT_BITS


def are_intact(data: Bytes, keys: Spans, values: Spans, claimed: Sums) -> Flags:
    """Return for each message whether the CRC-32 of its value, continued over its key, is what it claims."""
    content, lengths = _in_a_row(data, keys, values)
    # Nothing lies before the first message, so that any filler of its block will do.
    missing = -len(claimed) % BLOCK
    joined = _joined(np.append(np.zeros(missing, np.uint32), claimed), np.append(np.zeros(missing, np.int64), lengths))
    is_intact = np.ones(len(claimed), np.bool_)
    ends = np.append(0, np.cumsum(lengths)).tolist()
    for number, claim in enumerate(joined.tolist()):
        first, end = max(number * BLOCK - missing, 0), (number + 1) * BLOCK - missing
        if crc32(content[ends[first] : ends[end]]) != claim:
            bounds = zip(ends[first:end], ends[first + 1 : end + 1], strict=True)
            sums = np.array([crc32(content[begin:behind]) for begin, behind in bounds], np.uint32)
            is_intact[first:end] = sums == claimed[first:end]
    return is_intact


def _in_a_row(data: Bytes, keys: Spans, values: Spans) -> tuple[memoryview, Ints]:
    """Copy value and key of each message, one message behind the other, and give the length of each."""
    count, lengths = len(values.lengths), np.maximum(values.lengths, 0)
    if (keys.lengths > 0).any():
        lengths = lengths + np.maximum(keys.lengths, 0)
        pieces, order = pieces_of(data, [keys, values]), np.arange(count)[:, None] * 4 + (2, 0)
    else:
        pieces, order = pieces_of(data, [values]), np.arange(count) * 2
    return memoryview(pieces.take(numbers(order.reshape(-1))).buffers()[2]), lengths


# -- sums of neighbouring bytes -------------------------------------------------------------------------------------


def _joined(sums: Sums, lengths: Ints) -> Sums:
    """Join the sums of each block of messages to the one of all their bytes: neighbours, then neighbouring pairs."""
    for _ in range(BLOCK.bit_length() - 1):
        sums = _moved(sums[::2], lengths[1::2]) ^ sums[1::2]
        lengths = lengths[::2] + lengths[1::2]
    return sums


def _moved(sums: Sums, lengths: Ints) -> Sums:
    """Return what sums contribute to the whole when so many bytes follow: one step for each digit of the lengths."""
    for place in range(-(-int(lengths.max(initial=0)).bit_length() // _DIGIT_BITS)):
        digits = (lengths >> (place * _DIGIT_BITS)) & (_DIGITS - 1)
        moves = _moves(place).reshape(-1)
        found = np.zeros(len(sums), np.uint32)
        for byte in range(4):
            # One index is several times as fast as three.
            found ^= moves[(digits << 10) + 256 * byte + ((sums >> (8 * byte)) & 0xFF)]
        sums = found
    return sums


@cache
def _moves(place: int) -> Sums:
    """Return, for each digit at a place, what the four bytes of a sum become: tables of 4 x 256."""
    step = _images(place)
    images = [np.uint32(1) << np.arange(_SUM_BITS, dtype=np.uint32)]
    for _ in range(_DIGITS - 1):
        images.append(_applied(step, images[-1]))
    return np.stack([_table(one) for one in images])


@cache
def _images(place: int) -> Sums:
    """Return what each bit of a sum becomes when 16 ** place bytes of zero follow."""
    if place == 0:
        return np.array([crc32(b"\0", 1 << bit) ^ crc32(b"\0") for bit in range(_SUM_BITS)], np.uint32)
    found = _images(place - 1)
    for _ in range(_DIGIT_BITS):
        found = _applied(found, found)
    return found


def _applied(images: Sums, sums: Sums) -> Sums:
    table, found = _table(images), np.zeros(len(sums), np.uint32)
    for byte in range(4):
        found ^= table[byte, (sums >> (8 * byte)) & 0xFF]
    return found


def _table(images: Sums) -> Sums:
    """Return what each value of each byte of a sum becomes."""
    table = np.zeros((4, 256), np.uint32)
    for byte in range(4):
        for bit in range(8):
            table[byte, 1 << bit : 2 << bit] = table[byte, : 1 << bit] ^ images[8 * byte + bit]
    return table
