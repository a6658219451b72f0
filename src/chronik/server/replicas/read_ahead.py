"""Reading what a bulk consumer will ask for next, while it is busy with what it has.

A consumer that reads a partition from end to end asks for the next megabyte when it has taken the last one apart.
Meanwhile the broker is idle, so it reads and checks that megabyte and keeps it. What is kept lies below the high
watermark and does not change; a partition that ends its term or goes offline is forgotten.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final, Protocol

from chronik.storage.errors import StorageError
from chronik.storage.reading import LogRead

BULK_BYTES: Final = 64 * 1024
"""An answer from this size on is taken for a part of a long read."""
KEPT_BYTES_EACH_MAX: Final = 2 * 1024 * 1024
KEPT_MAX: Final = 8
REST_AFTER_WASTE: Final = 32
"""Reads of a partition that pass before the next try, where what was kept was not asked for."""


class Readable(Protocol):
    """A partition, as far as reading ahead needs it."""

    is_closed: bool

    @property
    def is_offline(self) -> bool:
        """Whether nothing can be read."""

    @property
    def high_watermark(self) -> int:
        """Where the committed records end."""

    def read_log(self, offset: int, bytes_max: int, end_offset: int, *, whole_first_batch: bool) -> LogRead:
        """Read from the disk."""


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
        """Give what was kept for this offset, if it fits what is asked for."""
        kept = self._kept.get(partition)
        if kept is None or kept.offset != offset:
            return None
        del self._kept[partition]
        fits = len(kept.read.data) <= bytes_max and kept.read.next_offset <= end_offset
        return kept.read if fits else None

    def after(self, partition: Readable, read: LogRead, bytes_max: int) -> None:
        """Think of what comes after a read, once its answer is on its way."""
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
        """Let go of what was kept for a partition."""
        self._kept.pop(partition, None)
        self._resting.pop(partition, None)

    def _read(self, partition: Readable, offset: int, bytes_max: int) -> None:
        if partition.is_closed or partition.is_offline:
            return
        if self._kept.pop(partition, None) is not None:
            # Several consumers at several places: reading ahead for one would only throw away what another needs.
            self._resting[partition] = REST_AFTER_WASTE
            return
        try:
            read = partition.read_log(offset, bytes_max, partition.high_watermark, whole_first_batch=False)
        except (OSError, StorageError):
            # Whoever asks for it hears of it.
            return
        if read.data:
            self._kept[partition] = _Kept(offset, read)
            if len(self._kept) > KEPT_MAX:
                self._kept.popitem(last=False)
