"""Which offsets to fetch next, and how many fetches to prefetch: no socket, no clock.

The next offset is known only from the last response. On a connection with a long round trip, waiting for it would leave
the connection idle. So further fetches are sent to the offsets that earlier responses let expect, rather a little too
early than too late. Duplicates are dropped, and a gap is fetched before the offsets after it are used.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

FIRST_BYTES: Final = 1024 * 1024
"""The size of the first fetch, before the size of records is known."""
PREFETCH_MAX: Final = 4

_OVERLAP: Final = 0.03
_MARGIN_BYTES: Final = 64 * 1024
_WORTH_WHILE: Final = 0.1
"""Prefetch only if the round trip is at least this share of a response's time: duplicates cost time too."""


@dataclass(frozen=True, slots=True)
class PlannedFetch:
    """A fetch from an offset, of at most so many bytes."""

    offset: int
    bytes_max: int


def prefetch_depth(round_trip_s: float, transfer_s: float) -> int:
    """Return the number of fetches in flight that keep the connection busy."""
    if round_trip_s <= _WORTH_WHILE * transfer_s:
        return 1
    return min(PREFETCH_MAX, 2 + int(round_trip_s / max(transfer_s, 1e-9)))


@dataclass(slots=True)
class FetchPlan:
    """Reads ``[position, end_offset)``; the position advances over received offsets only."""

    position: int
    end_offset: int
    fetch_bytes: int
    prefetch: int = 1
    in_flight: deque[PlannedFetch] = field(default_factory=deque)
    early: list[int] = field(default_factory=list)
    """First offsets of responses that wait for the offsets before them."""
    _bytes_per_offset: float = 0.0

    @property
    def is_done(self) -> bool:
        return self.position >= self.end_offset

    def next_request(self) -> PlannedFetch | None:
        """Return the next fetch, which counts as sent; None while it is better to wait."""
        if self.is_done:
            return None
        if not any(wanted.offset <= self.position for wanted in self.in_flight):
            coming = [wanted.offset for wanted in self.in_flight]
            return self._send(self.position, min([self.end_offset, *self.early, *coming]))
        if not self._bytes_per_offset or self.early or len(self.in_flight) >= self.prefetch:
            return None
        offset = max(self._expected_end(wanted) for wanted in self.in_flight)
        return None if offset >= self.end_offset else self._send(offset, self.end_offset)

    def answered(self, next_offset: int, size_bytes: int) -> PlannedFetch:
        """Note the response to the oldest fetch, which reached to ``next_offset``."""
        wanted = self.in_flight.popleft()
        if next_offset > wanted.offset:
            self._bytes_per_offset = size_bytes / (next_offset - wanted.offset)
        if wanted.offset > self.position:
            self.early.append(wanted.offset)
        return wanted

    def advance(self, next_offset: int) -> None:
        """Note that the reader has all offsets below this one."""
        self.position = max(self.position, next_offset)
        self.early = [offset for offset in self.early if offset > self.position]

    def start_over(self) -> None:
        """Forget the fetches in flight: the connection is gone."""
        self.in_flight.clear()
        self.early.clear()

    def _send(self, offset: int, until: int) -> PlannedFetch:
        needed = (until - offset) * self._bytes_per_offset * (1 + _OVERLAP) + _MARGIN_BYTES
        bytes_max = min(self.fetch_bytes, int(needed) if self._bytes_per_offset else FIRST_BYTES)
        wanted = PlannedFetch(offset, bytes_max)
        self.in_flight.append(wanted)
        return wanted

    def _expected_end(self, wanted: PlannedFetch) -> int:
        return wanted.offset + max(1, int(wanted.bytes_max / self._bytes_per_offset * (1 - _OVERLAP)))
