"""The clock of leases: it goes on while the machine is suspended, and is the same in every process of the machine."""

import time
from collections.abc import Callable

BootClock = Callable[[], int]


def boot_ms() -> int:
    """Read CLOCK_BOOTTIME in milliseconds."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
