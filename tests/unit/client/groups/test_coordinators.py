"""Asking the coordinators of groups: found again where they have moved, each group with its own result."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from chronik.client.cluster import Cluster
from chronik.client.errors import RefusedError, UnreachableError
from chronik.client.groups.admin import GroupAdmin, GroupView
from chronik.client.groups.admin_offsets import GroupOffset, GroupOffsetAdmin
from chronik.client.groups.coordinators import coordinator_connection
from chronik.client.settings import ClientSettings
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.consumer_protocol_assignment import ConsumerProtocolAssignment
from chronik.protocol.generated.consumer_protocol_assignment import TopicPartition as AssignedTopic
from chronik.protocol.generated.delete_groups import DeletableGroupResult, DeleteGroupsResponse
from chronik.protocol.generated.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsResponse,
)
from chronik.protocol.generated.find_coordinator import Coordinator, FindCoordinatorResponse
from chronik.protocol.generated.offset_commit import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from chronik.protocol.generated.offset_fetch import (
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)
from tests.unit.client.fake_broker import HANG_UP, TOPIC, FakeBroker

SETTINGS = ClientSettings(retry_backoff_ms=1, retry_backoff_ms_max=5)
SOON_TIRED = replace(SETTINGS, retry_timeout_ms=500)
AT = TopicPartition(TOPIC, 0)


class GroupsBroker(FakeBroker):
    """A broker that coordinates every group, but those of ``elsewhere``; ``refusals`` are given out one by one."""

    def __init__(self, node_id: int = 1) -> None:
        super().__init__(node_id)
        self.elsewhere: dict[str, int] = {}
        self.refusals: dict[str, list[ErrorCode]] = {}
        self.deletions: Counter[str] = Counter()
        self.overrides = {
            ApiKey.FIND_COORDINATOR: self._find,
            ApiKey.DESCRIBE_GROUPS: self._describe,
            ApiKey.OFFSET_FETCH: self._fetch_offsets,
            ApiKey.OFFSET_COMMIT: self._commit,
            ApiKey.DELETE_GROUPS: self._delete,
        }

    def versions_up_to(self, key: ApiKey, highest: int) -> None:
        self.versions[key] = (self.versions[key][0], highest)

    def _refusal(self, group: str) -> int:
        waiting = self.refusals.get(group)
        return waiting.pop(0) if waiting else ErrorCode.NONE

    def _find(self, request: Any, version: int) -> FindCoordinatorResponse:
        if version < 4:
            return FindCoordinatorResponse(node_id=self._node_of(request.key), host="127.0.0.1", port=self.port)
        found = [
            Coordinator(key=key, node_id=self._node_of(key), host="127.0.0.1", port=self.port)
            for key in request.coordinator_keys
        ]
        return FindCoordinatorResponse(coordinators=found)

    def _node_of(self, group: str) -> int:
        return self.elsewhere.get(group, self.node_id)

    def _describe(self, request: Any, version: int) -> DescribeGroupsResponse:
        assignment = ConsumerProtocolAssignment(
            assigned_partitions=[AssignedTopic(topic=TOPIC, partitions=[0])], user_data=None
        )
        member = DescribedGroupMember(
            member_id=f"m-{self.node_id}",
            client_id="c",
            client_host="/127.0.0.1",
            member_assignment=b"\0\0" + b"".join(assignment.encode(0)),
        )
        groups = [
            DescribedGroup(
                error_code=self._refusal(group),
                group_id=group,
                group_state="Stable",
                protocol_type="consumer",
                members=[member],
            )
            for group in request.groups
        ]
        return DescribeGroupsResponse(groups=groups)

    def _fetch_offsets(self, request: Any, version: int) -> OffsetFetchResponse:
        if version < 8:
            one = OffsetFetchResponsePartition(partition_index=0, committed_offset=7, metadata="")
            return OffsetFetchResponse(topics=[OffsetFetchResponseTopic(name=TOPIC, partitions=[one])])
        many = [
            OffsetFetchResponsePartitions(partition_index=0, committed_offset=7, metadata="note"),
            OffsetFetchResponsePartitions(partition_index=1, committed_offset=-1, metadata=""),
        ]
        groups = [
            OffsetFetchResponseGroup(
                group_id=group.group_id,
                error_code=self._refusal(group.group_id),
                topics=[OffsetFetchResponseTopics(name=TOPIC, partitions=many)],
            )
            for group in request.groups
        ]
        return OffsetFetchResponse(groups=groups)

    def _commit(self, request: Any, version: int) -> OffsetCommitResponse:
        [topic] = request.topics
        answers = [
            OffsetCommitResponsePartition(
                partition_index=partition.partition_index, error_code=self._refusal(request.group_id)
            )
            for partition in topic.partitions
        ]
        return OffsetCommitResponse(topics=[OffsetCommitResponseTopic(name=topic.name, partitions=answers)])

    def _delete(self, request: Any, version: int) -> Any:
        self.deletions.update(request.groups_names)
        if self.refusals.get("hang up"):
            return HANG_UP
        results = [
            DeletableGroupResult(group_id=group, error_code=self._refusal(group)) for group in request.groups_names
        ]
        return DeleteGroupsResponse(results=results)


def run(work: Callable[[GroupsBroker, Cluster], Awaitable[None]], settings: ClientSettings = SETTINGS) -> None:
    async def scenario() -> None:
        async with GroupsBroker() as broker, Cluster(broker.bootstrap, settings) as cluster:
            await work(broker, cluster)

    asyncio.run(scenario())


@pytest.mark.parametrize(("highest", "questions"), [(6, 1), (3, 3)])
def test_coordinators_are_asked_for_at_once_or_one_by_one_as_the_broker_can(highest: int, questions: int) -> None:
    async def work(broker: GroupsBroker, cluster: Cluster) -> None:
        broker.versions_up_to(ApiKey.FIND_COORDINATOR, highest)
        async with Cluster(broker.bootstrap, SETTINGS) as fresh:
            found = await GroupAdmin(fresh).describe(["a", "b", "c"])
        assert {group for group, view in found.items() if isinstance(view, GroupView)} == {"a", "b", "c"}
        asked = Counter(key for key, _ in broker.asked)
        assert (asked[ApiKey.FIND_COORDINATOR], asked[ApiKey.DESCRIBE_GROUPS]) == (questions, 1)

    run(work)


def test_refusal_of_a_coordinator_that_moves_or_loads_is_asked_again_for_that_group_only() -> None:
    async def work(broker: GroupsBroker, cluster: Cluster) -> None:
        broker.refusals["b"] = [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.NOT_COORDINATOR]
        found = await GroupAdmin(cluster).describe(["a", "b"])
        assert all(isinstance(view, GroupView) for view in found.values())
        assert Counter(key for key, _ in broker.asked)[ApiKey.DESCRIBE_GROUPS] == 3

    run(work)


def test_group_whose_coordinator_is_gone_does_not_hide_the_others() -> None:
    async def work(broker: GroupsBroker, cluster: Cluster) -> None:
        broker.elsewhere["lost"] = 9
        found = await GroupAdmin(cluster).describe(["here", "lost"])
        assert isinstance(found["here"], GroupView)
        assert isinstance(found["lost"], UnreachableError)
        assert "broker 9" in found["lost"].what

    run(work, SOON_TIRED)


def test_groups_of_several_coordinators_are_asked_of_each() -> None:
    async def scenario() -> None:
        async with GroupsBroker(1) as first, GroupsBroker(2) as second:
            first.cluster = second.cluster = [first, second]
            first.elsewhere["b"] = 2
            async with Cluster(first.bootstrap, SETTINGS) as cluster:
                found = await GroupAdmin(cluster).describe(["a", "b"])
                views = [view for view in found.values() if isinstance(view, GroupView)]
                assert [(view.group, view.members[0].member_id) for view in views] == [("a", "m-1"), ("b", "m-2")]
                assert views[0].members[0].assigned == (AT,)
                assert views[0].members[0].host == "127.0.0.1"
                assert (await coordinator_connection(cluster, "b")).port == second.port

    asyncio.run(scenario())


@pytest.mark.parametrize(("highest", "metadata"), [(9, "note"), (7, "")])
def test_committed_offsets_are_read_from_brokers_old_and_new(highest: int, metadata: str) -> None:
    async def work(broker: GroupsBroker, cluster: Cluster) -> None:
        broker.versions_up_to(ApiKey.OFFSET_FETCH, highest)
        async with Cluster(broker.bootstrap, SETTINGS) as fresh:
            found = await GroupOffsetAdmin(fresh).committed(["a", "b"])
        assert found == {group: {AT: GroupOffset(7, -1, metadata)} for group in ("a", "b")}

    run(work)


def test_commit_is_asked_again_of_a_coordinator_that_moved_and_tells_what_else_is_refused() -> None:
    async def work(broker: GroupsBroker, cluster: Cluster) -> None:
        broker.refusals["g"] = [ErrorCode.NOT_COORDINATOR, ErrorCode.NOT_COORDINATOR, ErrorCode.NONE]
        other = TopicPartition(TOPIC, 1)
        broker.refusals["g"].append(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        outcomes = await GroupOffsetAdmin(cluster).commit("g", {AT: 1, other: 2})
        assert outcomes[AT] is None
        refused = outcomes[other]
        assert isinstance(refused, RefusedError)
        assert refused.error is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert str(other) in refused.what

    run(work)


def test_deletion_whose_answer_was_lost_is_not_sent_again() -> None:
    async def work(broker: GroupsBroker, cluster: Cluster) -> None:
        broker.refusals["hang up"] = [ErrorCode.NONE]
        found = await GroupAdmin(cluster).delete(["g"])
        assert isinstance(found["g"], UnreachableError)
        assert broker.deletions == {"g": 1}

    run(work)


def test_deletion_that_the_coordinator_put_off_is_sent_again() -> None:
    async def work(broker: GroupsBroker, cluster: Cluster) -> None:
        broker.refusals["g"] = [ErrorCode.COORDINATOR_NOT_AVAILABLE]
        broker.refusals["busy"] = [ErrorCode.NON_EMPTY_GROUP]
        found = await GroupAdmin(cluster).delete(["g", "busy"])
        assert found["g"] is None
        assert isinstance(found["busy"], RefusedError)
        assert "chronik group describe" in found["busy"].advice
        assert broker.deletions == {"g": 2, "busy": 1}

    run(work)
