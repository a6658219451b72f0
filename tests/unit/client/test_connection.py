"""One connection: versions agreed, answers in order, and every failure told to everyone who waits."""

import asyncio
from typing import Any

import pytest

from chronik.client.cluster import Cluster
from chronik.client.connection import BrokerConnection
from chronik.client.errors import (
    BrokenAnswerError,
    ConnectionFailedError,
    RequestTimedOutError,
    UnsupportedByBrokerError,
)
from chronik.client.settings import ClientSettings
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.fetch import FetchRequest
from chronik.protocol.generated.metadata import MetadataRequest, MetadataResponse
from tests.unit.client.fake_broker import HANG_UP, SILENCE, TOPIC, FakeBroker

QUICK = ClientSettings(request_timeout_ms=200)
"""For brokers that do not answer; who answers may be late on a busy machine."""
BOUND_S = 30.0


async def connected(broker: FakeBroker, settings: ClientSettings | None = None) -> BrokerConnection:
    return await BrokerConnection.open("127.0.0.1", broker.port, settings or ClientSettings())


def test_highest_common_version_is_used_for_each_request() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker:
            broker.versions[ApiKey.METADATA] = (0, 9)
            connection = await connected(broker)
            await connection.call(MetadataRequest(topics=None), MetadataResponse)
            assert broker.asked[-1] == (ApiKey.METADATA, 9)
            assert connection.version_of(FetchRequest, cap=12) == 12
            connection.close()

    asyncio.run(scenario())


def test_broker_that_refuses_our_apiversions_is_asked_again_in_its_own_version() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker:
            broker.versions[ApiKey.API_VERSIONS] = (0, 2)
            connection = await connected(broker)
            assert [version for _, version in broker.asked] == [3, 2]
            assert connection.version_of(FetchRequest) == 18
            connection.close()

    asyncio.run(scenario())


def test_api_without_a_common_version_is_refused_before_anything_is_sent() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker:
            broker.versions[ApiKey.METADATA] = (40, 41)
            connection = await connected(broker)
            with pytest.raises(UnsupportedByBrokerError, match=f"127.0.0.1:{broker.port}.*Metadata.*40-41"):
                await connection.call(MetadataRequest(topics=None), MetadataResponse)
            assert len(broker.asked) == 1
            assert connection.is_open
            connection.close()

    asyncio.run(scenario())


def test_pipelined_requests_get_their_own_answers() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker:
            connection = await connected(broker)
            answers = [
                connection.send(MetadataRequest(topics=None if index % 2 else []), MetadataResponse)
                for index in range(50)
            ]
            assert connection.in_flight == 50
            topics = [len((await answer).topics) for answer in answers]
            assert topics == [index % 2 for index in range(50)]
            assert connection.in_flight == 0
            connection.close()

    asyncio.run(scenario())


def test_request_without_an_answer_times_out_by_name_and_takes_those_behind_it_along() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker:
            broker.overrides[ApiKey.METADATA] = lambda request, version: SILENCE
            connection = await connected(broker)
            first = connection.send(MetadataRequest(topics=None), MetadataResponse, timeout_s=0.2)
            second = connection.send(MetadataRequest(topics=None), MetadataResponse, timeout_s=60)
            for answer in (first, second):
                with pytest.raises(RequestTimedOutError, match=f"127.0.0.1:{broker.port}: no answer to Metadata"):
                    await asyncio.wait_for(answer, BOUND_S)
            assert not connection.is_open
            with pytest.raises(RequestTimedOutError):
                connection.send(MetadataRequest(topics=None), MetadataResponse)

    asyncio.run(scenario())


def test_a_closed_connection_fails_every_waiting_request() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker:
            broker.overrides[ApiKey.METADATA] = lambda request, version: HANG_UP
            connection = await connected(broker)
            answers = [connection.send(MetadataRequest(topics=None), MetadataResponse) for _ in range(3)]
            for answer in answers:
                with pytest.raises(ConnectionFailedError, match=f"127.0.0.1:{broker.port}"):
                    await asyncio.wait_for(answer, BOUND_S)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("nonsense", "reason"),
    [
        (bytes.fromhex("00000008 7fffffff 00000000"), "correlation id 2147483647"),
        (bytes.fromhex("7fffffff"), "announces 2147483647 bytes"),
        (bytes.fromhex("00000005 00000001 00"), "Metadata"),
    ],
)
def test_answer_that_is_no_answer_ends_the_connection(nonsense: bytes, reason: str) -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker:
            broker.overrides[ApiKey.METADATA] = lambda request, version: nonsense
            connection = await connected(broker)
            with pytest.raises(BrokenAnswerError, match=reason):
                await asyncio.wait_for(connection.call(MetadataRequest(topics=None), MetadataResponse), BOUND_S)
            assert not connection.is_open

    asyncio.run(scenario())


def test_response_without_a_request_ends_the_connection() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker:
            real = b""

            def twice(request: Any, version: int) -> bytes:
                return real + real

            connection = await connected(broker)
            answer = await connection.call(MetadataRequest(topics=[]), MetadataResponse, version=0)
            body = b"".join(answer.encode(0))
            real = (4 + len(body)).to_bytes(4, "big") + (2).to_bytes(4, "big") + body
            broker.overrides[ApiKey.METADATA] = twice
            assert await connection.call(MetadataRequest(topics=[]), MetadataResponse, version=0) == answer
            with pytest.raises(BrokenAnswerError, match="a response without a request"):
                await connection.call(MetadataRequest(topics=[]), MetadataResponse, version=0)

    asyncio.run(scenario())


def test_address_without_a_listener_is_named_with_advice() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker:
            port = broker.port
        with pytest.raises(ConnectionFailedError, match=f"127.0.0.1:{port}: connection refused") as failed:
            await BrokerConnection.open("127.0.0.1", port, ClientSettings())
        assert "chronik serve" in failed.value.advice

    asyncio.run(scenario())


def test_where_one_bootstrap_server_takes_the_connection_and_says_nothing_the_next_is_asked() -> None:
    async def scenario() -> None:
        async with FakeBroker() as stopped, FakeBroker() as good:
            stopped.overrides[ApiKey.API_VERSIONS] = lambda request, version: SILENCE
            async with Cluster(f"{stopped.bootstrap},{good.bootstrap}", QUICK) as cluster:
                assert (await cluster.any_connection()).port == good.port
            good.overrides = stopped.overrides
            with pytest.raises(ConnectionFailedError, match=f"{stopped.port}.*{good.port}: no answer"):
                await Cluster(f"{stopped.bootstrap},{good.bootstrap}", QUICK).any_connection()

    asyncio.run(asyncio.wait_for(scenario(), BOUND_S))


def test_cancelled_caller_leaves_the_connection_in_step() -> None:
    async def scenario() -> None:
        async with FakeBroker() as broker:
            connection = await connected(broker)
            given_up = connection.send(MetadataRequest(topics=[]), MetadataResponse)
            given_up.cancel()
            answer = await connection.call(MetadataRequest(topics=None), MetadataResponse)
            assert [topic.name for topic in answer.topics] == [TOPIC]
            connection.close()

    asyncio.run(scenario())
