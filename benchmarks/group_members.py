"""Members of consumer groups as the wire sees them: they join, sync, send heartbeats, and join again when told."""

import asyncio
import random
import time
from collections.abc import Sequence

from benchmarks.load import InvalidMeasurementError
from chronik.client.connection import BrokerConnection
from chronik.client.settings import ClientSettings
from chronik.model.errors import ErrorCode
from chronik.protocol.generated.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from chronik.protocol.generated.heartbeat import HeartbeatRequest, HeartbeatResponse
from chronik.protocol.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse
from chronik.protocol.generated.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberIdentity
from chronik.protocol.generated.sync_group import SyncGroupRequest, SyncGroupRequestAssignment, SyncGroupResponse

HEARTBEAT_S = 3.0
# Members that rest without heartbeats must stay for the length of the trial.
SESSION_MS = 1_200_000
REBALANCE_MS = 60_000
PARKED_S_MAX = 120.0
COORDINATOR_S_MAX = 30.0
SUBSCRIPTION = bytes(40)
ASSIGNMENT = bytes(40)


async def connect(port: int) -> BrokerConnection:
    return await BrokerConnection.open("127.0.0.1", port, ClientSettings())


async def await_coordinator(port: int) -> None:
    """Have the broker make the topic of its positions, and wait until it coordinates."""
    connection = await connect(port)
    request = FindCoordinatorRequest(key_type=0, coordinator_keys=["first"])
    deadline = time.monotonic() + COORDINATOR_S_MAX
    while (await connection.call(request, FindCoordinatorResponse)).coordinators[0].error_code:
        if time.monotonic() > deadline:
            raise InvalidMeasurementError(f"no coordinator within {COORDINATOR_S_MAX} s")
        await asyncio.sleep(0.1)
    connection.close()


class Member:
    """One member; its requests may share a connection with those of other groups' members."""

    def __init__(self, group: str, connection: BrokerConnection) -> None:
        self.group = group
        self.connection = connection
        self.member_id = ""
        self.generation = -1
        self.is_stable = False

    async def join(self) -> None:
        """Join and sync, again where the group has moved on meanwhile, until this member has its assignment."""
        self.is_stable = False
        while not self.is_stable:
            answer = await self._ask_to_join()
            self.member_id = answer.member_id or self.member_id
            if answer.error_code == ErrorCode.NONE:
                self.generation = answer.generation_id
                self.is_stable = await self._sync(answer)
            elif answer.error_code not in (ErrorCode.MEMBER_ID_REQUIRED, ErrorCode.REBALANCE_IN_PROGRESS):
                raise InvalidMeasurementError(f"{self.group}: a join was refused with {answer.error_code}")

    async def heartbeat(self) -> int:
        request = HeartbeatRequest(self.group, self.generation, self.member_id)
        return (await self.connection.call(request, HeartbeatResponse)).error_code

    async def leave(self) -> None:
        identity = MemberIdentity(member_id=self.member_id)
        await self.connection.call(LeaveGroupRequest(self.group, members=[identity]), LeaveGroupResponse)

    async def live(self, dice: random.Random) -> None:
        """Join, and send heartbeats as clients do by default; what the answer says is done at once."""
        await self.join()
        await asyncio.sleep(dice.uniform(0, HEARTBEAT_S))
        while True:
            code = await self.heartbeat()
            if code == ErrorCode.REBALANCE_IN_PROGRESS:
                await self.join()
            elif code:
                raise InvalidMeasurementError(f"{self.group}: a heartbeat was refused with {code}")
            await asyncio.sleep(HEARTBEAT_S)

    async def _ask_to_join(self) -> JoinGroupResponse:
        request = JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=REBALANCE_MS,
            member_id=self.member_id,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol("range", SUBSCRIPTION)],
        )
        return await self.connection.call(request, JoinGroupResponse, timeout_s=PARKED_S_MAX)

    async def _sync(self, joined: JoinGroupResponse) -> bool:
        request = SyncGroupRequest(
            group_id=self.group,
            generation_id=self.generation,
            member_id=self.member_id,
            protocol_type="consumer",
            protocol_name="range",
            # Only the leader was told of members; the others send none.
            assignments=[SyncGroupRequestAssignment(one.member_id, ASSIGNMENT) for one in joined.members],
        )
        answer = await self.connection.call(request, SyncGroupResponse, timeout_s=PARKED_S_MAX)
        if answer.error_code not in (ErrorCode.NONE, ErrorCode.REBALANCE_IN_PROGRESS):
            raise InvalidMeasurementError(f"{self.group}: a sync was refused with {answer.error_code}")
        return answer.error_code == ErrorCode.NONE


async def form_group(group: str, connections: Sequence[BrokerConnection]) -> list[Member]:
    """Join a group with one member per connection, until all are in one generation."""
    members = [Member(group, connection) for connection in connections]
    await asyncio.gather(*(member.join() for member in members))
    while len({member.generation for member in members}) > 1:
        last = max(member.generation for member in members)
        await asyncio.gather(*(member.join() for member in members if member.generation < last))
    return members


async def await_one_generation(members: Sequence[Member], after: int, seconds_max: float) -> float:
    """Wait until all are stable in one generation later than ``after``; how long that took."""
    began = time.monotonic()
    while not _in_one_generation(members, after):
        if time.monotonic() - began > seconds_max:
            raise InvalidMeasurementError(f"{len(members)} members are not stable after {seconds_max} s")
        await asyncio.sleep(0.005)
    return time.monotonic() - began


def _in_one_generation(members: Sequence[Member], after: int) -> bool:
    first = members[0].generation
    return first > after and all(member.is_stable and member.generation == first for member in members)
