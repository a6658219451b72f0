"""The clocks: the wall clock, as record timestamps read it, and one that a correction of it cannot set."""

import time
from collections.abc import Callable

from chronik.model.ids import Millis

read_wall_ns: Callable[[], int] = time.time_ns
read_steady_ns: Callable[[], int] = time.monotonic_ns
"""What the clocks read; a simulation puts its own time in their place."""


def now_ms() -> Millis:
    """Read the wall clock in milliseconds."""
    return Millis(read_wall_ns() // 1_000_000)


def steady_ms() -> int:
    """Read a clock that nobody can set, in milliseconds since some moment."""
    return read_steady_ns() // 1_000_000


class SteadyClock:
    """Goes on from the wall clock's time at its start, so that a corrected wall clock ends nobody's session."""

    __slots__ = ("_ahead_ns",)

    def __init__(self) -> None:
        self._ahead_ns = read_wall_ns() - read_steady_ns()

    def now_ms(self) -> Millis:
        return Millis((read_steady_ns() + self._ahead_ns) // 1_000_000)
