"""The clocks: the wall clock, as record timestamps read it, and one that a correction of it cannot set."""

import time

from chronik.model.ids import Millis


def now_ms() -> Millis:
    """Read the wall clock in milliseconds."""
    return Millis(time.time_ns() // 1_000_000)


def steady_ms() -> int:
    """Read a clock that nobody can set, in milliseconds since some moment."""
    return time.monotonic_ns() // 1_000_000


class SteadyClock:
    """Goes on from the wall clock's time at its start, so that a corrected wall clock ends nobody's session."""

    __slots__ = ("_ahead_ns",)

    def __init__(self) -> None:
        self._ahead_ns = time.time_ns() - time.monotonic_ns()

    def now_ms(self) -> Millis:
        return Millis((time.monotonic_ns() + self._ahead_ns) // 1_000_000)
