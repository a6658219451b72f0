"""Every record gets one result, in order, and the result says no more than is known."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from chronik.client.cluster import Cluster
from chronik.client.delivery import DeliveryOutcome, DeliveryReport
from chronik.client.errors import RefusedError
from chronik.client.producer import Producer
from chronik.client.settings import ClientSettings
from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.records.batch import BatchHeader
from chronik.records.iterate import records_of
from tests.unit.client.fake_broker import HANG_UP, SILENCE, TOPIC, FakeBroker, until

BOUND_S = 60.0
ONE_PER_BATCH = ClientSettings(
    batch_bytes=1, linger_ms=0, retry_backoff_ms=1, retry_timeout_ms=30_000, delivery_timeout_ms=30_000
)
IDEMPOTENT = replace(ONE_PER_BATCH, idempotent=True)


def run(
    broker_work: Callable[[FakeBroker, Producer], Awaitable[None]], settings: ClientSettings, partitions: int = 1
) -> FakeBroker:
    async def scenario() -> FakeBroker:
        async with FakeBroker(partitions=partitions) as broker, Cluster(broker.bootstrap, settings) as cluster:
            async with Producer(cluster) as producer:
                await asyncio.wait_for(broker_work(broker, producer), BOUND_S)
            return broker

    return asyncio.run(scenario())


async def sent(producer: Producer, count: int) -> list[DeliveryReport]:
    results = [await producer.send(TOPIC, b"%d" % index, partition=0) for index in range(count)]
    await producer.flush()
    return [result.result() for result in results]


def stored(broker: FakeBroker, partition: int = 0) -> list[int]:
    return [int(record.value or b"-1") for batch in broker.logs[partition] for record in records_of(batch)]


def sizes(headers: list[BatchHeader]) -> list[int]:
    return [header.record_count for header in headers]


def test_records_that_fit_in_one_batch_travel_together_and_know_their_offsets() -> None:
    async def work(broker: FakeBroker, producer: Producer) -> None:
        deliveries = await sent(producer, 100)
        assert [delivery.offset for delivery in deliveries] == list(range(100))
        assert {delivery.outcome for delivery in deliveries} == {DeliveryOutcome.ACKNOWLEDGED}

    broker = run(work, ClientSettings(linger_ms=600_000))
    assert sizes(broker.appended) == [100]


def test_batch_is_closed_before_it_outgrows_its_size() -> None:
    async def work(broker: FakeBroker, producer: Producer) -> None:
        await sent(producer, 30)

    # Each of these records is counted as 25 or 26 bytes.
    broker = run(work, ClientSettings(linger_ms=600_000, batch_bytes=260))
    assert sizes(broker.appended) == [10, 10, 10]
    assert stored(broker) == list(range(30))


def test_lingering_batch_is_sent_when_its_time_is_up_without_a_flush() -> None:
    async def work(broker: FakeBroker, producer: Producer) -> None:
        result = await producer.send(TOPIC, b"alone", partition=0)
        assert (await asyncio.wait_for(result, BOUND_S)).offset == 0

    run(work, ClientSettings(linger_ms=10))


def test_no_more_requests_are_in_flight_than_allowed() -> None:
    async def work(broker: FakeBroker, producer: Producer) -> None:
        broker.produce_gate.clear()
        results = [await producer.send(TOPIC, b"%d" % index, partition=0) for index in range(20)]
        await until(lambda: broker.in_flight >= 5)
        for _ in range(20):
            await asyncio.sleep(0)
        broker.produce_gate.set()
        await producer.flush()
        assert {result.result().outcome for result in results} == {DeliveryOutcome.ACKNOWLEDGED}

    assert run(work, ONE_PER_BATCH).in_flight_most == 5


@pytest.mark.parametrize("trouble", [ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.REQUEST_TIMED_OUT, HANG_UP])
def test_idempotent_producer_keeps_order_and_count_when_one_of_five_in_flight_fails(trouble: object) -> None:
    async def work(broker: FakeBroker, producer: Producer) -> None:
        broker.errors.extend([ErrorCode.NONE, ErrorCode.NONE, trouble])
        deliveries = await sent(producer, 40)
        assert {delivery.outcome for delivery in deliveries} == {DeliveryOutcome.ACKNOWLEDGED}

    broker = run(work, IDEMPOTENT)
    assert stored(broker) == list(range(40))
    assert [header.base_sequence for header in broker.appended] == list(range(40))


def test_lost_answer_to_an_idempotent_batch_is_no_second_copy() -> None:
    async def work(broker: FakeBroker, producer: Producer) -> None:
        await sent(producer, 1)
        broker.produce_gate.clear()
        result = await producer.send(TOPIC, b"1", partition=0)
        await until(lambda: len(broker.appended) >= 2)
        broker.hang_up()
        broker.produce_gate.set()
        delivery = await asyncio.wait_for(result, BOUND_S)
        assert (delivery.outcome, delivery.offset) == (DeliveryOutcome.ACKNOWLEDGED, -1)

    assert stored(run(work, IDEMPOTENT)) == [0, 1]


def test_idempotent_producer_goes_on_after_a_batch_that_was_refused_for_good() -> None:
    async def work(broker: FakeBroker, producer: Producer) -> None:
        broker.errors.extend([ErrorCode.NONE, ErrorCode.MESSAGE_TOO_LARGE])
        deliveries = await sent(producer, 10)
        assert [delivery.outcome for delivery in deliveries].count(DeliveryOutcome.ACKNOWLEDGED) == 9
        assert deliveries[1].outcome is DeliveryOutcome.REFUSED
        assert deliveries[1].error is ErrorCode.MESSAGE_TOO_LARGE

    broker = run(work, IDEMPOTENT)
    assert stored(broker) == [0, *range(2, 10)]
    assert [(header.producer_epoch, header.base_sequence) for header in broker.appended] == [
        (0, 0),
        *((1, sequence) for sequence in range(8)),
    ]


def test_error_that_can_follow_an_append_is_unknown_and_one_that_cannot_is_refused() -> None:
    async def work(broker: FakeBroker, producer: Producer) -> None:
        broker.errors.extend([ErrorCode.UNKNOWN_SERVER_ERROR])
        [unknown] = await sent(producer, 1)
        broker.errors.extend([ErrorCode.INVALID_RECORD])
        [refused] = await sent(producer, 1)
        assert (unknown.outcome, unknown.error) == (DeliveryOutcome.UNKNOWN, ErrorCode.UNKNOWN_SERVER_ERROR)
        assert (refused.outcome, refused.error) == (DeliveryOutcome.REFUSED, ErrorCode.INVALID_RECORD)
        assert "events-0" in refused.reason

    run(work, ONE_PER_BATCH)


def test_retries_end_when_the_time_for_delivery_has_passed() -> None:
    async def work(broker: FakeBroker, producer: Producer) -> None:
        broker.errors.extend([ErrorCode.NOT_ENOUGH_REPLICAS] * 10_000)
        [delivery] = await sent(producer, 1)
        assert (delivery.outcome, delivery.error) == (DeliveryOutcome.REFUSED, ErrorCode.NOT_ENOUGH_REPLICAS)
        assert len(broker.errors) < 9_999

    run(work, replace(ONE_PER_BATCH, delivery_timeout_ms=200, retry_backoff_ms_max=20))


def test_answer_that_never_comes_leaves_the_record_unknown() -> None:
    async def work(broker: FakeBroker, producer: Producer) -> None:
        broker.errors.extend([SILENCE])
        [delivery] = await sent(producer, 1)
        assert delivery.outcome is DeliveryOutcome.UNKNOWN

    run(work, replace(ONE_PER_BATCH, delivery_timeout_ms=100, request_timeout_ms=100))


def test_acks_0_is_sent_and_claims_nothing() -> None:
    async def work(broker: FakeBroker, producer: Producer) -> None:
        deliveries = await sent(producer, 3)
        assert {(delivery.outcome, delivery.offset, delivery.error) for delivery in deliveries} == {
            (DeliveryOutcome.UNKNOWN, -1, ErrorCode.NONE)
        }
        await until(lambda: len(broker.appended) >= 3)

    run(work, replace(ONE_PER_BATCH, acks=0))


def test_record_beyond_the_request_size_is_refused_and_not_sent() -> None:
    async def work(broker: FakeBroker, producer: Producer) -> None:
        result = await producer.send(TOPIC, b"x" * 2000, partition=0)
        assert (await result).error is ErrorCode.MESSAGE_TOO_LARGE
        assert broker.appended == []

    run(work, replace(ONE_PER_BATCH, request_bytes_max=1000))


def test_full_buffer_makes_the_sender_wait_instead_of_growing() -> None:
    async def work(broker: FakeBroker, producer: Producer) -> None:
        broker.produce_gate.clear()
        sending = asyncio.create_task(sent(producer, 100))
        await until(lambda: broker.in_flight >= 1)
        for _ in range(50):
            await asyncio.sleep(0)
        assert not sending.done()
        assert producer._pending_bytes <= 300 + 100
        broker.produce_gate.set()
        await asyncio.wait_for(sending, BOUND_S)

    assert stored(run(work, replace(ONE_PER_BATCH, buffer_bytes=300))) == list(range(100))


def test_producer_follows_a_partition_to_its_new_leader() -> None:
    async def scenario() -> None:
        async with FakeBroker(node_id=1) as old, FakeBroker(node_id=2) as new:
            for broker in (old, new):
                broker.cluster = [old, new]
                broker.leader_of = {0: 1}
            async with Cluster(old.bootstrap, IDEMPOTENT) as cluster, Producer(cluster) as producer:
                await sent(producer, 3)
                old.leader_of = new.leader_of = {0: 2}
                result = await producer.send(TOPIC, b"3", partition=0)
                new._sequences[0, 4000, 0] = 3
                assert (await asyncio.wait_for(result, BOUND_S)).outcome is DeliveryOutcome.ACKNOWLEDGED
            assert (stored(old), stored(new)) == ([0, 1, 2], [3])

    asyncio.run(scenario())


def test_partition_or_topic_that_does_not_exist_is_refused_at_once_by_name() -> None:
    async def work(broker: FakeBroker, producer: Producer) -> None:
        with pytest.raises(RefusedError, match=r"events-7.*1 partition"):
            await producer.send(TOPIC, b"x", partition=7)

    run(work, ONE_PER_BATCH)


def test_broker_that_knows_no_topic_ids_is_sent_names() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker:
            broker.versions[ApiKey.METADATA] = (0, 9)
            async with Cluster(broker.bootstrap, ONE_PER_BATCH) as cluster, Producer(cluster) as producer:
                [delivery] = await sent(producer, 1)
                assert delivery.outcome is DeliveryOutcome.ACKNOWLEDGED
            assert (ApiKey.PRODUCE, 12) in broker.asked

    asyncio.run(scenario())
