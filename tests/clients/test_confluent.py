"""confluent-kafka (librdkafka): produce and consume by assigned partition."""

import random
import time
from collections import Counter

import pytest
from confluent_kafka import KafkaError, KafkaException, Message, Producer, TopicPartition

from tests.brokers import BrokerProcess
from tests.regressions.librdkafka import consumer_of, numbered, read_partition, send_all, values_read
from tests.regressions.wire import Wire

CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]
TEN_MEGABYTES = 10_000_000


@pytest.fixture
def topic(shared_broker: BrokerProcess, topic_name: str) -> str:
    """A topic of three partitions that takes large messages."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, 3, max_message_bytes=12_000_000)
    return topic_name


@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_round_trips(shared_broker: BrokerProcess, topic: str, codec: str) -> None:
    values = numbered(2_000, codec, 50)
    offsets = send_all(shared_broker.bootstrap, topic, values, partition=1, compression_type=codec, linger_ms=5)
    messages = read_partition(shared_broker.bootstrap, topic, 1)
    assert values_read(messages) == Counter(values)
    assert {message.value(): message.offset() for message in messages} == offsets
    log = (shared_broker.data / f"{topic}-1" / f"{0:020}.log").read_bytes()
    assert log[22] & 7 == CODECS.index(codec), "the batch is stored as it was compressed"


def test_headers_null_keys_and_null_values_round_trip(shared_broker: BrokerProcess, topic: str) -> None:
    headers = [("one", b"1"), ("empty", b""), ("null", None), ("one", b"again"), ("é", b"\xff")]
    sent = [(None, None), (b"", b""), (b"key", None), (None, b"value"), (b"k", b"v")]
    producer = Producer({"bootstrap.servers": shared_broker.bootstrap})
    for key, value in sent:
        producer.produce(topic, value, key, partition=0, headers=list(headers), timestamp=1_700_000_000_123)
    assert producer.flush(60) == 0
    messages = read_partition(shared_broker.bootstrap, topic)
    assert [(message.key(), message.value()) for message in messages] == sent
    assert [message.headers() for message in messages] == [headers] * len(sent)
    assert {message.timestamp()[1] for message in messages} == {1_700_000_000_123}


def test_messages_of_one_byte_and_of_ten_megabytes_round_trip(shared_broker: BrokerProcess, topic: str) -> None:
    large = random.Random(10).randbytes(TEN_MEGABYTES)
    values = [b"1", large, b"2"]
    send_all(shared_broker.bootstrap, topic, values, message_max_bytes=12_000_000)
    messages = read_partition(
        shared_broker.bootstrap, topic, fetch_message_max_bytes=100, receive_message_max_bytes=2**29
    )
    assert [message.value() for message in messages] == values


def test_a_message_above_the_topics_bound_is_refused_by_the_broker(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, max_message_bytes=10_000)
    errors: list[KafkaError | None] = []
    producer = Producer({"bootstrap.servers": shared_broker.bootstrap})
    producer.produce(topic_name, b"x" * 20_000, on_delivery=lambda error, message: errors.append(error))
    # In one batch with it the next one would be refused too.
    assert producer.flush(60) == 0
    producer.produce(topic_name, b"x" * 10, on_delivery=lambda error, message: errors.append(error))
    assert producer.flush(60) == 0
    assert sorted(error.code() if error else 0 for error in errors) == [0, KafkaError.MSG_SIZE_TOO_LARGE]


def test_an_idempotent_producer_with_five_in_flight_keeps_the_order(shared_broker: BrokerProcess, topic: str) -> None:
    values = numbered(10_000)
    send_all(
        shared_broker.bootstrap,
        topic,
        values,
        enable_idempotence=True,
        max_in_flight=5,
        linger_ms=0,
        batch_num_messages=20,
    )
    assert [message.value() for message in read_partition(shared_broker.bootstrap, topic)] == values


def test_all_partitions_are_read_from_one_assignment(shared_broker: BrokerProcess, topic: str) -> None:
    sent = {index: numbered(500, f"p{index}") for index in range(3)}
    for index, values in sent.items():
        send_all(shared_broker.bootstrap, topic, values, partition=index)
    consumer = consumer_of(shared_broker.bootstrap, enable_partition_eof=False)
    try:
        consumer.assign([TopicPartition(topic, index, 0) for index in sent])
        found: list[Message] = []
        deadline = time.monotonic() + 60
        while len(found) < 1_500 and time.monotonic() < deadline:
            found += [message for message in consumer.consume(500, 0.5) if message.error() is None]
        by_partition = {index: [message.value() for message in found if message.partition() == index] for index in sent}
        assert by_partition == sent
        assert consumer.get_watermark_offsets(TopicPartition(topic, 1), timeout=60) == (0, 500)
    finally:
        consumer.close()


def test_a_consumer_seeks_by_time_and_starts_at_the_end(shared_broker: BrokerProcess, topic: str) -> None:
    first_ms = time.time_ns() // 1_000_000 - 100_000
    producer = Producer({"bootstrap.servers": shared_broker.bootstrap})
    for index in range(100):
        producer.produce(topic, b"%d" % index, partition=0, timestamp=first_ms + index * 100)
    assert producer.flush(60) == 0
    consumer = consumer_of(shared_broker.bootstrap)
    try:
        found = consumer.offsets_for_times([TopicPartition(topic, 0, first_ms + 4_950)], timeout=60)
        assert [place.offset for place in found] == [50]
        consumer.assign([TopicPartition(topic, 0, found[0].offset)])
        found_messages = [message for message in consumer.consume(10, 60) if message.error() is None]
        assert found_messages[0].value() == b"50"
    finally:
        consumer.close()


def test_an_offset_out_of_range_resets_as_the_client_asks(shared_broker: BrokerProcess, topic: str) -> None:
    send_all(shared_broker.bootstrap, topic, numbered(10))
    found = read_partition(shared_broker.bootstrap, topic, offset=5_000, auto_offset_reset="earliest")
    assert len(found) == 10
    with pytest.raises(KafkaException) as refused:
        read_partition(shared_broker.bootstrap, topic, offset=5_000, auto_offset_reset="error")
    assert refused.value.args[0].code() == KafkaError._AUTO_OFFSET_RESET
