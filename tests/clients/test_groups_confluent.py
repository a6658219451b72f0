"""Consumer groups through confluent-kafka: sharing, handing over, coming back, and commits that survive kill -9."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from tests.brokers import BrokerProcess
from tests.conftest import StartBroker
from tests.regressions.librdkafka import numbered, send_all

QUICK = {"group.initial.rebalance.delay.ms": 0}
SECONDS_MAX = 80.0


@contextmanager
def member(bootstrap: str, group: str, topic: str, **settings: Any) -> Iterator[Consumer]:
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "session.timeout.ms": 10_000,
            "heartbeat.interval.ms": 500,
            **{name.replace("_", "."): value for name, value in settings.items()},
        }
    )
    consumer.subscribe([topic])
    try:
        yield consumer
    finally:
        consumer.close()


def poll_until(consumers: list[Consumer], is_done: Callable[[], bool], seen: Counter[bytes] | None = None) -> None:
    """Let all members live until something has come true."""
    deadline = time.monotonic() + SECONDS_MAX
    while not is_done():
        assert time.monotonic() < deadline, [parts_of(consumer) for consumer in consumers]
        for consumer in consumers:
            message = consumer.poll(0.05)
            if message is not None and message.error() is None and seen is not None:
                value = message.value()
                assert value is not None
                seen[value] += 1


def parts_of(consumer: Consumer) -> set[int]:
    return {one.partition for one in consumer.assignment()}


def make_topic(bootstrap: str, topic: str, partitions: int) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(60)


def test_two_members_share_the_partitions_and_one_inherits_them(shared_broker: BrokerProcess, topic_name: str) -> None:
    bootstrap = shared_broker.bootstrap
    make_topic(bootstrap, topic_name, 4)
    with member(bootstrap, topic_name, topic_name) as first:
        with member(bootstrap, topic_name, topic_name) as second:
            both = [first, second]
            poll_until(both, lambda: [len(parts_of(one)) for one in both] == [2, 2])
            assert parts_of(first) | parts_of(second) == {0, 1, 2, 3}
        poll_until([first], lambda: parts_of(first) == {0, 1, 2, 3})


def test_a_member_that_polls_too_slowly_loses_its_partitions_and_is_told(
    start_broker: StartBroker, topic_name: str
) -> None:
    bootstrap = start_broker({**QUICK, "group.min.session.timeout.ms": 1000}).bootstrap
    make_topic(bootstrap, topic_name, 4)
    # Long enough for who does poll to live through a machine that stands still.
    hasty = {"session_timeout_ms": 4000, "heartbeat_interval_ms": 200, "max_poll_interval_ms": 5000}
    with (
        member(bootstrap, topic_name, topic_name, **hasty) as slow,
        member(bootstrap, topic_name, topic_name, **hasty) as quick,
    ):
        both = [slow, quick]
        poll_until(both, lambda: [len(parts_of(one)) for one in both] == [2, 2])
        lost = next(iter(parts_of(slow)))
        poll_until([quick], lambda: parts_of(quick) == {0, 1, 2, 3})
        with pytest.raises(KafkaException) as refused:
            slow.commit(offsets=[TopicPartition(topic_name, lost, 1)], asynchronous=False)
        assert refused.value.args[0].code() in (KafkaError.UNKNOWN_MEMBER_ID, KafkaError.ILLEGAL_GENERATION)
        told = slow.poll(30)
        assert told is not None
        error = told.error()
        assert error is not None
        assert error.code() == KafkaError._MAX_POLL_EXCEEDED


def test_a_cooperative_member_keeps_what_it_has_while_another_joins(start_broker: StartBroker, topic_name: str) -> None:
    bootstrap = start_broker(QUICK).bootstrap
    make_topic(bootstrap, topic_name, 4)
    cooperative = {"partition_assignment_strategy": "cooperative-sticky"}
    with member(bootstrap, topic_name, topic_name, **cooperative) as first:
        poll_until([first], lambda: len(parts_of(first)) == 4)
        with member(bootstrap, topic_name, topic_name, **cooperative) as second:
            fewest = 4

            def is_shared() -> bool:
                nonlocal fewest
                fewest = min(fewest, len(parts_of(first)))
                return len(parts_of(first)) == len(parts_of(second)) == 2

            poll_until([first, second], is_shared)
            assert fewest == 2, "the first member gave up more than it had to"


def test_every_message_is_read_once_by_the_members_of_a_group(start_broker: StartBroker, topic_name: str) -> None:
    """Rule 26: multisets are compared, never counts."""
    bootstrap = start_broker(QUICK).bootstrap
    make_topic(bootstrap, topic_name, 2)
    values = numbered(500)
    with member(bootstrap, topic_name, topic_name) as first, member(bootstrap, topic_name, topic_name) as second:
        both = [first, second]
        poll_until(both, lambda: [len(parts_of(one)) for one in both] == [1, 1])
        send_all(bootstrap, topic_name, values[:250], partition=0)
        send_all(bootstrap, topic_name, values[250:], partition=1)
        seen: Counter[bytes] = Counter()
        poll_until(both, lambda: seen.total() >= len(values), seen)
        assert seen == Counter(values)


def test_a_restarted_static_member_keeps_its_partitions_without_a_rebalance(
    start_broker: StartBroker, topic_name: str
) -> None:
    bootstrap = start_broker(QUICK).bootstrap
    make_topic(bootstrap, topic_name, 4)
    with member(bootstrap, topic_name, topic_name, group_instance_id="a") as first:
        poll_until([first], lambda: len(parts_of(first)) == 4)
        with member(bootstrap, topic_name, topic_name, group_instance_id="b") as second:
            poll_until([first, second], lambda: len(parts_of(first)) == len(parts_of(second)) == 2)
            had = parts_of(second)
        # A static member that closes does not leave.
        with member(bootstrap, topic_name, topic_name, group_instance_id="b") as again:
            poll_until([first, again], lambda: len(parts_of(first)) == len(parts_of(again)) == 2)
            assert parts_of(again) == had
            assert parts_of(first) == {0, 1, 2, 3} - had


def test_a_commit_that_was_acknowledged_survives_kill_9(start_broker: StartBroker, topic_name: str) -> None:
    """Rule 25, for positions: at least the last acknowledged one, and never beyond what was sent."""
    broker = start_broker(QUICK)
    make_topic(broker.bootstrap, topic_name, 1)
    values = numbered(3_000)
    send_all(broker.bootstrap, topic_name, values)
    for round_number in range(3):
        with member(broker.bootstrap, topic_name, topic_name) as consumer:
            acknowledged, sent = _commit_until_killed(broker, consumer, topic_name, 40 + 25 * round_number)
            # Closing waits for the coordinator.
            broker.start()
        found = _committed(broker.bootstrap, topic_name)
        assert acknowledged <= found <= sent, (acknowledged, found, sent)


def _commit_until_killed(broker: BrokerProcess, consumer: Consumer, topic: str, commits: int) -> tuple[int, int]:
    """Commit after every message, kill the broker in between, and tell the last position acknowledged and sent."""
    deadline = time.monotonic() + SECONDS_MAX
    acknowledged, done = -1, 0
    while done < commits:
        assert time.monotonic() < deadline
        message = consumer.poll(0.1)
        if message is None or message.error() is not None:
            continue
        offset = message.offset()
        assert offset is not None
        consumer.commit(offsets=[TopicPartition(topic, 0, offset + 1)], asynchronous=False)
        acknowledged, done = offset + 1, done + 1
    for beyond in range(1, 6):
        consumer.commit(offsets=[TopicPartition(topic, 0, acknowledged + beyond)], asynchronous=True)
    broker.kill()
    return acknowledged, acknowledged + 5


def _committed(bootstrap: str, topic: str) -> int:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": topic})
    try:
        deadline = time.monotonic() + SECONDS_MAX
        while True:
            try:
                return int(consumer.committed([TopicPartition(topic, 0)], timeout=10)[0].offset)
            except KafkaException:
                assert time.monotonic() < deadline
    finally:
        consumer.close()
