"""The proxy of a nemesis holds back what goes to or comes from a node that is cut off, and delivers it afterwards."""

import asyncio
import os

from nemesis.proxy import OUTSIDE, Door, Network, inode_of, node_of

SECONDS_MAX = 60
# Long enough for a loop that only moves bytes between sockets of one machine; nothing may come in it.
SILENCE_SECONDS = 0.2


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(100):
        writer.write(data)
    writer.close()


async def connected(network: Network, node: int = 1) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    target = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    address = await Door(network, node, target).open()
    return await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2]))


async def answer(reader: asyncio.StreamReader, seconds: float = SECONDS_MAX) -> bytes | None:
    try:
        return await asyncio.wait_for(reader.read(100), seconds)
    except TimeoutError:
        return None


def test_what_is_cut_off_comes_when_it_is_healed() -> None:
    async def scenario() -> None:
        for way in ("both", "in", "out"):
            network = Network()
            reader, writer = await connected(network)
            writer.write(b"before")
            assert await answer(reader) == b"before"
            network.cut(1, way)
            writer.write(b"held back")
            assert await answer(reader, SILENCE_SECONDS) is None, way
            network.heal(1)
            assert await answer(reader) == b"held back", way
            writer.close()

    asyncio.run(scenario())


def test_another_node_goes_on() -> None:
    async def scenario() -> None:
        network = Network()
        reader, writer = await connected(network, 2)
        network.cut(1, "both")
        writer.write(b"goes on")
        assert await answer(reader) == b"goes on"
        writer.close()

    asyncio.run(scenario())


def test_what_a_node_sends_is_cut_with_it_wherever_it_goes() -> None:
    async def scenario() -> None:
        network = Network()
        network.pids = {3: os.getpid()}
        network.cut(3, "out")
        reader, writer = await connected(network)
        writer.write(b"from node 3")
        assert await answer(reader, SILENCE_SECONDS) is None
        network.heal(3)
        assert await answer(reader) == b"from node 3"
        writer.close()

    asyncio.run(scenario())


def test_who_opened_a_connection_is_learned_from_the_kernel() -> None:
    async def scenario() -> None:
        _, writer = await connected(Network())
        near, far = writer.get_extra_info("sockname"), writer.get_extra_info("peername")
        own = os.fstat(writer.get_extra_info("socket").fileno()).st_ino
        assert inode_of(near, far) == own
        assert inode_of(far, near) not in (0, own), "the other end is another socket"
        assert inode_of(near, ("127.0.0.2", far[1])) == 0
        assert node_of(near, far, {1: 1, 2: os.getpid()}) == 2
        assert node_of(near, far, {1: 1}) == OUTSIDE
        writer.close()

    asyncio.run(scenario())
