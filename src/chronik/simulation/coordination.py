"""Group coordinators in a simulated cluster: the real shards and drivers, on the partition that keeps their records."""

from collections.abc import Callable
from typing import Final
from uuid import UUID

from chronik.coordinator.commands import Command
from chronik.coordinator.responses import ErrorResponse, GroupResponse
from chronik.coordinator.shard import GroupSettings, GroupShard
from chronik.metadata.image.image import Image
from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID, Millis
from chronik.server.groups.loading import read_batches, records_in
from chronik.server.groups.requests import RequestHolder
from chronik.server.groups.shard import ShardRuntime
from chronik.server.loop.clock import SteadyClock
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.replica import Replica
from chronik.simulation.network import Reply
from chronik.simulation.process import SimulatedProcess
from chronik.simulation.scheduler import Scheduler
from chronik.storage.errors import StorageError

GROUPS: Final = "__consumer_offsets"
GROUPS_ID: Final = UUID(int=8)
LOADING_US: Final = 2_000


class RequestHandle:
    """One request to a coordinator."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self.holder: RequestHolder | None = None

    def complete(self, answer: GroupResponse) -> None:
        self._reply(answer)


class SimulatedCoordinator:
    """The shard of the term in which a broker leads the partition that keeps groups; a new one in each term."""

    def __init__(self, process: SimulatedProcess, scheduler: Scheduler) -> None:
        self._process = process
        self._scheduler = scheduler
        self._led: ShardRuntime | None = None
        self._image = Image()

    def on_led(self, partition: LeaderReplica) -> None:
        """Begin a term: load what the log holds, then serve."""
        shard = GroupShard(GroupSettings(), new_id=lambda: "member")
        self._led = led = ShardRuntime(partition, shard, SteadyClock(), on_abandoned=_nothing)
        self._process.later(LOADING_US, lambda: self._load(led))

    def _load(self, led: ShardRuntime) -> None:
        if led.partition.is_closed or not led.is_loading:
            return
        try:
            load(led.partition.replica, led.shard)
        except (OSError, StorageError):
            led.end(ErrorCode.COORDINATOR_NOT_AVAILABLE)
            return
        led.begin(led.shard.finish_loading(self._now()))
        self._forget(led, self._is_unknown)

    def on_image(self, before: Image, after: Image) -> None:
        """Forget the positions in topics that are gone."""
        self._image = after
        gone = {(name, known.id) for name, known in before.topics.items()}
        gone -= {(name, known.id) for name, known in after.topics.items()}
        if gone and self._led is not None:
            self._forget(self._led, lambda name, topic_id: (name, topic_id) in gone)

    def _forget(self, led: ShardRuntime, is_gone: Callable[[str, UUID], bool]) -> None:
        if led.is_serving and led.may_write and not led.partition.is_closed:
            led.carry_out(led.shard.forget_topics(is_gone, self._now()))

    def _is_unknown(self, name: str, topic_id: UUID) -> bool:
        topic = self._image.topics.get(name)
        return topic is None or topic_id not in (ZERO_TOPIC_ID, topic.id)

    def handle(self, command: Command, reply: Reply) -> None:
        """Carry out a command, or answer that another broker is the coordinator."""
        led = self._led
        if led is None or led.partition.is_closed:
            reply(ErrorResponse(ErrorCode.NOT_COORDINATOR))
        else:
            led.handle(command, RequestHandle(reply), self._now())

    def _now(self) -> Millis:
        return Millis(self._scheduler.now_ms)


def load(partition: Replica, shard: GroupShard) -> None:
    """Replay all that the log holds, committed or not: the answers that rest on it wait for the watermark."""
    offset, end_offset = partition.log_start_offset, partition.log_end_offset
    while offset < end_offset:
        data, offset = read_batches(partition, offset, end_offset)
        for key, value, timestamp_ms in records_in(data, partition):
            shard.replay(key, value, timestamp_ms)


def _nothing() -> None:
    """Nobody else has to hear of it."""
