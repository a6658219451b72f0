"""The clock of leases: it runs while the machine is suspended, and is the same in all processes of the machine."""

import time
from collections.abc import Callable

BootClock = Callable[[], int]


def boot_ms() -> int:
    """Return CLOCK_BOOTTIME in milliseconds."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
