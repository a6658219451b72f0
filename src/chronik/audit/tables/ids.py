"""The id that every message of an audit carries, and the checksum by which its own content proves it.

The id is in the header ``chronik-audit``: 32 bytes, big-endian, of run, producer, sequence, time of sending and the
CRC-32 of the value, continued over the key.
"""

import re
import zlib
from collections.abc import Sequence
from struct import Struct
from typing import Any, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

HEADER: Final = "chronik-audit"
HEADER_FORM: Final = Struct(">QIQqI")
HEADER_BYTES: Final = HEADER_FORM.size
HEADER_BEGIN_FORM: Final = Struct(">QI")
"""Run and producer, which are the same in all headers of one producer."""
HEADER_REST_FORM: Final = Struct(">QqI")
ID_DTYPE: Final = np.dtype(
    [("run", ">u8"), ("producer", ">u4"), ("sequence", ">u8"), ("sent_us", ">i8"), ("crc", ">u4")]
)
NO_KEY: Final = 0
"""The hash of a message without a key."""

_TEXT: Final = re.compile(r"([0-9a-f]{1,16})-p(\d+)-(\d+)", re.ASCII | re.IGNORECASE)
_PRODUCER_MAX: Final = 2**32 - 1
_SEQUENCE_MAX: Final = 2**64 - 1
_NOTHING: Final = bytes(HEADER_BYTES)
_HIGH_BITS: Final = 31
_LOW_MASK: Final = 2**_HIGH_BITS - 1

assert ID_DTYPE.itemsize == HEADER_BYTES == 32, "the layout is part of the contract with every ledger"


class AuditId(NamedTuple):
    """Which message it is; in text ``00c0ffee00c0ffee-p3-17``."""

    run: int
    producer: int
    sequence: int

    def __str__(self) -> str:
        return f"{self.run:016x}-p{self.producer}-{self.sequence}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the text form; raises ValueError where it is none."""
        match = _TEXT.fullmatch(text.strip())
        if match is None or int(match[2]) > _PRODUCER_MAX or int(match[3]) > _SEQUENCE_MAX:
            raise ValueError(f"{text!r} is not an id: RUN-pPRODUCER-SEQUENCE, such as {cls(0xC0FFEE, 3, 17)}")
        return cls(int(match[1], 16), int(match[2]), int(match[3]))


class Stamp(NamedTuple):
    """What the header of one message says."""

    run: int
    producer: int
    sequence: int
    sent_us: int
    crc: int

    @property
    def audit_id(self) -> AuditId:
        return AuditId(self.run, self.producer, self.sequence)


def checksum(value: bytes | None, key: bytes | None) -> int:
    """Sum up what a message carries; null counts as nothing."""
    return zlib.crc32(key or b"", zlib.crc32(value or b""))


def key_hash(key: bytes | None) -> int:
    """Return 63 bits of a key, made of two independent checksums; 0 means that there is no key."""
    if key is None:
        return NO_KEY
    return (zlib.crc32(key) << _HIGH_BITS | zlib.adler32(key) & _LOW_MASK) or 1


def encode_header(run: int, producer: int, sequence: int, sent_us: int, crc: int) -> bytes:
    """Make the header of one message."""
    return HEADER_FORM.pack(run, producer, sequence, sent_us, crc)


def decode_header(header: bytes | None) -> Stamp | None:
    """Read one header; None where it is none of ours."""
    if header is None or len(header) != HEADER_BYTES:
        return None
    return Stamp._make(HEADER_FORM.unpack(header))


def decode_headers(headers: Sequence[bytes | None]) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Read many headers at once: an array of ``ID_DTYPE``, zero where it is none of ours, and which are ours."""
    is_ours = np.fromiter((h is not None and len(h) == HEADER_BYTES for h in headers), np.bool_, len(headers))
    whole = b"".join(h if ok and h is not None else _NOTHING for h, ok in zip(headers, is_ours, strict=True))
    return np.frombuffer(whole, ID_DTYPE), is_ours
