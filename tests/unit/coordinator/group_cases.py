"""A shard with a clock, its callers, and everything that must hold of it after each result."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

from chronik.coordinator.commands import (
    Command,
    CommitOffsets,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    Leaving,
    OffsetToCommit,
    SyncGroup,
)
from chronik.coordinator.group import ClassicGroup
from chronik.coordinator.responses import CoordinatorResult, GroupResponse, JoinResponse, StateRecord, SyncResponse
from chronik.coordinator.shard import GroupSettings, GroupShard
from chronik.coordinator.transitions import GroupState
from chronik.model.errors import ErrorCode
from chronik.model.ids import Millis, TopicPartition
from chronik.protocol.generated.consumer_protocol_subscription import ConsumerProtocolSubscription

GROUP = "readers"
SESSION_MS = 10_000
REBALANCE_MS = 60_000
DELAY_MS = 3_000
START = 1_000_000
TOPIC_ID = UUID(int=7)
SETTINGS = GroupSettings(initial_rebalance_delay_ms=DELAY_MS)

Kind = TypeVar("Kind")


def subscription(*topics: str) -> bytes:
    return b"\0\1" + b"".join(ConsumerProtocolSubscription(topics=list(topics)).encode(1))


RANGE = (("range", subscription("events")),)


def check_group(group: ClassicGroup) -> None:
    """What holds of a group between two steps."""
    members = set(group.members)
    assert group.state is not GroupState.DEAD
    assert all(member.member_id == member_id for member_id, member in group.members.items())
    assert not members & set(group.pending)
    assert set(group.joining) <= members
    assert set(group.syncing) <= members
    assert set(group.unsynced) <= members
    assert not set(group.syncing) & set(group.unsynced)
    statics = {member.instance_id: member_id for member_id, member in group.members.items() if member.instance_id}
    assert group.instances == statics
    assert (group.leader in members) if members else group.leader is None
    assert not group.is_unused, "a group of which nothing is left is forgotten"
    check_waits(group)
    check_state(group)


def check_waits(group: ClassicGroup) -> None:
    """Who waits is waited for with a bound, and who does not has a session that ends."""
    for member_id, member in group.members.items():
        is_parked = member_id in group.joining or member_id in group.syncing
        assert (member.session.deadline is not None) == (not is_parked or member.is_new), member_id
    assert all(timer.deadline is not None for timer in group.pending.values())
    assert (group.join_timer.deadline is not None) == group.is_rebalancing
    assert (group.sync_timer.deadline is not None) == bool(group.unsynced)


def check_state(group: ClassicGroup) -> None:
    match group.state:
        case GroupState.EMPTY:
            assert not group.members
            assert not group.joining
        case GroupState.PREPARING_REBALANCE:
            assert not group.syncing
            assert not group.unsynced
            assert group.is_initial_rebalance or not group.has_all_joined
        case GroupState.COMPLETING_REBALANCE:
            assert group.members
            assert not group.joining
            assert group.leader not in group.syncing
        case GroupState.STABLE:
            assert group.members
            assert not group.joining
            assert not group.syncing
            assert set(group.assignments) == set(group.members)
            assert group.stored is not None
            assert (group.stored.generation, group.stored.leader) == (group.generation, group.leader)
            assert group.stored.protocol_name == group.protocol_name


@dataclass
class Room:
    """Where clients, administrators and the clock meet one shard."""

    settings: GroupSettings = SETTINGS
    now: int = START
    shard: GroupShard = field(init=False)
    records: list[StateRecord] = field(default_factory=list)
    answers: dict[int, GroupResponse] = field(default_factory=dict)
    asked: set[int] = field(default_factory=set)
    abandoned: set[int] = field(default_factory=set)
    generations: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ids = itertools.count()
        self._requests = itertools.count(1)
        self.shard = GroupShard(self.settings, lambda: f"id{next(ids)}")

    def group(self, group_id: str = GROUP) -> ClassicGroup:
        group = self.shard._context.groups.get(group_id)
        assert group is not None
        return group

    def take(self, result: CoordinatorResult) -> CoordinatorResult:
        """Note what a result brings, and look whether everything holds."""
        self.records += result.records
        for request, answer in result.responses:
            assert isinstance(request, int)
            assert request in self.asked, "answers go to those who asked"
            assert request not in self.answers, "nobody is answered twice"
            assert request not in self.abandoned, "nobody is answered who has gone"
            self.answers[request] = answer
        self.check()
        return result

    def check(self) -> None:
        context = self.shard._context
        waiting = self.asked - set(self.answers) - self.abandoned
        assert set(context.parked) == waiting, "who is not answered is parked"
        parked = [request for group in context.groups for request in (*group.joining.values(), *group.syncing.values())]
        assert sorted(parked) == sorted(waiting)  # type: ignore[type-var]
        for group in context.groups:
            check_group(group)
            assert group.generation >= self.generations.get(group.group_id, 0), "generations never fall"
        self.generations = {group.group_id: group.generation for group in context.groups}
        needs_tick = any(group.members or group.pending for group in context.groups)
        assert not needs_tick or self.shard.next_deadline is not None

    # What callers do

    def send(self, command: Command) -> int:
        request = next(self._requests)
        self.asked.add(request)
        self.take(self.shard.handle(command, request, Millis(self.now)))
        return request

    def ask(self, command: Command, kind: type[Kind]) -> Kind:
        """Send what is answered at once."""
        return self.answer(self.send(command), kind)

    def answer(self, request: int, kind: type[Kind]) -> Kind:
        answer = self.answers[request]
        assert isinstance(answer, kind)
        return answer

    def abandon(self, request: int) -> None:
        self.abandoned.add(request)
        self.take(self.shard.abandon(request, Millis(self.now)))

    def wait(self, ms: int) -> None:
        """Let time pass, with a tick at every deadline."""
        end = self.now + ms
        deadline = self.shard.next_deadline
        while deadline is not None and deadline <= end:
            self.now = max(self.now, deadline)
            self.take(self.shard.tick(Millis(self.now)))
            deadline = self.shard.next_deadline
        self.now = end

    # Members

    def admit(self, **changes: object) -> tuple[str, int]:
        """Join as somebody new, with the id that is given; the second request waits or is answered."""
        command = joining(**changes)
        given = self.ask(command, JoinResponse)
        assert given.error is ErrorCode.MEMBER_ID_REQUIRED
        return given.member_id, self.send(joining(**{**changes, "member_id": given.member_id}))

    def stable(self, *instances: str | None, **changes: object) -> list[str]:
        """A group whose members have their assignments; None stands for a dynamic member."""
        requests = [self._enter(instance, changes) for instance in instances]
        self.wait(DELAY_MS * 2)
        joined = [self.answer(request, JoinResponse) for request in requests]
        self.sync_all(joined)
        assert self.group().state is GroupState.STABLE
        return [answer.member_id for answer in joined]

    def _enter(self, instance: str | None, changes: dict[str, object]) -> int:
        if instance is None:
            return self.admit(**changes)[1]
        return self.send(joining(instance_id=instance, **changes))

    def sync_all(self, joined: Iterable[JoinResponse]) -> None:
        """Every member asks for its assignment, the leader last."""
        ordered = sorted(joined, key=lambda answer: answer.leader == answer.member_id)
        assert {answer.error for answer in ordered} == {ErrorCode.NONE}
        members = [member.member_id for member in ordered[-1].members]
        brought = tuple((member_id, assignment_of(member_id, ordered[-1].generation)) for member_id in members)
        requests = [self.send(syncing(answer, brought if answer is ordered[-1] else ())) for answer in ordered]
        for request, answer in zip(requests, ordered, strict=True):
            expected = assignment_of(answer.member_id, answer.generation)
            assert self.answer(request, SyncResponse).assignment == expected

    def beat(self, member_id: str, instance_id: str | None = None, generation: int | None = None) -> ErrorCode:
        generation = self.group().generation if generation is None else generation
        request = self.send(Heartbeat(GROUP, generation, member_id, instance_id))
        error: ErrorCode = self.answers[request].error
        return error

    def leave(self, *members: tuple[str, str | None]) -> int:
        return self.send(LeaveGroup(GROUP, tuple(Leaving(*member) for member in members)))


def assignment_of(member_id: str, generation: int) -> bytes:
    return f"{member_id}@{generation}".encode()


def joining(**changes: object) -> JoinGroup:
    plain: dict[str, object] = {
        "group_id": GROUP,
        "member_id": "",
        "instance_id": None,
        "client_id": "client",
        "client_host": "/127.0.0.1",
        "protocol_type": "consumer",
        "protocols": RANGE,
        "session_timeout_ms": SESSION_MS,
        "rebalance_timeout_ms": REBALANCE_MS,
        "requires_known_member_id": True,
        "may_skip_assignment": True,
    }
    return JoinGroup(**{**plain, **changes})  # type: ignore[arg-type]


def syncing(joined: JoinResponse, assignments: tuple[tuple[str, bytes], ...] = (), **changes: object) -> SyncGroup:
    plain: dict[str, object] = {
        "group_id": GROUP,
        "generation": joined.generation,
        "member_id": joined.member_id,
        "instance_id": None,
        "protocol_type": joined.protocol_type,
        "protocol_name": joined.protocol_name,
        "assignments": assignments,
    }
    return SyncGroup(**{**plain, **changes})  # type: ignore[arg-type]


def offset_to_commit(topic: str, partition: int, offset: int, **changes: object) -> OffsetToCommit:
    plain: dict[str, object] = {"topic_id": TOPIC_ID, "leader_epoch": 3, "metadata": ""}
    return OffsetToCommit(
        partition=TopicPartition(topic, partition),
        offset=offset,
        **{**plain, **changes},  # type: ignore[arg-type]
    )


def committing(*offsets: OffsetToCommit, **changes: object) -> CommitOffsets:
    plain: dict[str, object] = {"group_id": GROUP, "generation": -1, "member_id": "", "instance_id": None}
    return CommitOffsets(**{**plain, **changes, "offsets": offsets})  # type: ignore[arg-type]
