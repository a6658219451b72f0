"""Routes each batch of a produce request: append it here, forward it to its leader, or reject it.

A request responds when every one of its batches has an outcome, or when its time-out is over.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

from chronik.metadata.image.image import Image
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicId
from chronik.model.topics import INTERNAL_TOPICS
from chronik.observability.trace import Tracer
from chronik.protocol.constants import PRODUCE_FIRST_VERSION_BY_ID
from chronik.protocol.generated.produce import TopicProduceData
from chronik.records.batch import codec_of
from chronik.records.codecs import Codec
from chronik.server.loop.clock import now_ms
from chronik.server.network.pending_responses import Outcome, Pending
from chronik.server.produce.append_outcome import AppendOutcome
from chronik.server.produce.forwarding import ForwardedRequest, Forwarder, is_forwarded
from chronik.server.produce.in_flight_guard import OUT_OF_TURN, InFlightGuard, StreamBatch, error_without_lease
from chronik.server.produce.trace import TracedOutcome

ZSTD_VERSION: Final = 7
_NO_ZSTD: Final = "zstd needs version 7 of Produce"
_INTERNAL: Final = "only the broker itself writes to an internal topic"


class ProduceClient(Protocol):
    """The client of a request, as a request context describes it."""

    @property
    def version(self) -> int: ...
    @property
    def client_id(self) -> str | None: ...
    @property
    def peer(self) -> str: ...
    @property
    def correlation_id(self) -> int: ...
    @property
    def listener(self) -> str: ...


class Leader(Protocol):
    """A partition that this broker leads."""

    is_internal: bool
    topic_id: TopicId

    def append(
        self, records: memoryview, acks: int, outcome: AppendOutcome, now_ms: int, *, zstd_allowed: bool
    ) -> None: ...


class LedPartitions(Protocol):
    """Finds the partitions that this broker leads."""

    def led_by_name(self, topic: str, index: int, /) -> Leader | ErrorCode: ...
    def led_by_id(self, topic_id: TopicId, index: int, /) -> Leader | ErrorCode: ...


class ImageSource(Protocol):
    """Holds the metadata image."""

    @property
    def image(self) -> Image: ...


class BrokerLease(Protocol):
    """The lease of this broker's registration."""

    def may_acknowledge_alone(self) -> bool:
        """Whether no other broker can have been elected leader in the meantime."""


class ProduceRouter(NamedTuple):
    """What the routing of every request needs of the broker."""

    loop: asyncio.AbstractEventLoop
    partitions: LedPartitions
    catalog: ImageSource
    forwarder: Forwarder
    in_flight_guard: InFlightGuard
    lease: BrokerLease
    tracer: Tracer

    def rejection_of_acks(self, acks: int) -> ErrorCode | None:
        """Reject a write that only this broker would hold when it is acknowledged, once another broker may lead."""
        is_safe = acks == -1 or self.lease.may_acknowledge_alone()
        return None if is_safe else ErrorCode.NOT_LEADER_OR_FOLLOWER

    def error_of(self, outcome: AppendOutcome) -> ErrorCode:
        """Return the error that a response carries for a batch."""
        error = error_without_lease(outcome.error)
        if error is not outcome.error and not self.lease.may_acknowledge_alone():
            outcome.error = error
        return outcome.error


