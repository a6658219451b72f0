"""ElectLeaders: elect preferred leaders, or, on request, any live replica of a partition without leader (unclean)."""

from collections import defaultdict
from collections.abc import Coroutine, Iterable, Mapping
from typing import Any

from chronik.metadata.decisions.elections import (
    Elected,
)
from chronik.metadata.decisions.leaders import (
    ElectionType,
    plan_elect_leaders,
)
from chronik.metadata.stores.plan import (
    Refusal,
)
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.generated.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)
from chronik.server.requests.context import RequestContext, Services

Results = Mapping[TopicPartition, Elected | Refusal]


def handle(
    request: ElectLeadersRequest, context: RequestContext, services: Services
) -> ElectLeadersResponse | Coroutine[Any, Any, ElectLeadersResponse]:
    """Elect leaders of the named partitions, or of all partitions that need it."""
    if request.election_type not in ElectionType._value2member_map_:
        return _unknown_kind(request, context)
    return _elect(request, ElectionType(request.election_type), services)


async def _elect(request: ElectLeadersRequest, election: ElectionType, services: Services) -> ElectLeadersResponse:
    named = request.topic_partitions
    partitions = (
        None if named is None else [TopicPartition(one.topic, index) for one in named for index in one.partitions]
    )
    results = await services.catalog.carry_out(lambda image: plan_elect_leaders(image, partitions, election))
    assert not isinstance(results, Refusal), "each partition has its own result"
    answered = _needed_elections(results) if named is None else [(one.topic, one.partitions) for one in named]
    return ElectLeadersResponse(
        replica_election_results=[
            ReplicaElectionResult(topic, [_result(results[TopicPartition(topic, index)], index) for index in indexes])
            for topic, indexes in answered
        ]
    )


def _needed_elections(results: Results) -> Iterable[tuple[str, list[int]]]:
    """Return every topic, with its partitions that needed an election."""
    by_topic: dict[str, list[int]] = defaultdict(list)
    for place, result in results.items():
        indexes = by_topic[place.topic]
        if not isinstance(result, Refusal) or result.error is not ErrorCode.ELECTION_NOT_NEEDED:
            indexes.append(place.partition)
    return by_topic.items()


def _result(result: Elected | Refusal, index: int) -> PartitionResult:
    if isinstance(result, Refusal):
        return PartitionResult(index, result.error, result.message)
    return PartitionResult(index, ErrorCode.NONE, None)


def _unknown_kind(request: ElectLeadersRequest, context: RequestContext) -> ElectLeadersResponse:
    message = f"Unknown election type {request.election_type}"
    return ElectLeadersResponse(
        error_code=ErrorCode.INVALID_REQUEST if context.version >= 1 else ErrorCode.NONE,
        replica_election_results=[
            ReplicaElectionResult(
                named.topic, [PartitionResult(index, ErrorCode.INVALID_REQUEST, message) for index in named.partitions]
            )
            for named in request.topic_partitions or ()
        ],
    )
