"""Replicas with staged batches, written once at the end of each read event."""

from typing import Protocol

from chronik.server.replicas.replica import Replica


class Timed(Protocol):
    """A request whose time-out begins when its batches are written."""

    def start_clock(self) -> None:
        """Start the time-out, unless the request is settled."""


class StagedWrites:
    """Collects the replicas that must write before control returns to the loop."""

    __slots__ = ("_dirty", "_timed")

    def __init__(self) -> None:
        self._dirty: list[Replica] = []
        self._timed: list[Timed] = []

    def mark(self, replica: Replica) -> None:
        """Add a replica that has staged batches."""
        self._dirty.append(replica)

    def time_after_write(self, request: Timed) -> None:
        """Start the request's clock after the write, when most requests are settled and need none."""
        self._timed.append(request)

    def write_all(self) -> None:
        """Write the staged batches, with one ``writev`` for each replica."""
        if self._dirty:
            dirty, self._dirty = self._dirty, []
            for replica in dirty:
                replica.write()
        if self._timed:
            timed, self._timed = self._timed, []
            for request in timed:
                request.start_clock()
