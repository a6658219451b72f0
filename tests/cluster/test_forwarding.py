"""Produce requests that reach the wrong broker: passed on to the leader, once, or answered with who leads."""

import asyncio
import time
from collections.abc import Iterator
from uuid import UUID

import pytest

from chronik.client.connection import BrokerConnection
from chronik.client.errors import ClientError
from chronik.client.settings import ClientSettings
from chronik.model.errors import ErrorCode
from chronik.protocol.generated.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from chronik.protocol.generated.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from chronik.records.batch import walk
from chronik.records.build import Record, build_batch
from chronik.records.iterate import records_of
from chronik.testing import ClusterProcess
from tests.cluster.conftest import StartCluster

TIMEOUT_MS = 30_000
NAMES_VERSION, IDS_VERSION, OLDEST_VERSION = 12, 13, 3


@pytest.fixture(scope="module")
def shared_cluster() -> Iterator[ClusterProcess]:
    """Three brokers for the tests of this module, which leave them as they are."""
    with ClusterProcess(3) as cluster:
        yield cluster


def batch(*values: bytes, **producer: int) -> bytes:
    now = time.time_ns() // 1_000_000
    return build_batch([Record(None, value, (), now) for value in values], **producer)  # type: ignore[arg-type]


class Asked:
    """One connection to one broker."""

    def __init__(self, cluster: ClusterProcess, node: int) -> None:
        self._host, _, port = cluster.address_of(node).rpartition(":")
        self._port = int(port)

    async def produce(self, request: ProduceRequest, version: int) -> ProduceResponse:
        connection = await BrokerConnection.open(self._host, self._port, ClientSettings())
        try:
            return await connection.call(request, ProduceResponse, version=version)
        finally:
            connection.close()

    async def fetch_error(self, topic: "Topic", version: int) -> int:
        """Fetch as a consumer does, in a version of one's choice, and give the partition's error."""
        named = FetchTopic(topic=topic.name) if version < IDS_VERSION else FetchTopic(topic_id=topic.id)
        named.partitions = [FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1 << 20)]
        request = FetchRequest(max_wait_ms=0, min_bytes=0, max_bytes=1 << 20, session_epoch=-1, topics=[named])
        connection = await BrokerConnection.open(self._host, self._port, ClientSettings())
        try:
            answer = await connection.call(request, FetchResponse, version=version)
        finally:
            connection.close()
        error: int = answer.responses[0].partitions[0].error_code
        return error

    async def is_closed_by(self, request: ProduceRequest) -> bool:
        """Send without expecting an answer; whether the broker hangs up."""
        connection = await BrokerConnection.open(self._host, self._port, ClientSettings())
        try:
            connection.send_unanswered(request, ProduceResponse, version=NAMES_VERSION)
            probe = ProduceRequest(acks=1, timeout_ms=TIMEOUT_MS)
            await connection.call(probe, ProduceResponse, version=NAMES_VERSION)
        except ClientError:
            return True
        finally:
            connection.close()
        return False


def request_for(
    topic: str, topic_id: UUID, batches: dict[int, bytes], *, acks: int = -1, by_id: bool = False
) -> ProduceRequest:
    data = [PartitionProduceData(index, records) for index, records in batches.items()]
    named = TopicProduceData(topic_id=topic_id) if by_id else TopicProduceData(name=topic)
    named.partition_data = data
    return ProduceRequest(acks=acks, timeout_ms=TIMEOUT_MS, topic_data=[named])


def outcomes(response: ProduceResponse) -> dict[int, PartitionProduceResponse]:
    return {one.index: one for topic in response.responses for one in topic.partition_responses}


class Topic:
    """A topic with a partition led by each of the brokers."""

    def __init__(self, cluster: ClusterProcess, name: str) -> None:
        self.cluster = cluster
        self.name = cluster.create_topic(name, 3)
        cluster.wait_ready(in_sync=True)
        view = cluster.view().topics[name]
        self.id = view.topic_id
        self.leaders = {index: partition.leader for index, partition in view.partitions.items()}
        assert set(self.leaders.values()) == {1, 2, 3}

    def wrong_for(self, index: int) -> int:
        return next(node for node in self.cluster.nodes if node != self.leaders[index])

    def send(
        self, node: int, batches: dict[int, bytes], *, acks: int = -1, version: int = NAMES_VERSION
    ) -> dict[int, PartitionProduceResponse]:
        request = request_for(self.name, self.id, batches, acks=acks, by_id=version >= IDS_VERSION)
        return outcomes(asyncio.run(Asked(self.cluster, node).produce(request, version)))

    def values(self, index: int, count: int) -> list[bytes]:
        """Read what the leader has, when it has so much."""
        return asyncio.run(self._read(index, count))

    async def _read(self, index: int, count: int) -> list[bytes]:
        host, _, port = self.cluster.address_of(self.leaders[index]).rpartition(":")
        connection = await BrokerConnection.open(host, int(port), ClientSettings())
        try:
            async with asyncio.timeout(TIMEOUT_MS / 1000):
                found: list[bytes] = []
                while len(found) < count:
                    found = await self._fetch(connection, index)
                return found
        finally:
            connection.close()

    async def _fetch(self, connection: BrokerConnection, index: int) -> list[bytes]:
        asked = FetchPartition(partition=index, fetch_offset=0, partition_max_bytes=1 << 20)
        request = FetchRequest(
            max_wait_ms=100, min_bytes=1, max_bytes=1 << 20, topics=[FetchTopic(topic=self.name, partitions=[asked])]
        )
        answer = await connection.call(request, FetchResponse, version=12)
        (partition,) = answer.responses[0].partitions
        records = memoryview(partition.records or b"")
        batches = (records[start : start + header.size_bytes] for start, header in walk(records))
        return [record.value or b"" for one in batches for record in records_of(one)]


