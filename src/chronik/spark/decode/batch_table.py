"""The headers of all batches in a buffer as one table."""

from dataclasses import dataclass
from struct import Struct
from typing import Final

import numpy as np
import numpy.typing as npt
from crc32c import crc32c

from chronik.records.batch import (
    BATCH_LENGTH_MIN,
    CODEC_MASK,
    CONTROL_BIT,
    CRC_START,
    CURRENT_MAGIC,
    HEADER_BYTES,
    LOG_APPEND_TIME_BIT,
    LOG_OVERHEAD_BYTES,
    TRANSACTIONAL_BIT,
)
from chronik.spark.decode.varints import Bytes, Ints

_HEADER: Final = np.dtype(
    [
        ("base_offset", ">i8"),
        ("batch_length", ">i4"),
        ("leader_epoch", ">i4"),
        ("magic", "i1"),
        ("crc", ">u4"),
        ("attributes", ">i2"),
        ("last_offset_delta", ">i4"),
        ("base_timestamp", ">i8"),
        ("max_timestamp", ">i8"),
        ("producer_id", ">i8"),
        ("producer_epoch", ">i2"),
        ("base_sequence", ">i4"),
        ("record_count", ">i4"),
    ]
)
assert _HEADER.itemsize == HEADER_BYTES

_LENGTH: Final = Struct(">i")
_LENGTH_POSITION: Final = 8
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class BatchTable:
    """Complete batches in the order of ``data``; their records are not decoded."""

    data: Bytes
    positions: Ints
    headers: npt.NDArray[np.void]

    def __len__(self) -> int:
        return len(self.positions)

    def column(self, name: str) -> Ints:
        """Return a field of all headers in native byte order."""
        return self.headers[name].astype(np.int64)

    @property
    def sizes(self) -> Ints:
        return self.column("batch_length") + LOG_OVERHEAD_BYTES

    @property
    def base_offsets(self) -> Ints:
        return self.column("base_offset")

    @property
    def next_offsets(self) -> Ints:
        return self.column("base_offset") + self.column("last_offset_delta") + 1

    @property
    def counts(self) -> Ints:
        return self.column("record_count")

    @property
    def codecs(self) -> Ints:
        return self.column("attributes") & CODEC_MASK

    @property
    def is_append_time(self) -> Flags:
        return self._has(LOG_APPEND_TIME_BIT)

    @property
    def is_transactional(self) -> Flags:
        return self._has(TRANSACTIONAL_BIT)

    @property
    def is_control(self) -> Flags:
        return self._has(CONTROL_BIT)

    @property
    def is_dense(self) -> Flags:
        """Whether every offset of the batch has its record, so that compaction removed none."""
        dense: Flags = self.counts == self.column("last_offset_delta") + 1
        return dense

    def _has(self, bit: int) -> Flags:
        found: Flags = (self.column("attributes") & bit) != 0
        return found

    def only(self, chosen: Flags | slice) -> "BatchTable":
        """Keep some of the batches."""
        return BatchTable(self.data, self.positions[chosen], self.headers[chosen])

    @property
    def end_position(self) -> int:
        return int(self.positions[-1] + self.sizes[-1]) if len(self) else 0

    def first_wrong_header(self, expected_offset: int) -> int | None:
        """Return the first batch with an impossible header: another format, or an offset that does not follow."""
        expected = np.append(expected_offset, self.next_offsets)[: len(self)]
        is_wrong = (self.headers["magic"] != CURRENT_MAGIC) | (self.base_offsets < expected)
        is_wrong |= (self.column("last_offset_delta") < 0) | (self.counts < 0)
        return int(is_wrong.argmax()) if is_wrong.any() else None

    def wrong_crcs(self) -> list[int]:
        """Return the batches whose CRC does not match."""
        view = self.data.data
        starts = (self.positions + CRC_START).tolist()
        ends = (self.positions + self.sizes).tolist()
        claimed = self.headers["crc"].tolist()
        return [
            number
            for number, (start, end, crc) in enumerate(zip(starts, ends, claimed, strict=True))
            if crc32c(view[start:end]) != crc
        ]


def read_table(data: Bytes, position: int = 0) -> BatchTable:
    """Find the complete batches from a position; stop at one that is cut or has an impossible length."""
    view = data.data
    end, unpack = len(view), _LENGTH.unpack_from
    positions: list[int] = []
    while position + HEADER_BYTES <= end:
        length: int = unpack(view, position + _LENGTH_POSITION)[0]
        behind = position + LOG_OVERHEAD_BYTES + length
        if length < BATCH_LENGTH_MIN or behind > end:
            break
        positions.append(position)
        position = behind
    return table_at(data, positions)


def table_at(data: Bytes, positions: list[int]) -> BatchTable:
    """Read the headers at these positions."""
    at = np.array(positions, np.int64)
    if not positions:
        return BatchTable(data, at, np.empty(0, _HEADER))
    anywhere = np.ndarray((len(data) - HEADER_BYTES + 1,), _HEADER, buffer=data.data, strides=(1,))
    return BatchTable(data, at, anywhere[at])


def headers_at(positions: list[int], headers: bytes) -> BatchTable:
    """Make a table of headers alone, without the bytes of their batches."""
    return BatchTable(np.empty(0, np.uint8), np.array(positions, np.int64), np.frombuffer(headers, _HEADER))
