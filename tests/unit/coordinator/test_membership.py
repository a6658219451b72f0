"""Heartbeat and LeaveGroup, and sessions that end."""

from chronik.coordinator.commands import Heartbeat, LeaveGroup, Leaving
from chronik.coordinator.record_format import GroupRecord, StoredGroup, decode
from chronik.coordinator.responses import ErrorResponse, JoinResponse, LeaveResponse
from chronik.coordinator.transitions import GroupState
from chronik.model.errors import ErrorCode
from tests.unit.coordinator.group_cases import DELAY_MS, GROUP, SESSION_MS, Room, committing, joining, offset_to_commit


def test_a_heartbeat_puts_the_end_of_a_session_off() -> None:
    room = Room()
    (member,) = room.stable(None)
    for _ in range(5):
        room.wait(SESSION_MS - 1)
        assert room.beat(member) is ErrorCode.NONE
    room.wait(SESSION_MS)
    assert room.group().state is GroupState.EMPTY


def test_a_heartbeat_costs_the_heap_of_timers_nothing() -> None:
    room = Room()
    (member,) = room.stable(None)
    heap = room.shard._context.timers._heap
    before = len(heap)
    for _ in range(100):
        room.beat(member)
    assert len(heap) == before


def test_a_heartbeat_tells_of_a_rebalance() -> None:
    room = Room()
    one, two = room.stable(None, None)
    room.send(joining(member_id=one))
    assert room.beat(two) is ErrorCode.REBALANCE_IN_PROGRESS
    assert room.beat(one) is ErrorCode.REBALANCE_IN_PROGRESS


def test_a_heartbeat_before_the_assignment_is_fine() -> None:
    room = Room()
    member, _ = room.admit()
    room.wait(DELAY_MS)
    assert room.group().state is GroupState.COMPLETING_REBALANCE
    assert room.beat(member) is ErrorCode.NONE


def test_a_heartbeat_of_nobody_or_of_another_generation_is_refused() -> None:
    room = Room()
    (member,) = room.stable(None)
    given = room.ask(joining(), JoinResponse).member_id
    assert room.beat("stranger") is ErrorCode.UNKNOWN_MEMBER_ID
    assert room.beat(given) is ErrorCode.UNKNOWN_MEMBER_ID
    assert room.beat(member, generation=0) is ErrorCode.ILLEGAL_GENERATION
    assert room.beat(member, generation=2) is ErrorCode.ILLEGAL_GENERATION
    assert room.ask(Heartbeat("other", 1, member, None), ErrorResponse).error is ErrorCode.UNKNOWN_MEMBER_ID
    assert room.ask(Heartbeat("", 1, member, None), ErrorResponse).error is ErrorCode.INVALID_GROUP_ID


def test_a_group_without_a_name_has_no_members_even_where_it_has_committed_offsets() -> None:
    room = Room()
    room.send(committing(offset_to_commit("events", 0, 5), group_id=""))
    assert room.ask(Heartbeat("", 1, "it", None), ErrorResponse).error is ErrorCode.INVALID_GROUP_ID


def test_a_refused_heartbeat_does_not_keep_a_member_alive() -> None:
    room = Room()
    (member,) = room.stable(None)
    room.wait(SESSION_MS - 1)
    room.beat(member, generation=0)
    room.wait(1)
    assert room.group().state is GroupState.EMPTY


def test_a_member_that_dies_is_out_after_its_session_and_the_others_are_told() -> None:
    room = Room()
    dead, living = room.stable(None, None)
    for _ in range(2):
        assert room.beat(living) is ErrorCode.NONE
        room.wait(SESSION_MS // 2)
    assert room.beat(living) is ErrorCode.REBALANCE_IN_PROGRESS
    assert room.beat(dead) is ErrorCode.UNKNOWN_MEMBER_ID
    request = room.send(joining(member_id=living))
    assert [member.member_id for member in room.answer(request, JoinResponse).members] == [living]


def stored(room: Room) -> StoredGroup | None:
    record = decode(*room.records[-1])
    assert isinstance(record, GroupRecord)
    return record.value


def test_the_last_member_to_leave_leaves_an_empty_generation_in_the_log() -> None:
    room = Room()
    (member,) = room.stable(None)
    answer = room.answer(room.leave((member, None)), LeaveResponse)
    assert answer == LeaveResponse(ErrorCode.NONE, ((member, None, ErrorCode.NONE),))
    assert room.group().state is GroupState.EMPTY
    assert stored(room) == StoredGroup(2, "consumer", None, None, room.now, ())


def test_several_members_leave_at_once_each_with_its_outcome() -> None:
    room = Room()
    one, two, three = room.stable(None, None, None)
    given = room.ask(joining(), JoinResponse).member_id
    request = room.leave((one, None), ("stranger", None), (three, None), (given, None))
    errors = [error for _, _, error in room.answer(request, LeaveResponse).members]
    assert errors == [ErrorCode.NONE, ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.NONE, ErrorCode.NONE]
    assert list(room.group().members) == [two]
    assert room.group().pending == {}
    request = room.send(joining(member_id=two))
    assert room.answer(request, JoinResponse).generation == 2


def test_a_group_that_its_last_member_leaves_is_empty_even_if_somebody_was_given_an_id() -> None:
    room = Room()
    (member,) = room.stable(None)
    given = room.ask(joining(), JoinResponse).member_id
    room.leave((member, None))
    assert room.group().state is GroupState.EMPTY
    assert given in room.group().pending


def test_nobody_leaves_a_group_that_is_not_there() -> None:
    room = Room()
    answer = room.ask(LeaveGroup("other", (Leaving("a", None), Leaving("b", "i"))), LeaveResponse)
    unknown = ErrorCode.UNKNOWN_MEMBER_ID
    assert answer == LeaveResponse(ErrorCode.NONE, (("a", None, unknown), ("b", "i", unknown)))
    assert room.ask(LeaveGroup("", ()), LeaveResponse).error is ErrorCode.INVALID_GROUP_ID
    assert room.shard.group_count == 0


def test_leaving_lets_a_rebalance_that_waited_for_it_go_on() -> None:
    room = Room()
    one, two = room.stable(None, None)
    request = room.send(joining(member_id=one))
    room.leave((two, None))
    assert room.answer(request, JoinResponse).generation == 2


def test_who_leaves_while_it_waits_is_answered() -> None:
    room = Room()
    member, request = room.admit()
    room.leave((member, None))
    answer = room.answer(request, JoinResponse)
    assert (answer.error, answer.member_id) == (ErrorCode.UNKNOWN_MEMBER_ID, "")
    assert GROUP not in {group.group_id for group in room.shard._context.groups}


def test_leaving_during_the_initial_rebalance_does_not_end_it_early() -> None:
    room = Room()
    _, request = room.admit()
    other, _ = room.admit()
    room.leave((other, None))
    assert request not in room.answers
    room.wait(DELAY_MS * 2)
    assert len(room.answer(request, JoinResponse).members) == 1
