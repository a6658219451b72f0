"""A stream of bytes becomes frames, however it is cut."""

import asyncio
import random

import pytest

from chronik.client.errors import BrokenAnswerError
from chronik.client.receiving import FrameReceiver


class Collected:
    def __init__(self, frame_bytes_max: int = 1 << 20) -> None:
        self.frames: list[memoryview] = []
        self.lost: list[Exception | None] = []
        self.receiver = FrameReceiver(frame_bytes_max, self.frames.append, self.lost.append)

    def feed(self, data: bytes, sizes: random.Random) -> None:
        while data:
            buffer = self.receiver.get_buffer(-1)
            assert len(buffer) > 0
            step = min(len(buffer), len(data), sizes.choice([1, 3, 7, 1000, 70_000, 200_000]))
            buffer[:step] = data[:step]
            data = data[step:]
            self.receiver.buffer_updated(step)


def framed(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


@pytest.mark.parametrize("seed", range(8))
def test_frames_come_out_whole_and_in_order_however_the_stream_is_split(seed: int) -> None:
    dice = random.Random(seed)
    bodies = [dice.randbytes(dice.choice([4, 5, 100, 4000, 65_531, 65_532, 65_533, 150_000])) for _ in range(60)]
    collected = Collected()
    collected.feed(b"".join(framed(body) for body in bodies), dice)
    assert [bytes(frame) for frame in collected.frames] == bodies
    assert collected.lost == []


def test_frame_keeps_its_bytes_when_later_frames_arrive() -> None:
    collected = Collected()
    collected.feed(framed(b"first") + framed(b"other") * 100, random.Random(1))
    assert bytes(collected.frames[0]) == b"first"


@pytest.mark.parametrize("size", [1025, 2**31 - 1, -1, 3])
def test_frame_of_an_impossible_or_too_large_size_ends_the_connection_before_memory_is_taken(size: int) -> None:
    collected = Collected(frame_bytes_max=1024)
    collected.feed(size.to_bytes(4, "big", signed=True), random.Random(1))
    assert collected.frames == []
    assert [type(error) for error in collected.lost] == [BrokenAnswerError]


def test_lost_connection_lets_those_go_on_who_wait_to_write() -> None:
    async def scenario() -> None:
        collected = Collected()
        collected.receiver.pause_writing()
        collected.receiver.connection_lost(None)
        await asyncio.wait_for(collected.receiver.writable.wait(), 30)

    asyncio.run(scenario())
