"""Forwards produce requests for partitions that other brokers lead.

A batch is forwarded once, to the leader in the image, on one ordered connection per broker. The request carries the
topic's id, the rest of the client's time-out, and a mark: a leader never forwards a marked request again. A forward is
never retried here: a batch that may be written is rejected with REQUEST_TIMED_OUT, one that was not sent with
NOT_LEADER_OR_FOLLOWER, and the client decides. A request with acks=0 is forwarded with acks=1, because an error must
close the client's connection.

The router forwards the batches of one request that are not led here::

    forward = services.forwarder.begin(context.peer, context.client_id, request.acks, request.timeout_ms)
    if forward is None: ...                               # reject with NOT_LEADER_OR_FOLLOWER
    forward.add(topic_image, index, records, outcome)     # for each batch; the records are copied
    forward.send()                                        # one request per leader; the outcomes are settled later

A client that keeps sending to the wrong broker is forwarded for a while only, then rejected, so that it looks for the
leader.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final, NamedTuple

from chronik.client.connection import BrokerConnection
from chronik.client.errors import ClientError
from chronik.client.settings import ClientSettings
from chronik.metadata.image.image import Image, TopicImage
from chronik.metadata.image.keys import Endpoint
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, TopicId
from chronik.protocol.constants import PRODUCE_FIRST_VERSION_BY_ID
from chronik.protocol.generated.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from chronik.server.produce.append_outcome import AppendOutcome

log = logging.getLogger(__name__)

MARK: Final = "chronik-forward/"
"""The prefix of a forwarding broker's client id; a request with it is not forwarded again."""
MISDIRECTED_S_MAX: Final = 30.0
"""How long a connection may send to the wrong broker before it is rejected."""
REMEMBERED_PEERS_MAX: Final = 4096
ANSWER_GRACE_S: Final = 5.0
"""How long after the request's time-out a response may come before the connection counts as broken."""
CONNECT_TIMEOUT_MS: Final = 2_000
CONNECT_BACKOFF_S: Final = 0.1
IDLE_S_MAX: Final = 60.0
"""An idle connection is replaced after this time: the leader may be about to close it, and a request would be lost."""


class ForwardingRules(NamedTuple):
    """The settings of forwarding."""

    node_id: BrokerId
    is_enabled: bool = True
    listener: str = "PLAINTEXT"
    bytes_max: int = 64 * 1024 * 1024
    """The bytes in flight to one broker; the limit must admit every request that a client may send."""


class _Batch(NamedTuple):
    topic_id: TopicId
    partition: int
    records: bytes
    outcome: AppendOutcome


class _Part:
    """The batches of one client's request for one leader."""

    __slots__ = ("acks", "batches", "deadline", "size_bytes")

    def __init__(self, acks: int, deadline: float) -> None:
        self.acks = acks
        self.deadline = deadline
        self.batches: list[_Batch] = []
        self.size_bytes = 0

    def add(self, batch: _Batch) -> None:
        self.batches.append(batch)
        self.size_bytes += len(batch.records)

    def request(self, remaining_s: float) -> ProduceRequest:
        topics: dict[TopicId, TopicProduceData] = {}
        for batch in self.batches:
            topic = topics.setdefault(batch.topic_id, TopicProduceData(topic_id=batch.topic_id))
            topic.partition_data.append(PartitionProduceData(batch.partition, batch.records))
        # With acks=0 the leader could not report an error.
        acks = self.acks or 1
        return ProduceRequest(acks=acks, timeout_ms=max(1, int(remaining_s * 1000)), topic_data=list(topics.values()))

    def reject(self, error: ErrorCode, message: str) -> None:
        for batch in self.batches:
            batch.outcome.reject(error, message)

    def settle(self, answer: ProduceResponse, leader: BrokerId) -> None:
        """Settle each batch with the leader's response."""
        results = {
            (topic.topic_id, result.index): result for topic in answer.responses for result in topic.partition_responses
        }
        for batch in self.batches:
            result = results.get((batch.topic_id, batch.partition))
            if result is None:
                batch.outcome.reject(ErrorCode.REQUEST_TIMED_OUT, f"broker {leader} left the partition out")
            else:
                _settle(batch.outcome, result, leader)


