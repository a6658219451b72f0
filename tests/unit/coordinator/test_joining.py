"""JoinGroup as clients of Kafka know it."""

import pytest

from chronik.coordinator.responses import CoordinatorResult, JoinResponse, SyncResponse
from chronik.coordinator.shard import GroupSettings
from chronik.coordinator.transitions import GroupState
from chronik.model.errors import ErrorCode
from chronik.model.ids import Millis
from tests.unit.coordinator.group_cases import (
    DELAY_MS,
    REBALANCE_MS,
    SESSION_MS,
    SETTINGS,
    Room,
    joining,
    subscription,
    syncing,
)

BOTH = (("range", b"r"), ("sticky", b"s"))
STICKY_FIRST = (("sticky", b"s"), ("range", b"r"))


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"group_id": ""}, ErrorCode.INVALID_GROUP_ID),
        ({"session_timeout_ms": SETTINGS.session_timeout_ms_min - 1}, ErrorCode.INVALID_SESSION_TIMEOUT),
        ({"session_timeout_ms": SETTINGS.session_timeout_ms_max + 1}, ErrorCode.INVALID_SESSION_TIMEOUT),
        ({"member_id": "stranger"}, ErrorCode.UNKNOWN_MEMBER_ID),
        ({"protocols": ()}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
        ({"protocol_type": ""}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
    ],
)
def test_a_join_that_cannot_be_is_refused_and_leaves_no_group(changes: dict[str, object], error: ErrorCode) -> None:
    room = Room()
    assert room.ask(joining(**changes), JoinResponse).error is error
    assert room.shard.group_count == 0


@pytest.mark.parametrize("session_timeout_ms", [SETTINGS.session_timeout_ms_min, SETTINGS.session_timeout_ms_max])
def test_the_bounds_of_session_time_outs_are_allowed(session_timeout_ms: int) -> None:
    answer = Room().ask(joining(session_timeout_ms=session_timeout_ms), JoinResponse)
    assert answer.error is ErrorCode.MEMBER_ID_REQUIRED


def test_a_new_member_is_given_an_id_and_asked_to_come_back_with_it() -> None:
    room = Room()
    answer = room.ask(joining(client_id="reader"), JoinResponse)
    assert (answer.error, answer.member_id) == (ErrorCode.MEMBER_ID_REQUIRED, "reader-id0")
    request = room.send(joining(member_id=answer.member_id))
    room.wait(DELAY_MS)
    joined = room.answer(request, JoinResponse)
    assert (joined.error, joined.generation, joined.leader) == (ErrorCode.NONE, 1, answer.member_id)


def test_an_old_client_is_a_member_at_once() -> None:
    room = Room()
    request = room.send(joining(requires_known_member_id=False))
    room.wait(DELAY_MS)
    assert room.answer(request, JoinResponse).error is ErrorCode.NONE


def test_an_id_that_nobody_comes_back_with_is_forgotten_after_a_session() -> None:
    room = Room()
    given = room.ask(joining(), JoinResponse).member_id
    room.wait(SESSION_MS - 1)
    assert given in room.group().pending
    room.wait(1)
    assert room.shard.group_count == 0
    assert room.ask(joining(member_id=given), JoinResponse).error is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_rebalance_waits_for_those_who_were_given_an_id() -> None:
    room = Room()
    (leader,) = room.stable(None)
    room.ask(joining(), JoinResponse)
    given = room.ask(joining(), JoinResponse).member_id
    newcomer = room.send(joining(member_id=given))
    rejoined = room.send(joining(member_id=leader))
    assert newcomer not in room.answers
    room.wait(SESSION_MS)
    assert {room.answer(request, JoinResponse).generation for request in (newcomer, rejoined)} == {2}


def test_a_static_member_needs_no_second_request_and_is_named_after_its_instance() -> None:
    room = Room()
    request = room.send(joining(instance_id="desk-1"))
    room.wait(DELAY_MS)
    answer = room.answer(request, JoinResponse)
    assert (answer.error, answer.member_id) == (ErrorCode.NONE, "desk-1-id0")
    assert answer.members[0].instance_id == "desk-1"


# The initial rebalance


def test_a_new_group_waits_a_while_for_more_members() -> None:
    room = Room()
    _, request = room.admit()
    room.wait(DELAY_MS - 1)
    assert request not in room.answers
    room.wait(1)
    assert room.answer(request, JoinResponse).error is ErrorCode.NONE


