"""A proxy in front of every broker that can cut one off: ``python -m nemesis.proxy NODE=HOST:PORT...``.

It prints its addresses as one line of JSON and takes orders on standard input, one per line: ``pids NODE=PID...``,
``cut NODE both|in|out`` and ``heal NODE``. Clients and brokers find each other by these addresses only. Who opened
a connection is learned from the kernel, so that what a broker sends is cut with it, and not only what it is sent.
While a way is cut, nothing is lost and nothing passes, as in a network that sends again and again; the connections
stay open.
"""

import asyncio
import json
import os
import socket
import struct
import sys
from collections.abc import Mapping

Address = tuple[str, int]
CHUNK_BYTES = 65536
OUTSIDE = 0
"""The node number of clients."""
# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h
NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
NLM_F_REQUEST = 1
NETLINK_HEAD = struct.Struct("=IHHII")
INODE_POSITION = 68
ANY = 0xFFFFFFFF


class Network:
    """Who is cut off, and the flows that wait because of it."""

    def __init__(self) -> None:
        self.pids: dict[int, int] = {}
        self._truncation: dict[int, str] = {}
        self._changed = asyncio.Event()

    def cut(self, node: int, way: str) -> None:
        """Stop what goes to a node (``in``), comes from it (``out``), or both."""
        self._truncation[node] = way

    def heal(self, node: int) -> None:
        """Let everything of a node pass again."""
        self._truncation.pop(node, None)
        self._changed.set()
        self._changed = asyncio.Event()

    async def passage(self, sender: int, receiver: int) -> None:
        """Return when something may go from one to the other."""
        while self._is_disconnected(sender, "out") or self._is_disconnected(receiver, "in"):
            await self._changed.wait()

    def _is_disconnected(self, node: int, way: str) -> bool:
        return self._truncation.get(node) in (way, "both")


class Door:
    """The proxy of one broker."""

    def __init__(self, network: Network, node: int, target: str) -> None:
        self._network = network
        self._node = node
        self._host, _, port = target.rpartition(":")
        self._port = int(port)

    async def open(self) -> str:
        """Listen, and give the address."""
        server = await asyncio.start_server(self._on_connection, "127.0.0.1", 0)
        return f"127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        source = node_of(writer.get_extra_info("peername"), writer.get_extra_info("sockname"), self._network.pids)
        try:
            await self._network.passage(source, self._node)
            far_reader, far_writer = await asyncio.open_connection(self._host, self._port)
        except OSError:
            writer.close()
            return
        try:
            async with asyncio.TaskGroup() as ways:
                ways.create_task(self._pump(reader, far_writer, source, self._node))
                ways.create_task(self._pump(far_reader, writer, self._node, source))
        except* OSError:
            pass
        finally:
            writer.close()
            far_writer.close()

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sender: int, receiver: int
    ) -> None:
        while data := await reader.read(CHUNK_BYTES):
            await self._network.passage(sender, receiver)
            writer.write(data)
            await writer.drain()
        # The end of one direction ends both: brokers and clients use no half-closed connections.
        raise ConnectionResetError


def node_of(near: Address, far: Address, pids: Mapping[int, int]) -> int:
    """Find which broker owns the near end of a connection; ``OUTSIDE`` where none does."""
    inode = inode_of(near, far)
    for node, pid in pids.items():
        if inode and owns(pid, inode):
            return node
    return OUTSIDE


def inode_of(near: Address, far: Address) -> int:
    """Ask the kernel for the socket at the near end of a connection; 0 where there is none.

    /proc/net/tcp has it, too, but has a line for every socket of the machine: where many connections were closed in
    the last minute, reading it takes so long that the proxy does nothing else.
    """
    ends = struct.pack(">HH16s16s", near[1], far[1], socket.inet_aton(near[0]), socket.inet_aton(far[0]))
    wanted = (
        struct.pack("=BBBBI", socket.AF_INET, socket.IPPROTO_TCP, 0, 0, ANY) + ends + struct.pack("=III", 0, ANY, ANY)
    )
    head = NETLINK_HEAD.pack(NETLINK_HEAD.size + len(wanted), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 0, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG) as kernel:
        kernel.send(head + wanted)
        reply = kernel.recv(8192)
    if NETLINK_HEAD.unpack_from(reply)[1] != SOCK_DIAG_BY_FAMILY:
        return 0
    inode: int = struct.unpack_from("=I", reply, NETLINK_HEAD.size + INODE_POSITION)[0]
    return inode


def owns(pid: int, inode: int) -> bool:
    """Whether a process has a socket."""
    try:
        return any(_is_socket(f"/proc/{pid}/fd/{name}", inode) for name in os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return False


def _is_socket(path: str, inode: int) -> bool:
    try:
        return os.readlink(path) == f"socket:[{inode}]"
    except OSError:
        return False


async def serve(targets: Mapping[int, str]) -> None:
    """Open all doors and follow orders until they end."""
    network = Network()
    addresses = {node: await Door(network, node, target).open() for node, target in targets.items()}
    sys.stdout.write(json.dumps(addresses) + "\n")
    sys.stdout.flush()
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while line := await orders.readline():
        obey(network, line.decode().split())
    # Without anybody who gives orders there is nothing to be orderly for.
    os._exit(0)


def obey(network: Network, words: list[str]) -> None:
    """Carry out one order."""
    match words:
        case ["pids", *pairs]:
            network.pids = {int(node): int(pid) for node, _, pid in (pair.partition("=") for pair in pairs)}
        case ["cut", node, way]:
            network.cut(int(node), way)
        case ["heal", node]:
            network.heal(int(node))


if __name__ == "__main__":
    asyncio.run(serve({int(node): target for node, _, target in (each.partition("=") for each in sys.argv[1:])}))
