"""Fetches from leaders: one link to each broker that leads partitions which this broker follows.

A link keeps a fetch session (KIP-227): a request names only changed partitions and a response only new data, so an idle
partition costs nothing. One request is in flight. A second is sent only when a partition is added meanwhile, and makes
the leader answer the first at once.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from chronik.client.connection import BrokerConnection
from chronik.client.errors import ClientError
from chronik.client.settings import ClientSettings
from chronik.metadata.image.keys import Endpoint
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerEpoch, BrokerId, TopicId
from chronik.protocol.generated.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
    PartitionData,
    ReplicaState,
)
from chronik.replication.events import FetchAsk
from chronik.server.replicas.follower import BadAnswerError, FollowerReplica

log = logging.getLogger(__name__)

REQUESTS_MAX: Final = 2
BACKOFF_S_MIN: Final = 0.02
FAILURES_MAX: Final = 10
SILENT_S_MAX: Final = 10.0
"""A connection whose leader sends nothing for so long after the wait is closed."""

Key = tuple[TopicId, int]


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Kafka's replica.fetch settings."""

    wait_ms: int
    bytes_max: int
    partition_bytes_max: int
    backoff_ms: int


class FetcherContext(NamedTuple):
    """What links need of the broker."""

    broker_id: BrokerId
    broker_epoch: Callable[[], BrokerEpoch | None]
    endpoint_of: Callable[[BrokerId], Endpoint | None]
    limits: FetchLimits


class _Sent(NamedTuple):
    number: int
    answer: "asyncio.Future[FetchResponse]"


@dataclass(slots=True)
class _Followed:
    """A partition of the link, its present fetch, and the request that carried it first."""

    partition: FollowerReplica
    ask: FetchAsk | None = None
    asked_in: int = 0
    in_session: FetchAsk | None = None
    failures: int = 0


