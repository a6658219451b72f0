"""Elections and reassignments that are asked for: what cannot be done is refused, and never said to be done."""

from collections.abc import Awaitable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from chronik.metadata.decisions.isr import plan_change_isr
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerId
from chronik.protocol.generated.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignableTopic,
)
from chronik.protocol.generated.elect_leaders import ElectLeadersRequest, ElectLeadersResponse, TopicPartitions
from chronik.protocol.generated.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from chronik.server.handlers import alter_partition_reassignments, elect_leaders, list_partition_reassignments
from chronik.server.requests.context import RequestContext, Services
from tests.unit.server.cluster_cases import Cluster, Node, bounded, cluster, partition, until

CONTEXT = RequestContext(version=2, client_id="test", listener="PLAINTEXT", peer="test")
PREFERRED, UNCLEAN = 0, 1


def services_of(node: Node) -> Services:
    services: Any = SimpleNamespace(catalog=node.catalog, node_id=node.id)
    return cast(Services, services)


async def three_brokers(made: Cluster, *, with_controller: bool = True) -> list[Node]:
    """A topic on brokers 1, 2 and 3, in this order, led by the first."""
    nodes = [await (await made.node(number)).join() for number in (1, 2, 3)]
    for node in nodes if with_controller else ():
        node.serve()
    await made.topic(1, 2, 3)
    return nodes


async def elect(node: Node, election: int, *indexes: int) -> list[tuple[int, int]]:
    named = [TopicPartitions("t", list(indexes))] if indexes else None
    answer = elect_leaders.handle(ElectLeadersRequest(election, named), CONTEXT, services_of(node))
    assert isinstance(answer, Awaitable)
    response: ElectLeadersResponse = await bounded(answer)
    response.encode(2)
    (result,) = response.replica_election_results
    return [(one.partition_id, one.error_code) for one in result.partition_result]


async def without_the_first(nodes: list[Node]) -> None:
    """Let broker 1 hand over and come back, so that another leads and broker 1 is not in sync."""
    await nodes[0].membership.hand_over()
    await until(lambda: partition(nodes[1]).leader == 2)


async def test_no_election_is_held_where_the_preferred_leader_leads() -> None:
    async with cluster() as made:
        nodes = await three_brokers(made)
        assert await elect(nodes[1], PREFERRED, 0) == [(0, ErrorCode.ELECTION_NOT_NEEDED)]
        assert await elect(nodes[1], UNCLEAN, 0) == [(0, ErrorCode.ELECTION_NOT_NEEDED)]
        assert partition(nodes[1]).leader_epoch == 0


async def test_a_preferred_leader_that_is_not_in_sync_cannot_be_had() -> None:
    async with cluster() as made:
        nodes = await three_brokers(made)
        await without_the_first(nodes)
        assert await elect(nodes[1], PREFERRED, 0) == [(0, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE)]
        assert partition(nodes[1]).leader == 2


async def test_the_preferred_leader_leads_when_it_is_asked_for_and_in_sync() -> None:
    async with cluster() as made:
        nodes = await three_brokers(made)
        nodes[0].expire()
        await until(lambda: partition(nodes[1]).leader == 2 and nodes[0].membership.lease is not None)
        if 1 not in partition(nodes[1]).isr:
            await join_in_sync(nodes[1], 1)
        assert await elect(nodes[2], PREFERRED, 0) == [(0, ErrorCode.NONE)]
        assert partition(nodes[2]).leader == 1


async def test_of_all_partitions_those_are_named_that_are_not_led_as_wished() -> None:
    async with cluster() as made:
        nodes = await three_brokers(made)
        assert await elect(nodes[1], PREFERRED) == []
        await without_the_first(nodes)
        assert await elect(nodes[1], PREFERRED) == [(0, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE)]


async def test_whoever_is_alive_leads_where_nobody_does_and_an_unclean_leader_is_asked_for() -> None:
    async with cluster() as made:
        one, two = await (await made.node(1)).join(), await (await made.node(2)).join()
        one.serve()
        await made.topic(2, 1)
        await until(lambda: "t" in two.image.topics)
        await one.membership.hand_over()
        await one.stop()
        await two.stop()
        again = (await (await made.node(1)).join()).serve()
        await until(lambda: partition(again).leader == NO_BROKER)
        assert await elect(again, PREFERRED, 0) == [(0, ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE)]
        assert await elect(again, UNCLEAN, 0) == [(0, ErrorCode.NONE)]
        assert (partition(again).leader, partition(again).isr) == (1, (1,))


