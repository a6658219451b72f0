"""A shard joined to its partition: answers wait for the watermark, and a failed append leaves nobody waiting."""

import asyncio
import gc
import random
from collections import deque
from collections.abc import Iterable
from typing import Any, cast

import pytest

from chronik.coordinator.commands import CommitOffsets, Heartbeat
from chronik.coordinator.responses import CoordinatorResult, ErrorResponse, GroupResponse, StateRecord
from chronik.coordinator.shard import GroupShard
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, Millis
from chronik.protocol.generated.heartbeat import HeartbeatResponse
from chronik.protocol.wire import Message
from chronik.records.batch import walk
from chronik.records.iterate import records_of
from chronik.server.groups.loading import load_shard
from chronik.server.groups.requests import GroupPart, GroupRequest, GroupRequests
from chronik.server.groups.shard import BATCH_BYTES_MAX, ShardRuntime
from chronik.server.loop.clock import SteadyClock
from chronik.server.replicas.leader import LeaderReplica
from chronik.storage.faulty_disk import FaultyDisk
from tests.unit.server.partition_cases import FLUSH_EACH, LAZY, SELF, Machine, machine_on

NOW = Millis(1_700_000_000_000)
BEAT = Heartbeat("g", 1, "m", None)
COMMIT = CommitOffsets("g", 1, "m", None, ())
FINE = ErrorResponse(ErrorCode.NONE)


class ScriptedShard:
    """Takes the steps that it was told to take."""

    def __init__(self) -> None:
        self.steps: deque[tuple[list[StateRecord], GroupResponse | None]] = deque()
        self.parked: list[object] = []
        self.abandoned: list[object] = []
        self.replayed: list[tuple[bytes, bytes | None]] = []
        self.next_deadline: Millis | None = None

    def will(self, *records: tuple[bytes, bytes | None], answer: GroupResponse | None = FINE) -> None:
        self.steps.append(([StateRecord(*record) for record in records], answer))

    def handle(self, command: object, ticket: object, now: Millis) -> CoordinatorResult:
        records, answer = self.steps.popleft()
        if answer is None:
            self.parked.append(ticket)
            return CoordinatorResult(tuple(records))
        return CoordinatorResult(tuple(records), ((cast(Any, ticket), answer),))

    def abandon(self, ticket: object, now: Millis) -> CoordinatorResult:
        self.abandoned.append(ticket)
        return CoordinatorResult()

    def end_term(self) -> CoordinatorResult:
        return CoordinatorResult(
            (), tuple((cast(Any, ticket), ErrorResponse(ErrorCode.NOT_COORDINATOR)) for ticket in self.parked)
        )

    def replay(self, key: bytes, value: bytes | None, timestamp_ms: Millis) -> None:
        self.replayed.append((key, value))


class RequestHandle:
    """A request that remembers what it was told."""

    def __init__(self) -> None:
        self.holder = None
        self.answers: list[ErrorCode] = []

    def complete(self, answer: GroupResponse) -> None:
        self.answers.append(answer.error)


def lead(partition: LeaderReplica, script: ScriptedShard) -> ShardRuntime:
    led = ShardRuntime(partition, cast(GroupShard, script), SteadyClock(), lambda: None)
    led.begin(CoordinatorResult())
    return led


def ask(led: ShardRuntime, command: Any = COMMIT) -> RequestHandle:
    ticket = RequestHandle()
    led.handle(command, cast(Any, ticket), NOW)
    return ticket


def stored(partition: LeaderReplica) -> list[tuple[bytes | None, bytes | None]]:
    found = []
    offset = partition.replica.log_start_offset
    while offset < partition.log.log_end_offset:
        data, offset = partition.replica.read_log(
            offset, 10_000_000, partition.log.log_end_offset, whole_first_batch=True
        )
        view = memoryview(data)
        for position, header in walk(view):
            found += [(one.key, one.value) for one in records_of(view[position : position + header.size_bytes])]
    return found


async def test_an_answer_leaves_when_its_records_are_written_and_not_before() -> None:
    """Rule 14: an answer without error means that it is kept."""
    async with machine_on(FaultyDisk()) as machine:
        script = ScriptedShard()
        led = lead(machine.open(), script)
        script.will((b"k", b"v"))
        ticket = ask(led)
        led.on_committed(led.partition.replica)
        assert ticket.answers == []
        machine.write()
        assert ticket.answers == [ErrorCode.NONE]
        assert stored(led.partition) == [(b"k", b"v")]


