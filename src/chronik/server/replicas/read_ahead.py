"""Reads the next batches for a bulk consumer while the consumer processes the last ones.

A consumer that reads a whole partition fetches the next megabyte when it has processed the last one. Meanwhile the
broker is idle, so it reads, checks and keeps that megabyte. Kept batches are below the high watermark and do not
change; they are dropped when the partition's term ends or its log goes offline.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final, Protocol

from chronik.storage.errors import StorageError
from chronik.storage.reading import LogRead

BULK_BYTES: Final = 64 * 1024
"""A response of this size or more counts as a part of a bulk read."""
KEPT_BYTES_EACH_MAX: Final = 2 * 1024 * 1024
KEPT_MAX: Final = 8
REST_AFTER_WASTE: Final = 32
"""How many reads of a partition pass without reading ahead after a kept read was not used."""


class Readable(Protocol):
    """What reading ahead needs of a replica."""

    is_closed: bool

    @property
    def is_offline(self) -> bool:
        """Whether the log cannot be read."""

    @property
    def high_watermark(self) -> int:
        """The end of the committed records."""

    def read_log(self, offset: int, bytes_max: int, end_offset: int, *, whole_first_batch: bool) -> LogRead:
        """Read batches from the disk."""


@dataclass(frozen=True, slots=True)
class _Kept:
    offset: int
    read: LogRead


class ReadAhead:
    """Keeps one read for each of a few partitions."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._kept: OrderedDict[Readable, _Kept] = OrderedDict()
        self._resting: dict[Readable, int] = {}

    def take(self, partition: Readable, offset: int, bytes_max: int, end_offset: int) -> LogRead | None:
        """Return the kept batches for this offset if they fit the limits, and drop them."""
        kept = self._kept.get(partition)
        if kept is None or kept.offset != offset:
            return None
        del self._kept[partition]
        fits = len(kept.read.data) <= bytes_max and kept.read.next_offset <= end_offset
        return kept.read if fits else None

    def after(self, partition: Readable, read: LogRead, bytes_max: int) -> None:
        """Plan to read the batches after a bulk read, once its response is sent."""
        if (
            len(read.data) < BULK_BYTES
            or bytes_max > KEPT_BYTES_EACH_MAX
            or read.next_offset >= partition.high_watermark
        ):
            return
        rest = self._resting.get(partition, 0)
        if rest > 0:
            self._resting[partition] = rest - 1
            return
        self._loop.call_soon(self._read, partition, read.next_offset, bytes_max)

    def forget(self, partition: Readable) -> None:
        """Drop the kept batches of a partition."""
        self._kept.pop(partition, None)
        self._resting.pop(partition, None)

    def _read(self, partition: Readable, offset: int, bytes_max: int) -> None:
        if partition.is_closed or partition.is_offline:
            return
        if self._kept.pop(partition, None) is not None:
            # Several consumers read at different offsets: reading ahead for one would drop what another needs.
            self._resting[partition] = REST_AFTER_WASTE
            return
        try:
            read = partition.read_log(offset, bytes_max, partition.high_watermark, whole_first_batch=False)
        except (OSError, StorageError):
            # The consumer's own fetch reports the error.
            return
        if read.data:
            self._kept[partition] = _Kept(offset, read)
            if len(self._kept) > KEPT_MAX:
                self._kept.popitem(last=False)
