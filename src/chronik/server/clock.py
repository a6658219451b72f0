"""The wall clock, as record timestamps read it."""

import time

from chronik.model.ids import Millis


def now_ms() -> Millis:
    """Read the wall clock in milliseconds."""
    return Millis(time.time_ns() // 1_000_000)