async def test_an_answer_that_changed_nothing_waits_for_what_was_appended_before_it() -> None:
    async with machine_on(FaultyDisk()) as machine:
        script = ScriptedShard()
        led = lead(machine.open(), script)
        script.will((b"k", b"v"))
        script.will()
        committing, beating = ask(led), ask(led, BEAT)
        assert beating.answers == []
        machine.write()
        assert (committing.answers, beating.answers) == ([ErrorCode.NONE], [ErrorCode.NONE])
        script.will()
        assert ask(led, BEAT).answers == [ErrorCode.NONE]


async def test_with_a_flush_per_append_answers_wait_for_the_flush() -> None:
    async with machine_on(FaultyDisk()) as machine:
        script = ScriptedShard()
        led = lead(machine.open(FLUSH_EACH), script)
        script.will((b"k", b"v"))
        ticket = ask(led)
        machine.write()
        assert ticket.answers == []
        await machine.drain()
        assert ticket.answers == [ErrorCode.NONE]


async def test_a_failed_append_refuses_everybody_and_the_shard_is_not_asked_again() -> None:
    """Rule 21: an I/O error is an error for every waiter."""
    disk = FaultyDisk()
    async with machine_on(disk) as machine:
        script = ScriptedShard()
        led = lead(machine.open(), script)
        script.will(answer=None)
        script.will((b"k", b"v"))
        script.will()
        waiting = [ask(led), ask(led), ask(led, BEAT)]
        disk.fail_next("write")
        machine.write()
        assert [len(ticket.answers) for ticket in waiting] == [1, 1, 1]
        assert ErrorCode.NONE not in {error for ticket in waiting for error in ticket.answers}
        assert ask(led, BEAT).answers == [ErrorCode.COORDINATOR_NOT_AVAILABLE]


