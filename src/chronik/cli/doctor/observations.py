"""What ``chronik doctor`` observes of a machine: each fact is read in one place, and nothing is judged or changed.

A small file is written, flushed and removed in the data directory. A free port is held for a moment. A SQLite file is
only read, and the members of an etcd are asked for their health.
"""

import asyncio
import contextlib
import ctypes
import errno
import json
import os
import resource
import socket
import sqlite3
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote

from chronik.cli.shell.listening_sockets import holder_of, running_addresses
from chronik.client.connection import BrokerConnection
from chronik.client.errors import ClientError
from chronik.client.settings import ClientSettings
from chronik.metadata.stores.etcd.address import parse_url
from chronik.metadata.stores.open import sqlite_path
from chronik.protocol.generated.describe_cluster import DescribeClusterRequest, DescribeClusterResponse
from chronik.server.settings.listeners import Address, Listener, is_loopback, show_address
from chronik.server.status.peers import PeerError, ask

_WATCH_SECONDS: Final = 0.1
_READINGS: Final = 9
_FLUSHES: Final = 10
_FLUSH_BYTES: Final = 4_096
_UNSYNCHRONIZED: Final = 0x40
_TIMEX_BYTES: Final = 512
_TIMEX_STATUS: Final = 40
"""Where ``struct timex`` keeps its status, on machines whose words have 64 bits."""
_NO_LIMIT_BYTES: Final = 1 << 60
"""Control groups spell "no limit" as a number near 2**63."""
_SECONDS_MAX: Final = 2.0
_MOUNTS: Final = Path("/proc/self/mountinfo")
_ASKING: Final = ClientSettings(client_id="chronik-doctor", connect_timeout_ms=2_000, request_timeout_ms=2_000)
_ANY_HOST: Final = ("", "0.0.0.0", "::", "*")


