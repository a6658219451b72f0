"""Sets of 15-bit numbers as bytes: what a task ships about a bucket, and what is merged.

Below 2,048 members a set is their sorted 16-bit numbers, above it a bitmap of 4 KB: one that is nearly empty costs
little, and none costs more than the bitmap. The same set always has the same bytes, so that sets are compared as bytes.
"""

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

BUCKET_BITS: Final = 15
BUCKET_SIZE: Final = 1 << BUCKET_BITS
LOW_MASK: Final = BUCKET_SIZE - 1
BITMAP_BYTES: Final = BUCKET_SIZE // 8
SUB_BUCKET_BITS: Final = 10
SUB_BUCKETS: Final = BUCKET_SIZE >> SUB_BUCKET_BITS
"""A bucket is cut into so many sub-buckets, which are weighed one by one where the bucket does not balance."""
ARRAY_MEMBERS_MAX: Final = BITMAP_BYTES // 2
EMPTY: Final = b""

Bits: TypeAlias = npt.NDArray[np.uint8]
"""A bitmap of ``BITMAP_BYTES``, lowest member first."""
Members: TypeAlias = npt.NDArray[np.int64]

_MEMBER: Final = np.dtype("<u2")


def bits_of(members: npt.NDArray[np.int64]) -> Bits:
    """Make a bitmap of numbers in any order, repeated or not."""
    marks = np.zeros(BUCKET_SIZE, np.bool_)
    marks[members] = True
    return np.packbits(marks, bitorder="little")


def members_of(bits: Bits) -> Members:
    """List the members of a bitmap in their order."""
    return np.flatnonzero(np.unpackbits(bits, bitorder="little"))


def count_of(bits: Bits) -> int:
    """Count the members of a bitmap."""
    return int(np.bitwise_count(bits).sum(dtype=np.int64))


def pack(bits: Bits) -> bytes:
    """Return a bitmap the form in which it is shipped and compared."""
    if count_of(bits) >= ARRAY_MEMBERS_MAX:
        return bits.tobytes()
    return members_of(bits).astype(_MEMBER).tobytes()


def unpack(packed: bytes) -> Bits:
    """Return a bitmap that may be changed."""
    if len(packed) == BITMAP_BYTES:
        return np.frombuffer(packed, np.uint8).copy()
    return bits_of(np.frombuffer(packed, _MEMBER).astype(np.int64))


def size(packed: bytes) -> int:
    """Count the members of a set."""
    return count_of(np.frombuffer(packed, np.uint8)) if len(packed) == BITMAP_BYTES else len(packed) // 2


def union(one: bytes, other: bytes) -> bytes:
    """Put two sets together."""
    if one == other or not other:
        return one
    return pack(unpack(one) | unpack(other)) if one else other


def intersection(one: bytes, other: bytes) -> bytes:
    """Keep what is in both."""
    return pack(unpack(one) & unpack(other)) if one and other else EMPTY


def difference(one: bytes, other: bytes) -> bytes:
    """Keep what is in the first and not in the second."""
    return pack(unpack(one) & ~unpack(other)) if one and other else one


def numbers(packed: bytes, block: int) -> Members:
    """List what the members stand for: the block's number in front of them."""
    return members_of(unpack(packed)) + (block << BUCKET_BITS)


def buckets_between(first: int, end: int) -> list[tuple[int, bytes]]:
    """Return the sets, each with its block, that hold all numbers of ``[first, end)``."""
    blocks = range(first >> BUCKET_BITS, ((end - 1) >> BUCKET_BITS) + 1) if end > first else ()
    return [(block, _part(first, end, block << BUCKET_BITS)) for block in blocks]


def _part(first: int, end: int, base: int) -> bytes:
    return pack(bits_of(np.arange(max(first - base, 0), min(end - base, BUCKET_SIZE))))
