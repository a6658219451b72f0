"""SyncGroup: the leader's assignment reaches everybody, and a generation without it ends."""

import pytest

from chronik.coordinator.responses import JoinResponse, SyncResponse
from chronik.coordinator.shard import GroupSettings
from chronik.coordinator.transitions import GroupState
from chronik.model.errors import ErrorCode
from tests.unit.coordinator.group_cases import DELAY_MS, REBALANCE_MS, SESSION_MS, Room, joining, syncing


def joined_room(count: int = 2, **settings: int) -> tuple[Room, list[JoinResponse]]:
    """A generation that has its members and waits for the assignment; the leader is the first."""
    room = Room(GroupSettings(initial_rebalance_delay_ms=DELAY_MS, **settings))
    requests = [room.admit()[1] for _ in range(count)]
    room.wait(DELAY_MS * 2)
    return room, [room.answer(request, JoinResponse) for request in requests]


def keep_beating(room: Room, members: list[JoinResponse], ms: int) -> None:
    for _ in range(ms // 5_000):
        for member in members:
            room.beat(member.member_id)
        room.wait(5_000)


def test_followers_wait_for_the_leader_and_everybody_gets_his_own() -> None:
    room, (leader, follower) = joined_room()
    waiting = room.send(syncing(follower))
    assert waiting not in room.answers
    brought = ((leader.member_id, b"mine"), (follower.member_id, b"yours"))
    own = room.ask(syncing(leader, brought), SyncResponse)
    assert own == SyncResponse(ErrorCode.NONE, "consumer", "range", b"mine")
    assert room.answer(waiting, SyncResponse).assignment == b"yours"
    assert room.group().state is GroupState.STABLE
    assert len(room.records) == 1


def test_who_comes_late_gets_the_assignment_at_once() -> None:
    room, (leader, follower) = joined_room()
    room.send(syncing(leader, ((follower.member_id, b"yours"),)))
    assert room.ask(syncing(follower), SyncResponse).assignment == b"yours"
    assert room.ask(syncing(follower), SyncResponse).assignment == b"yours"


def test_who_is_not_named_is_assigned_nothing() -> None:
    room, (leader, follower) = joined_room()
    room.send(syncing(leader, (("stranger", b"x"),)))
    assert room.ask(syncing(follower), SyncResponse) == SyncResponse(ErrorCode.NONE, "consumer", "range", b"")
    assert "stranger" not in room.group().assignments


def test_assignments_of_a_follower_are_ignored() -> None:
    room, (_, follower) = joined_room()
    request = room.send(syncing(follower, ((follower.member_id, b"all"),)))
    assert request not in room.answers
    assert room.group().state is GroupState.COMPLETING_REBALANCE


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"group_id": ""}, ErrorCode.INVALID_GROUP_ID),
        ({"group_id": "other"}, ErrorCode.UNKNOWN_MEMBER_ID),
        ({"member_id": "stranger"}, ErrorCode.UNKNOWN_MEMBER_ID),
        ({"generation": 0}, ErrorCode.ILLEGAL_GENERATION),
        ({"generation": 2}, ErrorCode.ILLEGAL_GENERATION),
        ({"protocol_type": "connect"}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
        ({"protocol_name": "sticky"}, ErrorCode.INCONSISTENT_GROUP_PROTOCOL),
    ],
)
def test_a_sync_that_does_not_fit_the_generation_is_refused(changes: dict[str, object], error: ErrorCode) -> None:
    room, (leader, _) = joined_room()
    assert room.ask(syncing(leader, **changes), SyncResponse) == SyncResponse(error)


def test_an_old_client_names_no_protocol() -> None:
    room, (leader,) = joined_room(1)
    assert room.ask(syncing(leader, protocol_type=None, protocol_name=None), SyncResponse).error is ErrorCode.NONE


