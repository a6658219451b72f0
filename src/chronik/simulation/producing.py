"""Produce requests in a simulated cluster: served by the broker's own handler, with what it asks of its broker."""

from collections.abc import Mapping
from typing import Final, NamedTuple, cast

from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicId
from chronik.protocol.constants import PRODUCE_FIRST_VERSION_BY_ID
from chronik.protocol.generated.produce import PartitionProduceData, ProduceRequest, ProduceResponse, TopicProduceData
from chronik.server.handlers import produce
from chronik.server.network.pending_responses import Outcome
from chronik.server.produce.router import ProduceRouter
from chronik.server.replicas.writes import StagedWrites
from chronik.server.requests.context import RequestContext, Services
from chronik.simulation.network import Reply
from chronik.simulation.replicas import Key
from chronik.simulation.simulated_forwarding import LISTENER

PRODUCE_MS: Final = 60_000
CLIENT: Final = RequestContext(PRODUCE_FIRST_VERSION_BY_ID, "client", LISTENER, "client")


class Produced(NamedTuple):
    """What became of one batch."""

    error: ErrorCode
    base_offset: int = -1


class ProduceServices(NamedTuple):
    """What the handler of Produce asks of its broker."""

    produce_router: ProduceRouter
    writes: StagedWrites

    def answer(self, request: ProduceRequest, context: RequestContext, reply: Reply) -> None:
        """Serve a request; the answer is given when all of its batches have their outcome."""
        produce.handle(_received(request), context, cast(Services, self)).bind(_Delivery(reply))


def request_of(batches: Mapping[Key, bytes], acks: int, timeout_ms: int) -> ProduceRequest:
    """Put batches for partitions, by topic ids, into one request."""
    topics: dict[TopicId, TopicProduceData] = {}
    for (topic_id, index), batch in batches.items():
        topic = topics.setdefault(topic_id, TopicProduceData(topic_id=topic_id))
        topic.partition_data.append(PartitionProduceData(index, batch))
    return ProduceRequest(acks=acks, timeout_ms=timeout_ms, topic_data=list(topics.values()))


def outcomes_of(response: object) -> dict[Key, Produced]:
    """Take a response apart."""
    assert isinstance(response, ProduceResponse)
    return {
        (topic.topic_id, outcome.index): Produced(ErrorCode(outcome.error_code), outcome.base_offset)
        for topic in response.responses
        for outcome in topic.partition_responses
    }


class _Delivery:
    """Where the answer to a request goes."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply

    def deliver(self, outcome: Outcome) -> None:
        self._reply(outcome)


def _received(request: ProduceRequest) -> ProduceRequest:
    """What is received lies in a buffer of the receiver's own, in which offsets are written."""
    topics = [
        TopicProduceData(
            topic.name,
            topic.topic_id,
            [PartitionProduceData(each.index, bytearray(each.records or b"")) for each in topic.partition_data],
        )
        for topic in request.topic_data
    ]
    return ProduceRequest(acks=request.acks, timeout_ms=request.timeout_ms, topic_data=topics)
