"""The clocks: the wall clock, for record timestamps, and a steady clock that no correction changes."""

import time
from collections.abc import Callable

from chronik.model.ids import Millis

read_wall_ns: Callable[[], int] = time.time_ns
read_steady_ns: Callable[[], int] = time.monotonic_ns
"""The sources of the clocks; a simulation replaces them."""


def now_ms() -> Millis:
    """Return the time of the wall clock in milliseconds."""
    return Millis(read_wall_ns() // 1_000_000)


def steady_ms() -> int:
    """Return the time of the steady clock in milliseconds, since an arbitrary moment."""
    return read_steady_ns() // 1_000_000


class SteadyClock:
    """A steady clock that starts at the wall clock's time, so that a correction of the time ends no session."""

    __slots__ = ("_ahead_ns",)

    def __init__(self) -> None:
        self._ahead_ns = read_wall_ns() - read_steady_ns()

    def now_ms(self) -> Millis:
        return Millis((read_steady_ns() + self._ahead_ns) // 1_000_000)