async def test_unknown_partitions_are_answered_one_by_one() -> None:
    async with cluster() as made:
        nodes = await three_brokers(made)
        expected = [(0, ErrorCode.ELECTION_NOT_NEEDED), (7, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)]
        assert await elect(nodes[0], PREFERRED, 0, 7) == expected


async def test_version_0_says_an_unknown_kind_of_election_without_the_field_that_it_lacks() -> None:
    async with cluster() as made:
        nodes = await three_brokers(made)
        request = ElectLeadersRequest(9, [TopicPartitions("t", [0])])
        answer = elect_leaders.handle(request, CONTEXT._replace(version=0), services_of(nodes[0]))
        assert isinstance(answer, ElectLeadersResponse)
        assert answer.error_code == ErrorCode.NONE
        assert answer.replica_election_results[0].partition_result[0].error_code == ErrorCode.INVALID_REQUEST
        answer.encode(0)


async def join_in_sync(leader: Node, member: int) -> None:
    """Let the leader take a follower into the in-sync set, as when it has caught up."""
    state = partition(leader)
    joining = BrokerId(member)

    def decide(image: Any) -> Any:
        return plan_change_isr(
            image,
            image.topics["t"].id,
            0,
            leader.id,
            image.brokers[leader.id].broker_epoch,
            isr=(*state.isr, joining),
            added={joining: image.brokers[joining].broker_epoch},
            partition_revision=state.revision,
        )

    assert await leader.catalog.carry_out(decide) is None


# --- reassignments


async def reassign(node: Node, replicas: list[int] | None, *, index: int = 0) -> int:
    request = AlterPartitionReassignmentsRequest(
        topics=[ReassignableTopic("t", [ReassignablePartition(index, replicas)])]
    )
    answer = await bounded(alter_partition_reassignments.handle(request, CONTEXT, services_of(node)))
    assert isinstance(answer, AlterPartitionReassignmentsResponse)
    answer.encode(0)
    (result,) = answer.responses[0].partitions
    assert bool(result.error_message) == (result.error_code != ErrorCode.NONE)
    return result.error_code


def moving(node: Node, *indexes: int) -> list[tuple[int, list[int], list[int], list[int]]]:
    asked = [ListPartitionReassignmentsTopics("t", list(indexes))] if indexes else None
    answer = list_partition_reassignments.handle(
        ListPartitionReassignmentsRequest(topics=asked), CONTEXT, services_of(node)
    )
    answer.encode(0)
    return [
        (one.partition_index, one.replicas, one.adding_replicas, one.removing_replicas)
        for topic in answer.topics
        for one in topic.partitions
    ]


@pytest.mark.parametrize(
    ("replicas", "error"),
    [
        ([1, 2, 3], ErrorCode.NONE),
        ([1, 2, 4], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ([1, 1, 2], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ([], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (None, ErrorCode.NO_REASSIGNMENT_IN_PROGRESS),
    ],
)
async def test_what_cannot_be_reassigned_is_refused_and_nothing_moves(
    replicas: list[int] | None, error: ErrorCode
) -> None:
    async with cluster() as made:
        nodes = await three_brokers(made)
        assert await reassign(nodes[0], replicas) == error
        assert partition(nodes[0]).replicas == (1, 2, 3)
        assert moving(nodes[0]) == []


async def test_a_partition_that_does_not_exist_cannot_be_reassigned() -> None:
    async with cluster() as made:
        nodes = await three_brokers(made)
        assert await reassign(nodes[0], [1], index=9) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


async def test_replicas_that_move_are_listed_until_the_wish_is_taken_back() -> None:
    async with cluster() as made:
        nodes = await three_brokers(made, with_controller=False)
        four = await (await made.node(4)).join()
        assert await reassign(nodes[0], [4, 2, 3]) == ErrorCode.NONE
        expected = [(0, [4, 2, 3, 1], [4], [1])]
        assert moving(nodes[0]) == moving(nodes[0], 0) == expected
        assert moving(nodes[0], 5) == []
        await until(lambda: moving(four) == expected)
        assert await reassign(four, None) == ErrorCode.NONE
        assert moving(four) == []
        assert set(partition(four).replicas) == {1, 2, 3}


async def test_the_old_replicas_go_when_the_new_are_in_sync() -> None:
    async with cluster() as made:
        nodes = await three_brokers(made)
        await (await made.node(4)).join()
        assert await reassign(nodes[0], [4, 2, 3]) == ErrorCode.NONE
        await until(lambda: partition(nodes[0]).leader == 1 and 4 in partition(nodes[0]).replicas)
        await join_in_sync(nodes[0], 4)
        await until(lambda: partition(nodes[0]).replicas == (4, 2, 3))
        await until(lambda: partition(nodes[0]).leader in (2, 3, 4))
        assert moving(nodes[0]) == []
