"""Reading several partitions for one fetch, and waiting if there is too little to return.

A waiting fetch has one timer and is registered at its partitions. It costs nothing until one of them advances its high
watermark (or, for a follower's fetch, its log end).
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from chronik.model.errors import ErrorCode
from chronik.model.ids import LeaderEpoch, Offset
from chronik.observability.logs import PER_REQUEST
from chronik.protocol.constants import DEBUGGING_CONSUMER_ID
from chronik.replication.divergence import find_divergence
from chronik.replication.events import Divergence, FetchAsk
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.replica import Replica
from chronik.storage.errors import CorruptBatchError, LogOfflineError, OffsetOutOfRangeError

log = logging.getLogger(__name__)

WATERMARK_DELAY_S: Final = 0.005
"""How long a follower's fetch without data waits before it returns a newer watermark. Without a delay there would be
twice as many fetches."""

Lookup = Callable[["FetchSpec"], "Replica | ErrorCode"]


@dataclass(frozen=True, slots=True)
class FetchReader:
    """The sender of a fetch: a consumer, Kafka's debugging consumer, or a follower with its broker epoch."""

    replica_id: int
    broker_epoch: int = -1

    @property
    def is_follower(self) -> bool:
        return self.replica_id >= 0


@dataclass(slots=True)
class FetchSpec:
    """The request for one partition."""

    topic: object
    """The topic's name, or its id in versions that use ids."""
    index: int
    offset: int
    bytes_max: int
    leader_epoch: int
    last_fetched_epoch: int = -1


@dataclass(slots=True)
class PartitionRead:
    """The result of one partition."""

    spec: FetchSpec
    error: ErrorCode = ErrorCode.NONE
    high_watermark: int = -1
    last_stable_offset: int = -1
    log_start_offset: int = -1
    records: memoryview | bytes = b""
    partition: Replica | None = None
    diverging: Divergence | None = None
    """For a follower whose log diverges: the largest epoch that both logs may share, and its end offset here."""


class ReadTrace(Protocol):
    """Records the steps of a read."""

    def on_checked(self, spec: FetchSpec, partition: Replica, end_offset: int, bytes_max: int) -> None:
        """Record that the fetch offset was compared with ``end_offset``; if it is below, data is read now."""


def read_partitions(
    specs: Sequence[FetchSpec], lookup: Lookup, *, bytes_max: int, reader: FetchReader, trace: ReadTrace | None = None
) -> tuple[list[PartitionRead], int]:
    """Read the partitions in order within ``bytes_max``. The first batch is always returned, whatever its size."""
    results: list[PartitionRead] = []
    left = bytes_max
    total = 0
    for spec in specs:
        found = lookup(spec)
        if isinstance(found, Replica):
            result = _read_one(found, spec, left, reader, trace, is_first=total == 0)
            size = len(result.records)
            left -= size
            total += size
        else:
            result = PartitionRead(spec, found)
        results.append(result)
    return results, total


def count_out(results: Sequence[PartitionRead], reader: FetchReader) -> None:
    """Count the bytes that a response returns."""
    for result in results:
        if result.partition is None:
            continue
        traffic = result.partition.traffic
        traffic.reads += 1
        if reader.is_follower:
            traffic.replication_bytes_out += len(result.records)
        else:
            traffic.bytes_out += len(result.records)


def _read_one(
    partition: Replica, spec: FetchSpec, left: int, reader: FetchReader, trace: ReadTrace | None, *, is_first: bool
) -> PartitionRead:
    if (error := _rejection_of(partition, spec, reader)) is not None:
        return PartitionRead(spec, error, partition=partition)
    high_watermark = partition.high_watermark
    result = PartitionRead(
        spec,
        high_watermark=high_watermark,
        last_stable_offset=high_watermark,
        log_start_offset=partition.log.log_start_offset,
        partition=partition,
    )
    end_offset = _readable_end(partition, reader)
    bytes_max = min(spec.bytes_max, left)
    if bytes_max <= 0 and not is_first:
        bytes_max = 0
    if trace is not None:
        trace.on_checked(spec, partition, end_offset, bytes_max)
    if reader.is_follower and (diverging := divergence_of(partition, spec)) is not None:
        result.diverging = diverging
    elif not partition.log.log_start_offset <= spec.offset <= partition.log.log_end_offset:
        result.error = ErrorCode.OFFSET_OUT_OF_RANGE
    elif partition.is_offline:
        result.error = ErrorCode.KAFKA_STORAGE_ERROR
    elif spec.offset < end_offset and (bytes_max or is_first):
        _fill(result, partition, bytes_max, end_offset, is_first=is_first)
    return result


