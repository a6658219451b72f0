"""The groups that this broker coordinates: one shard for each partition of ``__consumer_offsets`` that it leads.

Commands go to the shard that keeps their group. Timers, expiry and loading are tasks of the broker; a command never
needs one.
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
from chronik.server.groups.shard import LedShard
from chronik.server.loop.clock import SteadyClock
from chronik.server.network.pending_responses import Pending
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.writes import StagedWrites
from chronik.server.settings.groups import CoordinatorSettings
from chronik.storage.errors import StorageError

log = logging.getLogger(__name__)

TICK_S_MIN: Final = 0.01
"""Timers that are due within this time are served together."""
RETRY_S: Final = 0.5
"""How long timers of a shard wait that may not write now."""
_NEVER: Final = Millis(1 << 62)


class GroupCoordinator:
    """Finds the shard of each group, and keeps the shards loaded, in time and tidy."""

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
        """Whether nobody else can coordinate these groups by now: the broker's lease surely holds."""
        self._clock = SteadyClock()
        self._image = Image()
        self._partition_count = 0
        self._shards: dict[int, LedShard] = {}
        self._to_load: deque[LedShard] = deque()
        self._work = asyncio.Event()
        self._timer_moved = asyncio.Event()
        self._wake_at = _NEVER
        self._is_write_planned = False

    def now_ms(self) -> Millis:
        """Read the clock that sessions and retention go by."""
        return self._clock.now_ms()

    # --- asking

    def ask(self, command: GroupCommand, shape: Callable[[GroupResponse], Message]) -> Message | Pending:
        """Ask one group; ``shape`` makes the response of the answer."""
        request = GroupRequest(shape)
        self._hand_over(command, request, self._clock.now_ms())
        return request.reply()

    def ask_each(
        self, commands: Sequence[GroupCommand], shape: Callable[[Sequence[GroupResponse]], Message]
    ) -> Message | Pending:
        """Ask several groups; ``shape`` is given their answers in order."""
        request = GroupRequests(len(commands), shape)
        now = self._clock.now_ms()
        for command, part in zip(commands, request.parts, strict=True):
            self._hand_over(command, part, now)
        return request.reply()

    def ask_all(self, command: ListGroups, shape: Callable[[ListResponse], Message]) -> Message | Pending:
        """Ask every shard that this broker leads, and join their lists."""
        shards = list(self._shards.values())
        request = GroupRequests(len(shards), lambda answers: shape(_joined(answers)))
        now = self._clock.now_ms()
        for shard, part in zip(shards, request.parts, strict=True):
            shard.handle(command, part, now)
        return request.reply()

    def _hand_over(self, command: GroupCommand, request: GroupRequestHandle, now: Millis) -> None:
        shard = self._shard_of(command.group_id)
        if shard is None:
            request.give(ErrorResponse(ErrorCode.NOT_COORDINATOR))
            return
        shard.handle(command, request, now)
        self._mind(shard)

    def keeps(self, group_id: str) -> bool:
        """Whether the shard of a group has been taken up here, be it loaded yet or not."""
        return self._shard_of(group_id) is not None

    def groups(self) -> Iterator[ClassicGroup]:
        """Every group that is coordinated here now, for those who watch."""
        for shard in tuple(self._shards.values()):
            if shard.is_serving:
                yield from shard.shard.groups()

    def _shard_of(self, group_id: str) -> LedShard | None:
        if not self._partition_count:
            return None
        return self._shards.get(offsets_partition_of(group_id, self._partition_count))

    # --- which shards there are

    def on_image(self, before: Image, after: Image) -> None:
        """Follow the offsets' topic, and forget the positions in topics that are gone."""
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
        """Take up a shard when a term begins in which its partition is led here; an empty one serves at once."""
        if partition.topic_partition.topic != OFFSETS_TOPIC:
            return
        core = GroupShard(self._settings.core, lambda: str(uuid4()))
        shard = LedShard(partition, core, self._clock, self._on_abandoned, self._may_lead)
        self._shards[shard.index] = shard
        if partition.log_start_offset == partition.log_end_offset:
            self._begin(shard)
        else:
            self._to_load.append(shard)
            self._work.set()

    def _begin(self, shard: LedShard) -> None:
        now = self._clock.now_ms()
        shard.begin(shard.shard.finish_loading(now))
        if shard.is_serving:
            shard.carry_out(shard.shard.forget_topics(self._is_unknown, now))
        self._mind(shard)
        self._plan_write()

    # --- tasks

    def duties(self) -> dict[str, Callable[[], Coroutine[Any, Any, None]]]:
        """What must run for as long as the broker does, by name."""
        return {
            "group loading": self.load_shards,
            "group timers": self.keep_time,
            "offset expiry": self.expire_offsets,
        }

    async def load_shards(self) -> None:
        """Load what has been taken up, for as long as the broker runs."""
        while True:
            await self._work.wait()
            self._work.clear()
            while self._to_load:
                await self._load(self._to_load.popleft())

    async def _load(self, shard: LedShard) -> None:
        where = shard.partition.topic_partition
        started = self._loop.time()
        try:
            count = await load_shard(shard.partition, shard.shard)
        except (OSError, StorageError) as error:
            log.error(
                "%s cannot be loaded, its groups are not available: %s. Mend the disk, or let another broker lead it.",
                where,
                error,
            )
            shard.end(ErrorCode.COORDINATOR_NOT_AVAILABLE)
            return
        if shard.is_loading:
            self._begin(shard)
            log.info("%s: %d records of groups loaded in %.3f s", where, count, self._loop.time() - started)
            if shard.shard.ignored_records:
                # Kafka's newer kinds of groups write records that have no meaning here; damage would look the same.
                log.warning("%s: %d records are not understood and were left out", where, shard.shard.ignored_records)

    async def keep_time(self) -> None:
        """Let time pass in the shards: sleep until the nearest deadline, and look again when an earlier one appears."""
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

    def _tick(self, shard: LedShard, now: Millis) -> None:
        deadline = shard.shard.next_deadline
        if deadline is None:
            return
        if deadline <= now:
            if not shard.may_write:
                self._wake_by(Millis(now + int(RETRY_S * 1000)))
                return
            shard.carry_out(shard.shard.tick(now))
        self._mind(shard)

    def _mind(self, shard: LedShard) -> None:
        deadline = shard.shard.next_deadline
        if deadline is not None and deadline < self._wake_at and shard.is_serving:
            self._wake_by(deadline)

    def _wake_by(self, deadline: Millis) -> None:
        if deadline < self._wake_at:
            self._wake_at = deadline
            self._timer_moved.set()

    async def expire_offsets(self) -> None:
        """Let go of positions and groups that have had their time."""
        while True:
            await asyncio.sleep(self._settings.expiry_check_interval_ms / 1000)
            now = self._clock.now_ms()
            for shard in tuple(self._shards.values()):
                if shard.is_serving and shard.may_write:
                    shard.carry_out(shard.shard.expire_offsets(now))
                    self._writes.write_all()
                    # One shard after the other: each may have many groups.
                    await asyncio.sleep(0)

    # --- writing outside of a read event

    def _for_each(self, decide: Callable[[LedShard], CoordinatorResult]) -> None:
        for shard in tuple(self._shards.values()):
            if shard.is_serving and shard.may_write:
                shard.carry_out(decide(shard))
                self._mind(shard)
        self._plan_write()

    def _on_abandoned(self) -> None:
        self._plan_write()
        self._wake_by(self._clock.now_ms())

    def _plan_write(self) -> None:
        """Write what was staged, as at the end of a read event, also where there is none."""
        if not self._is_write_planned:
            self._is_write_planned = True
            self._loop.call_soon(self._write)

    def _write(self) -> None:
        self._is_write_planned = False
        self._writes.write_all()

    # --- the end

    def stop(self) -> None:
        """Respond to all waiting requests: this broker coordinates no group any more."""
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
