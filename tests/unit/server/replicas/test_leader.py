"""The driver of one partition on a disk that fails: every waiter hears the truth, once, and nothing safe is lost."""

import asyncio
import errno
import threading
from dataclasses import replace
from itertools import count
from random import Random

import pytest

from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, PartitionEpoch
from chronik.records.batch import Sequences
from chronik.replication.events import IsrCommitted
from chronik.server.loop import clock
from chronik.server.produce.in_flight_guard import YOUNG_TERM_MS
from chronik.server.replicas import replica as replica_module
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.replica import Replica
from chronik.storage.errors import LogOfflineError
from chronik.storage.faulty_disk import FaultyDisk, FaultyFile
from tests.unit.server.partition_cases import FLUSH_EACH, LAZY, SELF, Machine, Promise, machine_on, values_in

NEVER_INLINE = float("inf")
ERRORS = pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC], ids=["EIO", "ENOSPC"])
PATHS = pytest.mark.parametrize("threaded", [False, True], ids=["inline", "threaded"])


def values(promises: list[Promise]) -> list[bytes]:
    return [promise.value for promise in promises]


def write_in_threads(partition: LeaderReplica) -> None:
    """Behave as after a write that waited for the disk, for as long as the test lasts."""
    partition.replica._slow_until = NEVER_INLINE


async def appended(machine: Machine, partition: LeaderReplica, count: int, prefix: str = "v", acks: int = -1) -> None:
    promises = [machine.append(partition, f"{prefix}{index}".encode(), acks=acks) for index in range(count)]
    await machine.drain()
    assert all(promise.is_acknowledged for promise in promises)


