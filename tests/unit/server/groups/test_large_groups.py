"""Groups with more committed offsets than one batch may hold, and records of a kind that nobody here knows."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any, cast
from uuid import UUID

import pytest

from chronik.coordinator.commands import CommitOffsets, DeleteGroup, DeleteOffsets, OffsetToCommit
from chronik.coordinator.responses import CoordinatorResult, GroupResponse, StateRecord
from chronik.coordinator.shard import GroupSettings, GroupShard
from chronik.metadata.image.image import Image
from chronik.model.errors import ErrorCode
from chronik.model.ids import Millis, TopicPartition
from chronik.records.batch import walk
from chronik.server.groups.coordinator import GroupCoordinatorService
from chronik.server.groups.loading import load_shard
from chronik.server.groups.shard import ShardRuntime
from chronik.server.loop.clock import SteadyClock
from chronik.server.replicas.leader import LeaderReplica
from chronik.storage.faulty_disk import FaultyDisk
from tests.unit.server.groups.test_coordinator import SETTINGS, TOPIC, image_with
from tests.unit.server.partition_cases import Machine, machine_on

NOW = Millis(1_700_000_000_000)
POSITIONS = 30_000
SETTINGS_OF_CORE = GroupSettings(offsets_retention_ms=1_000)
BATCH_BYTES_MAX = 1_048_588
"""What Kafka's own brokers take by default."""


class RequestHandle:
    """A request that remembers what it was told."""

    def __init__(self) -> None:
        self.holder = None
        self.answers: list[ErrorCode] = []

    def complete(self, answer: GroupResponse) -> None:
        self.answers.append(answer.error)


def ask(machine: Machine, led: ShardRuntime, command: Any) -> None:
    ticket = RequestHandle()
    led.handle(command, cast(Any, ticket), NOW)
    machine.write()
    assert ticket.answers == [ErrorCode.NONE]


def partitions() -> list[TopicPartition]:
    return [TopicPartition(f"a-topic-with-a-longer-name-{number // 100}", number % 100) for number in range(POSITIONS)]


def commit_all(machine: Machine, led: ShardRuntime) -> None:
    everything = [OffsetToCommit(UUID(int=1), partition, 5, -1, "") for partition in partitions()]
    for first in range(0, POSITIONS, 5_000):
        ask(machine, led, CommitOffsets("g", -1, "", None, tuple(everything[first : first + 5_000])))


def carry_out(decide: Callable[[GroupShard], CoordinatorResult]) -> Callable[[Machine, ShardRuntime], None]:
    def act(machine: Machine, led: ShardRuntime) -> None:
        led.carry_out(decide(led.shard))
        machine.write()

    return act


REMOVALS = {
    "the group is deleted": lambda machine, led: ask(machine, led, DeleteGroup("g")),
    "its committed offsets are deleted": lambda machine, led: ask(
        machine, led, DeleteOffsets("g", tuple(partitions()))
    ),
    "its topics are gone": carry_out(lambda shard: shard.forget_topics(lambda name, topic_id: True, NOW)),
    "its committed offsets have had their time": carry_out(lambda shard: shard.expire_offsets(Millis(NOW + 10_000))),
}


def batch_sizes(partition: LeaderReplica, offset: int) -> list[int]:
    sizes: list[int] = []
    while offset < partition.log.log_end_offset:
        data, offset = partition.replica.read_log(
            offset, 50_000_000, partition.log.log_end_offset, whole_first_batch=True
        )
        sizes += [header.size_bytes for _, header in walk(memoryview(data))]
    return sizes


@pytest.mark.parametrize("removal", REMOVALS)
async def test_more_committed_offsets_than_one_batch_may_hold_are_removed_when(removal: str) -> None:
    async with machine_on(FaultyDisk()) as machine:
        led = ShardRuntime(machine.open(), GroupShard(SETTINGS_OF_CORE, lambda: "id"), SteadyClock(), lambda: None)
        led.begin(CoordinatorResult())
        commit_all(machine, led)
        before = led.partition.log.log_end_offset
        REMOVALS[removal](machine, led)
        assert led.shard.group_count == 0
        sizes = batch_sizes(led.partition, before)
        assert len(sizes) > 1
        assert max(sizes) <= BATCH_BYTES_MAX
        assert led.partition.log.log_end_offset - before == POSITIONS
        loaded = GroupShard(SETTINGS_OF_CORE, lambda: "id")
        await load_shard(led.partition.replica, loaded)
        assert (loaded.group_count, loaded.ignored_records) == (0, 0)


async def test_records_that_are_not_understood_are_counted_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for module in ("groups.coordinator", "groups.placement"):
        monkeypatch.setattr(f"chronik.server.{module}.OFFSETS_TOPIC", TOPIC)
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open()
        writer = ShardRuntime(partition, GroupShard(SETTINGS_OF_CORE, lambda: "id"), SteadyClock(), lambda: None)
        writer.begin(CoordinatorResult())
        writer.carry_out(CoordinatorResult((StateRecord(b"\0\x63of tomorrow", b"1"), StateRecord(b"", b"2"))))
        machine.write()
        groups = GroupCoordinatorService(asyncio.get_running_loop(), SETTINGS, machine.writes)
        groups.on_image(Image(), image_with())
        groups.on_led(partition)
        with caplog.at_level(logging.WARNING):
            loading = asyncio.create_task(groups.load_shards())
            deadline = time.monotonic() + 30
            while "2 records are unknown" not in caplog.text:
                assert time.monotonic() < deadline, caplog.text
                await asyncio.sleep(0.005)
            loading.cancel()
