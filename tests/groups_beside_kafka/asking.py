"""The requests of group members and administrators in every version, in the words of a script."""

from collections.abc import Sequence
from typing import Any, Final

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import SERVED, ApiKey
from chronik.protocol.generated.consumer_protocol_subscription import ConsumerProtocolSubscription
from chronik.protocol.generated.delete_groups import DeleteGroupsRequest
from chronik.protocol.generated.describe_groups import DescribeGroupsRequest
from chronik.protocol.generated.find_coordinator import FindCoordinatorRequest
from chronik.protocol.generated.heartbeat import HeartbeatRequest
from chronik.protocol.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from chronik.protocol.generated.leave_group import LeaveGroupRequest, MemberIdentity
from chronik.protocol.generated.list_groups import ListGroupsRequest
from chronik.protocol.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from chronik.protocol.generated.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from chronik.protocol.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from chronik.protocol.generated.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.groups_beside_kafka.both import Asked, Both

APPLES: Final = "apples"
"""A topic of three partitions that both brokers have."""
PEARS: Final = "pears"
"""A topic of one partition that both brokers have."""
PATIENT_MS: Final = 300_000
"""A time-out that no script lives to see."""
SHORT_MS: Final = 4_000
"""A time-out that a script waits for; a machine that stands still does not bring it about before its time."""

Offsets = Sequence[tuple[str, Sequence[tuple[int, int] | tuple[int, int, str | None]]]]
"""Topics with partition, offset and metadata."""
Places = Sequence[tuple[str, Sequence[int]]]


def newest(key: ApiKey) -> int:
    return SERVED[key].version_max


def versions(key: ApiKey) -> range:
    return range(SERVED[key].version_min, newest(key) + 1)


def subscription(*topics: str) -> bytes:
    """What a consumer says of itself in JoinGroup."""
    return b"\0\0" + b"".join(ConsumerProtocolSubscription(list(topics), None).encode(0))


RANGE: Final = ("range", subscription(APPLES))
STICKY: Final = ("sticky", subscription(APPLES))
OTHER: Final = ("range", subscription(PEARS))


class Group:
    """One group as both brokers see it: every method asks both."""

    def __init__(self, both: Both, name: str = "g") -> None:
        self.both = both
        self.id = f"{both.prefix}{name}"

    # Membership

    def joins(
        self,
        who: str,
        *,
        member: str = "",
        instance: str | None = None,
        version: int = 9,
        protocols: Sequence[tuple[str, bytes]] = (RANGE,),
        kind: str = "consumer",
        session_ms: int = PATIENT_MS,
        rebalance_ms: int = PATIENT_MS,
        unlike: str = "",
        left_open: str = "",
    ) -> Asked:
        """JoinGroup, which may wait."""
        request = JoinGroupRequest(
            self.id,
            session_ms,
            rebalance_ms if version >= 1 else -1,
            member,
            instance if version >= 5 else None,
            kind,
            [JoinGroupRequestProtocol(name, metadata) for name, metadata in protocols],
        )
        return self.both.send(who, ApiKey.JOIN_GROUP, version, request, unlike=unlike, left_open=left_open)

    def enters(self, who: str, **options: Any) -> Asked:
        """JoinGroup of somebody new in one of the versions that give the id first: both requests."""
        given = self.joins(who, **options)
        self.both.until(given)
        assert given.answer["error_code"] == ErrorCode.MEMBER_ID_REQUIRED
        return self.joins(who, member=f"<{who}>", **options)

    def syncs(
        self,
        who: str,
        generation: int,
        *,
        member: str | None = None,
        instance: str | None = None,
        version: int = 5,
        kind: str | None = "consumer",
        protocol: str | None = "range",
        gives: Sequence[tuple[str, bytes]] = (),
    ) -> Asked:
        """SyncGroup, which may wait."""
        request = SyncGroupRequest(
            self.id,
            generation,
            f"<{who}>" if member is None else member,
            instance if version >= 3 else None,
            kind if version >= 5 else None,
            protocol if version >= 5 else None,
            [SyncGroupRequestAssignment(name, part) for name, part in gives],
        )
        return self.both.send(who, ApiKey.SYNC_GROUP, version, request)

    def settles(self, who: str, *, version: int = 9, **options: Any) -> None:
        """Somebody new is the only member, and has its assignment."""
        self.both.until(self.enters(who, version=version, **options))
        self.both.until(self.syncs(who, 1, gives=[(f"<{who}>", b"all")]))

    def beats(
        self,
        who: str,
        generation: int,
        *,
        member: str | None = None,
        instance: str | None = None,
        version: int = 4,
        unlike: str = "",
    ) -> Any:
        name = f"<{who}>" if member is None else member
        request = HeartbeatRequest(self.id, generation, name, instance if version >= 3 else None)
        return self.both.ask(who, ApiKey.HEARTBEAT, version, request, unlike=unlike)

    def leaves(self, who: str, *leaving: tuple[str, str | None], version: int = 5, unlike: str = "") -> Any:
        """LeaveGroup by ids and instances."""
        if version < 3:
            request = LeaveGroupRequest(self.id, leaving[0][0])
        else:
            request = LeaveGroupRequest(self.id, "", [MemberIdentity(*one) for one in leaving])
        return self.both.ask(who, ApiKey.LEAVE_GROUP, version, request, unlike=unlike)

    # Committed offsets

    def commits(
        self,
        who: str,
        offsets: Offsets,
        *,
        generation: int = -1,
        member: str = "",
        instance: str | None = None,
        version: int = 9,
        epoch: int = -1,
        retention_ms: int = -1,
        unlike: str = "",
    ) -> Any:
        topics = [
            OffsetCommitRequestTopic(
                name, partitions=[_position(one, epoch if version >= 6 else -1) for one in partitions]
            )
            for name, partitions in offsets
        ]
        request = OffsetCommitRequest(
            self.id,
            generation,
            member,
            instance if version >= 7 else None,
            retention_ms if version <= 4 else -1,
            topics,
        )
        return self.both.ask(who, ApiKey.OFFSET_COMMIT, version, request, unlike=unlike)

    def fetches(
        self, who: str, places: Places | None, *, version: int = 9, stable: bool = False, **options: Any
    ) -> Any:
        return fetch(self.both, who, [(self.id, places)], version=version, stable=stable, **options)

    def deletes_offsets(self, who: str, places: Places, *, unlike: str = "") -> Any:
        topics = [
            OffsetDeleteRequestTopic(name, [OffsetDeleteRequestPartition(index) for index in indexes])
            for name, indexes in places
        ]
        return self.both.ask(who, ApiKey.OFFSET_DELETE, 0, OffsetDeleteRequest(self.id, topics), unlike=unlike)

    # Administration

    def is_described(self, version: int = 6, *, operations: bool = False, unlike: str = "") -> Any:
        return describe(self.both, [self.id], version=version, operations=operations, unlike=unlike)["groups"][0]

    def is_listed(
        self, version: int = 5, states: Sequence[str] = (), types: Sequence[str] = (), unlike: str = ""
    ) -> Any:
        request = ListGroupsRequest(list(states), list(types))
        return self.both.ask("admin", ApiKey.LIST_GROUPS, version, request, unlike=unlike)["groups"]

    def is_deleted(self, version: int = 2, unlike: str = "") -> Any:
        return delete(self.both, [self.id], version=version, unlike=unlike)


