"""The broker's own heartbeat: how long the event loop keeps its callers waiting, and what is told as recent."""

import asyncio
import logging
import time
from collections.abc import Callable, Container
from typing import Final

from chronik.observability.metrics import WINDOW_S, BrokerMetrics

log = logging.getLogger(__name__)

BEAT_S: Final = 0.05
BEATS_PER_S: Final = round(1 / BEAT_S)
WORTH_A_WARNING_S: Final = 1.0


async def measure(metrics: BrokerMetrics, topics: Callable[[], Container[str]]) -> None:
    """Beat, for as long as the broker runs: measure how late a timer fires, and sample the counters every second."""
    loop = asyncio.get_running_loop()
    beats, busy_s, began_s = 0, time.thread_time(), loop.time()
    metrics.sample(began_s)
    while True:
        due = loop.time() + BEAT_S
        await asyncio.sleep(BEAT_S)
        now = loop.time()
        _note(metrics, now - due)
        beats += 1
        if beats % BEATS_PER_S == 0:
            metrics.sample(now)
            busy_before, busy_s, before_s, began_s = busy_s, time.thread_time(), began_s, now
            metrics.loop.idle_share = max(0.0, 1 - (busy_s - busy_before) / (now - before_s))
        if beats % (WINDOW_S * BEATS_PER_S) == 0:
            metrics.rotate(topics())


def _note(metrics: BrokerMetrics, late_s: float) -> None:
    metrics.loop.note(late_s)
    if late_s > WORTH_A_WARNING_S:
        log.warning("the event loop stood still for %.1f s: is the machine overloaded or the disk stuck?", late_s)