def test_each_new_member_puts_the_initial_rebalance_off_until_the_rebalance_time_out() -> None:
    room = Room()
    requests = [room.admit(rebalance_timeout_ms=10_000)[1]]
    for _ in range(4):
        room.wait(2_000)
        requests.append(room.admit(rebalance_timeout_ms=10_000)[1])
    assert not [request for request in requests if request in room.answers]
    room.wait(1_999)
    assert not [request for request in requests if request in room.answers]
    room.wait(1)
    answers = [room.answer(request, JoinResponse) for request in requests]
    assert {answer.generation for answer in answers} == {1}
    assert len(answers[0].members) == 5


def test_without_a_delay_the_first_tick_makes_the_generation() -> None:
    room = Room(GroupSettings(initial_rebalance_delay_ms=0))
    _, request = room.admit()
    assert room.shard.next_deadline == room.now
    room.wait(0)
    assert room.answer(request, JoinResponse).error is ErrorCode.NONE


# Protocols


def test_the_leader_alone_is_told_of_all_members_and_their_metadata() -> None:
    room = Room()
    (one, first), (two, second) = room.admit(protocols=(("range", b"one"),)), room.admit(protocols=(("range", b"two"),))
    room.wait(DELAY_MS * 2)
    answers = [room.answer(request, JoinResponse) for request in (first, second)]
    assert [(item.member_id, item.metadata) for item in answers[0].members] == [(one, b"one"), (two, b"two")]
    assert answers[1].members == ()
    assert {answer.leader for answer in answers} == {one}


@pytest.mark.parametrize(
    ("preferences", "chosen"),
    [
        ([BOTH, BOTH, STICKY_FIRST], "range"),
        ([STICKY_FIRST, BOTH, STICKY_FIRST], "sticky"),
        ([STICKY_FIRST, STICKY_FIRST, (("range", b"r"),)], "range"),
    ],
)
def test_members_vote_for_a_protocol_that_all_of_them_know(
    preferences: list[tuple[tuple[str, bytes], ...]], chosen: str
) -> None:
    room = Room()
    requests = [room.admit(protocols=protocols)[1] for protocols in preferences]
    room.wait(DELAY_MS * 2)
    assert {room.answer(request, JoinResponse).protocol_name for request in requests} == {chosen}


@pytest.mark.parametrize("changes", [{"protocols": (("sticky", b""),)}, {"protocol_type": "connect"}])
def test_who_has_no_protocol_in_common_with_the_members_is_refused(changes: dict[str, object]) -> None:
    room = Room()
    room.stable(None)
    assert room.ask(joining(**changes), JoinResponse).error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert room.group().state is GroupState.STABLE


def test_an_empty_group_takes_on_another_protocol_type() -> None:
    room = Room()
    (member,) = room.stable(None)
    room.leave((member, None))
    _, request = room.admit(protocol_type="connect")
    room.wait(DELAY_MS)
    assert room.answer(request, JoinResponse).protocol_type == "connect"


# Coming again


def follower_and_leader(room: Room) -> tuple[str, str]:
    members = room.stable(None, None)
    leader = room.group().leader
    assert leader is not None
    return next(member for member in members if member != leader), leader


def test_a_follower_that_comes_again_unchanged_is_told_the_current_generation() -> None:
    room = Room()
    follower, leader = follower_and_leader(room)
    answer = room.ask(joining(member_id=follower), JoinResponse)
    assert (answer.error, answer.generation, answer.leader, answer.members) == (ErrorCode.NONE, 1, leader, ())
    assert room.group().state is GroupState.STABLE


def test_a_follower_with_other_metadata_begins_a_rebalance() -> None:
    room = Room()
    follower, _ = follower_and_leader(room)
    room.send(joining(member_id=follower, protocols=(("range", subscription("other")),)))
    assert room.group().state is GroupState.PREPARING_REBALANCE


def test_the_leader_hears_what_each_member_said_last_and_its_time_outs_hold() -> None:
    room = Room()
    follower, leader = follower_and_leader(room)
    room.send(joining(member_id=follower, protocols=(("range", b"changed"),), session_timeout_ms=20_000))
    request = room.send(joining(member_id=leader))
    answer = room.answer(request, JoinResponse)
    assert {member.member_id: member.metadata for member in answer.members}[follower] == b"changed"
    room.wait(SESSION_MS)
    assert list(room.group().members) == [follower]


def test_a_leader_that_comes_again_begins_a_rebalance() -> None:
    room = Room()
    _, leader = follower_and_leader(room)
    room.send(joining(member_id=leader))
    assert room.group().state is GroupState.PREPARING_REBALANCE


