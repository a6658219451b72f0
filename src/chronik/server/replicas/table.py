"""The replicas of this broker: opened, led, followed and closed as the image says, and looked up by every handler."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Final

from chronik.metadata.image.image import Image, PartitionImage, TopicImage
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, TopicId, TopicPartition
from chronik.server.replicas.damaged_logs import DamagedLogs
from chronik.server.replicas.follower import FollowerReplica
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.log_opening import LogOpener, Opening, close_log
from chronik.server.replicas.removal import PartitionRemoval
from chronik.server.replicas.replica import Replica, ReplicaRole
from chronik.server.replicas.startup_checkpoints import StartupCheckpoints
from chronik.server.replicas.terms import ReplicaFactory, committed_state
from chronik.server.settings.topic_configs import TopicConfigs
from chronik.storage.checkpoints import HIGH_WATERMARK, LOG_START, RECOVERY_POINT
from chronik.storage.directory import DataDirectory
from chronik.storage.errors import LogOfflineError
from chronik.storage.log import Log

log = logging.getLogger(__name__)

CLOSED_AT_ONCE_MAX: Final = 16
OPENED_AT_ONCE_MAX: Final = 256


class StaleStoreError(Exception):
    """The metadata store is older than this broker's data; serving could lose acknowledged records."""


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """The space of the data directory's file system."""

    total_bytes: int
    free_bytes: int


def _ignore(role: ReplicaRole) -> None:
    """Take the place of a callback that is not set."""


