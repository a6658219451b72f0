"""A link to a leader: what its requests name, and what becomes of a partition that is taken up in between."""

import asyncio
from typing import Any, cast
from uuid import UUID

from chronik.client.connection import BrokerConnection
from chronik.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, Offset, TopicPartition
from chronik.protocol.generated.fetch import FetchableTopicResponse, FetchRequest, FetchResponse, PartitionData
from chronik.replication.events import FetchAsk
from chronik.replication.follower import FollowedTerm, PartitionFollower
from chronik.server.replicas.fetcher import FetcherContext, FetchLimits, LeaderLink
from chronik.server.replicas.follower import FollowerReplica

LEADER = BrokerId(1)
TOPIC = UUID(int=7)
SESSION = 4711


class Following:
    """A followed partition without a log: it takes every answer and asks again."""

    def __init__(self, index: int) -> None:
        self.topic_id = TOPIC
        self.topic_partition = TopicPartition("orders", index)
        self.is_closed = False
        self.leader_id = LEADER
        self.follower = PartitionFollower(
            BrokerId(2),
            FollowedTerm(LEADER, LeaderEpoch(3)),
            log_start_offset=Offset(0),
            log_end_offset=Offset(10),
            last_epoch=LeaderEpoch(3),
            high_watermark=Offset(10),
        )
        self.on_ready: Any = None

    def take_answer(self, ask: FetchAsk, records: memoryview, **said: object) -> None:
        self.follower.under_way = None
        self.on_ready(self)

    def fetch_failed(self, ask: FetchAsk) -> None:
        self.follower.under_way = None


class Wire:
    """The leader's end of the connection: keeps the requests, answers when it is told."""

    def __init__(self) -> None:
        self.requests: list[FetchRequest] = []
        self._answers: list[asyncio.Future[FetchResponse]] = []

    def send(self, request: FetchRequest, response: type[FetchResponse]) -> "asyncio.Future[FetchResponse]":
        self.requests.append(request)
        self._answers.append(asyncio.get_running_loop().create_future())
        return self._answers[-1]

    def answer(self, number: int, *indexes: int) -> None:
        data = [PartitionData(index, 0, 10, 10, 0, records=b"") for index in indexes]
        topics = [FetchableTopicResponse(topic_id=TOPIC, partitions=data)]
        self._answers[number].set_result(FetchResponse(session_id=SESSION, responses=topics))

    def named(self, number: int) -> list[int]:
        return [asked.partition for topic in self.requests[number].topics for asked in topic.partitions]


def link_to_leader() -> LeaderLink:
    limits = FetchLimits(wait_ms=500, bytes_max=1_000_000, partition_bytes_max=1_000_000, backoff_ms=1_000)
    return LeaderLink(LEADER, FetcherContext(BrokerId(2), lambda: BrokerEpoch(5), lambda broker: None, limits))


def follow(link: LeaderLink, index: int) -> Following:
    following = Following(index)
    link.follow(cast(FollowerReplica, following))
    return following


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_until_the_session_stands_there_is_one_request_so_that_no_second_session_is_opened() -> None:
    link, wire = link_to_leader(), Wire()
    follow(link, 0)
    task = asyncio.ensure_future(link._fetch(cast(BrokerConnection, wire)))
    await turns()
    follow(link, 1)
    await turns()
    assert len(wire.requests) == 1
    wire.answer(0, 0)
    await turns()
    assert [request.session_id for request in wire.requests] == [0, SESSION]
    assert wire.named(1) == [1]
    task.cancel()


async def test_a_partition_that_is_taken_up_does_not_wait_for_a_request_that_hangs() -> None:
    link, wire = link_to_leader(), Wire()
    follow(link, 0)
    task = asyncio.ensure_future(link._fetch(cast(BrokerConnection, wire)))
    await turns()
    wire.answer(0, 0)
    await turns()
    assert len(wire.requests) == 2
    follow(link, 1)
    await turns()
    assert len(wire.requests) == 3
    assert wire.named(2) == [1]
    assert [request.session_epoch for request in wire.requests] == [0, 1, 2]
    task.cancel()


async def test_a_question_that_the_session_holds_is_not_sent_again() -> None:
    link, wire = link_to_leader(), Wire()
    follow(link, 0)
    task = asyncio.ensure_future(link._fetch(cast(BrokerConnection, wire)))
    await turns()
    wire.answer(0, 0)
    await turns()
    assert [wire.named(number) for number in range(2)] == [[0], []]
    task.cancel()


async def test_a_partition_that_is_no_longer_followed_is_taken_out_of_the_session() -> None:
    link, wire = link_to_leader(), Wire()
    follow(link, 0)
    gone = follow(link, 1)
    task = asyncio.ensure_future(link._fetch(cast(BrokerConnection, wire)))
    await turns()
    link.unfollow(cast(FollowerReplica, gone))
    wire.answer(0, 0, 1)
    await turns()
    forgotten = [index for topic in wire.requests[1].forgotten_topics_data for index in topic.partitions]
    assert forgotten == [1]
    task.cancel()
