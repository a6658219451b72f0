"""The coordinator of a broker: which shard is asked, what is said while one is loaded, and what time brings about."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import pytest

from chronik.coordinator.commands import CommitOffsets, Heartbeat, JoinGroup, ListGroups, OffsetToCommit, SyncGroup
from chronik.coordinator.responses import GroupResponse, ListResponse
from chronik.coordinator.shard import GroupSettings
from chronik.metadata.image.image import Image, PartitionImage, TopicImage
from chronik.model.errors import ErrorCode
from chronik.model.ids import LeaderEpoch, PartitionEpoch, Revision, TopicPartition
from chronik.protocol.generated.heartbeat import HeartbeatResponse
from chronik.protocol.wire import Message
from chronik.server.groups.coordinator import GroupCommand, GroupCoordinatorService
from chronik.server.network.pending_responses import Pending
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.writes import StagedWrites
from chronik.server.settings.groups import CoordinatorSettings, OffsetsTopicSettings
from chronik.storage.faulty_disk import FaultyDisk
from tests.unit.server.partition_cases import SELF, Machine, machine_on

TOPIC = "orders"
"""What the machine calls its topic; here it stands for the offsets' topic."""
EMPTY: Any = {}
SETTINGS = CoordinatorSettings(
    GroupSettings(initial_rebalance_delay_ms=0, session_timeout_ms_min=10),
    OffsetsTopicSettings(1, 1, 100_000),
    600_000,
)


@pytest.fixture(autouse=True)
def _machines_topic_keeps_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("groups.coordinator", "groups.placement"):
        monkeypatch.setattr(f"chronik.server.{module}.OFFSETS_TOPIC", TOPIC)


def image_with(*topics: str, topic_id: int = 1) -> Image:
    """An image in which this broker leads one partition of the offsets' topic, and other topics exist."""
    state = PartitionImage((SELF,), (SELF,), SELF, LeaderEpoch(0), PartitionEpoch(0), 1, (), (), (), (), Revision(1))
    return Image(
        topics={
            name: TopicImage(name, UUID(int=7 if name == TOPIC else topic_id), (state,), EMPTY, Revision(1))
            for name in (TOPIC, *topics)
        }
    )


@asynccontextmanager
async def coordinating(image: Image) -> AsyncIterator[tuple[Machine, GroupCoordinatorService, LeaderReplica]]:
    async with machine_on(FaultyDisk()) as machine:
        groups = GroupCoordinatorService(asyncio.get_running_loop(), SETTINGS, machine.writes)
        groups.on_image(Image(), image)
        partition = machine.open()
        groups.on_led(partition)
        tasks = [asyncio.create_task(duty()) for duty in groups.duties().values()]
        try:
            yield machine, groups, partition
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


class Told:
    """Collects the answers to what was asked."""

    def __init__(self) -> None:
        self.answers: list[Any] = []

    def __call__(self, answer: GroupResponse) -> Message:
        self.answers.append(answer)
        return HeartbeatResponse(error_code=answer.error)


def ask(machine: Machine, groups: GroupCoordinatorService, command: GroupCommand) -> Any:
    told = Told()
    reply = groups.ask(command, told)
    machine.writes.write_all()
    assert told.answers or isinstance(reply, Pending)
    return told.answers[0] if told.answers else None


def commit_to(group: str, topic: str, topic_id: int = 1) -> CommitOffsets:
    offset = OffsetToCommit(UUID(int=topic_id), TopicPartition(topic, 0), 5, -1, "")
    return CommitOffsets(group, -1, "", None, (offset,))


def listed(groups: GroupCoordinatorService) -> ListResponse:
    found: list[ListResponse] = []

    def shape(answer: ListResponse) -> Message:
        found.append(answer)
        return HeartbeatResponse()

    groups.ask_all(ListGroups(), shape)
    return found[0]


