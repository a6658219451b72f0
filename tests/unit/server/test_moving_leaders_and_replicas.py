"""Elections and reassignments that are asked for: what cannot be done is refused, and never said to be done."""

from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import pytest

from chronik.metadata.controller import ClusterRules, NewTopic, plan_create_topics, plan_register_broker
from chronik.metadata.image import Image
from chronik.metadata.keys import Endpoint, Registration
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerId
from chronik.protocol.generated.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from chronik.protocol.generated.elect_leaders import ElectLeadersRequest, TopicPartitions
from chronik.server.context import RequestContext, Services
from chronik.server.handlers import alter_partition_reassignments, elect_leaders
from tests.unit.metadata.carrying_out import carried_out

CONTEXT = RequestContext(version=2, client_id="test", listener="PLAINTEXT", peer="test")
PREFERRED, UNCLEAN = 0, 1


def of_three_brokers(leader: BrokerId) -> Services:
    """A topic on brokers 1, 2 and 3, in this order, and one of them, or none, leads it."""
    image = Image()
    for broker in (1, 2, 3):
        registration = Registration(BrokerId(broker), (Endpoint("PLAINTEXT", "h", 9092),))
        image = carried_out(
            image, plan_register_broker(image, registration, "x" * 22, None, flushes_every_append=False)
        )
    topic = NewTopic("t", UUID(int=1), assignment={0: tuple(map(BrokerId, (1, 2, 3)))})
    image = carried_out(image, plan_create_topics(image, [topic], ClusterRules()))
    led = image.topics["t"].partitions[0]._replace(leader=leader)
    image = image._replace(topics={"t": image.topics["t"]._replace(partitions=(led,))})
    services: Any = SimpleNamespace(catalog=SimpleNamespace(image=image))
    return cast(Services, services)


def elected(election: int, leader: int) -> list[int]:
    request = ElectLeadersRequest(election, [TopicPartitions("t", [0])])
    answer = elect_leaders.handle(request, CONTEXT, of_three_brokers(BrokerId(leader)))
    return [one.error_code for result in answer.replica_election_results for one in result.partition_result]


@pytest.mark.parametrize(
    ("election", "leader", "error"),
    [
        (PREFERRED, 1, ErrorCode.ELECTION_NOT_NEEDED),
        (PREFERRED, 2, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE),
        (PREFERRED, NO_BROKER, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE),
        (UNCLEAN, 2, ErrorCode.ELECTION_NOT_NEEDED),
        (UNCLEAN, NO_BROKER, ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE),
    ],
)
def test_election_is_called_needless_only_where_the_leader_is_the_one_wished_for(
    election: int, leader: int, error: ErrorCode
) -> None:
    assert elected(election, leader) == [error]


def test_of_all_partitions_those_are_named_that_are_not_led_as_wished() -> None:
    def named(leader: int) -> list[tuple[int, int]]:
        answer = elect_leaders.handle(ElectLeadersRequest(PREFERRED, None), CONTEXT, of_three_brokers(BrokerId(leader)))
        (result,) = answer.replica_election_results
        return [(one.partition_id, one.error_code) for one in result.partition_result]

    assert named(1) == []
    assert named(2) == [(0, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE)]


def test_version_0_says_an_unknown_kind_of_election_without_the_field_that_it_lacks() -> None:
    request = ElectLeadersRequest(9, [TopicPartitions("t", [0])])
    answer = elect_leaders.handle(request, CONTEXT._replace(version=0), of_three_brokers(BrokerId(1)))
    assert answer.error_code == ErrorCode.NONE
    assert answer.replica_election_results[0].partition_result[0].error_code == ErrorCode.INVALID_REQUEST
    answer.encode(0)


@pytest.mark.parametrize(
    ("replicas", "error"),
    [
        ([1, 2, 3], ErrorCode.NONE),
        ([2, 1, 3], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ([1, 2], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ([1, 2, 4], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ],
)
def test_reassignment_to_live_brokers_is_refused_unless_they_are_the_replicas_already(
    replicas: list[int], error: ErrorCode
) -> None:
    request = AlterPartitionReassignmentsRequest(topics=[ReassignableTopic("t", [ReassignablePartition(0, replicas)])])
    answer = alter_partition_reassignments.handle(request, CONTEXT, of_three_brokers(BrokerId(1)))
    (result,) = answer.responses[0].partitions
    assert result.error_code == error
    assert bool(result.error_message) == (error is not ErrorCode.NONE)
