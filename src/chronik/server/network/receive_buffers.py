"""Memory for frames that are longer than a connection's own buffer, lent within one limit for the whole broker.

A connection that gets no buffer stops reading until one is returned: the sender waits, nothing is lost.
"""

from collections import deque
from collections.abc import Callable

from chronik.model import limits

Grant = Callable[[bytearray], None]


class ReceiveBuffers:
    """Lends buffers, at most ``lent_bytes_max`` at a time, and keeps a few for the next long frame."""

    def __init__(self, lent_bytes_max: int) -> None:
        self._lent_bytes_max = lent_bytes_max
        self._free: dict[int, list[bytearray]] = {}
        self._free_bytes = 0
        self._waiting: deque[tuple[object, int, Grant]] = deque()
        self.lent_bytes = 0

    @property
    def is_short(self) -> bool:
        """Whether a connection waits for memory."""
        return bool(self._waiting)

    def borrow(self, borrower: object, size_bytes: int, grant: Grant) -> bytearray | None:
        """Return a buffer of at least ``size_bytes``, or None and call ``grant`` with a buffer later."""
        if self._waiting or not self._fits(size_bytes):
            self._waiting.append((borrower, size_bytes, grant))
            return None
        return self._lend(size_bytes)

    def give_back(self, buffer: bytearray) -> None:
        """Take a buffer back, and lend it to the connections that wait, in order."""
        self.lent_bytes -= len(buffer)
        if self._free_bytes + len(buffer) <= limits.POOLED_BUFFER_BYTES_MAX:
            self._free.setdefault(len(buffer), []).append(buffer)
            self._free_bytes += len(buffer)
        self._serve_waiting()

    def forget(self, borrower: object) -> None:
        """Remove a closed connection from the queue."""
        if self._waiting:
            self._waiting = deque(entry for entry in self._waiting if entry[0] is not borrower)
            self._serve_waiting()

    def _serve_waiting(self) -> None:
        while self._waiting and self._fits(self._waiting[0][1]):
            _, size_bytes, grant = self._waiting.popleft()
            grant(self._lend(size_bytes))

    def _fits(self, size_bytes: int) -> bool:
        # One frame always fits when nothing else is lent: otherwise a large but legal frame would wait for ever.
        return self.lent_bytes == 0 or self.lent_bytes + _class_of(size_bytes) <= self._lent_bytes_max

    def _lend(self, size_bytes: int) -> bytearray:
        size_class = _class_of(size_bytes)
        self.lent_bytes += size_class
        pooled = self._free.get(size_class)
        if pooled:
            self._free_bytes -= size_class
            return pooled.pop()
        return bytearray(size_class)


def _class_of(size_bytes: int) -> int:
    """Round up to a power of two, so that buffers can be used again."""
    return 1 << (size_bytes - 1).bit_length()
