"""aiokafka: produce and consume by assigned partition with every codec."""

import asyncio

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition  # type: ignore[import-untyped]

from tests.brokers import BrokerProcess
from tests.regressions.wire import Wire


@pytest.mark.parametrize("codec", [None, "gzip", "snappy", "lz4", "zstd"])
def test_what_aiokafka_sends_aiokafka_reads(shared_broker: BrokerProcess, topic_name: str, codec: str | None) -> None:
    sent = [(b"key %d" % index if index % 2 else None, b"value %d" % index) for index in range(300)]
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)

    async def exchange() -> list[tuple[bytes | None, bytes | None]]:
        producer = AIOKafkaProducer(
            bootstrap_servers=shared_broker.bootstrap, compression_type=codec, enable_idempotence=True, linger_ms=5
        )
        consumer = AIOKafkaConsumer(bootstrap_servers=shared_broker.bootstrap, check_crcs=True)
        await producer.start()
        await consumer.start()
        try:
            futures = [await producer.send(topic_name, value, key=key, partition=0) for key, value in sent]
            await asyncio.wait_for(asyncio.gather(*futures), 60)
            consumer.assign([TopicPartition(topic_name, 0)])
            consumer.seek(TopicPartition(topic_name, 0), 0)
            found = [await asyncio.wait_for(consumer.getone(), 60) for _ in sent]
            return [(record.key, record.value) for record in found]
        finally:
            await producer.stop()
            await consumer.stop()

    assert asyncio.run(exchange()) == sent
