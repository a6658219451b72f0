"""A connection over a real socket pair: frames whole and in order, answers in order, bounds kept."""

import asyncio
import random
import socket
from collections.abc import Callable
from struct import pack

import pytest

from chronik.model import limits
from chronik.server.network.connection import KafkaConnection, RefusedFrameError, ResponseSlot
from chronik.server.network.receive_buffers import ReceiveBuffers
from chronik.server.network.response_cork import Cork
from chronik.server.network.response_memory import ResponseMemory

FRAME_BYTES_MAX = 4 * 1024 * 1024
UNSENT_BYTES_MAX = 1024 * 1024


class RecordingHandler:
    """Keeps views of the frames until the end of the read event, as staged batches are kept, and only then looks."""

    def __init__(self) -> None:
        self.staged: list[memoryview] = []
        self.frames: list[bytes] = []
        self.on_frame: Callable[[KafkaConnection, memoryview], None] = lambda connection, frame: None

    def handle_frame(self, connection: KafkaConnection, frame: memoryview) -> None:
        self.staged.append(frame)
        self.on_frame(connection, frame)

    def end_of_read(self) -> None:
        self.frames += [bytes(frame) for frame in self.staged]
        self.staged.clear()


class Pair:
    """A connection and the peer's end of it."""

    def __init__(self, *, lent_bytes_max: int = 64 * 1024 * 1024, pool: ReceiveBuffers | None = None) -> None:
        loop = asyncio.get_running_loop()
        ours, self.peer = socket.socketpair()
        ours.settimeout(0)
        self.peer.settimeout(0)
        self.handler = RecordingHandler()
        self.pool = pool or ReceiveBuffers(lent_bytes_max)
        self.memory = ResponseMemory(1 << 30)
        self.closed: list[KafkaConnection] = []
        self.connection = KafkaConnection(
            loop,
            ours,
            peer="test",
            listener="PLAINTEXT",
            handler=self.handler,
            cork=Cork(loop),
            pool=self.pool,
            memory=self.memory,
            frame_bytes_max=FRAME_BYTES_MAX,
            unsent_bytes_max=UNSENT_BYTES_MAX,
            on_closed=self.closed.append,
        )

    async def send(self, data: bytes) -> None:
        await asyncio.wait_for(asyncio.get_running_loop().sock_sendall(self.peer, data), 30)

    async def receive(self, size: int) -> bytes:
        loop = asyncio.get_running_loop()
        received = bytearray()
        while len(received) < size:
            chunk = await asyncio.wait_for(loop.sock_recv(self.peer, min(size - len(received), 1 << 20)), 30)
            assert chunk, "the connection was closed"
            received += chunk
        return bytes(received)


def framed(body: bytes) -> bytes:
    return pack(">i", len(body)) + body


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - what is waited for raises no event
            await asyncio.sleep(0.001)


@pytest.mark.parametrize("seed", range(6))
async def test_frames_arrive_whole_and_unchanged_however_the_stream_is_cut(seed: int) -> None:
    dice = random.Random(seed)
    sizes = [dice.choice((0, 1, 3, 100, 5_000, 65_000, 65_532, 65_536, 70_000, 300_000)) for _ in range(60)]
    bodies = [dice.randbytes(size) for size in sizes]
    stream = b"".join(map(framed, bodies))
    pair = Pair()
    position = 0
    while position < len(stream):
        step = dice.choice((1, 2, 3, 4, 100, 4_096, 65_536, 200_000))
        await pair.send(stream[position : position + step])
        position += step
        if dice.random() < 0.3:
            await asyncio.sleep(0)
    await until(lambda: len(pair.handler.frames) == len(bodies))
    assert pair.handler.frames == bodies
    assert pair.pool.lent_bytes == 0


async def test_a_partial_frame_behind_a_staged_one_does_not_overwrite_it() -> None:
    pair = Pair()
    first, second = b"a" * 40_000, b"b" * 40_000
    stream = framed(first) + framed(second)
    await pair.send(stream[:65_536])
    await until(lambda: len(pair.handler.frames) == 1)
    await pair.send(stream[65_536:])
    await until(lambda: len(pair.handler.frames) == 2)
    assert pair.handler.frames == [first, second]


async def test_answers_leave_in_the_order_of_the_requests_also_when_some_wait() -> None:
    pair = Pair()
    promised: list[ResponseSlot] = []

    def answer(connection: KafkaConnection, frame: memoryview) -> None:
        if bytes(frame) == b"later":
            promised.append(connection.reserve(ResponseSlot(connection)))
        else:
            connection.respond([b"<" + bytes(frame) + b">"])

    pair.handler.on_frame = answer
    await pair.send(framed(b"one") + framed(b"later") + framed(b"two") + framed(b"later") + framed(b"three"))
    assert await pair.receive(5) == b"<one>"
    promised[1].fill([b"<second>"])
    await asyncio.sleep(0)
    promised[0].fill([b"<fi", b"rst>"])
    assert await pair.receive(27) == b"<first><two><second><three>"