async def test_the_end_of_the_term_answers_every_parked_request_once() -> None:
    async with machine_on(FaultyDisk()) as machine:
        script = ScriptedShard()
        led = lead(machine.open(), script)
        script.will(answer=None)
        script.will((b"k", b"v"))
        parked, held = ask(led), ask(led)
        led.partition.replica.end_term(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        machine.write()
        assert (parked.answers, held.answers) == ([ErrorCode.NOT_COORDINATOR], [ErrorCode.NOT_COORDINATOR])
        assert ask(led, BEAT).answers == [ErrorCode.NOT_COORDINATOR]


async def test_with_too_few_replicas_in_sync_nothing_is_written_and_the_state_is_left_alone() -> None:
    async with machine_on(FaultyDisk()) as machine:
        script = ScriptedShard()
        led = lead(machine.open(in_sync_min=2), script)
        assert ask(led).answers == [ErrorCode.COORDINATOR_NOT_AVAILABLE]
        script.will()
        assert ask(led, BEAT).answers == [ErrorCode.NONE]


async def test_what_was_loaded_but_is_not_committed_yet_holds_every_answer_back() -> None:
    """Rule 14 of replication: a coordinator loads to the log end, and its answers wait for the watermark."""
    async with machine_on(FaultyDisk()) as machine:
        partition = machine.open()
        machine.append(partition, b"old")
        machine.write()
        followed = machine.open(isr=(SELF, BrokerId(2)))
        script = ScriptedShard()
        led = lead(followed, script)
        script.will()
        ticket = ask(led, BEAT)
        assert ticket.answers == []
        led.end(ErrorCode.NOT_COORDINATOR)
        assert ticket.answers == [ErrorCode.NOT_COORDINATOR]


async def test_a_commit_of_very_many_partitions_is_kept_whole_in_several_batches() -> None:
    async with machine_on(FaultyDisk()) as machine:
        script = ScriptedShard()
        led = lead(machine.open(), script)
        records = [(b"k%d" % number, b"v" * 100_000) for number in range(25)]
        assert sum(len(value) for _, value in records) > 2 * BATCH_BYTES_MAX
        script.will(*records)
        ticket = ask(led)
        machine.write()
        assert ticket.answers == [ErrorCode.NONE]
        assert stored(led.partition) == records


async def _stored_in_batches(machine: Machine, values: Iterable[bytes]) -> LeaderReplica:
    script = ScriptedShard()
    led = lead(machine.open(LAZY), script)
    for value in values:
        script.will((b"key-" + value, value))
        ask(led)
        machine.write()
    return led.partition


async def test_loading_replays_the_last_record_of_each_key_in_order_tombstones_too() -> None:
    async with machine_on(FaultyDisk()) as machine:
        script = ScriptedShard()
        led = lead(machine.open(), script)
        script.will((b"a", b"1"), (b"b", b"2"), (b"c", b"3"))
        script.will((b"a", None))
        script.will((b"b", b"4"))
        for _ in range(3):
            ask(led)
        machine.write()
        loaded = ScriptedShard()
        assert await load_shard(led.partition.replica, cast(GroupShard, loaded)) == 5
        assert loaded.replayed == [(b"c", b"3"), (b"a", None), (b"b", b"4")]


async def test_loading_holds_a_bounded_number_of_keys_and_loses_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeded: the state after loading is that of the last record of each key, however early some are applied."""
    monkeypatch.setattr("chronik.server.groups.loading.HELD_KEYS_MAX", 20)
    monkeypatch.setattr("chronik.server.groups.loading.RECORDS_PER_LOOK", 4)
    dice = random.Random(7)
    async with machine_on(FaultyDisk()) as machine:
        script = ScriptedShard()
        led = lead(machine.open(), script)
        written: dict[bytes, bytes | None] = {}
        for number in range(300):
            key, value = b"k%d" % dice.randrange(60), dice.choice([None, b"v%d" % number])
            written[key] = value
            script.will((key, value))
            ask(led)
            machine.write()
        loaded = ScriptedShard()
        assert await load_shard(led.partition.replica, cast(GroupShard, loaded)) == 300
        assert dict(loaded.replayed) == written
        assert len(loaded.replayed) < 300


async def test_the_loop_goes_on_while_a_shard_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chronik.server.groups.loading.WORK_S_MAX", 0.0)
    async with machine_on(FaultyDisk()) as machine:
        partition = await _stored_in_batches(machine, [b"%d" % number for number in range(200)])
        turns = 0

        async def count_turns() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        counting = asyncio.create_task(count_turns())
        await load_shard(partition.replica, cast(GroupShard, ScriptedShard()))
        counting.cancel()
        assert turns > 5


async def test_the_garbage_collector_has_no_work_with_what_was_loaded() -> None:
    async with machine_on(FaultyDisk()) as machine:
        partition = await _stored_in_batches(machine, [b"%d" % number for number in range(200)])
        frozen = gc.get_freeze_count()
        loaded = ScriptedShard()
        await load_shard(partition.replica, cast(GroupShard, loaded))
        assert gc.get_freeze_count() >= frozen + len(loaded.replayed)


async def test_a_damaged_batch_does_not_keep_later_ones_from_being_loaded(caplog: Any) -> None:
    """Rule 60: damage takes its batch alone, and it is said."""
    disk = FaultyDisk()
    async with machine_on(disk) as machine:
        values = [b"%03d" % number * 20 for number in range(60)]
        partition = await _stored_in_batches(machine, values)
        path = f"/data/orders-0/{0:020}.log"
        content = bytearray(disk.read_bytes(path))
        at = content.index(values[7])
        disk.damage(path, at, b"XX")
        loaded = ScriptedShard()
        await load_shard(partition.replica, cast(GroupShard, loaded))
        assert [value for _, value in loaded.replayed] == values[:7] + values[8:]
        assert "may be lost" in caplog.text


def test_a_request_that_is_answered_while_it_is_asked_needs_no_promise() -> None:
    request = GroupRequest(lambda answer: HeartbeatResponse(error_code=answer.error))
    request.complete(ErrorResponse(ErrorCode.REBALANCE_IN_PROGRESS))
    reply = request.reply()
    assert isinstance(reply, HeartbeatResponse)
    assert reply.error_code == ErrorCode.REBALANCE_IN_PROGRESS


def test_parts_of_a_request_are_answered_in_their_order_whatever_comes_first() -> None:
    seen: list[list[ErrorCode]] = []

    def shape(answers: Any) -> Message:
        seen.append([answer.error for answer in answers])
        return HeartbeatResponse()

    request = GroupRequests(2, shape)
    first, second = request.parts
    second.complete(ErrorResponse(ErrorCode.GROUP_ID_NOT_FOUND))
    assert request.reply() is request
    first.complete(FINE)
    assert seen == [[ErrorCode.NONE, ErrorCode.GROUP_ID_NOT_FOUND]]
    assert isinstance(request.reply(), HeartbeatResponse)


async def test_a_closed_connection_takes_every_parked_part_of_its_request_out() -> None:
    async with machine_on(FaultyDisk()) as machine:
        script = ScriptedShard()
        led = lead(machine.open(), script)
        request = GroupRequests(2, lambda answers: HeartbeatResponse())
        for part in request.parts:
            script.will(answer=None)
            led.handle(BEAT, part, NOW)
        request.abandon()
        assert [cast(GroupPart, one) for one in script.abandoned] == request.parts
