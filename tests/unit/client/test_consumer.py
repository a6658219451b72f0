"""Assigned partitions are read whole, in order, from where one asked to where one asked."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from chronik.client.cluster import Cluster
from chronik.client.consumer import Consumer, FromEarliest, FromLatest, FromOffset, Start, partitions_of
from chronik.client.errors import ConnectionFailedError, RefusedError
from chronik.client.fetched import FetchedRecords
from chronik.client.settings import ClientSettings
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.apis import ApiKey
from chronik.records.batch import stamp
from chronik.records.build import Record, build_batch
from chronik.records.codecs import Codec
from tests.unit.client.fake_broker import HANG_UP, TOPIC, FakeBroker

SETTINGS = ClientSettings(retry_backoff_ms=1, retry_timeout_ms=30_000, fetch_wait_ms_max=1)


def fill(broker: FakeBroker, partition: int, count: int, per_batch: int = 3, codec: Codec = Codec.NONE) -> None:
    for begin in range(broker.ends[partition], broker.ends[partition] + count, per_batch):
        size = min(per_batch, broker.ends[partition] + count - begin)
        records = [Record(None, b"%d" % (begin + index), timestamp=begin + index) for index in range(size)]
        broker.logs[partition].append(build_batch(records, codec=codec, base_offset=begin))
    broker.ends[partition] += count


async def read(cluster: Cluster, starts: Mapping[TopicPartition, Start]) -> dict[int, list[int]]:
    seen: dict[int, list[int]] = {at.partition: [] for at in starts}
    async with asyncio.timeout(60), Consumer(cluster, starts) as consumer:
        async for fetched in consumer:
            seen[fetched.topic_partition.partition] += [record.offset for record in fetched.records()]
    return seen


def at(partition: int) -> TopicPartition:
    return TopicPartition(TOPIC, partition)


def test_every_partition_is_read_whole_and_in_order() -> None:
    async def scenario() -> None:
        async with FakeBroker(partitions=3) as broker, Cluster(broker.bootstrap, SETTINGS) as cluster:
            fill(broker, 0, 20)
            fill(broker, 2, 7, codec=Codec.ZSTD)
            assigned = await partitions_of(cluster, TOPIC)
            seen = await read(cluster, dict.fromkeys(assigned, FromEarliest()))
            assert seen == {0: list(range(20)), 1: [], 2: list(range(7))}

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (FromOffset(4), list(range(4, 20))),
        (FromOffset(-2), [18, 19]),
        (FromOffset(-100), list(range(20))),
        (FromOffset(20), []),
        (FromLatest(), []),
    ],
)
def test_reading_begins_at_the_chosen_start(start: Start, expected: list[int]) -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker, Cluster(broker.bootstrap, SETTINGS) as cluster:
            fill(broker, 0, 20)
            assert await read(cluster, {at(0): start}) == {0: expected}

    asyncio.run(scenario())


def test_reading_ends_at_the_high_watermark_of_its_beginning() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker, Cluster(broker.bootstrap, SETTINGS) as cluster:
            fill(broker, 0, 3)
            seen: list[int] = []
            async with asyncio.timeout(60), Consumer(cluster, {at(0): FromEarliest()}) as consumer:
                # The first fetch brings two batches, of which the second was written after the beginning.
                fill(broker, 0, 10)
                async for fetched in consumer:
                    assert len(list(fetched.batches())) == 2
                    seen += [record.offset for record in fetched.records()]
            assert seen == [0, 1, 2]

    asyncio.run(scenario())


def test_following_goes_on_with_what_is_written_later() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker, Cluster(broker.bootstrap, SETTINGS) as cluster:
            seen: list[int] = []
            async with asyncio.timeout(60), Consumer(cluster, {at(0): FromLatest()}, follow=True) as consumer:
                fill(broker, 0, 5)
                async for fetched in consumer:
                    seen += [record.offset for record in fetched.records()]
                    if len(seen) >= 5:
                        break
            assert seen == list(range(5))

    asyncio.run(scenario())


def test_offset_outside_the_log_is_an_error_that_names_the_bounds() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker, Cluster(broker.bootstrap, SETTINGS) as cluster:
            fill(broker, 0, 9)
            broker.log_starts[0] = 6
            with pytest.raises(RefusedError, match=r"events-0 offset 2.*log start 6, high watermark 9") as refused:
                await read(cluster, {at(0): FromOffset(2)})
            assert refused.value.error is ErrorCode.OFFSET_OUT_OF_RANGE

    asyncio.run(scenario())


def test_reader_follows_a_partition_to_its_new_leader_without_loss_or_repetition() -> None:
    async def scenario() -> None:
        async with FakeBroker(node_id=1) as old, FakeBroker(node_id=2) as new:
            for broker in (old, new):
                broker.cluster = [old, new]
                broker.leader_of = {0: 1}
                fill(broker, 0, 60)
            async with Cluster(old.bootstrap, replace(SETTINGS, fetched_ahead_max=1)) as cluster:
                seen: list[int] = []
                async with asyncio.timeout(60), Consumer(cluster, {at(0): FromEarliest()}) as consumer:
                    async for fetched in consumer:
                        seen += [record.offset for record in fetched.records()]
                        old.leader_of = new.leader_of = {0: 2}
            assert seen == list(range(60))
            assert any(key is ApiKey.FETCH for key, _ in new.asked)

    asyncio.run(scenario())


def test_lost_connection_is_opened_again_and_reading_goes_on() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker, Cluster(broker.bootstrap, SETTINGS) as cluster:
            fill(broker, 0, 12)
            failures = iter([HANG_UP])

            def first_fails(request: object, version: int) -> object:
                return next(failures, None) or broker._fetch(request)

            broker.overrides[ApiKey.FETCH] = first_fails
            assert await read(cluster, {at(0): FromEarliest()}) == {0: list(range(12))}

    asyncio.run(scenario())


def test_broker_that_stays_away_ends_the_reading_with_an_error() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker:
            fill(broker, 0, 12)
            broker.overrides[ApiKey.FETCH] = lambda request, version: HANG_UP
            async with Cluster(broker.bootstrap, replace(SETTINGS, retry_timeout_ms=100)) as cluster:
                with pytest.raises(ConnectionFailedError, match=f"127.0.0.1:{broker.port}"):
                    await read(cluster, {at(0): FromEarliest()})

    asyncio.run(scenario())


def test_partition_that_does_not_exist_is_refused_by_name() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker, Cluster(broker.bootstrap, SETTINGS) as cluster:
            with pytest.raises(RefusedError, match=r"events-3.*1 partition"):
                await partitions_of(cluster, TOPIC, [3])

    asyncio.run(scenario())


def batch(first: int, count: int, **fields: object) -> bytes:
    made = bytearray(build_batch([Record(None, b"v") for _ in range(count)], **fields))  # type: ignore[arg-type]
    stamp(made, 0, first, 0)
    return bytes(made)


def marker(first: int, kind: int, producer_id: int) -> bytes:
    key = (0).to_bytes(2, "big") + kind.to_bytes(2, "big")
    made = bytearray(build_batch([Record(key, b"")], producer_id=producer_id, is_transactional=True, is_control=True))
    stamp(made, 0, first, 0)
    return bytes(made)


def test_aborted_transactions_and_markers_are_left_out() -> None:
    abort, commit = 0, 1
    data = b"".join(
        [
            batch(0, 2, producer_id=1, producer_epoch=0, base_sequence=0, is_transactional=True),
            batch(2, 1, producer_id=2, producer_epoch=0, base_sequence=0, is_transactional=True),
            batch(3, 1),
            marker(4, abort, 1),
            batch(5, 1, producer_id=1, producer_epoch=0, base_sequence=2, is_transactional=True),
            marker(6, commit, 1),
            marker(7, commit, 2),
        ]
    )
    fetched = FetchedRecords(at(0), memoryview(data), 0, None, 8, aborted=[(0, 1)])
    assert [record.offset for record in fetched.records()] == [2, 3, 5]


def test_records_before_the_start_and_behind_the_end_are_left_out() -> None:
    fetched = FetchedRecords(at(0), memoryview(batch(0, 4) + batch(4, 4)), 2, 6, 8)
    assert [record.offset for record in fetched.records()] == [2, 3, 4, 5]
