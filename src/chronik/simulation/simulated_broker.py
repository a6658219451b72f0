"""A simulated broker: the real cores, drivers, logs and decisions, in a process that can be killed at any event."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random
from typing import Final, NamedTuple

from chronik.coordinator.commands import Command
from chronik.metadata.image.image import Image
from chronik.metadata.image.keys import Endpoint, Registration
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerEpoch, BrokerId, TopicPartition
from chronik.observability.trace import NEVER
from chronik.protocol.constants import CONSUMER_REPLICA_ID, DEBUGGING_CONSUMER_ID
from chronik.protocol.generated.produce import ProduceRequest
from chronik.replication.events import FetchAsk, Stalled, TimePassed
from chronik.server.fetch.reading import (
    FetchReader,
    FetchSpec,
    FetchWait,
    FollowerFetchWait,
    PartitionRead,
    divergence_of,
    read_partitions,
)
from chronik.server.loop.clock import now_ms
from chronik.server.produce.in_flight_guard import InFlightGuard
from chronik.server.produce.router import ProduceRouter
from chronik.server.replicas.follower import BadAnswerError, FollowerReplica
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.replica import Replica
from chronik.server.replicas.table import PartitionTable
from chronik.server.replicas.writes import StagedWrites
from chronik.server.requests.context import RequestContext
from chronik.simulation.coordination import GROUPS_ID, SimulatedCoordinator
from chronik.simulation.machine import Machine
from chronik.simulation.network import LOST, Network, Reply
from chronik.simulation.process import SimulatedProcess
from chronik.simulation.producing import CLIENT, PRODUCE_MS, ProduceServices, outcomes_of, request_of
from chronik.simulation.replicas import Key, SimulatedReplicas
from chronik.simulation.scheduler import Scheduler
from chronik.simulation.simulated_forwarding import SimulatedForwarder
from chronik.simulation.simulated_membership import SimulatedMembership
from chronik.simulation.simulated_store import Hold, SimulatedStore
from chronik.simulation.simulated_unclean_recovery import SimulatedUncleanRecovery
from chronik.storage.directory import DataDirectory, DirectoryIdentity

TICK_US: Final = 100_000
STALL_MS: Final = 400
FETCH_WAIT_MS: Final = 250
FETCH_TIMEOUT_US: Final = 600_000
BACKOFF_US: Final = 40_000
BYTES_MAX: Final = 1_000
PATH: Final = "/data"


class Listed(NamedTuple):
    """The answer to ListOffsets(latest)."""

    error: ErrorCode
    offset: int = -1
    leader_epoch: int = -1


class KnownLeader(NamedTuple):
    """What a broker's Metadata says of a partition."""

    leader: BrokerId
    leader_epoch: int


class SimulationSettings(NamedTuple):
    """How the brokers of a cluster are set up."""

    lease_ms: int = 900
    lag_ms_max: int = 1_000
    slow_disk_share: float = 0.2
    """How many terms find a disk so slow that every write goes through its thread."""
    forwards: bool = True
    """Whether a produce for a partition that is led elsewhere is passed on."""


class SharedWorld(NamedTuple):
    """What all brokers of a cluster share."""

    scheduler: Scheduler
    network: Network
    store: SimulatedStore
    rng: Random
    settings: SimulationSettings
    note: Callable[[str, str], None]
    report: Callable[[TopicPartition], None]
    """Hears of partitions of which acknowledged records may be lost."""
    find: Callable[[BrokerId], "SimulatedBroker"]