class GatedSyncs:
    """Holds syncs of segments until they are let go, and counts them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.gate = threading.Event()
        self.begun = threading.Event()
        self._is_failing = False
        sync = FaultyFile.sync

        def gated(file: FaultyFile) -> None:
            if file._path.endswith(".log"):
                if self._is_failing:
                    raise OSError(errno.EIO, "sync failed")
                self.begun.set()
                assert self.gate.wait(30)
            sync(file)

        monkeypatch.setattr(FaultyFile, "sync", gated)

    def fail_after_this_one(self) -> None:
        self._is_failing = True


# --- refusals of the disk


@ERRORS
@PATHS
async def test_a_failed_write_is_an_error_for_every_waiter_and_moves_nothing(error: int, threaded: bool) -> None:
    """Rules 12, 21."""
    async with machine_on(FaultyDisk()) as machine:
        partition, other = machine.open(), machine.open(index=1)
        await appended(machine, partition, 3)
        if threaded:
            write_in_threads(partition)
        machine.disk.fail_next("write", error, pattern="/data/orders-0/*")
        waiting = [machine.append(partition, b"lost", acks=acks) for acks in (-1, 1, 0, -1)]
        beside = machine.append(other, b"beside")
        await machine.drain()
        assert [promise.outcome.error for promise in waiting] == [ErrorCode.KAFKA_STORAGE_ERROR] * 4
        assert [promise.outcome.base_offset for promise in waiting] == [-1] * 4
        assert (partition.log.log_end_offset, partition.high_watermark) == (3, 3)
        assert partition.is_offline
        assert beside.is_acknowledged
        later = machine.append(partition, b"later", acks=1)
        assert later.outcome.error is ErrorCode.KAFKA_STORAGE_ERROR
        await appended(machine, other, 3)
        assert not other.is_offline
        machine.disk.process_crash()
        assert values_in(machine.open(leader_epoch=1).log) == [b"v0", b"v1", b"v2"]


@ERRORS
@PATHS
async def test_jobs_queued_behind_a_failed_write_fail_too(error: int, threaded: bool) -> None:
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open()
        write_in_threads(partition)
        machine.disk.fail_next("write", error, pattern="*.log")
        waiting = []
        for index in range(4):
            waiting.append(machine.append(partition, b"%d" % index, acks=-1 if threaded else 1))
            machine.write()
        await machine.drain()
        assert [promise.outcome.error for promise in waiting] == [ErrorCode.KAFKA_STORAGE_ERROR] * 4
        machine.disk.process_crash()
        assert machine.open(leader_epoch=1).log.log_end_offset == 0


@ERRORS
@pytest.mark.parametrize("operation", ["sync", "sync_directory"])
async def test_a_failed_flush_acknowledges_nothing_then_or_later(error: int, operation: str) -> None:
    """Rule 21: the kernel may have dropped the pages, so a second sync proves nothing."""
    async with machine_on(FaultyDisk()) as machine:
        partition, other = machine.open(FLUSH_EACH), machine.open(FLUSH_EACH, index=1)
        if operation == "sync":
            await appended(machine, partition, 2)
        before = len(machine.acknowledged)
        machine.disk.fail_next(operation, error, pattern="/data/orders-0*")
        waiting = [machine.append(partition, b"lost", acks=acks) for acks in (-1, 1)]
        await machine.drain()
        assert [promise.outcome.error for promise in waiting] == [ErrorCode.KAFKA_STORAGE_ERROR] * 2
        assert partition.is_offline
        assert partition.high_watermark == before
        partition.replica.flush_if_due(2**62)
        retried = machine.append(partition, b"retried")
        await machine.drain()
        assert retried.outcome.error is ErrorCode.KAFKA_STORAGE_ERROR
        assert len(machine.acknowledged) == before
        await appended(machine, other, 2)


async def test_a_failed_flush_by_time_takes_the_partition_offline_though_nobody_waited() -> None:
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open(LAZY)
        await appended(machine, partition, 2)
        machine.disk.fail_next("sync", pattern="*.log")
        machine.flusher.request(partition.replica)
        await machine.drain()
        assert partition.is_offline
        refused = machine.append(partition, b"more")
        assert refused.outcome.error is ErrorCode.KAFKA_STORAGE_ERROR
        with pytest.raises(LogOfflineError):
            partition.replica.read(0, 1_000, 2, whole_first_batch=True)


async def test_a_segment_that_cannot_be_made_is_an_error_for_everyone_who_waits() -> None:
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open()
        await appended(machine, partition, 1)
        machine.disk.fail_next("open", errno.ENOSPC, pattern="*.log")
        waiting = [machine.append(partition, bytes(1_500)) for _ in range(4)]
        await machine.drain()
        assert [promise.outcome.error for promise in waiting] == [ErrorCode.KAFKA_STORAGE_ERROR] * 4
        assert partition.is_offline
        assert partition.log.log_end_offset == 1


class Watcher:
    def __init__(self) -> None:
        self.calls = 0

    def on_committed(self, replica: Replica) -> None:
        self.calls += 1


async def test_whoever_waits_for_data_hears_that_there_will_be_none() -> None:
    async with machine_on(FaultyDisk()) as machine:
        partition, watcher = machine.open(), Watcher()
        partition.replica.listeners[watcher] = None
        machine.disk.fail_next("write", pattern="*.log")
        machine.append(partition, b"lost")
        await machine.drain()
        assert watcher.calls == 1


# --- order


@pytest.mark.parametrize("seed", range(6))
async def test_writes_keep_their_order_whether_inline_or_in_a_thread(seed: int) -> None:
    """Rules 1, 6, 19."""
    dice = Random(seed)
    async with machine_on(FaultyDisk(write_bytes_max=dice.choice([None, 100]))) as machine:
        partition = machine.open(dice.choice([LAZY, FLUSH_EACH]))
        promises = []
        for index in range(120):
            partition.replica._slow_until = dice.choice([0.0, NEVER_INLINE])
            promises.append(machine.append(partition, b"%d" % index, acks=dice.choice([1, -1])))
            if dice.random() < 0.5:
                machine.write()
            if dice.random() < 0.1:
                await machine.drain()
        await machine.drain()
        assert [promise.outcome.base_offset for promise in promises] == list(range(120))
        assert all(promise.is_acknowledged for promise in promises)
        assert values_in(partition.log) == values(promises)


async def test_a_long_write_that_was_only_preempted_stays_inline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica_module, "SLOW_WRITE_S", 0.0)
    monkeypatch.setattr(replica_module, "_voluntary_switches", lambda: 7)
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open()
        for index in range(5):
            written = machine.append(partition, b"%d" % index)
            machine.write()
            assert written.is_acknowledged


async def test_after_a_write_that_waited_for_the_disk_the_next_ones_go_through_the_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replica_module, "SLOW_WRITE_S", 0.0)
    monkeypatch.setattr(replica_module, "_voluntary_switches", count().__next__)
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open()
        # The first long write only makes the broker look closer at the next.
        machine.append(partition, b"before")
        machine.write()
        first = machine.append(partition, b"first")
        machine.write()
        assert first.is_acknowledged
        second = machine.append(partition, b"second")
        machine.write()
        assert not second.is_acknowledged
        assert partition.log.log_end_offset == 2
        await machine.drain()
        assert second.is_acknowledged
        assert partition.log.log_end_offset == 3


# --- how safe is safe


@pytest.mark.parametrize("acks", [0, 1, -1])
async def test_nothing_is_acknowledged_before_it_is_written(acks: int) -> None:
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open()
        promise = machine.append(partition, b"value", acks=acks)
        assert not promise.outcome.is_settled
        assert partition.high_watermark == 0
        machine.write()
        assert promise.is_acknowledged
        assert promise.outcome.base_offset == 0
        assert partition.high_watermark == 1


@pytest.mark.parametrize("acks", [0, 1, -1])
async def test_with_a_flush_per_append_nothing_is_acknowledged_before_it_is_flushed(
    acks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with machine_on(FaultyDisk()) as machine:
        partition, syncs = machine.open(FLUSH_EACH), GatedSyncs(monkeypatch)
        promise = machine.append(partition, b"value", acks=acks)
        machine.write()
        assert syncs.begun.wait(30)
        assert partition.log.log_end_offset == 1
        assert partition.high_watermark == 0
        assert not promise.outcome.is_settled
        behind = machine.append(partition, b"behind", acks=acks)
        machine.write()
        syncs.gate.set()
        await machine.drain()
        assert promise.is_acknowledged
        assert behind.is_acknowledged


async def test_a_write_during_a_flush_is_acknowledged_by_the_next_flush_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What came after the sync had begun must not pass for safe."""
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open(FLUSH_EACH)
        await appended(machine, partition, 1)
        syncs = GatedSyncs(monkeypatch)
        first = machine.append(partition, b"first")
        machine.write()
        assert syncs.begun.wait(30)
        second = machine.append(partition, b"second")
        machine.write()
        # The sync under way passed this check before; the next one meets it.
        syncs.fail_after_this_one()
        syncs.gate.set()
        await machine.drain()
        assert first.is_acknowledged
        assert second.outcome.error is ErrorCode.KAFKA_STORAGE_ERROR
        assert partition.high_watermark == 2


