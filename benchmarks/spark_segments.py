"""Segment files of a large topic, laid out without a broker: copies of one prepared stretch with other offsets.

The base offset of a batch lies outside of what its CRC covers, so a copy costs no more than writing it.
"""

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.spark_topics import PARTITIONS, PER_BATCH, POOL, Topic, pool_of
from chronik.records.codecs import Codec

STRETCH_RECORDS: Final = POOL * PER_BATCH
SEGMENT_STRETCHES: Final = 25
_OFFSET_BYTES: Final = 8


class Stretch:
    """Batches side by side that can be given any offset."""

    def __init__(self, batches: list[bytes]) -> None:
        self._data = np.frombuffer(b"".join(batches), np.uint8).copy()
        ends = np.cumsum([len(batch) for batch in batches])
        self._positions: npt.NDArray[np.int64] = np.append(0, ends[:-1])
        self._offsets: npt.NDArray[np.int64] = np.arange(len(batches)) * PER_BATCH

    @property
    def size_bytes(self) -> int:
        return len(self._data)

    def from_offset(self, base_offset: int) -> memoryview:
        """Give the bytes with offsets from here on; they are good until the next call."""
        offsets = (self._offsets + base_offset).astype(">i8").view(np.uint8).reshape(-1, _OFFSET_BYTES)
        self._data[self._positions[:, None] + np.arange(_OFFSET_BYTES)] = offsets
        return self._data.data

    def index(self, copies: int) -> bytes:
        """Give the index of a segment of so many copies: relative offsets and positions."""
        entries = np.empty((copies, len(self._positions), 2), ">u4")
        entries[:, :, 0] = self._offsets + np.arange(copies)[:, None] * STRETCH_RECORDS
        entries[:, :, 1] = self._positions + np.arange(copies)[:, None] * self.size_bytes
        return entries.tobytes()


def lay_out(directory: Path, name: str, records: int) -> Topic:
    """Write the partitions of a topic, compressed with zstd."""
    stretch = Stretch(pool_of(Codec.ZSTD))
    copies = max(1, records // PARTITIONS // STRETCH_RECORDS)
    for partition in range(PARTITIONS):
        place = directory / f"{name}-{partition}"
        place.mkdir(parents=True)
        for first in range(0, copies, SEGMENT_STRETCHES):
            _write_segment(place, stretch, first, min(SEGMENT_STRETCHES, copies - first))
    return Topic(name, copies * STRETCH_RECORDS * PARTITIONS, 0)


def _write_segment(place: Path, stretch: Stretch, first: int, copies: int) -> None:
    path = place / f"{first * STRETCH_RECORDS:020d}.log"
    with path.open("wb") as file:
        for number in range(first, first + copies):
            file.write(stretch.from_offset(number * STRETCH_RECORDS))
    path.with_suffix(".index").write_bytes(stretch.index(copies))
