"""Reading topics as a member of a consumer group, beside members with any other Kafka client.

    async with Cluster("127.0.0.1:9092") as cluster:
        settings = GroupConsumerSettings(offset_reset="earliest")
        async with GroupConsumer(cluster, "billing", ["orders"], settings=settings) as consumer:
            async for fetched in consumer:              # or: fetched = await consumer.poll(timeout_s=1.0)
                for record in fetched.records():
                    print(fetched.topic_partition, record.offset, record.value)

A poll confirms that the records of earlier polls are processed. Their offsets are committed every
``auto.commit.interval.ms``, before partitions are revoked, and at the end. A caller that stops within a
``FetchedRecords`` calls ``await consumer.seek(at, offset)``. The membership runs in its own task; if that fails, the
next poll raises its error.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError, RefusedError
from chronik.client.fetched import FetchedRecords
from chronik.client.groups.coordinator import CoordinatorClient
from chronik.client.groups.member import GroupMember
from chronik.client.groups.membership import MemberPhase
from chronik.client.groups.reading import GroupReading
from chronik.client.groups.settings import GroupConsumerSettings
from chronik.client.groups.subscription import Subscription
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition

CommitErrors: TypeAlias = dict[TopicPartition, ErrorCode]

_CLOSE_TIMEOUT_S: Final = 5.0
_TOPIC_GONE: Final = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})
_COMMIT_ADVICE: Final = "The group has rebalanced: what was read since the last commit is read again by its new owner."


class RebalanceListener:
    """Callbacks of a program for rebalances; each may take long, and does nothing by default."""

    async def on_assigned(self, partitions: list[TopicPartition]) -> None:
        """Partitions were assigned to this member; reading starts at the next poll."""

    async def on_revoked(self, partitions: list[TopicPartition]) -> None:
        """Partitions are about to be revoked; offsets can still be committed."""

    async def on_lost(self, partitions: list[TopicPartition]) -> None:
        """Partitions have already been assigned to other members."""


class GroupConsumer:
    """A member of a consumer group (classic protocol, eager rebalancing, range and round-robin assignment)."""

    def __init__(
        self,
        cluster: Cluster,
        group_id: str,
        topics: Iterable[str] = (),
        *,
        pattern: str | None = None,
        settings: GroupConsumerSettings | None = None,
        listener: RebalanceListener | None = None,
    ) -> None:
        self._cluster = cluster
        self._settings = settings or GroupConsumerSettings()
        self._listener = listener or RebalanceListener()
        self._coordinator = CoordinatorClient(cluster, group_id)
        self._member = GroupMember(cluster, self._coordinator, Subscription(topics, pattern), self._settings)
        self._clock = asyncio.get_running_loop().time
        self._life: asyncio.Task[None] | None = None
        self._reading: GroupReading | None = None
        self._is_delivering = False
        self._next: asyncio.Task[FetchedRecords] | None = None
        self._committing: asyncio.Task[None] | None = None
        self._commit_at = 0.0
        self._is_polling = False
        self._polled_at = self._clock()
        self._changed = asyncio.Event()
        """Set when there may be something new for a poll."""
        self._stirred = asyncio.Event()
        """Wakes the membership task before its next heartbeat."""

    async def __aenter__(self) -> Self:
        """Start joining."""
        self._life = asyncio.get_running_loop().create_task(self._live())
        self._life.add_done_callback(lambda _: self._changed.set())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Commit delivered offsets (unless the block failed), and leave."""
        await self.close(commit=kind is None)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> FetchedRecords:
        """Return the next batches of any assigned partition, each partition in order."""
        fetched = await self.poll()
        assert fetched is not None, "a poll without a time-out returns records"
        return fetched

    @property
    def assignment(self) -> list[TopicPartition]:
        """The partitions that are assigned to this member now."""
        return list(self._reading.partitions) if self._reading is not None else []

    @property
    def positions(self) -> dict[TopicPartition, int]:
        """Return the offsets behind the delivered records; a partition without any is not in it."""
        return dict(self._reading.positions) if self._reading is not None else {}

    async def poll(self, timeout_s: float | None = None) -> FetchedRecords | None:
        """Return the next batches, or None if there are none within the time."""
        deadline = None if timeout_s is None else self._clock() + timeout_s
        self._is_polling = True
        self._stirred.set()
        try:
            while True:
                self._raise_if_dead()
                self._commit_if_due()
                fetched = await self._take(deadline)
                if fetched is not None or (deadline is not None and self._clock() >= deadline):
                    return fetched
        finally:
            self._is_polling = False
            self._polled_at = self._clock()

    async def commit(self, offsets: Mapping[TopicPartition, int] | None = None) -> None:
        """Commit these offsets, or those of all delivered records; raise if one is refused."""
        reading = self._reading
        wanted = dict(offsets) if offsets is not None else reading.uncommitted() if reading else {}
        if not wanted:
            return
        group = f"group {self._coordinator.group_id}"
        if reading is None or not self._member.membership.is_held:
            raise RefusedError(ErrorCode.REBALANCE_IN_PROGRESS, group, advice=_COMMIT_ADVICE)
        for at, error in (await self._commit(reading, wanted)).items():
            if error is not ErrorCode.NONE:
                raise RefusedError(error, f"{group}: {at}", advice=_COMMIT_ADVICE)

    async def seek(self, at: TopicPartition, offset: int) -> None:
        """Continue an assigned partition at another offset; commits follow."""
        if self._reading is None or at not in self._reading.partitions:
            raise RefusedError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, str(at), "it is not assigned to this member")
        await self._stop_next()
        await self._reading.seek(at, offset)

    async def close(self, *, commit: bool = True) -> None:
        """Leave the group; with ``commit``, and with automatic commits, commit once more before."""
        await _cancelled(self._life)
        reading = self._reading
        if commit and reading is not None and self._settings.auto_commit and self._member.membership.is_held:
            async with _at_most(_CLOSE_TIMEOUT_S):
                await self._commit_quietly(reading)
        await self._stop_reading()
        await _cancelled(self._committing)
        await self._member.leave("the consumer was closed")
        self._coordinator.close()

    # Membership, in its own task.

    async def _live(self) -> None:
        while True:
            assigned = await self._member.join()
            await self._begin(assigned)
            await self._hold()
            await self._end()

    async def _begin(self, assigned: list[TopicPartition]) -> None:
        group_id, reset = self._coordinator.group_id, self._settings.offset_reset
        await self._listener.on_assigned(sorted(assigned))
        self._reading = GroupReading(self._cluster, group_id, assigned, reset)
        self._commit_at = self._clock() + self._settings.auto_commit_interval_ms / 1000
        self._is_delivering = True
        self._changed.set()

    async def _hold(self) -> None:
        """Send heartbeats until the membership is lost, or must be renewed and no delivery is being processed."""
        membership = self._member.membership
        beat_at = self._clock() + self._settings.heartbeat_interval_ms / 1000
        look_at = self._clock() + self._member.look_interval_ms / 1000
        while membership.phase is MemberPhase.STABLE and not (membership.must_rejoin and self._is_polling):
            await self._stir_or(min(beat_at, look_at))
            if self._is_lapsed():
                await self._member.leave("max.poll.interval.ms passed without a poll")
            elif self._clock() >= beat_at:
                await self._member.beat()
                beat_at = self._clock() + self._settings.heartbeat_interval_ms / 1000
            elif self._clock() >= look_at:
                await self._member.look_for_changes()
                look_at = self._clock() + self._member.look_interval_ms / 1000

    async def _end(self) -> None:
        """Give up the assignment: in order while the group still knows this member, else at once."""
        membership, reading = self._member.membership, self._reading
        assert reading is not None
        self._is_delivering = False
        self._changed.set()
        if membership.is_held:
            if self._settings.auto_commit:
                await self._commit_quietly(reading)
            await self._listener.on_revoked(reading.partitions)
        else:
            await self._listener.on_lost(reading.partitions)
        await self._stop_reading()
        while self._is_lapsed():
            # A program that does not poll must not get partitions again.
            await self._stir_or(None)
        membership.rejoin()

    def _is_lapsed(self) -> bool:
        return not self._is_polling and self._clock() - self._polled_at > self._settings.poll_interval_ms_max / 1000

    async def _stir_or(self, deadline: float | None) -> None:
        async with _at_most(None if deadline is None else deadline - self._clock()):
            await self._stirred.wait()
        self._stirred.clear()

    async def _stop_reading(self) -> None:
        reading, self._reading = self._reading, None
        await self._stop_next()
        if reading is not None:
            await reading.close()

    # Delivery, in the task of the poller.

    async def _take(self, deadline: float | None) -> FetchedRecords | None:
        """Wait for the next batches, a change of the assignment, or the time of the next commit."""
        self._changed.clear()
        reading = self._reading
        until = self._commit_at if reading is not None and self._settings.auto_commit else None
        until = deadline if until is None else until if deadline is None else min(until, deadline)
        wait_s = None if until is None else max(0.0, until - self._clock())
        if reading is None or not reading.partitions or not self._is_delivering:
            async with _at_most(wait_s):
                await self._changed.wait()
            return None
        pending = self._next = self._next or asyncio.get_running_loop().create_task(reading.next())
        changed = asyncio.get_running_loop().create_task(self._changed.wait())
        await asyncio.wait({pending, changed}, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
        changed.cancel()
        if not pending.done() or not self._is_delivering or reading is not self._reading:
            return None
        self._next = None
        return self._delivered(reading, pending)

    def _delivered(self, reading: GroupReading, done: "asyncio.Task[FetchedRecords]") -> FetchedRecords | None:
        try:
            fetched = done.result()
        except RefusedError as refused:
            if refused.error not in _TOPIC_GONE:
                raise
            self._is_delivering = False
            self._member.membership.on_subscription_changed()
            self._stirred.set()
            return None
        reading.deliver(fetched)
        return fetched

    async def _stop_next(self) -> None:
        pending, self._next = self._next, None
        await _cancelled(pending)

    # Commits.

    def _commit_if_due(self) -> None:
        reading = self._reading
        if not self._settings.auto_commit or reading is None or self._clock() < self._commit_at:
            return
        self._commit_at = self._clock() + self._settings.auto_commit_interval_ms / 1000
        if self._is_delivering and (self._committing is None or self._committing.done()):
            self._committing = asyncio.get_running_loop().create_task(self._commit_quietly(reading))

    async def _commit_quietly(self, reading: GroupReading) -> None:
        """Commit if possible; records whose offsets are not committed are read again by the next owner."""
        wanted = reading.uncommitted()
        if wanted:
            try:
                await self._commit(reading, wanted)
            except ClientError:
                pass

    async def _commit(
        self, reading: GroupReading, wanted: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, ErrorCode]:
        errors = await self._member.commit(wanted)
        reading.committed.update({at: wanted[at] for at, error in errors.items() if error is ErrorCode.NONE})
        self._stirred.set()
        return errors

    def _raise_if_dead(self) -> None:
        if self._life is None or self._life.cancelled():
            raise ClientError("this consumer is closed")
        if self._life.done():
            error = self._life.exception()
            raise error if error is not None else ClientError("this consumer has ended")


@asynccontextmanager
async def _at_most(timeout_s: float | None) -> AsyncIterator[None]:
    """Continue after this time at the latest."""
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except TimeoutError:
        pass


async def _cancelled(task: "asyncio.Task[Any] | None") -> None:
    if task is not None:
        task.cancel()
        await asyncio.wait({task})
