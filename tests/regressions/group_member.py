"""A member of a group that does one thing at a time, in a version of one's choice: what no client library does."""

import time
from typing import Any, Final

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import SERVED, ApiKey
from chronik.protocol.generated.find_coordinator import FindCoordinatorRequest
from chronik.protocol.generated.heartbeat import HeartbeatRequest
from chronik.protocol.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from chronik.protocol.generated.leave_group import LeaveGroupRequest, MemberIdentity
from chronik.protocol.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from chronik.protocol.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from chronik.protocol.generated.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.regressions.wire import Wire

LOADING_SECONDS_MAX: Final = 60.0
SUBSCRIPTION: Final = b"\0\0\0\0\0\0\0\0\0\0"
"""A consumer's metadata of version 0 that names no topic."""


class GroupMember:
    """Speaks for one member over one connection."""

    def __init__(
        self,
        wire: Wire,
        group: str,
        *,
        version: int = 9,
        instance_id: str | None = None,
        session_timeout_ms: int = 10_000,
    ) -> None:
        self.wire = wire
        self.group = group
        self.version = version
        self.instance_id = instance_id
        self.session_timeout_ms = session_timeout_ms
        self.member_id = ""
        self.generation = -1

    def version_of(self, key: ApiKey) -> int:
        """The version to ask in: the member's own, as far as the API has it."""
        api = SERVED[key]
        return max(api.version_min, min(self.version, api.version_max))

    def call(self, key: ApiKey, request: Any) -> Any:
        return self.wire.call(key, self.version_of(key), request)

    def find(self) -> Any:
        """Look for the coordinator, which makes the offsets' topic where it is missing."""
        if self.version_of(ApiKey.FIND_COORDINATOR) < 4:
            return self.call(ApiKey.FIND_COORDINATOR, FindCoordinatorRequest(self.group))
        return self.call(ApiKey.FIND_COORDINATOR, FindCoordinatorRequest("", 0, [self.group])).coordinators[0]

    def join_request(self) -> JoinGroupRequest:
        version = self.version_of(ApiKey.JOIN_GROUP)
        protocols = [JoinGroupRequestProtocol("range", SUBSCRIPTION)]
        rebalance_timeout_ms = 30_000 if version >= 1 else -1
        return JoinGroupRequest(
            self.group,
            self.session_timeout_ms,
            rebalance_timeout_ms,
            self.member_id,
            self.instance_id,
            "consumer",
            protocols,
        )

    def join(self) -> Any:
        """Join, once more with the id that was given where the broker asks for that."""
        answer = self.call(ApiKey.JOIN_GROUP, self.join_request())
        if answer.error_code == ErrorCode.MEMBER_ID_REQUIRED:
            self.member_id = answer.member_id
            answer = self.call(ApiKey.JOIN_GROUP, self.join_request())
        if answer.error_code == ErrorCode.NONE:
            self.member_id, self.generation = answer.member_id, answer.generation_id
        return answer

    def sync(self, assignments: dict[str, bytes] | None = None) -> Any:
        names_protocol = self.version_of(ApiKey.SYNC_GROUP) >= 5
        given = [SyncGroupRequestAssignment(member, part) for member, part in (assignments or {}).items()]
        request = SyncGroupRequest(
            self.group,
            self.generation,
            self.member_id,
            self.instance_id,
            "consumer" if names_protocol else None,
            "range" if names_protocol else None,
            given,
        )
        return self.call(ApiKey.SYNC_GROUP, request)

    def join_alone(self) -> None:
        """Become the only member, with an assignment."""
        joined = self.join()
        assert joined.error_code == ErrorCode.NONE, joined
        assert self.sync({self.member_id: b"all"}).assignment == b"all"

    def beat(self) -> ErrorCode:
        request = HeartbeatRequest(self.group, self.generation, self.member_id, self.instance_id)
        return ErrorCode(self.call(ApiKey.HEARTBEAT, request).error_code)

    def commit(self, offsets: dict[tuple[str, int], int]) -> dict[tuple[str, int], ErrorCode]:
        """Commit positions, and give what became of each."""
        topics = [
            OffsetCommitRequestTopic(topic, partitions=[OffsetCommitRequestPartition(partition, offset, -1, "")])
            for (topic, partition), offset in offsets.items()
        ]
        request = OffsetCommitRequest(self.group, self.generation, self.member_id, self.instance_id, topics=topics)
        answer = self.call(ApiKey.OFFSET_COMMIT, request)
        return {
            (topic.name, one.partition_index): ErrorCode(one.error_code)
            for topic in answer.topics
            for one in topic.partitions
        }

    def leave(self) -> ErrorCode:
        if self.version_of(ApiKey.LEAVE_GROUP) < 3:
            return ErrorCode(self.call(ApiKey.LEAVE_GROUP, LeaveGroupRequest(self.group, self.member_id)).error_code)
        leaving = [MemberIdentity(self.member_id, self.instance_id)]
        answer = self.call(ApiKey.LEAVE_GROUP, LeaveGroupRequest(self.group, members=leaving))
        return ErrorCode(answer.error_code or answer.members[0].error_code)


def committed(wire: Wire, group: str, topic: str, partitions: list[int]) -> dict[int, int]:
    """The positions of a group, -1 where there is none; a coordinator that is being loaded is asked again."""
    asked = [OffsetFetchRequestTopics(topic, partition_indexes=partitions)]
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group, topics=asked)])
    deadline = time.monotonic() + LOADING_SECONDS_MAX
    while True:
        (found,) = wire.call(ApiKey.OFFSET_FETCH, 8, request).groups
        if found.error_code != ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
            break
        assert time.monotonic() < deadline, "the coordinator is still being loaded"
    assert found.error_code == ErrorCode.NONE, found
    return {one.partition_index: one.committed_offset for one in found.topics[0].partitions}