class ForwardedRequest:
    """The batches of one client's request that other brokers lead, grouped by leader."""

    __slots__ = ("_acks", "_deadline", "_forwarder", "_parts")

    def __init__(self, forwarder: "Forwarder", acks: int, deadline: float) -> None:
        self._forwarder = forwarder
        self._acks = acks
        self._deadline = deadline
        self._parts: dict[BrokerId, _Part] = {}

    def add(self, topic: TopicImage, index: int, records: memoryview | bytes, outcome: AppendOutcome) -> None:
        """Add a batch for its leader; a batch without a reachable leader is rejected at once."""
        leader = topic.partitions[index].leader
        if not self._forwarder.can_reach(leader):
            outcome.reject(ErrorCode.NOT_LEADER_OR_FOLLOWER, "the partition has no leader that can be reached")
            return
        part = self._parts.get(leader)
        if part is None:
            part = self._parts[leader] = _Part(self._acks, self._deadline)
        # The view is of a receive buffer, which is overwritten after this read event.
        part.add(_Batch(topic.id, index, bytes(records), outcome))

    def send(self) -> None:
        """Send one request to each leader."""
        for leader, part in self._parts.items():
            self._forwarder.send(leader, part)


class Forwarder:
    """Forwards batches to other brokers, and settles them with the leaders' responses."""

    def __init__(self, rules: ForwardingRules) -> None:
        self._rules = rules
        self._loop = asyncio.get_running_loop()
        self._image = Image()
        self._targets: dict[BrokerId, _Target] = {}
        self._misdirected: dict[str, _Misdirected] = {}
        self.requests_forwarded = 0
        self.batches_forwarded = 0
        self.clients_redirected = 0

    def begin(self, peer: str, client_id: str | None, acks: int, timeout_ms: int) -> ForwardedRequest | None:
        """Begin to forward batches of a request; return None where the client must look for the leader itself."""
        if not self._rules.is_enabled or is_forwarded(client_id):
            return None
        # With acks=0 a rejection would close the connection, and lose the other batches in flight on it.
        if self._is_overdue(peer) and acks:
            self.clients_redirected += 1
            return None
        return ForwardedRequest(self, acks, self._loop.time() + max(timeout_ms, 0) / 1000)

    def can_reach(self, leader: BrokerId) -> bool:
        """Whether the leader is another live broker with a listener for brokers."""
        return leader != self._rules.node_id and self._endpoint(leader) is not None

    def send(self, leader: BrokerId, part: _Part) -> None:
        """Send the batches for one leader, or queue them; their outcomes are settled in every case."""
        target = self._target(leader)
        if target is None:
            part.reject(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"broker {leader} is gone")
            return
        self.requests_forwarded += 1
        self.batches_forwarded += len(part.batches)
        target.send(part)

    def on_image(self, before: Image, after: Image) -> None:
        """Close connections to brokers that are gone, and settle the batches that wait for them."""
        self._image = after
        for broker_id in list(self._targets):
            if self._endpoint(broker_id) != self._targets[broker_id].endpoint:
                self._targets.pop(broker_id).close(f"broker {broker_id} is gone")

    def close(self) -> None:
        """Close all connections; batches in flight are rejected as possibly written."""
        targets, self._targets = self._targets, {}
        for target in targets.values():
            target.close("the broker is stopping")

    def _target(self, leader: BrokerId) -> "_Target | None":
        target = self._targets.get(leader)
        if target is None:
            endpoint = self._endpoint(leader)
            if endpoint is None:
                return None
            target = self._targets[leader] = _Target(self._loop, leader, endpoint, self._rules)
        return target

    def _endpoint(self, broker_id: BrokerId) -> Endpoint | None:
        broker = self._image.brokers.get(broker_id)
        return None if broker is None else broker.endpoint(self._rules.listener)

    def _is_overdue(self, peer: str) -> bool:
        """Whether this connection has sent to the wrong broker for too long; if so, its time starts again."""
        now = self._loop.time()
        known = self._misdirected.get(peer)
        if known is None or now - known.last > MISDIRECTED_S_MAX:
            self._forget_peers(now)
            self._misdirected[peer] = _Misdirected(now, now)
            return False
        if now - known.first > MISDIRECTED_S_MAX:
            del self._misdirected[peer]
            return True
        self._misdirected[peer] = _Misdirected(known.first, now)
        return False

    def _forget_peers(self, now: float) -> None:
        if len(self._misdirected) < REMEMBERED_PEERS_MAX:
            return
        recent = {peer: known for peer, known in self._misdirected.items() if now - known.last <= MISDIRECTED_S_MAX}
        self._misdirected = {} if len(recent) >= REMEMBERED_PEERS_MAX else recent


class _Misdirected(NamedTuple):
    """When a connection first and last sent to the wrong broker."""

    first: float
    last: float


