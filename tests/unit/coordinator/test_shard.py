"""Loading, the end of a term, timers, the table of transitions, and where a group lives."""

import itertools

import pytest

from chronik.coordinator.commands import (
    Command,
    CommitOffsets,
    DeleteGroup,
    DeleteOffsets,
    DescribeGroup,
    FetchOffsets,
    Heartbeat,
    LeaveGroup,
    Leaving,
    ListGroups,
    SyncGroup,
)
from chronik.coordinator.group import topics_of
from chronik.coordinator.responses import CoordinatorResult, GroupResponse, JoinResponse, SyncResponse, refused
from chronik.coordinator.shard import GroupSettings, GroupShard, partition_of
from chronik.coordinator.timers import Timer, TimerKind, Timers
from chronik.coordinator.transitions import TRANSITIONS, GroupEvent, GroupState, next_state
from chronik.model.errors import ErrorCode
from chronik.model.ids import Millis, TopicPartition
from tests.unit.coordinator.group_cases import (
    DELAY_MS,
    GROUP,
    SESSION_MS,
    SETTINGS,
    Room,
    assignment_of,
    committing,
    joining,
    offset_to_commit,
    subscription,
    syncing,
)


def loaded(room: Room, settings: GroupSettings = SETTINGS) -> Room:
    """Another coordinator that takes over from the log."""
    other = Room(settings, now=room.now)
    ids = itertools.count(100)
    other.shard = GroupShard(settings, lambda: f"id{next(ids)}")
    for key, value in room.records:
        other.shard.replay(key, value, 0)
    other.take(other.shard.finish_loading(Millis(other.now)))
    return other


# Loading


def test_a_stable_group_goes_on_under_another_coordinator() -> None:
    room = Room()
    leader, follower = room.stable(None, "desk-2")
    other = loaded(room)
    assert other.beat(follower, "desk-2") is ErrorCode.NONE
    again = JoinResponse(ErrorCode.NONE, leader, 1, "consumer", "range")
    assert other.ask(syncing(again), SyncResponse).assignment == assignment_of(leader, 1)
    assert (other.group().state, other.group().leader) == (GroupState.STABLE, leader)


def test_sessions_begin_anew_with_the_term() -> None:
    room = Room()
    room.stable(None)
    room.now += SESSION_MS * 10
    other = loaded(room)
    other.wait(SESSION_MS - 1)
    assert other.group().state is GroupState.STABLE
    other.wait(1)
    assert other.group().state is GroupState.EMPTY
    assert other.group().generation == 2


def test_an_empty_group_keeps_its_generation_and_the_time_since_when_it_is_empty() -> None:
    room = Room()
    (member,) = room.stable(None)
    room.send(committing(offset_to_commit("events", 0, 5), generation=1, member_id=member))
    room.leave((member, None))
    left_at = room.now
    room.now += 1_000_000
    other = loaded(room)
    group = other.group()
    assert (group.state, group.generation, group.since_ms) == (GroupState.EMPTY, 2, left_at)
    _, request = other.admit()
    other.wait(DELAY_MS)
    assert other.answer(request, JoinResponse).generation == 3


def test_a_rebalance_that_was_not_finished_is_forgotten_with_the_term() -> None:
    room = Room()
    one, two = room.stable(None, None)
    room.send(joining(member_id=one))
    room.send(joining(member_id=two))
    assert room.group().generation == 2
    other = loaded(room)
    assert other.group().generation == 1
    assert other.beat(one, generation=2) is ErrorCode.ILLEGAL_GENERATION


def test_a_group_over_its_size_after_loading_joins_anew() -> None:
    room = Room()
    room.stable(None, None, None)
    other = loaded(room, GroupSettings(group_size_max=2))
    assert other.group().is_rebalancing


def test_a_restarted_static_member_is_known_after_loading() -> None:
    room = Room()
    room.stable("desk-1")
    newer = room.ask(joining(instance_id="desk-1"), JoinResponse).member_id
    other = loaded(room)
    assert other.group().instances == {"desk-1": newer}
    assert other.ask(joining(instance_id="desk-1"), JoinResponse).generation == 1


def test_records_of_kinds_that_are_not_known_are_counted_and_passed_over() -> None:
    shard = GroupShard(SETTINGS, lambda: "id")
    shard.replay(b"\0\3\0\1g", b"\0\0", 0)
    shard.replay(b"", None, 0)
    shard.replay(b"\0\2\0\1g", b"\0\3", 0)
    assert (shard.ignored_records, shard.group_count) == (3, 0)


# The end of a term


def test_everybody_who_waits_is_told_to_look_for_another_coordinator() -> None:
    room = Room()
    requests = [room.admit()[1], room.admit()[1]]
    room.wait(DELAY_MS * 2)
    answers = [room.answer(request, JoinResponse) for request in requests]
    follower = next(answer for answer in answers if answer.leader != answer.member_id)
    waiting_sync = room.send(syncing(follower))
    waiting_join = room.admit(group_id="another")[1]
    result = room.shard.end_term()
    assert {(request, answer.error) for request, answer in result.responses} == {
        (waiting_sync, ErrorCode.NOT_COORDINATOR),
        (waiting_join, ErrorCode.NOT_COORDINATOR),
    }
    assert room.shard.next_deadline is None
    assert room.shard.expire_offsets(Millis(room.now + 10**12)) == CoordinatorResult()
    assert room.shard.forget_topics(lambda *_: True, Millis(room.now)) == CoordinatorResult()
    assert room.shard.abandon(waiting_join, Millis(room.now)) == CoordinatorResult()


