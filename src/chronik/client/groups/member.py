"""The requests of a group member: join, sync, heartbeat, commit, leave, and checks for changed topics.

What the responses mean is decided in :mod:`chronik.client.groups.membership`.
"""

import asyncio
from collections.abc import Mapping
from typing import Final

from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError, RefusedError, error_of
from chronik.client.groups.admin_offsets import codes_of, commit_request
from chronik.client.groups.assignment import (
    PROTOCOL_TYPE,
    Subscriber,
    assigned_partitions,
    assignments_of,
    subscribed_topics,
    subscription_bytes,
)
from chronik.client.groups.coordinator import CoordinatorClient
from chronik.client.groups.membership import GroupMembership, MemberPhase
from chronik.client.groups.settings import GroupConsumerSettings
from chronik.client.groups.subscription import Subscription, partition_counts
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.constants import OFFSET_COMMIT_LAST_VERSION_BY_NAME
from chronik.protocol.generated.heartbeat import HeartbeatRequest, HeartbeatResponse
from chronik.protocol.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse
from chronik.protocol.generated.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberIdentity
from chronik.protocol.generated.offset_commit import OffsetCommitResponse
from chronik.protocol.generated.sync_group import SyncGroupRequest, SyncGroupRequestAssignment, SyncGroupResponse

_FIRST_LEAVE_WITH_MEMBERS: Final = 3
_LEAVE_TIMEOUT_S: Final = 5.0
_ANSWER_GRACE_S: Final = 5.0
_LOOK_AGAIN_MS: Final = 1_000
_AT_ONCE: Final = frozenset({ErrorCode.MEMBER_ID_REQUIRED, ErrorCode.REBALANCE_IN_PROGRESS})
_ADVICE: Final = {
    ErrorCode.FENCED_INSTANCE_ID: "Another member has joined with the same group.instance.id: each needs its own.",
    ErrorCode.INCONSISTENT_GROUP_PROTOCOL: "The other members use other assignors: set "
    "-X partition.assignment.strategy as they do (this client knows range and roundrobin).",
    ErrorCode.INVALID_SESSION_TIMEOUT: "Choose -X session.timeout.ms within the broker's "
    "group.min.session.timeout.ms and group.max.session.timeout.ms.",
    ErrorCode.GROUP_MAX_SIZE_REACHED: "Stop a member, or raise the broker's group.max.size.",
}


