"""Partitions that nobody may lead: the one who holds most leads when all have answered, and the loss is reported."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from chronik.metadata.image.keys import Endpoint
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER
from chronik.protocol.apis import SERVED, ApiKey
from chronik.protocol.frames import decode_request_header, encode_response
from chronik.protocol.generated.api_versions import ApiVersion, ApiVersionsResponse
from chronik.protocol.generated.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from chronik.server.cluster import unclean_recovery as last_known
from chronik.server.cluster.unclean_recovery import UncleanRecovery
from tests.unit.server.cluster_cases import Cluster, Node, cluster, partition, until


class Replica:
    """A broker that says how far its log goes, or refuses to."""

    def __init__(self, epoch: int, end: int, error: ErrorCode = ErrorCode.NONE) -> None:
        self.epoch = epoch
        self.end = end
        self.error = error
        self.asked: list[ListOffsetsRequest] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(4), "big")
                writer.write(b"".join(self._answer(memoryview(await reader.readexactly(size)))))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _answer(self, frame: memoryview) -> list[bytes | memoryview]:
        header = decode_request_header(frame)
        api = SERVED[ApiKey(header.api_key)]
        if header.api_key == ApiKey.API_VERSIONS:
            keys = [ApiVersion(ApiKey.LIST_OFFSETS, 1, 10), ApiVersion(ApiKey.API_VERSIONS, 0, 3)]
            return encode_response(api, header.version, header.correlation_id, ApiVersionsResponse(api_keys=keys))
        request = ListOffsetsRequest.decode(frame[header.body_position :], header.version)
        self.asked.append(request)
        return encode_response(api, header.version, header.correlation_id, self._ends(request))

    def _ends(self, request: ListOffsetsRequest) -> ListOffsetsResponse:
        return ListOffsetsResponse(
            topics=[
                ListOffsetsTopicResponse(
                    topic.name,
                    [
                        ListOffsetsPartitionResponse(one.partition_index, self.error, -1, self.end, self.epoch)
                        for one in topic.partitions
                    ],
                )
                for topic in request.topics
            ]
        )


@asynccontextmanager
async def leaderless(*replicas: Replica) -> AsyncIterator[tuple[Cluster, list[Node]]]:
    """All replicas of a partition came back from a lossy restart; the last of them is the controller."""
    servers = [await asyncio.start_server(replica.serve, "127.0.0.1", 0) for replica in replicas]
    ports = [server.sockets[0].getsockname()[1] for server in servers]
    numbers = range(1, len(replicas) + 1)
    async with cluster() as made:
        for number in numbers:
            await (await made.node(number)).join()
        await made.topic(*numbers, min_insync=len(replicas))
        for node in made.nodes:
            await node.stop()
        nodes = [await back(made, number, port) for number, port in zip(numbers, ports, strict=True)]
        try:
            yield made, nodes
        finally:
            for node in made.nodes:
                await node.halt()
            for server in servers:
                server.close()


async def back(made: Cluster, number: int, port: int) -> Node:
    node = await made.node(number)
    member = node.member(boot="another boot")
    core = member._core
    core.registration = core.registration._replace(endpoints=(Endpoint("PLAINTEXT", "127.0.0.1", port),))
    await member.join()
    node.tasks.append(asyncio.ensure_future(member.keep()))
    return node


def recover(node: Node) -> None:
    node.serve()
    recovery = UncleanRecovery(node.catalog, node.duty, "PLAINTEXT")
    node.tasks.append(asyncio.ensure_future(recovery.run()))


@pytest.mark.parametrize(
    ("ends", "leader"),
    [
        ([(3, 10), (3, 20), (3, 15)], 2),
        ([(4, 10), (3, 20), (3, 15)], 1),
        ([(3, 10), (3, 10), (3, 10)], 1),
    ],
)
async def test_the_replica_with_the_latest_epoch_and_then_the_longest_log_leads_and_the_loss_is_reported(
    ends: list[tuple[int, int]], leader: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with leaderless(*(Replica(*end) for end in ends)) as (_, nodes):
        assert (partition(nodes[2]).leader, partition(nodes[2]).last_known) == (NO_BROKER, (1, 2, 3))
        with caplog.at_level(logging.ERROR):
            recover(nodes[2])
            await until(lambda: partition(nodes[2]).leader == leader)
            assert partition(nodes[2]).isr == (leader,)
            await until(lambda: "t-0 may have lost acknowledged records" in caplog.text)


async def test_nobody_leads_before_all_have_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_known, "RETRY_S", 0.01)
    silent = Replica(3, 30, ErrorCode.KAFKA_STORAGE_ERROR)
    async with leaderless(Replica(3, 10), silent) as (_, nodes):
        recover(nodes[1])
        await until(lambda: len(silent.asked) >= 3)
        assert partition(nodes[1]).leader == NO_BROKER
        silent.error = ErrorCode.NONE
        await until(lambda: partition(nodes[1]).leader == 2)


async def test_nobody_is_asked_before_all_who_were_in_sync_are_there() -> None:
    present = Replica(3, 10)
    async with leaderless(present, Replica(3, 20)) as (_, nodes):
        await nodes[1].stop()
        await until(lambda: 2 not in nodes[0].image.brokers)
        recover(nodes[0])
        await until(lambda: nodes[0].duty.is_controller)
        for _ in range(50):
            await asyncio.sleep(0)
        assert not present.asked
        assert partition(nodes[0]).leader == NO_BROKER


async def test_any_replica_is_asked_for_its_log_end_as_the_debugging_consumer_does() -> None:
    replica = Replica(0, 5)
    async with leaderless(replica) as (_, nodes):
        recover(nodes[0])
        await until(lambda: partition(nodes[0]).leader == 1)
        (asked,) = replica.asked
        assert asked.replica_id == -2
        assert [(one.partition_index, one.timestamp) for one in asked.topics[0].partitions] == [(0, -1)]


async def test_only_the_controller_recovers() -> None:
    replica = Replica(0, 5)
    async with leaderless(replica) as (made, nodes):
        other = (await (await made.node(9)).join()).serve()
        await until(lambda: other.duty.is_controller)
        recover(nodes[0])
        for _ in range(50):
            await asyncio.sleep(0)
        assert not replica.asked
