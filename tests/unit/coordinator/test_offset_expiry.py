"""What is forgotten in time, and what is not."""

from uuid import UUID

from chronik.coordinator.commands import FetchOffsets
from chronik.coordinator.responses import JoinResponse, OffsetsResponse
from chronik.coordinator.shard import GroupSettings
from chronik.model.ids import ZERO_TOPIC_ID, Millis
from tests.unit.coordinator.group_cases import DELAY_MS, GROUP, TOPIC_ID, Room, committing, joining, offset_to_commit

RETENTION_MS = 100_000
SETTINGS = GroupSettings(initial_rebalance_delay_ms=DELAY_MS, offsets_retention_ms=RETENTION_MS)


def keep_beating(room: Room, member: str, ms: int) -> None:
    end = room.now + ms
    while room.now < end:
        room.beat(member)
        room.wait(min(5_000, end - room.now))


def expire(room: Room) -> set[str]:
    """The topics that the group still has committed offsets in."""
    room.take(room.shard.expire_offsets(Millis(room.now)))
    answer = room.ask(FetchOffsets(GROUP, None), OffsetsResponse)
    return {item.partition.topic for item in answer.offsets}


def stable_with_committed_offsets(room: Room) -> str:
    (member,) = room.stable(None)
    both = (offset_to_commit("events", 0, 1), offset_to_commit("other", 0, 2))
    room.send(committing(*both, generation=1, member_id=member))
    return member


def test_committed_offsets_without_a_group_of_members_expire_by_their_commit() -> None:
    room = Room(SETTINGS)
    room.send(committing(offset_to_commit("events", 0, 1)))
    room.wait(50_000)
    room.send(committing(offset_to_commit("other", 0, 2)))
    room.wait(RETENTION_MS - 50_001)
    assert expire(room) == {"events", "other"}
    room.wait(1)
    assert expire(room) == {"other"}
    room.wait(50_000)
    assert expire(room) == set()
    assert room.shard.group_count == 0


def test_committed_offsets_that_members_subscribe_to_do_not_expire_and_the_others_do() -> None:
    room = Room(SETTINGS)
    member = stable_with_committed_offsets(room)
    keep_beating(room, member, RETENTION_MS - 1)
    assert expire(room) == {"events", "other"}
    keep_beating(room, member, 1)
    assert expire(room) == {"events"}


def test_nothing_expires_while_the_subscriptions_cannot_be_told() -> None:
    for changes in ({"protocol_type": "connect"}, {"protocols": (("range", b"?"),)}):
        room = Room(SETTINGS)
        (member,) = room.stable(None, **changes)
        room.send(committing(offset_to_commit("other", 0, 2), generation=1, member_id=member))
        keep_beating(room, member, RETENTION_MS * 2)
        assert expire(room) == {"other"}


def test_nothing_expires_during_a_rebalance() -> None:
    room = Room(SETTINGS)
    member = stable_with_committed_offsets(room)
    keep_beating(room, member, RETENTION_MS)
    room.ask(joining(), JoinResponse)
    room.send(joining(member_id=member))
    assert room.group().is_rebalancing
    assert expire(room) == {"events", "other"}


def test_an_empty_group_keeps_its_committed_offsets_from_when_the_last_member_left() -> None:
    room = Room(SETTINGS)
    member = stable_with_committed_offsets(room)
    keep_beating(room, member, 90_000)
    room.leave((member, None))
    room.wait(RETENTION_MS - 1)
    assert expire(room) == {"events", "other"}
    room.wait(1)
    assert expire(room) == set()
    assert room.shard.group_count == 0
    assert {record.value for record in room.records[-3:]} == {None}


def test_a_committed_offset_set_in_an_empty_group_is_kept_from_then() -> None:
    room = Room(SETTINGS)
    member = stable_with_committed_offsets(room)
    room.leave((member, None))
    room.wait(RETENTION_MS - 1)
    room.send(committing(offset_to_commit("events", 0, 9)))
    room.wait(1)
    assert expire(room) == {"events"}


def test_a_retention_named_by_an_old_client_holds_for_its_committed_offsets() -> None:
    room = Room(SETTINGS)
    room.send(
        committing(offset_to_commit("events", 0, 1, expire_at_ms=room.now + 1_000), offset_to_commit("other", 0, 2))
    )
    room.wait(999)
    assert expire(room) == {"events", "other"}
    room.wait(1)
    assert expire(room) == {"other"}


def test_an_empty_group_without_committed_offsets_is_removed() -> None:
    room = Room(SETTINGS)
    (member,) = room.stable(None)
    assert expire(room) == set()
    assert room.shard.group_count == 1
    room.leave((member, None))
    expire(room)
    assert room.shard.group_count == 0
    assert room.records[-1].value is None


def test_committed_offsets_go_with_their_topic_and_only_with_that_one() -> None:
    room = Room(SETTINGS)
    newer = UUID(int=8)
    room.send(
        committing(
            offset_to_commit("events", 0, 1),
            offset_to_commit("events", 1, 2, topic_id=newer),
            offset_to_commit("other", 0, 3, topic_id=ZERO_TOPIC_ID),
        )
    )
    seen: list[tuple[str, UUID]] = []

    def is_gone(topic: str, topic_id: UUID) -> bool:
        seen.append((topic, topic_id))
        return topic_id == TOPIC_ID

    room.take(room.shard.forget_topics(is_gone, Millis(room.now)))
    left = room.ask(FetchOffsets(GROUP, None), OffsetsResponse).offsets
    assert [(item.partition.partition, item.topic_id) for item in left] == [(1, newer), (0, ZERO_TOPIC_ID)]
    assert sorted(seen) == [("events", TOPIC_ID), ("events", newer), ("other", ZERO_TOPIC_ID)]
    assert [record.value for record in room.records[3:]] == [None]


def test_a_group_of_offsets_only_is_gone_with_its_last_topic() -> None:
    room = Room(SETTINGS)
    room.send(committing(offset_to_commit("events", 0, 1)))
    room.take(room.shard.forget_topics(lambda *_: True, Millis(room.now)))
    assert room.shard.group_count == 0


def test_an_empty_group_that_somebody_is_about_to_join_is_not_removed() -> None:
    room = Room(SETTINGS)
    (member,) = room.stable(None)
    room.leave((member, None))
    room.ask(joining(), JoinResponse)
    expire(room)
    assert room.records[-1].value is not None
    assert room.group().stored is not None
