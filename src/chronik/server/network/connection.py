"""One connection of Kafka's protocol: requests in, responses out in the order of the requests.

It uses the non-blocking socket directly instead of an asyncio transport: a frame is received into the buffer in which
its records are stamped and written, and responses are sent by ``sendmsg`` without being joined.

Limits: the size of a frame, the memory lent for long frames, the requests without a response, the bytes that the peer
has not received. At a limit the connection stops reading, so the peer waits; nothing is dropped.
"""

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Callable, Iterator
from struct import Struct
from time import monotonic_ns
from typing import Protocol, TypeVar

from chronik.model import limits
from chronik.observability.request_times import Timing
from chronik.server.network.receive_buffers import ReceiveBuffers
from chronik.server.network.response_cork import Cork
from chronik.server.network.response_memory import ResponseMemory

log = logging.getLogger(__name__)

Chunks = list[bytes | memoryview]
S = TypeVar("S", bound="ResponseSlot")

_SIZE = Struct(">i")
_SEND_PARTS_MAX = 512
_JOIN_BYTES_MAX = 32 * 1024


class RefusedFrameError(Exception):
    """A frame that gets no response: the connection is closed, and the reason is counted."""


class FrameHandler(Protocol):
    """The broker as a connection sees it."""

    def handle_frame(self, connection: "KafkaConnection", frame: memoryview) -> None:
        """Handle one request; raise RefusedFrameError to close the connection."""

    def end_of_read(self) -> None:
        """Write the batches that the frames of this read event staged."""

    def responses_sent(self, timings: list[Timing]) -> None:
        """Record that the socket has taken the responses of these requests."""


class ResponseSlot:
    """The place of one request's response in the order of its connection."""

    __slots__ = ("chunks", "connection", "timing")

    def __init__(self, connection: "KafkaConnection", timing: Timing | None = None) -> None:
        self.connection = connection
        self.timing = timing
        self.chunks: Chunks | None = None

    def fill(self, chunks: Chunks) -> None:
        """Set the response, once. It is empty for acks=0."""
        assert self.chunks is None, "a request gets exactly one response"
        self.chunks = chunks
        self.connection.send_filled()

    def drop(self) -> None:
        """Stop the work for the response: the connection was closed before it was ready."""


