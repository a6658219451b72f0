"""Which offsets to ask for next, and how far ahead: decided here, without a socket or a clock.

The next offset is known only from the last answer. Where the way to the broker is long, waiting for that would leave it
empty, so requests are sent ahead to where earlier answers let the next one be expected: a little too early rather than
too late. What comes twice is dropped; where a gap is left, it is asked for before what lies behind it is used.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

FIRST_BYTES: Final = 1024 * 1024
"""How much is asked for before anything is known of the size of records."""
PREFETCH_MAX: Final = 4

_OVERLAP: Final = 0.03
_MARGIN_BYTES: Final = 64 * 1024
_WORTH_WHILE: Final = 0.1
"""Sending ahead costs what comes twice, so it must save more: the way's share of an answer's time."""


@dataclass(frozen=True, slots=True)
class PlannedFetch:
    """A request: from an offset on, up to so many bytes."""

    offset: int
    bytes_max: int


def prefetch_depth(round_trip_s: float, transfer_s: float) -> int:
    """How many requests keep the way to the broker full."""
    if round_trip_s <= _WORTH_WHILE * transfer_s:
        return 1
    return min(PREFETCH_MAX, 2 + int(round_trip_s / max(transfer_s, 1e-9)))


@dataclass(slots=True)
class FetchPlan:
    """The reading of ``[position, end_offset)``: position passes only what an answer has covered."""

    position: int
    end_offset: int
    fetch_bytes: int
    prefetch: int = 1
    in_flight: deque[PlannedFetch] = field(default_factory=deque)
    early: list[int] = field(default_factory=list)
    """Where answers begin that came before what lies in front of them."""
    _bytes_per_offset: float = 0.0

    @property
    def is_done(self) -> bool:
        return self.position >= self.end_offset

    def next_request(self) -> PlannedFetch | None:
        """Give the next request to send, or None while it is better to wait; it counts as sent."""
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
        """Take the answer to the oldest request, which reached to ``next_offset``; what was not covered is early."""
        wanted = self.in_flight.popleft()
        if next_offset > wanted.offset:
            self._bytes_per_offset = size_bytes / (next_offset - wanted.offset)
        if wanted.offset > self.position:
            self.early.append(wanted.offset)
        return wanted

    def advance(self, next_offset: int) -> None:
        """Note that the reader has everything below an offset."""
        self.position = max(self.position, next_offset)
        self.early = [offset for offset in self.early if offset > self.position]

    def start_over(self) -> None:
        """Forget what was asked for: the connection is gone."""
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