def test_before_the_assignment_everybody_may_ask_again_for_the_generation() -> None:
    room = Room()
    requests = [room.admit()[1], room.admit()[1]]
    room.wait(DELAY_MS * 2)
    for first in (room.answer(request, JoinResponse) for request in requests):
        assert room.ask(joining(member_id=first.member_id), JoinResponse) == first
    assert room.group().state is GroupState.COMPLETING_REBALANCE


def test_other_metadata_before_the_assignment_begins_a_rebalance_and_sends_waiting_members_back() -> None:
    room = Room()
    requests = [room.admit()[1], room.admit()[1]]
    room.wait(DELAY_MS * 2)
    leader, follower = (room.answer(request, JoinResponse) for request in requests)
    waiting = room.send(syncing(follower))
    room.send(joining(member_id=leader.member_id, protocols=(("range", subscription("other")),)))
    assert room.answer(waiting, SyncResponse).error is ErrorCode.REBALANCE_IN_PROGRESS
    assert room.group().state is GroupState.PREPARING_REBALANCE


def test_the_later_of_two_joins_of_a_member_is_the_one_that_counts_and_both_are_answered() -> None:
    room = Room()
    member, first = room.admit()
    second = room.send(joining(member_id=member))
    assert room.answer(first, JoinResponse).error is ErrorCode.REBALANCE_IN_PROGRESS
    room.wait(DELAY_MS)
    assert room.answer(second, JoinResponse).error is ErrorCode.NONE


def test_a_member_of_a_group_that_is_empty_is_unknown() -> None:
    room = Room()
    (member,) = room.stable(None)
    room.leave((member, None))
    assert room.ask(joining(member_id=member), JoinResponse).error is ErrorCode.UNKNOWN_MEMBER_ID


# Rebalances


def test_the_next_generation_begins_when_all_known_members_have_joined() -> None:
    room = Room()
    one, two = room.stable(None, None)
    newcomer = room.send(joining(requires_known_member_id=False))
    room.send(joining(member_id=one))
    assert newcomer not in room.answers
    room.send(joining(member_id=two))
    answer = room.answer(newcomer, JoinResponse)
    assert (answer.generation, answer.leader) == (2, one)


