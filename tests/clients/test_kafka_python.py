"""kafka-python: produce, consume by assigned partition, and administer."""

import random
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from kafka import (  # type: ignore[import-untyped]
    KafkaAdminClient,
    KafkaConsumer,
    KafkaProducer,
    OffsetSpec,
    TopicPartition,
)
from kafka.admin import ConfigResource  # type: ignore[import-untyped]

from tests.brokers import BrokerProcess
from tests.regressions.wire import Wire

TEN_MEGABYTES = 10_000_000


@pytest.fixture
def admin(shared_broker: BrokerProcess) -> Iterator[Any]:
    client = KafkaAdminClient(bootstrap_servers=shared_broker.bootstrap)
    yield client
    client.close()


def send(broker: BrokerProcess, topic: str, records: list[dict[str, Any]], **settings: Any) -> list[int]:
    """Send records, all of which must be acknowledged, and give their offsets."""
    producer = KafkaProducer(bootstrap_servers=broker.bootstrap, **settings)
    try:
        futures = [producer.send(topic, partition=0, **record) for record in records]
        return [future.get(60).offset for future in futures]
    finally:
        producer.close()


def read(broker: BrokerProcess, topic: str, count: int, **settings: Any) -> list[Any]:
    consumer = KafkaConsumer(bootstrap_servers=broker.bootstrap, consumer_timeout_ms=60_000, **settings)
    try:
        consumer.assign([TopicPartition(topic, 0)])
        consumer.seek(TopicPartition(topic, 0), 0)
        return [next(consumer) for _ in range(count)]
    finally:
        consumer.close()


@pytest.mark.parametrize("codec", [None, "gzip", "lz4"])
def test_codecs_round_trip(shared_broker: BrokerProcess, topic_name: str, codec: str | None) -> None:
    values = [f"{codec} {index}".encode() for index in range(500)]
    offsets = send(
        shared_broker, topic_name, [{"value": value} for value in values], compression_type=codec, linger_ms=5
    )
    assert offsets == list(range(500))
    assert [record.value for record in read(shared_broker, topic_name, 500)] == values


def test_headers_nulls_one_byte_and_ten_megabytes_round_trip(shared_broker: BrokerProcess, topic_name: str) -> None:
    large = random.Random(3).randbytes(TEN_MEGABYTES)
    headers = [("trace", b"7"), ("trace", b"8")]
    sent = [(None, b"1"), (b"key", None), (b"", b""), (b"large", large)]
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, max_message_bytes=12_000_000)
    records = [{"key": key, "value": value, "headers": headers} for key, value in sent]
    send(shared_broker, topic_name, records, max_request_size=12_000_000, enable_idempotence=False)
    found = read(shared_broker, topic_name, len(sent), max_partition_fetch_bytes=1_000)
    assert [(record.key, record.value, list(record.headers)) for record in found] == [
        (key, value, headers) for key, value in sent
    ]


@pytest.mark.parametrize("acks", [0, 1, "all"])
def test_every_acks_is_stored(shared_broker: BrokerProcess, topic_name: str, acks: Any) -> None:
    values = [b"%d" % index for index in range(50)]
    records = [{"value": value} for value in values]
    send(shared_broker, topic_name, records, acks=acks, enable_idempotence=False)
    assert [record.value for record in read(shared_broker, topic_name, 50)] == values


def test_an_idempotent_producer_with_five_in_flight_keeps_the_order(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    values = [b"%d" % index for index in range(2_000)]
    records = [{"value": value} for value in values]
    settings = {"enable_idempotence": True, "max_in_flight_requests_per_connection": 5, "batch_size": 200}
    assert send(shared_broker, topic_name, records, **settings) == list(range(2_000))
    assert [record.value for record in read(shared_broker, topic_name, 2_000)] == values


def test_topics_partitions_and_records_are_administered(
    admin: Any, shared_broker: BrokerProcess, topic_name: str
) -> None:
    made = {"num_partitions": 2, "replication_factor": 1, "configs": {"retention.ms": "99000"}}
    admin.create_topics({topic_name: made})
    assert topic_name in admin.list_topics()
    admin.create_partitions({topic_name: 4})
    described = admin.describe_topics([topic_name])[0]
    assert [one["partition_index"] for one in described["partitions"]] == [0, 1, 2, 3]
    send(shared_broker, topic_name, [{"value": b"%d" % index} for index in range(10)])
    place = TopicPartition(topic_name, 0)
    admin.delete_records({place: 4})
    asked = (OffsetSpec.EARLIEST, OffsetSpec.LATEST, OffsetSpec.MAX_TIMESTAMP, OffsetSpec.EARLIEST_LOCAL, 0)
    offsets = [admin.list_partition_offsets({place: spec})[place].offset for spec in asked]
    assert (offsets[0], offsets[1], offsets[3], offsets[4]) == (4, 10, 4, 4)
    assert 4 <= offsets[2] < 10
    admin.delete_topics([UUID(str(described["topic_id"]))])
    assert topic_name not in admin.list_topics()


def test_configs_are_described_and_altered(admin: Any, topic_name: str) -> None:
    admin.create_topics({topic_name: {"num_partitions": 1, "replication_factor": 1}})
    changes = {"retention.ms": ("SET", "88000"), "cleanup.policy": ("APPEND", "compact")}
    admin.alter_configs([ConfigResource("TOPIC", topic_name, configs=changes)])
    found = admin.describe_configs([ConfigResource("TOPIC", topic_name)])["topic"][topic_name]
    assert {name: one["value"] for name, one in found.items()} == {
        "retention.ms": "88000",
        "cleanup.policy": "delete,compact",
    }
    assert topic_name in admin.list_config_resources(["TOPIC"])["topic"]


def test_cluster_directories_and_producers_are_described(
    admin: Any, shared_broker: BrokerProcess, topic_name: str
) -> None:
    assert admin.describe_cluster()["cluster_id"] == shared_broker.ready["cluster_id"]
    send(shared_broker, topic_name, [{"value": b"x" * 1_000}], enable_idempotence=True)
    directories = admin.describe_log_dirs({topic_name: [0]})[0]["log_dirs"]
    assert [one["log_dir"] for one in directories] == [str(shared_broker.data)]
    assert directories[0]["topics"][0]["partitions"][0]["partition_size"] > 1_000
    place = TopicPartition(topic_name, 0)
    producers = admin.describe_producers([place])[place].active_producers
    assert [(one.producer_epoch, one.last_sequence) for one in producers] == [(0, 0)]


def test_topics_are_described_page_by_page(admin: Any, topic_name: str) -> None:
    names = [f"{topic_name}-{letter}" for letter in "abc"]
    admin.create_topics({name: {"num_partitions": 3, "replication_factor": 1} for name in names})
    seen, cursor = [], None
    for _ in range(20):
        page = admin.describe_topic_partitions(names, response_partition_limit=2, cursor=cursor)
        found = [(topic["name"], one["partition_index"]) for topic in page["topics"] for one in topic["partitions"]]
        assert len(found) <= 2
        seen += found
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [(name, index) for name in names for index in range(3)]
