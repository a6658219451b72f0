"""The partitions that this broker leads: opened and closed as the image says, found by every handler."""

import asyncio
import logging
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from uuid import uuid4

from chronik.metadata.image import Image, PartitionImage, TopicImage
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, Incarnation, Offset, TopicId, TopicPartition
from chronik.replication.leader import PartitionLeader, Term
from chronik.server.clock import now_ms
from chronik.server.disk_threads import DiskThread
from chronik.server.partition import DiskServices, Partition
from chronik.server.topic_configs import TopicConfigs
from chronik.storage.checkpoints import HIGH_WATERMARK, LOG_START, RECOVERY_POINT
from chronik.storage.directory import DataDirectory
from chronik.storage.errors import StorageError
from chronik.storage.log import Log

log = logging.getLogger(__name__)


class StaleStoreError(Exception):
    """The metadata store is older than what this broker has on disk; serving could lose what was acknowledged."""


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """What the data directory's file system has."""

    total_bytes: int
    free_bytes: int


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """What the last run left on disk about its partitions."""

    was_clean: bool
    log_starts: dict[TopicPartition, int] = field(default_factory=dict)
    recovery_points: dict[TopicPartition, int] = field(default_factory=dict)
    high_watermarks: dict[TopicPartition, int] = field(default_factory=dict)

    def forget(self, topic_partition: TopicPartition) -> None:
        for offsets in (self.log_starts, self.recovery_points, self.high_watermarks):
            offsets.pop(topic_partition, None)

    def known(self) -> set[TopicPartition]:
        """The partitions of which anything is known."""
        return {*self.log_starts, *self.recovery_points, *self.high_watermarks}

    def only(self, kept: Container[TopicPartition]) -> "LeftBehind":
        """What is known of some partitions."""
        starts, points, watermarks = (
            {topic_partition: offset for topic_partition, offset in offsets.items() if topic_partition in kept}
            for offsets in (self.log_starts, self.recovery_points, self.high_watermarks)
        )
        return LeftBehind(self.was_clean, starts, points, watermarks)


@dataclass(frozen=True, slots=True)
class _Opening:
    topic: TopicImage
    index: int