PARTITION = TopicPartition("events", 0)
COMMANDS: list[Command] = [
    joining(member_id="m"),
    SyncGroup(GROUP, 1, "m", None, None, None, ()),
    Heartbeat(GROUP, 1, "m", None),
    LeaveGroup(GROUP, (Leaving("m", "i"),)),
    CommitOffsets(GROUP, 1, "m", None, (offset_to_commit("events", 0, 1),)),
    FetchOffsets(GROUP, None),
    DeleteOffsets(GROUP, (PARTITION,)),
    DeleteGroup(GROUP),
    DescribeGroup(GROUP),
    ListGroups(),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: type(command).__name__)
def test_after_its_term_a_shard_refuses_in_the_kind_of_answer_that_the_command_has(command: Command) -> None:
    room = Room()
    plain = room.answers[room.send(command)]
    room.shard.end_term()
    ((_, answer),) = room.shard.handle(command, "late", Millis(room.now)).responses
    assert type(answer) is type(plain)
    assert answer.error is ErrorCode.NOT_COORDINATOR


def test_a_refusal_names_every_member_and_partition() -> None:
    error = ErrorCode.COORDINATOR_NOT_AVAILABLE
    answers: list[GroupResponse] = [refused(command, error) for command in COMMANDS]
    assert answers[0] == JoinResponse(error, "m")
    assert answers[3].members == (("m", "i", error),)  # type: ignore[union-attr]
    assert answers[4].partitions == answers[6].partitions == ((PARTITION, error),)  # type: ignore[union-attr]


# Transitions


def test_every_event_has_a_place_in_every_state() -> None:
    assert len(TRANSITIONS) == len(GroupState) * len(GroupEvent)


def test_what_cannot_happen_is_a_broken_promise() -> None:
    with pytest.raises(AssertionError):
        next_state(GroupState.EMPTY, GroupEvent.ASSIGNMENT_KEPT)
    assert {event for (state, event), after in TRANSITIONS.items() if state is GroupState.DEAD and after} == set()


# Timers


def timer(name: str = "") -> Timer:
    return Timer(TimerKind.SESSION, GROUP, name)


def due(timers: Timers, now: int) -> list[str]:
    names: list[str] = []
    while (found := timers.pop_due(now)) is not None:
        names.append(found.member_id)
    return names


def test_timers_are_due_in_their_order_and_once() -> None:
    timers = Timers()
    for name, deadline in (("c", 30), ("a", 10), ("b", 20)):
        timers.set(timer(name), deadline)
    assert timers.next_deadline() == 10
    assert due(timers, 9) == []
    assert due(timers, 20) == ["a", "b"]
    assert due(timers, 100) == ["c"]
    assert timers.next_deadline() is None


def test_a_timer_put_off_or_brought_forward_is_due_when_it_was_last_wanted() -> None:
    timers, late, early = Timers(), timer("late"), timer("early")
    timers.set(late, 10)
    timers.set(late, 50)
    timers.set(early, 40)
    timers.set(early, 5)
    assert due(timers, 10) == ["early"]
    assert timers.next_deadline() == 50
    assert due(timers, 49) == []
    assert due(timers, 50) == ["late"]


def test_a_cancelled_timer_is_not_due_unless_it_is_set_again() -> None:
    timers, one = Timers(), timer("one")
    timers.set(one, 10)
    timers.cancel(one)
    assert timers.next_deadline() is None
    assert due(timers, 100) == []
    timers.set(one, 20)
    timers.cancel(one)
    timers.set(one, 30)
    assert due(timers, 29) == []
    assert due(timers, 30) == ["one"]


def test_the_heap_does_not_grow_with_the_times_that_a_timer_is_put_off() -> None:
    timers, one = Timers(), timer()
    for now in range(0, 10_000, 10):
        timers.set(one, now + 100)
        timers.pop_due(now)
    assert len(timers._heap) == 1


# Where a group lives


@pytest.mark.parametrize(
    ("group_id", "java_hash"),
    [
        ("", 0),
        ("a", 97),
        ("my-group", -1_906_497_762),
        ("grüße", 98_768_023),
        ("𝄞", 1_772_394),
    ],
)
@pytest.mark.parametrize("partition_count", [1, 7, 50])
def test_a_groups_partition_follows_javas_hash(group_id: str, java_hash: int, partition_count: int) -> None:
    assert partition_of(group_id, partition_count) == abs(java_hash) % partition_count


def test_the_hash_without_an_absolute_value_counts_as_zero() -> None:
    assert partition_of("polygenelubricants", 7) == 0


# Subscriptions


def test_the_topics_of_a_subscription_are_read_also_from_versions_to_come() -> None:
    known = subscription("a", "b")
    assert topics_of(known) == {"a", "b"}
    version_3 = b"\0\3" + known[2:] + b"\xff\xff\xff\xff" + b"\xff\xff"
    assert topics_of(version_3) == {"a", "b"}
    assert topics_of(b"\0\x09" + version_3[2:] + b"more") == {"a", "b"}
    assert topics_of(known + b"left over") == {"a", "b"}


@pytest.mark.parametrize("metadata", [b"", b"\0", b"\xff\xff\0\0\0\0", b"\0\0\0\0\0\x09", subscription("abc")[:-7]])
def test_what_is_no_subscription_has_no_topics(metadata: bytes) -> None:
    assert topics_of(metadata) is None