def test_during_a_rebalance_a_sync_is_sent_back_to_join() -> None:
    room, (leader, follower) = joined_room()
    room.send(syncing(leader))
    room.send(joining(member_id=leader.member_id))
    assert room.ask(syncing(follower), SyncResponse).error is ErrorCode.REBALANCE_IN_PROGRESS


def test_the_later_of_two_syncs_of_a_member_counts_and_both_are_answered() -> None:
    room, (leader, follower) = joined_room()
    first, second = room.send(syncing(follower)), room.send(syncing(follower))
    assert room.answer(first, SyncResponse).error is ErrorCode.REBALANCE_IN_PROGRESS
    room.send(syncing(leader, ((follower.member_id, b"yours"),)))
    assert room.answer(second, SyncResponse).assignment == b"yours"


def test_a_leader_that_never_brings_the_assignment_is_out_and_the_others_join_anew() -> None:
    room, (leader, follower) = joined_room()
    waiting = room.send(syncing(follower))
    keep_beating(room, [leader], REBALANCE_MS - 5_000)
    assert waiting not in room.answers
    keep_beating(room, [leader], 5_000)
    assert room.answer(waiting, SyncResponse).error is ErrorCode.REBALANCE_IN_PROGRESS
    assert list(room.group().members) == [follower.member_id]
    assert room.group().leader == follower.member_id


def test_a_follower_that_never_asks_for_its_assignment_is_out_though_it_lives() -> None:
    room, (leader, follower) = joined_room()
    room.send(syncing(leader))
    keep_beating(room, [leader, follower], REBALANCE_MS)
    assert list(room.group().members) == [leader.member_id]
    assert room.group().state is GroupState.PREPARING_REBALANCE


def test_a_generation_whose_members_all_synced_has_no_time_out() -> None:
    room, (leader, follower) = joined_room()
    room.send(syncing(leader))
    room.send(syncing(follower))
    keep_beating(room, [leader, follower], REBALANCE_MS * 2)
    assert room.group().state is GroupState.STABLE


def test_a_leader_that_dies_before_the_assignment_sends_the_others_back_to_join() -> None:
    room, (_, follower) = joined_room()
    waiting = room.send(syncing(follower))
    room.wait(SESSION_MS)
    assert room.answer(waiting, SyncResponse).error is ErrorCode.REBALANCE_IN_PROGRESS
    request = room.send(joining(member_id=follower.member_id))
    assert room.answer(request, JoinResponse).leader == follower.member_id


def test_who_hangs_up_while_it_waits_for_its_assignment_has_its_session_left() -> None:
    room, (leader, follower) = joined_room()
    waiting = room.send(syncing(follower))
    keep_beating(room, [leader], 30_000)
    room.abandon(waiting)
    keep_beating(room, [leader], SESSION_MS - 5_000)
    assert follower.member_id in room.group().members
    room.send(syncing(leader, ((follower.member_id, b"yours"),)))
    assert room.ask(syncing(follower), SyncResponse).assignment == b"yours"


def test_who_hangs_up_while_it_waits_for_its_assignment_is_out_after_its_session() -> None:
    room, (leader, follower) = joined_room()
    waiting = room.send(syncing(follower))
    keep_beating(room, [leader], 30_000)
    room.abandon(waiting)
    keep_beating(room, [leader], SESSION_MS)
    assert list(room.group().members) == [leader.member_id]


def test_an_assignment_too_large_for_the_log_is_refused_and_the_group_joins_anew() -> None:
    room, (leader, follower) = joined_room(record_bytes_max=1_000)
    waiting = room.send(syncing(follower))
    answer = room.ask(syncing(leader, ((follower.member_id, b"x" * 1_000),)), SyncResponse)
    assert (answer.error, room.answer(waiting, SyncResponse).error) == (ErrorCode.UNKNOWN_SERVER_ERROR,) * 2
    assert room.group().state is GroupState.PREPARING_REBALANCE
    assert room.records == []
