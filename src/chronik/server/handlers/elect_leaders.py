"""ElectLeaders: says of each partition whether its leader is already the one that an election would choose.

A leader is elected when one is lost, not by request: where another would be wished for, the answer is that it is not
to be had.
"""

from collections.abc import Iterable
from enum import IntEnum

from chronik.metadata.image import PartitionImage
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER
from chronik.protocol.generated.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)
from chronik.server.context import RequestContext, Services


class Election(IntEnum):
    """Which leader is wished for."""

    PREFERRED = 0
    UNCLEAN = 1


def handle(request: ElectLeadersRequest, context: RequestContext, services: Services) -> ElectLeadersResponse:
    """Answer for the partitions that are named, or for all that are not led as wished."""
    if request.election_type not in Election._value2member_map_:
        return _unknown_kind(request, context)
    election = Election(request.election_type)
    if request.topic_partitions is None:
        return ElectLeadersResponse(replica_election_results=_all(election, services))
    return ElectLeadersResponse(
        replica_election_results=[
            ReplicaElectionResult(named.topic, [_result(named.topic, i, election, services) for i in named.partitions])
            for named in request.topic_partitions
        ]
    )


def _all(election: Election, services: Services) -> list[ReplicaElectionResult]:
    """Name every topic, and of its partitions those that are not led as wished."""
    return [
        ReplicaElectionResult(topic.name, list(_not_as_wished(topic.name, len(topic.partitions), election, services)))
        for topic in services.catalog.image.topics.values()
    ]


def _not_as_wished(topic: str, count: int, election: Election, services: Services) -> Iterable[PartitionResult]:
    results = (_result(topic, index, election, services) for index in range(count))
    return (result for result in results if result.error_code != ErrorCode.ELECTION_NOT_NEEDED)


def _result(topic: str, index: int, election: Election, services: Services) -> PartitionResult:
    image = services.catalog.image
    if topic not in image.topics:
        return PartitionResult(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"No such topic as {topic}")
    partition = image.partition(topic, index)
    if partition is None:
        return PartitionResult(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"No such partition as {topic}-{index}")
    error, message = judge(partition, election)
    return PartitionResult(index, error, message)


def judge(partition: PartitionImage, election: Election) -> tuple[ErrorCode, str]:
    """Say why no election is held for a partition."""
    if election is Election.UNCLEAN:
        if partition.leader != NO_BROKER:
            return ErrorCode.ELECTION_NOT_NEEDED, "Leader election not needed for topic partition."
        return ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, "No replica that is alive can lead the partition."
    if partition.leader == partition.replicas[0]:
        return ErrorCode.ELECTION_NOT_NEEDED, "Leader election not needed for topic partition."
    return ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE, f"Broker {partition.replicas[0]} cannot be made the leader now."


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