class _Target:
    """The one connection to one broker; requests go out in the order of the calls."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, broker_id: BrokerId, endpoint: Endpoint, rules: ForwardingRules
    ) -> None:
        self._loop = loop
        self._broker_id = broker_id
        self.endpoint = endpoint
        self._bytes_max = rules.bytes_max
        self._settings = ClientSettings(
            client_id=f"{MARK}{rules.node_id}",
            connect_timeout_ms=CONNECT_TIMEOUT_MS,
            request_timeout_ms=CONNECT_TIMEOUT_MS,
        )
        self._connection: BrokerConnection | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._queued: list[_Part] = []
        self._bytes_in_flight = 0
        self._answer_due = 0.0
        self._used_at = loop.time()
        self._backoff_until = 0.0

    def send(self, part: _Part) -> None:
        if self._bytes_in_flight + part.size_bytes > self._bytes_max:
            part.reject(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"too many bytes are in flight to broker {self._broker_id}")
        elif self._is_usable():
            self._write(part)
        elif self._connecting is None and self._loop.time() < self._backoff_until:
            self._reject_unsent([part], "cannot be reached")
        else:
            self._queued.append(part)
            self._bytes_in_flight += part.size_bytes
            if self._connecting is None:
                self._connecting = self._loop.create_task(self._connect())

    def close(self, reason: str) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
            self._connecting = None
        if self._connection is not None:
            self._connection.close()
        queued, self._queued = self._queued, []
        self._reject_unsent(queued, reason)

    def _is_usable(self) -> bool:
        connection = self._connection
        if connection is None or not connection.is_open:
            return False
        now = self._loop.time()
        if not connection.in_flight and now - self._used_at > IDLE_S_MAX:
            connection.close()
            return False
        self._used_at = now
        return True

    async def _connect(self) -> None:
        try:
            self._connection = await BrokerConnection.open(self.endpoint.host, self.endpoint.port, self._settings)
        except ClientError as error:
            log.warning("cannot connect to broker %d to forward batches: %s", self._broker_id, error)
            self._backoff_until = self._loop.time() + CONNECT_BACKOFF_S
        finally:
            self._connecting = None
            self._send_queued()

    def _send_queued(self) -> None:
        self._used_at = self._loop.time()
        queued, self._queued = self._queued, []
        for part in queued:
            self._bytes_in_flight -= part.size_bytes
            self._write(part)

    def _write(self, part: _Part) -> None:
        now = self._loop.time()
        remaining_s = part.deadline - now
        if remaining_s <= 0:
            self._reject_unsent([part], "was not connected in time")
            return
        # Responses come in the order of the requests, so this one may have to wait for earlier ones.
        self._answer_due = max(self._answer_due, part.deadline)
        wait_s = self._answer_due - now + ANSWER_GRACE_S
        try:
            answer = self._sent(part.request(remaining_s), wait_s)
        except ClientError as error:
            self._reject_unsent([part], f"cannot be reached: {error}")
            return
        self._bytes_in_flight += part.size_bytes
        answer.add_done_callback(self._settling(part))

    def _sent(self, request: ProduceRequest, wait_s: float) -> "asyncio.Future[ProduceResponse]":
        if self._connection is None:
            raise ClientError("there is no connection")
        version = self._connection.version_of(ProduceRequest)
        if version < PRODUCE_FIRST_VERSION_BY_ID:
            raise ClientError(f"it supports Produce up to version {version} only")
        return self._connection.send(request, ProduceResponse, version=PRODUCE_FIRST_VERSION_BY_ID, timeout_s=wait_s)

    def _settling(self, part: _Part) -> Callable[["asyncio.Future[ProduceResponse]"], None]:
        def on_answer(answer: "asyncio.Future[ProduceResponse]") -> None:
            self._bytes_in_flight -= part.size_bytes
            error = answer.exception()
            if error is None:
                part.settle(answer.result(), self._broker_id)
            else:
                part.reject(ErrorCode.REQUEST_TIMED_OUT, f"no response from broker {self._broker_id}: {error}")

        return on_answer

    def _reject_unsent(self, parts: list[_Part], reason: str) -> None:
        for part in parts:
            part.reject(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"broker {self._broker_id} {reason}")


def is_forwarded(client_id: str | None) -> bool:
    """Whether a request was forwarded by another broker."""
    return client_id is not None and client_id.startswith(MARK)


def _settle(outcome: AppendOutcome, result: PartitionProduceResponse, leader: BrokerId) -> None:
    error = _error_of(result.error_code)
    if error is not ErrorCode.NONE:
        outcome.reject(error, result.error_message, [record.batch_index for record in result.record_errors])
    elif result.base_offset < 0:
        outcome.reject(ErrorCode.REQUEST_TIMED_OUT, f"broker {leader} acknowledged without an offset")
    elif not outcome.is_settled:
        outcome.base_offset = result.base_offset
        outcome.append_time_ms = result.log_append_time_ms
        outcome.acknowledge(result.log_start_offset)


def _error_of(code: int) -> ErrorCode:
    if code == ErrorCode.UNKNOWN_TOPIC_ID:
        # The client may have named the topic, and does not know its id.
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return ErrorCode(code) if code in ErrorCode._value2member_map_ else ErrorCode.UNKNOWN_SERVER_ERROR
