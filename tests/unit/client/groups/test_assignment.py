"""Assignors share out every partition exactly once, as Kafka's do, in bytes that every client reads."""

import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest
from kafka.protocol.consumer.metadata import ConsumerProtocolAssignment as TheirAssignment
from kafka.protocol.consumer.metadata import ConsumerProtocolSubscription as TheirSubscription

from chronik.client.groups.assignment import (
    ASSIGNORS,
    Assignor,
    Subscriber,
    assign_range,
    assign_round_robin,
    assigned_partitions,
    assignment_bytes,
    assignments_of,
    subscribed_topics,
    subscription_bytes,
)
from chronik.model.ids import TopicPartition
from chronik.protocol.errors import ProtocolError
from chronik.protocol.generated.consumer_protocol_subscription import ConsumerProtocolSubscription


def members(*topics_of_each: str) -> list[Subscriber]:
    return [Subscriber(f"m{index}", frozenset(topics.split())) for index, topics in enumerate(topics_of_each)]


def indexes(assignment: dict[str, list[TopicPartition]]) -> dict[str, str]:
    return {who: " ".join(str(at) for at in partitions) for who, partitions in assignment.items()}


def test_range_gives_the_first_members_what_does_not_divide_topic_by_topic() -> None:
    assignment = assign_range(members("a b", "a b"), {"a": 3, "b": 3})
    assert indexes(assignment) == {"m0": "a-0 a-1 b-0 b-1", "m1": "a-2 b-2"}


def test_round_robin_deals_all_partitions_of_all_topics_in_turn() -> None:
    assignment = assign_round_robin(members("a b", "a b"), {"a": 3, "b": 3})
    assert indexes(assignment) == {"m0": "a-0 a-2 b-1", "m1": "a-1 b-0 b-2"}


def test_round_robin_passes_over_who_does_not_subscribe() -> None:
    assignment = assign_round_robin(members("a", "a b", "a b"), {"a": 1, "b": 3})
    assert indexes(assignment) == {"m0": "a-0", "m1": "b-0 b-2", "m2": "b-1"}


def test_static_members_come_first_in_the_order_of_their_names_so_that_a_restart_moves_nothing() -> None:
    def share(member_ids: list[str]) -> dict[str | None, str]:
        group = [
            Subscriber(member_ids[0], frozenset("a"), "two"),
            Subscriber(member_ids[1], frozenset("a"), "one"),
            Subscriber(member_ids[2], frozenset("a")),
        ]
        shared = indexes(assign_range(group, {"a": 3}))
        return {member.instance_id: shared[member.member_id] for member in group}

    assert share(["x", "y", "z"]) == {"one": "a-0", "two": "a-1", None: "a-2"}
    assert share(["z", "x", "a"]) == share(["x", "y", "z"])


def test_members_without_partitions_get_an_empty_assignment() -> None:
    for assign in ASSIGNORS.values():
        assert assign(members("a", "a", "b"), {"a": 1}) == {"m0": [TopicPartition("a", 0)], "m1": [], "m2": []}


@pytest.mark.parametrize("assign", ASSIGNORS.values(), ids=ASSIGNORS)
@pytest.mark.parametrize("seed", range(20))
def test_every_partition_has_one_reader_that_subscribes_it(assign: Assignor, seed: int) -> None:
    dice = random.Random(seed)
    counts = {f"t{index}": dice.randrange(1, 12) for index in range(dice.randrange(1, 6))}
    group = [
        Subscriber(f"m{index}", frozenset(dice.sample(sorted(counts), dice.randrange(1, len(counts) + 1))))
        for index in range(dice.randrange(1, 8))
    ]
    assignment = assign(dice.sample(group, len(group)), counts)
    wanted = {topic for member in group for topic in member.topics}
    everything = [TopicPartition(topic, index) for topic in wanted for index in range(counts[topic])]
    assert Counter(at for partitions in assignment.values() for at in partitions) == Counter(everything)
    assert all(at.topic in member.topics for member in group for at in assignment[member.member_id])
    for topic in wanted:
        _is_even(assign, [assignment[member.member_id] for member in group if topic in member.topics], topic)


def _is_even(assign: Assignor, shares: list[list[TopicPartition]], topic: str) -> None:
    if assign is assign_range:
        sizes = [sum(at.topic == topic for at in share) for share in shares]
        assert max(sizes) - min(sizes) <= 1
        for share in shares:
            own = [at.partition for at in share if at.topic == topic]
            assert all(after - before == 1 for before, after in pairwise(own)), "a range has no gaps"


def test_subscriptions_are_read_by_kafka_python_and_read_from_it_in_every_version() -> None:
    theirs = TheirSubscription.decode(subscription_bytes(["b", "a"]))
    assert list(theirs.topics) == ["a", "b"]
    for version in (0, 1, 2, 3):
        message = ConsumerProtocolSubscription(topics=["x", "y"], user_data=b"whatever")
        data = version.to_bytes(2, "big") + b"".join(message.encode(version))
        assert subscribed_topics(data) == {"x", "y"}


def test_assignments_are_read_by_kafka_python() -> None:
    given = [TopicPartition("b", 1), TopicPartition("a", 0), TopicPartition("b", 0)]
    theirs = TheirAssignment.decode(assignment_bytes(given))
    assert [(one.topic, list(one.partitions)) for one in theirs.assigned_partitions] == [("a", [0]), ("b", [0, 1])]
    assert sorted(assigned_partitions(assignment_bytes(given))) == sorted(given)


def test_no_assignment_is_no_partitions_and_nonsense_is_refused() -> None:
    assert assigned_partitions(b"") == []
    with pytest.raises(ProtocolError):
        assigned_partitions(b"\x00\x00\xff\xff")


@pytest.mark.parametrize("nonsense", [b"", b"\x00", b"\x00\x00\xff\xff\xff\xff", bytes(range(40))])
def test_a_member_whose_subscription_cannot_be_read_is_given_nothing(nonsense: bytes) -> None:
    subscribers = [Subscriber("good", frozenset("a")), Subscriber("bad", subscribed_topics(nonsense))]
    shares = assignments_of("range", subscribers, {"a": 2})
    assert len(assigned_partitions(shares["good"])) == 2
    assert assigned_partitions(shares["bad"]) == []


def test_each_assignor_is_offered_under_kafkas_name() -> None:
    named: dict[str, Callable[..., object]] = dict(ASSIGNORS)
    assert named == {"range": assign_range, "roundrobin": assign_round_robin}
