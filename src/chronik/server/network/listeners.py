"""Listening sockets, and the connections accepted on them: limited in number, closed when idle for too long."""

import asyncio
import errno
import logging
import socket
from collections import Counter
from dataclasses import dataclass
from typing import Final

from chronik.model import limits
from chronik.observability.logs import PER_REQUEST
from chronik.server.network.connection import FrameHandler, KafkaConnection
from chronik.server.network.receive_buffers import ReceiveBuffers
from chronik.server.network.response_cork import Cork
from chronik.server.network.response_memory import ResponseMemory

log = logging.getLogger(__name__)

SWEEP_EVERY_S: Final = 1.0
ACCEPT_PAUSE_S: Final = 0.1
_OUT_OF_RESOURCES: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class ListenError(Exception):
    """The broker cannot listen on an address; the message says what to do."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """The limits on connections, from the settings."""

    connections_max: int
    connections_per_address_max: int
    idle_s_max: float
    frame_bytes_max: int
    unsent_bytes_max: int
    receive_buffer_bytes: int | None
    """The size of the kernel's buffer; None: the kernel chooses the size."""
    send_buffer_bytes: int | None


def listen(host: str, port: int, backlog: int) -> socket.socket:
    """Open a listening socket; port 0 means any free port."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ListenError(f"cannot listen on {host}:{port}: {error}. Check the address in 'listeners'.") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.settimeout(0)
        listening.bind(address)
        listening.listen(backlog)
    except OSError as error:
        listening.close()
        advice = (
            "Another process listens there: stop it or choose another port." if error.errno == errno.EADDRINUSE else ""
        )
        raise ListenError(f"cannot listen on {host}:{port}: {error.strerror}. {advice}".rstrip()) from error
    return listening


class Listeners:
    """Accepts connections on every listener, and holds the open ones."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        handler: FrameHandler,
        pool: ReceiveBuffers,
        memory: ResponseMemory,
        connection_limits: ConnectionLimits,
    ) -> None:
        self._loop = loop
        self._handler = handler
        self._pool = pool
        self._memory = memory
        self._limits = connection_limits
        self._cork = Cork(loop)
        self._sockets: dict[socket.socket, str] = {}
        self.connections: dict[KafkaConnection, str] = {}
        self._per_address: Counter[str] = Counter()
        self.rejected = 0

    @property
    def unsent_bytes(self) -> int:
        """The bytes of responses that clients have not received yet."""
        return self._memory.unsent_bytes

    def add(self, name: str, listening: socket.socket) -> None:
        """Start to accept connections of the listener ``name``."""
        self._sockets[listening] = name
        self._loop.add_reader(listening.fileno(), self._on_acceptable, listening)

    def _on_acceptable(self, listening: socket.socket) -> None:
        for _ in range(limits.ACCEPTS_PER_EVENT_MAX):
            try:
                accepted, address = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._pause_accepting(listening, error)
                return
            self._take(accepted, address, self._sockets[listening])

    def _pause_accepting(self, listening: socket.socket, error: OSError) -> None:
        """Stop accepting for a moment if descriptors or memory ran out; clients wait in the socket's backlog."""
        if error.errno not in _OUT_OF_RESOURCES:
            raise error
        log.error(
            "cannot accept a connection: %s. Raise the limit of open files (ulimit -n).",
            error.strerror,
            extra=PER_REQUEST,
        )
        self._loop.remove_reader(listening.fileno())
        self._loop.call_later(ACCEPT_PAUSE_S, self._accept_again, listening)

    def _accept_again(self, listening: socket.socket) -> None:
        if listening in self._sockets:
            self._loop.add_reader(listening.fileno(), self._on_acceptable, listening)

    def _take(self, accepted: socket.socket, address: tuple[str, int], listener: str) -> None:
        host = address[0]
        rejection = self._rejection_of(host)
        if rejection is not None:
            self.rejected += 1
            log.warning("connections from %s are refused: %s", host, rejection, extra=PER_REQUEST)
            accepted.close()
            return
        self._configure(accepted)
        connection = KafkaConnection(
            self._loop,
            accepted,
            peer=f"{host}:{address[1]}",
            listener=listener,
            handler=self._handler,
            cork=self._cork,
            pool=self._pool,
            memory=self._memory,
            frame_bytes_max=self._limits.frame_bytes_max,
            unsent_bytes_max=self._limits.unsent_bytes_max,
            on_closed=self._on_closed,
        )
        self.connections[connection] = host
        self._per_address[host] += 1

    def _rejection_of(self, host: str) -> str | None:
        if len(self.connections) >= self._limits.connections_max:
            return f"max.connections={self._limits.connections_max} is reached"
        if self._per_address[host] >= self._limits.connections_per_address_max:
            return f"max.connections.per.ip={self._limits.connections_per_address_max} is reached"
        return None

    def _configure(self, accepted: socket.socket) -> None:
        accepted.settimeout(0)
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        accepted.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if self._limits.receive_buffer_bytes is not None:
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self._limits.receive_buffer_bytes)
        if self._limits.send_buffer_bytes is not None:
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self._limits.send_buffer_bytes)

    def _on_closed(self, connection: KafkaConnection) -> None:
        host = self.connections.pop(connection)
        self._per_address[host] -= 1
        if not self._per_address[host]:
            del self._per_address[host]

    async def sweep(self) -> None:
        """Close connections that are idle for too long, for as long as the broker runs."""
        while True:
            await asyncio.sleep(SWEEP_EVERY_S)
            now = self._loop.time()
            for connection in tuple(self.connections):
                self._close_if_stale(connection, now - connection.last_active)

    def _close_if_stale(self, connection: KafkaConnection, silent_s: float) -> None:
        if silent_s > self._limits.idle_s_max:
            connection.close(f"idle for {silent_s:.0f} s (connections.max.idle.ms)")
        elif self._pool.is_short and connection.holds_memory and silent_s > limits.FRAME_STALL_S:
            connection.close(f"its request stalled for {silent_s:.0f} s while other requests waited for memory")

    def stop_accepting(self) -> None:
        """Accept no more connections."""
        for listening in self._sockets:
            self._loop.remove_reader(listening.fileno())
            listening.close()
        self._sockets.clear()

    def close_all(self, reason: str) -> None:
        """Close every connection."""
        for connection in tuple(self.connections):
            connection.close(reason)
