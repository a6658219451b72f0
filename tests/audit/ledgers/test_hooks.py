"""A user's own clients with a ledger: what it says was sent and handed over is what was."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiokafka
import confluent_kafka
import kafka
import pytest

from chronik.audit import ConsumerLedger, Evidence, ProducerLedger
from chronik.audit.tables.ids import AuditId
from chronik.audit.tables.schemas import EventKind, SendOutcome
from chronik.cli.main import run
from chronik.testing.topics import create_topic
from tests.audit.ledgers.topic_contents import Lying, read_all
from tests.brokers import BrokerProcess

MESSAGES = 300
WAIT_S_MAX = 60.0
VALUES = [f"value {number}" for number in range(MESSAGES)]


def key(number: int) -> bytes:
    return b"key %d" % (number % 7)


def exchange_with_confluent(bootstrap: str, topic: str, directory: Path) -> list[str]:
    told: list[int] = []
    with ProducerLedger(directory) as ledger:
        producer = ledger.wrap(confluent_kafka.Producer({"bootstrap.servers": bootstrap}))
        for number, value in enumerate(VALUES):
            producer.produce(topic, value, key=key(number), on_delivery=lambda error, message: told.append(1))
        assert producer.flush(WAIT_S_MAX) == 0
    assert len(told) == MESSAGES, "the user's own callback is called too"
    settings = {"bootstrap.servers": bootstrap, "group.id": topic, "auto.offset.reset": "earliest"}
    with ConsumerLedger(directory) as ledger:
        consumer = ledger.wrap(confluent_kafka.Consumer(settings), settings)
        consumer.subscribe([topic])
        read: list[str] = []
        until = time.monotonic() + WAIT_S_MAX
        while len(read) < MESSAGES and time.monotonic() < until:
            read += [message.value().decode() for message in consumer.consume(50, 0.2)]
            message = consumer.poll(0.05)
            read += [] if message is None else [message.value().decode()]
        consumer.close()
    return read


def exchange_with_kafka_python(bootstrap: str, topic: str, directory: Path) -> list[str]:
    with ProducerLedger(directory) as ledger:
        producer = ledger.wrap(kafka.KafkaProducer(bootstrap_servers=bootstrap, value_serializer=Text()))
        for number, value in enumerate(VALUES):
            producer.send(topic, value, key=key(number), headers=[("own", b"header")])
        producer.flush(timeout=WAIT_S_MAX)
        producer.close()
    with ConsumerLedger(directory) as ledger:
        consumer = ledger.wrap(
            kafka.KafkaConsumer(
                bootstrap_servers=bootstrap, group_id=topic, auto_offset_reset="earliest", value_deserializer=Text()
            )
        )
        consumer.subscribe([topic])
        # Before it joins: it may never take up an assignment that it got before it knew of the partitions.
        consumer.topics()
        read: list[str] = []
        until = time.monotonic() + WAIT_S_MAX
        while len(read) < MESSAGES // 2 and time.monotonic() < until:
            found = consumer.poll(timeout_ms=200, max_records=50)
            read += [record.value for records in found.values() for record in records]
        while len(read) < MESSAGES and time.monotonic() < until:
            read.append(next(consumer).value)
        consumer.close()
    return read


def exchange_with_aiokafka(bootstrap: str, topic: str, directory: Path) -> list[str]:
    return asyncio.run(_exchange_with_aiokafka(bootstrap, topic, directory))


async def _exchange_with_aiokafka(bootstrap: str, topic: str, directory: Path) -> list[str]:
    with ProducerLedger(directory) as ledger:
        producer = ledger.wrap(
            aiokafka.AIOKafkaProducer(bootstrap_servers=bootstrap, value_serializer=lambda text: text.encode())
        )
        async with producer:
            for number, value in enumerate(VALUES):
                await producer.send(topic, value, key=key(number))
            await producer.flush()
    with ConsumerLedger(directory) as ledger:
        consumer = ledger.wrap(
            aiokafka.AIOKafkaConsumer(bootstrap_servers=bootstrap, group_id=topic, auto_offset_reset="earliest")
        )
        consumer.subscribe([topic])
        read: list[str] = []
        async with consumer:
            until = time.monotonic() + WAIT_S_MAX
            while len(read) < MESSAGES and time.monotonic() < until:
                found = await consumer.getmany(timeout_ms=200)
                read += [record.value.decode() for records in found.values() for record in records]
    return read


class Text(kafka.serializer.Serializer, kafka.serializer.Deserializer):  # type: ignore[misc]
    """Values are text for the program and bytes on the wire."""

    def serialize(self, topic: str, headers: Any, data: str) -> bytes:
        return data.encode()

    def deserialize(self, topic: str, headers: Any, data: bytes) -> str:
        return data.decode()


@pytest.mark.parametrize(
    "exchange",
    [
        pytest.param(exchange_with_confluent, id="confluent"),
        pytest.param(exchange_with_kafka_python, id="kafka-python"),
        pytest.param(exchange_with_aiokafka, id="aiokafka"),
    ],
)
def test_ledgers_of_a_users_own_clients_say_what_was_sent_stored_and_handed_over(
    exchange: Callable[[str, str, Path], list[str]], shared_broker: BrokerProcess, topic_name: str, tmp_path: Path
) -> None:
    create_topic(shared_broker.bootstrap, topic_name, 2, {}, WAIT_S_MAX)
    read = exchange(shared_broker.bootstrap, topic_name, tmp_path)
    assert Counter(read) == Counter(VALUES), "the program gets what it got before"
    evidence = Evidence(tmp_path)
    stored = read_all(shared_broker.bootstrap, topic_name, 2)
    assert Counter(stored) == sent_of(evidence) == delivered_of(evidence)
    assert set(evidence.sends["outcome"].to_pylist()) == {SendOutcome.ACKED}
    assert 0 not in evidence.sends["key_hash"].to_pylist()
    assert len(set(evidence.sends["key_hash"].to_pylist())) == 7
    assert set(evidence.delivered["is_intact"].to_pylist()) == {True}
    assert_events_tell_the_positions(evidence, Counter(one.partition for one in stored))


def sent_of(evidence: Evidence) -> Counter[Lying]:
    run = evidence.facts.run
    rows = evidence.sends.to_pylist()
    return Counter(Lying(AuditId(run, r["producer"], r["sequence"]), r["partition"], r["offset"]) for r in rows)


def delivered_of(evidence: Evidence) -> Counter[Lying]:
    rows = evidence.delivered.to_pylist()
    return Counter(Lying(AuditId(r["run"], r["producer"], r["sequence"]), r["partition"], r["offset"]) for r in rows)


def assert_events_tell_the_positions(evidence: Evidence, counts: Counter[int]) -> None:
    events = evidence.events.to_pylist()
    assert [events[0]["kind"], events[-1]["kind"]] == [EventKind.START, EventKind.END]
    assert {row["partition"] for row in events if row["kind"] == EventKind.ASSIGNED} == {0, 1}
    positions = {row["partition"]: row["offset"] for row in events if row["kind"] == EventKind.POSITION}
    assert positions == dict(counts)
    assert sum(row["count"] for row in events if row["kind"] == EventKind.POLL) == MESSAGES


def test_what_the_client_refuses_at_once_is_not_sent_and_what_never_came_back_is_unknown(tmp_path: Path) -> None:
    with ProducerLedger(tmp_path) as ledger:
        settings = {"bootstrap.servers": "127.0.0.1:1", "message.timeout.ms": 300, "log_level": 0}
        producer = ledger.wrap(confluent_kafka.Producer({**settings, "message.max.bytes": 1000}))
        producer.produce("nowhere", b"a")
        with pytest.raises(confluent_kafka.KafkaException):
            producer.produce("nowhere", bytes(5000))
        producer.produce("nowhere", b"c")
        assert producer.flush(WAIT_S_MAX) == 0
    rows = {row["sequence"]: row for row in Evidence(tmp_path).sends.to_pylist()}
    assert {sequence: row["outcome"] for sequence, row in rows.items()} == {
        0: SendOutcome.UNKNOWN,
        1: SendOutcome.NOT_SENT,
        2: SendOutcome.UNKNOWN,
    }
    assert "MSG_SIZE_TOO_LARGE" in rows[1]["error"]
    assert "_MSG_TIMED_OUT" in rows[0]["error"]


def test_checksum_is_of_the_bytes_that_a_serializing_producer_makes(
    shared_broker: BrokerProcess, topic_name: str, tmp_path: Path
) -> None:
    create_topic(shared_broker.bootstrap, topic_name, 1, {}, WAIT_S_MAX)
    with ProducerLedger(tmp_path) as ledger:
        settings = {"bootstrap.servers": shared_broker.bootstrap, "value.serializer": lambda value, _: value.encode()}
        producer = ledger.wrap(confluent_kafka.SerializingProducer(settings))
        producer.produce(topic_name, b"key", "value", headers={"own": b"header"})
        assert producer.flush(WAIT_S_MAX) == 0
    assert Counter(read_all(shared_broker.bootstrap, topic_name, 1)) == sent_of(Evidence(tmp_path))


def test_full_queue_takes_no_sequence(tmp_path: Path) -> None:
    with ProducerLedger(tmp_path) as ledger:
        settings = {"bootstrap.servers": "127.0.0.1:1", "queue.buffering.max.messages": 2, "log_level": 0}
        producer = ledger.wrap(confluent_kafka.Producer({**settings, "message.timeout.ms": 200}))
        for _ in range(2):
            producer.produce("nowhere", b"a")
        for _ in range(5):
            with pytest.raises(BufferError):
                producer.produce("nowhere", b"a")
        assert producer.flush(WAIT_S_MAX) == 0
    assert sorted(Evidence(tmp_path).sends["sequence"].to_pylist()) == [0, 1]
    assert [row["end_sequence"] for row in Evidence(tmp_path).reserved.to_pylist()] == [2]


def test_client_that_is_not_known_is_refused(tmp_path: Path) -> None:
    with ProducerLedger(tmp_path) as ledger, pytest.raises(TypeError, match="is no producer"):
        ledger.wrap(object())
    with ConsumerLedger(tmp_path) as reading, pytest.raises(TypeError, match="is no consumer"):
        reading.wrap(object())


def test_run_is_about_one_topic_and_a_clients_other_topics_pass_unrecorded(
    shared_broker: BrokerProcess, topic_name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other, bootstrap = f"{topic_name}-other", shared_broker.bootstrap
    for topic in (topic_name, other):
        create_topic(bootstrap, topic, 1, {}, WAIT_S_MAX)
    with ProducerLedger(tmp_path, topic=topic_name) as ledger:
        producer = ledger.wrap(confluent_kafka.Producer({"bootstrap.servers": bootstrap}))
        for number in range(20):
            producer.produce(other if number % 2 else topic_name, f"value {number}")
        assert producer.flush(WAIT_S_MAX) == 0
    settings = {"bootstrap.servers": bootstrap, "group.id": topic_name, "auto.offset.reset": "earliest"}
    with ConsumerLedger(tmp_path) as reading:
        consumer = reading.wrap(confluent_kafka.Consumer(settings), settings)
        consumer.subscribe([other, topic_name])
        read: list[str] = []
        until = time.monotonic() + WAIT_S_MAX
        while len(read) < 20 and time.monotonic() < until:
            read += [message.value().decode() for message in consumer.consume(50, 0.2)]
        consumer.close()
    assert Counter(read) == Counter(f"value {number}" for number in range(20)), "the program gets all of them"
    evidence = Evidence(tmp_path)
    stored = Counter(read_all(bootstrap, topic_name, 1))
    assert sent_of(evidence) == delivered_of(evidence) == stored
    assert run(["audit", "verify", "--engine", "local", "--ledger", str(tmp_path), "-b", bootstrap]) == 0, (
        capsys.readouterr().out
    )
    assert "10 of 10 delivered" in capsys.readouterr().out
    assert run(["audit", "verify", "--engine", "local", "--ledger", str(tmp_path), "--topic", other]) == 3
    assert f"is about the topic {topic_name}" in capsys.readouterr().err


def test_ledgers_that_name_no_topic_are_not_judged_by_guess(
    shared_broker: BrokerProcess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ConsumerLedger(tmp_path).close()
    assert run(["audit", "verify", "--engine", "local", "--ledger", str(tmp_path), "-b", shared_broker.bootstrap]) == 3
    assert "does not say which topic it is about" in capsys.readouterr().err