def _rejection_of(partition: Replica, spec: FetchSpec, reader: FetchReader) -> ErrorCode | None:
    if reader.is_follower and isinstance(partition.role, LeaderReplica):
        return partition.role.rejection_of_follower(reader.replica_id, reader.broker_epoch, spec.leader_epoch)
    if reader.replica_id == DEBUGGING_CONSUMER_ID:
        return None
    return partition.rejection_of_epoch(spec.leader_epoch)


def _readable_end(partition: Replica, reader: FetchReader) -> int:
    if reader.is_follower or reader.replica_id == DEBUGGING_CONSUMER_ID:
        return partition.log.log_end_offset
    return partition.high_watermark


def divergence_of(partition: Replica, spec: FetchSpec) -> Divergence | None:
    """Return where the follower's log diverges from this one, by its last epoch; None if it does not."""
    log = partition.log
    ask = FetchAsk(Offset(spec.offset), LeaderEpoch(spec.last_fetched_epoch), LeaderEpoch(spec.leader_epoch))
    return find_divergence(log.leader_epochs, log.log_start_offset, log.log_end_offset, ask)


def _fill(result: PartitionRead, partition: Replica, bytes_max: int, end_offset: int, *, is_first: bool) -> None:
    try:
        found = partition.read(result.spec.offset, bytes_max, end_offset, whole_first_batch=is_first)
        result.records = found.data
    except OffsetOutOfRangeError:
        result.error = ErrorCode.OFFSET_OUT_OF_RANGE
    except CorruptBatchError as error:
        log.error("%s: a fetch found a damaged batch: %s", partition.topic_partition, error, extra=PER_REQUEST)
        is_served_elsewhere = partition.on_damage(partition, error.first_offset)
        result.error = ErrorCode.NOT_LEADER_OR_FOLLOWER if is_served_elsewhere else ErrorCode.CORRUPT_MESSAGE
    except (LogOfflineError, OSError) as error:
        where = partition.topic_partition
        log.error("%s: a fetch at offset %d failed: %s", where, result.spec.offset, error, extra=PER_REQUEST)
        result.error = ErrorCode.KAFKA_STORAGE_ERROR


class FetchWait:
    """A fetch that waits until enough bytes are committed, its time is over, or one of its partitions closes."""

    __slots__ = ("_baseline", "_bytes_min", "_on_ready", "_partitions", "_timer")

    def __init__(
        self,
        partitions: Sequence[Replica],
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

    def on_committed(self, replica: Replica) -> None:
        """Finish if enough bytes are committed, or if the partition cannot serve any more."""
        if self._bytes_min <= 1 or replica.is_closed or replica.is_offline or self._new_bytes >= self._bytes_min:
            self._finish()

    @property
    def _new_bytes(self) -> int:
        return sum(partition.log.appended_bytes for partition in self._partitions) - self._baseline

    def cancel(self) -> None:
        """Stop waiting without a response: the connection is closed."""
        self._timer.cancel()
        for partition in self._partitions:
            partition.listeners.pop(self, None)

    def _finish(self) -> None:
        self.cancel()
        self._on_ready()


class FollowerFetchWait:
    """A follower's fetch that waits for new records, or until the follower's high watermark is outdated for a while.

    Records that are appended to several partitions in one iteration of the loop are returned together in the next one.
    """

    __slots__ = ("_is_finishing", "_is_hurrying", "_loop", "_on_ready", "_partitions", "_timer")

    def __init__(
        self,
        partitions: Sequence[Replica],
        wait_s: float,
        on_ready: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
        *,
        is_behind: bool,
    ) -> None:
        self._partitions = partitions
        self._on_ready = on_ready
        self._loop = loop
        self._is_finishing = False
        self._is_hurrying = is_behind
        self._timer = loop.call_later(min(wait_s, WATERMARK_DELAY_S) if is_behind else wait_s, self.finish)
        for partition in partitions:
            partition.listeners[self] = None
            partition.followers[self] = None

    def on_appended(self) -> None:
        """Finish in the next iteration of the loop, together with everything that this iteration appends."""
        if not self._is_finishing:
            self._is_finishing = True
            self._timer.cancel()
            self._timer = self._loop.call_later(0, self.finish)

    def on_committed(self, replica: Replica) -> None:
        """Return the new watermark soon, or finish at once if the partition cannot serve any more."""
        if replica.is_closed or replica.is_offline:
            self.on_appended()
        elif not self._is_finishing and not self._is_hurrying:
            self._is_hurrying = True
            self._timer.cancel()
            self._timer = self._loop.call_later(WATERMARK_DELAY_S, self.finish)

    def cancel(self) -> None:
        """Stop waiting without a response: the connection is closed."""
        self._timer.cancel()
        for partition in self._partitions:
            partition.listeners.pop(self, None)
            partition.followers.pop(self, None)

    def finish(self) -> None:
        """Respond now."""
        self.cancel()
        self._on_ready()