class SimulatedBroker:
    """One broker over all its lives."""

    def __init__(self, broker: BrokerId, world: SharedWorld) -> None:
        self.id = broker
        self._world = world
        self.machine = Machine(broker, world.rng)
        self.process = SimulatedProcess(f"broker-{broker}", world.scheduler)
        self.process.after_each = self._write_staged
        self.membership: SimulatedMembership | None = None
        self.replicas: SimulatedReplicas | None = None
        self._directory: DataDirectory | None = None
        self._services: ProduceServices | None = None
        self._recovery: SimulatedUncleanRecovery | None = None
        self._writes = StagedWrites()
        self._last_tick_ms = 0
        self._coordinator = SimulatedCoordinator(self.process, world.scheduler)
        self._sent_watermarks: dict[tuple[Replica, int], int] = {}
        """The last watermark that each follower received in a term."""

    @property
    def is_serving(self) -> bool:
        """Whether it runs and knows itself to be a member."""
        return self.membership is not None and self.membership.broker_epoch is not None

    @property
    def is_down(self) -> bool:
        """Whether it does not run, or has not begun to become a member."""
        return self.membership is None or self.membership.lease is None

    @property
    def forwarded(self) -> int:
        """How many requests this life of it has forwarded."""
        return 0 if self._services is None else self._services.produce_router.forwarder.requests_forwarded

    def note(self, text: str) -> None:
        self._world.note(self.process.name, text)

    # --- its lives

    def start(self) -> None:
        """Start the process; one whose disk refuses ends at once."""
        self.process.start()
        try:
            self._begin()
        except OSError as error:
            self.note(f"cannot start: {error}")
            self._end()

    def _begin(self) -> None:
        disk = self.machine.disk
        self._directory = directory = DataDirectory.hold(disk, PATH, holder="simulation")
        identity = directory.adopt(DirectoryIdentity("simulated", self.id, self.machine.directory_id))
        mark = directory.take_clean_mark()
        self._writes = StagedWrites()
        hold = Hold(self._world.store, self.process, self._on_image)
        registration = Registration(
            self.id,
            (Endpoint("PLAINTEXT", self.process.name, 9092),),
            directory_id=str(identity.directory_id),
            boot_id=self.machine.boot_id,
            closed_broker_epoch=None if mark is None else mark.broker_epoch,
        )
        self.membership = SimulatedMembership(
            self, hold, self.process, self._world.scheduler, registration, self._world.settings.lease_ms
        )
        self.replicas = SimulatedReplicas(
            self.id,
            directory,
            self.machine.services(self.process, self._writes),
            hold,
            self.process,
            self._world.scheduler,
            self._world.rng,
            lag_ms_max=self._world.settings.lag_ms_max,
            slow_disk_share=self._world.settings.slow_disk_share,
            was_clean=mark is not None,
        )
        forwarder = SimulatedForwarder(
            self.id,
            self.process,
            self._world.scheduler,
            self._world.network,
            self._world.find,
            is_enabled=self._world.settings.forwards,
        )
        in_flight_guard = InFlightGuard()
        router = ProduceRouter(
            self.process,  # type: ignore[arg-type]
            self.replicas.table,
            self.membership,
            forwarder,
            in_flight_guard,
            self.membership,
            NEVER,
        )
        self._services = ProduceServices(router, self._writes)
        world = self._world
        self._recovery = SimulatedUncleanRecovery(hold, self.process, world.network, world.find, self.report)
        self.replicas.on_followed = self._follow
        self.replicas.on_led = self._lead
        self.replicas.table.on_unled = lambda partition: in_flight_guard.record_unacknowledged(partition, now_ms())
        self.replicas.table.on_damage = self.membership.report_damage
        self._coordinator = SimulatedCoordinator(self.process, self._world.scheduler)
        self._last_tick_ms = self._world.scheduler.now_ms
        self.process.later(TICK_US, self._tick)
        self.note("starts")
        hold.open(self.membership.join)

    def kill(self) -> None:
        """End the process; the disk keeps what was written."""
        self.note("is killed")
        self._end()

    def _end(self) -> None:
        self.process.end()
        self.machine.crash_process()
        self._forget()

    def lose_power(self) -> None:
        """Restart the machine: what was not flushed may be lost."""
        self.note("loses power")
        self.process.end()
        self.machine.lose_power()
        self._forget()

    def wipe(self) -> None:
        """Lose the disk."""
        self.note("loses its disk")
        self.process.end()
        self.machine.wipe()
        self._forget()

    def _forget(self) -> None:
        self._sent_watermarks.clear()
        self.membership = self.replicas = self._directory = self._services = None

    def stop(self) -> None:
        """Stop in order: hand over, close, leave the mark."""
        membership = self.membership
        if membership is None:
            return
        self.note("is asked to stop")
        membership.hand_over(self.process.guarded(self._close))

    def _close(self) -> None:
        assert self.replicas is not None
        assert self.membership is not None
        assert self._directory is not None
        broker_epoch = self.membership.broker_epoch
        is_clean = self.replicas.close()
        if is_clean and broker_epoch is not None:
            with suppress(OSError):
                self._directory.write_clean_mark(broker_epoch)
        self.membership.revoke()
        self.note(f"has stopped{'' if is_clean else ', not cleanly'}")
        self._end()

    # --- membership

    @property
    def table(self) -> PartitionTable | None:
        """Return the partition table of this life."""
        return None if self.replicas is None else self.replicas.table

    def serve(self) -> None:
        if self.replicas is not None:
            self.replicas.begin()

    def report(self, partition: TopicPartition) -> None:
        self.note(f"says that acknowledged records of {partition} may be lost")
        self._world.report(partition)

    def look_for_leaderless(self, image: Image) -> None:
        if self._recovery is not None:
            self._recovery.look(image)

    def answer_log_end(self, key: Key, reply: Reply) -> None:
        """Answer with the log end of a replica, as ListOffsets does for replica id -2."""
        replica = None if self.replicas is None else self.replicas.find(key)
        if replica is not None and not replica.is_offline:
            reply((replica.log.last_epoch, replica.log.log_end_offset))

    def _on_image(self, before: Image, after: Image) -> None:
        if self.membership is not None:
            self.membership.on_image(after)
        if self.replicas is not None:
            self.replicas.on_image(before, after)
        if self._services is not None:
            self._services.produce_router.forwarder.on_image(before, after)
            self._coordinator.on_image(before, after)

    # --- time

    def _tick(self) -> None:
        now_ms = self._world.scheduler.now_ms
        has_stalled = now_ms - self._last_tick_ms > STALL_MS
        self._last_tick_ms = now_ms
        if self.replicas is not None:
            for partition in self.replicas.table.led():
                partition.handle(Stalled(now_ms) if has_stalled else TimePassed(now_ms))
            if self._world.rng.random() < 0.2:
                self.replicas.write_checkpoints()
        self.process.later(TICK_US, self._tick)

    def _write_staged(self) -> None:
        self._writes.write_all()

    # --- answering

    def produce(self, key: Key, batch: bytes, acks: int, reply: Reply, *, timeout_ms: int = PRODUCE_MS) -> None:
        """Append a batch; the answer waits for what ``acks`` asks."""
        self.produce_all({key: batch}, acks, lambda outcomes: reply(outcomes[key]), timeout_ms=timeout_ms)  # type: ignore[index]

    def produce_all(
        self, batches: Mapping[Key, bytes], acks: int, reply: Reply, *, timeout_ms: int = PRODUCE_MS
    ) -> None:
        """Append batches of several partitions, as one request."""
        request = request_of(batches, acks, timeout_ms)
        self.answer_produce(request, CLIENT, lambda response: reply(outcomes_of(response)))

    def answer_produce(self, request: ProduceRequest, context: RequestContext, reply: Reply) -> None:
        """Serve a produce request of a client, or of a broker that forwards."""
        assert self._services is not None
        self._services.answer(request, context, reply)

    def coordinate(self, command: Command, reply: Reply) -> None:
        """Answer as the coordinator of all groups, if this broker is."""
        self._coordinator.handle(command, reply)

    def latest(self, key: Key, reply: Reply) -> None:
        """Answer ListOffsets(latest)."""
        partition = self._led(key)
        if isinstance(partition, ErrorCode):
            reply(Listed(partition))
        elif not partition.leader.knows_what_is_committed:
            reply(Listed(ErrorCode.OFFSET_NOT_AVAILABLE))
        else:
            reply(Listed(ErrorCode.NONE, partition.high_watermark, partition.leader_epoch))

    def leader_of(self, key: Key) -> KnownLeader:
        """Answer who leads, as this broker knows it."""
        membership = self.membership
        topic = None if membership is None else membership.image.topic_by_id(key[0])
        if topic is None:
            return KnownLeader(NO_BROKER, -1)
        return KnownLeader(topic.partitions[key[1]].leader, topic.partitions[key[1]].leader_epoch)

    def fetch(self, spec: FetchSpec, reader: FetchReader, reply: Reply) -> None:
        """Answer a fetch, now or when there is something to send."""
        if reader.is_follower:
            self._note_follower(spec, reader)
        result, size_bytes = self._read(spec, reader)
        partition = result.partition
        if size_bytes or partition is None or result.error is not ErrorCode.NONE or result.diverging is not None:
            self._answer(result, reader, reply)
            return

        def ready() -> None:
            self._answer(self._read(spec, reader)[0], reader, reply)

        loop, wait_s = self.process, FETCH_WAIT_MS / 1000
        if reader.is_follower:
            is_behind = self._sent_watermarks.get((partition, reader.replica_id)) != partition.high_watermark
            FollowerFetchWait([partition], wait_s, ready, loop, is_behind=is_behind)  # type: ignore[arg-type]
        else:
            FetchWait([partition], 1, wait_s, ready, loop)  # type: ignore[arg-type]

    def _answer(self, result: PartitionRead, reader: FetchReader, reply: Reply) -> None:
        if result.partition is not None:
            self._sent_watermarks[result.partition, reader.replica_id] = result.high_watermark
        reply(result)

    def _note_follower(self, spec: FetchSpec, reader: FetchReader) -> None:
        found = self._led((spec.topic, spec.index))  # type: ignore[arg-type]
        if isinstance(found, LeaderReplica) and divergence_of(found.replica, spec) is None:
            follower, broker_epoch = BrokerId(reader.replica_id), BrokerEpoch(reader.broker_epoch)
            now_ms = self._world.scheduler.now_ms
            found.on_follower_fetched(follower, broker_epoch, spec.leader_epoch, spec.offset, now_ms)

    def _read(self, spec: FetchSpec, reader: FetchReader) -> tuple[PartitionRead, int]:
        find = self._find_any if reader.replica_id == DEBUGGING_CONSUMER_ID else self._find
        results, size_bytes = read_partitions([spec], find, bytes_max=BYTES_MAX, reader=reader)
        result = results[0]
        result.records = bytes(result.records)
        return result, size_bytes

    def _find(self, spec: FetchSpec) -> Replica | ErrorCode:
        led = self._led((spec.topic, spec.index))  # type: ignore[arg-type]
        return led if isinstance(led, ErrorCode) else led.replica

    def _find_any(self, spec: FetchSpec) -> Replica | ErrorCode:
        found = None if self.replicas is None else self.replicas.find((spec.topic, spec.index))  # type: ignore[arg-type]
        return ErrorCode.NOT_LEADER_OR_FOLLOWER if found is None else found

    def _led(self, key: Key) -> LeaderReplica | ErrorCode:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER if self.table is None else self.table.led_by_id(*key)

    # --- leading and following

    def _lead(self, partition: LeaderReplica) -> None:
        if partition.topic_id == GROUPS_ID:
            self._coordinator.on_led(partition)

    def _follow(self, followed: FollowerReplica) -> None:
        followed.on_ready = lambda partition: self.process.later(0, lambda: self._ask_leader(partition))
        self._ask_leader(followed)

    def _ask_leader(self, followed: FollowerReplica) -> None:
        if followed.is_closed or followed.is_offline or followed.leader_id < 0:
            return
        broker_epoch = self.membership.broker_epoch if self.membership else None
        if broker_epoch is None:
            self.process.later(BACKOFF_US, lambda: self._ask_leader(followed))
            return
        ask = followed.follower.next_fetch()
        if ask is None:
            return
        spec = FetchSpec(
            followed.topic_id,
            followed.topic_partition.partition,
            ask.fetch_offset,
            BYTES_MAX,
            ask.leader_epoch,
            ask.last_fetched_epoch,
        )
        leader = self._world.find(followed.leader_id)
        reader = FetchReader(self.id, broker_epoch)
        self._world.network.call(
            self.process,
            leader.process,
            lambda reply: leader.fetch(spec, reader, reply),
            lambda answer: self._on_fetched(followed, ask, answer),
            timeout_us=FETCH_TIMEOUT_US,
        )

    def _on_fetched(self, followed: FollowerReplica, ask: FetchAsk, answer: object) -> None:
        if followed.is_closed:
            return
        if answer is LOST or not isinstance(answer, PartitionRead) or not _may_take(answer):
            followed.fetch_failed(ask)
            self.process.later(BACKOFF_US, lambda: self._ask_leader(followed))
            return
        try:
            followed.take_answer(
                ask,
                memoryview(answer.records),
                high_watermark=answer.high_watermark,
                log_start_offset=answer.log_start_offset,
                diverging=answer.diverging,
            )
        except BadAnswerError as bad:
            raise AssertionError(f"a leader sent what cannot be: {bad}") from bad


def _may_take(answer: PartitionRead) -> bool:
    return answer.error is ErrorCode.NONE or (
        answer.error is ErrorCode.OFFSET_OUT_OF_RANGE and answer.log_start_offset >= 0
    )


CONSUMING: Final = FetchReader(CONSUMER_REPLICA_ID)
DEBUGGING: Final = FetchReader(DEBUGGING_CONSUMER_ID)
