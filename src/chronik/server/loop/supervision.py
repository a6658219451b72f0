"""Background tasks that may not die unseen: one that ends with an error takes the broker down with its reason."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger(__name__)


class TaskDiedError(Exception):
    """A background task ended with an error; the broker cannot go on as if it ran."""


class Supervisor:
    """Holds the broker's background tasks and reports the first failure."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def start(self, name: str, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run ``work`` until it ends or the supervisor stops; its failure is the broker's."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._on_done)
        return task

    def fail(self, reason: BaseException) -> None:
        """Take the broker down with this reason."""
        if not self._failed.done():
            self._failed.set_exception(reason)

    async def wait_for_failure(self) -> None:
        """Return never, except by raising what took a task down."""
        await asyncio.shield(self._failed)

    async def stop(self) -> None:
        """Cancel what still runs and wait for it."""
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
