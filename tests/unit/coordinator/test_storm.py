"""Random histories: whatever callers and the clock do, what must hold holds, and the log tells the same story."""

import random
from collections import Counter

import pytest

from chronik.coordinator.commands import (
    CommitOffsets,
    DeleteGroup,
    DeleteOffsets,
    FetchOffsets,
    Heartbeat,
    LeaveGroup,
    Leaving,
    SyncGroup,
)
from chronik.coordinator.record_format import StoredGroup, StoredOffset
from chronik.coordinator.responses import CoordinatorResult, JoinResponse, StateRecord
from chronik.coordinator.shard import GroupSettings, GroupShard
from chronik.coordinator.transitions import GroupState
from chronik.model.errors import ErrorCode
from chronik.model.ids import Millis, TopicPartition
from tests.unit.coordinator.group_cases import Room, assignment_of, joining, offset_to_commit, subscription

STEPS = 400
GROUPS = ("a", "b")
SETTINGS = GroupSettings(
    session_timeout_ms_min=1_000,
    group_size_max=4,
    initial_rebalance_delay_ms=500,
    offsets_retention_ms=60_000,
    record_bytes_max=1_200,
    new_member_join_timeout_ms=20_000,
)
PROTOCOLS = (
    (("range", subscription("t0")),),
    (("range", subscription("t0")), ("sticky", subscription("t1"))),
    (("sticky", subscription("t1")), ("range", subscription("t0"))),
    (("sticky", b"not a subscription"),),
)


