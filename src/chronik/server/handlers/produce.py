"""Produce: translates between the wire and the router of batches."""

from chronik.model.errors import ErrorCode
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
from chronik.server.network.pending_responses import CloseConnection, Pending
from chronik.server.produce.append_outcome import AppendOutcome
from chronik.server.produce.router import PendingProduce, ProduceRouter
from chronik.server.produce.trace import record_rejection
from chronik.server.requests.context import RequestContext, Services
from chronik.server.views.leader_hints import endpoints_of, leader_of

LEADER_VERSION = 10
"""The first version whose response can name the leader."""


def handle(request: ProduceRequest, context: RequestContext, services: Services) -> Pending:
    """Route the batches of the request."""
    router = services.produce_router
    pending = PendingProduce(router, context, request.acks, request.timeout_ms, _outcome)
    pending.route(request.topic_data, _rejection_of(request, router))
    services.writes.time_after_write(pending)
    return pending


def _rejection_of(request: ProduceRequest, router: ProduceRouter) -> ErrorCode | None:
    if request.acks not in (-1, 0, 1):
        return ErrorCode.INVALID_REQUIRED_ACKS
    if request.transactional_id is not None:
        return ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    return router.rejection_of_acks(request.acks)


def _outcome(pending: PendingProduce) -> ProduceResponse | CloseConnection | None:
    return _response(pending) if pending.acks else _close_if_rejected(pending)


def _close_if_rejected(pending: PendingProduce) -> CloseConnection | None:
    """Close the connection on an error: acks=0 has no response, and the client would go on losing batches."""
    for topic, outcomes in pending.by_topic:
        for index, outcome in outcomes:
            if outcome.error is not ErrorCode.NONE:
                record_rejection(outcome)
                where = f"{topic.name or topic.topic_id}-{index}"
                reason = f"acks=0, and {where} was rejected: {outcome.error.name} {outcome.message or ''}"
                return CloseConnection(reason, outcome.error)
    return None


def _response(pending: PendingProduce) -> ProduceResponse:
    named: set[int] = set()
    response = ProduceResponse(
        [
            TopicProduceResponse(
                topic.name,
                topic.topic_id,
                [_partition_response(pending, topic, index, outcome, named) for index, outcome in outcomes],
            )
            for topic, outcomes in pending.by_topic
        ]
    )
    if named:
        addresses = endpoints_of(pending.router.catalog.image, named, pending.client.listener)
        response.node_endpoints = [NodeEndpoint(*address) for address in addresses]
    return response


def _partition_response(
    pending: PendingProduce, topic: TopicProduceData, index: int, outcome: AppendOutcome, named: set[int]
) -> PartitionProduceResponse:
    error = outcome.error if outcome.error is ErrorCode.NONE else pending.router.error_of(outcome)
    response = PartitionProduceResponse(
        index=index,
        error_code=error,
        base_offset=outcome.base_offset,
        log_append_time_ms=outcome.append_time_ms,
        log_start_offset=outcome.log_start_offset,
        error_message=outcome.message,
        record_errors=[BatchIndexAndErrorMessage(place, outcome.message) for place in outcome.faulty_records],
    )
    if error is ErrorCode.NONE:
        return response
    leader, version = None, pending.client.version
    if error is ErrorCode.NOT_LEADER_OR_FOLLOWER and version >= LEADER_VERSION:
        key = topic.topic_id if version >= PRODUCE_FIRST_VERSION_BY_ID else topic.name
        leader = leader_of(pending.router.catalog.image, key, index)
    if leader is not None:
        response.current_leader = LeaderIdAndEpoch(leader.id, leader.epoch)
        named.add(leader.id)
    record_rejection(outcome, NOBODY if leader is None else leader.id)
    return response