def two_members(group: Group, **options: Any) -> None:
    """``a`` leads ``b`` in generation 2, and both have their assignments."""
    group.settles("a", **options)
    b = group.enters("b", **options)
    a = group.joins("a", member="<a>", **options)
    group.both.until(a, b)
    follower = group.syncs("b", 2)
    leader = group.syncs("a", 2, gives=[("<a>", b"first"), ("<b>", b"second")])
    group.both.until(leader, follower)


def _position(one: tuple[int, int] | tuple[int, int, str | None], epoch: int) -> OffsetCommitRequestPartition:
    metadata = one[2] if len(one) == 3 else ""
    return OffsetCommitRequestPartition(one[0], one[1], epoch, metadata)


def fetch(
    both: Both,
    who: str,
    groups: Sequence[tuple[str, Places | None]],
    *,
    version: int = 9,
    stable: bool = False,
    member: str | None = None,
    member_epoch: int = -1,
    unlike: str = "",
) -> Any:
    """OffsetFetch of one group, or in the later versions of several."""
    if version < 8:
        ((group_id, places),) = groups
        topics = None if places is None else [OffsetFetchRequestTopic(name, list(indexes)) for name, indexes in places]
        request = OffsetFetchRequest(group_id, topics, require_stable=stable if version >= 7 else False)
    else:
        request = OffsetFetchRequest(
            groups=[
                OffsetFetchRequestGroup(
                    group_id,
                    member if version >= 9 else None,
                    member_epoch if version >= 9 else -1,
                    None
                    if places is None
                    else [OffsetFetchRequestTopics(name, partition_indexes=list(indexes)) for name, indexes in places],
                )
                for group_id, places in groups
            ],
            require_stable=stable,
        )
    return both.ask(who, ApiKey.OFFSET_FETCH, version, request, unlike=unlike)


def describe(both: Both, groups: Sequence[str], *, version: int = 6, operations: bool = False, unlike: str = "") -> Any:
    request = DescribeGroupsRequest(list(groups), operations if version >= 3 else False)
    return both.ask("admin", ApiKey.DESCRIBE_GROUPS, version, request, unlike=unlike)


def delete(both: Both, groups: Sequence[str], *, version: int = 2, unlike: str = "") -> Any:
    return both.ask("admin", ApiKey.DELETE_GROUPS, version, DeleteGroupsRequest(list(groups)), unlike=unlike)


def find(both: Both, keys: Sequence[str], *, version: int = 6, kind: int = 0, unlike: str = "") -> Any:
    """FindCoordinator in the form of the version."""
    if version < 4:
        request = FindCoordinatorRequest(keys[0], kind if version >= 1 else 0)
    else:
        request = FindCoordinatorRequest("", kind, list(keys))
    return both.ask("admin", ApiKey.FIND_COORDINATOR, version, request, unlike=unlike)