@pytest.mark.parametrize("version", [OLDEST_VERSION, NAMES_VERSION, IDS_VERSION])
@pytest.mark.parametrize("acks", [1, -1])
def test_a_batch_sent_to_the_wrong_broker_stands_at_the_offset_that_was_answered(
    shared_cluster: ClusterProcess, topic_name: str, version: int, acks: int
) -> None:
    topic = Topic(shared_cluster, topic_name)
    for number in range(3):
        answered = topic.send(topic.wrong_for(0), {0: batch(b"%d" % number)}, acks=acks, version=version)[0]
        assert (answered.error_code, answered.base_offset) == (ErrorCode.NONE, number)
    assert topic.values(0, 3) == [b"0", b"1", b"2"]


def test_a_request_for_several_leaders_is_split_among_them(shared_cluster: ClusterProcess, topic_name: str) -> None:
    topic = Topic(shared_cluster, topic_name)
    answered = topic.send(1, {index: batch(b"for %d" % index) for index in range(3)})
    assert {index: one.error_code for index, one in answered.items()} == dict.fromkeys(range(3), ErrorCode.NONE)
    assert [topic.values(index, 1) for index in range(3)] == [[b"for 0"], [b"for 1"], [b"for 2"]]


def test_what_needs_no_acknowledgement_arrives_all_the_same(shared_cluster: ClusterProcess, topic_name: str) -> None:
    topic = Topic(shared_cluster, topic_name)
    request = request_for(topic.name, topic.id, {0: batch(b"unanswered")}, acks=0)
    assert not asyncio.run(Asked(shared_cluster, topic.wrong_for(0)).is_closed_by(request))
    assert topic.values(0, 1) == [b"unanswered"]


def test_a_refusal_of_the_leader_closes_a_connection_that_expects_no_answer(
    shared_cluster: ClusterProcess, topic_name: str
) -> None:
    topic = Topic(shared_cluster, topic_name)
    broken = bytearray(batch(b"damaged"))
    broken[-1] ^= 1
    request = request_for(topic.name, topic.id, {0: bytes(broken)}, acks=0)
    assert asyncio.run(Asked(shared_cluster, topic.wrong_for(0)).is_closed_by(request))


def test_a_refusal_of_the_leader_is_passed_on(shared_cluster: ClusterProcess, topic_name: str) -> None:
    topic = Topic(shared_cluster, topic_name)
    broken = bytearray(batch(b"damaged"))
    broken[-1] ^= 1
    wrong, right = topic.wrong_for(0), topic.leaders[0]
    first, second = (topic.send(node, {0: bytes(broken)})[0] for node in (wrong, right))
    assert (first.error_code, first.error_message) == (second.error_code, second.error_message)
    assert first.error_code == ErrorCode.CORRUPT_MESSAGE


def test_a_retry_gets_no_second_offset_whichever_broker_it_is_sent_to(
    shared_cluster: ClusterProcess, topic_name: str
) -> None:
    topic = Topic(shared_cluster, topic_name)
    once = batch(b"once", producer_id=7_000_000, producer_epoch=0, base_sequence=0)
    nodes = [topic.wrong_for(0), topic.leaders[0], *topic.cluster.nodes]
    assert [topic.send(node, {0: once})[0].base_offset for node in nodes] == [0] * len(nodes)
    assert topic.values(0, 1) == [b"once"]


FETCH_VERSIONS = (4, 19)


def refusals(topic: Topic, version: int) -> set[int]:
    """What a broker that does not lead answers to Fetch, and to Produce as far as that has the version."""

    async def ask() -> set[int]:
        node = topic.wrong_for(0)
        asked = Asked(topic.cluster, node)
        errors = {await asked.fetch_error(topic, version)}
        if version <= IDS_VERSION:
            request = request_for(topic.name, topic.id, {0: batch(b"refused")}, by_id=version >= IDS_VERSION)
            errors.add(outcomes(await asked.produce(request, version))[0].error_code)
        return errors

    return asyncio.run(ask())


def test_where_forwarding_is_off_the_client_is_told_who_leads(start_cluster: StartCluster, topic_name: str) -> None:
    cluster = start_cluster(3, {"chronik.forward.produce": "false"})
    topic = Topic(cluster, topic_name)
    request = request_for(topic.name, topic.id, {0: batch(b"refused")})
    response = asyncio.run(Asked(cluster, topic.wrong_for(0)).produce(request, NAMES_VERSION))
    answered = outcomes(response)[0]
    assert answered.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert answered.current_leader is not None
    assert answered.current_leader.leader_id == topic.leaders[0]
    (endpoint,) = response.node_endpoints
    assert f"{endpoint.host}:{endpoint.port}" == cluster.address_of(topic.leaders[0])
    refused = {version: refusals(topic, version) for version in range(*FETCH_VERSIONS)}
    assert refused == {version: {ErrorCode.NOT_LEADER_OR_FOLLOWER} for version in refused}
    assert topic.send(topic.leaders[0], {0: batch(b"accepted")})[0].base_offset == 0
