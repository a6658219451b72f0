"""A connection that is closed while its requests wait is gone at once, without help of the garbage collector."""

import asyncio
import gc
import socket
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest

from chronik.metadata.decisions.topics import TopicRequest, plan_create_topics
from chronik.protocol.apis import SERVED, ApiKey
from chronik.protocol.frames import encode_request
from chronik.protocol.generated.fetch import FetchPartition, FetchRequest, FetchTopic
from chronik.protocol.generated.find_coordinator import FindCoordinatorRequest
from chronik.protocol.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from chronik.protocol.wire import Message
from chronik.server.broker import BrokerServer
from chronik.server.network.connection import KafkaConnection
from chronik.server.settings.server import load_settings

CLIENTS = 5
TOPIC = "orders"


def fetch(index: int) -> tuple[ApiKey, int, Message]:
    partition = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1000)
    topics = [FetchTopic(topic=TOPIC, partitions=[partition])]
    return ApiKey.FETCH, 12, FetchRequest(max_wait_ms=60_000, min_bytes=1, topics=topics)


def join(index: int) -> tuple[ApiKey, int, Message]:
    protocols = [JoinGroupRequestProtocol("range", b"")]
    request = JoinGroupRequest(f"group-{index}", 10_000, 10_000, protocol_type="consumer", protocols=protocols)
    return ApiKey.JOIN_GROUP, 3, request


async def start(data: Path) -> BrokerServer:
    settings = {
        "listeners": "PLAINTEXT://127.0.0.1:0",
        "log.dirs": str(data),
        "node.id": "1",
        "group.initial.rebalance.delay.ms": "60000",
        "offsets.topic.num.partitions": "1",
        "chronik.http.listener": "",
    }
    broker = BrokerServer(load_settings(overrides=settings))
    await broker.start()
    wish, rules = TopicRequest(TOPIC, uuid4(), 1, 1), broker.settings.cluster_rules
    await broker.catalog.carry_out(lambda image: plan_create_topics(image, [wish], rules))
    await broker.partitions.opened()
    return broker


async def ask(broker: BrokerServer, key: ApiKey, version: int, request: Message) -> socket.socket:
    loop = asyncio.get_running_loop()
    client = socket.socket()
    client.settimeout(0)
    await loop.sock_connect(client, ("127.0.0.1", broker.endpoints[0].port))
    await loop.sock_sendall(client, b"".join(encode_request(SERVED[key], version, 1, "test", request)))
    return client


def connections() -> list[KafkaConnection]:
    return [each for each in gc.get_objects() if isinstance(each, KafkaConnection)]


async def until(is_true: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_true():  # noqa: ASYNC110 - what others do cannot set an event
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("request_of", [fetch, join])
async def test_a_connection_whose_requests_wait_leaves_nothing_behind(
    tmp_path: Path, request_of: Callable[[int], tuple[ApiKey, int, Message]]
) -> None:
    """Rule 57: a closed connection kept its buffer of 64 KiB until a full collection, which may take hours to come."""
    broker = await start(tmp_path)
    first = await ask(broker, ApiKey.FIND_COORDINATOR, 4, FindCoordinatorRequest(coordinator_keys=["group-0"]))
    await asyncio.get_running_loop().sock_recv(first, 1000)
    first.close()
    gc.collect()
    gc.disable()
    try:
        clients = [await ask(broker, *request_of(index)) for index in range(CLIENTS)]
        await until(lambda: sum(bool(each._slots) for each in connections()) == CLIENTS)
        for client in clients:
            client.close()
        await until(lambda: all(each.closed for each in connections()))
        await asyncio.sleep(0)
        assert connections() == []
    finally:
        gc.enable()
        await broker.stop()
