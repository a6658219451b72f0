"""DescribeGroup, ListGroups and DeleteGroup."""

import pytest

from chronik.coordinator.commands import DeleteGroup, DescribeGroup, ListGroups
from chronik.coordinator.responses import (
    DescribedMember,
    DescribeResponse,
    ErrorResponse,
    JoinResponse,
    ListedGroup,
    ListResponse,
)
from chronik.model.errors import ErrorCode
from tests.unit.coordinator.group_cases import GROUP, RANGE, Room, assignment_of, committing, joining, offset_to_commit


def test_a_stable_group_is_described_with_its_assignments() -> None:
    room = Room()
    (member,) = room.stable("desk-1")
    described = DescribedMember(member, "desk-1", "client", "/127.0.0.1", RANGE[0][1], assignment_of(member, 1))
    answer = room.ask(DescribeGroup(GROUP), DescribeResponse)
    assert answer == DescribeResponse(ErrorCode.NONE, GROUP, "Stable", "consumer", "range", (described,))


def test_a_group_in_rebalance_is_described_without_a_protocol() -> None:
    room = Room()
    (member,) = room.stable(None)
    room.ask(joining(), JoinResponse)
    room.send(joining(member_id=member))
    answer = room.ask(DescribeGroup(GROUP), DescribeResponse)
    assert (answer.state, answer.protocol_name, answer.members[0].metadata) == ("PreparingRebalance", "", b"")
    assert answer.members[0].assignment == assignment_of(member, 1)


def test_a_group_that_is_not_known_is_dead() -> None:
    answer = Room().ask(DescribeGroup("nobody"), DescribeResponse)
    assert (answer.error, answer.state) == (ErrorCode.GROUP_ID_NOT_FOUND, "Dead")


@pytest.mark.parametrize(
    ("states", "types", "expected"),
    [
        ((), (), {GROUP, "plain"}),
        (("stable",), (), {GROUP}),
        (("EMPTY",), (), {"plain"}),
        (("Stable", "Empty"), ("Classic",), {GROUP, "plain"}),
        ((), ("consumer",), set()),
        (("Dead",), (), set()),
    ],
)
def test_groups_are_listed_by_state_and_type_without_regard_to_case(
    states: tuple[str, ...], types: tuple[str, ...], expected: set[str]
) -> None:
    room = Room()
    room.stable(None)
    room.send(committing(offset_to_commit("events", 0, 1), group_id="plain"))
    answer = room.ask(ListGroups(frozenset(states), frozenset(types)), ListResponse)
    assert {group.group_id for group in answer.groups} == expected


def test_a_list_says_what_kind_and_state_a_group_is() -> None:
    room = Room()
    room.stable(None)
    room.send(committing(offset_to_commit("events", 0, 1), group_id="plain"))
    assert set(room.ask(ListGroups(), ListResponse).groups) == {
        ListedGroup(GROUP, "consumer", "Stable", "classic"),
        ListedGroup("plain", "", "Empty", "classic"),
    }


def test_an_empty_group_is_removed_with_its_committed_offsets() -> None:
    room = Room()
    (member,) = room.stable(None)
    room.send(committing(offset_to_commit("events", 0, 1), generation=1, member_id=member))
    room.leave((member, None))
    room.ask(joining(), JoinResponse)
    written = len(room.records)
    assert room.ask(DeleteGroup(GROUP), ErrorResponse).error is ErrorCode.NONE
    assert [record.value for record in room.records[written:]] == [None, None]
    assert {record.key for record in room.records[:written]} == {record.key for record in room.records[written:]}
    assert (room.shard.group_count, room.shard.next_deadline) == (0, None)


def test_a_group_with_members_is_not_removed() -> None:
    room = Room()
    room.stable(None)
    assert room.ask(DeleteGroup(GROUP), ErrorResponse).error is ErrorCode.NON_EMPTY_GROUP
    assert room.ask(DeleteGroup("nobody"), ErrorResponse).error is ErrorCode.GROUP_ID_NOT_FOUND


def test_a_group_in_its_first_rebalance_is_not_removed() -> None:
    room = Room()
    room.admit()
    assert room.ask(DeleteGroup(GROUP), ErrorResponse).error is ErrorCode.NON_EMPTY_GROUP


def test_a_group_that_only_gave_an_id_away_is_removed_without_a_record() -> None:
    room = Room()
    room.ask(joining(), JoinResponse)
    assert room.ask(DeleteGroup(GROUP), ErrorResponse).error is ErrorCode.NONE
    assert (room.shard.group_count, room.records) == (0, [])