class PartitionTable:
    """Owns every open partition of this broker."""

    def __init__(
        self,
        broker_id: BrokerId,
        directory: DataDirectory,
        left: LeftBehind,
        disk: DiskServices,
        remover: DiskThread,
        opener: DiskThread,
        configs: TopicConfigs,
        *,
        producer_expiration_ms: int,
    ) -> None:
        self._broker_id = broker_id
        self._directory = directory
        self._left = left
        self._disk = disk
        self._remover = remover
        self._opener = opener
        self._configs = configs
        self._producer_expiration_ms = producer_expiration_ms
        self._image = Image()
        self._partitions: dict[tuple[str, int], Partition] = {}
        self._failed: dict[tuple[str, int], str] = {}
        self._to_open: dict[tuple[TopicId, int], _Opening] = {}
        self._closing: set[tuple[str, int]] = set()
        self._to_forget: set[TopicPartition] = set()
        self._work = asyncio.Event()
        self._opened: list[asyncio.Future[None]] = []
        self.on_opened: Callable[[Partition], None] = lambda partition: None
        """Hears of every partition that has been opened, before anybody can ask for it."""

    # --- finding

    def led_by_name(self, topic: str, index: int) -> Partition | ErrorCode:
        """Find a partition that this broker leads, or say why not."""
        found = self._partitions.get((topic, index))
        if found is not None:
            return found
        return self._why_not(self._image.topics.get(topic), index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

    def led_by_id(self, topic_id: TopicId, index: int) -> Partition | ErrorCode:
        """Find a partition that this broker leads by its topic's id, or say why not."""
        topic = self._image.topic_by_id(topic_id)
        if topic is not None:
            found = self._partitions.get((topic.name, index))
            if found is not None:
                return found
        return self._why_not(topic, index, ErrorCode.UNKNOWN_TOPIC_ID)

    def _why_not(self, topic: TopicImage | None, index: int, unknown: ErrorCode) -> ErrorCode:
        if topic is None:
            return unknown
        if not 0 <= index < len(topic.partitions):
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if (topic.name, index) in self._failed:
            return ErrorCode.KAFKA_STORAGE_ERROR
        return ErrorCode.NOT_LEADER_OR_FOLLOWER

    def all(self) -> Iterator[Partition]:
        """Every open partition."""
        return iter(tuple(self._partitions.values()))

    def is_offline(self, topic: str, index: int) -> bool:
        """Whether this broker's replica cannot be served."""
        partition = self._partitions.get((topic, index))
        return (topic, index) in self._failed or (partition is not None and partition.is_offline)

    def left_of_failed(self) -> LeftBehind:
        """What is known of partitions that could not be opened: the checkpoints must keep it for the next start."""
        return self._left.only({TopicPartition(topic, index) for topic, index in self._failed})

    def disk_space(self) -> DiskSpace | None:
        """What the file system has, or None where it cannot be asked."""
        try:
            return DiskSpace(self._directory.total_bytes(), self._directory.free_bytes())
        except OSError as error:
            log.error("the data directory %s cannot be asked for its space: %s", self._directory.path, error)
            return None

    # --- following the image

    def on_image(self, before: Image, after: Image) -> None:
        """Close what is gone, note what must be opened, pass on what changed."""
        self._image = after
        for name, topic in before.topics.items():
            if after.topics.get(name) is not topic:
                self._on_topic_changed(topic, after.topics.get(name))
        for name, topic in after.topics.items():
            if name not in before.topics:
                self._on_topic_changed(None, topic)
        if after.broker_configs is not before.broker_configs:
            self._reconfigure(after.topics.values())
        self._work.set()

    def _on_topic_changed(self, before: TopicImage | None, after: TopicImage | None) -> None:
        if before is not None and (after is None or after.id != before.id):
            self._delete_topic(before)
            before = None
        if after is None:
            return
        known = len(before.partitions) if before is not None else 0
        for index, partition in enumerate(after.partitions):
            if index >= known:
                self._to_open[after.id, index] = _Opening(after, index)
            elif before is not None and partition is not before.partitions[index]:
                self._on_partition_changed(after, index, partition)
        if before is not None and before.configs is not after.configs:
            self._reconfigure([after])

    def _on_partition_changed(self, topic: TopicImage, index: int, state: PartitionImage) -> None:
        partition = self._partitions.get((topic.name, index))
        if partition is not None and state.leader_epoch == partition.leader_epoch:
            partition.on_isr_committed(state.isr, state.min_insync, state.partition_epoch)

    def _reconfigure(self, topics: Iterable[TopicImage]) -> None:
        for topic in topics:
            settings = self._configs.settings_of(self._image, topic.configs)
            for index in range(len(topic.partitions)):
                partition = self._partitions.get((topic.name, index))
                if partition is not None:
                    partition.reconfigure(settings.log, settings.rules)

    # --- opening

    async def run(self) -> None:
        """Open what the image asks for, for as long as the broker runs."""
        while True:
            await self._work.wait()
            self._work.clear()
            await self.open_all()

    async def open_all(self) -> None:
        """Open everything that is due, letting other work in between."""
        for key, opening in list(self._to_open.items()):
            if not self._is_led_here(opening):
                self._to_open.pop(key, None)
            # One whose name is still being freed waits for the end of that, which wakes this task again.
            elif key in self._to_open and not self._is_closing(opening):
                await self._open(opening)
                await asyncio.sleep(0)
        if self._to_open:
            return
        waiting, self._opened = self._opened, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def _is_led_here(self, opening: _Opening) -> bool:
        topic = self._image.topic_by_id(opening.topic.id)
        if topic is None or opening.index >= len(topic.partitions):
            return False
        return topic.partitions[opening.index].leader == self._broker_id

    def _is_closing(self, opening: _Opening) -> bool:
        return (opening.topic.name, opening.index) in self._closing

    async def opened(self) -> None:
        """Wait until everything that the image asks for now is open."""
        if self._to_open:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._opened.append(future)
            self._work.set()
            await future

    async def _open(self, opening: _Opening) -> None:
        """Open a log in a thread, since that waits for the disk more than once, and take it up on the loop."""
        where = TopicPartition(opening.topic.name, opening.index)
        opened: Log | Exception
        try:
            opened = await self._opener.run(self._opening_of(where, opening.topic))
        except (OSError, StorageError) as error:
            opened = error
        if self._to_open.pop((opening.topic.id, opening.index), None) is not None:
            self._take_up(opened, opening)
        elif isinstance(opened, Log):
            # Its topic was deleted meanwhile.
            self._closing.add((where.topic, where.partition))
            opened.close(clean=False)
            self._remove_and_forget(where)

    def _opening_of(self, where: TopicPartition, topic: TopicImage) -> Callable[[], Log]:
        """What the thread must do, with all that it needs to know of this table."""
        config = self._configs.settings_of(self._image, topic.configs).log
        log_start_offset = self._left.log_starts.get(where, 0)
        recovery_point = self._left.recovery_points.get(where, 0)

        def open_log() -> Log:
            return Log.open(
                self._directory.disk,
                self._directory.create_partition(where, topic.id),
                where,
                topic.id,
                config,
                log_start_offset=log_start_offset,
                recovery_point=recovery_point,
                clean_shutdown=self._left.was_clean,
                now_ms=now_ms(),
            )

        return open_log

    def _take_up(self, opened: Log | Exception, opening: _Opening) -> None:
        topic = self._image.topic_by_id(opening.topic.id)
        assert topic is not None, "what is to be opened is in the image"
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
        partition = self._led(opened, topic, state)
        self._failed.pop(key, None)
        self._partitions[key] = partition
        self.on_opened(partition)

    def _led(self, opened: Log, topic: TopicImage, state: PartitionImage) -> Partition:
        broker = self._image.brokers[self._broker_id]
        leader = PartitionLeader(
            self._broker_id,
            Term(state.leader_epoch, Incarnation(broker.incarnation)),
            isr=state.isr,
            replica_count=len(state.replicas),
            in_sync_min=state.min_insync,
            partition_epoch=state.partition_epoch,
            log_end_offset=Offset(opened.log_end_offset),
            high_watermark=Offset(self._known_high_watermark(opened)),
        )
        settings = self._configs.settings_of(self._image, topic.configs)
        partition = Partition(opened, leader, settings.rules, self._disk)
        if opened.config != settings.log:
            # They were changed while the log was being opened.
            partition.reconfigure(settings.log, settings.rules)
        return partition

    def _known_high_watermark(self, partition_log: Log) -> int:
        known = self._left.high_watermarks.get(partition_log.topic_partition, 0)
        return min(max(known, partition_log.log_start_offset), partition_log.log_end_offset)

    def _check_epoch(self, partition_log: Log, state: PartitionImage) -> None:
        if partition_log.leader_epochs.latest > state.leader_epoch:
            partition_log.close(clean=False)
            raise StaleStoreError(
                f"{partition_log.topic_partition} has records of leader epoch {partition_log.leader_epochs.latest}, "
                f"but the metadata store knows only epoch {state.leader_epoch}: it is not the store that this data "
                "belongs to, or an older copy of it. Nothing was changed; put the right store in its place."
            )

    # --- closing

    def _delete_topic(self, topic: TopicImage) -> None:
        for index in range(len(topic.partitions)):
            self._to_open.pop((topic.id, index), None)
            failed = self._failed.pop((topic.name, index), None)
            partition = self._partitions.pop((topic.name, index), None)
            if partition is not None:
                self._delete(partition)
            elif failed is not None:
                self._closing.add((topic.name, index))
                self._remove_and_forget(TopicPartition(topic.name, index))

    def _delete(self, partition: Partition) -> None:
        topic_partition = partition.topic_partition
        self._closing.add((topic_partition.topic, topic_partition.partition))
        partition.end_term(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

        def released() -> None:
            partition.log.close(clean=False)
            self._remove_and_forget(topic_partition)

        partition.release(released)

    def _remove_and_forget(self, topic_partition: TopicPartition) -> None:
        """Remove a partition, and take it out of the checkpoints together with others that are deleted now."""
        self._remove(topic_partition)
        if not self._to_forget:
            asyncio.get_running_loop().call_soon(self._forget_deleted)
        self._to_forget.add(topic_partition)

    def _forget_deleted(self) -> None:
        deleted, self._to_forget = self._to_forget, set()

        def forgotten(error: BaseException | None) -> None:
            if error is not None:
                log.error("the checkpoints in %s still name deleted partitions: %s", self._directory.path, error)
            for topic_partition in deleted:
                self._closing.discard((topic_partition.topic, topic_partition.partition))
            self._work.set()

        self._remover.submit(partial(self._forget_offsets, deleted), forgotten)

    def _forget_offsets(self, gone: set[TopicPartition]) -> None:
        """Rewrite the checkpoints without some partitions, or they would be believed of others of the same names.

        Must run in the thread that writes checkpoints, or while it has nothing to write.
        """
        for name in (LOG_START, RECOVERY_POINT, HIGH_WATERMARK):
            offsets = self._directory.read_checkpoint(name).offsets
            kept = {
                topic_partition: offset for topic_partition, offset in offsets.items() if topic_partition not in gone
            }
            if len(kept) < len(offsets):
                self._directory.write_checkpoint(name, kept)

    def _remove(self, topic_partition: TopicPartition) -> None:
        # A topic that is made again under the name starts from nothing.
        self._left.forget(topic_partition)
        try:
            retired = self._directory.retire_partition(topic_partition, uuid4())
        except OSError as error:
            self._on_removed(error)
            return
        self._remover.submit(lambda: self._directory.remove_retired(retired), self._on_removed)

    def _on_removed(self, error: BaseException | None) -> None:
        if error is not None:
            log.error("a deleted partition could not be removed from the disk, its space is not free: %s", error)

    def delete_strays(self) -> None:
        """Remove directories of partitions that the image does not know: their topics were deleted."""
        gone = self._left.known()
        for topic_partition, stored in self._directory.partitions().items():
            topic = self._image.topics.get(topic_partition.topic)
            if stored.topic_id is not None and (topic is None or topic.id != stored.topic_id):
                log.warning("%s belongs to a topic that was deleted: removing it", topic_partition)
                self._remove(topic_partition)
            else:
                gone.discard(topic_partition)
        for topic_partition in gone:
            self._left.forget(topic_partition)
        self._forget_offsets(gone)
        for path in self._directory.retired():
            self._remover.submit(partial(self._directory.remove_retired, path), self._on_removed)

    def close_all(self) -> bool:
        """Close every log; True where all of them are clean."""
        is_clean = not self._failed
        for partition in self.all():
            partition.end_term(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            try:
                partition.log.close(clean=not partition.is_offline)
            except (OSError, StorageError) as error:
                log.error("%s could not be closed cleanly: %s", partition.topic_partition, error)
                is_clean = False
            is_clean = is_clean and not partition.is_offline
        return is_clean
