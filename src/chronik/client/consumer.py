"""Read assigned partitions from a start, to the current high watermark or without end, with prefetch.

One task per leader fetches all of its partitions. Partitions whose leader has moved or cannot be reached go back to the
router, which finds their leader again. Fetched batches wait in a bounded queue.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self, TypeAlias

from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError, RefusedError, UnreachableError, check
from chronik.client.fetched import FetchedRecords, next_offset_of
from chronik.client.fetching import FetchedPartition, fetch
from chronik.client.offsets import list_offsets
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.constants import EARLIEST_TIMESTAMP, LATEST_TIMESTAMP


@dataclass(frozen=True, slots=True)
class FromEarliest:
    """Start at the log start."""


@dataclass(frozen=True, slots=True)
class FromLatest:
    """Start at the high watermark."""


@dataclass(frozen=True, slots=True)
class FromOffset:
    """Start at this offset; a negative one counts back from the high watermark, at most to the log start."""

    offset: int


@dataclass(frozen=True, slots=True)
class FromTime:
    """Start at the first record with this timestamp (in ms) or a later one."""

    timestamp_ms: int


Start: TypeAlias = FromEarliest | FromLatest | FromOffset | FromTime

_PURPOSE: Final = "fetch"
_END: Final = None


class Consumer:
    """``async with Consumer(cluster, {partition: start}) as consumer: async for fetched in consumer: ...``."""

    def __init__(
        self,
        cluster: Cluster,
        starts: Mapping[TopicPartition, Start],
        *,
        follow: bool = False,
        until_ms: int | None = None,
    ) -> None:
        assert not (follow and until_ms is not None), "reading that follows has no end"
        self._cluster = cluster
        self._starts = dict(starts)
        self._follow = follow
        self._until_ms = until_ms
        self.positions: dict[TopicPartition, int] = {}
        """The end of the fetched data of each partition (exclusive)."""
        self.end_offsets: dict[TopicPartition, int] = {}
        """Where the reading of each partition ends: the high watermark at the start, or before ``until_ms``."""
        self._homeless: set[TopicPartition] = set()
        self._routing_due = asyncio.Event()
        self._by_leader: dict[int, set[TopicPartition]] = {}
        self._ahead: asyncio.Queue[FetchedRecords | Exception | None] = asyncio.Queue(
            cluster.settings.fetched_ahead_max
        )
        self._tasks: set[asyncio.Task[None]] = set()
        self._failing_since: dict[TopicPartition, float] = {}

    async def __aenter__(self) -> Self:
        """Find start and end offsets, and start fetching."""
        await self._resolve()
        self._homeless = {at for at in self.positions if not self._is_done(at)}
        self._routing_due.set()
        self._spawn(self._route())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> FetchedRecords:
        """Return the next batches of any partition, each partition in order."""
        item = await self._ahead.get()
        if item is _END:
            raise StopAsyncIteration
        if isinstance(item, Exception):
            raise item
        return item

    async def _resolve(self) -> None:
        latest = await list_offsets(self._cluster, dict.fromkeys(self._starts, LATEST_TIMESTAMP))
        self.end_offsets = {at: found.offset for at, found in latest.items()}
        if self._until_ms is not None:
            ends = await list_offsets(self._cluster, dict.fromkeys(self._starts, self._until_ms))
            self.end_offsets.update({at: found.offset for at, found in ends.items() if found.offset >= 0})
        by_time = {at: _timestamp_of(start) for at, start in self._starts.items()}
        asked = {at: timestamp for at, timestamp in by_time.items() if timestamp is not None}
        found = await list_offsets(self._cluster, asked) if asked else {}
        for at, start in self._starts.items():
            self.positions[at] = self._first_offset(at, start, found[at].offset if at in found else -1)

    def _first_offset(self, at: TopicPartition, start: Start, found: int) -> int:
        if isinstance(start, FromOffset):
            return start.offset if start.offset >= 0 else max(found, self.end_offsets[at] + start.offset)
        return found if found >= 0 else self.end_offsets[at]

    def _is_done(self, at: TopicPartition) -> bool:
        return not self._follow and self.positions[at] >= self.end_offsets[at]

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(self._reporting(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _reporting(self, work: Coroutine[None, None, None]) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001 - whatever ends a task must reach the reader
            await self._ahead.put(error)

    async def _route(self) -> None:
        backoffs = self._cluster.backoffs()
        while True:
            await self._routing_due.wait()
            self._routing_due.clear()
            if not self._homeless and not self._by_leader:
                await self._ahead.put(_END)
                return
            if self._failing_since:
                await asyncio.sleep(next(backoffs))
            else:
                backoffs = self._cluster.backoffs()
            for at in sorted(self._homeless):
                leader = (await self._cluster.leader_of(at)).leader
                self._homeless.discard(at)
                self._house(leader, at)

    def _house(self, leader: int, at: TopicPartition) -> None:
        members = self._by_leader.get(leader)
        if members is None:
            members = self._by_leader[leader] = set()
            self._spawn(self._fetch_from(leader, members))
        members.add(at)

    async def _fetch_from(self, leader: int, members: set[TopicPartition]) -> None:
        await asyncio.sleep(0)
        while members:
            wanted = {at: self.positions[at] for at in sorted(members)}
            try:
                connection = await self._cluster.connection_to(leader, _PURPOSE)
                partitions = await fetch(self._cluster, connection, wanted)
            except UnreachableError as failure:
                self._all_homeless(members, failure)
                break
            for partition in partitions:
                await self._take(partition, members)
        del self._by_leader[leader]
        self._routing_due.set()

    async def _take(self, answer: FetchedPartition, members: set[TopicPartition]) -> None:
        at = answer.topic_partition
        if at not in members:
            return
        if answer.error is not ErrorCode.NONE:
            self._after_error(answer, members)
            return
        self._failing_since.pop(at, None)
        if answer.data:
            await self._ahead.put(self._advance(answer))
        if self._is_done(at):
            members.discard(at)

    def _advance(self, answer: FetchedPartition) -> FetchedRecords:
        at = answer.topic_partition
        start = self.positions[at]
        end = next_offset_of(answer.data)
        if end is None:
            raise RefusedError(
                ErrorCode.MESSAGE_TOO_LARGE,
                f"{at} offset {start}",
                "the fetch ended within the batch",
                advice="Raise -X max.partition.fetch.bytes=BYTES.",
            )
        self.positions[at] = max(end, start)
        limit = None if self._follow else self.end_offsets[at]
        return FetchedRecords(at, answer.data, start, limit, answer.high_watermark, answer.aborted)

    def _after_error(self, answer: FetchedPartition, members: set[TopicPartition]) -> None:
        at = answer.topic_partition
        refusal = RefusedError(answer.error, f"{at} offset {self.positions[at]}", _bounds_text(answer))
        if not answer.error.is_retriable or answer.error is ErrorCode.CORRUPT_MESSAGE:
            raise refusal
        self._make_homeless(at, members, refusal)

    def _all_homeless(self, members: set[TopicPartition], failure: ClientError) -> None:
        for at in sorted(members):
            self._make_homeless(at, members, failure)

    def _make_homeless(self, at: TopicPartition, members: set[TopicPartition], failure: ClientError) -> None:
        now = asyncio.get_running_loop().time()
        since = self._failing_since.setdefault(at, now)
        if now - since > self._cluster.settings.retry_timeout_ms / 1000:
            raise failure
        self._cluster.forget(at.topic)
        members.discard(at)
        self._homeless.add(at)
        self._routing_due.set()


def _timestamp_of(start: Start) -> int | None:
    match start:
        case FromEarliest():
            return EARLIEST_TIMESTAMP
        case FromOffset(offset) if offset < 0:
            # Counting back ends at the log start.
            return EARLIEST_TIMESTAMP
        case FromTime(timestamp_ms):
            return timestamp_ms
        case _:
            return None


def _bounds_text(answer: FetchedPartition) -> str | None:
    if answer.error is not ErrorCode.OFFSET_OUT_OF_RANGE:
        return None
    return f"log start {answer.log_start_offset}, high watermark {answer.high_watermark}"


async def partitions_of(cluster: Cluster, topic: str, chosen: Iterable[int] = ()) -> list[TopicPartition]:
    """Return the chosen partitions of a topic, or all; raise if one does not exist."""
    known = (await cluster.topic(topic)).partitions
    wanted = sorted(set(chosen)) or sorted(known)
    for partition in wanted:
        if partition not in known:
            check(
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                str(TopicPartition(topic, partition)),
                f"the topic has {len(known)} partition(s), numbered from 0",
            )
    return [TopicPartition(topic, partition) for partition in wanted]