class GroupMember:
    """One member of a group, seen from its own side."""

    def __init__(
        self,
        cluster: Cluster,
        coordinator: CoordinatorClient,
        subscription: Subscription,
        settings: GroupConsumerSettings,
    ) -> None:
        self.membership = GroupMembership()
        self._cluster = cluster
        self._coordinator = coordinator
        self._subscription = subscription
        self._settings = settings
        self._topics: frozenset[str] = frozenset()
        self._counts: Mapping[str, int] = {}
        self._group_topics: frozenset[str] = frozenset()

    async def join(self) -> list[TopicPartition]:
        """Join until there is an assignment; raise if the group refuses this member for good."""
        backoffs = self._cluster.backoffs()
        while True:
            error, assignment = await self._join_once()
            self._raise_if_failed()
            if self.membership.phase is MemberPhase.STABLE:
                return assigned_partitions(assignment)
            if error not in _AT_ONCE:
                await asyncio.sleep(next(backoffs))

    @property
    def look_interval_ms(self) -> int:
        """How long to wait before checking for changed topics: shorter if one is still missing."""
        whole = all(topic in self._counts for topic in self._group_topics or self._topics)
        age_ms = self._cluster.settings.metadata_age_ms_max
        return age_ms if whole else min(age_ms, _LOOK_AGAIN_MS)

    async def look_for_changes(self) -> None:
        """Compare the topics with those of the assignment; only the leader counts partitions."""
        topics = await self._subscribed()
        counts = await self._count(self._group_topics or topics)
        if topics != self._topics or (self.membership.is_leader and counts != self._counts):
            self.membership.on_subscription_changed()
        self._counts = counts

    async def beat(self) -> None:
        """Send a heartbeat, and react to its response."""
        membership = self.membership
        generation = membership.generation
        request = HeartbeatRequest(
            group_id=self._coordinator.group_id,
            generation_id=generation,
            member_id=membership.member_id,
            group_instance_id=self._settings.instance_id,
        )
        answer = await self._coordinator.call(request, HeartbeatResponse, error_in=lambda answer: answer.error_code)
        membership.on_answered(error_of(answer.error_code), generation)
        self._raise_if_failed()

    async def commit(self, offsets: Mapping[TopicPartition, int]) -> dict[TopicPartition, ErrorCode]:
        """Commit offsets, and return the result of each partition."""
        return await commit_as_member(self._coordinator, self.membership, self._settings.instance_id, offsets)

    async def leave(self, reason: str) -> None:
        """Leave, unless the member is static: it keeps its partitions until it comes back or times out."""
        membership = self.membership
        if membership.member_id and self._settings.instance_id is None and membership.phase is not MemberPhase.FAILED:
            if membership.phase is not MemberPhase.STABLE:
                # A join or sync may be waiting on that connection, and requests behind it would wait too.
                self._coordinator.close()
            try:
                async with asyncio.timeout(_LEAVE_TIMEOUT_S):
                    await self._send_leave(reason)
            except (ClientError, TimeoutError):
                pass  # Without LeaveGroup the session times out.
        membership.on_left()

    async def _subscribed(self) -> frozenset[str]:
        creating = self._settings.allow_creation
        return await self._cluster.retrying(lambda: self._subscription.topics(self._cluster, allow_creation=creating))

    async def _count(self, topics: frozenset[str]) -> dict[str, int]:
        return await self._cluster.retrying(lambda: partition_counts(self._cluster, topics))

    async def _join_once(self) -> tuple[ErrorCode, bytes]:
        self._topics = await self._subscribed()
        joined = await self._send_join()
        error = error_of(joined.error_code)
        self.membership.on_joined(
            error, joined.member_id, joined.generation_id, joined.protocol_name or "", joined.leader
        )
        if error is not ErrorCode.NONE:
            return error, b""
        synced = await self._send_sync(await self._shares(joined))
        error = error_of(synced.error_code)
        self.membership.on_synced(error)
        return error, synced.assignment

    async def _shares(self, joined: JoinGroupResponse) -> dict[str, bytes]:
        """Return the assignment of all members if this member is the leader."""
        subscribers = [
            Subscriber(member.member_id, subscribed_topics(member.metadata), member.group_instance_id)
            for member in joined.members
        ]
        self._group_topics = frozenset[str]().union(*(subscriber.topics for subscriber in subscribers))
        if not self.membership.is_leader:
            return {}
        self._counts = await self._count(self._group_topics)
        # A static leader that came back: the coordinator keeps the assignment that it has.
        return {} if joined.skip_assignment else assignments_of(self.membership.protocol, subscribers, self._counts)

    async def _send_join(self) -> JoinGroupResponse:
        settings = self._settings
        metadata = subscription_bytes(self._topics)
        request = JoinGroupRequest(
            group_id=self._coordinator.group_id,
            session_timeout_ms=settings.session_timeout_ms,
            rebalance_timeout_ms=settings.poll_interval_ms_max,
            member_id=self.membership.member_id,
            group_instance_id=settings.instance_id,
            protocol_type=PROTOCOL_TYPE,
            protocols=[JoinGroupRequestProtocol(name=name, metadata=metadata) for name in settings.assignors],
        )
        return await self._coordinator.call(
            request, JoinGroupResponse, error_in=lambda answer: answer.error_code, timeout_s=self._rebalance_s
        )

    async def _send_sync(self, shares: Mapping[str, bytes]) -> SyncGroupResponse:
        membership = self.membership
        request = SyncGroupRequest(
            group_id=self._coordinator.group_id,
            generation_id=membership.generation,
            member_id=membership.member_id,
            group_instance_id=self._settings.instance_id,
            protocol_type=PROTOCOL_TYPE,
            protocol_name=membership.protocol,
            assignments=[SyncGroupRequestAssignment(member_id=who, assignment=data) for who, data in shares.items()],
        )
        return await self._coordinator.call(
            request, SyncGroupResponse, error_in=lambda answer: answer.error_code, timeout_s=self._rebalance_s
        )

    async def _send_leave(self, reason: str) -> None:
        group_id, member_id = self._coordinator.group_id, self.membership.member_id
        version = (await self._coordinator.connection()).version_of(LeaveGroupRequest)
        if version < _FIRST_LEAVE_WITH_MEMBERS:
            request = LeaveGroupRequest(group_id=group_id, member_id=member_id)
        else:
            leaving = MemberIdentity(member_id=member_id, reason=reason)
            request = LeaveGroupRequest(group_id=group_id, members=[leaving])
        await self._coordinator.call(request, LeaveGroupResponse, error_in=lambda answer: answer.error_code)

    @property
    def _rebalance_s(self) -> float:
        return self._settings.poll_interval_ms_max / 1000 + _ANSWER_GRACE_S

    def _raise_if_failed(self) -> None:
        failure = self.membership.failure
        if self.membership.phase is MemberPhase.FAILED:
            raise RefusedError(failure, f"group {self._coordinator.group_id}", advice=_ADVICE.get(failure, ""))


_OF_THE_MEMBER: Final = frozenset(
    {
        ErrorCode.REBALANCE_IN_PROGRESS,
        ErrorCode.ILLEGAL_GENERATION,
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.FENCED_INSTANCE_ID,
    }
)
"""Errors that concern the whole member; others concern one partition and leave the membership as it is."""


async def commit_as_member(
    coordinator: CoordinatorClient,
    membership: GroupMembership,
    instance_id: str | None,
    offsets: Mapping[TopicPartition, int],
) -> dict[TopicPartition, ErrorCode]:
    """Commit offsets, apply the response to the membership, and return the result of each partition."""
    generation = membership.generation
    request = commit_request(
        coordinator.group_id,
        offsets,
        member_id=membership.member_id,
        generation=generation,
        instance_id=instance_id,
    )
    answer = await coordinator.call(
        request, OffsetCommitResponse, error_in=_error_in, version_max=OFFSET_COMMIT_LAST_VERSION_BY_NAME
    )
    errors = {at: error_of(code) for at, code in codes_of(answer.topics).items()}
    for error in _OF_THE_MEMBER.intersection(errors.values()):
        membership.on_answered(error, generation)
    return errors


def _error_in(answer: OffsetCommitResponse) -> int:
    return next((code for code in codes_of(answer.topics).values() if code), ErrorCode.NONE)