class KafkaConnection:
    """Reads frames, keeps responses in order, sends them."""

    __slots__ = (
        "_borrowed",
        "_buffer",
        "_cork",
        "_corked",
        "_end",
        "_frame_bytes_max",
        "_handler",
        "_is_held",
        "_is_reading",
        "_is_writing",
        "_loop",
        "_memory",
        "_on_closed",
        "_pool",
        "_slots",
        "_socket",
        "_start",
        "_timings",
        "_unsent",
        "_unsent_bytes",
        "_unsent_bytes_max",
        "_view",
        "closed",
        "last_active",
        "listener",
        "peer",
        "received_ns",
    )

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        sock: socket.socket,
        *,
        peer: str,
        listener: str,
        handler: FrameHandler,
        cork: Cork,
        pool: ReceiveBuffers,
        memory: ResponseMemory,
        frame_bytes_max: int,
        unsent_bytes_max: int,
        on_closed: Callable[["KafkaConnection"], None],
    ) -> None:
        self._loop = loop
        self._socket = sock
        self.peer = peer
        self.listener = listener
        self._handler = handler
        self._cork = cork
        self._pool = pool
        self._memory = memory
        self._frame_bytes_max = frame_bytes_max
        self._unsent_bytes_max = unsent_bytes_max
        self._on_closed = on_closed
        self._buffer = bytearray(limits.RECEIVE_BUFFER_BYTES)
        self._view = memoryview(self._buffer)
        self._borrowed: bytearray | None = None
        self._start = 0
        self._end = 0
        self._slots: deque[ResponseSlot] = deque()
        self._unsent: deque[bytes | memoryview] = deque()
        self._unsent_bytes = 0
        self._timings: list[Timing] = []
        self._corked = False
        self._is_reading = False
        self._is_held = False
        self._is_writing = False
        self.closed = False
        self.last_active = loop.time()
        self.received_ns = 0
        self._start_reading()

    # --- reading

    def _start_reading(self) -> None:
        if not self._is_reading and not self.closed:
            self._is_reading = True
            self._loop.add_reader(self._socket.fileno(), self._on_readable)

    def _stop_reading(self) -> None:
        if self._is_reading:
            self._is_reading = False
            self._loop.remove_reader(self._socket.fileno())

    def _on_readable(self) -> None:
        try:
            received = self._socket.recv_into(self._view[self._end :])
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self.close(f"reading failed: {error}")
            return
        if not received:
            self.close("the peer closed it")
            return
        self._end += received
        self.received_ns = monotonic_ns()
        self.last_active = self._loop.time()
        self._take_frames()

    def _take_frames(self) -> None:
        self._cork.begin_event()
        refusal: RefusedFrameError | None = None
        try:
            self._handle_frames()
        except RefusedFrameError as refused:
            refusal = refused
        finally:
            # The staged batches lie in the receive buffer until they are written.
            self._handler.end_of_read()
            self._cork.end_event()
        if refusal is not None:
            # Only now: the responses to the earlier requests have been sent.
            self.close(str(refusal), level=logging.WARNING)
        elif not self.closed and not self._is_held:
            self._make_room()

    def _handle_frames(self) -> None:
        handle_frame = self._handler.handle_frame
        slots_max, unsent_max = limits.IN_FLIGHT_REQUESTS_PER_CONNECTION_MAX, self._unsent_now_max
        view, start, end = self._view, self._start, self._end
        while end - start >= 4:
            (size,) = _SIZE.unpack_from(view, start)
            frame_start, frame_end = start + 4, start + 4 + size
            if frame_end > end or size < 0 or size > self._frame_bytes_max:
                self._expect_frame(size)
                break
            if len(self._slots) >= slots_max or self._unsent_bytes > unsent_max:
                self._is_held = True
                self._stop_reading()
                return
            self._start = start = frame_end
            handle_frame(self, view[frame_start:frame_end])
            if self.closed:
                return

    @property
    def _is_full(self) -> bool:
        """Whether the next request must wait until earlier responses have been sent."""
        return (
            len(self._slots) >= limits.IN_FLIGHT_REQUESTS_PER_CONNECTION_MAX
            or self._unsent_bytes > self._unsent_now_max
        )

    @property
    def _unsent_now_max(self) -> int:
        """The unsent bytes above which the connection stops reading: 0 while the broker is short of memory."""
        return 0 if self._memory.is_short else self._unsent_bytes_max

    def _expect_frame(self, size: int) -> None:
        if size < 0 or size > self._frame_bytes_max:
            raise RefusedFrameError(
                f"a frame of {size} bytes was announced; at most {self._frame_bytes_max} are taken "
                "(socket.request.max.bytes). Is the peer speaking the Kafka protocol?"
            )

    def _make_room(self) -> None:
        """Move a partial frame to a buffer that has room for the rest."""
        if self._start == self._end:
            self._start = self._end = 0
            if self._borrowed is not None:
                self._return_buffer()
            return
        partial = self._end - self._start
        needed = _SIZE.size
        if partial >= _SIZE.size:
            needed += _SIZE.unpack_from(self._view, self._start)[0]
        if self._start + needed <= len(self._view):
            return
        if needed <= limits.RECEIVE_BUFFER_BYTES:
            self._move_to(self._buffer, limits.RECEIVE_BUFFER_BYTES)
        elif partial < limits.RECEIVE_BUFFER_BYTES // 2 and self._borrowed is None:
            # Memory is lent when half a buffer of the frame has arrived: a peer may announce a size and send nothing.
            if self._start:
                self._move_to(self._buffer, limits.RECEIVE_BUFFER_BYTES)
        else:
            self._borrow(needed)

    def _borrow(self, needed: int) -> None:
        buffer = self._pool.borrow(self, needed, lambda granted: self._on_granted(granted, needed))
        if buffer is None:
            self._stop_reading()
        else:
            self._use_borrowed(buffer, needed)

    def _on_granted(self, buffer: bytearray, needed: int) -> None:
        self.last_active = self._loop.time()
        self._use_borrowed(buffer, needed)
        self._start_reading()

    def _use_borrowed(self, buffer: bytearray, needed: int) -> None:
        previous = self._borrowed
        # The view ends with the frame: the next frame is received into the connection's own buffer.
        self._move_to(buffer, needed)
        self._borrowed = buffer
        if previous is not None:
            self._pool.give_back(previous)

    def _move_to(self, buffer: bytearray, size: int) -> None:
        partial = self._end - self._start
        target = memoryview(buffer)[:size]
        target[:partial] = bytes(self._view[self._start : self._end])
        self._view = target
        self._start, self._end = 0, partial

    def _return_buffer(self) -> None:
        buffer = self._borrowed
        assert buffer is not None
        self._borrowed = None
        self._view = memoryview(self._buffer)
        self._pool.give_back(buffer)

    @property
    def holds_memory(self) -> bool:
        """Whether the connection has borrowed a buffer for a frame that is still arriving."""
        return self._borrowed is not None

    # --- responding

    def respond(self, chunks: Chunks, timing: Timing | None = None) -> None:
        """Send the response to the current request, after the responses to earlier requests."""
        if self._slots:
            self.reserve(ResponseSlot(self, timing)).fill(chunks)
        else:
            self._queue(chunks, timing)

    def reserve(self, slot: S) -> S:
        """Reserve the place of a response that is not ready yet."""
        self._slots.append(slot)
        return slot

    @property
    def pending(self) -> Iterator[ResponseSlot]:
        """The slots of requests without a response."""
        return (slot for slot in self._slots if slot.chunks is None)

    def send_filled(self) -> None:
        """Queue the responses whose turn it is."""
        slots = self._slots
        while slots and (chunks := slots[0].chunks) is not None:
            self._queue(chunks, slots.popleft().timing)

    def _queue(self, chunks: Chunks, timing: Timing | None) -> None:
        if self.closed:
            return
        self._unsent.extend(chunks)
        if timing is not None:
            self._timings.append(timing)
        size_bytes = len(chunks[0]) if len(chunks) == 1 else sum(map(len, chunks))
        self._unsent_bytes += size_bytes
        self._memory.unsent_bytes += size_bytes
        if not self._corked:
            self._corked = True
            self._cork.add(self)

    def send_ready(self) -> None:
        """Send as much as the socket takes now, and the rest when the socket is writable again."""
        self._corked = False
        if self.closed or self._is_writing:
            return
        self._send()
        if not self._unsent:
            self._report_sent()
        elif not self.closed:
            self._is_writing = True
            self._loop.add_writer(self._socket.fileno(), self._on_writable)
        self._resume_reading()

    def _on_writable(self) -> None:
        self._send()
        if self.closed or self._unsent:
            return
        self._is_writing = False
        self._loop.remove_writer(self._socket.fileno())
        self._report_sent()
        self._resume_reading()

    def _report_sent(self) -> None:
        if self._timings:
            timings, self._timings = self._timings, []
            self._handler.responses_sent(timings)

    def _resume_reading(self) -> None:
        """Handle the frames that were held back, if there is room for their responses."""
        if self._is_held and not self.closed and not self._is_full:
            self._is_held = False
            self._loop.call_soon(self._take_held_frames)

    def _take_held_frames(self) -> None:
        if self.closed:
            return
        self._start_reading()
        self._take_frames()

    def _send(self) -> None:
        unsent = self._unsent
        try:
            while unsent:
                if len(unsent) == 1:
                    sent = self._socket.send(unsent[0])
                elif self._unsent_bytes <= _JOIN_BYTES_MAX:
                    sent = self._socket.send(b"".join(unsent))
                else:
                    sent = self._socket.sendmsg(_first(unsent, _SEND_PARTS_MAX))
                self._drop_sent(sent)
                self.last_active = self._loop.time()
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self.close(f"sending failed: {error}")

    def _drop_sent(self, sent: int) -> None:
        unsent = self._unsent
        self._unsent_bytes -= sent
        self._memory.unsent_bytes -= sent
        if not self._unsent_bytes:
            unsent.clear()
            return
        while sent:
            chunk = unsent.popleft()
            if len(chunk) > sent:
                unsent.appendleft(memoryview(chunk)[sent:])
                return
            sent -= len(chunk)

    # --- the end

    def close(self, reason: str, *, level: int = logging.DEBUG) -> None:
        """Close at once, and drop the responses that are not ready."""
        if self.closed:
            return
        self.closed = True
        log.log(level, "connection from %s closed: %s", self.peer, reason)
        self._stop_reading()
        if self._is_writing:
            self._loop.remove_writer(self._socket.fileno())
        self._socket.close()
        self._unsent.clear()
        self._timings.clear()
        self._memory.unsent_bytes -= self._unsent_bytes
        self._unsent_bytes = 0
        dropped, self._slots = self._slots, deque()
        for slot in dropped:
            if slot.chunks is None:
                slot.drop()
        self._pool.forget(self)
        if self._borrowed is not None:
            self._return_buffer()
        # An object that still refers to this connection must not keep its memory alive.
        self._buffer = bytearray()
        self._view = memoryview(self._buffer)
        self._on_closed(self)


def _first(chunks: deque[bytes | memoryview], most: int) -> list[bytes | memoryview]:
    return [chunk for chunk, _ in zip(chunks, range(most), strict=False)]
