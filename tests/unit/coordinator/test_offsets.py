"""Committed offsets: who may commit them, what is answered for them, who may remove them."""

import pytest

from chronik.coordinator.commands import DeleteGroup, DeleteOffsets, FetchOffsets
from chronik.coordinator.responses import CommittedOffset, ErrorResponse, OffsetsResponse, PartitionErrors
from chronik.coordinator.shard import GroupSettings
from chronik.coordinator.transitions import GroupState
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from tests.unit.coordinator.group_cases import (
    DELAY_MS,
    GROUP,
    SESSION_MS,
    TOPIC_ID,
    Room,
    committing,
    joining,
    offset_to_commit,
)

EVENTS = TopicPartition("events", 0)
OTHER = TopicPartition("other", 1)


def fetched(room: Room, *partitions: TopicPartition) -> dict[TopicPartition, int]:
    answer = room.ask(FetchOffsets(GROUP, partitions or None), OffsetsResponse)
    assert answer.error is ErrorCode.NONE
    return {item.partition: item.offset for item in answer.offsets}


def commit(room: Room, generation: int = -1, member_id: str = "", instance_id: str | None = None) -> ErrorCode:
    command = committing(
        offset_to_commit("events", 0, 5), generation=generation, member_id=member_id, instance_id=instance_id
    )
    answer = room.ask(command, PartitionErrors)
    assert answer.partitions == ((EVENTS, answer.error),)
    return answer.error


def test_a_member_commits_and_anybody_reads_it() -> None:
    room = Room()
    (member,) = room.stable(None)
    command = committing(offset_to_commit("events", 0, 5, metadata="note"), generation=1, member_id=member)
    assert room.ask(command, PartitionErrors) == PartitionErrors(ErrorCode.NONE, ((EVENTS, ErrorCode.NONE),))
    answer = room.ask(FetchOffsets(GROUP, (EVENTS,)), OffsetsResponse)
    assert answer.offsets == (CommittedOffset(EVENTS, 5, 3, "note", TOPIC_ID),)


def test_where_nothing_was_committed_the_offset_is_minus_one_without_an_error() -> None:
    room = Room()
    assert room.ask(FetchOffsets("never seen", (EVENTS,)), OffsetsResponse).offsets == (CommittedOffset(EVENTS),)
    assert room.ask(FetchOffsets("never seen", None), OffsetsResponse) == OffsetsResponse(ErrorCode.NONE)
    commit(room)
    assert fetched(room, OTHER, EVENTS) == {OTHER: -1, EVENTS: 5}
    assert fetched(room) == {EVENTS: 5}
    assert CommittedOffset(EVENTS) == CommittedOffset(EVENTS, -1, -1, "")


def test_a_client_without_a_generation_makes_a_group_of_offsets_only() -> None:
    room = Room()
    assert commit(room) is ErrorCode.NONE
    assert (room.group().state, room.group().protocol_type) == (GroupState.EMPTY, None)
    assert len(room.records) == 1


@pytest.mark.parametrize(
    ("generation", "member", "instance_id", "error"),
    [
        (1, "it", None, ErrorCode.NONE),
        (0, "it", None, ErrorCode.ILLEGAL_GENERATION),
        (2, "it", None, ErrorCode.ILLEGAL_GENERATION),
        (-1, "it", None, ErrorCode.ILLEGAL_GENERATION),
        (1, "stranger", None, ErrorCode.UNKNOWN_MEMBER_ID),
        (1, "", None, ErrorCode.UNKNOWN_MEMBER_ID),
        (-1, "", None, ErrorCode.UNKNOWN_MEMBER_ID),
        (1, "it", "desk-1", ErrorCode.NONE),
        (1, "stranger", "desk-1", ErrorCode.FENCED_INSTANCE_ID),
        (1, "it", "desk-9", ErrorCode.UNKNOWN_MEMBER_ID),
    ],
)
def test_a_group_with_members_takes_commits_from_its_generation_only(
    generation: int, member: str, instance_id: str | None, error: ErrorCode
) -> None:
    room = Room()
    (member_id,) = room.stable("desk-1")
    said = member_id if member == "it" else member
    assert commit(room, generation, said, instance_id) is error
    assert fetched(room, EVENTS) == {EVENTS: 5 if error is ErrorCode.NONE else -1}


def test_an_unknown_group_takes_no_commit_of_a_generation() -> None:
    room = Room()
    assert commit(room, generation=0, member_id="it") is ErrorCode.GROUP_ID_NOT_FOUND
    assert room.shard.group_count == 0


def test_an_empty_group_takes_commits_without_a_generation_and_no_others() -> None:
    room = Room()
    (member,) = room.stable(None)
    room.leave((member, None))
    assert commit(room) is ErrorCode.NONE
    assert commit(room, generation=2, member_id=member) is ErrorCode.UNKNOWN_MEMBER_ID


