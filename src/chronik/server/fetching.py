"""Reading several partitions for one fetch, and waiting for them where there is too little to send.

A waiting fetch costs nothing until one of its partitions commits something: it hangs on them and on one timer.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from chronik.model.errors import ErrorCode
from chronik.server.partition import Partition
from chronik.storage.errors import CorruptBatchError, LogOfflineError, OffsetOutOfRangeError

log = logging.getLogger(__name__)

DEBUGGING_REPLICA: Final = -2
"""Kafka's debugging consumer: it may see everything up to the log end."""
CONSUMER: Final = -1

Lookup = Callable[["FetchSpec"], "Partition | ErrorCode"]


@dataclass(slots=True)
class FetchSpec:
    """What is asked of one partition."""

    topic: object
    """The topic's name or id, whichever the client used."""
    index: int
    offset: int
    bytes_max: int
    leader_epoch: int
    last_fetched_epoch: int = -1


@dataclass(slots=True)
class Fetched:
    """What one partition gave."""

    spec: FetchSpec
    error: ErrorCode = ErrorCode.NONE
    high_watermark: int = -1
    last_stable_offset: int = -1
    log_start_offset: int = -1
    records: memoryview | bytes = b""
    partition: Partition | None = None


def read_partitions(
    specs: Sequence[FetchSpec], lookup: Lookup, *, bytes_max: int, replica_id: int
) -> tuple[list[Fetched], int]:
    """Read each partition in turn within ``bytes_max``, except that the first batch always comes whole."""
    results: list[Fetched] = []
    left = bytes_max
    total = 0
    for spec in specs:
        found = lookup(spec)
        if isinstance(found, Partition):
            result = _read_one(found, spec, left, replica_id, is_first=total == 0)
            size = len(result.records)
            left -= size
            total += size
        else:
            result = Fetched(spec, found)
        results.append(result)
    return results, total


def _read_one(partition: Partition, spec: FetchSpec, left: int, replica_id: int, *, is_first: bool) -> Fetched:
    if (error := partition.why_not_epoch(spec.leader_epoch)) is not None:
        return Fetched(spec, error)
    high_watermark = partition.high_watermark
    result = Fetched(
        spec,
        high_watermark=high_watermark,
        last_stable_offset=high_watermark,
        log_start_offset=partition.log.log_start_offset,
        partition=partition,
    )
    end_offset = partition.log.log_end_offset if replica_id == DEBUGGING_REPLICA else high_watermark
    bytes_max = min(spec.bytes_max, left)
    if bytes_max <= 0 and not is_first:
        bytes_max = 0
    if not partition.log.log_start_offset <= spec.offset <= partition.log.log_end_offset:
        result.error = ErrorCode.OFFSET_OUT_OF_RANGE
    elif partition.is_offline:
        result.error = ErrorCode.KAFKA_STORAGE_ERROR
    elif spec.offset < end_offset and (bytes_max or is_first):
        _fill(result, partition, bytes_max, end_offset, is_first=is_first)
    return result


def _fill(result: Fetched, partition: Partition, bytes_max: int, end_offset: int, *, is_first: bool) -> None:
    try:
        found = partition.read(result.spec.offset, bytes_max, end_offset, whole_first_batch=is_first)
        result.records = found.data
    except OffsetOutOfRangeError:
        result.error = ErrorCode.OFFSET_OUT_OF_RANGE
    except CorruptBatchError as error:
        log.error("%s: a fetch met damage: %s", partition.topic_partition, error)
        result.error = ErrorCode.CORRUPT_MESSAGE
    except (LogOfflineError, OSError) as error:
        log.error("%s: a fetch at offset %d could not read: %s", partition.topic_partition, result.spec.offset, error)
        result.error = ErrorCode.KAFKA_STORAGE_ERROR


class FetchWait:
    """A fetch that waits until its partitions have committed enough, its time is over, or one of them ends."""

    __slots__ = ("_baseline", "_bytes_min", "_on_ready", "_partitions", "_timer")

    def __init__(
        self,
        partitions: Sequence[Partition],
        bytes_min: int,
        wait_s: float,
        on_ready: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._partitions = partitions
        self._bytes_min = bytes_min
        self._on_ready = on_ready
        self._baseline = sum(partition.log.appended_bytes for partition in partitions)
        self._timer = loop.call_later(wait_s, self._finish)
        for partition in partitions:
            partition.listeners[self] = None

    def on_committed(self, partition: Partition) -> None:
        """Go on when enough has come, or when the partition can serve no more."""
        if self._bytes_min <= 1 or partition.is_closed or partition.is_offline or self._new_bytes >= self._bytes_min:
            self._finish()

    @property
    def _new_bytes(self) -> int:
        return sum(partition.log.appended_bytes for partition in self._partitions) - self._baseline

    def cancel(self) -> None:
        """Leave the partitions without an answer: the connection is gone."""
        self._timer.cancel()
        for partition in self._partitions:
            partition.listeners.pop(self, None)

    def _finish(self) -> None:
        self.cancel()
        self._on_ready()
