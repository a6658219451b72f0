"""Produce: append batches, and answer when they are as safe as the client asked."""

import asyncio

from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER
from chronik.model.topics import INTERNAL_TOPICS
from chronik.observability.trace_events import NOBODY
from chronik.protocol.constants import PRODUCE_FIRST_VERSION_BY_ID
from chronik.protocol.generated.produce import (
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from chronik.records.batch import codec_of
from chronik.records.codecs import Codec
from chronik.server.loop.clock import now_ms
from chronik.server.network.pending_responses import CloseConnection, Pending
from chronik.server.produce.append_outcome import Receipt
from chronik.server.produce.forwarding import ForwardedRequest, is_forwarded
from chronik.server.produce.in_flight_guard import Missed
from chronik.server.produce.trace import TracedReceipt, tell_outcome
from chronik.server.replicas.leader import Partition
from chronik.server.requests.context import RequestContext, Services
from chronik.server.views.leader_hints import endpoints_of, leader_of

ZSTD_VERSION = 7
LEADER_VERSION = 10
"""From which on an answer may name the leader."""
_NO_ZSTD = "zstd needs version 7 of Produce"
_INTERNAL = "only the broker itself writes to an internal topic"
_BEHIND = "it comes behind a batch of its producer that was not taken: begin again with that one"
_BLAMED_ON_OTHERS = (ErrorCode.NONE, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)
_OF_PRODUCER_STATE = (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.INVALID_PRODUCER_EPOCH)


class PendingProduce(Pending):
    """Waits for the outcome of every batch of one request."""

    __slots__ = (
        "_acks",
        "_by_topic",
        "_context",
        "_forward",
        "_is_told",
        "_passed_on",
        "_services",
        "_timeout_ms",
        "_timer",
        "_unsettled",
    )

    def __init__(self, services: Services, request: ProduceRequest, context: RequestContext) -> None:
        super().__init__()
        self._services = services
        self._context = context
        self._acks = request.acks
        self._timeout_ms = request.timeout_ms
        self._forward: ForwardedRequest | None = None
        self._is_told = False
        self._passed_on: list[tuple[Missed, Receipt]] | None = None
        self._by_topic: list[tuple[TopicProduceData, list[tuple[int, Receipt]]]] = []
        # One more than there are batches, so that the answer is not given before all of them are staged.
        self._unsettled = 1
        self._timer: asyncio.TimerHandle | None = None

    def append_all(self, request: ProduceRequest, refusal: ErrorCode | None) -> None:
        """Stage every batch of the request, pass it on to its leader, or refuse it."""
        now = now_ms()
        zstd_allowed = self._context.version >= ZSTD_VERSION
        is_traced, flights = self._services.tracer.on, self._services.flights
        for topic in request.topic_data:
            receipts: list[tuple[int, Receipt]] = []
            self._by_topic.append((topic, receipts))
            for data in topic.partition_data:
                records = memoryview(data.records if data.records is not None else b"")
                receipt = self._traced_receipt(topic, data.index, records) if is_traced else Receipt(self._on_settled)
                self._unsettled += 1
                receipts.append((data.index, receipt))
                found = self._find(topic, data.index)
                if refusal is not None:
                    receipt.refuse(refusal)
                elif isinstance(found, Partition) and found.is_internal:
                    receipt.refuse(ErrorCode.INVALID_TOPIC_EXCEPTION, _INTERNAL)
                elif isinstance(found, Partition):
                    if flights:
                        error = flights.why_not(found.topic_id, data.index, records, now)
                        if error is not None:
                            receipt.refuse(error, _BEHIND)
                            continue
                    found.append(records, self._acks, receipt, now, zstd_allowed=zstd_allowed)
                    if receipt.error is ErrorCode.NOT_ENOUGH_REPLICAS:
                        flights.refused(found.topic_id, data.index, records, receipt.error, now)
                elif found is ErrorCode.NOT_LEADER_OR_FOLLOWER:
                    self._pass_on(topic, data.index, records, receipt, now)
                else:
                    receipt.refuse(found)
        if self._forward is not None:
            self._forward.send()
        self._on_settled()

    def _traced_receipt(self, topic: TopicProduceData, index: int, records: memoryview) -> Receipt:
        """A receipt that tells its story, if this client's requests for this topic are followed."""
        version, client_id, _, _, correlation_id = self._context
        tracer = self._services.tracer
        name = topic.name if version < PRODUCE_FIRST_VERSION_BY_ID else self._name_of(topic)
        # Whose request another broker passes on cannot be told: it is followed in any case.
        if not tracer.follows_client(name, client_id) and not (is_forwarded(client_id) and tracer.follows(name)):
            return Receipt(self._on_settled)
        asked = (name, index, client_id, correlation_id, self._acks, records.nbytes, self._timeout_ms)
        return TracedReceipt(self._on_settled, tracer, asked)

    def _name_of(self, topic: TopicProduceData) -> str:
        found = self._services.catalog.image.topic_by_id(topic.topic_id)
        return str(topic.topic_id) if found is None else found.name

    def _find(self, topic: TopicProduceData, index: int) -> Partition | ErrorCode:
        if self._context.version >= PRODUCE_FIRST_VERSION_BY_ID:
            return self._services.partitions.led_by_id(topic.topic_id, index)
        return self._services.partitions.led_by_name(topic.name, index)

    def _pass_on(self, topic: TopicProduceData, index: int, records: memoryview, receipt: Receipt, now: int) -> None:
        """Forward a batch to its leader, or tell the client who that is."""
        image, context = self._services.catalog.image, self._context
        by_id = context.version >= PRODUCE_FIRST_VERSION_BY_ID
        found = image.topic_by_id(topic.topic_id) if by_id else image.topics.get(topic.name)
        if found is not None and found.name in INTERNAL_TOPICS:
            receipt.refuse(ErrorCode.INVALID_TOPIC_EXCEPTION, _INTERNAL)
            return
        if self._forward is None and not self._is_told:
            self._forward = self._services.forwarder.begin(
                context.peer, context.client_id, self._acks, self._timeout_ms
            )
            self._is_told = self._forward is None
        flights = self._services.flights
        leader = found.partitions[index].leader if found is not None else NO_BROKER
        if found is None:
            receipt.refuse(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        elif self._forward is None:
            flights.refused(found.id, index, records, ErrorCode.NOT_LEADER_OR_FOLLOWER, now)
            receipt.refuse(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        elif context.version < ZSTD_VERSION and codec_of(records) is Codec.ZSTD:
            receipt.refuse(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, _NO_ZSTD)
        elif (error := flights.why_not(found.id, index, records, now, leader)) is not None:
            receipt.refuse(error, _BEHIND)
        else:
            missed = flights.passed_on(found.id, index, records, now, leader)
            if missed is not None:
                self._passed_on = [*(self._passed_on or ()), (missed, receipt)]
            self._forward.add(found, index, records, receipt)
            if isinstance(receipt, TracedReceipt):
                receipt.tell_forwarded(leader)

    def _on_settled(self) -> None:
        self._unsettled -= 1
        if self._passed_on:
            self._judge_passed_on()
        if not self._unsettled:
            self.abandon()
            self.finish(self._response() if self._acks else self._close_if_refused())

    def _judge_passed_on(self) -> None:
        """What comes behind one that is not known to have arrived is sent again with it, whatever became of it.

        A leader that misses what was lost on the way to it would blame the producer, and a success would be taken for
        a word on those before. One that is sent again and was kept is known again, and answered with its offset.
        """
        flights = self._services.flights
        settled = [one for one in self._passed_on or () if one[1].is_settled]
        self._passed_on = [one for one in self._passed_on or () if not one[1].is_settled]
        for missed, receipt in settled:
            if receipt.error in _BLAMED_ON_OTHERS and flights.is_behind(missed):
                receipt.error, receipt.message, receipt.base_offset = ErrorCode.NOT_LEADER_OR_FOLLOWER, _BEHIND, -1
            flights.settle(missed, has_arrived=receipt.error is ErrorCode.NONE)

    def start_clock(self) -> None:
        """Answer REQUEST_TIMED_OUT for what is not safe in time."""
        if self._unsettled:
            self._timer = self._services.loop.call_later(max(self._timeout_ms, 0) / 1000, self._on_timeout)

    def _on_timeout(self) -> None:
        for _, receipts in self._by_topic:
            for _, receipt in receipts:
                receipt.refuse(ErrorCode.REQUEST_TIMED_OUT, f"not safe within the {self._timeout_ms} ms of the request")

    def abandon(self) -> None:
        """Stop the clock; what was staged is written all the same."""
        if self._timer is not None:
            self._timer.cancel()

    def _close_if_refused(self) -> CloseConnection | None:
        """With acks=0 there is no answer to put an error in, and a client that hears nothing would go on losing."""
        for topic, receipts in self._by_topic:
            for index, receipt in receipts:
                if receipt.error is not ErrorCode.NONE:
                    tell_outcome(receipt)
                    where = f"{topic.name or topic.topic_id}-{index}"
                    reason = f"acks=0, and {where} refused: {receipt.error.name} {receipt.message or ''}"
                    return CloseConnection(reason, receipt.error)
        return None

    def _response(self) -> ProduceResponse:
        named: set[int] = set()
        response = ProduceResponse(
            [
                TopicProduceResponse(
                    topic.name,
                    topic.topic_id,
                    [self._outcome(topic, index, receipt, named) for index, receipt in receipts],
                )
                for topic, receipts in self._by_topic
            ]
        )
        if named:
            image, listener = self._services.catalog.image, self._context.listener
            response.node_endpoints = [NodeEndpoint(*where) for where in endpoints_of(image, named, listener)]
        return response

    def _outcome(
        self, topic: TopicProduceData, index: int, receipt: Receipt, named: set[int]
    ) -> PartitionProduceResponse:
        if receipt.error in _OF_PRODUCER_STATE and not self._services.membership.may_acknowledge_alone():
            # Another may lead by now and know better what this producer has sent; the client's retry finds it.
            receipt.error = ErrorCode.NOT_LEADER_OR_FOLLOWER
        outcome = _partition_response(index, receipt)
        told = NOBODY
        if receipt.error is ErrorCode.NOT_LEADER_OR_FOLLOWER and self._context.version >= LEADER_VERSION:
            asked = topic.topic_id if self._context.version >= PRODUCE_FIRST_VERSION_BY_ID else topic.name
            leader = leader_of(self._services.catalog.image, asked, index)
            if leader is not None:
                outcome.current_leader = LeaderIdAndEpoch(leader.id, leader.epoch)
                named.add(leader.id)
                told = leader.id
        if receipt.error is not ErrorCode.NONE:
            tell_outcome(receipt, told)
        return outcome


def _partition_response(index: int, receipt: Receipt) -> PartitionProduceResponse:
    return PartitionProduceResponse(
        index=index,
        error_code=receipt.error,
        base_offset=receipt.base_offset,
        log_append_time_ms=receipt.append_time_ms,
        log_start_offset=receipt.log_start_offset,
        error_message=receipt.message,
        record_errors=[BatchIndexAndErrorMessage(place, receipt.message) for place in receipt.faulty_records],
    )


def handle(request: ProduceRequest, context: RequestContext, services: Services) -> Pending:
    """Append what the request holds."""
    pending = PendingProduce(services, request, context)
    pending.append_all(request, _why_not(request, services))
    services.writes.time_after_write(pending)
    return pending


def _why_not(request: ProduceRequest, services: Services) -> ErrorCode | None:
    if request.acks not in (-1, 0, 1):
        return ErrorCode.INVALID_REQUIRED_ACKS
    if request.transactional_id is not None:
        return ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    if request.acks != -1 and not services.membership.may_acknowledge_alone():
        # Another may lead by now, and nobody but this broker would have the record.
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    return None
