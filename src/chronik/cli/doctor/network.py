"""What ``chronik doctor`` observes of addresses: whether they can be taken, who holds them, where they lead."""

import asyncio
import contextlib
import errno
import os
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from chronik.cli.doctor.facts import AddressFacts, BrokerFacts, PortFacts
from chronik.client.connection import Connection
from chronik.client.errors import ClientError
from chronik.client.settings import ClientSettings
from chronik.protocol.generated.describe_cluster import DescribeClusterRequest, DescribeClusterResponse
from chronik.server.settings.listeners import Listener

_SECONDS_MAX: Final = 2.0
_ASKING: Final = ClientSettings(client_id="chronik-doctor", connect_timeout_ms=2_000, request_timeout_ms=2_000)
_LISTENING: Final = "0A"
_ANY_HOST: Final = ("", "0.0.0.0", "::", "*")


async def observe_listener(listener: Listener) -> tuple[PortFacts, AddressFacts]:
    """Try to take a listener's address for a moment, and to reach what clients are told while it is held."""
    probes, error = take_address(listener.host, listener.port)
    with contextlib.ExitStack() as held:
        for probe in probes:
            held.enter_context(probe)
        is_taken = error is not None and error.errno == errno.EADDRINUSE
        broker = await _ask_broker(listener.host, listener.port) if is_taken else None
        port = PortFacts(
            name=listener.name,
            host=listener.host,
            port=listener.port,
            bind_error=None if error is None else _plain(error),
            is_taken=is_taken,
            holder=holder_of(listener.port) if is_taken else None,
            broker=broker,
        )
        return port, await _observe_advertised(listener, is_answered=error is None or broker is not None)


def take_address(host: str, port: int) -> tuple[list[socket.socket], OSError | None]:
    """Listen at an address as a broker would; whoever asks closes the sockets."""
    probes: list[socket.socket] = []
    try:
        for family, kind, protocol, _, address in socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            probe = socket.socket(family, kind, protocol)
            probes.append(probe)
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            probe.bind(address)
            probe.listen(1)
    except OSError as error:
        for probe in probes:
            probe.close()
        return [], error
    return probes, None


async def _ask_broker(host: str, port: int) -> BrokerFacts | None:
    reach = "localhost" if host in _ANY_HOST else host
    try:
        connection = await Connection.open(reach, port, _ASKING)
    except ClientError:
        return None
    try:
        versions = {key: (offered.lowest, offered.highest) for key, offered in connection.dialect.ranges.items()}
        return BrokerFacts(await _cluster_id(connection), versions)
    finally:
        connection.close()


async def _cluster_id(connection: Connection) -> str | None:
    try:
        return (await connection.call(DescribeClusterRequest(), DescribeClusterResponse)).cluster_id
    except ClientError:
        return None


async def _observe_advertised(listener: Listener, *, is_answered: bool) -> AddressFacts:
    host, port = listener.advertised_host, listener.advertised_port
    addresses, error = await _resolve(host, port)
    # A port that is mapped from elsewhere leads to nothing while no broker runs behind it.
    can_be_tried = is_answered and port == listener.port and port != 0 and error is None
    return AddressFacts(
        name=listener.name,
        host=host,
        port=port,
        addresses=addresses,
        resolve_error=error,
        listens_beyond_this_machine=not _is_loopback(listener.host),
        is_reachable=await _is_reachable(host, port) if can_be_tried else None,
    )


async def _resolve(host: str, port: int) -> tuple[tuple[str, ...], str | None]:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(_SECONDS_MAX):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except TimeoutError:
        return (), f"no answer within {_SECONDS_MAX:g} s"
    except (OSError, UnicodeError) as error:
        return (), _plain(error)
    # An address of a link carries its interface, which is no part of the address.
    return tuple(dict.fromkeys(str(address[0]).partition("%")[0] for *_, address in found)), None


async def _is_reachable(host: str, port: int) -> bool:
    try:
        async with asyncio.timeout(_SECONDS_MAX):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


def _is_loopback(host: str) -> bool:
    return host == "localhost" or host.startswith("127.") or host == "::1"


def _plain(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error)


# --- who listens on a port of this machine, as far as /proc tells


def holder_of(port: int, proc: Path = Path("/proc")) -> str | None:
    """Name the process that listens on a port: ``name (pid)``, or None where that cannot be seen."""
    inodes = set(_listening_inodes(port, [proc / "net/tcp", proc / "net/tcp6"]))
    for process in proc.iterdir() if inodes else ():
        if process.name.isdigit() and any(link in inodes for link in _socket_inodes(process)):
            return f"{_name_of(process)} ({process.name})"
    return None


def _listening_inodes(port: int, tables: Sequence[Path]) -> Iterator[str]:
    for table in tables:
        with contextlib.suppress(OSError):
            for line in table.read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                    yield fields[9]


def _socket_inodes(process: Path) -> Iterator[str]:
    with contextlib.suppress(OSError):
        for descriptor in os.listdir(process / "fd"):
            with contextlib.suppress(OSError):
                link = os.readlink(process / "fd" / descriptor)
                if link.startswith("socket:["):
                    yield link.removeprefix("socket:[").removesuffix("]")


def _name_of(process: Path) -> str:
    try:
        return (process / "comm").read_text().strip()
    except OSError:
        return "a process"