def test_commits_are_taken_while_a_rebalance_waits_for_the_member() -> None:
    room = Room()
    one, two = room.stable(None, None)
    room.send(joining(member_id=one))
    assert commit(room, 1, two) is ErrorCode.NONE


def test_between_joining_and_the_assignment_a_commit_is_told_of_the_rebalance() -> None:
    room = Room()
    member, _ = room.admit()
    room.wait(DELAY_MS)
    assert commit(room, 1, member) is ErrorCode.REBALANCE_IN_PROGRESS


def test_a_commit_counts_as_a_heartbeat() -> None:
    room = Room()
    (member,) = room.stable(None)
    for _ in range(3):
        room.wait(SESSION_MS - 1)
        commit(room, 1, member)
    assert member in room.group().members


def test_metadata_that_is_too_large_refuses_its_partition_only() -> None:
    room = Room(GroupSettings(offset_metadata_bytes_max=4))
    command = committing(
        offset_to_commit("events", 0, 5, metadata="x" * 5), offset_to_commit("other", 1, 6, metadata="x" * 4)
    )
    answer = room.ask(command, PartitionErrors)
    assert answer.partitions == ((EVENTS, ErrorCode.OFFSET_METADATA_TOO_LARGE), (OTHER, ErrorCode.NONE))
    assert fetched(room, EVENTS, OTHER) == {EVENTS: -1, OTHER: 6}


@pytest.mark.parametrize(("letter", "units"), [("x", 1), ("é", 1), ("語", 1), ("🍎", 2)])
def test_metadata_is_measured_in_the_units_of_java(letter: str, units: int) -> None:
    room = Room(GroupSettings(offset_metadata_bytes_max=4))
    just, over = letter * (4 // units), letter * (4 // units + 1)
    command = committing(
        offset_to_commit("events", 0, 5, metadata=over), offset_to_commit("other", 1, 6, metadata=just)
    )
    answer = room.ask(command, PartitionErrors)
    assert answer.partitions == ((EVENTS, ErrorCode.OFFSET_METADATA_TOO_LARGE), (OTHER, ErrorCode.NONE))


def test_a_commit_that_one_append_cannot_hold_is_refused_whole() -> None:
    room = Room(GroupSettings(record_bytes_max=100))
    command = committing(offset_to_commit("events", 0, 5), offset_to_commit("other", 1, 6))
    answer = room.ask(command, PartitionErrors)
    assert {error for _, error in answer.partitions} == {ErrorCode.INVALID_COMMIT_OFFSET_SIZE}
    assert room.shard.group_count == 0


def test_the_name_of_a_group_may_be_empty_for_offsets_as_it_once_could() -> None:
    room = Room()
    assert room.ask(committing(offset_to_commit("events", 0, 5), group_id=""), PartitionErrors).error is ErrorCode.NONE
    assert room.ask(FetchOffsets("", (EVENTS,)), OffsetsResponse).offsets[0].offset == 5
    assert room.ask(DeleteGroup(""), ErrorResponse).error is ErrorCode.NONE


# Removal


def deletion(room: Room, *partitions: TopicPartition) -> PartitionErrors:
    return room.ask(DeleteOffsets(GROUP, partitions), PartitionErrors)


def test_committed_offsets_of_topics_that_members_read_are_not_removed() -> None:
    room = Room()
    (member,) = room.stable(None)
    both = committing(offset_to_commit("events", 0, 5), offset_to_commit("other", 1, 6), generation=1, member_id=member)
    room.send(both)
    assert deletion(room, EVENTS, OTHER).partitions == (
        (EVENTS, ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC),
        (OTHER, ErrorCode.NONE),
    )
    assert fetched(room) == {EVENTS: 5}
    assert room.records[-1].value is None


def test_beside_a_subscription_that_cannot_be_read_nothing_is_removed() -> None:
    room = Room()
    (member,) = room.stable(None, protocols=(("range", b"\xff"),))
    room.send(committing(offset_to_commit("other", 1, 6), generation=1, member_id=member))
    assert deletion(room, OTHER).partitions == ((OTHER, ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC),)
    assert fetched(room) == {OTHER: 6}


def test_committed_offsets_of_an_empty_group_are_removed() -> None:
    room = Room()
    commit(room)
    assert deletion(room, EVENTS, OTHER).partitions == ((EVENTS, ErrorCode.NONE), (OTHER, ErrorCode.NONE))
    assert room.shard.group_count == 0


def test_what_members_of_another_kind_read_cannot_be_told_so_nothing_is_removed() -> None:
    room = Room()
    room.stable(None, protocol_type="connect")
    assert deletion(room, EVENTS) == PartitionErrors(ErrorCode.NON_EMPTY_GROUP)


def test_committed_offsets_of_no_group_cannot_be_removed() -> None:
    room = Room()
    assert deletion(room, EVENTS) == PartitionErrors(ErrorCode.GROUP_ID_NOT_FOUND)
    answer = room.ask(DeleteOffsets("", ()), PartitionErrors)
    assert answer.error is ErrorCode.INVALID_GROUP_ID