async def test_an_answer_cannot_be_given_twice() -> None:
    pair = Pair()
    answer = pair.connection.reserve(ResponseSlot(pair.connection))
    waiting = pair.connection.reserve(ResponseSlot(pair.connection))
    waiting.fill([])
    with pytest.raises(AssertionError, match="exactly one response"):
        waiting.fill([])
    answer.fill([])


async def test_a_peer_that_does_not_read_is_not_read_from_and_gets_everything_when_it_does() -> None:
    pair = Pair()
    size = 100_000
    pair.handler.on_frame = lambda connection, frame: connection.respond([b"x" * size])
    requests = 100
    await pair.send(framed(b"give") * requests)
    await until(lambda: len(pair.handler.frames) > 0)
    for _ in range(50):
        await asyncio.sleep(0)
    held = len(pair.handler.frames)
    assert held * size < UNSENT_BYTES_MAX + 4_000_000, "answers pile up without bound"
    assert await pair.receive(requests * size) == b"x" * (requests * size)
    assert len(pair.handler.frames) == requests
    assert pair.memory.unsent_bytes == 0


async def test_requests_that_wait_for_answers_are_bounded_and_go_on_when_answered() -> None:
    pair = Pair()
    promised: list[ResponseSlot] = []
    pair.handler.on_frame = lambda connection, frame: promised.append(connection.reserve(ResponseSlot(connection)))
    most = limits.IN_FLIGHT_REQUESTS_PER_CONNECTION_MAX
    await pair.send(framed(b"r") * (most + 500))
    await until(lambda: len(promised) >= most)
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(promised) == most
    for answer in promised:
        answer.fill([b"."])
    await until(lambda: len(promised) == most + 500)


@pytest.mark.parametrize("size", [-1, -(2**31), FRAME_BYTES_MAX + 1, 2**31 - 1])
async def test_an_impossible_frame_size_closes_the_connection_without_taking_memory(size: int) -> None:
    pair = Pair()
    await pair.send(pack(">i", size) + b"GET / HTTP/1.1")
    await until(lambda: pair.connection.closed)
    assert pair.pool.lent_bytes == 0
    assert pair.closed == [pair.connection]


async def test_answers_to_earlier_requests_leave_before_a_refused_one_closes_the_connection() -> None:
    pair = Pair()

    def answer(connection: KafkaConnection, frame: memoryview) -> None:
        if bytes(frame) == b"bad":
            raise RefusedFrameError("bad")
        connection.respond([bytes(frame)])

    pair.handler.on_frame = answer
    await pair.send(framed(b"good") + framed(b"bad") + framed(b"never"))
    assert await pair.receive(4) == b"good"
    await until(lambda: pair.connection.closed)
    assert pair.handler.frames == [b"good", b"bad"]


async def test_an_announced_frame_takes_no_memory_before_it_arrives() -> None:
    pair = Pair()
    await pair.send(pack(">i", FRAME_BYTES_MAX) + b"only the beginning")
    for _ in range(20):
        await asyncio.sleep(0)
    assert pair.pool.lent_bytes == 0


async def test_a_long_frame_waits_for_memory_and_is_read_when_there_is_some() -> None:
    pool = ReceiveBuffers(lent_bytes_max=1024 * 1024)
    slow, waiting = Pair(pool=pool), Pair(pool=pool)
    body = random.Random(1).randbytes(900_000)
    await slow.send(framed(body)[:500_000])
    await until(lambda: pool.lent_bytes > 0)
    sending = asyncio.ensure_future(waiting.send(framed(body)))
    await until(lambda: pool.is_short)
    assert waiting.handler.frames == []
    await slow.send(framed(body)[500_000:])
    await until(lambda: waiting.handler.frames == [body])
    await sending
    assert slow.handler.frames == [body]
    assert pool.lent_bytes == 0


async def test_a_closed_connection_gives_up_its_memory_and_its_place_in_the_queue() -> None:
    pool = ReceiveBuffers(lent_bytes_max=1024 * 1024)
    holder, waiting = Pair(pool=pool), Pair(pool=pool)
    part = framed(bytes(900_000))[:500_000]
    await holder.send(part)
    await until(lambda: pool.lent_bytes > 0)
    await waiting.send(part[:100_000])
    await until(lambda: pool.is_short)
    waiting.connection.close("gone")
    assert not pool.is_short
    holder.connection.close("gone")
    assert pool.lent_bytes == 0
