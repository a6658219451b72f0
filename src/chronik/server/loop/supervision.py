"""Supervision of the event loop: a background task that fails stops the broker, and a delay of the loop is measured."""

import asyncio
import logging
import time
from collections.abc import Callable, Container, Coroutine
from typing import Any, Final

from chronik.observability.metrics import WINDOW_S, BrokerMetrics

log = logging.getLogger(__name__)

BEAT_S: Final = 0.05
BEATS_PER_S: Final = round(1 / BEAT_S)
WORTH_A_WARNING_S: Final = 1.0


class TaskDiedError(Exception):
    """A background task failed; the broker cannot go on without it."""


class Supervisor:
    """Holds the broker's background tasks and reports the first failure."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def start(self, name: str, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run ``work`` as a task until it ends or the supervisor stops. Its failure stops the broker."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._on_done)
        return task

    def fail(self, reason: BaseException) -> None:
        """Stop the broker for this reason."""
        if not self._failed.done():
            self._failed.set_exception(reason)

    async def wait_for_failure(self) -> None:
        """Wait until a task fails, and raise its error."""
        await asyncio.shield(self._failed)

    async def stop(self) -> None:
        """Cancel all tasks and wait for them."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._failed.done() and not self._failed.cancelled():
            self._failed.exception()
        else:
            self._failed.cancel()

    def _on_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self.fail(_died(task.get_name(), error))


def _died(name: str, error: BaseException) -> TaskDiedError:
    log.error(
        "the background task %r died, and the broker stops: start it again, and report this", name, exc_info=error
    )
    died = TaskDiedError(f"the background task {name!r} died: {type(error).__name__}: {error}")
    died.__cause__ = error
    return died


async def measure_delay(metrics: BrokerMetrics, topics: Callable[[], Container[str]]) -> None:
    """Measure how late timers fire, and sample the counters every second, for as long as the broker runs."""
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
        log.warning("the event loop was blocked for %.1f s: is the machine overloaded or the disk stuck?", late_s)
