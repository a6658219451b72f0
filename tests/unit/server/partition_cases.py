"""Partitions on a disk that fails on demand, and the promises that they made."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from uuid import UUID

from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, Offset, PartitionEpoch, TopicPartition
from chronik.records.batch import walk
from chronik.records.build import Record, build_batch
from chronik.records.iterate import records_of
from chronik.records.validation import ProduceRules
from chronik.replication.follower import FollowedTerm, PartitionFollower
from chronik.replication.leader import PartitionLeader, Term
from chronik.server.loop.disk_threads import DiskThread, Flusher
from chronik.server.produce.append_outcome import AppendOutcome
from chronik.server.replicas.follower import FollowerReplica
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.read_ahead import ReadAhead
from chronik.server.replicas.replica import DiskServices, Replica
from chronik.server.replicas.writes import StagedWrites
from chronik.storage.faulty_disk import FaultyDisk
from chronik.storage.jobs import DeletedSegment
from chronik.storage.log import Log
from chronik.storage.log_config import LogConfig

NOW = 1_700_000_000_000
SELF = BrokerId(1)
FLUSH_EACH = LogConfig(segment_bytes=4_000, index_interval_bytes=300, flush_messages=1)
LAZY = LogConfig(segment_bytes=4_000, index_interval_bytes=300)


class Promise:
    """One produced batch and its outcome."""

    def __init__(self, value: bytes) -> None:
        self.value = value
        self.outcome = AppendOutcome(self._on_settled)
        self.settled = asyncio.Event()
        self.on_acknowledged: Callable[[Promise], None] = lambda promise: None

    @property
    def is_acknowledged(self) -> bool:
        return self.outcome.is_settled and self.outcome.error is ErrorCode.NONE

    def _on_settled(self) -> None:
        self.settled.set()
        if self.is_acknowledged:
            self.on_acknowledged(self)


class CutAtOnce:
    """Nothing is left to be done for a cut."""

    def persist(self, replica: Replica, deleted: list[DeletedSegment], then: Callable[[], None]) -> None:
        then()


class Machine:
    """The threads that partitions share, on a disk, until the lights go out."""

    def __init__(self, disk: FaultyDisk) -> None:
        loop = asyncio.get_running_loop()
        self.disk = disk
        self.writes = StagedWrites()
        self.writer = DiskThread("test-writer", loop)
        self.flusher = Flusher(loop)
        self._other = DiskThread("test-other", loop)
        self._services = DiskServices(
            self.writer,
            self.flusher,
            self._other,
            self._other,
            ReadAhead(asyncio.get_running_loop()),
            self.writes.mark,
        )
        self.acknowledged: list[Promise] = []
        self._received: list[bytearray] = []
        self.at_acknowledgement: Callable[[Promise], None] = lambda promise: None

    def open(
        self,
        config: LogConfig = LAZY,
        *,
        index: int = 0,
        recovery_point: int = 0,
        leader_epoch: int = 0,
        in_sync_min: int = 1,
        isr: tuple[BrokerId, ...] = (SELF,),
    ) -> LeaderReplica:
        log = self._open_log(config, index, recovery_point)
        leader = PartitionLeader(
            SELF,
            Term(LeaderEpoch(leader_epoch), BrokerEpoch(leader_epoch + 1)),
            isr=isr,
            replicas=tuple(BrokerId(number) for number in range(1, max(len(isr), in_sync_min) + 1)),
            in_sync_min=in_sync_min,
            partition_epoch=PartitionEpoch(0),
            log_end_offset=Offset(log.log_end_offset),
            high_watermark=Offset(0),
        )
        return LeaderReplica(log, leader, ProduceRules(), self._services, lambda partition, effect: None)

    def follow(self, records: int, *, leader_epoch: int = 1) -> FollowerReplica:
        """Follow broker 2, with some records of epoch 0, each a batch, in the log already."""
        log = self._open_log(LAZY, 0, 0)
        for offset in range(records):
            data = memoryview(bytearray(build_batch([Record(None, b"%d" % offset, (), NOW)])))
            log.stage(data, next(walk(data))[1], 0, NOW)
            log.write_staged()
        follower = PartitionFollower(
            SELF,
            FollowedTerm(BrokerId(2), LeaderEpoch(leader_epoch)),
            log_start_offset=Offset(0),
            log_end_offset=Offset(log.log_end_offset),
            last_epoch=LeaderEpoch(log.last_epoch),
            high_watermark=Offset(0),
        )
        return FollowerReplica(log, follower, ProduceRules(), self._services, CutAtOnce())

    def _open_log(self, config: LogConfig, index: int, recovery_point: int) -> Log:
        directory = f"/data/orders-{index}"
        self.disk.make_directory(directory)
        return Log.open(
            self.disk,
            directory,
            TopicPartition("orders", index),
            UUID(int=7),
            config,
            recovery_point=recovery_point,
            now_ms=NOW,
        )

    def append(
        self, partition: LeaderReplica, value: bytes, *, acks: int = -1, producer_id: int = -1, sequence: int = -1
    ) -> Promise:
        """Stage one record as a request does; it is written by ``write``."""
        promise = Promise(value)
        promise.on_acknowledged = self._note
        batch = bytearray(
            build_batch(
                [Record(None, value, (), NOW)],
                producer_id=producer_id,
                producer_epoch=0 if producer_id >= 0 else -1,
                base_sequence=sequence,
            )
        )
        self._received.append(batch)
        partition.append(memoryview(batch), acks, promise.outcome, NOW, zstd_allowed=True)
        return promise

    def _note(self, promise: Promise) -> None:
        self.at_acknowledgement(promise)
        self.acknowledged.append(promise)

    def write(self) -> None:
        """End a read event of the loop, after which the receive buffer holds other bytes."""
        self.writes.write_all()
        for buffer in self._received:
            buffer[:] = b"\xee" * len(buffer)
        self._received.clear()

    async def drain(self) -> None:
        """Let the threads finish what they have."""
        self.write()
        await self.writer.drain()
        await self.flusher.drain()

    def stop(self) -> None:
        for thread in (self.writer, self.flusher, self._other):
            thread.stop()


@asynccontextmanager
async def machine_on(disk: FaultyDisk) -> AsyncIterator[Machine]:
    machine = Machine(disk)
    try:
        yield machine
    finally:
        machine.stop()


def values_in(log: Log) -> list[bytes]:
    """Every value of a log, in the order of offsets, which must follow one another."""
    values: list[bytes] = []
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        view = memoryview(log.read(offset, 100_000, log.log_end_offset).data)
        for position, header in walk(view):
            for record in records_of(view[position : position + header.size_bytes]):
                assert record.offset == offset
                assert record.value is not None
                values.append(record.value)
                offset += 1
    return values
