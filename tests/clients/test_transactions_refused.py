"""Until transactions are built, a transactional producer fails at once in every client, with a reason."""

import asyncio
import time
from collections.abc import Callable, Iterator
from subprocess import CompletedProcess

import pytest
from aiokafka import AIOKafkaProducer  # type: ignore[import-untyped]
from confluent_kafka import KafkaException, Producer
from kafka import KafkaProducer  # type: ignore[import-untyped]
from kafka.errors import KafkaError  # type: ignore[import-untyped]

from tests.brokers import BrokerProcess

WAIT_SECONDS = 60
"""What a client that had to wait would wait for."""
SECONDS_MAX = 40.0
"""What a client that is refused at once, or a JVM that has to start, may take on a busy machine."""


@pytest.fixture
def within_bound() -> Iterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < SECONDS_MAX


@pytest.mark.usefixtures("within_bound")
def test_librdkafka_fails_at_once(shared_broker: BrokerProcess, topic_name: str) -> None:
    producer = Producer({"bootstrap.servers": shared_broker.bootstrap, "transactional.id": topic_name})
    with pytest.raises(KafkaException) as refused:
        producer.init_transactions(WAIT_SECONDS)
    assert not refused.value.args[0].retriable()


@pytest.mark.usefixtures("within_bound")
def test_kafka_python_fails_at_once(shared_broker: BrokerProcess, topic_name: str) -> None:
    producer = KafkaProducer(bootstrap_servers=shared_broker.bootstrap, transactional_id=topic_name)
    with pytest.raises(KafkaError, match=r"(?i)transactional"):
        producer.init_transactions()
    producer.close(0)


@pytest.mark.usefixtures("within_bound")
def test_aiokafka_fails_at_once(shared_broker: BrokerProcess, topic_name: str) -> None:
    async def start() -> None:
        producer = AIOKafkaProducer(bootstrap_servers=shared_broker.bootstrap, transactional_id=topic_name)
        try:
            await producer.start()
        finally:
            await producer.stop()

    with pytest.raises(Exception, match=r"(?i)transactional"):
        asyncio.run(asyncio.wait_for(start(), WAIT_SECONDS))


def test_the_java_client_fails_at_once(
    shared_broker: BrokerProcess, topic_name: str, run_kafka_tool: Callable[..., "CompletedProcess[str]"]
) -> None:
    started = time.monotonic()
    ended = run_kafka_tool(
        "org.apache.kafka.tools.ProducerPerformance",
        *("--topic", topic_name, "--num-records", "1", "--record-size", "10", "--throughput", "-1"),
        *("--transactional-id", topic_name, "--producer-props", f"bootstrap.servers={shared_broker.bootstrap}"),
    )
    assert time.monotonic() - started < SECONDS_MAX
    assert ended.returncode == 1
    assert "TransactionalIdAuthorizationException" in ended.stdout + ended.stderr


@pytest.mark.usefixtures("within_bound")
def test_positions_cannot_be_sent_by_a_transaction_that_never_began(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    producer = Producer({"bootstrap.servers": shared_broker.bootstrap, "transactional.id": topic_name})
    with pytest.raises(KafkaException):
        producer.init_transactions(WAIT_SECONDS)
    with pytest.raises(KafkaException):
        producer.begin_transaction()
    with pytest.raises(KafkaException):
        producer.commit_transaction(WAIT_SECONDS)