class LeaderLink:
    """Fetches from one leader for as long as a partition follows it."""

    def __init__(self, leader: BrokerId, context: FetcherContext) -> None:
        self.leader = leader
        self._context = context
        self._followed: dict[Key, _Followed] = {}
        self._changed: dict[Key, None] = {}
        self._forgotten: dict[Key, None] = {}
        self._waiter: asyncio.Future[None] | None = None
        self._sent: deque[_Sent] = deque()
        self._number = 0
        self._session_id = 0
        self._session_epoch = 0
        self._backoff_s = BACKOFF_S_MIN
        self._is_lost = False

    @property
    def _requests_max(self) -> int:
        """One until the session is open: a second first request would open a second session."""
        return REQUESTS_MAX if self._session_id else 1

    @property
    def is_empty(self) -> bool:
        return not self._followed

    def follow(self, partition: FollowerReplica) -> None:
        """Add a partition: the next request, which is sent at once, fetches it."""
        key = (partition.topic_id, partition.topic_partition.partition)
        self._followed[key] = _Followed(partition)
        partition.on_ready = self._on_ready
        self._forgotten.pop(key, None)
        self._changed[key] = None
        self._wake()

    def unfollow(self, partition: FollowerReplica) -> None:
        """Remove a partition from the next request on."""
        key = (partition.topic_id, partition.topic_partition.partition)
        known = self._followed.get(key)
        if known is not None and known.partition is partition:
            del self._followed[key]
            self._changed.pop(key, None)
            if known.in_session is not None:
                self._forgotten[key] = None

    def _on_ready(self, partition: FollowerReplica) -> None:
        self._changed[partition.topic_id, partition.topic_partition.partition] = None
        self._wake()

    def _wake(self, answer: object = None) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def _until_woken(self) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        await self._waiter

    # --- the task

    async def run(self) -> None:
        """Fetch; after a failure, open a new connection and a new session."""
        while True:
            try:
                connection = await self._connect()
                try:
                    await self._fetch(connection)
                finally:
                    self._give_up()
                    connection.close()
            except ClientError as error:
                self._log_loss(error)
            await asyncio.sleep(self._backoff_s)
            self._backoff_s = min(self._backoff_s * 2, self._context.limits.backoff_ms / 1000)

    def _log_loss(self, error: ClientError) -> None:
        """Log a lost leader once, until it has answered again: the link retries about every second."""
        if not self._is_lost:
            self._is_lost = True
            log.info("cannot fetch from broker %d: %s. Retrying until it answers", self.leader, error.what)

    async def _connect(self) -> BrokerConnection:
        while self.is_empty:
            await self._until_woken()
        endpoint = self._context.endpoint_of(self.leader)
        if endpoint is None:
            raise ClientError(f"broker {self.leader} is not registered now")
        settings = ClientSettings(
            client_id=f"broker-{self._context.broker_id}-fetcher",
            request_timeout_ms=self._context.limits.wait_ms + int(SILENT_S_MAX * 1000),
        )
        return await BrokerConnection.open(endpoint.host, endpoint.port, settings)

    async def _fetch(self, connection: BrokerConnection) -> None:
        while self._followed or self._sent:
            if not self._sent or (self._changed and len(self._sent) < self._requests_max):
                request = self._request()
                answer = connection.send(request, FetchResponse)
                answer.add_done_callback(self._wake)
                self._sent.append(_Sent(self._number, answer))
            sent = self._sent[0]
            if not sent.answer.done():
                await self._until_woken()
            if sent.answer.done():
                self._sent.popleft()
                self._take(sent.number, sent.answer.result())

    # --- requests

    def _request(self) -> FetchRequest:
        self._number += 1
        limits = self._context.limits
        topics: dict[TopicId, list[FetchPartition]] = {}
        for key in tuple(self._changed):
            ask = self._next_ask(self._followed[key])
            if ask is not None:
                topics.setdefault(key[0], []).append(_fetch_partition(key[1], ask, limits.partition_bytes_max))
        self._changed.clear()
        request = FetchRequest(
            replica_state=ReplicaState(self._context.broker_id, self._context.broker_epoch() or -1),
            max_wait_ms=limits.wait_ms,
            min_bytes=1,
            max_bytes=limits.bytes_max,
            session_id=self._session_id,
            session_epoch=self._session_epoch,
            topics=[FetchTopic(topic_id=topic_id, partitions=asked) for topic_id, asked in topics.items()],
            forgotten_topics_data=self._forgotten_topics(),
        )
        self._session_epoch = self._session_epoch + 1 if self._session_id else 0
        return request

    def _next_ask(self, known: _Followed) -> FetchAsk | None:
        """Return the core's next fetch; None where the session has the same one already."""
        ask = known.partition.follower.next_fetch()
        if ask is None:
            ask = known.ask
            if ask is None:
                return None
        else:
            known.ask, known.asked_in = ask, self._number
        if known.in_session == ask:
            return None
        known.in_session = ask
        self._forgotten.pop((known.partition.topic_id, known.partition.topic_partition.partition), None)
        return ask

    def _forgotten_topics(self) -> list[ForgottenTopic]:
        topics: dict[TopicId, list[int]] = {}
        for topic_id, index in self._forgotten:
            topics.setdefault(topic_id, []).append(index)
        self._forgotten.clear()
        return [ForgottenTopic(topic_id=topic_id, partitions=indexes) for topic_id, indexes in topics.items()]

    # --- responses

    def _take(self, number: int, response: FetchResponse) -> None:
        error = ErrorCode(response.error_code)
        if error is not ErrorCode.NONE:
            raise ClientError(f"the session failed: {error.name}")
        if not self._session_id:
            self._session_id, self._session_epoch = response.session_id, 1
        self._backoff_s = BACKOFF_S_MIN
        self._is_lost = False
        for topic in response.responses:
            for data in topic.partitions:
                known = self._followed.get((topic.topic_id, data.partition_index))
                if known is not None:
                    self._take_partition(number, known, data)

    def _take_partition(self, number: int, known: _Followed, data: PartitionData) -> None:
        ask = known.ask
        if ask is None or known.asked_in > number or known.partition.is_closed:
            # The response belongs to a fetch that was answered before.
            return
        known.ask = None
        error = ErrorCode(data.error_code)
        if error is ErrorCode.NONE or (error is ErrorCode.OFFSET_OUT_OF_RANGE and data.log_start_offset >= 0):
            self._hand_over(known, ask, data)
        else:
            self._retry_later(known, ask, error.name)

    def _hand_over(self, known: _Followed, ask: FetchAsk, data: PartitionData) -> None:
        diverging, records = data.diverging_epoch, data.records
        try:
            known.partition.take_answer(
                ask,
                memoryview(b"" if records is None else records),
                high_watermark=data.high_watermark,
                log_start_offset=data.log_start_offset,
                diverging=None if diverging is None else (diverging.epoch, diverging.end_offset),
            )
        except BadAnswerError as bad:
            log.error("%s: broker %d sent an invalid response: %s", known.partition.topic_partition, self.leader, bad)
            self._retry_later(known, ask, "an invalid response")
            return
        known.failures = 0
        if known.partition.follower.under_way is not None:
            # The follower is still writing or truncating: the leader must not send the same data meanwhile.
            self._leave_out(known)

    def _leave_out(self, known: _Followed) -> None:
        if known.in_session is not None:
            known.in_session = None
            self._forgotten[known.partition.topic_id, known.partition.topic_partition.partition] = None

    def _retry_later(self, known: _Followed, ask: FetchAsk, why: str) -> None:
        """Leave the partition out with growing back-off: the leader may just be beginning its term."""
        partition = known.partition
        partition.fetch_failed(ask)
        self._leave_out(known)
        log.debug("%s: broker %d answers %s, retrying soon", partition.topic_partition, self.leader, why)
        delay_s = min(BACKOFF_S_MIN * 2**known.failures, self._context.limits.backoff_ms / 1000)
        known.failures = min(known.failures + 1, FAILURES_MAX)
        asyncio.get_running_loop().call_later(delay_s, self._try_again, known)

    def _try_again(self, known: _Followed) -> None:
        key = (known.partition.topic_id, known.partition.topic_partition.partition)
        if self._followed.get(key) is known:
            self._changed[key] = None
            self._wake()

    def _give_up(self) -> None:
        """Forget the session and all fetches of this connection: they get no response."""
        for sent in self._sent:
            sent.answer.cancel()
        self._sent.clear()
        self._session_id = self._session_epoch = 0
        self._forgotten.clear()
        for key, known in self._followed.items():
            known.in_session = None
            if known.ask is not None:
                known.partition.fetch_failed(known.ask)
                known.ask = None
            self._changed[key] = None


