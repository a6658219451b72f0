"""How long the event loop keeps its callers waiting: the broker's own heartbeat."""

import asyncio
import logging
from typing import Final

log = logging.getLogger(__name__)

BEAT_S: Final = 0.05
WORTH_A_WARNING_S: Final = 1.0


class LoopDelay:
    """Measures how late a timer fires; the longest delay since the start is kept."""

    def __init__(self) -> None:
        self.longest_s = 0.0

    async def measure(self) -> None:
        """Beat, for as long as the broker runs."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + BEAT_S
            await asyncio.sleep(BEAT_S)
            late_s = loop.time() - due
            self.longest_s = max(self.longest_s, late_s)
            if late_s > WORTH_A_WARNING_S:
                log.warning(
                    "the event loop stood still for %.1f s: is the machine overloaded or the disk stuck?", late_s
                )
