"""Administration of groups: list, describe, delete.

Groups of any type are listed. Members are described for classic groups and for the newer consumer protocol. Fields that
an old broker does not return are empty.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from chronik.client.cluster import Cluster
from chronik.client.connection import BrokerConnection
from chronik.client.errors import ClientError, RefusedError, UnsupportedByBrokerError, check, refusal
from chronik.client.groups.assignment import PROTOCOL_TYPE, assigned_partitions
from chronik.client.groups.coordinators import ask_coordinators
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.errors import ProtocolError
from chronik.protocol.generated import consumer_group_describe as newer
from chronik.protocol.generated import describe_groups as classic
from chronik.protocol.generated.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse
from chronik.protocol.generated.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse

STATES: Final = (
    "Stable",
    "Empty",
    "PreparingRebalance",
    "CompletingRebalance",
    "Assigning",
    "Reconciling",
    "NotReady",
    "Dead",
)
G = TypeVar("G", classic.DescribedGroup, newer.DescribedGroup)

TYPES: Final = ("classic", "consumer", "share", "streams")
DEAD: Final = "Dead"
CLASSIC: Final = "classic"
CONSUMER: Final = "consumer"
WITH_KNOWN_MEMBERS: Final = frozenset({CLASSIC, CONSUMER, ""})
"""Group types that can be described; brokers without types have classic groups only."""


@dataclass(frozen=True, slots=True)
class GroupListing:
    """A group in the list; state and type are empty if the broker is too old."""

    group: str
    state: str
    type: str
    protocol_type: str


@dataclass(frozen=True, slots=True)
class MemberView:
    """One member and its assigned partitions (None: not in the consumers' format)."""

    member_id: str
    instance_id: str | None
    client_id: str
    host: str
    assigned: tuple[TopicPartition, ...] | None


@dataclass(frozen=True, slots=True)
class GroupView:
    """One group with its members."""

    group: str
    state: str
    type: str
    protocol_type: str
    protocol: str
    coordinator: str
    members: tuple[MemberView, ...]

    @property
    def exists(self) -> bool:
        """Whether the coordinator knows the group."""
        return self.state != DEAD


class GroupAdmin:
    """Lists, describes and deletes the groups of one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    async def list_groups(self) -> list[GroupListing]:
        """Return the groups of every broker, by name."""
        view = await self._cluster.retrying(lambda: self._cluster.refresh(()))
        answers = await asyncio.gather(*(self._listed_by(node_id) for node_id in sorted(view.brokers)))
        found = {listing.group: listing for answer in answers for listing in answer}
        return [found[group] for group in sorted(found)]

    async def describe(self, groups: Iterable[str]) -> dict[str, GroupView | ClientError]:
        """Return each group; a missing one has the state Dead."""
        found = await ask_coordinators(self._cluster, groups, _describe_classic)
        unknown = [group for group, view in found.items() if isinstance(view, GroupView) and not view.exists]
        if unknown:
            for group, other in (await ask_coordinators(self._cluster, unknown, _describe_newer)).items():
                if not isinstance(other, UnsupportedByBrokerError):
                    found[group] = other
        return found

    async def delete(self, groups: Iterable[str]) -> dict[str, ClientError | None]:
        """Delete groups without members, with their committed offsets; the result is None for each deleted one."""
        return await ask_coordinators(self._cluster, groups, _delete, is_repeatable=False)

    async def _listed_by(self, node_id: int) -> list[GroupListing]:
        async def attempt() -> list[GroupListing]:
            connection = await self._cluster.connection_to(node_id)
            answer = await connection.call(ListGroupsRequest(), ListGroupsResponse)
            check(answer.error_code, f"{connection.where}: ListGroups")
            return [_listing(group) for group in answer.groups]

        return await self._cluster.retrying(attempt)


def matching(
    listings: Iterable[GroupListing], states: Collection[str] = (), types: Collection[str] = ()
) -> list[GroupListing]:
    """Return the groups in one of these states and of one of these types; an empty filter means all."""
    return [
        listing
        for listing in listings
        if (not states or listing.state in states) and (not types or listing.type in types)
    ]


def _listing(group: ListedGroup) -> GroupListing:
    # Some versions of Kafka write the newer types with a capital letter.
    return GroupListing(group.group_id, group.group_state, group.group_type.lower(), group.protocol_type)


async def _describe_classic(connection: BrokerConnection, groups: list[str]) -> Mapping[str, GroupView | RefusedError]:
    request = classic.DescribeGroupsRequest(groups=groups)
    answer = await connection.call(request, classic.DescribeGroupsResponse)
    return {group.group_id: _described(group, connection.where, _classic_view) for group in answer.groups}


async def _describe_newer(connection: BrokerConnection, groups: list[str]) -> Mapping[str, GroupView | RefusedError]:
    request = newer.ConsumerGroupDescribeRequest(group_ids=groups)
    answer = await connection.call(request, newer.ConsumerGroupDescribeResponse)
    return {group.group_id: _described(group, connection.where, _newer_view) for group in answer.groups}


def _described(group: G, where: str, view: Callable[[G, str], GroupView]) -> GroupView | RefusedError:
    if group.error_code == ErrorCode.GROUP_ID_NOT_FOUND:
        return GroupView(group.group_id, DEAD, "", "", "", where, ())
    refused = refusal(group.error_code, f"group {group.group_id}", group.error_message)
    return view(group, where) if refused is None else refused


def _classic_view(group: classic.DescribedGroup, where: str) -> GroupView:
    members = tuple(
        MemberView(
            member.member_id,
            member.group_instance_id,
            member.client_id,
            member.client_host.removeprefix("/"),
            _assigned(group.protocol_type, member.member_assignment),
        )
        for member in group.members
    )
    return GroupView(
        group.group_id, group.group_state, CLASSIC, group.protocol_type, group.protocol_data, where, members
    )


def _assigned(protocol_type: str, assignment: bytes) -> tuple[TopicPartition, ...] | None:
    if protocol_type != PROTOCOL_TYPE:
        return None
    try:
        return tuple(assigned_partitions(assignment))
    except ProtocolError:
        return None


def _newer_view(group: newer.DescribedGroup, where: str) -> GroupView:
    members = tuple(
        MemberView(
            member.member_id,
            member.instance_id,
            member.client_id,
            member.client_host.removeprefix("/"),
            tuple(
                TopicPartition(topic.topic_name, partition)
                for topic in member.assignment.topic_partitions
                for partition in topic.partitions
            ),
        )
        for member in group.members
    )
    return GroupView(group.group_id, group.group_state, CONSUMER, PROTOCOL_TYPE, group.assignor_name, where, members)


async def _delete(connection: BrokerConnection, groups: list[str]) -> Mapping[str, RefusedError | None]:
    answer = await connection.call(DeleteGroupsRequest(groups_names=groups), DeleteGroupsResponse)
    return {result.group_id: refusal(result.error_code, f"group {result.group_id}") for result in answer.results}
