"""A simulated broker's replicas: opened, led and followed as its image says, by the drivers of the real broker."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from typing import Final

from chronik.metadata.decisions.isr import plan_change_isr, plan_rewrite_unchanged
from chronik.metadata.image.image import Image, PartitionImage, TopicImage
from chronik.metadata.stores.plan import Plan, Refusal
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, TopicId, TopicPartition
from chronik.records.validation import ProduceRules
from chronik.replication.events import ProposalRefused, ProposalUnknown, ProposeIsr, RewriteUnchanged, Stalled
from chronik.server.loop.clock import now_ms
from chronik.server.replicas.damaged_logs import DamagedLogs
from chronik.server.replicas.follower import FollowerReplica
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.replica import DiskServices, Replica
from chronik.server.replicas.startup_checkpoints import StartupCheckpoints
from chronik.server.replicas.terms import ReplicaFactory, committed_state
from chronik.server.replicas.truncation import DurableTruncation
from chronik.server.settings.topic_configs import LogSettings, TopicConfigs
from chronik.simulation.machine import SimulatedDiskThread
from chronik.simulation.process import Process
from chronik.simulation.removal import SimulatedRemoval
from chronik.simulation.scheduler import Scheduler
from chronik.simulation.simulated_store import UNKNOWN, Hold
from chronik.storage.checkpoints import HIGH_WATERMARK, LOG_START, RECOVERY_POINT
from chronik.storage.directory import DataDirectory
from chronik.storage.errors import LogOfflineError, StorageError
from chronik.storage.log import Log
from chronik.storage.log_config import LogConfig

LOG: Final = LogConfig(segment_bytes=2_000, index_interval_bytes=300)
Key = tuple[TopicId, int]


class OneConfig(TopicConfigs):
    """All topics go by the same settings."""

    def settings_of(self, image: Image, configs: object) -> LogSettings:
        return LogSettings(LOG, ProduceRules())


class ReplicaTable:
    """Every replica of one life of a broker."""

    def __init__(
        self,
        broker: BrokerId,
        directory: DataDirectory,
        services: DiskServices,
        hold: Hold,
        process: Process,
        scheduler: Scheduler,
        dice: Random,
        *,
        lag_ms_max: int,
        slow_disk_share: float,
        was_clean: bool,
    ) -> None:
        self._slow_disk_share = slow_disk_share
        self._broker = broker
        self._directory = directory
        self._hold = hold
        self._process = process
        self._scheduler = scheduler
        self._dice = dice
        self._left = StartupCheckpoints(
            was_clean,
            dict(directory.read_checkpoint(LOG_START).offsets),
            dict(directory.read_checkpoint(RECOVERY_POINT).offsets),
            dict(directory.read_checkpoint(HIGH_WATERMARK).offsets),
        )
        files = SimulatedDiskThread(process, dice, (50, 3_000))
        self._removal = SimulatedRemoval(directory, files, self._left, self._look_again, process, dice)
        self._damage = DamagedLogs(broker)
        truncation = DurableTruncation(directory, files, self._recovery_points)
        self._factory = ReplicaFactory(broker, services, OneConfig(broker, {}), truncation, self._propose, lag_ms_max)
        self._replicas: dict[Key, Replica] = {}
        self._changing: set[Key] = set()
        self._failed: set[Key] = set()
        self._has_looked = False
        self.on_led: Callable[[LeaderReplica], None] = lambda led: None
        self.on_unled: Callable[[LeaderReplica], None] = lambda led: None
        self.on_followed: Callable[[FollowerReplica], None] = lambda followed: None
        self.on_damage: Callable[[str], None] = lambda what: None

    # --- finding

    def find(self, key: Key) -> Replica | None:
        return self._replicas.get(key)

    def led(self, key: Key) -> LeaderReplica | ErrorCode:
        found = self._replicas.get(key)
        is_led = found is not None and isinstance(found.role, LeaderReplica) and not found.is_closed
        return found.role if is_led else ErrorCode.NOT_LEADER_OR_FOLLOWER  # type: ignore[union-attr, return-value]

    def led_by_id(self, topic_id: TopicId, index: int) -> LeaderReplica | ErrorCode:
        """Find a partition that this broker leads, as handlers do, or say why not."""
        if self._hold.image.topic_by_id(topic_id) is None:
            return ErrorCode.UNKNOWN_TOPIC_ID
        return self.led((topic_id, index))

    def all(self) -> Iterator[tuple[Key, Replica]]:
        return iter(tuple(self._replicas.items()))

    def all_led(self) -> list[LeaderReplica]:
        roles = [each.role for each in self._replicas.values() if not each.is_closed]
        return [role for role in roles if isinstance(role, LeaderReplica)]

    @property
    def has_offline(self) -> bool:
        """Whether a disk error keeps a replica from serving until the broker is started again."""
        return bool(self._failed) or any(each.is_offline for each in self._replicas.values())

    # --- following the image

    def look(self, image: Image) -> None:
        """Bring every replica to the term that the image speaks of."""
        if not self._has_looked:
            self._has_looked = True
            self._removal.remove_strays(lambda where, topic_id: self._belongs_here(image, where, topic_id))
        for key, replica in self.all():
            if key not in self._changing and not self._is_held_here(image, key):
                self._delete(key, replica)
        for topic in image.topics.values():
            for index, state in enumerate(topic.partitions):
                if self._broker in state.replicas:
                    self._look_at(image, topic, index, state)

    def _look_again(self) -> None:
        self.look(self._hold.image)

    def _is_held_here(self, image: Image, key: Key) -> bool:
        topic = image.topic_by_id(key[0])
        return topic is not None and self._broker in topic.partitions[key[1]].replicas

    def _belongs_here(self, image: Image, where: TopicPartition, topic_id: TopicId) -> bool:
        topic = image.topics.get(where.topic)
        return topic is not None and topic.id == topic_id and self._is_held_here(image, (topic_id, where.partition))

    def _look_at(self, image: Image, topic: TopicImage, index: int, state: PartitionImage) -> None:
        key, name = (topic.id, index), (topic.name, index)
        if key in self._changing or key in self._failed:
            return
        replica = self._replicas.get(key)
        if name in self._damage.held:
            if self._damage.may_resume(name, image):
                held = self._damage.held.pop(name)
                held.forget_truncated_damage()
                self._begin_term(key, held, 0)
        elif replica is None:
            if not self._is_taken(TopicPartition(*name)):
                self._open(topic, index, state)
        elif not self._factory.is_same_term(replica.role, image, state) or replica.is_closed:
            self._end_term(key, replica)
        elif isinstance(replica.role, LeaderReplica):
            replica.role.on_isr_committed(committed_state(state))
        elif self._damage.is_repairable(name, state):
            self._end_term(key, replica)

    def _is_taken(self, where: TopicPartition) -> bool:
        """Whether another topic of this name has not been removed yet."""
        names = [each.topic_partition for each in self._replicas.values()]
        return where in names or self._removal.is_under_way((where.topic, where.partition))

    def _open(self, topic: TopicImage, index: int, state: PartitionImage) -> None:
        where, name, key = TopicPartition(topic.name, index), (topic.name, index), (topic.id, index)
        try:
            opened = self._opened(where, topic.id)
        except (OSError, StorageError):
            self._failed.add(key)
            return
        damaged_from = opened.recovery.damaged_from
        if damaged_from is not None and self._damage.record(name, state, damaged_from):
            self._damage.hold(name, opened, self._hold.image)
            self.on_damage(f"{where} from offset {damaged_from} on")
            return
        if damaged_from is not None and self._damage.is_accounted_for(state):
            opened.forget_truncated_damage()
        self._begin_term(key, opened, self._left.high_watermarks.get(where, 0))

    def _opened(self, where: TopicPartition, topic_id: TopicId) -> Log:
        return Log.open(
            self._directory.disk,
            self._directory.create_partition(where, topic_id),
            where,
            topic_id,
            LOG,
            log_start_offset=self._left.log_starts.get(where, 0),
            recovery_point=self._left.recovery_points.get(where, 0),
            clean_shutdown=self._left.was_clean,
            now_ms=now_ms(),
        )

    def _end_term(self, key: Key, replica: Replica) -> None:
        self._changing.add(key)
        if not replica.is_closed:
            self._leave(replica)
            replica.end_term(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        replica.release(lambda: self._next_term(key, replica))

    def _leave(self, replica: Replica) -> None:
        if isinstance(replica.role, LeaderReplica):
            self.on_unled(replica.role)

    def _next_term(self, key: Key, ended: Replica) -> None:
        self._changing.discard(key)
        if not self._is_held_here(self._hold.image, key):
            self._replicas.pop(key, None)
            ended.log.close(clean=False)
            self._removal.remove_and_forget(ended.topic_partition)
            return
        self._begin_term(key, ended.log, ended.high_watermark)

    def _begin_term(self, key: Key, log: Log, high_watermark: int) -> None:
        image, name = self._hold.image, (log.topic_partition.topic, log.topic_partition.partition)
        topic = image.topic_by_id(key[0])
        assert topic is not None, "a term begins of what the image has"
        state = topic.partitions[key[1]]
        damaged_from = self._damage.take_repairable(name, state)
        if damaged_from is not None and not self._repair(log, damaged_from):
            self._failed.add(key)
            return
        role = self._factory.begin_term(log, image, topic, state, high_watermark)
        replica = role.replica
        replica.on_damage = self._on_damage
        if self._dice.random() < self._slow_disk_share:
            # A slow disk: every write goes through the thread.
            replica._slow_until = float("inf")
        self._replicas[key] = replica
        if isinstance(role, LeaderReplica):
            self._damage.leads(name)
            role.handle(Stalled(self._scheduler.now_ms))
            self.on_led(role)
        elif not self._damage.is_recorded(name):
            self.on_followed(role)

    def _repair(self, log: Log, damaged_from: int) -> bool:
        try:
            self._factory.truncate_damage(log, damaged_from)
        except LogOfflineError:
            return False
        return True

    def _on_damage(self, replica: Replica, offset: int) -> bool:
        """Leave it to others to lead what cannot be read here; True where there are others."""
        name = (replica.topic_partition.topic, replica.topic_partition.partition)
        state = self._hold.image.partition(*name)
        if state is not None and self._damage.record(name, state, offset):
            self.on_damage(f"{replica.topic_partition} from offset {offset} on")
        elif state is not None and self._damage.is_repairable(name, state):
            key = (replica.topic_id, replica.topic_partition.partition)
            if key not in self._changing:
                self._end_term(key, replica)
        return self._damage.is_recorded(name) or replica.is_closed

    def _delete(self, key: Key, replica: Replica) -> None:
        """Remove a replica of a topic that is gone, or that others hold now."""
        where = replica.topic_partition
        self._removal.announce(where)
        self._damage.forget((where.topic, where.partition))
        self._replicas.pop(key)
        replica.end_term(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

        def released() -> None:
            replica.log.close(clean=False)
            self._removal.remove_and_forget(where)

        replica.release(released)

    def end_all_terms(self) -> None:
        for _, replica in self.all():
            if not replica.is_closed:
                self._leave(replica)
                replica.end_term(ErrorCode.NOT_LEADER_OR_FOLLOWER)

    # --- in-sync sets

    def _propose(self, partition: LeaderReplica, effect: ProposeIsr | RewriteUnchanged) -> None:
        self._process.later(0, lambda: self._carry_out(partition, effect))

    def _carry_out(self, partition: LeaderReplica, effect: ProposeIsr | RewriteUnchanged) -> None:
        if partition.is_closed:
            return

        def ended(outcome: object) -> None:
            if isinstance(effect, RewriteUnchanged) or partition.is_closed:
                return
            if outcome is UNKNOWN:
                partition.handle(ProposalUnknown(effect.base_revision, self._scheduler.now_ms))
            elif isinstance(outcome, Refusal):
                state = self._hold.image.partition(*partition.topic_partition)
                partition.handle(ProposalRefused(effect.base_revision, None if state is None else state.revision))

        self._hold.carry_out(lambda image: self._plan(image, partition, effect), ended)

    def _plan(
        self, image: Image, partition: LeaderReplica, effect: ProposeIsr | RewriteUnchanged
    ) -> Plan[None] | Refusal:
        where = (partition.topic_id, partition.topic_partition.partition)
        broker_epoch = partition.leader.term.broker_epoch
        if isinstance(effect, RewriteUnchanged):
            return plan_rewrite_unchanged(
                image, *where, self._broker, broker_epoch, partition_revision=effect.base_revision
            )
        return plan_change_isr(
            image,
            *where,
            self._broker,
            broker_epoch,
            isr=effect.isr,
            added=dict(effect.added),
            partition_revision=effect.base_revision,
        )

    # --- checkpoints

    def _recovery_points(self) -> dict[TopicPartition, int]:
        points = {replica.topic_partition: replica.log.flushed_end_offset for replica in self._replicas.values()}
        return self._left.only(self._not_served()).recovery_points | points

    def write_checkpoints(self) -> None:
        """Flush what is due by chance, and write down how far everything is; the next time will do where that fails."""
        for replica in self._replicas.values():
            if not replica.is_offline and not replica.is_closed and self._dice.random() < 0.5:
                replica.disk.flusher.request(replica)
        with suppress(OSError):
            self._write_checkpoints()

    def _write_checkpoints(self) -> None:
        replicas, failed = self._replicas.values(), self._left.only(self._not_served())
        watermarks = {each.topic_partition: each.high_watermark for each in replicas}
        starts = {each.topic_partition: each.log.log_start_offset for each in replicas}
        write = self._directory.write_checkpoint
        write(RECOVERY_POINT, self._recovery_points())
        write(HIGH_WATERMARK, failed.high_watermarks | watermarks)
        write(LOG_START, failed.log_starts | starts)

    def _not_served(self) -> set[TopicPartition]:
        """What does not serve in this life: the checkpoints must keep what is known of it."""
        served = {each.topic_partition for each in self._replicas.values()}
        return self._left.known() - served

    def close(self) -> bool:
        """Close every log in order; False where one of them cannot be, or its disk is still at work for it."""
        self.end_all_terms()
        for replica in self._replicas.values():
            if replica.is_offline or replica._writes or replica._flush is not None:
                return False
        if self._failed or self._damage.held:
            return False
        try:
            for replica in self._replicas.values():
                replica.log.close(clean=True)
            self._write_checkpoints()
        except (OSError, StorageError):
            return False
        return True