@dataclass(frozen=True, slots=True)
class ClockFacts:
    """The wall clock, watched for a moment."""

    wall_ms: int
    drift_ms: float
    is_synchronized: bool | None
    newest_file_ms: int | None

    @property
    def wall_text(self) -> str:
        return datetime.fromtimestamp(self.wall_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


@dataclass(frozen=True, slots=True)
class LimitFacts:
    """The limits of the process; None where they are unknown."""

    open_files: int
    open_files_hard: int
    memory_bytes: int | None
    memory_limit_bytes: int | None
    swap_bytes: int | None
    swappiness: int | None
    map_count_max: int | None


@dataclass(frozen=True, slots=True)
class DiskFacts:
    """The file system of the data directory, or of the nearest directory above it that exists."""

    path: str
    filesystem: str | None
    mount_options: frozenset[str]
    total_bytes: int | None
    free_bytes: int | None
    total_inodes: int | None
    free_inodes: int | None
    write_error: str | None
    flush_ms: tuple[float, ...]
    segments: int


@dataclass(frozen=True, slots=True)
class BrokerFacts:
    """A broker that answered."""

    cluster_id: str | None
    versions: Mapping[int, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class PortFacts:
    """Whether the address of a listener is free, and which process holds it."""

    name: str
    host: str
    port: int
    bind_error: str | None
    is_taken: bool
    holder: str | None
    broker: BrokerFacts | None


@dataclass(frozen=True, slots=True)
class AddressFacts:
    """The advertised address of a listener; ``is_reachable`` is None where it was not tried."""

    name: str
    host: str
    port: int
    addresses: tuple[str, ...]
    resolve_error: str | None
    listens_beyond_this_machine: bool
    is_reachable: bool | None


@dataclass(frozen=True, slots=True)
class FileStoreFacts:
    """A SQLite file, or the place where it will be."""

    path: str
    filesystem: str | None
    is_there: bool
    problem: str | None
    """Why it cannot be read, or its directory not be written."""


@dataclass(frozen=True, slots=True)
class MemberFacts:
    """One member of an etcd."""

    where: str
    problem: str | None
    answered_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class HttpPortFacts:
    """The HTTP server's address: whether it is free, or which server answers there."""

    where: str
    bind_error: str | None = None
    is_taken: bool = False
    holder: str | None = None
    node_id: int | None = None
    """The broker of Chronik that answers there."""


# --- clock, limits, disk


def observe_clock(data_dir: str | None) -> ClockFacts:
    """Watch the wall clock against the monotonic one for a moment."""
    before_s = _wall_ahead_s()
    time.sleep(_WATCH_SECONDS)
    drift_s = _wall_ahead_s() - before_s
    segments = [] if data_dir is None else _segments(data_dir)
    newest = max((status.st_mtime_ns // 1_000_000 for status in segments), default=None)
    return ClockFacts(int(time.time() * 1000), drift_s * 1000, _is_synchronized(), newest)


def _wall_ahead_s() -> float:
    """Compare the two clocks by the quickest of some readings, as others may run between the looks at each."""
    readings = []
    for _ in range(_READINGS):
        before, wall, after = time.monotonic(), time.time(), time.monotonic()
        readings.append((after - before, wall - (before + after) / 2))
    return min(readings)[1]


def _is_synchronized() -> bool | None:
    """Ask the kernel whether something keeps its clock in step; None where it may not be asked."""
    if ctypes.sizeof(ctypes.c_long) != 8:
        return None
    timex = ctypes.create_string_buffer(_TIMEX_BYTES)
    try:
        answer = ctypes.CDLL(None, use_errno=True).adjtimex(timex)
    except (AttributeError, OSError):
        return None
    if answer < 0:
        return None
    status = int.from_bytes(timex.raw[_TIMEX_STATUS : _TIMEX_STATUS + 4], sys.byteorder)
    return not status & _UNSYNCHRONIZED


def _segments(data_dir: str) -> list[os.stat_result]:
    found = []
    for path in Path(data_dir).glob("*-*/*.log"):
        with contextlib.suppress(OSError):
            found.append(path.stat())
    return found


def observe_limits(root: Path = Path("/")) -> LimitFacts:
    """Read limits of the process, its control group and the machine, below another root in tests."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (1 << 30 if limit == resource.RLIM_INFINITY else limit for limit in limits)
    memory = _meminfo(root / "proc/meminfo")
    return LimitFacts(
        open_files=soft,
        open_files_hard=hard,
        memory_bytes=memory.get("MemTotal"),
        memory_limit_bytes=_control_group_bytes(root),
        swap_bytes=memory.get("SwapTotal"),
        swappiness=_number_in(root / "proc/sys/vm/swappiness"),
        map_count_max=_number_in(root / "proc/sys/vm/max_map_count"),
    )


def _meminfo(path: Path) -> dict[str, int]:
    lines = (line.replace(":", " ").split() for line in _text_of(path).splitlines())
    return {words[0]: int(words[1]) * 1024 for words in lines if len(words) > 1 and words[1].isdigit()}


def _control_group_bytes(root: Path) -> int | None:
    files = ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes")
    limits = [limit for file in files if (limit := _number_in(root / file)) is not None and limit < _NO_LIMIT_BYTES]
    return min(limits, default=None)


def _number_in(path: Path) -> int | None:
    text = _text_of(path).strip()
    return int(text) if text.isdigit() else None


def _text_of(path: Path) -> str:
    with contextlib.suppress(OSError):
        return path.read_text(errors="replace")
    return ""


def observe_disk(data_dir: str) -> DiskFacts:
    """Look at the data's file system, and write and flush a small file there."""
    path = _nearest_existing(data_dir)
    kind, options = _mount_of(path, _text_of(_MOUNTS))
    write_error, flush_ms = _try_writing(path)
    space = None
    with contextlib.suppress(OSError):
        space = os.statvfs(path)
    return DiskFacts(
        path=path,
        filesystem=kind,
        mount_options=options,
        total_bytes=None if space is None else space.f_blocks * space.f_frsize,
        free_bytes=None if space is None else space.f_bavail * space.f_frsize,
        total_inodes=None if space is None else space.f_files,
        free_inodes=None if space is None else space.f_favail,
        write_error=write_error,
        flush_ms=flush_ms,
        segments=len(_segments(data_dir)),
    )


def _nearest_existing(path: str) -> str:
    found = Path(path).absolute()
    while not found.exists() and found != found.parent:
        found = found.parent
    return str(found)


def _mount_of(path: str, mountinfo: str) -> tuple[str | None, frozenset[str]]:
    """Find the mount that holds a path: the longest mount point that is a beginning of it, the last of equal ones."""
    best: tuple[int, str | None, frozenset[str]] = (-1, None, frozenset())
    real = os.path.realpath(path)
    for line in mountinfo.splitlines():
        head, separator, tail = line.partition(" - ")
        fields = head.split()
        if not separator or len(fields) < 6:
            continue
        point = fields[4].replace("\\040", " ")
        is_above = real == point or real.startswith(point.rstrip("/") + "/")
        if is_above and len(point) >= best[0]:
            best = (len(point), tail.split()[0], frozenset(fields[5].split(",")))
    return best[1], best[2]


def _try_writing(path: str) -> tuple[str | None, tuple[float, ...]]:
    try:
        handle, name = tempfile.mkstemp(prefix=".chronik-doctor-", dir=path)
    except OSError as error:
        return os.strerror(error.errno or 0).lower(), ()
    try:
        flush_ms = []
        for _ in range(_FLUSHES):
            started = time.perf_counter()
            os.write(handle, bytes(_FLUSH_BYTES))
            os.fdatasync(handle)
            flush_ms.append((time.perf_counter() - started) * 1000)
        return None, tuple(flush_ms)
    except OSError as error:
        return os.strerror(error.errno or 0).lower(), ()
    finally:
        os.close(handle)
        with contextlib.suppress(OSError):
            os.unlink(name)


# --- listeners


async def observe_listener(listener: Listener) -> tuple[PortFacts, AddressFacts]:
    """Try to take a listener's address for a moment, and to reach its advertised address while it is held."""
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
    """Listen at an address as a broker would; the caller closes the sockets."""
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
        connection = await BrokerConnection.open(reach, port, _ASKING)
    except ClientError:
        return None
    try:
        versions = {key: (offered.lowest, offered.highest) for key, offered in connection.dialect.ranges.items()}
        cluster_id = None
        with contextlib.suppress(ClientError):
            cluster_id = (await connection.call(DescribeClusterRequest(), DescribeClusterResponse)).cluster_id
        return BrokerFacts(cluster_id, versions)
    finally:
        connection.close()


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
        listens_beyond_this_machine=not (listener.host == "localhost" or is_loopback(listener.host)),
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


def _plain(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error)


async def observe_running(data_dir: str) -> dict[str, str]:
    """Return the listener settings of the broker that runs on a data directory, as far as its ports answer."""
    found: dict[str, str] = {}
    for address in running_addresses(data_dir):
        where = show_address(address.host, address.port)
        if await _ask_broker(address.host, address.port) is not None:
            found.setdefault("listeners", f"PLAINTEXT://{where}")
        elif await _node_at(address) is not None:
            found.setdefault("chronik.http.listener", where)
    return found


# --- the metadata store and the HTTP server


async def observe_store(url: str) -> "FileStoreFacts | list[MemberFacts] | None":
    """Look at the store without changing it; None for a store in memory, which cannot be read from outside."""
    if url.startswith("sqlite:"):
        return observe_file(sqlite_path(url))
    if url.startswith("etcd:"):
        addresses, _ = parse_url(url)
        return list(await asyncio.gather(*(_observe_member(host, port) for host, port in addresses)))
    return None


def observe_file(path: str) -> FileStoreFacts:
    """Read a SQLite file, or see whether one could be made."""
    directory = os.path.dirname(os.path.abspath(path))
    is_there = os.path.exists(path)
    kind, _ = _mount_of(_nearest_existing(directory), _text_of(_MOUNTS))
    problem = _read_problem(path) if is_there else _creation_problem(directory)
    return FileStoreFacts(path, kind, is_there, problem)


def _read_problem(path: str) -> str | None:
    try:
        with contextlib.closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=_SECONDS_MAX)) as file:
            file.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        return str(error)
    return None if os.access(path, os.W_OK) else "it may not be written by this user"


def _creation_problem(directory: str) -> str | None:
    nearest = _nearest_existing(directory)
    if not os.path.isdir(nearest):
        return f"{nearest} is no directory"
    return None if os.access(nearest, os.W_OK | os.X_OK) else f"{nearest} may not be written by this user"


async def _observe_member(host: str, port: int) -> MemberFacts:
    where = show_address(host, port)
    began = time.perf_counter()
    try:
        answer = await ask(where, "/health", _SECONDS_MAX)
        is_well = str(json.loads(answer.body).get("health")).lower() == "true"
    except (PeerError, ValueError, AttributeError) as error:
        return MemberFacts(where, str(error))
    problem = None if is_well else "it says that it is not well"
    return MemberFacts(where, problem, (time.perf_counter() - began) * 1000)


async def observe_http(address: Address | None) -> HttpPortFacts | None:
    """Try to take the address of the HTTP server for a moment; None where none is served."""
    if address is None:
        return None
    where = show_address(address.host or "*", address.port)
    probes, error = take_address(address.host if address.host != "*" else "", address.port)
    for probe in probes:
        probe.close()
    if error is None:
        return HttpPortFacts(where)
    if error.errno != errno.EADDRINUSE:
        return HttpPortFacts(where, error.strerror or str(error))
    node_id = await _node_at(address)
    holder = holder_of(address.port)
    return HttpPortFacts(where, "address already in use", is_taken=True, holder=holder, node_id=node_id)


async def _node_at(address: Address) -> int | None:
    host = "localhost" if address.host in ("", "*", "0.0.0.0", "::") else address.host
    try:
        answer = await ask(show_address(host, address.port), "/api/cluster", _SECONDS_MAX)
        return int(json.loads(answer.body)["asked"])
    except (PeerError, ValueError, KeyError, TypeError):
        return None