class PartitionTable:
    """Owns every replica of this broker, each in the term that the image describes."""

    def __init__(
        self,
        broker_id: BrokerId,
        directory: DataDirectory,
        left: StartupCheckpoints,
        factory: ReplicaFactory,
        removal: PartitionRemoval,
        opener: LogOpener,
        configs: TopicConfigs,
        *,
        producer_expiration_ms: int,
    ) -> None:
        self._broker_id = broker_id
        self._directory = directory
        self._left = left
        self._factory = factory
        self._configs = configs
        self._opener = opener
        self._producer_expiration_ms = producer_expiration_ms
        self._image = Image()
        self._replicas: dict[tuple[str, int], Replica] = {}
        """Every open replica; between two terms, the replica of the last one."""
        self._led: dict[tuple[str, int], LeaderReplica] = {}
        self._failed: dict[tuple[str, int], str] = {}
        self._to_open: dict[tuple[TopicId, int], Opening] = {}
        self._changing: set[tuple[str, int]] = set()
        self._damage = DamagedLogs(broker_id)
        self._work = asyncio.Event()
        self._opened: list[asyncio.Future[None]] = []
        self._removal = removal
        self.on_work: Callable[[], None] = self._work.set
        """Called when partitions may be due to be opened."""
        removal.on_freed = lambda: self.on_work()
        self.on_led: Callable[[LeaderReplica], None] = _ignore
        """Called for every term that this broker leads, before the partition serves."""
        self.on_unled: Callable[[LeaderReplica], None] = _ignore
        """Called at the end of every such term, before waiting requests are rejected."""
        self.on_followed: Callable[[FollowerReplica], None] = _ignore
        self.on_unfollowed: Callable[[FollowerReplica], None] = _ignore
        self.on_damage: Callable[[str], None] = lambda what: None
        """Called for records that this broker had reported and cannot read: it must leave the ISR and ELR."""

    # --- finding

    def led_by_name(self, topic: str, index: int) -> LeaderReplica | ErrorCode:
        """Return a partition that this broker leads, or an error."""
        found = self._led.get((topic, index))
        if found is not None:
            return found
        return self._rejection_of(self._image.topics.get(topic), index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

    def led_by_id(self, topic_id: TopicId, index: int) -> LeaderReplica | ErrorCode:
        """Return a partition that this broker leads by its topic's id, or an error."""
        topic = self._image.topic_by_id(topic_id)
        if topic is not None:
            found = self._led.get((topic.name, index))
            if found is not None:
                return found
        return self._rejection_of(topic, index, ErrorCode.UNKNOWN_TOPIC_ID)

    def replica_by_name(self, topic: str, index: int) -> Replica | ErrorCode:
        """Return this broker's replica of a partition in any role, or an error."""
        found = self._replicas.get((topic, index))
        if found is not None:
            return found
        return self._rejection_of(self._image.topics.get(topic), index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

    def replica_by_id(self, topic_id: TopicId, index: int) -> Replica | ErrorCode:
        """Return this broker's replica of a partition by its topic's id, or an error."""
        topic = self._image.topic_by_id(topic_id)
        if topic is None:
            return ErrorCode.UNKNOWN_TOPIC_ID
        return self.replica_by_name(topic.name, index)

    def _rejection_of(self, topic: TopicImage | None, index: int, unknown: ErrorCode) -> ErrorCode:
        if topic is None:
            return unknown
        if not 0 <= index < len(topic.partitions):
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if (topic.name, index) in self._failed:
            return ErrorCode.KAFKA_STORAGE_ERROR
        return ErrorCode.NOT_LEADER_OR_FOLLOWER

    def all(self) -> Iterator[Replica]:
        """Return every open replica."""
        return iter(tuple(self._replicas.values()))

    def led(self) -> Iterator[LeaderReplica]:
        """Return every partition that this broker leads."""
        return iter(tuple(self._led.values()))

    def is_offline(self, topic: str, index: int) -> bool:
        """Whether this broker's replica of a partition cannot serve."""
        replica = self._replicas.get((topic, index))
        return (topic, index) in self._failed or (replica is not None and replica.is_offline)

    def has_offline(self) -> bool:
        """Whether any replica of this broker cannot serve."""
        return bool(self._failed) or any(replica.is_offline for replica in self._replicas.values())

    def failed(self) -> dict[tuple[str, int], str]:
        """Return the replicas that could not be opened or are damaged, with the reason."""
        damaged = dict.fromkeys(self._damage.held, "damaged: waits to be repaired from the other replicas")
        return self._failed | damaged

    def checkpoints(self) -> dict[str, dict[TopicPartition, int]]:
        """Return what the checkpoints must hold now; of partitions that do not serve, what the last run left."""
        replicas = list(self.all())
        left = self._left.only({TopicPartition(topic, index) for topic, index in self.failed()})
        starts = {one.topic_partition: one.log_start_offset for one in replicas if one.log_start_offset > 0}
        return {
            RECOVERY_POINT: left.recovery_points
            | {one.topic_partition: one.log.flushed_end_offset for one in replicas},
            HIGH_WATERMARK: left.high_watermarks | {one.topic_partition: one.high_watermark for one in replicas},
            LOG_START: left.log_starts | starts,
        }

    def disk_space(self) -> DiskSpace | None:
        """Return the space of the file system, or None where it cannot be read."""
        try:
            return DiskSpace(self._directory.total_bytes(), self._directory.free_bytes())
        except OSError as error:
            log.error("the space of the data directory %s cannot be read: %s", self._directory.path, error)
            return None

    # --- following the image

    def on_image(self, before: Image, after: Image) -> None:
        """Close deleted replicas, plan new ones to be opened, and apply changes to the others."""
        self._image = after
        if after.topics is not before.topics:
            for name, topic in before.topics.items():
                if after.topics.get(name) is not topic:
                    self._on_topic_changed(topic, after.topics.get(name))
            for name, topic in after.topics.items():
                if name not in before.topics:
                    self._on_topic_changed(None, topic)
        if after.broker_configs is not before.broker_configs:
            self._reconfigure(after.topics.values())
        if after.brokers is not before.brokers and self._has_registered_again(before, after):
            self._apply_all(after)
        self.on_work()

    def _has_registered_again(self, before: Image, after: Image) -> bool:
        own = after.brokers.get(self._broker_id)
        return own is not None and own is not before.brokers.get(self._broker_id)

    def _apply_all(self, image: Image) -> None:
        for topic in image.topics.values():
            for index, state in enumerate(topic.partitions):
                self._on_partition_changed(topic, index, state)

    def _on_topic_changed(self, before: TopicImage | None, after: TopicImage | None) -> None:
        if before is not None and (after is None or after.id != before.id):
            self._delete_topic(before)
            before = None
        if after is None:
            return
        known = len(before.partitions) if before is not None else 0
        for index, partition in enumerate(after.partitions):
            if index >= known:
                self._open_if_held(after, index, partition)
            elif before is not None and partition is not before.partitions[index]:
                self._on_partition_changed(after, index, partition)
        if before is not None and before.configs is not after.configs:
            self._reconfigure([after])

    def _open_if_held(self, topic: TopicImage, index: int, state: PartitionImage) -> None:
        if self._broker_id in state.replicas:
            self._to_open[topic.id, index] = Opening(topic, index)

    def _on_partition_changed(self, topic: TopicImage, index: int, state: PartitionImage) -> None:
        key = (topic.name, index)
        replica = self._replicas.get(key)
        if replica is None:
            self._open_or_resume(key, topic, state)
        elif key in self._changing:
            # The next term begins with the image of that moment.
            return
        elif self._broker_id not in state.replicas:
            log.info("%s-%d is not assigned to this broker any more: removing it", *key)
            self._delete(replica)
        elif self._factory.is_same_term(replica.role, self._image, state):
            if isinstance(replica.role, LeaderReplica):
                replica.role.on_isr_committed(committed_state(state))
            elif self._damage.is_repairable(key, state):
                self._end_term(key, replica)
        else:
            self._end_term(key, replica)

    def _open_or_resume(self, key: tuple[str, int], topic: TopicImage, state: PartitionImage) -> None:
        if key in self._damage.held:
            if self._damage.may_resume(key, self._image):
                held = self._damage.held.pop(key)
                # The registration tells the store that the broker must leave the ISR and ELR, also after a crash.
                held.forget_truncated_damage()
                self._begin_term(key, held, topic, state, 0)
        elif key not in self._failed:
            self._open_if_held(topic, key[1], state)

    def _reconfigure(self, topics: Iterable[TopicImage]) -> None:
        for topic in topics:
            settings = self._configs.settings_of(self._image, topic.configs)
            for index in range(len(topic.partitions)):
                replica = self._replicas.get((topic.name, index))
                if replica is not None and not replica.is_closed:
                    replica.reconfigure(settings.log, settings.rules)

    # --- terms

    def _end_term(self, key: tuple[str, int], replica: Replica) -> None:
        """End a term; the next begins when no thread works for this one any more."""
        self._changing.add(key)
        self._leave(key, replica)
        replica.end_term(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        replica.release(lambda: self._next_term(key, replica))

    def _leave(self, key: tuple[str, int], replica: Replica) -> None:
        self._led.pop(key, None)
        if isinstance(replica.role, FollowerReplica):
            self.on_unfollowed(replica.role)
        elif isinstance(replica.role, LeaderReplica):
            self.on_unled(replica.role)

    def _next_term(self, key: tuple[str, int], ended: Replica) -> None:
        self._changing.discard(key)
        topic = self._image.topic_by_id(ended.topic_id)
        state = topic.partitions[key[1]] if topic is not None and key[1] < len(topic.partitions) else None
        if topic is None or state is None or self._broker_id not in state.replicas:
            self._replicas.pop(key, None)
            ended.log.close(clean=False)
            self._removal.remove_and_forget(ended.topic_partition)
            return
        self._begin_term(key, ended.log, topic, state, ended.high_watermark)

    def _begin_term(
        self, key: tuple[str, int], opened: Log, topic: TopicImage, state: PartitionImage, high_watermark: int
    ) -> None:
        damaged_from = self._damage.take_repairable(key, state)
        if damaged_from is not None:
            log.warning("%s: truncating from offset %d on, to fetch it again", opened.topic_partition, damaged_from)
            if not self._repair(key, opened, damaged_from):
                return
        role = self._factory.begin_term(opened, self._image, topic, state, high_watermark)
        role.replica.on_damage = self._on_damage
        self._replicas[key] = role.replica
        if isinstance(role, LeaderReplica):
            self._damage.forget_led(key)
            self._led[key] = role
            self.on_led(role)
        elif not self._damage.is_recorded(key):
            # A damaged replica fetches nothing before it has left the ISR and ELR and is truncated: the leader would
            # count its fetch offset.
            self.on_followed(role)

    def _repair(self, key: tuple[str, int], opened: Log, damaged_from: int) -> bool:
        try:
            self._factory.truncate_damage(opened, damaged_from)
        except LogOfflineError as error:
            log.error("%s could not be repaired and is offline: %s", opened.topic_partition, error)
            self._replicas.pop(key, None)
            self._failed[key] = str(error)
            opened.close(clean=False)
            return False
        return True

    def _on_damage(self, replica: Replica, offset: int) -> bool:
        """Leave a damaged partition to other replicas, and repair it from them; return whether there are others."""
        key = (replica.topic_partition.topic, replica.topic_partition.partition)
        state = self._image.partition(*key)
        if state is not None and self._damage.record(key, state, offset):
            self.on_damage(f"{replica.topic_partition} from offset {offset} on")
        elif state is not None and self._damage.is_repairable(key, state) and key not in self._changing:
            # The replica is in no ISR or ELR: it can be repaired at once.
            self._end_term(key, replica)
        return self._damage.is_recorded(key) or replica.is_closed

    # --- opening

    async def run(self) -> None:
        """Open the replicas of the image, for as long as the broker runs."""
        while True:
            await self._work.wait()
            self._work.clear()
            await self.open_all()

    async def open_all(self) -> None:
        """Open all replicas that are due, many at once, because most of the time is spent waiting for the disk."""
        due = iter(list(self._to_open.items()))
        while some := list(islice(due, OPENED_AT_ONCE_MAX)):
            openings = [opening for key, opening in some if self._is_due(key, opening)]
            await self._opener.open(openings, self._image, self._take_up_if_due)
        if self._to_open:
            return
        waiting, self._opened = self._opened, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def open_now(self) -> None:
        """Open all replicas that are due on the calling thread."""
        for key, opening in list(self._to_open.items()):
            if self._is_due(key, opening):
                self._take_up_if_due(opening, self._opener.open_now(opening, self._image))

    @property
    def is_opening(self) -> bool:
        """Return whether partitions wait to be opened."""
        return bool(self._to_open)

    def _is_due(self, key: tuple[TopicId, int], opening: Opening) -> bool:
        if not self._is_held_here(opening):
            self._to_open.pop(key, None)
        # A replica whose name is not free yet waits; this task wakes when it is.
        return key in self._to_open and not self._is_taken(opening)

    def _is_held_here(self, opening: Opening) -> bool:
        topic = self._image.topic_by_id(opening.topic.id)
        if topic is None or opening.index >= len(topic.partitions):
            return False
        return self._broker_id in topic.partitions[opening.index].replicas

    def _is_taken(self, opening: Opening) -> bool:
        key = (opening.topic.name, opening.index)
        return key in self._replicas or self._removal.is_under_way(key)

    async def opened(self) -> None:
        """Wait until all replicas of the present image are open."""
        if self._to_open:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._opened.append(future)
            self.on_work()
            await future

    def _take_up_if_due(self, opening: Opening, opened: Log | Exception) -> None:
        if self._to_open.pop((opening.topic.id, opening.index), None) is not None and self._is_held_here(opening):
            self._take_up(opened, opening)
        elif isinstance(opened, Log):
            # The topic was deleted or the replica reassigned meanwhile.
            opened.close(clean=False)
            self._removal.remove_and_forget(opened.topic_partition)

    def _take_up(self, opened: Log | Exception, opening: Opening) -> None:
        topic = self._image.topic_by_id(opening.topic.id)
        assert topic is not None, "a replica that is opened is in the image"
        key = (topic.name, opening.index)
        if isinstance(opened, Exception):
            self._failed[key] = str(opened)
            log.error("%s-%d cannot be opened and is offline: %s", topic.name, opening.index, opened)
            return
        state = topic.partitions[opening.index]
        opened.producers.expiration_ms = self._producer_expiration_ms
        for line in opened.recovery.lines:
            log.warning("%s: %s", opened.topic_partition, line)
        self._check_epoch(opened, state)
        self._failed.pop(key, None)
        damaged_from = opened.recovery.damaged_from
        if damaged_from is not None and self._damage.record(key, state, damaged_from):
            # First the broker must leave the ISR and ELR, whose members hold every committed record.
            self._damage.hold(key, opened, self._image)
            self.on_damage(f"{opened.topic_partition} from offset {damaged_from} on")
            return
        if damaged_from is not None and self._damage.is_accounted_for(state):
            opened.forget_truncated_damage()
        self._begin_term(key, opened, topic, state, self._left.high_watermarks.get(opened.topic_partition, 0))

    def _check_epoch(self, partition_log: Log, state: PartitionImage) -> None:
        if partition_log.leader_epochs.latest > state.leader_epoch:
            partition_log.close(clean=False)
            raise StaleStoreError(
                f"{partition_log.topic_partition} has records of leader epoch {partition_log.leader_epochs.latest}, "
                f"but the metadata store knows only epoch {state.leader_epoch}: it is not the store that this data "
                "belongs to, or an older copy of it, or (if only one partition is concerned) the batch's epoch was "
                "damaged on the disk. Nothing was changed. Put the right store in its place, or start this broker with "
                "an empty data directory, which it fills from the other replicas."
            )

    # --- closing

    def _delete_topic(self, topic: TopicImage) -> None:
        for index in range(len(topic.partitions)):
            self._to_open.pop((topic.id, index), None)
            key = (topic.name, index)
            failed = self._failed.pop(key, None)
            held = self._damage.forget(key)
            if held is not None:
                held.close(clean=False)
                failed = failed or "damaged"
            replica = self._replicas.get(key)
            if replica is not None and key not in self._changing:
                self._delete(replica)
            elif failed is not None:
                self._removal.remove_and_forget(TopicPartition(topic.name, index))

    def _delete(self, replica: Replica) -> None:
        topic_partition = replica.topic_partition
        key = (topic_partition.topic, topic_partition.partition)
        self._removal.announce(topic_partition)
        self._leave(key, replica)
        self._replicas.pop(key, None)
        replica.end_term(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

        def released() -> None:
            replica.log.close(clean=False)
            self._removal.remove_and_forget(topic_partition)

        replica.release(released)

    def delete_strays(self) -> None:
        """Remove the directories of partitions that the image does not assign to this broker."""
        gone = self._left.known()
        for topic_partition, stored in self._directory.partitions().items():
            if stored.topic_id is not None and not self._belongs_here(topic_partition, stored.topic_id):
                log.warning("%s was deleted or reassigned: removing it", topic_partition)
                self._removal.remove(topic_partition)
            else:
                gone.discard(topic_partition)
        for topic_partition in gone:
            self._left.forget(topic_partition)
        self._removal.forget_offsets(gone)
        self._removal.remove_retired()

    def _belongs_here(self, topic_partition: TopicPartition, topic_id: TopicId) -> bool:
        topic = self._image.topics.get(topic_partition.topic)
        if topic is None or topic.id != topic_id or topic_partition.partition >= len(topic.partitions):
            return False
        return self._broker_id in topic.partitions[topic_partition.partition].replicas

    async def close_all(self) -> bool:
        """Close every log, several at once, because closing waits for the disk; return whether all are clean."""
        self.end_terms()
        replicas = list(self.all())
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(CLOSED_AT_ONCE_MAX, "chronik-closer") as threads:
            closed = await asyncio.gather(*(loop.run_in_executor(threads, close_log, replica) for replica in replicas))
        return all(closed) and not self.failed()

    def end_terms(self) -> None:
        """End every term before the logs are closed."""
        for damaged in self._damage.held.values():
            damaged.close(clean=False)
        for replica in self.all():
            if not replica.is_closed:
                replica.end_term(ErrorCode.NOT_LEADER_OR_FOLLOWER)
