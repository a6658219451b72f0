"""Keys go where every other Kafka client sends them."""

import random

import pytest
from kafka.partitioner.default import DefaultPartitioner
from kafka.partitioner.default import murmur2 as their_murmur2

from chronik.client.producer import StickyPartitioner, murmur2, partition_of_key


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_hash_has_the_values_that_kafka_states_in_its_own_tests(key: bytes, expected: int) -> None:
    assert murmur2(key) == expected & 0xFFFFFFFF


def test_hash_equals_that_of_an_independent_client_for_keys_of_every_length() -> None:
    dice = random.Random(20261116)
    for length in range(200):
        key = dice.randbytes(length)
        assert murmur2(key) == their_murmur2(key) & 0xFFFFFFFF, key


class OneTopic:
    """What kafka-python's partitioner asks of a cluster."""

    def __init__(self, count: int) -> None:
        self._partitions = set(range(count))

    def topics(self) -> set[str]:
        return {"t"}

    def partitions_for_topic(self, topic: str) -> set[int]:
        return self._partitions

    available_partitions_for_topic = partitions_for_topic


@pytest.mark.parametrize("count", [1, 2, 3, 7, 12, 100])
def test_partition_of_a_key_is_that_of_an_independent_client(count: int) -> None:
    dice = random.Random(count)
    topic = OneTopic(count)
    for _ in range(200):
        key = dice.randbytes(dice.randrange(20))
        assert partition_of_key(key, count) == DefaultPartitioner().partition("t", key, key, None, None, topic), key


def test_partition_of_a_key_is_never_negative_and_within_the_topic() -> None:
    dice = random.Random(7)
    chosen = {partition_of_key(dice.randbytes(8), 5) for _ in range(500)}
    assert chosen == set(range(5))


def test_records_without_a_key_stay_on_one_partition_until_its_batch_closes() -> None:
    sticky = StickyPartitioner(random.Random(3).choice)
    first = sticky.partition_for("t", None, 4)
    assert {sticky.partition_for("t", None, 4) for _ in range(50)} == {first}
    sticky.batch_closed("t", first, 4)
    assert sticky.partition_for("t", None, 4) != first


def test_closing_the_batch_of_another_partition_moves_nothing() -> None:
    sticky = StickyPartitioner(random.Random(3).choice)
    first = sticky.partition_for("t", None, 4)
    sticky.batch_closed("t", (first + 1) % 4, 4)
    assert sticky.partition_for("t", None, 4) == first


def test_topic_of_one_partition_keeps_its_only_choice() -> None:
    sticky = StickyPartitioner()
    sticky.partition_for("t", None, 1)
    sticky.batch_closed("t", 0, 1)
    assert sticky.partition_for("t", None, 1) == 0