def test_who_does_not_join_within_the_rebalance_time_out_is_out() -> None:
    room = Room()
    one, two = room.stable(None, None)
    newcomer = room.send(joining(requires_known_member_id=False))
    room.send(joining(member_id=one))
    for _ in range(REBALANCE_MS // 5_000 - 1):
        room.wait(5_000)
        assert room.beat(two) is ErrorCode.REBALANCE_IN_PROGRESS
    assert newcomer not in room.answers
    room.wait(5_000)
    assert room.answer(newcomer, JoinResponse).generation == 2
    assert two not in room.group().members
    assert room.beat(two) is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_leader_that_does_not_join_again_loses_its_place() -> None:
    room = Room()
    leader, follower = room.stable(None, None)
    assert room.group().leader == leader
    request = room.send(joining(member_id=follower, protocols=(("range", b"changed"),)))
    room.wait(REBALANCE_MS)
    answer = room.answer(request, JoinResponse)
    assert (answer.leader, [member.member_id for member in answer.members]) == (follower, [follower])


def test_a_static_member_that_does_not_join_keeps_its_place_while_its_session_lasts() -> None:
    room = Room()
    one, two = room.stable("desk-1", "desk-2", session_timeout_ms=REBALANCE_MS * 3)
    request = room.send(joining(member_id=one, instance_id="desk-1", session_timeout_ms=REBALANCE_MS * 3))
    room.wait(REBALANCE_MS)
    members = [member.member_id for member in room.answer(request, JoinResponse).members]
    assert sorted(members) == sorted([one, two])


def test_a_static_leader_that_does_not_join_hands_its_place_to_one_who_has() -> None:
    room = Room()
    leader, follower = room.stable("desk-1", None, session_timeout_ms=REBALANCE_MS * 3)
    assert room.group().leader == leader
    request = room.send(joining(member_id=follower, protocols=(("range", b"changed"),)))
    room.wait(REBALANCE_MS)
    answer = room.answer(request, JoinResponse)
    assert (answer.leader, {member.member_id for member in answer.members}) == (follower, {leader, follower})


def test_a_rebalance_that_only_silent_static_members_are_left_in_goes_on_until_their_sessions_end() -> None:
    room = Room()
    _, two = room.stable("desk-1", None, session_timeout_ms=REBALANCE_MS * 3)
    room.leave((two, None))
    room.wait(REBALANCE_MS)
    assert room.group().state is GroupState.PREPARING_REBALANCE
    room.wait(REBALANCE_MS * 2)
    assert room.group().state is GroupState.EMPTY


def test_new_members_wait_for_their_first_generation_only_so_long() -> None:
    room = Room(GroupSettings(initial_rebalance_delay_ms=DELAY_MS, new_member_join_timeout_ms=20_000))
    (member,) = room.stable(None)
    request = room.send(joining(requires_known_member_id=False))
    for _ in range(4):
        assert request not in room.answers
        room.wait(5_000)
        room.beat(member)
    answer = room.answer(request, JoinResponse)
    assert (answer.error, answer.member_id) == (ErrorCode.UNKNOWN_MEMBER_ID, "")


# Sizes


def full_room(size: int) -> Room:
    return Room(GroupSettings(initial_rebalance_delay_ms=DELAY_MS, group_size_max=size))


def test_a_group_takes_no_more_members_than_it_may_have() -> None:
    room = full_room(2)
    room.stable(None, None)
    answer = room.ask(joining(), JoinResponse)
    assert (answer.error, answer.member_id) == (ErrorCode.GROUP_MAX_SIZE_REACHED, "")
    assert room.group().state is GroupState.STABLE


def test_in_a_rebalance_those_count_who_have_joined_again() -> None:
    room = full_room(2)
    one, two = room.stable(None, None)
    room.send(joining(member_id=one))
    newcomer = room.admit()[1]
    late = room.ask(joining(member_id=two), JoinResponse)
    assert late.error is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert room.answer(newcomer, JoinResponse).error is ErrorCode.NONE


def test_a_static_member_comes_back_into_a_full_group() -> None:
    room = full_room(1)
    room.stable("desk-1")
    assert room.ask(joining(instance_id="desk-1"), JoinResponse).error is ErrorCode.NONE


# Connections that end


def test_who_hangs_up_while_joining_is_out_after_its_session() -> None:
    room = Room()
    one, two = room.stable(None, None)
    waiting = room.send(joining(member_id=one))
    room.wait(5_000)
    room.beat(two)
    room.abandon(waiting)
    joined = room.send(joining(member_id=two))
    room.wait(SESSION_MS - 1)
    assert joined not in room.answers
    room.wait(1)
    assert [member.member_id for member in room.answer(joined, JoinResponse).members] == [two]


def test_who_hangs_up_without_knowing_its_id_is_out_at_once() -> None:
    room = Room()
    (member,) = room.stable(None)
    stranger = room.send(joining(requires_known_member_id=False))
    assert len(room.group().members) == 2
    room.abandon(stranger)
    assert list(room.group().members) == [member]
    request = room.send(joining(member_id=member))
    assert room.answer(request, JoinResponse).generation == 2


def test_who_hangs_up_and_comes_again_is_the_same_member() -> None:
    room = Room()
    member, request = room.admit()
    room.abandon(request)
    again = room.send(joining(member_id=member))
    room.wait(DELAY_MS)
    assert room.answer(again, JoinResponse).member_id == member


def test_a_ticket_that_waits_for_nothing_may_be_abandoned() -> None:
    room = Room()
    room.stable(None)
    assert room.shard.abandon(1, Millis(room.now)) == CoordinatorResult()
    assert room.group().state is GroupState.STABLE


def test_a_new_member_that_hangs_up_and_comes_again_waits_as_long_as_the_rebalance_does() -> None:
    room = Room()
    (member,) = room.stable(None)
    newcomer, request = room.admit()
    room.abandon(request)
    again = room.send(joining(member_id=newcomer))
    for _ in range(4):
        room.wait(SESSION_MS - 1)
        room.beat(member)
    assert again not in room.answers
    room.send(joining(member_id=member))
    assert room.answer(again, JoinResponse).generation == 2


def test_a_very_long_client_name_makes_an_id_that_a_record_can_hold() -> None:
    room = Room()
    room.stable(None, client_id="€" * 10_922)
    assert all(len(name.encode()) < 2**15 for name in room.group().members)


def test_members_that_wait_to_join_need_no_heartbeats() -> None:
    room = Room()
    one, two = room.stable(None, None)
    waiting = room.send(joining(member_id=one))
    for _ in range(4):
        room.wait(SESSION_MS - 1)
        room.beat(two)
    assert waiting not in room.answers
    assert set(room.group().members) == {one, two}


def test_the_time_that_a_forgotten_group_waited_is_not_that_of_the_next_of_its_name() -> None:
    room = Room()
    member, _ = room.admit()
    room.leave((member, None))
    assert room.shard.group_count == 0
    room.wait(DELAY_MS - 1)
    _, request = room.admit()
    room.wait(DELAY_MS - 1)
    assert request not in room.answers
    room.wait(1)
    assert room.answer(request, JoinResponse).error is ErrorCode.NONE