def _fetch_partition(index: int, ask: FetchAsk, bytes_max: int) -> FetchPartition:
    return FetchPartition(
        partition=index,
        current_leader_epoch=ask.leader_epoch,
        fetch_offset=ask.fetch_offset,
        last_fetched_epoch=ask.last_fetched_epoch,
        log_start_offset=-1,
        partition_max_bytes=bytes_max,
    )


@dataclass(slots=True)
class ReplicaFetcher:
    """The links of this broker to all leaders it follows."""

    context: FetcherContext
    start: Callable[[str, "LeaderLink"], None]
    """Starts the supervised task of a link."""
    links: dict[BrokerId, LeaderLink] = field(default_factory=dict)

    def follow(self, partition: FollowerReplica) -> None:
        """Fetch from the partition's leader from now on, if it has one."""
        if partition.leader_id == NO_BROKER:
            return
        link = self.links.get(partition.leader_id)
        if link is None:
            link = self.links[partition.leader_id] = LeaderLink(partition.leader_id, self.context)
            self.start(f"fetching from broker {partition.leader_id}", link)
        link.follow(partition)

    def unfollow(self, partition: FollowerReplica) -> None:
        """Stop fetching."""
        link = self.links.get(partition.leader_id)
        if link is not None:
            link.unfollow(partition)
