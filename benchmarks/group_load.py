"""Heartbeats at their rate and commits as fast as they are answered, as bytes that were encoded once.

The load must take little of the machine beside the broker, so no request is encoded and no answer decoded twice.
"""

import asyncio
import itertools
import random
import time
from collections.abc import Coroutine, Sequence
from typing import Any, Self

from benchmarks.group_members import HEARTBEAT_S, Member, connect
from benchmarks.load import InvalidMeasurementError
from chronik.model.errors import ErrorCode
from chronik.protocol import apis, frames
from chronik.protocol.generated.create_topics import CreatableTopic, CreateTopicsRequest, CreateTopicsResponse
from chronik.protocol.generated.heartbeat import HeartbeatRequest, HeartbeatResponse
from chronik.protocol.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)

HEARTBEAT_VERSION = 4
# Size, correlation id, no tags, throttle time, error code, no tags.
HEARTBEAT_ANSWER_BYTES = 16
HEARTBEAT_ERROR = slice(13, 15)
COMMIT_VERSION = 9
# The last partition's error code, then the tags of partition, topic and response.
COMMIT_ERROR = slice(-5, -3)
COMMITTED_TOPIC = "committed"
NO_ERROR = b"\0\0"


class Load:
    """Connections that each do the same for as long as the block lasts; a refusal makes the figure invalid."""

    def __init__(self, port: int) -> None:
        self.answered = 0
        self._port = port
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(work) for work in self._lanes()]
        return self

    async def __aexit__(self, *error: object) -> None:
        for task in self._tasks:
            if task.done():
                task.result()
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _lanes(self) -> Sequence[Coroutine[Any, Any, None]]:
        raise NotImplementedError

    def _count(self, error_code: bytes) -> None:
        if error_code != NO_ERROR:
            raise InvalidMeasurementError(f"a request was refused with error {int.from_bytes(error_code, 'big')}")
        self.answered += 1


class Heartbeats(Load):
    """One heartbeat of each member in three seconds, ``burst`` at a time on each connection."""

    def __init__(self, port: int, members: Sequence[Member], *, lane_count: int, burst: int = 1) -> None:
        super().__init__(port)
        lane_count = min(lane_count, len(members))
        self._frames = [[_heartbeat_frame(one) for one in members[lane::lane_count]] for lane in range(lane_count)]
        self._burst = burst

    def _lanes(self) -> Sequence[Coroutine[Any, Any, None]]:
        return [self._beat(beats, random.Random(lane)) for lane, beats in enumerate(self._frames)]

    async def _beat(self, beats: Sequence[bytes], dice: random.Random) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            # Answers are not waited for: members do not wait for each other either.
            await asyncio.gather(self._write(writer, beats, dice), self._read(reader))
        finally:
            writer.close()

    async def _write(self, writer: asyncio.StreamWriter, beats: Sequence[bytes], dice: random.Random) -> None:
        burst = min(self._burst, len(beats))
        pause = HEARTBEAT_S * burst / len(beats)
        due = time.monotonic() + dice.uniform(0, pause)
        rest = itertools.cycle(beats)
        while True:
            await asyncio.sleep(due - time.monotonic())
            due += pause
            writer.write(b"".join(itertools.islice(rest, burst)))

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while True:
            self._count((await reader.readexactly(HEARTBEAT_ANSWER_BYTES))[HEARTBEAT_ERROR])


class Commits(Load):
    """Each member commits one partition on a connection of its own, again as soon as it is answered."""

    def __init__(self, port: int, members: Sequence[Member]) -> None:
        super().__init__(port)
        self._frames = [_commit_frame(member) for member in members]

    def _lanes(self) -> Sequence[Coroutine[Any, Any, None]]:
        return [self._commit(frame) for frame in self._frames]

    async def _commit(self, frame: bytes) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            while True:
                writer.write(frame)
                size = int.from_bytes(await reader.readexactly(4), "big")
                self._count((await reader.readexactly(size))[COMMIT_ERROR])
        finally:
            writer.close()


async def create_committed_topic(port: int) -> None:
    """Create the topic whose positions are committed."""
    connection = await connect(port)
    request = CreateTopicsRequest([CreatableTopic(COMMITTED_TOPIC, 1, 1)])
    answer = await connection.call(request, CreateTopicsResponse)
    connection.close()
    if answer.topics[0].error_code != ErrorCode.NONE:
        raise InvalidMeasurementError(f"{COMMITTED_TOPIC} was not created: error {answer.topics[0].error_code}")


def _heartbeat_frame(member: Member) -> bytes:
    request = HeartbeatRequest(member.group, member.generation, member.member_id)
    api = apis.describe(HeartbeatRequest, HeartbeatResponse)
    return b"".join(frames.encode_request(api, HEARTBEAT_VERSION, 1, "groups", request))


def _commit_frame(member: Member) -> bytes:
    positions = [OffsetCommitRequestTopic(COMMITTED_TOPIC, partitions=[OffsetCommitRequestPartition(0, 1)])]
    request = OffsetCommitRequest(member.group, member.generation, member.member_id, topics=positions)
    api = apis.describe(OffsetCommitRequest, OffsetCommitResponse)
    return b"".join(frames.encode_request(api, COMMIT_VERSION, 1, "groups", request))
