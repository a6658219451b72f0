"""The group coordinator: one shard for each partition of ``__consumer_offsets`` that this broker leads.

A command goes to the shard of its group, without a task. Timers, expiry and loading are tasks of the broker.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, Final
from uuid import UUID, uuid4

from chronik.coordinator.commands import GroupCommand, ListGroups
from chronik.coordinator.group import ClassicGroup
from chronik.coordinator.responses import CoordinatorResult, ErrorResponse, GroupResponse, ListedGroup, ListResponse
from chronik.coordinator.shard import GroupShard
from chronik.metadata.image.image import Image
from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID, Millis
from chronik.model.topics import OFFSETS_TOPIC
from chronik.protocol.wire import Message
from chronik.server.groups.loading import load_shard
from chronik.server.groups.placement import offsets_partition_of, offsets_topic_in
from chronik.server.groups.requests import GroupRequest, GroupRequestHandle, GroupRequests
from chronik.server.groups.shard import ShardRuntime
from chronik.server.loop.clock import SteadyClock
from chronik.server.network.pending_responses import Pending
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.writes import StagedWrites
from chronik.server.settings.groups import CoordinatorSettings
from chronik.storage.errors import StorageError

log = logging.getLogger(__name__)

TICK_S_MIN: Final = 0.01
"""Timers that are due within this time fire together."""
RETRY_S: Final = 0.5
"""How long the timers of a shard that cannot write are postponed."""
_NEVER: Final = Millis(1 << 62)


class GroupCoordinatorService:
    """Finds the shard of each group, loads shards, fires their timers and expires their offsets."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        settings: CoordinatorSettings,
        writes: StagedWrites,
        may_lead: Callable[[], bool] = lambda: True,
    ) -> None:
        self._loop = loop
        self._settings = settings
        self._writes = writes
        self._may_lead = may_lead
        """Whether the broker's lease surely holds, so that no other broker can coordinate these groups."""
        self._clock = SteadyClock()
        self._image = Image()
        self._partition_count = 0
        self._shards: dict[int, ShardRuntime] = {}
        self._to_load: deque[ShardRuntime] = deque()
        self._work = asyncio.Event()
        self._timer_moved = asyncio.Event()
        self._wake_at = _NEVER
        self._is_write_planned = False

    def now_ms(self) -> Millis:
        """Return the time of the clock that sessions and retention use."""
        return self._clock.now_ms()

    # --- commands

    def ask(self, command: GroupCommand, shape: Callable[[GroupResponse], Message]) -> Message | Pending:
        """Send a command to one group; ``shape`` makes the response from the answer."""
        request = GroupRequest(shape)
        self._dispatch(command, request, self._clock.now_ms())
        return request.reply()

    def ask_each(
        self, commands: Sequence[GroupCommand], shape: Callable[[Sequence[GroupResponse]], Message]
    ) -> Message | Pending:
        """Send commands to several groups; ``shape`` makes the response from their answers, in order."""
        request = GroupRequests(len(commands), shape)
        now = self._clock.now_ms()
        for command, part in zip(commands, request.parts, strict=True):
            self._dispatch(command, part, now)
        return request.reply()

    def ask_all(self, command: ListGroups, shape: Callable[[ListResponse], Message]) -> Message | Pending:
        """Send a command to every shard that this broker leads, and join their lists."""
        shards = list(self._shards.values())
        request = GroupRequests(len(shards), lambda answers: shape(_joined(answers)))
        now = self._clock.now_ms()
        for shard, part in zip(shards, request.parts, strict=True):
            shard.handle(command, part, now)
        return request.reply()

    def _dispatch(self, command: GroupCommand, request: GroupRequestHandle, now: Millis) -> None:
        shard = self._shard_of(command.group_id)
        if shard is None:
            request.complete(ErrorResponse(ErrorCode.NOT_COORDINATOR))
            return
        shard.handle(command, request, now)
        self._watch_deadline(shard)

    def keeps(self, group_id: str) -> bool:
        """Whether this broker has the shard of a group, loaded or not."""
        return self._shard_of(group_id) is not None

    def groups(self) -> Iterator[ClassicGroup]:
        """Iterate over the groups that this broker coordinates now."""
        for shard in tuple(self._shards.values()):
            if shard.is_serving:
                yield from shard.shard.groups()

    def _shard_of(self, group_id: str) -> ShardRuntime | None:
        if not self._partition_count:
            return None
        return self._shards.get(offsets_partition_of(group_id, self._partition_count))

    # --- shards

    def on_image(self, before: Image, after: Image) -> None:
        """Follow the offsets topic, and remove the committed offsets of deleted topics."""
        self._image = after
        topic = offsets_topic_in(after)
        self._partition_count = 0 if topic is None else len(topic.partitions)
        gone = {
            (name, known.id)
            for name, known in before.topics.items()
            if after.topics.get(name) is not known and (name not in after.topics or after.topics[name].id != known.id)
        }
        if gone:
            self._forget_topics(gone)

    def _forget_topics(self, gone: set[tuple[str, UUID]]) -> None:
        names = {name for name, _ in gone}

        def is_gone(name: str, topic_id: UUID) -> bool:
            return (name, topic_id) in gone or (topic_id == ZERO_TOPIC_ID and name in names)

        self._for_each(lambda shard: shard.shard.forget_topics(is_gone, self._clock.now_ms()))

    def _is_unknown(self, name: str, topic_id: UUID) -> bool:
        topic = self._image.topics.get(name)
        return topic is None or topic_id not in (ZERO_TOPIC_ID, topic.id)

    def on_led(self, partition: LeaderReplica) -> None:
        """Create the shard of a partition whose leader term begins on this broker; an empty shard serves at once."""
        if partition.topic_partition.topic != OFFSETS_TOPIC:
            return
        core = GroupShard(self._settings.core, lambda: str(uuid4()))
        shard = ShardRuntime(partition, core, self._clock, self._on_abandoned, self._may_lead)
        self._shards[shard.index] = shard
        if partition.log.log_start_offset == partition.log.log_end_offset:
            self._begin(shard)
        else:
            self._to_load.append(shard)
            self._work.set()

    def _begin(self, shard: ShardRuntime) -> None:
        now = self._clock.now_ms()
        shard.begin(shard.shard.finish_loading(now))
        if shard.is_serving:
            shard.carry_out(shard.shard.forget_topics(self._is_unknown, now))
        self._watch_deadline(shard)
        self._plan_write()

    # --- tasks

    def duties(self) -> dict[str, Callable[[], Coroutine[Any, Any, None]]]:
        """Return the background tasks of the coordinator, by name."""
        return {
            "group loading": self.load_shards,
            "group timers": self.keep_time,
            "offset expiry": self.expire_offsets,
        }

    async def load_shards(self) -> None:
        """Load new shards, for as long as the broker runs."""
        while True:
            await self._work.wait()
            self._work.clear()
            while self._to_load:
                await self._load(self._to_load.popleft())

    async def _load(self, shard: ShardRuntime) -> None:
        where = shard.partition.topic_partition
        started = self._loop.time()
        try:
            count = await load_shard(shard.partition.replica, shard.shard)
        except (OSError, StorageError) as error:
            log.error(
                "%s cannot be loaded, its groups are unavailable: %s. Repair the disk, or let another broker lead it.",
                where,
                error,
            )
            shard.end(ErrorCode.COORDINATOR_NOT_AVAILABLE)
            return
        if shard.is_loading:
            self._begin(shard)
            log.info("%s: %d group records loaded in %.3f s", where, count, self._loop.time() - started)
            if shard.shard.ignored_records:
                # Records of Kafka's newer group types are unknown here; damaged records would look the same.
                log.warning("%s: %d records are unknown and were ignored", where, shard.shard.ignored_records)

    async def keep_time(self) -> None:
        """Fire the timers of the shards: sleep until the nearest deadline, or until an earlier one is set."""
        while True:
            await self._until_due()
            await asyncio.sleep(TICK_S_MIN)
            self._wake_at = _NEVER
            now = self._clock.now_ms()
            for shard in tuple(self._shards.values()):
                if shard.is_serving:
                    self._tick(shard, now)
            self._writes.write_all()

    async def _until_due(self) -> None:
        while (left_ms := self._wake_at - self._clock.now_ms()) > 0:
            self._timer_moved.clear()
            try:
                async with asyncio.timeout(left_ms / 1000 if self._wake_at < _NEVER else None):
                    await self._timer_moved.wait()
            except TimeoutError:
                return

    def _tick(self, shard: ShardRuntime, now: Millis) -> None:
        deadline = shard.shard.next_deadline
        if deadline is None:
            return
        if deadline <= now:
            if not shard.may_write:
                self._wake_by(Millis(now + int(RETRY_S * 1000)))
                return
            shard.carry_out(shard.shard.tick(now))
        self._watch_deadline(shard)

    def _watch_deadline(self, shard: ShardRuntime) -> None:
        deadline = shard.shard.next_deadline
        if deadline is not None and deadline < self._wake_at and shard.is_serving:
            self._wake_by(deadline)

    def _wake_by(self, deadline: Millis) -> None:
        if deadline < self._wake_at:
            self._wake_at = deadline
            self._timer_moved.set()

    async def expire_offsets(self) -> None:
        """Remove committed offsets and groups that have expired."""
        while True:
            await asyncio.sleep(self._settings.expiry_check_interval_ms / 1000)
            now = self._clock.now_ms()
            for shard in tuple(self._shards.values()):
                if shard.is_serving and shard.may_write:
                    shard.carry_out(shard.shard.expire_offsets(now))
                    self._writes.write_all()
                    # Other work may run between two shards: each may have many groups.
                    await asyncio.sleep(0)

    # --- writes outside of a read event

    def _for_each(self, decide: Callable[[ShardRuntime], CoordinatorResult]) -> None:
        for shard in tuple(self._shards.values()):
            if shard.is_serving and shard.may_write:
                shard.carry_out(decide(shard))
                self._watch_deadline(shard)
        self._plan_write()

    def _on_abandoned(self) -> None:
        self._plan_write()
        self._wake_by(self._clock.now_ms())

    def _plan_write(self) -> None:
        """Write the staged batches soon: no read event ends that would write them."""
        if not self._is_write_planned:
            self._is_write_planned = True
            self._loop.call_soon(self._write)

    def _write(self) -> None:
        self._is_write_planned = False
        self._writes.write_all()

    # --- the end

    def stop(self) -> None:
        """Reject all waiting requests: this broker coordinates no group any more."""
        for shard in self._shards.values():
            shard.end(ErrorCode.NOT_COORDINATOR)


def _joined(answers: Sequence[GroupResponse]) -> ListResponse:
    error = ErrorCode.NONE
    groups: list[ListedGroup] = []
    for answer in answers:
        if isinstance(answer, ListResponse):
            groups.extend(answer.groups)
        elif answer.error is not ErrorCode.NOT_COORDINATOR:
            error = answer.error
    return ListResponse(error, () if error is not ErrorCode.NONE else tuple(groups))
