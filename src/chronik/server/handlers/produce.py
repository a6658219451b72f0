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
from chronik.server.produce.append_outcome import AppendOutcome
from chronik.server.produce.forwarding import ForwardedRequest, is_forwarded
from chronik.server.produce.in_flight_guard import Missed
from chronik.server.produce.trace import TracedOutcome, record_rejection
from chronik.server.replicas.leader import LeaderReplica
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
        self._passed_on: list[tuple[Missed, AppendOutcome]] | None = None
        self._by_topic: list[tuple[TopicProduceData, list[tuple[int, AppendOutcome]]]] = []
        # One more than there are batches, so that the answer is not given before all of them are staged.
        self._unsettled = 1
        self._timer: asyncio.TimerHandle | None = None

    def append_all(self, request: ProduceRequest, refusal: ErrorCode | None) -> None:
        """Stage every batch of the request, pass it on to its leader, or refuse it."""
        now = now_ms()
        zstd_allowed = self._context.version >= ZSTD_VERSION
        is_traced, guard = self._services.tracer.on, self._services.in_flight_guard
        for topic in request.topic_data:
            outcomes: list[tuple[int, AppendOutcome]] = []
            self._by_topic.append((topic, outcomes))
            for data in topic.partition_data:
                records = memoryview(data.records if data.records is not None else b"")
                outcome = (
                    self._traced_outcome(topic, data.index, records) if is_traced else AppendOutcome(self._on_settled)
                )
                self._unsettled += 1
                outcomes.append((data.index, outcome))
                found = self._find(topic, data.index)
                if refusal is not None:
                    outcome.refuse(refusal)
                elif isinstance(found, LeaderReplica) and found.is_internal:
                    outcome.refuse(ErrorCode.INVALID_TOPIC_EXCEPTION, _INTERNAL)
                elif isinstance(found, LeaderReplica):
                    if guard:
                        error = guard.why_not(found.topic_id, data.index, records, now)
                        if error is not None:
                            outcome.refuse(error, _BEHIND)
                            continue
                    found.append(records, self._acks, outcome, now, zstd_allowed=zstd_allowed)
                    if outcome.error is ErrorCode.NOT_ENOUGH_REPLICAS:
                        guard.refused(found.topic_id, data.index, records, outcome.error, now)
                elif found is ErrorCode.NOT_LEADER_OR_FOLLOWER:
                    self._pass_on(topic, data.index, records, outcome, now)
                else:
                    outcome.refuse(found)
        if self._forward is not None:
            self._forward.send()
        self._on_settled()

    def _traced_outcome(self, topic: TopicProduceData, index: int, records: memoryview) -> AppendOutcome:
        """A receipt that tells its story, if this client's requests for this topic are followed."""
        version, client_id, _, _, correlation_id = self._context
        tracer = self._services.tracer
        name = topic.name if version < PRODUCE_FIRST_VERSION_BY_ID else self._name_of(topic)
        # Whose request another broker passes on cannot be told: it is followed in any case.
        if not tracer.follows_client(name, client_id) and not (is_forwarded(client_id) and tracer.follows(name)):
            return AppendOutcome(self._on_settled)
        asked = (name, index, client_id, correlation_id, self._acks, records.nbytes, self._timeout_ms)
        return TracedOutcome(self._on_settled, tracer, asked)

    def _name_of(self, topic: TopicProduceData) -> str:
        found = self._services.catalog.image.topic_by_id(topic.topic_id)
        return str(topic.topic_id) if found is None else found.name

    def _find(self, topic: TopicProduceData, index: int) -> LeaderReplica | ErrorCode:
        if self._context.version >= PRODUCE_FIRST_VERSION_BY_ID:
            return self._services.partitions.led_by_id(topic.topic_id, index)
        return self._services.partitions.led_by_name(topic.name, index)

    def _pass_on(
        self, topic: TopicProduceData, index: int, records: memoryview, outcome: AppendOutcome, now: int
    ) -> None:
        """Forward a batch to its leader, or tell the client who that is."""
        image, context = self._services.catalog.image, self._context
        by_id = context.version >= PRODUCE_FIRST_VERSION_BY_ID
        found = image.topic_by_id(topic.topic_id) if by_id else image.topics.get(topic.name)
        if found is not None and found.name in INTERNAL_TOPICS:
            outcome.refuse(ErrorCode.INVALID_TOPIC_EXCEPTION, _INTERNAL)
            return
        if self._forward is None and not self._is_told:
            self._forward = self._services.forwarder.begin(
                context.peer, context.client_id, self._acks, self._timeout_ms
            )
            self._is_told = self._forward is None
        guard = self._services.in_flight_guard
        leader = found.partitions[index].leader if found is not None else NO_BROKER
        if found is None:
            outcome.refuse(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        elif self._forward is None:
            guard.refused(found.id, index, records, ErrorCode.NOT_LEADER_OR_FOLLOWER, now)
            outcome.refuse(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        elif context.version < ZSTD_VERSION and codec_of(records) is Codec.ZSTD:
            outcome.refuse(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, _NO_ZSTD)
        elif (error := guard.why_not(found.id, index, records, now, leader)) is not None:
            outcome.refuse(error, _BEHIND)
        else:
            missed = guard.record_forwarded(found.id, index, records, now, leader)
            if missed is not None:
                self._passed_on = [*(self._passed_on or ()), (missed, outcome)]
            self._forward.add(found, index, records, outcome)
            if isinstance(outcome, TracedOutcome):
                outcome.record_forwarded(leader)

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
        guard = self._services.in_flight_guard
        settled = [one for one in self._passed_on or () if one[1].is_settled]
        self._passed_on = [one for one in self._passed_on or () if not one[1].is_settled]
        for missed, outcome in settled:
            if outcome.error in _BLAMED_ON_OTHERS and guard.is_behind(missed):
                outcome.error, outcome.message, outcome.base_offset = ErrorCode.NOT_LEADER_OR_FOLLOWER, _BEHIND, -1
            guard.settle(missed, has_arrived=outcome.error is ErrorCode.NONE)

    def start_clock(self) -> None:
        """Answer REQUEST_TIMED_OUT for what is not safe in time."""
        if self._unsettled:
            self._timer = self._services.loop.call_later(max(self._timeout_ms, 0) / 1000, self._on_timeout)

    def _on_timeout(self) -> None:
        for _, outcomes in self._by_topic:
            for _, outcome in outcomes:
                outcome.refuse(ErrorCode.REQUEST_TIMED_OUT, f"not safe within the {self._timeout_ms} ms of the request")

    def abandon(self) -> None:
        """Stop the clock; what was staged is written all the same."""
        if self._timer is not None:
            self._timer.cancel()

    def _close_if_refused(self) -> CloseConnection | None:
        """With acks=0 there is no answer to put an error in, and a client that hears nothing would go on losing."""
        for topic, outcomes in self._by_topic:
            for index, outcome in outcomes:
                if outcome.error is not ErrorCode.NONE:
                    record_rejection(outcome)
                    where = f"{topic.name or topic.topic_id}-{index}"
                    reason = f"acks=0, and {where} refused: {outcome.error.name} {outcome.message or ''}"
                    return CloseConnection(reason, outcome.error)
        return None

    def _response(self) -> ProduceResponse:
        named: set[int] = set()
        response = ProduceResponse(
            [
                TopicProduceResponse(
                    topic.name,
                    topic.topic_id,
                    [self._settled_response(topic, index, outcome, named) for index, outcome in outcomes],
                )
                for topic, outcomes in self._by_topic
            ]
        )
        if named:
            image, listener = self._services.catalog.image, self._context.listener
            response.node_endpoints = [NodeEndpoint(*where) for where in endpoints_of(image, named, listener)]
        return response

    def _settled_response(
        self, topic: TopicProduceData, index: int, outcome: AppendOutcome, named: set[int]
    ) -> PartitionProduceResponse:
        if outcome.error in _OF_PRODUCER_STATE and not self._services.membership.may_acknowledge_alone():
            # Another may lead by now and know better what this producer has sent; the client's retry finds it.
            outcome.error = ErrorCode.NOT_LEADER_OR_FOLLOWER
        response = _partition_response(index, outcome)
        told = NOBODY
        if outcome.error is ErrorCode.NOT_LEADER_OR_FOLLOWER and self._context.version >= LEADER_VERSION:
            asked = topic.topic_id if self._context.version >= PRODUCE_FIRST_VERSION_BY_ID else topic.name
            leader = leader_of(self._services.catalog.image, asked, index)
            if leader is not None:
                response.current_leader = LeaderIdAndEpoch(leader.id, leader.epoch)
                named.add(leader.id)
                told = leader.id
        if outcome.error is not ErrorCode.NONE:
            record_rejection(outcome, told)
        return response


def _partition_response(index: int, outcome: AppendOutcome) -> PartitionProduceResponse:
    return PartitionProduceResponse(
        index=index,
        error_code=outcome.error,
        base_offset=outcome.base_offset,
        log_append_time_ms=outcome.append_time_ms,
        log_start_offset=outcome.log_start_offset,
        error_message=outcome.message,
        record_errors=[BatchIndexAndErrorMessage(place, outcome.message) for place in outcome.faulty_records],
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