class PendingProduce(Pending):
    """A produce request whose batches are on their way."""

    __slots__ = (
        "_forward",
        "_forwarded",
        "_is_redirected",
        "_respond",
        "_timer",
        "_unsettled",
        "acks",
        "by_topic",
        "client",
        "router",
        "timeout_ms",
    )

    def __init__(
        self,
        router: ProduceRouter,
        client: ProduceClient,
        acks: int,
        timeout_ms: int,
        respond: Callable[["PendingProduce"], Outcome],
    ) -> None:
        super().__init__()
        self.router = router
        self.client = client
        self.acks = acks
        self.timeout_ms = timeout_ms
        self.by_topic: list[tuple[TopicProduceData, list[tuple[int, AppendOutcome]]]] = []
        self._respond = respond
        self._forward: ForwardedRequest | None = None
        self._forwarded: list[tuple[StreamBatch, AppendOutcome]] | None = None
        self._is_redirected = False
        """Whether the client must look for the leaders itself."""
        # One more than there are batches, so that the request does not respond before all of them are routed.
        self._unsettled = 1
        self._timer: asyncio.TimerHandle | None = None

    def route(self, topics: Sequence[TopicProduceData], rejection: ErrorCode | None) -> None:
        """Append, forward or reject every batch; ``rejection`` rejects them all."""
        now, router = now_ms(), self.router
        is_traced, by_id = router.tracer.on, self.client.version >= PRODUCE_FIRST_VERSION_BY_ID
        for topic in topics:
            outcomes: list[tuple[int, AppendOutcome]] = []
            self.by_topic.append((topic, outcomes))
            for data in topic.partition_data:
                index = data.index
                records = memoryview(b"" if data.records is None else data.records)
                outcome = self._outcome(topic, index, records) if is_traced else AppendOutcome(self._on_settled)
                self._unsettled += 1
                outcomes.append((index, outcome))
                if by_id:
                    led = router.partitions.led_by_id(topic.topic_id, index)
                else:
                    led = router.partitions.led_by_name(topic.name, index)
                if rejection is not None:
                    outcome.reject(rejection)
                elif not isinstance(led, ErrorCode):
                    self._append(led, index, records, outcome, now)
                elif led is ErrorCode.NOT_LEADER_OR_FOLLOWER:
                    self._forward_or_reject(topic, index, records, outcome, now)
                else:
                    outcome.reject(led)
        if self._forward is not None:
            self._forward.send()
        self._on_settled()

    def _append(self, led: Leader, index: int, records: memoryview, outcome: AppendOutcome, now: int) -> None:
        guard = self.router.in_flight_guard
        if led.is_internal:
            outcome.reject(ErrorCode.INVALID_TOPIC_EXCEPTION, _INTERNAL)
        elif guard and (error := guard.rejection_of(led.topic_id, index, records, now)) is not None:
            outcome.reject(error, OUT_OF_TURN)
        else:
            led.append(records, self.acks, outcome, now, zstd_allowed=self.client.version >= ZSTD_VERSION)
            if outcome.error is ErrorCode.NOT_ENOUGH_REPLICAS:
                guard.record_rejected(led.topic_id, index, records, outcome.error, now)

    def _forward_or_reject(
        self, topic: TopicProduceData, index: int, records: memoryview, outcome: AppendOutcome, now: int
    ) -> None:
        """Forward a batch to its leader, or reject it so that the client looks for the leader itself."""
        image, client, guard = self.router.catalog.image, self.client, self.router.in_flight_guard
        by_id = client.version >= PRODUCE_FIRST_VERSION_BY_ID
        found = image.topic_by_id(topic.topic_id) if by_id else image.topics.get(topic.name)
        if found is None:
            outcome.reject(ErrorCode.NOT_LEADER_OR_FOLLOWER)
            return
        leader = found.partitions[index].leader
        if found.name in INTERNAL_TOPICS:
            outcome.reject(ErrorCode.INVALID_TOPIC_EXCEPTION, _INTERNAL)
        elif (forward := self._begin_forward()) is None:
            guard.record_rejected(found.id, index, records, ErrorCode.NOT_LEADER_OR_FOLLOWER, now)
            outcome.reject(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        elif client.version < ZSTD_VERSION and codec_of(records) is Codec.ZSTD:
            outcome.reject(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, _NO_ZSTD)
        elif (error := guard.rejection_of(found.id, index, records, now, leader)) is not None:
            outcome.reject(error, OUT_OF_TURN)
        else:
            batch = guard.record_forwarded(found.id, index, records, now, leader)
            if batch is not None:
                self._forwarded = [*(self._forwarded or ()), (batch, outcome)]
            forward.add(found, index, records, outcome)
            if isinstance(outcome, TracedOutcome):
                outcome.record_forwarded(leader)

    def _begin_forward(self) -> ForwardedRequest | None:
        if self._forward is None and not self._is_redirected:
            client = self.client
            self._forward = self.router.forwarder.begin(client.peer, client.client_id, self.acks, self.timeout_ms)
            self._is_redirected = self._forward is None
        return self._forward

    def _outcome(self, topic: TopicProduceData, index: int, records: memoryview) -> AppendOutcome:
        """Return an outcome, a traced one where this client's requests for this topic are traced."""
        client, tracer, name = self.client, self.router.tracer, topic.name
        if client.version >= PRODUCE_FIRST_VERSION_BY_ID:
            found = self.router.catalog.image.topic_by_id(topic.topic_id)
            name = str(topic.topic_id) if found is None else found.name
        # The client of a forwarded request is not known: the request is traced in any case.
        if not tracer.follows_client(name, client.client_id) and not (
            is_forwarded(client.client_id) and tracer.follows(name)
        ):
            return AppendOutcome(self._on_settled)
        asked = (name, index, client.client_id, client.correlation_id, self.acks, records.nbytes, self.timeout_ms)
        return TracedOutcome(self._on_settled, tracer, asked)

    # --- settling

    def _on_settled(self) -> None:
        self._unsettled -= 1
        if self._forwarded:
            self._settle_forwarded(self._forwarded)
        if not self._unsettled:
            self._stop_clock()
            self.finish(self._respond(self))

    def _settle_forwarded(self, forwarded: list[tuple[StreamBatch, AppendOutcome]]) -> None:
        self._forwarded = [one for one in forwarded if not one[1].is_settled]
        for batch, outcome in forwarded:
            if outcome.is_settled:
                self.router.in_flight_guard.settle_forwarded(batch, outcome)

    def start_clock(self) -> None:
        """Reject the batches that are not safe in time with REQUEST_TIMED_OUT."""
        if self._unsettled:
            self._timer = self.router.loop.call_later(max(self.timeout_ms, 0) / 1000, self._on_timeout)

    def _on_timeout(self) -> None:
        for _, outcomes in self.by_topic:
            for _, outcome in outcomes:
                outcome.reject(ErrorCode.REQUEST_TIMED_OUT, f"not safe within the {self.timeout_ms} ms of the request")

    def abandon(self) -> None:
        """Stop the clock: the connection is closed. Staged batches are written all the same."""
        self._stop_clock()
        for _, outcomes in self.by_topic:
            for _, outcome in outcomes:
                if isinstance(outcome, TracedOutcome):
                    outcome.record_abandoned()

    def _stop_clock(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
