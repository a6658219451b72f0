"""Split the bytes of a socket into frames, each in its own buffer and within a size limit.

A frame's buffer belongs to its receiver, so that record batches can be kept as views without a copy.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from chronik.client.errors import BrokenAnswerError

_SIZE_BYTES: Final = 4
_SCRATCH_BYTES: Final = 64 * 1024


class FrameReceiver(asyncio.BufferedProtocol):
    """Splits the stream of one connection into frames."""

    def __init__(
        self,
        frame_bytes_max: int,
        on_frame: Callable[[memoryview], None],
        on_lost: Callable[[Exception | None], None],
    ) -> None:
        self._frame_bytes_max = frame_bytes_max
        self._on_frame = on_frame
        self._on_lost = on_lost
        self._scratch = memoryview(bytearray(_SCRATCH_BYTES))
        self._filled = 0
        self._frame: memoryview | None = None
        self._frame_filled = 0
        self.writable = asyncio.Event()
        self.writable.set()

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the buffer for the next bytes: of the current frame, or the scratch buffer."""
        if self._frame is not None:
            return self._frame[self._frame_filled :]
        return self._scratch[self._filled :]

    def buffer_updated(self, nbytes: int) -> None:
        """Process the bytes that have arrived."""
        if self._frame is None:
            self._filled += nbytes
            self._cut_or_give_up()
            return
        self._frame_filled += nbytes
        if self._frame_filled == len(self._frame):
            frame, self._frame = self._frame, None
            self._on_frame(frame)

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the end of the connection to the owner."""
        self.writable.set()
        self._on_lost(exc)

    def pause_writing(self) -> None:
        """Block callers: the peer reads more slowly than they send."""
        self.writable.clear()

    def resume_writing(self) -> None:
        """Unblock callers."""
        self.writable.set()

    def _cut_or_give_up(self) -> None:
        try:
            self._cut_scratch()
        except BrokenAnswerError as error:
            self._filled = 0
            self._on_lost(error)

    def _cut_scratch(self) -> None:
        position = 0
        while self._filled - position >= _SIZE_BYTES:
            begin = position + _SIZE_BYTES
            size = self._checked_size(position)
            if begin + size > self._filled:
                self._begin_frame(size, begin)
                return
            position = begin + size
            self._on_frame(memoryview(bytes(self._scratch[begin:position])))
        self._keep_rest(position)

    def _checked_size(self, position: int) -> int:
        size = int.from_bytes(self._scratch[position : position + _SIZE_BYTES], "big", signed=True)
        if not _SIZE_BYTES <= size <= self._frame_bytes_max:
            raise BrokenAnswerError(
                f"an answer announces {size} bytes; between {_SIZE_BYTES} and {self._frame_bytes_max} are accepted",
                advice="Check that the port speaks the Kafka protocol without TLS, "
                "or raise the limit with -X receive.message.max.bytes=BYTES.",
            )
        return size

    def _begin_frame(self, size: int, begin: int) -> None:
        had = self._filled - begin
        self._frame = memoryview(bytearray(size))
        self._frame[:had] = self._scratch[begin : self._filled]
        self._frame_filled = had
        self._filled = 0

    def _keep_rest(self, position: int) -> None:
        rest = self._filled - position
        if position and rest:
            self._scratch[:rest] = bytes(self._scratch[position : self._filled])
        self._filled = rest