async def test_acks_all_needs_enough_replicas_in_sync_and_acks_1_does_not() -> None:
    """Rule 44, and replication rule 1: the watermark stands still meanwhile."""
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open(in_sync_min=2)
        refused, local = machine.append(partition, b"all"), machine.append(partition, b"one", acks=1)
        await machine.drain()
        assert refused.outcome.error is ErrorCode.NOT_ENOUGH_REPLICAS
        assert local.is_acknowledged
        assert (partition.log.log_end_offset, partition.high_watermark) == (1, 0)


async def test_a_duplicate_is_answered_with_the_original_offset_when_the_original_is_safe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rule 51, replication rule 12."""
    async with machine_on(FaultyDisk()) as machine:
        partition, syncs = machine.open(FLUSH_EACH), GatedSyncs(monkeypatch)
        machine.append(partition, b"before", producer_id=8, sequence=0)
        original = machine.append(partition, b"value", producer_id=9, sequence=0)
        early = machine.append(partition, b"value", producer_id=9, sequence=0)
        machine.write()
        assert syncs.begun.wait(30)
        late = machine.append(partition, b"value", acks=1, producer_id=9, sequence=0)
        assert not any(promise.outcome.is_settled for promise in (original, early, late))
        syncs.gate.set()
        await machine.drain()
        assert [promise.outcome.base_offset for promise in (original, early, late)] == [1, 1, 1]
        assert all(promise.is_acknowledged for promise in (original, early, late))
        assert partition.log.log_end_offset == 2
        again = machine.append(partition, b"value", producer_id=9, sequence=0)
        assert again.is_acknowledged
        assert again.outcome.base_offset == 1


async def test_a_duplicate_of_a_batch_that_fails_fails_too() -> None:
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open()
        write_in_threads(partition)
        machine.disk.fail_next("write", pattern="*.log")
        original = machine.append(partition, b"value", producer_id=9, sequence=0)
        machine.write()
        duplicate = machine.append(partition, b"value", producer_id=9, sequence=0)
        await machine.drain()
        assert original.outcome.error is ErrorCode.KAFKA_STORAGE_ERROR
        assert duplicate.outcome.error is ErrorCode.KAFKA_STORAGE_ERROR


async def test_a_duplicate_waits_for_the_watermark_with_acks_all() -> None:
    """Replication rule 12: written alone is not enough, with another replica in the set."""
    follower = BrokerId(2)
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open(isr=(SELF, follower))
        original = machine.append(partition, b"value", producer_id=9, sequence=0)
        machine.write()
        duplicate = machine.append(partition, b"value", producer_id=9, sequence=0)
        locally = machine.append(partition, b"value", acks=1, producer_id=9, sequence=0)
        assert not original.outcome.is_settled
        assert not duplicate.outcome.is_settled
        assert locally.is_acknowledged
        partition.on_isr_committed(IsrCommitted((SELF,), 1, PartitionEpoch(1)))
        assert original.is_acknowledged
        assert duplicate.is_acknowledged
        assert duplicate.outcome.base_offset == 0


@PATHS
async def test_the_end_of_a_term_answers_everyone_and_waits_for_the_threads(threaded: bool) -> None:
    """Rule 19, replication rule 11."""
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open(FLUSH_EACH)
        if threaded:
            write_in_threads(partition)
        waiting = [machine.append(partition, b"value", acks=acks) for acks in (-1, 1)]
        machine.write()
        partition.replica.end_term(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        assert [promise.outcome.error for promise in waiting] == [ErrorCode.NOT_LEADER_OR_FOLLOWER] * 2
        released: list[bool] = []
        partition.replica.release(lambda: released.append(True))
        assert released == []
        await machine.drain()
        assert released == [True]
        assert machine.acknowledged == []


async def test_what_idempotent_producers_wait_for_is_told_as_they_have_sent_it() -> None:
    """Sent again from the beginning, a flight has got as far as it was sent again, not as far as the log goes."""
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open(isr=(SELF, BrokerId(2)))
        for sequence in range(4):
            machine.append(partition, b"value", producer_id=9, sequence=sequence)
        machine.append(partition, b"value", acks=1, producer_id=8, sequence=0)
        machine.append(partition, b"value")
        assert [*partition.waiting_producers()] == [Sequences(9, 0, 0, 4), Sequences(8, 0, 0, 1)]
        machine.write()
        assert [*partition.waiting_producers()] == [Sequences(9, 0, 0, 4)]
        for sequence in range(2):
            machine.append(partition, b"value", producer_id=9, sequence=sequence)
        assert [*partition.waiting_producers()] == [Sequences(9, 0, 0, 2)]
        partition.on_isr_committed(IsrCommitted((SELF,), 1, PartitionEpoch(1)))
        assert [*partition.waiting_producers()] == []


@pytest.mark.parametrize(
    ("leader_epoch", "isr", "age_ms", "error"),
    [
        (1, (SELF, BrokerId(2)), YOUNG_TERM_MS - 1, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (1, (SELF, BrokerId(2)), YOUNG_TERM_MS, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
        (0, (SELF, BrokerId(2)), 0, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
        (1, (SELF,), 0, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
    ],
    ids=["young", "old", "first leader", "only replica"],
)
async def test_a_young_leader_blames_no_producer_for_what_may_be_on_its_way_from_the_one_before(
    monkeypatch: pytest.MonkeyPatch, leader_epoch: int, isr: tuple[BrokerId, ...], age_ms: int, error: ErrorCode
) -> None:
    """Rule 51: nothing of a gap is stored, and the producer begins a new epoch only if the gap stays."""
    now_ns = 10**15
    monkeypatch.setattr(clock, "read_steady_ns", lambda: now_ns)
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open(isr=isr, leader_epoch=leader_epoch)
        machine.append(partition, b"first", producer_id=9, sequence=0)
        now_ns += age_ms * 1_000_000
        behind = machine.append(partition, b"third", producer_id=9, sequence=2)
        assert behind.outcome.error is error
        assert not machine.append(partition, b"second", producer_id=9, sequence=1).outcome.is_settled
        assert not machine.append(partition, b"third", producer_id=9, sequence=2).outcome.is_settled
        machine.write()
        assert partition.log.log_end_offset == 3


async def test_what_is_looked_through_for_keys_waits_too() -> None:
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open(replace(LAZY, cleanup_compact=True))
        waiting = [machine.append(partition, b"value", producer_id=9, sequence=sequence) for sequence in (3, 4)]
        machine.append(partition, b"value")
        assert [*partition.waiting_producers()] == [Sequences(9, 0, 3, 4), Sequences(9, 0, 4, 5)]
        await asyncio.gather(*(promise.settled.wait() for promise in waiting))
        assert [*partition.waiting_producers()] == []


# --- power cuts and crashes


@pytest.mark.parametrize("seed", range(20))
async def test_every_acknowledged_batch_survives(seed: int) -> None:
    """With a flush per append through power cuts, without it through crashes of the process, whatever fails."""
    dice = Random(seed)
    disk, is_flushed = FaultyDisk(), seed % 2 == 0
    config = FLUSH_EACH if is_flushed else LAZY
    safe: list[Promise] = []
    sent: set[bytes] = set()
    for life in range(6):
        async with machine_on(disk) as machine:
            partition = machine.open(config, leader_epoch=life)
            if is_flushed:
                machine.at_acknowledgement = lambda promise: _assert_durable(disk, promise.value)
            stored = values_in(partition.log)
            _check(stored, safe, sent)
            if dice.random() < 0.5:
                write_in_threads(partition)
            for index in range(dice.randrange(5, 40)):
                value = f"{life}-{index}-".encode() + bytes(dice.randrange(300))
                sent.add(value)
                machine.append(partition, value, acks=dice.choice([1, -1]))
                if dice.random() < 0.6:
                    machine.write()
                if dice.random() < 0.2:
                    await machine.drain()
                if dice.random() < 0.02:
                    disk.fail_next(dice.choice(["write", "sync", "open"]), dice.choice([errno.EIO, errno.ENOSPC]))
            if dice.random() < 0.7:
                await machine.drain()
            # Acknowledgements that are under way when the lights go out do not count.
            safe += machine.acknowledged
        disk.power_cut(dice) if is_flushed else disk.process_crash()
    async with machine_on(disk) as machine:
        _check(values_in(machine.open(config, leader_epoch=9).log), safe, sent)
    assert len(safe) > 20


def _assert_durable(disk: FaultyDisk, value: bytes) -> None:
    assert any(value in bytes(node.durable) for node in list(disk._durable_files.values())), value


def _check(stored: list[bytes], safe: list[Promise], sent: set[bytes]) -> None:
    assert len(set(stored)) == len(stored)
    assert set(stored) <= sent
    for promise in safe:
        assert stored[promise.outcome.base_offset : promise.outcome.base_offset + 1] == [promise.value]
