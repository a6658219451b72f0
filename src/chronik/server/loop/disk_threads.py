"""Threads for calls that may block on the disk: flushes, writes of a slow partition, write-back, removal of files.

A job runs in its thread and uses file descriptors only. Its completion runs on the event loop, which owns all state.
"""

import asyncio
import queue
import threading
from collections.abc import Callable
from time import monotonic_ns
from typing import Protocol, TypeVar

from chronik.observability.histograms import Histogram

T = TypeVar("T")
Job = Callable[[], None]
Done = Callable[[BaseException | None], None]


class DiskThread:
    """One thread with a queue of jobs; completions are called on the loop, in the order of the jobs."""

    def __init__(self, name: str, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._jobs: queue.SimpleQueue[tuple[Job, Done] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, job: Job, done: Done) -> None:
        """Run ``job`` in the thread, then ``done`` on the loop with the error, if there was one."""
        self._jobs.put((job, done))

    async def run(self, job: Callable[[], T]) -> T:
        """Run ``job`` in the thread, and return its result or raise its error."""
        done: asyncio.Future[T] = self._loop.create_future()
        results: list[T] = []

        def completed(error: BaseException | None) -> None:
            if done.cancelled():
                return
            if error is None:
                done.set_result(results[0])
            else:
                done.set_exception(error)

        self.submit(lambda: results.append(job()), completed)
        return await done

    async def drain(self) -> None:
        """Wait until all submitted jobs are done and their completions have run."""
        await self.run(lambda: None)

    def stop(self) -> None:
        """Finish all submitted jobs, and end the thread."""
        self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (entry := self._jobs.get()) is not None:
            job, done = entry
            self._loop.call_soon_threadsafe(done, _outcome(job))
            # An idle thread must not keep objects of its last job alive.
            del entry, job, done


def _outcome(job: Job) -> BaseException | None:
    try:
        job()
    except BaseException as raised:  # noqa: BLE001 - handed to the loop, which decides
        return raised
    return None


class Flushable(Protocol):
    """A partition that can be flushed."""

    def begin_flush(self) -> Job | None:
        """Return the job to run in the thread, or None if everything is flushed."""

    def end_flush(self, error: BaseException | None) -> None:
        """Complete the flush that was begun."""


class Flusher:
    """Group commit: partitions that request a flush while one runs are flushed together by the next one."""

    def __init__(self, loop: asyncio.AbstractEventLoop, times: Histogram | None = None) -> None:
        self._times = Histogram() if times is None else times
        self._thread = DiskThread("chronik-flusher", loop)
        self._wanting: dict[Flushable, None] = {}
        self._is_running = False

    def request(self, partition: Flushable) -> None:
        """Flush the partition soon."""
        self._wanting[partition] = None
        if not self._is_running:
            self._start()

    def _start(self) -> None:
        begun = [(partition, job) for partition in self._wanting if (job := partition.begin_flush()) is not None]
        self._wanting.clear()
        for index, (partition, job) in enumerate(begun):
            self._is_running = True
            timed = _TimedJob(job)
            self._thread.submit(timed, self._completion(partition, timed, is_last=index == len(begun) - 1))

    def _completion(self, partition: Flushable, job: "_TimedJob", *, is_last: bool) -> Done:
        def completed(error: BaseException | None) -> None:
            self._times.observe(job.took_ns)
            partition.end_flush(error)
            if is_last:
                self._is_running = False
                if self._wanting:
                    self._start()

        return completed

    async def drain(self) -> None:
        """Wait until all requested flushes are done."""
        while self._is_running or self._wanting:
            await self._thread.drain()

    def stop(self) -> None:
        """Finish the running flushes, and end the thread."""
        self._thread.stop()


class _TimedJob:
    """A job, and how long it took in its thread."""

    __slots__ = ("_job", "took_ns")

    def __init__(self, job: Job) -> None:
        self._job = job
        self.took_ns = 0

    def __call__(self) -> None:
        began_ns = monotonic_ns()
        try:
            self._job()
        finally:
            self.took_ns = monotonic_ns() - began_ns