class Storm:
    """Clients without manners: they know some ids and generations, and use them as chance will have it."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.room = Room(SETTINGS)
        self.known: list[tuple[str, str, str | None]] = []
        """Group, member id, instance id."""
        self.sent: dict[int, tuple[str, str | None]] = {}
        self.deeds = (
            [self.join_new] * 4
            + [self.join_known] * 6
            + [self.sync] * 8
            + [self.behave] * 6
            + [self.heartbeat] * 2
            + [self.commit] * 4
            + [self.wait_a_little] * 6
            + [self.leave, self.abandon, self.delete, self.delete_offsets, self.expire, self.forget, self.wait_long]
        )

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.dice.choice(self.deeds)()
            self.learn()

    def learn(self) -> None:
        """Clients hear the ids that their answers tell them."""
        for request in [request for request in self.sent if request in self.room.answers]:
            group_id, instance_id = self.sent.pop(request)
            answer = self.room.answers[request]
            if isinstance(answer, JoinResponse) and answer.member_id:
                self.known.append((group_id, answer.member_id, instance_id))
                self.known = self.known[-20:]

    def someone(self) -> tuple[str, str, str | None]:
        """Mostly a member, sometimes one that was, seldom nobody."""
        members = [
            (group.group_id, member_id, member.instance_id)
            for group in self.room.shard._context.groups
            for member_id, member in group.members.items()
        ]
        if members and self.dice.random() < 0.8:
            return self.dice.choice(members)
        if self.known and self.dice.random() < 0.9:
            return self.dice.choice(self.known)
        return self.dice.choice(GROUPS), "nobody", self.dice.choice([None, "i0"])

    def generation(self, group_id: str) -> int:
        group = self.room.shard._context.groups.get(group_id)
        return (0 if group is None else group.generation) + self.dice.choice([0] * 8 + [-1, 1])

    def _join(self, group_id: str, member_id: str, instance_id: str | None) -> None:
        command = joining(
            group_id=group_id,
            member_id=member_id,
            instance_id=instance_id,
            protocols=self.dice.choice(PROTOCOLS[:3] * 6 + PROTOCOLS),
            protocol_type=self.dice.choice(["consumer"] * 29 + ["connect"]),
            session_timeout_ms=self.dice.choice([1_000, 5_000, 20_000, 20_000]),
            rebalance_timeout_ms=self.dice.choice([1_000, 2_000, 15_000]),
            requires_known_member_id=self.dice.random() < 0.6,
            may_skip_assignment=self.dice.random() < 0.5,
        )
        self.sent[self.room.send(command)] = (group_id, instance_id)

    def join_new(self) -> None:
        self._join(self.dice.choice(GROUPS), "", self.dice.choice([None, None, "i0", "i1"]))

    def join_known(self) -> None:
        self._join(*self.someone())

    def sync(self) -> None:
        group_id, member_id, instance_id = self.someone()
        group = self.room.shard._context.groups.get(group_id)
        if group is not None and group.leader and self.dice.random() < 0.5:
            member_id, instance_id = group.leader, group.members[group.leader].instance_id
        generation = self.generation(group_id)
        size = self.dice.choice([0, 0, 5, 500])
        members = [] if group is None else sorted(group.members)
        brought = tuple((name, assignment_of(name, generation) + b"x" * size) for name in members[:4])
        self.room.send(SyncGroup(group_id, generation, member_id, instance_id, "consumer", None, brought))

    def behave(self) -> None:
        """Every member does what it should do next."""
        for group in self.room.shard._context.groups:
            for member in list(group.members.values()):
                name, instance_id = member.member_id, member.instance_id
                if name not in group.members:
                    continue
                if group.is_rebalancing and name not in group.joining:
                    again = joining(
                        group_id=group.group_id,
                        member_id=name,
                        instance_id=instance_id,
                        protocols=member.protocols,
                        protocol_type=group.protocol_type,
                    )
                    self.sent[self.room.send(again)] = (group.group_id, instance_id)
                elif group.state is GroupState.COMPLETING_REBALANCE and name not in group.syncing:
                    self.room.send(
                        SyncGroup(group.group_id, group.generation, name, instance_id, None, None, ((name, b"x"),))
                    )
                else:
                    self.room.send(Heartbeat(group.group_id, group.generation, name, instance_id))

    def heartbeat(self) -> None:
        group_id, member_id, instance_id = self.someone()
        self.room.send(Heartbeat(group_id, self.generation(group_id), member_id, instance_id))

    def commit(self) -> None:
        group_id, member_id, instance_id = self.someone()
        generation = self.generation(group_id)
        if self.dice.random() < 0.3:
            member_id, instance_id, generation = "", None, -1
        expire_at_ms = self.room.now + 5_000 if self.dice.random() < 0.1 else None
        metadata = self.dice.choice(["", "note", "x" * 5_000])
        partitions = self.dice.sample(range(4), self.dice.randint(1, 3))
        offsets = tuple(
            offset_to_commit(
                f"t{self.dice.randint(0, 2)}",
                partition,
                self.dice.randint(0, 99),
                metadata=metadata,
                expire_at_ms=expire_at_ms,
            )
            for partition in partitions
        )
        self.room.send(CommitOffsets(group_id, generation, member_id, instance_id, offsets))

    def leave(self) -> None:
        leaving = [self.someone() for _ in range(self.dice.randint(1, 3))]
        members = [
            Leaving("" if instance and self.dice.random() < 0.5 else name, instance) for _, name, instance in leaving
        ]
        self.room.send(LeaveGroup(leaving[0][0], tuple(members)))

    def abandon(self) -> None:
        waiting = sorted(self.room.asked - set(self.room.answers) - self.room.abandoned)
        if waiting:
            self.room.abandon(self.dice.choice(waiting))

    def delete(self) -> None:
        self.room.send(DeleteGroup(self.dice.choice(GROUPS)))

    def delete_offsets(self) -> None:
        self.room.send(DeleteOffsets(self.dice.choice(GROUPS), (TopicPartition("t0", 0), TopicPartition("t2", 1))))

    def expire(self) -> None:
        self.room.take(self.room.shard.expire_offsets(Millis(self.room.now)))

    def forget(self) -> None:
        gone = f"t{self.dice.randint(0, 9)}"
        self.room.take(self.room.shard.forget_topics(lambda topic, _: topic == gone, Millis(self.room.now)))

    def wait_a_little(self) -> None:
        self.room.wait(self.dice.randint(0, 700))

    def wait_long(self) -> None:
        self.room.wait(self.dice.choice([3_000, 20_000, 70_000]))


Story = dict[str, tuple[StoredGroup | None, dict[TopicPartition, StoredOffset]]]


def story(shard: GroupShard) -> Story:
    """What is stored of each group."""
    groups = (group for group in shard._context.groups if group.stored is not None or group.offsets)
    return {group.group_id: (group.stored, dict(group.offsets)) for group in groups}


def replayed(records: list[StateRecord]) -> GroupShard:
    shard = GroupShard(SETTINGS, lambda: "unused")
    for key, value in records:
        shard.replay(key, value, 0)
    assert shard.ignored_records == 0
    return shard


def compacted(records: list[StateRecord]) -> list[StateRecord]:
    """The last record of each key, where it stood, as compaction leaves it."""
    last = {record.key: number for number, record in enumerate(records)}
    return [records[number] for number in sorted(last.values())]


@pytest.mark.parametrize("seed", range(25))
def test_a_storm_breaks_nothing_and_the_log_tells_what_happened(seed: int) -> None:
    storm = Storm(seed)
    for _ in range(8):
        storm.run(STEPS // 8)
        for records in (storm.room.records, compacted(storm.room.records)):
            check_same_story(storm.room, replayed(records))
    end(storm.room)


def check_same_story(room: Room, loaded: GroupShard) -> None:
    assert story(loaded) == story(room.shard)
    loaded.finish_loading(Millis(room.now))
    for group in room.shard._context.groups:
        twin = loaded._context.groups.get(group.group_id)
        if group.state is GroupState.STABLE:
            assert twin is not None
            assert (twin.state, twin.generation) == (group.state, group.generation)
            assert (twin.protocol_type, twin.protocol_name) == (group.protocol_type, group.protocol_name)
            assert (twin.leader, twin.instances) == (group.leader, group.instances)
            assert twin.assignments == group.assignments
            assert set(twin.members) == set(group.members)
        elif group.state is GroupState.EMPTY and twin is not None:
            assert (twin.state, twin.generation) == (group.state, group.generation)
            assert twin.protocol_type == group.protocol_type


def end(room: Room) -> None:
    """After the longest of all time-outs nobody waits any more, and the groups are empty."""
    room.wait(120_000)
    assert room.asked == set(room.answers) | room.abandoned
    assert room.shard.member_count == 0
    assert room.shard.next_deadline is None


@pytest.mark.parametrize("seed", range(20))
def test_the_end_of_a_term_answers_everybody(seed: int) -> None:
    storm = Storm(seed)
    storm.run(STEPS // 4)
    room = storm.room
    waiting = room.asked - set(room.answers) - room.abandoned
    result = room.shard.end_term()
    assert Counter(request for request, _ in result.responses) == Counter(waiting)
    assert {answer.error for _, answer in result.responses} <= {ErrorCode.NOT_COORDINATOR}
    refusal = room.shard.handle(FetchOffsets("a", None), -1, Millis(room.now))
    assert [answer.error for _, answer in refusal.responses] == [ErrorCode.NOT_COORDINATOR]
    assert room.shard.tick(Millis(room.now + 10**7)) == room.shard.end_term() == CoordinatorResult()


def test_the_storms_reach_every_state_and_most_errors() -> None:
    states: set[GroupState] = set()
    errors: set[ErrorCode] = set()
    for seed in range(10):
        storm = Storm(seed)
        for _ in range(STEPS):
            storm.run(1)
            states |= {group.state for group in storm.room.shard._context.groups}
        errors |= {answer.error for answer in storm.room.answers.values()}
    assert states == set(GroupState) - {GroupState.DEAD}
    assert errors >= {
        ErrorCode.NONE,
        ErrorCode.FENCED_INSTANCE_ID,
        ErrorCode.GROUP_ID_NOT_FOUND,
        ErrorCode.GROUP_MAX_SIZE_REACHED,
        ErrorCode.ILLEGAL_GENERATION,
        ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
        ErrorCode.MEMBER_ID_REQUIRED,
        ErrorCode.NON_EMPTY_GROUP,
        ErrorCode.REBALANCE_IN_PROGRESS,
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.UNKNOWN_SERVER_ERROR,
    }
