"""Static members: restarts without a rebalance, and former lives that are fenced."""

import pytest

from chronik.coordinator.record_format import GroupRecord, decode
from chronik.coordinator.responses import JoinResponse, LeaveResponse, PartitionErrors, SyncResponse
from chronik.coordinator.transitions import GroupState
from chronik.model.errors import ErrorCode
from tests.unit.coordinator.group_cases import (
    DELAY_MS,
    REBALANCE_MS,
    SESSION_MS,
    Room,
    assignment_of,
    committing,
    joining,
    offset_to_commit,
    syncing,
)


def leader_and_follower(room: Room) -> tuple[str, str]:
    leader, follower = room.stable("desk-1", "desk-2")
    assert room.group().leader == leader
    return leader, follower


def test_a_restarted_follower_keeps_its_assignment_without_a_rebalance() -> None:
    room = Room()
    leader, former = leader_and_follower(room)
    answer = room.ask(joining(instance_id="desk-2"), JoinResponse)
    assert answer.error is ErrorCode.NONE
    assert (answer.generation, answer.leader, answer.members, answer.skip_assignment) == (1, leader, (), False)
    assert answer.member_id != former
    assert room.group().state is GroupState.STABLE
    synced = room.ask(syncing(answer, instance_id="desk-2"), SyncResponse)
    assert synced.assignment == assignment_of(former, 1)


def test_a_restarted_leader_is_told_to_skip_the_assignment() -> None:
    room = Room()
    former, _ = leader_and_follower(room)
    answer = room.ask(joining(instance_id="desk-1"), JoinResponse)
    assert (answer.leader, answer.skip_assignment, len(answer.members)) == (answer.member_id, True, 2)
    assert room.ask(syncing(answer), SyncResponse).assignment == assignment_of(former, 1)


def test_a_restarted_leader_that_cannot_be_told_to_skip_takes_itself_for_a_follower() -> None:
    room = Room()
    former, _ = leader_and_follower(room)
    answer = room.ask(joining(instance_id="desk-1", may_skip_assignment=False), JoinResponse)
    assert (answer.leader, answer.skip_assignment, answer.members) == (former, False, ())
    assert room.group().leader == answer.member_id


def test_the_new_id_of_a_restarted_member_is_in_the_log() -> None:
    room = Room()
    former, _ = leader_and_follower(room)
    written = len(room.records)
    answer = room.ask(joining(instance_id="desk-1"), JoinResponse)
    (state,) = room.records[written:]
    record = decode(*state)
    assert isinstance(record, GroupRecord)
    assert record.value is not None
    assert record.value.leader == answer.member_id
    stored = {member.member_id: member.assignment for member in record.value.members}
    assert stored[answer.member_id] == assignment_of(former, 1)
    assert former not in stored


def test_the_former_life_of_a_restarted_member_is_fenced_whatever_it_asks() -> None:
    room = Room()
    former, _ = leader_and_follower(room)
    room.ask(joining(instance_id="desk-1"), JoinResponse)
    fenced = ErrorCode.FENCED_INSTANCE_ID
    assert room.beat(former, "desk-1") is fenced
    assert room.ask(joining(member_id=former, instance_id="desk-1"), JoinResponse).error is fenced
    old = JoinResponse(ErrorCode.NONE, former, 1)
    assert room.ask(syncing(old, instance_id="desk-1"), SyncResponse).error is fenced
    commit = committing(offset_to_commit("events", 0, 1), generation=1, member_id=former, instance_id="desk-1")
    assert room.ask(commit, PartitionErrors).error is fenced
    left = room.answer(room.leave((former, "desk-1")), LeaveResponse)
    assert [error for _, _, error in left.members] == [fenced]


def test_requests_of_the_former_life_that_wait_are_answered() -> None:
    room = Room()
    former, _ = leader_and_follower(room)
    joined = room.send(joining(member_id=former, instance_id="desk-1"))
    newer = room.send(joining(instance_id="desk-1"))
    answer = room.answer(joined, JoinResponse)
    assert (answer.error, answer.member_id) == (ErrorCode.FENCED_INSTANCE_ID, former)
    assert newer not in room.answers


def test_a_waiting_sync_of_the_former_life_is_answered_and_the_group_joins_anew() -> None:
    room = Room()
    requests = [room.send(joining(instance_id=name)) for name in ("desk-1", "desk-2")]
    room.wait(DELAY_MS * 2)
    answers = [room.answer(request, JoinResponse) for request in requests]
    waiting = room.send(syncing(answers[1]))
    room.send(joining(instance_id="desk-2"))
    assert room.answer(waiting, SyncResponse).error is ErrorCode.FENCED_INSTANCE_ID
    assert room.group().state is GroupState.PREPARING_REBALANCE


def test_a_restart_with_another_choice_of_protocol_needs_a_rebalance() -> None:
    room = Room()
    both = (("range", b"r"), ("sticky", b"s"))
    room.stable("desk-1", protocols=both)
    assert room.group().protocol_name == "range"
    answer = room.ask(joining(instance_id="desk-1", protocols=both[::-1]), JoinResponse)
    assert (answer.generation, answer.protocol_name) == (2, "sticky")
    assert room.group().state is GroupState.COMPLETING_REBALANCE


def test_a_member_that_restarts_during_a_rebalance_takes_part_in_it_once() -> None:
    room = Room()
    leader, former = leader_and_follower(room)
    first = room.send(joining(member_id=leader, instance_id="desk-1"))
    second = room.send(joining(instance_id="desk-2"))
    members = [member.member_id for member in room.answer(first, JoinResponse).members]
    assert sorted(members) == sorted([leader, room.answer(second, JoinResponse).member_id])
    assert former not in members


def test_a_static_member_that_is_gone_is_out_after_its_session() -> None:
    room = Room()
    _, follower = leader_and_follower(room)
    for _ in range(2):
        room.wait(SESSION_MS // 2)
        room.beat(follower, "desk-2")
    assert room.group().state is GroupState.PREPARING_REBALANCE
    assert list(room.group().instances) == ["desk-2"]


def test_an_administrator_removes_a_static_member_by_its_instance() -> None:
    room = Room()
    leader_and_follower(room)
    answer = room.answer(room.leave(("", "desk-2"), ("", "nobody")), LeaveResponse)
    assert answer.members == (
        ("", "desk-2", ErrorCode.NONE),
        ("", "nobody", ErrorCode.UNKNOWN_MEMBER_ID),
    )
    assert list(room.group().instances) == ["desk-1"]


@pytest.mark.parametrize("rejoins", [True, False])
def test_an_unknown_instance_with_a_known_member_id_is_refused(*, rejoins: bool) -> None:
    room = Room()
    (member,) = room.stable(None)
    if rejoins:
        error = room.ask(joining(member_id=member, instance_id="desk-9"), JoinResponse).error
    else:
        error = room.beat(member, "desk-9")
    assert error is ErrorCode.UNKNOWN_MEMBER_ID


def test_an_id_that_was_given_away_belongs_to_no_instance() -> None:
    room = Room()
    given = room.ask(joining(), JoinResponse).member_id
    error = room.ask(joining(member_id=given, instance_id="desk-1"), JoinResponse).error
    assert error is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_replaced_leader_that_never_synced_still_has_its_time_to() -> None:
    room = Room()
    room.stable("desk-1")
    room.ask(joining(instance_id="desk-1"), JoinResponse)
    room.wait(SESSION_MS - 1)
    assert room.group().members
    room.wait(REBALANCE_MS)
    assert not room.group().members