async def join(machine: Machine, groups: GroupCoordinatorService, group: str, session_timeout_ms: int) -> Heartbeat:
    """Make a group stable with one member, and give the member's heartbeat."""
    wish = JoinGroup(group, "", None, "c", "/h", "consumer", (("range", b""),), session_timeout_ms, 5_000)
    told = Told()
    groups.ask(wish, told)
    machine.writes.write_all()
    deadline = time.monotonic() + 30
    while not told.answers:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.005)
    joined = told.answers[0]
    assignment = ((joined.member_id, b"all"),)
    sync = SyncGroup(group, joined.generation, joined.member_id, None, "consumer", "range", assignment)
    assert ask(machine, groups, sync).assignment == b"all"
    return Heartbeat(group, joined.generation, joined.member_id, None)


async def test_without_the_offsets_topic_this_broker_coordinates_nothing() -> None:
    async with machine_on(FaultyDisk()) as machine:
        groups = GroupCoordinatorService(asyncio.get_running_loop(), SETTINGS, machine.writes)
        assert ask(machine, groups, Heartbeat("g", 1, "m", None)).error is ErrorCode.NOT_COORDINATOR
        assert listed(groups) == ListResponse(ErrorCode.NONE)


async def test_while_a_shard_is_loaded_its_groups_and_every_list_say_so() -> None:
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open()
        machine.append(partition, b"something to load")
        machine.write()
        groups = GroupCoordinatorService(asyncio.get_running_loop(), SETTINGS, machine.writes)
        groups.on_image(Image(), image_with())
        groups.on_led(partition)
        assert ask(machine, groups, Heartbeat("g", 1, "m", None)).error is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        assert listed(groups).error is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        loading = asyncio.create_task(groups.load_shards())
        deadline = time.monotonic() + 30
        while listed(groups).error is not ErrorCode.NONE:
            assert time.monotonic() < deadline
            await asyncio.sleep(0)
        loading.cancel()


async def test_what_one_term_kept_the_next_one_knows() -> None:
    """A shard that is taken up anew is the one that was given up."""
    image = image_with("sales")
    async with coordinating(image) as (machine, groups, partition):
        assert ask(machine, groups, commit_to("g", "sales")).error is ErrorCode.NONE
        beat = await join(machine, groups, "h", 10_000)
        groups.stop()
        assert ask(machine, groups, beat).error is ErrorCode.NOT_COORDINATOR
        groups.on_led(partition)
        deadline = time.monotonic() + 30
        while ask(machine, groups, beat).error is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
            assert time.monotonic() < deadline
            await asyncio.sleep(0)
        assert ask(machine, groups, beat).error is ErrorCode.NONE
        assert {group.group_id for group in listed(groups).groups} == {"g", "h"}


async def test_committed_offsets_go_with_their_topic_and_a_namesake_does_not_take_them() -> None:
    """Rule 17 of replication."""
    before = image_with("sales", "stock")
    async with coordinating(before) as (machine, groups, _):
        ask(machine, groups, commit_to("g", "sales"))
        ask(machine, groups, commit_to("h", "stock"))
        after = image_with("sales", topic_id=99)
        groups.on_image(before, after)
        await asyncio.sleep(0)
        assert listed(groups).groups == ()


async def test_a_member_that_falls_silent_is_taken_out_by_the_clock_alone() -> None:
    async with coordinating(image_with()) as (machine, groups, _):
        silent = await join(machine, groups, "silent", 2_000)
        deadline = time.monotonic() + 30
        while {group.state for group in listed(groups).groups} != {"Empty"}:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.01)
        assert ask(machine, groups, silent).error is ErrorCode.UNKNOWN_MEMBER_ID


async def test_groups_at_rest_cost_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule 57: timers of members that live are not looked at one by one, and nothing polls."""
    woken = 0
    write_all = StagedWrites.write_all

    def counting(writes: StagedWrites) -> None:
        nonlocal woken
        woken += 1
        write_all(writes)

    async with coordinating(image_with()) as (machine, groups, _):
        for number in range(50):
            await join(machine, groups, f"group-{number}", 60_000)
        await asyncio.sleep(0.1)
        monkeypatch.setattr(StagedWrites, "write_all", counting)
        await asyncio.sleep(1.0)
        assert woken <= 1
